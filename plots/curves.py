# SPDX-License-Identifier: MIT
"""The plots' data with a curve per row, or a panel per workload (data.py has the others)."""
import math

import clocks
import guide
from data import Table, least, most
from record import HELD, NAN, bits_that_matter
from text import label, row_label

TITLE_MOST = 56  # characters of the names in a common title; those without room are counted

# ---- rows with the same figures share a curve ----


class Curve:
    def __init__(self, name, points):
        self.name = name
        self.points = points


def alike(a, b, relative, absolute=0):
    return abs(a - b) <= absolute + relative * max(abs(a), abs(b))


def groups(curves, x_off, y_off, y_apart=0):
    """In the order of their first members; by how much points of one curve may be off."""
    def same(a, b):
        # Those that never leave 0 are one, wherever their points are.
        return not any(y for _, y in a.points + b.points) or len(a.points) == len(b.points) and all(
            alike(x, other_x, x_off) and alike(y, other_y, y_off, y_apart)
            for (x, y), (other_x, other_y) in zip(a.points, b.points))

    found = []
    for curve in curves:
        for group in found:
            if any(same(one, curve) for one in group):
                group.append(curve)
                break
        else:
            found.append([curve])
    return found


def title(group):
    """"a, b, c + 2 more": the members of a group, as far as they fit."""
    text, left = "", 0
    for curve in group:
        if left or len(text) + len(curve.name) + 2 >= TITLE_MOST:
            left += 1
        else:
            text += (", " if text else "") + curve.name
    return text + (f" + {left} more" if left else "")


def add_groups(table, found, column=None):
    """A block for each group; one blank line lifts the pen between rows of a group."""
    for at, group in enumerate(found):
        if at:
            table.lines += ["", ""]
        for curve in group:
            for x, y in curve.points:
                table.line(float(x), float(y), *([column(x, y)] if column else []), curve.name)
            table.lines.append("")


# ---- layouts ----


def header_rates(run, plot, rows, name):
    """Header bytes against event rate, where both can stand on a logarithmic axis."""
    curves = {}
    points = [one for one in run.bytes_by_rate if rows(one.row) and one.events_per_second > 0 and
              one.header_bytes_per_second > 0]
    points.sort(key=lambda one: (one.row, one.events_per_second))
    for one in points:
        curve = curves.setdefault(one.row, Curve(label(name(one.row)), []))
        curve.points.append((one.events_per_second, one.header_bytes_per_second))

    found = groups(curves.values(), 1e-6, 1e-3)
    table = Table("header bytes by event rate, on the virtual clock: 1 events per second, 2 header "
                  "bytes per second,", "3 header bytes per event, 4 row; rows with the same "
                  "figures are one block")
    add_groups(table, found, lambda x, y: y / x)
    hz = next((one.tsc_hz for one in points if one.tsc_hz > 0), run.machine.tsc_hz)
    table.set(f"{plot}_groups", len(found))
    table.set(f"{plot}_hz", float(hz))
    table.set(f"{plot}_least", float(least(one.events_per_second for one in points)))
    table.set(f"{plot}_most", float(most(one.events_per_second for one in points)))
    table.array(f"{plot}_titles", list(map(title, found)))
    return table if found else None


LAYOUT = "layout_"


def layouts(run):
    """All of that plot are layouts: no need to say it of each."""
    return header_rates(run, "layouts", lambda row: row.startswith(LAYOUT),
                        lambda row: row.removeprefix(LAYOUT))


# ---- late_beat ----


def late_beat(run):
    curves = []  # a baseline promises no time, so it loses none
    for one in (one for one in run.late_beat if one.verdict != "no promise"):
        points = [(step.gap_wraps, step.wraps_lost) for step in one.steps
                  if not math.isnan(step.gap_wraps) and not math.isnan(step.wraps_lost)]
        if points:
            curves.append(Curve(row_label(one.row, bits_that_matter(run.late_beat, one)), points))

    # Gaps are measured, so the same lateness is not the same number twice.
    found = groups(curves, 0.03, 0, 0.05)
    table = Table("a beat that comes late: 1 measured gap [wraps], 2 wraps lost by the event after "
                  "it (mean), 3 row;", "rows with the same figures are one block")
    add_groups(table, found)
    losing = [curve for curve in curves if any(y for _, y in curve.points)]
    gaps = [x for curve in losing or curves for x, _ in curve.points]
    table.set("late_groups", len(found))
    table.set("late_lost", float(max((y for curve in curves for _, y in curve.points), default=0)))
    table.set("late_gap", float(max(gaps, default=0)))
    table.set("late_least", float(least(gap for gap in gaps if gap > 0)))
    table.array("late_titles", list(map(title, found)))
    return table if found else None


# ---- backstep ----


def backstep(run):
    """Those that are worst at worst come first, those that are exact last; without baselines."""
    curves = [Curve(label(one.row), one.curve) for one in clocks.judged(run) if one.curve]

    found = sorted(groups(curves, 1e-6, 0.03),
                   key=lambda group: -max(y for curve in group for _, y in curve.points))
    table = Table("a clock that goes back, on the virtual clock: 1 step [ticks], 2 worst error of "
                  "a decoded time [ticks], wherever", "the step came, 3 row; rows with the same "
                  "figures are one block")
    add_groups(table, found)
    points = [point for curve in curves for point in curve.points]
    table.set("backstep_groups", len(found))
    table.set("backstep_step", float(most((x for x, _ in points), 1)))
    table.set("backstep_most", float(most((y for _, y in points), 1)))
    table.array("backstep_titles", list(map(title, found)))
    return table if found else None


