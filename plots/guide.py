# SPDX-License-Identifier: MIT
"""Which row to take for which need.

Every line is a condition on the record: who qualifies, by what it declares and kept, and who of
those has the least of what the need is about. What a record does not say, a row has not.
"""
import math
from collections import namedtuple

import clocks
from data import known, least
from record import HELD, NAN, PROMISES, STEP_PROOF, checked
from text import figure

# Rows this close to the best are as good: of times, and of what is the same in every run.
AS_GOOD_TIME = 0.02
AS_GOOD_COUNT = 0.005
NAMED_MOST = 4
BOUND = 1 << 31  # ticks: half of a counter of 32 bits

# ---- who qualifies ----


def scheme_of(run, row):
    return run.schemes.get(row, {})


def listed(scheme, key):
    values = scheme.get(key)
    return values if isinstance(values, list) else []


def count(scheme, key):
    value = scheme.get(key)
    return value if isinstance(value, int) else NAN


def inexact(run, row):
    """Stamps of the row that a storm of this run had declared inexact."""
    return sum(one.inexact for one in run.storm if one.row == row and one.inexact > 0)


def declares_everything(run, row):
    return set(PROMISES) <= {one for one in listed(scheme_of(run, row), "promises") if isinstance(one, str)}


def keeps_everything(run, row):
    """Does the row declare all promises, and did a storm find them kept, at each of its widths?

    Both are asked for: what nobody interrupted is not known to be exact.
    """
    return declares_everything(run, row.row) and keeps(run, row, PROMISES)


def keeps(run, row, promises):
    """Was it judged, and was nothing broken, nor any of these left untried?"""
    judged = [one for one in run.storm if one.row == row.row and checked(one)]
    return row.verdict in HELD and bool(judged) and all(
        word in HELD for one in judged for name, word in vars(one.promises).items() if name in promises)


def keeps_in_bounds(run, row):
    """All of it, as long as no gap lasts BOUND ticks."""
    scheme = scheme_of(run, row.row)
    asked = set(PROMISES) - {"wrap_proof"}
    unbounded = scheme.get("gap_ticks", 0) is None and "wrap_proof" in listed(scheme, "promises")
    return (asked <= set(listed(scheme, "promises")) and keeps(run, row, asked) and
            (unbounded or count(scheme, "gap_ticks") >= BOUND))


def at_once(run, row):
    """Writers that interrupt the row record at once, and it needs nothing else."""
    scheme = scheme_of(run, row.row)
    return scheme.get("nesting") == "at once" and not listed(scheme, "needs")


def says(key, word):
    def condition(run, row):
        value = scheme_of(run, row.row).get(key)
        return value == word and isinstance(value, type(word))
    return condition


def narrow(run, row):
    """Writers that interrupt each other record at once, or are held off, and claim 32 bits at most."""
    scheme = scheme_of(run, row.row)
    return (count(scheme, "claim_bits") <= 32 and scheme.get("nesting") in ("at once", "held off") and
            not listed(scheme, "needs"))


def anywhere(run, row):
    """Also where threads have no rseq."""
    return scheme_of(run, row.row).get("moves") is not True


def exact(run, row):
    return not inexact(run, row.row)


def no_atomic(run, row):
    return row.atomics < 0.005


def takeable(run, row):
    """As extras/take/facts.c has it, on any machine: other readers know the format, and nothing needs rseq."""
    return str(scheme_of(run, row.row).get("format")).startswith("CTF") and not no_atomic(run, row)


def shared(run, row):
    """Writers on several CPUs share a ring, with all promises."""
    return set(PROMISES) <= shared_promises(run, row)


def shared_promises(run, row):
    return {one for one in listed(scheme_of(run, row.row), "shared_promises")
            if isinstance(one, str)}


def step_proof(run, row):
    """Declared, and no step of the clock made a time wrong in this run."""
    return clocks.proof(run, row.row)


def shared_step_proof(run, row):
    """Exact in a ring of several CPUs, whatever order their clocks give the stamps."""
    return {"exact", "wrap_proof", "bounded", STEP_PROOF} <= shared_promises(run, row)


def ends_traced(run, row):
    """Each read of the clock recorded an event, and the writer came to an end."""
    return clocks.line(run, row.row).ends


# ---- of what there should be little ----


def cost(run, row, _):
    return row.ratio


def cheap_cost(run, row, _):
    """With the clock that costs next to nothing; NaN in a run that has not timed it."""
    return row.cheap_ratio


def fenced(run, row, _):
    """The median of single events between fences, in ticks."""
    return next((one.p50 for one in run.tails if (one.row, one.regime) == (row.row, "calm")), NAN)


def instructions(run, row, _):
    return row.instructions


def header(run, row, _):
    """With an id where the row's own header has none: what else there is belongs to the format."""
    return row.header_id_bytes


