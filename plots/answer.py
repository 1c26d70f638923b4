# SPDX-License-Identifier: MIT
"""Which row to take, in one sentence: what README, docs/choosing.md, the page, the terminal and
`bench --which` say, of one run or of all recorded machines.

One rule for all rows: of those that qualify (guide.py) and that do not cost DEARER times as much as the
cheapest of them after the program's other work (workload cold, plain events), a header of at most four
bytes comes first, then the fewest instructions. Both are the same on every machine, and times are not. So
the bound on cold times is far from where rows lie: it is for a row that an eviction hits as no other. Where
bytes are what is asked for, they come first.
"""
from collections import namedtuple
from statistics import median

import guide
from data import known
from files import HARNESS, Failed
from record import NAN
from text import figure

DEARER = 1.5
WORD = 4.05  # bytes of header; a few events in 1,000 are extended

# Each: a word for --which, the condition, the need that it comes to, and whether bytes come first.
Branch = namedtuple("Branch", "word condition need by_bytes")
BRANCHES = (
    Branch("wait", "an interrupt's event may wait", guide.WAIT, True),
    Branch("bytes", "bytes count most", guide.BYTES, True),
    Branch("clock-back", "the clock may go back", guide.BACK, False),
    Branch("no-cas64", "there is no 64-bit compare-and-swap, and no gap lasts 2^32 - 2^27 ticks", guide.NARROW, True),
    Branch("rseq", "x86-64, and threads have rseq", guide.MIGRATE, False),
    Branch("several", "CPUs share a ring", guide.SEVERAL, False),
)
OTHERS = (Branch("ctf", "readers want CTF", guide.CTF, False),
          Branch("ftrace", "readers want ftrace sub-buffers", guide.FTRACE, False))

ALSO = {"mcu": "no-cas64", "cortex-m": "no-cas64"}

# A row for a condition, its figures in words, and whether `make take` cuts it out as a header.
Choice = namedtuple("Choice", "word condition row figures taken")
Answer = namedtuple("Answer", "row sentences unless")
# Of a row: bytes, a count, the ratio with a clock that costs nothing, and ns after other work, with
# 95 % intervals.
Figures = namedtuple("Figures", "header instructions cheap low high cold_low cold_high",
                     defaults=[NAN] * 5)

NONE = "No row of this run is known to be exact when it is interrupted."


class Machine:
    """What one run or reference knows: rows by need, and figures by row."""

    def __init__(self, needs, rows):
        self.needs = {one["need"]: set(one["rows"]) for one in needs}
        self.rows = rows


def of_run(run):
    return Machine(guide.needs(run), {row.row: Figures(
        guide.header(run, row, None), row.instructions, row.cheap_ratio, row.cheap_ratio_95_low,
        row.cheap_ratio_95_high, *cold_ends(run, row.row)) for row in run.steady})


def cold_ends(run, row):
    its = run.cold_of.get(row)
    return (its.ns_95_low, its.ns_95_high) if its else (NAN, NAN)


def of_reference(reference):
    return Machine(reference["needs"], {row["row"]: Figures(
        row.get("header_id_bytes", NAN), row.get("instructions", NAN),
        *interval_of(row, "cheap_ratio"), *interval_of(row, "cold_ns")[1:])
        for row in reference["rows"]})


def interval_of(row, key):
    return [NAN if one is None else one for one in row.get(key) or (NAN, NAN, NAN)]


def middle(machines, key, row):
    """Over the machines that know it; NaN: none does."""
    its = known(getattr(one.rows[row], key) for one in machines if row in one.rows)
    return median(its) if its else NAN


def qualifying(machines, need):
    """The rows that meet the need on each machine that asked for it and measured them."""
    asked = [one for one in machines if need in one.needs]
    return {row for one in asked for row in one.needs[need]
            if all(row in other.needs[need] or row not in other.rows for other in asked)}


