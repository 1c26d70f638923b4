# SPDX-License-Identifier: MIT
"""What a clock that misbehaves does to each row (section backstep): for the table and the guide."""
import math
from types import SimpleNamespace

from data import known, most
from record import STEP_PROOF, VERDICTS
from table import Cell, exact_or
from text import count, duration, short

BETWEEN = ("between", "often")  # the clock goes back while nobody records
BACK = (*BETWEEN, "reserve", "nested", "older")
READS_MOST = 1000  # of one event, as MISCLOCK_READS_MOST of workloads/misclock.h: it never ends
UNTIL = ("next event", "whole stamp", "sub-buffer's end", "never")


def promises(run, row):
    """Does the row promise that no step of the clock makes a time wrong?"""
    listed = run.schemes.get(row, {}).get("promises")
    return isinstance(listed, list) and STEP_PROOF in listed


def cases(run, row, *clocks):
    return [one for one in run.backstep_of.get(row, []) if not clocks or one.clock in clocks]


def worst(found):
    """The worst error in ticks of these cases; NaN where there is none."""
    return most(one.worst_ticks for one in found)


def names(run, *clocks):
    """The steps as they are called, in the record's order."""
    return list(dict.fromkeys(one.step for one in run.backstep
                              if one.clock in clocks and one.step))


def curve(run, row):
    """What a step back does, wherever it is: (ticks, worst error in ticks), ascending."""
    points = {}
    for one in cases(run, row, *BACK):
        if one.step_ticks > 0 and not math.isnan(one.worst_ticks):
            points[one.step_ticks] = max(one.worst_ticks, points.get(one.step_ticks, 0))
    return sorted(points.items())


def last_of(words, order):
    """The one of these words that stands last in the order; None without any of them."""
    return max((one for one in words if one in order), key=order.index, default=None)


def line(run, row):
    """A row of the table of damage."""
    back = cases(run, row, *BACK)
    words = [one.until for one in back if one.wrong > 0]
    traced = most(one.reads_most for one in cases(run, row, "traced"))
    return SimpleNamespace(
        row=row, promises=promises(run, row), curve=curve(run, row),
        verdict=last_of((one.verdict for one in cases(run, row)), VERDICTS),
        steps=[worst(one for one in back if one.step == step) for step in names(run, *BACK)],
        any=worst(back), between=worst(cases(run, row, *BETWEEN)),
        older=worst(cases(run, row, "older")), stopped=worst(cases(run, row, "stopped")),
        ahead=[worst(one for one in cases(run, row, "ahead") if one.step == step)
               for step in names(run, "ahead")],
        rate=worst(cases(run, row, "rate")), longest=most((one.longest for one in back)),
        until=last_of(words, UNTIL),
        traced=traced, ends=traced < READS_MOST,
        real=most(one.damage.worst_ticks for one in run.stress
                  if (one.row, one.workload) == (row, "backstep")))


def lines(run):
    return [line(run, row) for row in run.backstep_of]


def proof(run, row):
    """The row promises it, and no case of this run objects: every time was exact."""
    its = cases(run, row)
    return promises(run, row) and bool(its) and all(
        one.worst_ticks == 0 and not one.inexact > 0 and one.verdict != "broken" for one in its)


# ---- the table ----


def in_ticks(ticks):
    """Wraps and fields are told by their power of two."""
    bits = int(ticks).bit_length() - 1
    return (f"2^{bits}" if bits >= 10 and ticks == 1 << bits else short(ticks)) + " ticks"


def damage(run, ticks):
    """A time where the clock's rate is known, and the ticks."""
    if not ticks > 0:
        return Cell(exact_or(ticks), "", ticks)
    time = duration(ticks, run.machine.tsc_hz)
    return Cell(time, in_ticks(ticks), ticks) if time else Cell(in_ticks(ticks), "", ticks)


def until(one):
    small = f"{count(one.longest)} events at most" if one.longest > 0 else ""
    return Cell(one.until or "-", small)


def reads(one):
    if math.isnan(one.traced):
        return Cell("n/a")
    return Cell(count(one.traced) if one.ends else "never ends", "", one.traced)


def heads(its):
    return ["row", STEP_PROOF, *(f"back by {step}" for step in its.back), "between events alone",
            "older in an interrupt", "stopped", "faster, slower",
            *(f"ahead by {step}" for step in its.ahead), "wrong until, at worst",
            "clock reads, traced", *(["back, real clock"] if its.real else [])]


def cells(run, its):
    """A list for each row, its name left out."""
    table = []
    for one in its.lines:
        ticks = [*one.steps, one.between, one.older, one.stopped, one.rate, *one.ahead]
        real = [damage(run, one.real)] if its.real else []
        table.append((one, [
            Cell("promised" if one.promises else "-",
                 "a promise is broken" if one.verdict == "broken" else ""),
            *(damage(run, value) for value in ticks), until(one), reads(one), *real]))
    return table


# ---- the sentences ----

HUGE = 2.0 ** 58  # half of what a delta of 59 bits can be


def judged(run):
    """All but the baselines, which have no more than the short field and promise no times."""
    return [one for one in lines(run) if not one.row.startswith("floor")]


def alike(rows):
    """Rows with the same worst error and the same end of it, together: (rows, ticks, until)."""
    found = {}
    for one in rows:
        found.setdefault((one.any, one.until), []).append(one.row)
    return [(names, *key) for key, names in found.items()]


def said(run):
    """The table of damage, and its rows by what became of them."""
    rows = judged(run)
    wrong = [one for one in rows if one.any > 0]
    huge = [one for one in wrong if one.any >= HUGE]
    # Right while nobody is interrupted by an older clock.
    stale = [one for one in wrong if one not in huge and one.between == 0 and one.older > 0]
    its = SimpleNamespace(
        lines=lines(run), back=names(run, *BACK), ahead=names(run, "ahead"), huge=alike(huge),
        stale=alike(stale), exact=[one for one in rows if one.any == 0],
        other=alike(one for one in wrong if one not in huge and one not in stale),
        ending=[one for one in rows if one.ends],
        late=[(step, [one.row for one in rows if one.ahead[at] > 0])
              for at, step in enumerate(names(run, "ahead"))],
        endless=[one for one in rows if one.traced >= READS_MOST])
    its.real = bool(known(one.real for one in its.lines))
    its.heads, its.cells = heads(its), cells(run, its)
    return its