def header_at(run, row, rate):
    """Bytes per second at a rate of events, with an id in each."""
    added = 0 if math.isnan(row.id_bytes_added) else row.id_bytes_added * rate
    return next((one.bytes_per_second + added for one in run.bytes_by_rate
                 if one.row == row.row and abs(one.events_per_second / rate - 1) < 1e-6), NAN)


def injected(run, row, workload):
    """The share of the events that come interrupted, or after a wrap, is in the cell's name."""
    return next((one.ratio for one in run.injected
                 if (one.row, one.workload) == (row.row, workload)), NAN)


def wakeups(run, row, _):
    """Each beat wakes a CPU that has nothing to do; a row that needs no beat wakes none."""
    beats = next((one.beats_per_second for one in run.beats if one.row == row.row), NAN)
    return beats if "beat" in listed(scheme_of(run, row.row), "needs") else 0


TIMES = "times the floor"
FENCED = "ticks, the fences included"
HEADER = "bytes of header with an id"
RATE = "bytes/s"

ALL = (keeps_everything, exact)
RSEQ = (keeps_everything, at_once, exact)
EXACT = (*RSEQ, anywhere)

Question = namedtuple("Question", "need asked value unit argument", defaults=[None])

INTERRUPTED = "exact times, also when interrupted: "
TIME = INTERRUPTED + "least time"
INSTRUCTIONS = INTERRUPTED + "fewest instructions"
BYTES = INTERRUPTED + "fewest bytes"
NO_ATOMIC = INTERRUPTED + "no atomic instruction"
MIGRATE = INTERRUPTED + "per-CPU rings, threads may migrate"
SEVERAL = INTERRUPTED + "writers on several CPUs in one ring"
CTF = INTERRUPTED + "readers of CTF"
TAKE = INTERRUPTED + "one header to take home, fewest instructions"
BACK = INTERRUPTED + "the clock may go back"
WAIT = "exact times, an interrupt's event may wait: fewest bytes"
HELD_OFF = "exact times, interrupts are held off: fewest bytes"
NARROW = "exact times, no gap of 2^32 - 2^27 ticks, and no compare-and-swap of 64 bits: fewest bytes"
FIRMWARE = "exact times, no gap of 2^32 - 2^27 ticks: one header to take home for a Cortex-M, fewest bytes"
FTRACE = "readers of ftrace sub-buffers: least time"

QUESTIONS = (
    Question(TIME, EXACT, cost, TIMES),
    Question(INTERRUPTED + "least latency of one event", EXACT, fenced, FENCED),
    Question(INSTRUCTIONS, EXACT, instructions, "instructions"),
    Question(BYTES, EXACT, header, HEADER),
    Question(NO_ATOMIC, (*RSEQ, no_atomic), cost, TIMES),
    Question(INTERRUPTED + "one event in 500 is", EXACT, injected, TIMES, "nested:2000ppm"),
    Question(INTERRUPTED + "one event in 1,000 after a wrap", EXACT, injected, TIMES,
             "wraps:0.001"),
    Question(MIGRATE, (*RSEQ, says("moves", True)), cost, TIMES),
    Question(SEVERAL, (*EXACT, shared), cost, TIMES),
    Question(CTF, (*EXACT, says("format", "CTF")), cost, TIMES),
    Question(TAKE, (*EXACT, takeable), instructions, "instructions"),
    Question(BACK, (*EXACT, step_proof), cost, TIMES),
    Question(INTERRUPTED + "one ring for CPUs whose clocks differ", (*EXACT, shared_step_proof),
             cost, TIMES),
    Question("the clock is traced, or traces itself: least time", (keeps_everything, ends_traced),
             cost, TIMES),
    Question(WAIT, ALL, header, HEADER),
    Question(HELD_OFF, (keeps_everything, says("nesting", "held off")), header, HEADER),
    Question(NARROW, (keeps_in_bounds, narrow, exact), header, HEADER),
    Question(FIRMWARE, (keeps_in_bounds, narrow, exact, says("format", "CTF")), header, HEADER),
    Question(FTRACE, (keeps_everything, says("format", "ftrace")), cost, TIMES),
    Question("10 events per second: fewest bytes", (keeps_everything,), header_at, RATE, 10),
    Question("1,000 events per second: fewest bytes", (keeps_everything,), header_at, RATE, 1e3),
    Question("1,000,000 events per second: fewest bytes", (keeps_everything,), header_at, RATE,
             1e6),
    Question("idle CPU: no wake-ups", (keeps_everything,), wakeups, "wakeups/s"),
    Question("a counter of 32 bits, and a beat in every wrap", (says("counter_bits", 32),), header,
             HEADER),
)

# ---- the choice ----


def as_good(run, question):
    """Of times nothing is told apart that the same row measured twice is not."""
    return max(AS_GOOD_TIME, run.apart) if question.unit in (TIMES, FENCED) else AS_GOOD_COUNT


