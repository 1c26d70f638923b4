# SPDX-License-Identifier: MIT
"""What the sentences of the page say of a run: rows and numbers. The words are in the templates."""
import math
from collections import defaultdict
from types import SimpleNamespace

import clocks
from data import least, most, or_else
from record import NAN, PROMISES, VERDICTS, bits_that_matter, checked, worst_is_declared

# ---- the run in a few sentences ----


def worst_last(word):
    return VERDICTS.index(word) if word in VERDICTS else -1


def verdicts(run):
    """Rows in the run's order, each with the verdicts on it anywhere: the table's, those of each checked workload."""
    stormed = {one.row for one in run.storm}
    found = {one.row: set() for one in [*run.table, *run.stress]}
    for one in run.table:
        found[one.row].add(one.verdict)
    for one in filter(checked, run.stress):
        found[one.row].add("not stormed" if one.verdict == "kept" and one.row not in stormed else one.verdict)
    return found


def summary(run):
    words = verdicts(run)
    named = defaultdict(list)
    for row, its in words.items():
        named[max(its, key=worst_last, default=None)].append(row)
    return SimpleNamespace(
        broken=named["broken"], unmet=named["need not met"], untried=named["not tried"], unstormed=named["not stormed"], unexplored=named["not explored"],
        inexact=named["declared inexact"], kept=len(named["kept"]),
        not_tried=run.not_tried)


def disturbances(run):
    return [one for one in run.warnings if one.state != "no"]


# ---- promises ----

# The oracle that speaks of a promise; wraps and bounds have none of their own.
ORACLE = {"monotonic": "monotonic", "exact": "exact", "window": "window"}


def fared(run, promise):
    """By verdict, the rows; one with the same verdict at all of its widths stands once, without."""
    its = [(one, getattr(one.promises, promise)) for one in run.storm or run.trials]
    found = defaultdict(list)
    for one, word in its:
        others = {other for its_one, other in its if its_one.row == one.row}
        mixed = len(others) > 1 and word is not None
        entry = SimpleNamespace(
            row=one.row, bits=one.bits if mixed else NAN,
            objections=getattr(one.violations, ORACLE[promise], NAN)
            if promise in ORACLE and word != "kept" else NAN)
        entries = found[word]
        if mixed or one.row not in [other.row for other in entries]:
            entries.append(entry)
    return found


def storm(run):
    """Sums over all rows of the storm."""
    def total(key):
        return sum(or_else(getattr(one, key), 0) for one in run.storm)

    delivered = sum(or_else(count, 0) for one in run.storm for count in one.delivered_by_source)
    seconds = total("recording_seconds")
    return SimpleNamespace(events=total("events"), hits=total("hits"), delivered=delivered,
                           per_second=delivered / seconds if seconds > 0 else NAN)


# ---- captions ----


def best(rows, key, of=max):
    """The row with the most (or least) of something; None if no row has it."""
    rows = [row for row in rows if not math.isnan(key(row))]
    return of(rows, key=key) if rows else None


def space(run):
    sizes = [row.header_bytes for row in run.steady if row.header_bytes > 0]
    return SimpleNamespace(least=least(sizes), most=most(sizes))


def storm_errors(run):
    judged = [one for one in run.storm if not math.isnan(one.worst_error_ticks) and checked(one)]
    worst = best([one for one in judged if one.worst_error_ticks > 0],
                 lambda one: one.worst_error_ticks)
    return SimpleNamespace(
        judged=len(judged), worst=worst,
        exact=sum(one.worst_error_ticks == 0 or worst_is_declared(one) for one in judged),
        bits=bits_that_matter(run.storm, worst) if worst else NAN,
        declared=bool(worst) and worst_is_declared(worst))


def late_beat(run):
    most_lost = [(one.row, most(step.wraps_lost for step in one.steps)) for one in run.late_beat]
    return SimpleNamespace(lost=[one for one in most_lost if one[1] > 0],
                           kept=[row for row, lost in most_lost if lost == 0])


def backstep(run):
    rows = clocks.judged(run)
    return SimpleNamespace(exact=[one.row for one in rows if one.any == 0],
                           worst=best([one for one in rows if one.any > 0], lambda one: one.any))


def layouts(run):
    """The fewest bytes at the lowest rate, and the most there: the ends of the curves."""
    points = [one for one in run.bytes_by_rate
              if one.row.startswith("layout_") and one.header_bytes_per_second > 0]
    lowest = least(one.events_per_second for one in points)
    points = [one for one in points if one.events_per_second == lowest]
    return SimpleNamespace(events=lowest,
                           least=best(points, lambda one: one.header_bytes_per_second, min),
                           most=best(points, lambda one: one.header_bytes_per_second))


def replay(run):
    cells = [one for one in run.replay if one.bytes > 0]
    return SimpleNamespace(least=best(cells, lambda one: one.bytes, min),
                           most=best(cells, lambda one: one.bytes))


def tails(run):
    calm = [one for one in run.tails if one.regime == "calm" and one.p999 > 0]
    stormed = [one for one in run.tails if one.regime == "storm" and one.samples > 0]
    samples = sum(one.samples for one in stormed)
    return SimpleNamespace(
        least=best(calm, lambda one: one.p999, min), most=best(calm, lambda one: one.p999),
        hit_percent=100 * sum(or_else(one.hits, 0) for one in stormed) / samples
        if samples > 0 else NAN)


CAPTIONS = {"space": space, "storm": storm_errors,
            "late_beat": late_beat, "backstep": backstep, "layouts": layouts,
            "replay": replay, "tails": tails}

# ---- every interrupt ----


def explored_row(row):
    """What all families of a row come to."""
    def total(key):
        return sum(or_else(getattr(family, key), 0) for family in row.families)

    return SimpleNamespace(
        row=row.row, budgets=len(row.families), schedules=total("schedules"),
        broken=total("broken"),
        # A clock that goes back is nobody's need: what it does to times is told apart.
        unmet=sum(or_else(family.need_not_met, 0) for family in row.families
                  if not (or_else(family.backs, 0) or or_else(family.skew, 0))),
        deepest=most((family.nested for family in row.families), 0),
        first=next((family.first for family in row.families if family.verdict == "broken"), None))


def explored(run):
    """The rows, and the budgets as the row that has most of them was searched."""
    rows = run.explored.rows
    return SimpleNamespace(rows=list(map(explored_row, rows)),
                           budgets=max((row.families for row in rows), key=len, default=[]))


def promises(run):
    return [(promise, fared(run, promise)) for promise in PROMISES]
