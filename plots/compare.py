# SPDX-License-Identifier: MIT
"""build/compare: did a change help? Two runs, two rows of one run, or several runs side by side.

Time is the ratio to the lowest floor in the same slot. It has changed if the rank test says p < P and it moved by
more than LEAST; it has not if the 95 % interval of the move lies within LEAST; else it is too noisy to say, and so
is any move by less than either run tells apart (noise.apart in results/SCHEMA.md). Exact figures have changed if
they differ at all; instructions by STEPS, since stepping over a sub-buffer's end does not always meet it alike.
"""
import functools
import getopt
import json
import math
import os
import sys
from collections import Counter
from statistics import median

import files
import record
from files import BROKEN, FINE, HARNESS, Failed, complain
from record import NAN, is_number

P, LEAST, STEPS = 0.01, 0.01, 0.05
SAME = 1e-9  # two prints of the same double, and nothing else
EXACT = 64  # values in each sample up to which the rank test is exact
TAIL, TAIL_NORMAL = 0.025, 1.959963984540054
UNSHARED_LEAST = 5  # slots; below, those on shared cores have to count (results/samples.h)
RUNS_MOST, FEW = 16, 4
NO_CHANGE, NOISY, IMPROVED, REGRESSED = WORDS = ("no change", "too noisy", "improved", "regressed")
COLOURS = {IMPROVED: "32", REGRESSED: "1;31", NOISY: "33"}
# Less is better in all of them.
GATES = ("instructions", "clock_reads", "atomics", "extended", "header_bytes", "wrapping_clock_reads",
         "wrapping_atomics", "wrapping_extended", "wrapping_header_bytes")
MACHINE = ("cpu.model", "cpu.microcode", "cpu.online", "cpu.governor", "cpu.turbo", "cpu.smt", "tsc.hz",
           "hypervisor.name", "kernel.release", "build.compiler", "build.flags", "libraries.benchmark")
USAGE = f"""\
usage: compare [options] A B          two runs
       compare [options] --in RUN A B two rows of one run
       compare [options] --matrix RUN...
A run is a directory, a bench.json, a rows.jsonl, or a name inside results/ such as latest.
  --in RUN               A and B are rows of this run
  --matrix               print several runs, such as several machines', side by side
  --all                  print cells without a change, too
  --rank PERCENT         exit with 7 if a time may have moved by PERCENT unseen
  --json FILE            write the comparison as JSON (- is standard output)
  --results DIR          look in DIR for runs named without a '/' (default results)
  --version              print the commit of the build
  --help                 print this text
Time is the ratio to the floor in the same slot. A time has regressed or improved if the
rank test gives p < {P} and it moved by more than 1 %; an exact figure (instructions, clock
reads, atomics, extended records, header bytes, verdict) if it differs at all. Too noisy: the
95 % interval leaves room for a move of 1 % that the test cannot confirm.
exit: 0 nothing regressed, 1 usage or a bad file, 2 something regressed, 3 no permission to read,
      7 --rank PERCENT was asked for, and not reached; noise alone is no error
examples:
  compare 20260101T120000Z-amd-epyc-2cpu latest
  compare --in latest extended_header packed_word
  compare --matrix results/*Z-*
"""

# ---- statistics, as base/stats.h has them ----


@functools.lru_cache(maxsize=None)
def ways(n, m):
    """How many orders of n and m values have each U, from 0 to n m: a Gaussian binomial."""
    its = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            its[u] -= its[u - m - i]
        for u in range(i, n * m + 1):
            its[u] += its[u - i]
    return its


