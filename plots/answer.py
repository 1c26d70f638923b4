# SPDX-License-Identifier: MIT
"""Which row to take, in one sentence: what README, docs/choosing.md, the page, the terminal and
`bench --which` say, of one run or of all recorded machines.

One rule for all rows: of those that qualify (guide.py), a header of at most four bytes comes first,
then the fewest instructions. Both are the same on every machine, and times are not. Where bytes are
what is asked for, they come first.
"""
from collections import namedtuple
from statistics import median

import guide
from data import known
from files import HARNESS, Failed
from text import figure

WORD = 4.05  # bytes of header; a few events in 1,000 are extended

# Each: a word for --which, the condition, the need that it comes to, and whether bytes come first.
Branch = namedtuple("Branch", "word condition need by_bytes")
BRANCHES = (
    Branch("wait", "an interrupt's event may wait", guide.WAIT, True),
    Branch("bytes", "bytes count most", guide.BYTES, True),
    Branch("clock-back", "the clock may go back", guide.BACK, False),
    Branch("no-cas64", "there is no 64-bit compare-and-swap", guide.HELD_OFF, True),
    Branch("rseq", "threads have rseq", guide.MIGRATE, False),
    Branch("several", "CPUs share a ring", guide.SEVERAL, False),
)
OTHERS = (Branch("ctf", "readers want CTF", guide.CTF, False),
          Branch("ftrace", "readers want ftrace sub-buffers", guide.FTRACE, False))

# A row for a condition, its figures in words, and whether `make take` cuts it out as a header.
Choice = namedtuple("Choice", "word condition row figures taken")
Answer = namedtuple("Answer", "row sentences unless")


NONE = "No row of this run is known to be exact when it is interrupted."


class Machine:
    """What one run or reference knows: rows by need, and figures by row."""

    def __init__(self, needs, rows):
        self.needs = {one["need"]: set(one["rows"]) for one in needs}
        self.header, self.instructions, self.cheap = rows
        self.measured = list(self.header)


def of_run(run):
    rows = {row.row: row for row in run.steady}
    return Machine(guide.needs(run), (
        {name: guide.header(run, row, None) for name, row in rows.items()},
        {name: row.instructions for name, row in rows.items()},
        {name: row.cheap_ratio for name, row in rows.items()}))


def of_reference(reference):
    rows = {row["row"]: row for row in reference["rows"]}
    return Machine(reference["needs"], (
        {name: row.get("header_id_bytes") for name, row in rows.items()},
        {name: row.get("instructions") for name, row in rows.items()},
        {name: (row.get("cheap_ratio") or [None])[0] for name, row in rows.items()}))


def middle(machines, key, row):
    """Over the machines that know it; None: none does."""
    its = [getattr(one, key).get(row) for one in machines]
    its = known(value for value in its if value is not None)
    return median(its) if its else None


def qualifying(machines, need):
    """The rows that have the need on each machine that asked for it and measured them."""
    asked = [one for one in machines if need in one.needs]
    return {row for one in asked for row in one.needs[need]
            if all(row in other.needs[need] or row not in other.measured for other in asked)}


def takeable(machines):
    """Rows that `make take` cuts out. Older records do not say; CTF's readers know those rows."""
    return qualifying(machines, guide.TAKE) or (
        qualifying(machines, guide.CTF) - qualifying(machines, guide.NO_ATOMIC))


def best(machines, rows, by_bytes):
    """By the rule; rows that are alike come as the suite lists them."""
    listed = [row for one in machines for row in one.measured]
    rows = [row for row in rows if middle(machines, "header", row) is not None and
            middle(machines, "instructions", row) is not None]

    def order(row):
        header = round(middle(machines, "header", row), 1)
        return (header if by_bytes else header > WORD, round(middle(machines, "instructions", row)),
                listed.index(row))
    return min(rows, key=order, default=None)


def figures(machines, row):
    header, count = (middle(machines, key, row) for key in ("header", "instructions"))
    return f"{header:.0f} bytes of header, {count:.0f} instructions"


def choice(machines, branch):
    row = best(machines, qualifying(machines, branch.need), branch.by_bytes)
    return row and Choice(branch.word, branch.condition, row, figures(machines, row),
                          row in takeable(machines) | qualifying(machines, guide.SEVERAL))


def cheaper(machines, row, rows, code):
    """Whoever takes less time beside a clock that costs nothing, so that nobody is favoured."""
    its = middle(machines, "cheap", row)
    others = [(middle(machines, "cheap", other), other) for other in rows
              if (middle(machines, "header", other) or WORD + 1) <= WORD]
    least, other = min((one for one in others if one[0]), default=(None, None))
    if not its or not least or its <= least * (1 + guide.AS_GOOD_TIME):
        return []
    return [f"{code(other)} takes {100 * (1 - least / its):.0f} % less time where reading the clock "
            f"costs nothing ({figures(machines, other)})."]


def answer(machines, code):
    """Of the machines; None if none of them knows a row that is exact when it is interrupted.
    `code` says how the name of a row is written."""
    rows = takeable(machines) or qualifying(machines, guide.TIME)
    row = best(machines, rows, False)
    if not row:
        return None
    sentences = [f"Take {code(row)}: its times are exact, also when it is interrupted and after any gap, "
                 f"and it needs nothing ({figures(machines, row)})."]
    sentences += cheaper(machines, row, rows, code)
    unless = [its for its in (choice(machines, branch) for branch in BRANCHES)
              if its and its.row != row]
    return Answer(row, sentences, unless)


def clock_sentence(run):
    """Where reading the clock is nearly all of an event; empty elsewhere."""
    shares = known(1 - row.above_clock_ns / row.ns for row in run.steady
                   if row.ns > 0 and row.verdict in guide.HELD)
    if not shares or median(shares) < 0.9:
        return ""
    ns = median(row.ns for row in run.steady if row.ns > 0 and row.verdict in guide.HELD)
    return (f"Reading the clock takes {100 * median(shares):.0f} % of an event's {figure(ns)} ns on "
            "this machine: times do not tell rows apart. Choose by exactness, bytes and "
            "instructions.")


def which(machines, words, code):
    """The answer for these words alone, as a sentence."""
    branches = {branch.word: branch for branch in (*BRANCHES, *OTHERS)}
    asked = [word for word in words.replace(",", " ").split()]
    unknown = [word for word in asked if word not in branches]
    if unknown or not asked:
        raise Failed(HARNESS, f"--which {words}: " + (f"'{unknown[0]}' is no need" if unknown else
                     "a need is wanted") + "; needs are " + ", ".join(
                         f"{one.word} ({one.condition})" for one in branches.values()))
    rows = set.intersection(*(qualifying(machines, branches[word].need) for word in asked))
    row = best(machines, rows, any(branches[word].by_bytes for word in asked))
    conditions = ", and ".join(branches[word].condition for word in asked)
    if not row:
        return f"No row is known to be right where {conditions}."
    taken = "" if row in takeable(machines) | qualifying(machines, guide.SEVERAL) else \
        " make take does not cut it out as a header."
    return f"Where {conditions}: take {code(row)} ({figures(machines, row)}).{taken}"
