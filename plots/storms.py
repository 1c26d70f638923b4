#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: storms.py [--seeds A-B] FILE...

Storms of many seeds and machines as one statement. FILE: what run-stress --json wrote, named
storm-SEED.MACHINE.json, as a batch job names it. --seeds: which there have to be, of every row.
Exit code: 0 none broken, 1 a file that is none or is there twice, 2 a promise broken, 5 something is
missing."""
import json
import os
import re
import sys
from types import SimpleNamespace

from files import BROKEN, FINE, HARNESS, INTERRUPTED, RESOURCE, Failed, run
from record import VERDICTS

WORST_LAST = VERDICTS
NEEDED = "row workload build bits seed verdict events nested lost delivered_by_depth hits violations"


def machine_of(path):
    """The part of its name that a job gave it."""
    parts = os.path.basename(path).split(".")
    return ".".join(parts[1:-1]) or "one machine"


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise Failed(RESOURCE, f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(
            isinstance(one, dict) and all(key in one for key in NEEDED.split()) and
            one["verdict"] in WORST_LAST for one in found) or not found:
        raise Failed(HARNESS, f"{path} is damaged, or none of run-stress --json: remove it, and do "
                              f"that seed again")
    return [SimpleNamespace(path=path, machine=machine_of(path), **one) for one in found]


def load_all(paths):
    storms, seen = [], {}
    for path in paths:
        for one in load(path):
            key = (one.machine, one.seed, one.row, one.workload, one.build, one.bits)
            if key in seen:
                raise Failed(HARNESS, f"{path}: {one.row}, seed {one.seed}, is in {seen[key]} "
                                      f"already: each counts once")
            seen[key] = path
            storms.append(one)
    return storms


def ranges(numbers):
    """0-3,7: as job arrays take it."""
    found = []
    for number in sorted(numbers):
        if found and found[-1][1] + 1 == number:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{low}-{high}" if high > low else f"{low}" for low, high in found)


def missing(storms, seeds):
    """Seeds that some row has no storm of."""
    rows = {one.row for one in storms}
    have = {(one.row, one.seed) for one in storms}
    return sorted(seed for seed in seeds if any((row, seed) not in have for row in rows))


def interrupts(storm):
    return sum(storm.delivered_by_depth)


def by_row(storms):
    rows = {}
    for one in storms:
        row = rows.setdefault(one.row, SimpleNamespace(
            row=one.row, seeds=set(), events=0, lost=0, interrupts=0, hits=0, objections=0,
            verdict=WORST_LAST[0]))
        row.seeds.add(one.seed)
        row.events += one.events
        row.lost += one.lost
        row.interrupts += interrupts(one)
        row.hits += one.hits
        row.objections += sum(one.violations.values())
        row.verdict = max(row.verdict, one.verdict, key=WORST_LAST.index)
    return rows.values()


def say(storms):
    print(f"{'row':26} {'seeds':>6} {'events':>15} {'interrupts':>12} {'hits':>11} "
          f"{'objections':>11}  verdict")
    for row in by_row(storms):
        print(f"{row.row:26} {len(row.seeds):6} {row.events:15,} {row.interrupts:12,} "
              f"{row.hits:11,} {row.objections:11,}  {row.verdict}")
    broken = [one for one in storms if one.verdict == "broken"]
    seeds, machines = ({getattr(one, key) for one in storms} for key in ("seed", "machine"))
    print(f"\n{sum(one.events for one in storms):,} events and "
          f"{sum(map(interrupts, storms)):,} interrupts of {len({one.row for one in storms})} rows, "
          f"{len(seeds)} seeds on {len(machines)} machine{'s' * (len(machines) > 1)}: "
          f"{f'{len(broken)} storms broken' if broken else 'none broken'}")
    for one in broken:
        print(f"  {one.row}, seed {one.seed}, {one.bits} bits, {one.machine}: "
              f"{getattr(one, 'first_violation', '')} ({one.path})")
    return BROKEN if broken else FINE


def main():
    paths, seeds = sys.argv[1:], []
    if paths[:1] == ["--seeds"]:
        asked = re.fullmatch(r"(\d+)-(\d+)", paths[1] if len(paths) > 1 else "")
        if not asked:
            raise Failed(HARNESS, "--seeds: A-B is wanted, such as 0-63")
        seeds = range(int(asked[1]), int(asked[2]) + 1)
        paths = paths[2:]
    if not paths or any(path.startswith("-") for path in paths):
        sys.exit(__doc__)
    storms = load_all(paths)
    absent = missing(storms, seeds)
    status = say(storms)
    if absent and status == FINE:
        raise Failed(INTERRUPTED, f"{len(absent)} of {len(seeds)} seeds are missing, or not of all "
                                  f"rows: {ranges(absent)}")
    return status


if __name__ == "__main__":
    run(main)