def takeable(machines):
    """Rows that `make take` cuts out. Of rows that only older records have, readers of CTF tell."""
    asked = {row for one in machines if guide.TAKE in one.needs for row in one.rows}
    older = qualifying(machines, guide.CTF) - qualifying(machines, guide.NO_ATOMIC)
    return qualifying(machines, guide.TAKE) | (older - asked)


def best(machines, rows, by_bytes):
    """By the rule; rows that are alike come as the suite lists them."""
    listed = [row for one in machines for row in one.rows]

    def order(row):
        header = round(middle(machines, "header", row), 1)
        return (header if by_bytes else header > WORD, round(middle(machines, "instructions", row)),
                listed.index(row))
    rows = [row for row in rows if known([middle(machines, "header", row)]) and
            known([middle(machines, "instructions", row)])]
    return min(rows, key=order, default=None)


def figures(machines, row):
    header, count = (middle(machines, key, row) for key in ("header", "instructions"))
    return f"{header:.0f} bytes of header, {count:.0f} instructions"


def choice(machines, branch):
    row = best(machines, qualifying(machines, branch.need), branch.by_bytes)
    return row and Choice(branch.word, branch.condition, row, figures(machines, row),
                          is_taken(machines, row, [branch.need]))


def is_cheaper(machines, other, row):
    """On each machine that timed the row with a cheap clock, and beyond both intervals."""
    timed = [(one.rows.get(other, Figures(NAN, NAN)), one.rows[row]) for one in machines
             if row in one.rows and known([one.rows[row].cheap])]
    return bool(timed) and all(
        its.high < own.low and its.cheap * (1 + guide.AS_GOOD_TIME) < own.cheap for its, own in timed)


def cheaper(machines, row, rows, code):
    """A row of as small a header that takes less time if the clock is free, so that none is favoured."""
    others = [other for other in rows if middle(machines, "header", other) <= WORD and
              is_cheaper(machines, other, row)]
    if not others:
        return []
    # Of those that are as good, as the suite lists them: not by luck.
    most = min(middle(machines, "cheap", one) for one in others) * (1 + guide.AS_GOOD_TIME)
    other = next(one for machine in machines for one in machine.rows
                 if one in others and middle(machines, "cheap", one) <= most)
    less = 1 - middle(machines, "cheap", other) / middle(machines, "cheap", row)
    return [f"{code(other)} takes {100 * less:.0f} % less time where reading the clock costs nothing "
            f"({figures(machines, other)})."]


def is_taken(machines, row, needs):
    """Also with sections of rseq, and, where that is the need, by `make take TARGET=cortex-m`."""
    firmware = qualifying(machines, guide.FIRMWARE) if guide.NARROW in needs else set()
    return row in takeable(machines) | qualifying(machines, guide.MIGRATE) | firmware


def refused(machines, row, needs=()):
    return "" if is_taken(machines, row, needs) else " It has no header."


def least_cold(one, rows):
    return min(known(one.rows[other].cold_high for other in rows if other in one.rows), default=NAN)


def not_dearer_cold(machines, rows):
    """Without those that cost more after other work, beyond both intervals and DEARER, wherever that
    was measured."""
    return {row for row in rows if not any(
        row in one.rows and one.rows[row].cold_low > DEARER * least_cold(one, rows) for one in machines)}


def candidates(machines):
    return takeable(machines) or qualifying(machines, guide.TIME)


