#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: fleet.py RUN...

Benches of many machines as one statement: what holds on every kind of machine, what depends on the
kind and by how much, which machine is unlike others of its kind, and which row to take on all of
them. A kind is a CPU model, whether its clock is invariant, and the hypervisor; nothing is averaged,
neither over kinds nor within one. RUN: a run's directory, or its bench.json.
Exit code: 0 fine, 1 usage or a bad file, 2 a promise broken on some machine."""
import math
import sys
from collections import namedtuple
from itertools import combinations

import guide
import machines
import record
from files import BROKEN, FINE, HARNESS, Failed, run
from readme import table_of, wrapped
from text import figure, markdown

SHOWN_MOST = 12  # lines of a table; how many more there are is said

# What is the same in every run of one program on one kind of CPU.
EXACT = (("instructions", "instructions"), ("atomics", "atomics"), ("clock_reads", "clock reads"),
         ("header_bytes", "header bytes"))

Kind = namedtuple("Kind", "cpu clock hypervisor")


def inner(run, *keys):
    found = run.json["context"].get("stampede")
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def kind_of(run):
    tsc = [inner(run, "tsc", key) for key in ("constant", "nonstop")]
    present, name = inner(run, "hypervisor", "present"), inner(run, "hypervisor", "name")
    return Kind(machines.model({"machine": inner(run, "cpu") or {}}) or "unknown CPU",
                "invariant clock" if all(one is True for one in tsc) else
                "clock not known to be invariant",
                "no hypervisor" if present == "no" else f"{name}" if name else "unknown hypervisor")


class Machine:
    """A run and where it was: `kind`, `host`, and its cells by row and workload."""

    def __init__(self, path):
        self.run = record.load(path)
        if not self.run.table:
            raise Failed(HARNESS, f"{self.run.file}: no cell was timed to its end; make bench")
        self.kind = kind_of(self.run)
        self.host = self.run.json["context"].get("host_name") or "unknown host"
        self.cells = {(one.row, one.workload): one for one in self.run.table}

    @property
    def commit(self):
        dirty = inner(self.run, "git", "dirty") is True
        return (self.run.machine.revision or "unknown")[:12] + (" with changes" if dirty else "")


def load_all(paths):
    found, seen = [], {}
    for path in paths:
        one = Machine(path)
        key = (one.host, one.run.machine.date)
        if key in seen:
            raise Failed(HARNESS, f"{one.run.file}: the run of {seen[key]} once more: each counts "
                                  "once")
        seen[key] = one.run.file
        found.append(one)
    return found


def by_kind(fleet):
    kinds = {}
    for one in fleet:
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def letters(kinds):
    """A short name of each kind for the heads of tables: A, B, ..., Z, K27, ..."""
    return {kind: chr(ord("A") + at) if at < 26 else f"K{at + 1}" for at, kind in enumerate(kinds)}


def common(fleet):
    """The cells that every machine has, in the first one's order."""
    return [key for key in fleet[0].cells if all(key in one.cells for one in fleet)]


def cell_name(key):
    return f"`{key[0]}` {key[1]}"


def span(values):
    low, high = min(values), max(values)
    return figure(low) if figure(low) == figure(high) else f"{figure(low)} to {figure(high)}"


def cut(rows, titles, text=(0,)):
    said = table_of(titles, rows[:SHOWN_MOST], text)
    if len(rows) > SHOWN_MOST:
        said += ["", f"and {len(rows) - SHOWN_MOST} more."]
    return said


# ---- what there is ----


def kinds_table(kinds, short):
    rows = []
    for kind, its in kinds.items():
        for at, one in enumerate(its):
            rows.append([short[kind] if not at else "", markdown(kind.cpu) if not at else "",
                         f"{kind.clock}, {markdown(kind.hypervisor)}" if not at else "",
                         markdown(one.host), f"{one.run.machine.cpus:.0f}", one.commit,
                         f"{len(one.cells)}", f"{one.run.noise:.1%}"])
    said = table_of(["kind", "CPU", "clock, hypervisor", "host", "CPUs", "commit", "cells",
                     "noise"], rows, (0, 1, 2, 3, 5))
    commits = {one.commit for its in kinds.values() for one in its}
    if len(commits) > 1:
        said += ["", *wrapped("These runs are of different commits: what differs may be that.")]
    return said