def rank_test(a, b):
    """Two-sided p of Wilcoxon, Mann and Whitney: exact without ties, else by the normal approximation."""
    if not a or not b:
        return 1
    n, m, order = len(a), len(b), sorted(a + b)
    seen = Counter(order)
    # The mean of the ranks of equal values.
    rank = {}
    for at, value in enumerate(order, 1):
        rank.setdefault(value, at + (seen[value] - 1) / 2)
    u = sum(rank[value] for value in a) - n * (n + 1) / 2
    ties = sum(count ** 3 - count for count in seen.values())
    if not ties and max(n, m) <= EXACT:
        its = ways(n, m)
        return min(1, 2 * sum(its[:int(min(u, n * m - u)) + 1]) / sum(its))
    spread = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    far = max(0, abs(u - n * m / 2) - 0.5)
    return min(1, math.erfc(far / spread / math.sqrt(2))) if spread > 0 else 1


@functools.lru_cache(maxsize=None)
def shift_rank(n, m):
    """How many of the sorted differences are outside Moses' interval, on each side."""
    if max(n, m) > EXACT:
        return max(0, math.floor(n * m / 2 - TAIL_NORMAL * math.sqrt(n * m * (n + m + 1) / 12)))
    its, below = ways(n, m), 0
    for k, count in enumerate(its):
        below += count
        if below > TAIL * sum(its):
            return k
    return 0


def shift(a, b):
    """By how much b is more than a (Hodges and Lehmann), and the interval."""
    its = sorted(y - x for x in a for y in b)
    k = shift_rank(len(a), len(b))
    return (median(its), its[k - 1], its[-k]) if k else (median(its), NAN, NAN)


def median_interval(values):
    """By order statistics: 41 values give the 14th and the 28th; below 6 no interval exists."""
    below, k, n = 0, 0, len(values)
    while n >= 6 and below + math.comb(n, k) <= TAIL * 2 ** n:
        below += math.comb(n, k)
        k += 1
    its = sorted(values)
    return (median(its), its[k - 1], its[-k]) if k else (median(its), NAN, NAN)


# ---- a run's cells ----


def text(value):
    return value if isinstance(value, str) else ""


def listed(run, key):
    found = run.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def key_of(one):
    return text(one.get("row")), text(one.get("workload"))


def name_of(key):
    return "%s/%s" % key


def cells_of(run):
    """By row and workload, from the slots (a killed run has no table): the verdict, and ratios of unshared cores."""
    verdicts, slots = {}, {}
    for one in listed(run, "table"):
        verdicts.setdefault(text(one.get("row")), text(one.get("verdict")))
    for one in run["benchmarks"]:
        if key_of(one)[0] not in ("", "loop"):  # the harness around nothing
            slots.setdefault(key_of(one), []).append(one)
    table = [key_of(one) for one in listed(run, "table") if key_of(one) in slots]
    # Rounds are shuffled: the table has the rows in their order.
    keys = dict.fromkeys(table + sorted((key for key in slots if key not in table), key=lambda key: key[1]))
    cells = {}
    for key in keys:
        own = [one for one in slots[key] if not (is_number(one.get("shared")) and one["shared"] > 0)]
        its = own if len(own) >= UNSHARED_LEAST else slots[key]
        cells[key] = (verdicts.get(key[0], ""), [one["ratio"] for one in its if is_number(one.get("ratio"))])
    return cells


# ---- two of them ----


def or_none(value):
    return value if math.isfinite(value) else None


def compare_time(a, b, quick, apart):
    """{"word", "change", ...}, or None if there is no time on both sides."""
    left, right = (sorted(math.log(ratio) for ratio in its if ratio > 0) for its in (a, b))
    if not left or not right:
        return None
    # Logarithms, so that the shift is a factor whichever side is the base.
    change, low, high = (math.expm1(its) for its in shift(left, right))
    p, why = rank_test(left, right), None
    if left == right or (low >= -LEAST and high <= LEAST and not (p < P and abs(change) > LEAST)):
        word = NO_CHANGE
    elif quick or abs(change) <= apart:
        word, why = NOISY, "one run is quick" if quick else "within what the runs do not tell apart"
    elif p < P and abs(change) > LEAST:
        word = IMPROVED if change < 0 else REGRESSED
    else:
        word, why = NOISY, "the interval leaves room for a move"
    return {"word": word, "why": why, "change": or_none(change), "low": or_none(low), "high": or_none(high), "p": p,
            "a": math.exp(median(left)), "b": math.exp(median(right)), "repetitions_a": len(left),
            "repetitions_b": len(right)}