# ---- tails ----

ABOVE_LEAST = 10  # a quantile that leaves fewer samples above it is a matter of luck


def quantile(cell, value, of):
    above = (cell.samples - (cell.hits if cell.hits > 0 else 0)) * (1 - of)
    # 1 - 0.999 is a little less than a thousandth.
    return float(value) if above > ABOVE_LEAST - 1e-6 else NAN


def tails(run):
    """A block is a panel: a regime, and the gaps of replay; variants stand below the other rows."""
    drawn = [one for one in run.tails if one.p50 > 0]
    panels = list(dict.fromkeys((one.regime, one.gaps) for one in drawn))
    mains = list(dict.fromkeys(one.row for one in drawn if not one.variant))
    rows = list(dict.fromkeys(mains + [one.row for one in drawn]))
    cells = {}
    for one in run.tails:
        cells.setdefault((one.regime, one.gaps, one.row), one)
    table = Table("latency of single events in ticks: 1 position, 2 row, 3 median, 4 p99, 5 p99.9, "
                  "6 p99.99, 7 longest;", f"a block is a panel; no quantile with fewer than "
                  f"{ABOVE_LEAST} samples above")
    shown = []
    for at, panel in enumerate(panels):
        if at:
            table.block()
        for position, row in enumerate(rows, 1):
            cell = cells.get((*panel, row))
            if not cell or not cell.p50 > 0:
                table.line(position, label(row), NAN, NAN, NAN, NAN, NAN)
                continue
            shown.append(cell)
            table.line(position, label(row), float(cell.p50), quantile(cell, cell.p99, 0.99),
                       quantile(cell, cell.p999, 0.999), quantile(cell, cell.p9999, 0.9999),
                       float(cell.max))
    table.array("tails_regimes", [label(regime) for regime, _ in panels])
    table.array("tails_gaps", [label(gaps or "") for _, gaps in panels])
    table.set("tails_rows", len(rows))
    table.set("tails_mains", len(mains))
    table.set("tails_panels", len(panels))
    table.set("tails_least", float(least(cell.p50 for cell in shown)))
    table.set("tails_most", float(most(cell.max for cell in shown)))
    table.set("tails_fence", float(least(cell.fence_p50 for cell in shown)))
    return table if rows else None


# ---- cold ----


def cold(run):
    """By row, the dearest below: everything evicted, with its interval, and nothing."""
    warm = {one.row: one.ns for one in run.cold if one.evicted == "none" and not one.again}
    rows = sorted((one for one in run.cold_of.values() if not one.variant), key=lambda one: one.ns)
    table = Table("an event after other work, in ns: 1 position, 2 row, 3 everything evicted, 4 and 5 its "
                  "interval, 6 nothing evicted, 7 as 3, but the row has to extend it")
    for position, one in enumerate(rows, 1):
        table.line(position, label(one.row), float(one.ns), float(one.ns_95_low), float(one.ns_95_high),
                   float(warm.get(one.row, NAN)), float(one.extended_ns))
    table.set("cold_rows", len(rows))
    table.set("cold_first", float(rows[0].first_ns if rows else NAN))
    return table if rows else None


# ---- choice ----


def choice(run):
    """Main rows that are right in some way, by header and then by cost with a free clock; by this
    machine's clock where no other was timed."""
    variants = {one.row for one in run.tails if one.variant}
    rows = [row for row in run.steady if row.verdict in HELD and row.row not in variants and
            guide.header(run, row, None) > 0]
    free = any(row.cheap_ratio > 0 for row in rows)
    ratio = (lambda row: row.cheap_ratio) if free else (lambda row: row.ratio)
    rows = sorted((row for row in rows if ratio(row) > 0),
                  key=lambda row: (round(guide.header(run, row, None), 1), ratio(row)))
    table = Table("cost of an event: 1 position, 2 row and bytes of header, 3 times the floor, 4 kind: 0 "
                  "exact, 1 declared inexact, 2 it waits or is lost,", "5 times the floor by the "
                  "clock of this machine, beside a free one")
    for position, row in enumerate(rows, 1):
        scheme = run.schemes.get(row.row, {})
        exact = row.verdict == "kept" and "exact" in scheme.get("promises", ["exact"])
        waits = scheme.get("nesting", "at once") != "at once"
        table.line(position, f"{label(row.row)}, {guide.header(run, row, None):.0f} B", float(ratio(row)),
                   2 if waits else 0 if exact else 1,
                   float(row.ratio if free else NAN))
    table.set("choice_rows", len(rows))
    table.set("choice_free", int(free))
    # Rows that are far off do not press all others together.
    ratios = sorted(map(ratio, rows))
    upper = ratios[max(len(ratios) - 1, 0) // 2:]
    table.set("choice_most", float(next((one for one, more in zip(upper, upper[1:]) if more > 3 * one),
                                        most(ratios, 1.0))))
    table.set("choice_least", float(least([*map(ratio, rows), *(row.ratio for row in rows if free)], 1.0)))
    return table if rows else None
