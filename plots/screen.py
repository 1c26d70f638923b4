# SPDX-License-Identifier: MIT
"""What the terminal says of a run at its end: verdict, answer, eight rows, on 80 x 24."""
import math

import answer
import facts
from text import count, duration, figure, plain, wrapped

COLUMNS, LINES, ROWS = 80, 24, 8
# The five of the texts of 2006 to 2010, and the whole stamp in every header.
SHOWN = ("heartbeat", "delta_sync_soft", "three_read", "extended_header", "nested_stamps", "full_tsc")


def verdict(run):
    its = facts.summary(run)
    if its.broken:
        rows = ", ".join(map(plain, its.broken[:3])) + (
            f" and {len(its.broken) - 3} more" if len(its.broken) > 3 else "")
        return f"BROKEN: {len(its.broken)} of {len(run.steady)} rows broke a promise: {rows}."
    if not its.kept and not its.inexact:
        return "No row of this run was judged."
    parts = [f"{its.kept} rows kept all that they promise" if its.kept != 1 else
             "one row kept all that it promises"]
    if its.inexact:
        parts.append(f"{len(its.inexact)} did, and say which times are inexact")
    if its.untried:
        parts.append(f"{len(its.untried)} promise what this run did not try")
    if its.unmet:
        parts.append(f"{len(its.unmet)} lacked what they need")
    return "No promise was broken: " + "; ".join(parts) + "."


def shown(run, best):
    """The rows of the texts, and those of the answer; in a run of few rows, all there is."""
    there = {row.row: row for row in run.steady}
    answers = [best.row, *(one.row for one in best.unless if one.word == "bytes")] if best else []
    wanted = [*SHOWN, *answers, *there]
    names = [name for name in dict.fromkeys(wanted) if name in there and (
        there[name].verdict != "no promise" or name not in SHOWN)]
    names = names[:ROWS]
    return [row for name, row in there.items() if name in names]


def times(run, row):
    if row.worst_error_ticks == 0:
        return "exact"
    if math.isnan(row.worst_error_ticks) or row.verdict in ("no promise", "need not met"):
        return "-"
    off = duration(row.worst_error_ticks, run.machine.tsc_hz) or f"{count(row.worst_error_ticks)} ticks"
    return f"{off} off"


def number(value):
    return "-" if math.isnan(value) else figure(value)


def one_decimal(value):
    return "-" if math.isnan(value) else f"{value:.1f}"


def table(run, best):
    form = "{:22} {:16} {:>12} {:>6} {:>6} {:>6} {:>6}"
    found = [form.format("row", "promises", "times", "header", "instr", "ns", "cheap")]
    for row in shown(run, best):
        cost = ("-", "-") if row.verdict == "broken" else (number(row.ns), number(row.cheap_ratio))
        found.append(form.format(plain(row.row)[:22], plain(row.verdict or "not judged")[:16],
                                 times(run, row)[:12], one_decimal(row.header_id_bytes),
                                 number(row.instructions), *cost))
    return found


def said(best):
    """The answer's sentences, and its conditions on as few lines as there can be."""
    text = wrapped(" ".join(best.sentences), COLUMNS)
    unless = "; ".join(f"{one.condition}: {one.row}" + ("" if one.taken else "*")
                       for one in best.unless)
    star = " (*: make take does not cut it out)" if any(not one.taken for one in best.unless) else ""
    return text + (wrapped(f"Unless {unless}{star}.", COLUMNS) if unless else [])


def lines(run):
    best = answer.answer([answer.of_run(run)], plain)
    found = wrapped(verdict(run), COLUMNS)
    for one in run.not_tried:
        found += wrapped(f"Not tried: {plain(one)}.", COLUMNS)
    found += said(best) if best else [answer.NONE]
    noise = run.json.get("noise")
    noisy = isinstance(noise, dict) and noise.get("too_noisy") is True
    clock = "Too noisy to rank rows by time." if noisy else answer.clock_sentence(run)
    found += wrapped(clock, COLUMNS) if clock else []
    cells = table(run, best)
    notes = ["header: bytes, with an id; cheap: times the floor where a clock costs nothing"]
    if run.noise and not clock:
        notes.append(f"times closer than {100 * run.noise:.1f} % are not told apart")
    notes.append("all rows and figures: " + plain(run.dir) + "/report.html")
    room = LINES - 1 - len(found) - len(cells) - len(notes)
    return found + [""] * (room > 0) + cells + [""] * (room > 1) + notes
