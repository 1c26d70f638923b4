# SPDX-License-Identifier: MIT
"""The plots' data with a line per row: what <plot>.dat holds, and what run.gp tells its script.

A function of these two files (and of curves.py) takes a run and returns a Table, or None if the run
has nothing to show. Columns are plain, under a header comment; blocks are two blank lines apart.
"""
import math

from record import HELD, NAN, bits_that_matter, checked, is_number, worst_is_declared
from text import label, row_label

KEPT, NO_PROMISE, NEED_NOT_MET, BROKEN = range(4)  # as the scripts colour them


class Table:
    def __init__(self, *header):
        self.lines = [f"# {line}" for line in header]
        self.variables = []
        self.raw_from = None  # lines from there on are too many for the page

    def line(self, *values):
        """Numbers, and names in quotes; a float that is not known is NaN, as gnuplot reads it."""
        self.lines.append(" ".join(
            f'"{one}"' if isinstance(one, str) else str(one) if isinstance(one, int) else
            number(one) for one in values))

    def block(self):
        self.lines += ["", ""]

    def set(self, name, value):
        if isinstance(value, str):
            value = f"'{value}'"
        elif not isinstance(value, int):
            value = number(value)
        self.variables.append(f"{name} = {value}")

    def array(self, name, values):
        """gnuplot has no array without an element."""
        texts = ", ".join(f"'{one}'" for one in values)
        self.variables.append(f"array {name}[{max(1, len(values))}]" +
                              (f" = [{texts}]" if values else ""))


def number(value):
    return f"{value:.10g}" if math.isfinite(value) else "NaN"


def known(values):
    return [one for one in values if not math.isnan(one)]


def least(values, otherwise=NAN):
    return min(known(values), default=otherwise)


def most(values, otherwise=NAN):
    return max(known(values), default=otherwise)


def or_else(value, otherwise):
    return otherwise if math.isnan(value) else value


def last(value):
    """What is not known is sorted behind all that is."""
    return (math.isnan(value), value)


def median(values):
    values = sorted(values)
    if not values:
        return NAN
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def row_class(verdict):
    return {**dict.fromkeys(HELD, KEPT), "broken": BROKEN,
            "need not met": NEED_NOT_MET}.get(verdict, NO_PROMISE)


def captions(run):
    """The machine and the run, which stand below every plot."""
    machine = run.machine
    parts = [label(machine.cpu, 71)] if machine.cpu else []
    if math.isfinite(machine.cpus):
        parts.append(f"{machine.cpus:.0f} CPUs")
    if machine.hypervisor and machine.hypervisor != "none":
        parts.append("under " + label(machine.hypervisor, 71))
    if machine.tsc_hz > 0:
        parts.append(f"clock {machine.tsc_hz / 1e9:.3f} GHz")
    texts = (("run ", run.name), ("Linux ", machine.kernel), ("", machine.compiler))
    table = Table()
    table.set("caption_machine", ", ".join(parts))
    table.set("caption_run", ", ".join(before + label(text, 71) for before, text in texts if text))
    table.set("tsc_hz", machine.tsc_hz)
    return table


def columns(section, *fields):
    """Data of a plot that needs no more than fields of one section, a line for each element.

    Its script is told how many lines there are, as <section>_lines. A text is a name in quotes;
    what is neither text nor number is NaN.
    """
    def make(run):
        table = Table(f"{section}: " + ", ".join(
            f"{at} {field}" for at, field in enumerate(fields, 1)))
        elements = run.elements(section, fields)
        for one in elements:
            table.line(*(label(value or "") if isinstance(value, (str, type(None))) else
                         float(value) if is_number(value) else NAN
                         for value in (getattr(one, field) for field in fields)))
        table.set(f"{section}_lines", len(elements))
        return table if elements else None
    make.section = section
    return make


# ---- cost ----


def cost_of(row, unit):
    """Median and quartiles; a time is worth nothing beside a stamp that is wrong."""
    if row.verdict == "broken":
        return NAN, NAN, NAN
    middle, *ends = (getattr(row, unit + end) for end in ("", "_low", "_high"))
    return middle, *(or_else(end, middle) for end in ends)