# ---- what has to be the same ----


def verdicts(fleet, keys, short):
    """Lines about verdicts, and whether any is broken."""
    rows = {key[0] for key in keys}
    differ, broken = [], []
    for row in sorted({row for one in fleet for row, _ in one.cells}):
        words = {}
        for one in fleet:
            for (name, _), cell in one.cells.items():
                if name == row and cell.verdict:
                    words.setdefault(cell.verdict, set()).add(f"{short[one.kind]} {one.host}")
        if "broken" in words:
            broken.append(f"`{row}` on {', '.join(sorted(words['broken']))}")
        if len(words) > 1:
            differ.append([f"`{row}`", "; ".join(f"{word}: {', '.join(sorted(hosts))}"
                                                for word, hosts in sorted(words.items()))])
    said = wrapped(f"Of {len(rows)} rows that all have, "
                   f"{len(rows - {one[0].strip('`') for one in differ})} have one verdict "
                   f"everywhere. " + (f"Broken: {'; '.join(broken)}." if broken else
                                      "No promise was broken."))
    if differ:
        said += ["", *table_of(["row", "verdicts"], differ, (0, 1))]
    return said, bool(broken)


def same(values):
    return max(values) - min(values) <= guide.AS_GOOD_COUNT * max(map(abs, values))


def exact_values(fleet, keys, field):
    """Of each cell that all have a value of: those, in the fleet's order."""
    found = {}
    for key in keys:
        values = [getattr(one.cells[key], field) for one in fleet]
        if not any(map(math.isnan, values)):
            found[key] = values
    return found


def counts(fleet, kinds, keys, short):
    said, rows = [], []
    for field, name in EXACT:
        of = exact_values(fleet, keys, field)
        if not of:
            continue
        alike = [key for key, values in of.items() if same(values)]
        said.append(f"{name} of {len(alike)} of {len(of)} cells")
        for key, values in of.items():
            if key in alike:
                continue
            by = {kind: [value for one, value in zip(fleet, values) if one.kind == kind]
                  for kind in kinds}
            least, most = min(values), max(values)
            more = f"{most / least - 1:.1%}" if least > 0 else "n/a"
            rows.append((most / least if least > 0 else math.inf,
                         [cell_name(key), name, *(span(by[kind]) for kind in kinds), more]))
    if not said:
        return wrapped("No figure that has to be the same was measured everywhere.")
    lines = wrapped("Counted, and the same everywhere: " + ", ".join(said) + ".")
    if rows:
        rows = [row for _, row in sorted(rows, key=lambda row: -row[0])]
        lines += ["", *cut(rows, ["cell", "figure", *(short[kind] for kind in kinds), "more by"],
                           (0, 1))]
    return lines


# ---- what may differ ----


def interval(cell):
    """Of its ratio to the floor; (nan, nan): none is known."""
    return cell.ratio_95_low, cell.ratio_95_high


def apart(one, other):
    """Of two intervals: is one wholly above the other? Not if one is not known."""
    return one[1] < other[0] or other[1] < one[0]


def union(intervals):
    """From the least to the most; what is not known makes all of it unknown."""
    if any(math.isnan(end) for one in intervals for end in one):
        return math.nan, math.nan
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def steady(keys):
    return [key for key in keys if key[1] == "steady"]


