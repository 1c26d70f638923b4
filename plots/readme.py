# SPDX-License-Identifier: MIT
"""usage: readme.py RUN README

Writes the figures of a run into the blocks of README and of docs/*.md beside it, each between <!-- name --> and
<!-- /name -->: matrix (of a full run), guide, table, eight rows; clocks, what the guide says of clocks that misbehave;
tracers, by the rows that price them; and choice from results/reference/, whatever RUN is. A block whose section the
run does not have stays as it is, with a line on stderr. RUN may be -: only choice is written then."""
import glob
import os
import re
import sys

import answer
import machines
import products
import record
import screen
from files import HARNESS, Failed, complain, need_jinja2, put, run
from text import figure, wrapped

RATES = [1, 100, 10000]
GAPS = ["syscalls_busy", "sched_only_calm"]
ROWS = """full_tsc zero_delta heartbeat heartbeat_compact delta_sync_soft three_read extended_header
    extended_header_msb32 nested_stamps packed_word restartable joint_delta layout_5_27_cut5_beat
    layout_5_27_cut5_ext layout_13_19_cut9_beat layout_13_19_cut9_ext layout_64_ext""".split()


def said(run):
    """Which run this is, in words."""
    return (f"`{run.command}` of {(run.machine.date or '')[:10]}, {run.machine.cpus:.0f} CPU{'s' * (run.machine.cpus != 1)}, "
            f"{run.machine.cpu}")


def table_of(titles, rows, text=(0,)):
    """`text` is which columns have words."""
    return ["| " + " | ".join(titles) + " |",
            "|" + "".join("---|" if i in text else "--:|" for i in range(len(titles))),
            *("| " + " | ".join(row) + " |" for row in rows)]


def matrix(run):
    """Bytes by row, at recorded gaps and at even rates; what became of promises."""
    sizes = {(one.row, one.gaps): one.bytes for one in run.replay}
    sizes |= {(one.row, one.events_per_second):
              one.header_bytes_per_second / one.events_per_second for one in run.bytes_by_rate}
    rows = [[f"`{row}`", *(f"{size:,.{0 if size >= 1000 else 1}f}" for size in (sizes[row, column] for column in GAPS + RATES))]
            for row in ROWS if all((row, column) in sizes for column in GAPS + RATES)]
    if not rows:
        return None
    checked = [one for one in run.stress if one.verdict]
    broken = sum(one.verdict == "broken" for one in [*checked, *run.replay])
    cells = {one.workload.split(":")[0] for one in checked}
    cells |= {one.name.split("/", 1)[-1].split(":")[0] for one in run.benchmarks}
    cells |= {name for name in ("late_beat", "replay") if getattr(run, name)}
    text = (f"The run is {said(run)}. {len({one.row for one in checked})} rows, {len(cells)} "
            f"workloads, all oracles: {f'{broken} cells' if broken else 'no promise was'} broken.")
    titles = ["row", *(f"`{gaps}`" for gaps in GAPS), *(f"{rate:,} per second" for rate in RATES)]
    return [*wrapped("Bytes per event at recorded gaps, with 8 bytes of payload and beats included, "
                     "and header bytes per event at constant rates:"), "", *table_of(titles, rows), "",
            *wrapped(text)]


def guide(run):
    need_jinja2()
    import page
    return of_template(page.guide_block(run))


def clocks(run, lines):
    """The guide's lines about clocks that misbehave, and how far apart rows have to be to be told."""
    lines = lines or []
    at = next((i for i, line in enumerate(lines) if line.startswith("| you want")), 0)
    about = [line for line in lines[at + 2:] if line.startswith("|") and "clock" in line.split("|")[1]]
    if not about:
        return None
    return [*lines[at:at + 2], *about, "", *lines[:at], *wrapped(f"{said(run)}.")]


def choice(root):
    need_jinja2()
    import page
    found = machines.load(os.path.join(root, "results", "reference"))
    return of_template(page.answer_block(found)) if found else None


def of_template(text):
    """Its lines, as a document has them; None if its table is empty."""
    return [line for one in text.strip().split("\n")
            for line in ([one] if one.startswith("|") or not one else wrapped(one))] \
        if "\n| " in text.split("|---", 1)[-1] else None


def table(run):
    """The eight rows of the screen, and what the clock leaves of their times."""
    best = answer.answer([answer.of_run(run)], str)
    rows = [[f"`{row.row}`", *screen.cells(run, row)] for row in screen.shown(run, best)]
    noise = (f"{screen.closer(run).capitalize()}{screen.frequency(run)}; rows of one rank are closer."
             if run.apart else "")
    return rows and ["", *table_of(screen.TITLES, rows, (0, 1, 2)), "",
                     *wrapped(" ".join(filter(None, [
                         answer.cold_sentence(run, best.row, "`{}`".format) if best else "",
                         answer.clock_sentence(run), noise, f"{said(run)}."])))]


MISSING = {"monotonic": "order of times", "exact": "exact times", "window": "times within the event",
           "wrap_proof": "long gaps", "bounded": "an end", record.STEP_PROOF: "a clock that goes back"}


def tracers(run):
    """By name: the row, what it costs as counted, and what it does not promise."""
    rows = []
    for one in products.lines(run):
        cell, scheme = run.cell(one.row, "steady"), run.schemes[one.row]
        if not cell:  # a variant: only a full run has those
            continue
        missing = [words for key, words in MISSING.items() if key not in scheme["promises"]]
        needs = scheme.get("needs") or []
        rows.append([one.product, f"`{one.row}`", figure(cell.header_id_bytes),
                     f"{cell.instructions:.1f}", ", ".join(missing) or "nothing",
                     ", ".join(need.replace("_", " ") for need in needs) or "nothing", one.wraps, one.words])
    titles = ["tracer", "row", "header", "instr", "does not keep", "needs", "wraps after", "the row leaves out, "
              "or does differently"]
    return rows and ["", *table_of(titles, rows, (0, 1, 4, 5, 6, 7))]


# ---- blocks ----


def put_block(paths, name, lines):
    """Into each of the files that has a block of that name; one of them has to."""
    if not lines:
        complain(f"readme.py: nothing in the run for {name}: left as it is")
        return
    pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- /{name} -->", re.S)
    block = "\n".join([f"<!-- {name} -->", *lines, f"<!-- /{name} -->"])
    found = False
    for path in paths:
        with open(path, encoding="utf-8") as file:
            before = file.read()
        if pattern.search(before):
            found = True
            put(path, pattern.sub(lambda _: block, before))
    if not found:
        raise Failed(HARNESS, f"readme.py: no block {name} in {' '.join(paths)}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, readme = sys.argv[1:]
    root = os.path.dirname(readme) or "."
    paths = [readme, *sorted(glob.glob(os.path.join(root, "docs", "*.md")))]
    makers = {"choice": lambda: choice(root)}
    if path != "-":
        run = record.load(path)
        note = ["", *wrapped(f"{said(run)}: machine, spread and scripts are in the run's "
                             "directory.")]
        chosen = guide(run)
        makers |= {"table": lambda: table(run),
                   "guide": lambda: chosen and chosen + note,
                   "matrix": lambda: matrix(run),
                   "clocks": lambda: clocks(run, chosen),
                   "tracers": lambda: (its := tracers(run)) and its + note}
    for name, maker in makers.items():
        put_block(paths, name, maker())


if __name__ == "__main__":
    run(main)