def cost_order(run):
    """The steady cells, cheapest first, those without a figure last; and the unit of their cost."""
    rows = run.steady
    unit = "cycles" if any(not math.isnan(row.cycles) for row in rows) else "ns"
    # The ratio is taken round by round, so the machine's moods drop out of it.
    key = unit if any(math.isnan(row.ratio) for row in rows) else "ratio"
    return sorted(rows, key=lambda row: last(cost_of(row, key)[0])), unit


def add_repetitions(run, table, rows, unit):
    """All of them, so that a median does not hide what it comes from."""
    per = "cycles" if unit == "cycles" else "ticks"
    floors, cells = {}, {}
    for one in run.benchmarks:
        cells.setdefault(one.name, []).append(one)
        if one.name == "floor/steady":
            floors.setdefault(one.repetition_index, getattr(one, per))
    table.raw_from = len(table.lines)
    table.block()
    table.lines.append(f"# every repetition: 1 position, 2 {unit} per event, 3 ratio to floor")
    table.line(0, NAN, NAN)  # gnuplot refuses an empty block
    for position, row in enumerate(rows, 1):
        if math.isnan(cost_of(row, unit)[0]):
            continue
        for one in cells.get(f"{row.row}/steady", []):
            floor = floors.get(one.repetition_index, NAN)
            if getattr(one, unit) > 0:
                table.line(position, float(getattr(one, unit)),
                           getattr(one, per) / floor if floor > 0 else NAN)


def cost_variables(run, table, rows, unit):
    medians = [(row.row, cost_of(row, unit)) for row in rows]
    # The lowest one; a record of schema 2 and before has only that of the other name.
    floor = "floor_published" if run.cell("floor_published", "steady") else "floor"
    basis = next((row.ratio_basis for row in rows if row.ratio_basis), None)
    ratios = [row for row in rows if row.ratio > 0]
    table.set("cost_rows", len(rows))
    table.set("cost_unit", unit)
    table.set("cost_ratios", int(any(not math.isnan(row.ratio) for row in rows)))
    table.set("cost_basis", "clock ticks" if basis == "ticks" else "cycles")
    table.set("cost_floor", next((cost[0] for row, cost in medians if row == floor), NAN))
    table.set("cost_untimed", next((cost[0] for row, cost in medians if row == "untimed"), NAN))
    table.set("cost_least", least(low if low > 0 else middle for _, (middle, low, _) in medians))
    table.set("cost_most", most(high if high > 0 else middle for _, (middle, _, high) in medians))
    # Where the axis of ratios begins and ends; what lies beyond gets an arrow.
    low = [max(0.6, least((row.ratio_low, row.ratio))) for row in ratios if row.ratio > 0.7]
    high = [min(1.6, most((row.ratio_high, row.ratio))) for row in ratios if row.ratio < 1.6]
    table.set("cost_ratio_least", min([0.9, *low]) - 0.02)
    table.set("cost_ratio_end", max([1.2, *high]) + 0.02)
    table.set("cost_repetitions", float(most(row.repetitions for row in rows)))


def cost(run):
    rows, unit = cost_order(run)
    table = Table("cost of an event, workload steady: 1 position, 2 row, 3 median, 4 and 5 "
                  f"quartiles [{unit}], 6 median [ns],", "7 ratio to floor, 8 and 9 quartiles, "
                  "10 class (0 kept, 1 no promise, 2 need not met, 3 broken)")
    for position, row in enumerate(rows, 1):
        table.line(position, label(row.row), *map(float, cost_of(row, unit)),
                   float(cost_of(row, "ns")[0]), *map(float, cost_of(row, "ratio")),
                   row_class(row.verdict))
    add_repetitions(run, table, rows, unit)
    cost_variables(run, table, rows, unit)
    return table if any(cost_of(row, unit)[0] > 0 for row in rows) else None


# ---- space ----