def compare_exact(a, b, verdict_a, verdict_b):
    """The gates that differ. What one machine cannot count is no change."""
    found = []
    for gate in GATES:
        x, y = a.get(gate), b.get(gate)
        if is_number(x) and is_number(y) and \
                abs(x - y) > (STEPS if gate == "instructions" else SAME * max(abs(x), abs(y))):
            found.append({"what": gate, "a": x, "b": y, "word": IMPROVED if y < x else REGRESSED})
    # Whether a need could be met is the machine's word, not the scheme's.
    if verdict_a and verdict_b and (verdict_a == "broken") != (verdict_b == "broken"):
        found.append({"what": "verdict", "a": verdict_a, "b": verdict_b,
                      "word": REGRESSED if verdict_b == "broken" else IMPROVED})
    return found


def is_quick(run):
    return " QUICK=1" in text(run.get("command"))


def apart_of(run):
    noise = run.get("noise")
    apart = noise.get("apart") if isinstance(noise, dict) else None
    return apart if is_number(apart) else 0


def compare(a, b, rows=None):
    """Two runs; with `rows`, of which the first is of `a` and the second of `b`, these alone."""
    left, right = cells_of(a), cells_of(b)
    quick, apart = is_quick(a) != is_quick(b), max(apart_of(a), apart_of(b))
    exact = [{text(one.get("row")): one for one in reversed(listed(run, "exact"))} for run in (a, b)]
    cells = []
    for (row, workload), (verdict, ratios) in left.items():
        other = rows[1] if rows else row
        if (rows and row != rows[0]) or (other, workload) not in right:
            continue
        its = right[other, workload]
        time = compare_time(ratios, its[1], quick, apart)
        gates = compare_exact(exact[0].get(row, {}), exact[1].get(other, {}), verdict, its[0])
        words = [one["word"] for one in gates] + [time["word"] if time else NO_CHANGE]
        name = name_of((row if row == other else f"{row} -> {other}", workload))
        cells.append({"name": name, "row": other, "workload": workload, "word": max(words, key=WORDS.index),
                      "time": time, "exact": gates})
    only = [[] if rows else [name_of(key) for key in one if key not in another]
            for one, another in ((left, right), (right, left))]
    return {"cells": cells, "counts": {word: sum(one["word"] == word for one in cells) for word in WORDS},
            "quick": "" if not quick else "A" if is_quick(a) else "B", "only_a": only[0], "only_b": only[1]}


def machines(a, b):
    """What differs between the machines and builds of two runs."""
    def deep(run, path):
        its = run["context"].get("stampede")
        for part in path.split("."):
            its = its.get(part) if isinstance(its, dict) else None
        return its

    def same(x, y):
        # A measured rate differs in its last digits on one and the same machine.
        return abs(x / y - 1) < 1e-3 if isinstance(x, float) and isinstance(y, float) else x == y
    return [{"what": path, "a": deep(a, path), "b": deep(b, path)} for path in MACHINE
            if not same(deep(a, path), deep(b, path))]


def matrix(runs):
    """The ratios of each cell in the order of the runs."""
    its = [cells_of(run) for run in runs]
    cells = []
    for row, workload in dict.fromkeys(key for one in its for key in one):
        values = []
        for one in its:
            ratios = one.get((row, workload), ("", []))[1]
            middle, low, high = median_interval(ratios) if ratios else (NAN, NAN, NAN)
            values.append({"ratio": middle, "low": or_none(low), "high": or_none(high)} if ratios else None)
        cells.append({"name": name_of((row, workload)), "row": row, "workload": workload, "values": values})
    return {"cells": cells}


# ---- what is printed ----


