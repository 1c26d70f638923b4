#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the cache lines and pages that an event touches, by row and path.

usage: lines.py TOUCH RECORD [ROW...]

TOUCH is build/touch, RECORD a run's bench.json. valgrind's lackey names each address that TOUCH executes, reads
or writes; an event's are those between two stores to its mark, without those of the loop around nothing and
without the stack. The counts are the same on each machine with this compiler. The last two lines compare them with
what valgrind's cachegrind misses of a mean event after all was evicted, and with the cold events of the run, if it
has any. As cachegrind does, that comparison counts the stack's lines too, but not the loop's, and an access to two
new lines as one miss.
exit: 0 fine, 1 usage, 4 no valgrind
"""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from statistics import median

LINE, PAGE = 64, 4096
PATHS = ("plain", "slow", "switching")
PAUSE_MS = {32: 1800}  # longer than a wrap of the field; of narrower ones 60 ms are


class Event:
    """What was touched between two marks: memory executed, read or written, without the stack; and how many accesses,
    the stack's too, were the first one to a line that the loop has not touched."""

    def __init__(self, loop):
        self.touched = {"I": [], "L": [], "S": []}
        self.seen, self.misses = loop, 0

    def add(self, kind, address, size, stack):
        its = units_of([(address, size)], LINE)
        self.misses += not its <= self.seen
        self.seen |= its
        for one in "" if stack else "LS" if kind == "M" else kind:
            self.touched[one].append((address, size))

    def units(self, kinds, unit, without):
        return units_of((one for kind in kinds for one in self.touched[kind]), unit) - without


def units_of(places, unit):
    return {at for address, size in places for at in range(address // unit, (address + size - 1) // unit + 1)}


def events_of(path, where):
    """The event around nothing first, then all others."""
    low, high = where["stack"]
    found, current, loop = [], None, set()
    with open(path, encoding="ascii") as file:
        for line in file:
            kind = line[:2].strip()
            address, comma, size = line[2:].strip().partition(",")
            if kind not in ("I", "L", "S", "M") or not comma:
                continue
            address = int(address, 16)
            if kind == "S" and address == where["mark"]:
                current = None if current else Event(loop)
                found += [current] if current else []
                loop = units_of([(address, int(size))], LINE)
            elif current:
                current.add(kind, address, int(size), low <= address < high)
            elif found:
                loop |= units_of([(address, int(size))], LINE)
    return found


def path_of(number, event, before, where):
    """An event that writes into another sub-buffer than the one before has switched."""
    def subbufs(its):
        return {(address - where["ring"]) // where["subbuf"] for address, _ in its.touched["S"]
                if where["ring"] <= address < where["ring"] + 8 * where["subbuf"]}
    if before and subbufs(event) - subbufs(before):
        return "switching"
    return "slow" if number % where["slow_every"] == 0 else "plain"


def count(touch, row, pause):
    """Of each path the median event, and the mean one: instructions; lines executed, read, written; all lines; all
    pages; misses as cachegrind counts them."""
    with tempfile.NamedTemporaryFile() as trace:
        done = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={trace.name}", touch, row,
                               str(pause), "lines"], capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        where = json.loads(done.stdout)
        empty, *events = events_of(trace.name, where)
    lines, pages = empty.units("ILS", LINE, set()), empty.units("ILS", PAGE, set())
    its = {path: [] for path in PATHS}
    for number, event in enumerate(events, 1):
        before = events[number - 2] if number > 1 else None
        its[path_of(number, event, before, where)].append((
            len(event.touched["I"]) - len(empty.touched["I"]),
            *(len(event.units(kind, LINE, lines)) for kind in "ILS"),
            len(event.units("ILS", LINE, lines)), len(event.units("ILS", PAGE, pages)),
            event.misses))
    return {path: [median(column) for column in zip(*found)] for path, found in its.items() if found} | {
        "mean": [sum(column) / len(events) for column in zip(*sum(its.values(), []))]}


def missed(touch, row, pause):
    """Lines that cachegrind's last cache misses of a mean event, more than of the loop alone. The caches before it
    have two lines each, so that nothing hides in them."""
    def misses(what):
        with tempfile.NamedTemporaryFile("r") as out:
            done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=128,2,64", "--D1=128,2,64",
                                   "--LL=65536,16,64", f"--cachegrind-out-file={out.name}", touch, row, str(pause), what],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                return None
            events, summary = (next(line.split()[1:] for line in open(out.name, encoding="utf-8")
                                    if line.startswith(name)) for name in ("events:", "summary:"))
            its = dict(zip(events, map(int, summary)))
        return its["ILmr"] + its["DLmr"] + its["DLmw"], json.loads(done.stdout)["events"]
    event, empty = misses("event"), misses("empty")
    return event and (event[0] - empty[0]) / event[1]