def space(run):
    rows = sorted(run.steady, key=lambda row: (last(row.instructions), last(row.bytes)))
    table = Table("per event, workload steady: 1 position, 2 row, 3 instructions, 4 bytes, of "
                  "which 5 header, 6 alignment,", "7 sub-buffer, 8 payload, 9 not told apart; "
                  "10 class (0 kept, 1 no promise, 2 need not met, 3 broken)")
    rests, sizes = [0], []
    for position, row in enumerate(rows, 1):
        parts = [or_else(getattr(row, part), 0) for part in
                 ("header_bytes", "alignment_bytes", "subbuf_bytes", "payload_bytes")]
        rests.append(or_else(row.bytes, 0) - sum(parts))
        sizes += [row.bytes, sum(parts)]
        table.line(position, label(row.row), float(row.instructions), float(row.bytes),
                   *map(float, parts), float(max(0, rests[-1])), row_class(row.verdict))
    counts = known(row.instructions for row in rows)
    # One row that calls the system must not press all others flat: its bar is cut, and says so.
    end = min(max(counts), 4 * counts[len(counts) // 2]) if counts else NAN
    table.set("space_rows", len(rows))
    table.set("space_instructions", float(end))
    table.set("space_bytes", float(most(sizes)))
    table.set("space_unknown", int(max(rests) > 0.01))  # a rounding error is none
    return table if counts or known(row.bytes for row in rows) else None


# ---- storm ----


def typical_ticks(storm):
    """What half of the events stay at or below: a bit length of b means at most 2^b - 1 ticks."""
    return NAN if math.isnan(storm.typical_error_log2) else \
        math.ldexp(1, int(min(storm.typical_error_log2, 64))) - 1


def storm_class(storm):
    """Did the row keep what it says of single stamps? Rows that say nothing are shown as such."""
    overall = row_class(storm.verdict)
    exact = storm.promises.exact
    return overall if overall == BROKEN or exact is None else row_class(exact)


def storm(run):
    def exact_first(one):
        return (last(0 if worst_is_declared(one) else one.worst_error_ticks),
                last(one.worst_error_ticks))

    rows = sorted(filter(checked, run.storm), key=exact_first)
    table = Table("error of a stamp under storm: 1 position, 2 row, 3 typical: half of the events "
                  "stay at or below [ticks],", "4 worst [ticks] of the stamps not declared "
                  "inexact, 5 share that is, 6 worst [ticks] of those,", "7 events checked, 8 "
                  "signals inside the reserve, 9 class (0 kept, 1 not promised, 2 need not met,",
                  "3 broken), 10 the greater of 4 and 6")
    widths = [bits_that_matter(run.storm, one) for one in rows]
    for position, (one, bits) in enumerate(zip(rows, widths), 1):
        declared = worst_is_declared(one)
        table.line(position, row_label(one.row, bits), typical_ticks(one),
                   float(0 if declared else one.worst_error_ticks),
                   one.inexact / one.events if one.events > 0 else NAN,
                   float(one.worst_error_ticks if declared else NAN), float(one.events),
                   float(one.hits), storm_class(one), float(or_else(one.worst_error_ticks, 0)))
    errors = [one.worst_error_ticks for one in rows]
    table.set("storm_rows", len(rows))
    table.set("storm_inexact_known", sum(map(worst_is_declared, rows)))
    table.set("storm_bits", int(bool(known(widths))))
    table.set("storm_most", float(most(errors)))
    return table if known(errors) else None


# ---- threads, replay, idle ----


def replay(run):
    """Rows by bytes, those with the fewest first; a column for each file of gaps."""
    cells, sums = {}, {}
    for one in run.replay:
        cells.setdefault((one.row, one.gaps), one)
        sums[one.row] = sums.get(one.row, 0) + (one.bytes if one.bytes > 0 else 0)
    rows = sorted(sums, key=lambda row: (sums[row], row))
    gaps = list(dict.fromkeys(one.gaps for one in run.replay))
    table = Table("bytes of an event: 1 position, 2 row, 3 column, 4 bytes, 5 a promise was "
                  "broken, 6 gaps")
    shown = []
    for position, row in enumerate(rows, 1):
        for column, name in enumerate(gaps, 1):
            cell = cells.get((row, name))
            shown.append(cell.bytes if cell else NAN)
            table.line(position, label(row), column, float(shown[-1]),
                       int(bool(cell) and cell.verdict == "broken"), label(name))
    table.set("replay_rows", len(rows))
    table.set("replay_files", len(gaps))
    table.set("replay_low", float(least(shown)))
    table.set("replay_high", float(most(shown)))
    table.array("replay_gaps", [label(name) for name in gaps])
    return table if known(shown) else None
