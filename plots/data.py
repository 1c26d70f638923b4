# SPDX-License-Identifier: MIT
"""The plots' data with a line per row: what <plot>.dat holds, and what run.gp tells its script.

A function of these two files (and of curves.py) takes a run and returns a Table, or None if the run
has nothing to show. Columns are plain, under a header comment; blocks are two blank lines apart.
"""
import math

from record import HELD, NAN, bits_that_matter, checked, is_number, worst_is_declared
from text import label, row_label

KEPT, NO_PROMISE, NEED_NOT_MET, BROKEN, NOT_HIT = range(5)  # as the scripts colour them


class Table:
    def __init__(self, *header):
        self.lines = [f"# {line}" for line in header]
        self.variables = []

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


def row_class(verdict):
    return {**dict.fromkeys(HELD, KEPT), "broken": BROKEN,
            "need not met": NEED_NOT_MET}.get(verdict, NO_PROMISE)


def captions(run):
    """The machine and the run, which stand below every plot."""
    machine = run.machine
    parts = [label(machine.cpu, 71)] if machine.cpu else []
    if math.isfinite(machine.cpus):
        parts.append(f"{machine.cpus:.0f} CPU{'s' * (machine.cpus != 1)}")
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
    return make


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
    table.set("space_alignment", int(any(row.alignment_bytes > 0 for row in rows)))
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


def merged(storms):
    """A row that is exact at all of its widths is one line, as are storms of one width; the storms
    of a line are a list, the worst first."""
    lines = {}
    for one in storms:
        same = None if one.worst_error_ticks == 0 else str(one.bits)
        lines.setdefault((one.row, same, storm_class(one)), []).append(one)
    return [sorted(ones, key=lambda one: -or_else(one.worst_error_ticks, -1))
            for ones in lines.values()]


def storm(run):
    def exact_first(ones):
        one = ones[0]
        return (last(0 if worst_is_declared(one) else one.worst_error_ticks),
                last(one.worst_error_ticks))

    rows = sorted(merged(filter(checked, run.storm)), key=exact_first)
    table = Table("error of a stamp under storm: 1 position, 2 row, 3 typical: half of the events "
                  "stay at or below [ticks],", "4 worst [ticks] of the stamps not declared "
                  "inexact, 5 share that is, 6 worst [ticks] of those,", "7 events checked, 8 "
                  "signals inside the reserve, 9 class (0 kept, 1 not promised, 2 need not met,",
                  "3 broken, 4 not hit), 10 the greater of 4 and 6")
    widths = [bits_that_matter(run.storm, ones[0]) if len({one.bits for one in ones}) == 1 else NAN
              for ones in rows]
    for position, (ones, bits) in enumerate(zip(rows, widths), 1):
        one = ones[0]
        declared = worst_is_declared(one)
        events, hits = (float(sum(getattr(its, key) for its in ones)) for key in ("events", "hits"))
        table.line(position, row_label(one.row, bits), typical_ticks(one),
                   float(0 if declared else one.worst_error_ticks),
                   sum(its.inexact for its in ones) / events if events > 0 else NAN,
                   float(one.worst_error_ticks if declared else NAN), events, hits,
                   NOT_HIT if hits == 0 and storm_class(one) == KEPT else storm_class(one), float(or_else(one.worst_error_ticks, 0)))
    errors = [one.worst_error_ticks for ones in rows for one in ones]
    table.set("storm_rows", len(rows))
    table.set("storm_inexact_known", sum(worst_is_declared(ones[0]) for ones in rows))
    table.set("storm_bits", int(bool(known(widths))))
    table.set("storm_most", float(most(errors)))
    return table if known(errors) else None


# ---- replay ----


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