def against(cold, lines):
    """Lines of the plain path, and ns after everything was evicted."""
    both = [(lines[row], ns) for row, ns in cold.items() if row in lines]
    if len(both) < 3 or len({x for x, _ in both}) < 2:
        return "no cold events in this run to hold the lines against, or as many lines in each row"
    # By the medians of Theil and Sen: a row that calls the kernel touches lines that nobody here sees.
    slope = median((y - v) / (x - u) for x, y in both for u, v in both if x > u)
    zero = median(y - slope * x for x, y in both)
    off = median(abs(y - zero - slope * x) / y for x, y in both)
    return (f"{len(both)} rows, cold: {zero:.0f} ns and {slope:.0f} ns more for each line; half of the rows are "
            f"within {100 * off:.0f} % of that")


def witness(both):
    """Two counts of the lines of a mean event, by row."""
    if not both:
        return "cachegrind: no row to compare"
    more = sorted((missed - touched, row) for row, (missed, touched) in both.items())
    return (f"cachegrind, after everything was evicted: a mean event misses {more[0][0]:.2f} ({more[0][1]}) to "
            f"{more[-1][0]:.2f} ({more[-1][1]}) lines more than lackey's accesses say")


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 1
    try:
        with open(sys.argv[2], encoding="utf-8") as file:
            run = json.load(file)
        subprocess.run(["valgrind", "--version"], capture_output=True, check=True)
    except FileNotFoundError as error:
        if error.filename == "valgrind":
            print("stampede: no valgrind (package valgrind)", file=sys.stderr)
            return 4
        sys.exit(f"stampede: {error}")
    except (OSError, ValueError) as error:
        sys.exit(f"stampede: {sys.argv[2]}: {error}")
    bits = {one.get("row"): one.get("stamp_bits") for one in run.get("schemes") or []}
    rows = sys.argv[3:] or [one["row"] for one in run["table"] if one["workload"] == "steady"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found, misses = (dict(zip(rows, pool.map(lambda row: one(sys.argv[1], row, PAUSE_MS.get(bits.get(row), 60)),
                                                 rows))) for one in (count, missed))
    print(f"{'row':26} {'path':9} {'instr':>6} {'lines: executed':>15} {'read':>5} {'written':>7} {'all':>4} {'pages':>6}")
    for row, paths in found.items():
        if not paths:
            print(f"{row:26} cannot run under valgrind")
        for path in paths and (path for path in PATHS if path in paths) or ():
            its = paths[path]
            print(f"{row:26} {path:9} {its[0]:>6.0f} {its[1]:>15.0f} {its[2]:>5.0f} {its[3]:>7.0f} {its[4]:>4.0f} "
                  f"{its[5]:>6.0f}")
    print(witness({row: (misses[row], paths["mean"][6]) for row, paths in found.items()
                   if paths and misses[row] is not None}))
    cold = {one["row"]: one["ns"] for one in run.get("cold") or [] if one["evicted"] == "all" and not one["again"]}
    print(against(cold, {row: paths["plain"][4] for row, paths in found.items() if paths}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