def scalar(value):
    return {True: "yes", False: "no", None: "unknown"}[value] if value is None or isinstance(value, bool) else \
        f"{value:.6g}" if isinstance(value, float) else str(value)


def said_of(letter, path, run):
    context = run["context"]
    its = context.get("stampede") or {}
    git, cpu, build = (its.get(key) or {} for key in ("git", "cpu", "build"))
    dirty = " with changes" if git.get("dirty") is True else ""
    return [f"{letter}  {path}", f"   {context.get('date') or 'unknown'}, {git.get('revision') or 'unknown'}{dirty}, "
            f"{cpu.get('model') or 'unknown'}, {build.get('compiler') or 'unknown'}"]


def time_columns(time):
    def percent(value):
        return f"{100 * value:+7.1f}%" if value is not None else f"{'n/a':>8}"
    if not time:
        return f" {'-':>8} {'':>8} {'':>8} {'':>9}"
    return f" {percent(time['change'])} {percent(time['low'])} {percent(time['high'])} {time['p']:>9.2g}"


def only_lines(names, side):
    """A line for each workload; the cells by name if they are few."""
    by = {}
    for name in names:
        by.setdefault(name.rpartition("/")[2], []).append(name)
    return [f"only in {side}: {what}" for workload, its in by.items()
            for what in (its if len(its) <= FEW else [f"{len(its)} cells of {workload}"])]


def cell_lines(cell, colour):
    word = cell["word"]
    if colour and word in COLOURS:
        word = f"\033[{COLOURS[word]}m{word}\033[0m"
    why = f": {cell['time']['why']}" if cell["word"] == NOISY else ""
    return [f"{cell['name']:44.44}{time_columns(cell['time'])}  {word}{why}"] + [
        f"    {one['what']}: {scalar(one['a'])} -> {scalar(one['b'])}, {one['word']}" for one in cell["exact"]]


def lines(its, everything, colour):
    quick = [f"warning: {its['quick']} is a quick run, of too few rounds to rank by time: no time is said to",
             "have changed; exact figures and verdicts are compared"] if its["quick"] else []
    shown = [one for one in its["cells"] if everything or one["word"] != NO_CHANGE]
    hidden = len(its["cells"]) - len(shown)
    counts = its["counts"]
    return [*quick, f"{'cell':44} {'time':>8} {'95 %':>8} {'':>8} {'p':>9}",
            *(line for one in shown for line in cell_lines(one, colour)),
            *([f"and {hidden} cells without a change (--all shows them)"] if hidden else []),
            *only_lines(its["only_a"], "A"), *only_lines(its["only_b"], "B"), "",
            ", ".join(f"{word} {counts[word]}" for word in (REGRESSED, IMPROVED, NO_CHANGE, NOISY)),
            f"time: ratio to the floor in the same slot; changed if p < {P:.2g} and more than {100 * LEAST:.0f} %"]


def machine_lines(differences):
    return [f"warning: {one['what']} differs: {scalar(one['a'])}, {scalar(one['b'])}" for one in differences] + \
        ["warning: these are different machines or builds; what changed may be they"] * bool(differences)


def matrix_lines(its, names):
    def value(one):
        if not one:
            return f" {'-':>16}"
        if one["low"] is None:
            return f" {one['ratio']:8.4f} {'?':>7}"
        half = max(one["high"] - one["ratio"], one["ratio"] - one["low"]) / one["ratio"]
        return f" {one['ratio']:8.4f}+-{100 * half:5.2f}%"
    said, workload = [f"{at}  {name}" for at, name in enumerate(names, 1)], ""
    for cell in its["cells"]:
        if cell["workload"] != workload:
            workload = cell["workload"]
            said += ["", f"{workload:30.30}" + "".join(f" {'':8}{at}{'':7}" for at in range(1, len(names) + 1))]
        said.append(f"{cell['row']:30.30}" + "".join(map(value, cell["values"])))
    return [*said, "", "ratio to the floor in the same slot, and half of its 95 % interval"]


