# SPDX-License-Identifier: MIT
"""The summary that the terminal shows at the end of a run: verdict, answer, eight rows, on 80 x 24."""
import math
import os

import answer
import facts
from record import SECTIONS, strict_list
from text import count, duration, figure, percent_up, plain, wrapped

COLUMNS, LINES, ROWS = 80, 24, 8
# The five of the texts of 2006 to 2010, and the whole stamp in every header.
SHOWN = ("heartbeat", "delta_sync_soft", "three_read", "extended_header", "nested_stamps", "full_tsc")


def verdict(run):
    its = facts.summary(run)
    if its.broken:
        rows = ", ".join(map(plain, its.broken[:3])) + (
            f" and {len(its.broken) - 3} more" if len(its.broken) > 3 else "")
        return f"BROKEN: {len(its.broken)} of {len(facts.verdicts(run))} rows broke a promise: {rows}."
    parts = []
    for number, one, more in (
            (its.kept, "kept all that it promises", "kept all that they promise"),
            (len(its.inexact), "kept it with times declared inexact", None),
            (len(its.untried), "promises what this run did not try", "promise what this run did not try"),
            (len(its.unstormed), "no signal interrupted", None),
            (len(its.unexplored), "the explorer has not searched", None),
            (len(its.unmet), "did not get what it needs", "did not get what they need")):
        if number:
            noun = "" if parts else " row" if number == 1 else " rows"
            parts.append(f"{number}{noun} {one if number == 1 or not more else more}")
    return f"No promise was broken: {'; '.join(parts)}." if parts else "No row of this run was judged."


def steady(run):
    """The rows of the table, and those that only a workload without timed cells ran: all that is known of them."""
    words, there = facts.verdicts(run), {row.row for row in run.table}
    others = [{"row": name, "workload": "steady", "verdict": max(words.get(name, ()), key=facts.worst_last, default=None)}
              for name in dict.fromkeys([*words, *run.cold_of]) if name not in there]
    return run.steady + strict_list("", others, SECTIONS["table"])


def shown(run, best):
    """The rows of the texts, and those of the answer; in a run of few rows, all there is."""
    there = {row.row: row for row in steady(run)}
    answers = [best.row, *(one.row for one in best.unless if one.word == "bytes")] if best else []
    wanted = [*SHOWN, *answers, *there]
    names = [name for name in dict.fromkeys(wanted) if name in there and (
        there[name].verdict != "no promise" or name not in SHOWN)]
    names = names[:ROWS]
    return [row for name, row in there.items() if name in names]


def error(run, row):
    if row.worst_error_ticks == 0:
        # Whatever broke it, the storm did not see.
        return "-" if row.verdict == "broken" else "exact"
    if math.isnan(row.worst_error_ticks) or row.verdict in ("no promise", "need not met"):
        return "-"
    return duration(row.worst_error_ticks, run.machine.tsc_hz) or f"{count(row.worst_error_ticks)} ticks"


TITLES = ("row", "promises", "error", "bytes", "instr", "cycles", "rank", "cheap", "cold", "ext.")
WORDS = {"declared inexact": "inexact", "no promise": "none"}
COLOURS = {"kept": "32", "broken": "1;31"}


def whole(value):
    return f"{value:.0f}" if value > 0 else "-"


def cycles(value):
    """To a tenth while that fits."""
    return "n/a" if math.isnan(value) else f"{value:.1f}" if value < 999.95 else f"{value:,.0f}"


def cells(run, row):
    """A row by TITLES, without its name: the same on the terminal, the page and in README."""
    header = row.header_id_bytes
    cold = run.cold_of.get(row.row)
    costs = ["-"] * 5 if row.verdict == "broken" else [
        cycles(row.cycles) + ("~" if row.mixed else ""), whole(row.rank), cycles(row.cheap_cycles),
        *(whole(value) for value in ((cold.ns, cold.extended_ns) if cold else (math.nan, math.nan)))]
    return [row.verdict or "not judged", error(run, row),
            "n/a" if math.isnan(header) else f"{header:.1f}", figure(row.instructions), *costs]


def table(run, rows, colour=False, names=18, title="row"):
    form = f"{{:{names}.{names}}} {{}} {{:>7.7}} {{:>5}} {{:>5}} {{:>7}} {{:>4}} {{:>5}} {{:>4}} {{:>4}}"
    lines = [form.format(title, f"{'promises':12}", *TITLES[2:])]
    for row in rows:
        promise, *rest = cells(run, row)
        word = f"{WORDS.get(promise, promise):12.12}"
        if colour and promise in COLOURS:
            word = f"\033[{COLOURS[promise]}m{word}\033[0m"
        lines.append(form.format(plain(row.row), word, *map(plain, rest)))
    return lines


def said(best):
    """The answer's sentences, and its conditions on as few lines as there can be."""
    text = wrapped(" ".join(best.sentences), COLUMNS)
    unless = "; ".join(f"{one.condition}: {one.row}" + ("" if one.taken else "*")
                       for one in best.unless)
    star = " (*: has no header)" if any(not one.taken for one in best.unless) else ""
    return text + (wrapped(f"Unless {unless}{star}.", COLUMNS) if unless else [])


def closer(run):
    """How far apart times have to be to be told apart."""
    if not run.apart:
        return "too few rounds to rank by time"
    return f"rank: by ratio to the floor, told apart above {percent_up(run.apart)} %"


def frequency(run):
    """ns is cycles at this frequency."""
    hz = run.machine.tsc_hz / run.noise.cycle_ticks
    return f", {hz / 1e9:.2f} GHz" if hz > 0 else ""


def found_of(run, best):
    found = wrapped(verdict(run), COLUMNS)
    for one in run.not_tried:
        found += wrapped(f"Not tried: {plain(one)}.", COLUMNS)
    return found + (said(best) if best else [answer.NONE])


def notes_of(run):
    notes = [closer(run) + ("; ~: core shared" if any(row.mixed for row in run.steady) else ""),
             f"cycles{frequency(run)}; cheap: with a free clock; cold, ext.: ns, plain and extended"]
    if os.path.exists(run.dir + "/report.html"):
        notes.append("all rows and figures: " + plain(run.dir) + "/report.html")
    return notes


def every(run, colour):
    """All rows of all workloads, in whole names."""
    found = found_of(run, answer.answer([answer.of_run(run)], plain))
    rows = [*steady(run), *(row for row in run.table if row.workload != "steady")]
    names = max((len(row.row) for row in rows), default=0)
    for workload in dict.fromkeys(row.workload for row in rows):
        its = [row for row in rows if row.workload == workload]
        found += ["", *table(run, its, colour, names, plain(workload or "row"))]
    return [*found, "", *notes_of(run)]


def lines(run, colour=False):
    best = answer.answer([answer.of_run(run)], plain)
    found = found_of(run, best)
    rows = table(run, shown(run, best), colour)
    notes = notes_of(run)
    clock = [line for line in wrapped(answer.clock_sentence(run), COLUMNS) if line]
    if len(found) + len(clock) + len(rows) + len(notes) < LINES:
        found += clock
    room = LINES - 1 - len(found) - len(rows) - len(notes)
    return found + [""] * (room > 0) + rows + [""] * (room > 1) + notes