def times(kinds, keys, short):
    rows = []
    for key in steady(keys):
        ratios = {kind: [one.cells[key].ratio for one in its] for kind, its in kinds.items()}
        if any(math.isnan(one) for its in ratios.values() for one in its):
            continue
        wide = {kind: union([interval(one.cells[key]) for one in its])
                for kind, its in kinds.items()}
        told = [(kind, other) for kind, other in combinations(kinds, 2)
                if apart(wide[kind], wide[other])]
        middles = [value for its in ratios.values() for value in its]
        by = max(middles) / min(middles) - 1 if told else 0
        rows.append((by, [f"`{key[0]}`", *(span(ratios[kind]) for kind in kinds),
                          ", ".join(f"{short[kind]} and {short[other]}" for kind, other in told)
                          or "not told apart", f"{by:.0%}" if told else ""]))
    if not rows:
        return wrapped("No row was timed on all of them.")
    depends = sum(by > 0 for by, _ in rows)
    rows = [row for _, row in sorted(rows, key=lambda row: -row[0])]
    return [*wrapped(f"Times the floor of the same machine, events back to back: {depends} of "
                     f"{len(rows)} rows depend on the kind, as the intervals of all runs of one "
                     f"kind lie wholly above those of another."), "",
            *cut(rows, ["row", *(short[kind] for kind in kinds), "apart", "by"],
                 (0, len(kinds) + 1))]


def outliers(its, keys):
    """Machines of one kind that are unlike all others of it: cell, machine, and by how much."""
    found = []
    for key in steady(keys):
        for one in its:
            others = [other for other in its if other is not one]
            mine = interval(one.cells[key])
            if not others or not all(apart(mine, interval(other.cells[key])) for other in others):
                continue
            ratio = one.cells[key].ratio
            nearest = min((other.cells[key].ratio for other in others),
                          key=lambda value: abs(value - ratio))
            found.append((abs(ratio / nearest - 1), key, one, ratio, nearest))
    return sorted(found, key=lambda line: -line[0])


def unlike(kinds, keys, short):
    several = {kind: its for kind, its in kinds.items() if len(its) > 1}
    if not several:
        return wrapped("No kind has more than one machine: none can be unlike others of its kind.")
    rows = [[short[kind], markdown(one.host), f"`{key[0]}`", figure(ratio), figure(nearest),
             f"{by:.1%}"]
            for kind, its in several.items() for by, key, one, ratio, nearest in
            outliers(its, keys)]
    if not rows:
        return wrapped("No machine is unlike others of its kind.")
    return [*wrapped("Unlike all others of its kind, by the intervals of its ratios:"), "",
            *cut(rows, ["kind", "host", "row", "its ratio", "the nearest other", "by"],
                 (0, 1, 2))]


# ---- which row to take ----


def reference(one, name):
    return {"machine": {"model": name}, "rows": [{"row": row} for row, _ in one.cells],
            "needs": guide.needs(one.run)}


def take(kinds, short):
    fleet = [reference(one, short[kind] + (f" {one.host}" if len(its) > 1 else ""))
             for kind, its in kinds.items() for one in its]
    found = machines.lines(fleet)
    if not found:
        return wrapped("No need of the guide was measured by two machines.")

    def names(rows):
        return ", ".join(f"`{row}`" for row in rows) or "none"
    return table_of(["you want", "on all of them", "where they part"],
                    [[line.need, names(line.everywhere),
                      "; ".join(before + names(rows) for before, rows in line.parts) or "nowhere"]
                     for line in found], (0, 1, 2))


def statement(fleet):
    kinds = by_kind(fleet)
    short, keys = letters(kinds), common(fleet)
    judged, broken = verdicts(fleet, keys, short)
    parts = [kinds_table(kinds, short), judged, counts(fleet, kinds, keys, short),
             times(kinds, keys, short), unlike(kinds, keys, short), take(kinds, short)]
    return [line for part in parts for line in ("", *part)][1:], broken


def main():
    paths = sys.argv[1:]
    if len(paths) < 2 or any(path.startswith("-") for path in paths):
        sys.exit(__doc__)
    said, broken = statement(load_all(paths))
    print("\n".join(said))
    return BROKEN if broken else FINE


if __name__ == "__main__":
    run(main)