def why(machines, code):
    """The rule, and what each row that qualifies brings to it: lines."""
    rows = candidates(machines)
    left = not_dearer_cold(machines, rows)
    row = best(machines, left, False)
    listed = [one for machine in machines for one in machine.rows]
    bound = [DEARER * least_cold(one, rows) for one in machines if known([least_cold(one, rows)])]
    said = [f"Rule: of the {len(rows)} rows that keep every promise when they are interrupted, need nothing, and "
            f"are cut out by make take: those within {DEARER:g} times the cheapest cold plain event "
            f"({', '.join(f'{one:.0f} ns' for one in bound) or 'not measured'}); of these, headers of at most "
            "4 bytes first, then the fewest instructions, then the order of the suite."]
    form = "{:26.26} {:>6} {:>6} {:>22}  {}"
    said.append(form.format("row", "bytes", "instr", "cold ns, 95 % interval", ""))
    for one in sorted(rows, key=lambda one: (
            one not in left, middle(machines, "header", one) > WORD,
            round(middle(machines, "instructions", one)), listed.index(one))):
        cold = [f"{its.cold_low:.0f} to {its.cold_high:.0f}" for machine in machines
                if one in machine.rows and known([(its := machine.rows[one]).cold_low])]
        said.append(form.format(code(one), f"{middle(machines, 'header', one):.1f}",
                                f"{middle(machines, 'instructions', one):.1f}", "; ".join(cold) or "-",
                                "taken" if one == row else "" if one in left else "dearer cold"))
    return said


def answer(machines, code):
    """Of the machines; None if they know no row that is exact when it is interrupted. `code` says
    how the name of a row is written."""
    rows = not_dearer_cold(machines, candidates(machines))
    row = best(machines, rows, False)
    if not row:
        return None
    sentences = [f"Take {code(row)}: its times are exact, even under interrupts and after any gap, "
                 f"and it has no preconditions ({figures(machines, row)}).{refused(machines, row)}"]
    sentences += cheaper(machines, row, rows, code)
    unless = [its for its in (choice(machines, branch) for branch in BRANCHES)
              if its and its.row != row]
    return Answer(row, sentences, unless)


def clock_sentence(run):
    """Where reading the clock is nearly all of an event; empty elsewhere."""
    rows = [row for row in run.steady if row.cycles > 0 and row.verdict in guide.HELD]
    shares = known(1 - row.above_clock / row.cycles for row in rows)
    if not shares or median(shares) < 0.9:
        return ""
    return (f"Reading the clock takes {100 * median(shares):.0f} % of an event's "
            f"{figure(median(row.cycles for row in rows))} cycles on this machine. Choose by exactness, "
            "bytes and instructions.")


def cold_sentence(run, row, code):
    """What an event costs in a program that has other work; empty where it was not measured."""
    its, cell = run.cold_of.get(row), run.cell(row, "steady")
    if not its or not cell or not cell.cycles > 0 or not its.ns > 0:
        return ""
    floor = f", {figure(its.ratio)} times its floor there" if its.ratio > 0 else ""
    wide = f", and {its.extended_ns:.0f} ns where it has to be extended" if its.extended_ns > 0 else ""
    return (f"An event of {code(row)} takes {figure(cell.cycles)} cycles in a loop, and {its.ns:.0f} ns after "
            f"other work has emptied the caches{floor}{wide}" +
            (f"; the first event after that work, of whichever row, takes {its.first_ns:.0f} ns." if its.first_ns > 0
             else "."))


def which(machines, words, code):
    """The answer for these words alone, as a sentence."""
    branches = {branch.word: branch for branch in (*BRANCHES, *OTHERS)}
    asked = [ALSO.get(word, word) for word in words.replace(",", " ").split()]
    unknown = [word for word in asked if word not in branches]
    if unknown or not asked:
        raise Failed(HARNESS, f"--which {words}: " + (f"no need is called '{unknown[0]}'" if unknown
                     else "give a need") + "; needs are " + ", ".join(
                         f"{one.word} ({one.condition})" for one in branches.values()))
    # Beside another need, bytes say only which of its rows.
    needs = [branches[word].need for word in asked if word != "bytes" or set(asked) == {"bytes"}]
    rows = set.intersection(*(qualifying(machines, need) for need in needs))
    if "ctf" in asked:
        rows = rows & takeable(machines) or rows
    row = best(machines, rows, any(branches[word].by_bytes for word in asked))
    conditions = ", and ".join(branches[word].condition for word in asked)
    if not row:
        return f"No row is known to be right where {conditions}."
    return f"Where {conditions}: take {code(row)} ({figures(machines, row)}).{refused(machines, row, needs)}"