def candidates(run, question):
    """The rows that qualify, each with its own values: of the question, and by the cheap clock."""
    return [(row, question.value(run, row, question.argument), cheap_cost(run, row, None))
            for row in run.steady  # what was cut out is its row again
            if row.verdict in HELD and not row.row.startswith("taken_") and all(asked(run, row) for asked in question.asked)]


Answer = namedtuple("Answer", "need parts figure why other", defaults=[None, None])
Other = namedtuple("Other", "row ticks")
Part = namedtuple("Part", "before rows more")


def part(before, chosen):
    return Part(before, [row.row for row, *_ in chosen[:NAMED_MOST]],
                max(0, len(chosen) - NAMED_MOST))


def other(run, question):
    """Where a clock that goes back is asked for: who would be the best without, and how wrong."""
    if step_proof not in question.asked:
        return None
    asked = [one for one in question.asked if one is not step_proof]
    rows = [(value, row.row, clocks.line(run, row.row).any)
            for row, value, _ in candidates(run, question._replace(asked=asked))]
    rows = [one for one in rows if one[2] > 0 and not math.isnan(one[0])]
    return Other(*min(rows)[1:]) if rows else None


def answer(run, question):
    """What the run says of a need; None if it says nothing."""
    its = chosen(run, question)
    return its._replace(other=other(run, question)) if its and not its.why else its


def chosen(run, question):
    """The rows next to the least, best first."""
    rows = candidates(run, question)
    best = least(value for _, value, _ in rows)
    if math.isnan(best):
        # Nothing can stand in a line that the run would else have rows for.
        nothing = keeps_everything in question.asked and not run.storm and run.table
        return Answer(question.need, [], "", "none: no storm was run, so nothing is known to be "
                      "kept under interrupts") if nothing else None
    more = 1 + as_good(run, question)
    by_own = sorted((one for one in rows if one[1] <= best * more), key=lambda one: one[1])
    text = f"{figure(best)} {question.unit}"
    cheap = least(value for *_, value in rows) if question.value is cost else NAN
    if math.isnan(cheap):
        return Answer(question.need, [part("", by_own)], text)
    text += f", {figure(cheap)} with a cheap clock"
    by_both = [one for one in by_own if one[2] <= cheap * more]
    if by_both:
        return Answer(question.need, [part("", by_both)], text)
    by_cheap = sorted((one for one in rows if one[2] <= cheap * more), key=lambda one: one[2])
    return Answer(question.need, [part("by this machine's clock ", by_own),
                                  part("by a cheap one ", by_cheap)], text)


def answers(run):
    return [one for one in (answer(run, question) for question in QUESTIONS) if one]


def needs(run):
    """Of each need: the rows that qualify and what they have, as a reference keeps it."""
    found = []
    for question in QUESTIONS:
        rows = candidates(run, question)
        if not known(value for _, value, _ in rows):
            continue
        need = {"need": question.need, "unit": question.unit,
                "as_good": float(as_good(run, question)),
                "rows": {row.row: float(value) for row, value, _ in rows
                         if not math.isnan(value)}}
        cheap = {row.row: float(value) for row, _, value in rows if not math.isnan(value)}
        if question.value is cost and cheap:
            need["cheap"] = cheap
        found.append(need)
    return found


# ---- what a row is not for ----


def has_need(what):
    return lambda run, scheme: what in listed(scheme, "needs")


def nests(how):
    return lambda run, scheme: scheme.get("nesting") == how


WARNINGS = (
    ("Not for a quiet machine that should sleep, nor where interrupts may be held off for a whole "
     "wrap, because they need a beat: ", has_need("beat")),
    ("Only on x86-64, where threads have rseq (glibc 2.35): ", lambda run, scheme: scheme.get("moves") is True),
    ("Not where writers can be interrupted by writers: ", has_need("masked interrupts")),
    ("Not with a clock that gives the same value twice: ", has_need("strict clock")),
    ("An interrupt's event waits for the record that the interrupt came into, and is stamped when "
     "it is recorded: ", nests("later")),
    ("Interrupts are held off while an event is recorded: ", nests("held off")),
    ("Stamps of nested writers were declared inexact under the storm of this run: ",
     lambda run, scheme: inexact(run, scheme["row"]) > 0),
)


def warnings(run):
    """What some rows are not for, and those rows, each with the price of its beat or None."""
    beats = {one.row: one for one in run.beats if not math.isnan(one.beat_ns)}
    found = []
    for before, holds in WARNINGS:
        rows = [row for row, scheme in run.schemes.items() if holds(run, scheme)]
        if rows:
            found.append((before, [(row, beats.get(row) if before == WARNINGS[0][0] else None)
                                   for row in rows]))
    return found


def architecture(run):
    """Of which architecture all of it is, and which rows this machine has not; None: unknown."""
    context = run.json["context"]
    for key in ("stampede", "kernel", "architecture"):
        context = context.get(key) if isinstance(context, dict) else None
    return context if isinstance(context, str) else None