# ---- the program ----


def load(path, asked):
    path, run, complete = record.document(path, asked["--results"] or "results")
    if not complete:
        complain(f"warning: {path} comes from a run that never finished")
    return path, run


def tell(asked, said, its):
    """The text, or JSON where that was asked for."""
    if not asked["--json"]:
        print("\n".join(said))
    elif asked["--json"] == "-":
        print(json.dumps(its, indent=2))
    else:
        files.put(asked["--json"], json.dumps(its, indent=2) + "\n")


def exit_code(its, rank):
    if its["counts"][REGRESSED]:
        return BROKEN
    moves = [50 * (one["time"]["high"] - one["time"]["low"]) if one["time"]["low"] is not None else math.inf
             for one in its["cells"] if one["time"]]
    widest = max(moves, default=0)
    if not rank or widest <= rank:
        return FINE
    complain(f"--rank {rank:g}: a move of {widest:.2g} % could be missed; run more rounds")
    return files.NOISY


def two(asked, words):
    rows = words if asked["--in"] else None
    runs = [load(path, asked) for path in ([asked["--in"]] if rows else words)]
    for row in rows or ():
        if not any(key_of(one)[0] == row for one in runs[0][1]["benchmarks"]):
            raise Failed(HARNESS, f"{runs[0][0]} has no row '{row}'; bench --list shows all rows")
    a, b = runs[0][1], runs[-1][1]
    its = compare(a, b, rows)
    if not its["cells"]:
        raise Failed(HARNESS, "the runs have no cell in common; run both with the same rows and workloads")
    its["machines"] = machines(a, b)
    head = [line for letter, (path, run) in zip(["in"] if rows else "AB", runs) for line in said_of(letter, path, run)]
    tell(asked, head + machine_lines(its["machines"]) + lines(its, asked["--all"] or rows, files.has_colour()), its)
    return exit_code(its, asked["--rank"])


def several(asked, paths):
    runs = []
    for path in paths:
        # Others leave directories in results/ too, such as make verdicts.
        if os.path.isdir(path) and not os.path.exists(os.path.join(path, "bench.json")):
            complain(f"{path} is no bench run: left out")
        else:
            runs.append(load(path, asked))
    if not runs:
        raise Failed(HARNESS, "--matrix: no bench run among these; make bench makes one")
    names = [path for path, _ in runs]
    its = {**matrix([run for _, run in runs]), "runs": names}
    tell(asked, matrix_lines(its, names), its)
    return FINE


def command(words):
    try:
        given, rest = getopt.gnu_getopt(words, "h", "in= matrix all rank= json= results= help help-all".split())
    except getopt.GetoptError as error:
        raise Failed(HARNESS, f"'--{error.opt}' is not an option, or lacks its value; try compare --help") from None
    asked = {"--in": "", "--rank": "0", "--json": "", "--results": "", **dict(given)}
    asked.update((name, name in asked) for name in ("--matrix", "--all"))
    if {"-h", "--help", "--help-all"} & set(asked):
        print(USAGE, end="")
        return FINE
    try:
        asked["--rank"] = float(asked["--rank"])
    except ValueError:
        raise Failed(HARNESS, f"--rank takes a percentage, not '{asked['--rank']}'") from None
    if asked["--matrix"] and asked["--in"]:
        raise Failed(HARNESS, "--matrix and --in exclude each other")
    if asked["--matrix"] and not 0 < len(rest) <= RUNS_MOST:
        raise Failed(HARNESS, f"--matrix takes 1 to {RUNS_MOST} runs")
    if not asked["--matrix"] and len(rest) != 2:
        raise Failed(HARNESS, f"compare takes two {'rows' if asked['--in'] else 'runs'}, not {len(rest)}; see --help")
    return several(asked, rest) if asked["--matrix"] else two(asked, rest)


if __name__ == "__main__":
    files.run(lambda: command(sys.argv[1:]))
