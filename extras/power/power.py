# SPDX-License-Identifier: MIT
"""usage: power.py BENCH [--runs N] [--rows "A B C"]
How small a difference does a bench find? Each run is a bench of its own, in which copies of the rows
record 0.5, 1 and 2 % more events than are counted, and one copy none. A copy is found if it is slower
than its row by more than the run says it tells apart; the copy that records none is a false alarm if
it is found, either way. Exit status: 0, or what a bench that failed ended with."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from statistics import median


def bench(program, rows, into):
    """The record of one run."""
    done = subprocess.run([program, "--json", "-", "--results", into, "--workloads", "steady power", "--schemes",
                           " ".join("=" + row for row in rows)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def tally(records):
    """By share that was planted: [how often found, of how many, what was found instead of it]."""
    found = defaultdict(lambda: [0, 0, []])
    for record in records:
        apart = record["noise"]["apart"]
        for one in record["again"]:
            if ":" not in one["workload"]:
                continue
            its = found[one["planted"]]
            # Without a number nothing is told apart.
            seen = apart is not None and (one["change"] > apart or (not one["planted"] and one["change"] < -apart))
            its[0] += seen
            its[1] += 1
            its[2].append(one["change"])
    return found


def lines(records):
    aparts = sorted(one["noise"]["apart"] or float("inf") for one in records)
    loads = [one["context"]["load_avg"][0] for one in records]
    yield (f"{len(records)} runs at load {min(loads):.1f} to {max(loads):.1f}, told apart above "
           f"{100 * median(aparts):.2g} % (at worst {100 * aparts[-1]:.2g} %)")
    for planted, (seen, of, changes) in sorted(tally(records).items()):
        changes.sort()
        what = f"{100 * planted:.2f} % slower" if planted else "the same code"
        word = "found" if planted else "false alarms"
        yield (f"{what}: {word} {seen} of {of}; measured {100 * median(changes):+.2f} % "
               f"({100 * changes[0]:+.2f} to {100 * changes[-1]:+.2f})")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("bench")
    parser.add_argument("--runs", type=int, default=34)
    parser.add_argument("--rows", default="packed_word full_tsc varint_low")
    asked = parser.parse_args()
    if asked.runs < 1:
        parser.error("--runs takes 1 or more")
    with tempfile.TemporaryDirectory() as into:
        records = [bench(asked.bench, asked.rows.split(), os.path.join(into, str(run)))
                   for run in range(asked.runs)]
    print("\n".join(lines(records)))


if __name__ == "__main__":
    main()
