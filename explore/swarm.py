#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches and storms that are drawn from one seed, until the time is over.

usage: swarm.py BUILD SEED [option...]
  --minutes N       how long (5)
  --draws N         end after so many draws, which are the same for the same seed
  --schemes "A B"   rows (all that `make explored` has built)
  --object FILE     this explored row instead; several times
  --only KIND       search or storm (both; objects are only searched)
  --each SECONDS    a draw takes at most so long (20)
  --stop N          end when so many rows are broken (all)
A draw has the usual options and up to four others. What breaks is not drawn again: its options are made fewer
and smaller one by one while it still breaks, and the command that shows it is printed last. Objects of shape
"timed" are left out, since their events do not say enough to be told apart in such searches.
exit: 0 nothing broke, 1 usage, 2 something broke, 4 there is nothing to draw from
"""
import argparse
import glob
import json
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time

# Option, the least (None: left out), what is usual, what else it is drawn from, and for whom.
ACROSS, ONE_CPU, LOCKED = "with another CPU", "without one", "locked"
SEARCH = (
    ("live", None, None, (1, 2), ""), ("writers", None, None, (2,), LOCKED), ("events", 1, 2, (1, 3, 4), ""),
    ("nested", 0, 1, (0, 2, 2, 3), ""), ("jumps", None, None, (1, 1, 2), ""), ("backs", None, None, (1,), ""),
    ("traced", None, None, (1, 2), ""), ("beats", None, None, (1, 2), ""), ("reads", None, None, (1, 2), ONE_CPU),
    ("discards", None, None, (1, 2), ""), ("flushes", None, None, (1, 2), ""), ("preemptions", None, 1, (2,), ACROSS),
    ("delays", None, None, (1,), ACROSS), ("before", None, None, (1, 2, 3), ""), ("full", None, None, (1, 2, 3), ""),
    ("clock", None, None, ("coarse", "slow"), ""), ("phases", None, None, ("all",), ""), ("stops", None, None, ("all",), ""),
    ("offsets", None, None, ("all",), ""), ("mode", None, None, ("discard",), ""), ("size", None, None, ("large",), ""),
    ("depth", None, None, (1,), ""),
)
STORM = (
    ("workload", None, None, ("late_beat", "stall", "idle"), ""), ("levels", 1, 3, (1, 2), ""),
    ("threads", None, None, (2,), ""), ("bits", None, None, tuple(range(8, 28)), ""),
    ("payload", None, None, ("random", 4, 96, 200), ""), ("traced", None, None, ("",), ""),
    ("seed", 1, 1, tuple(range(2, 10000)), ""), ("seconds", 1, 1, (2,), ""),
)
UNUSUAL = 4  # options of a draw at most: few at a time find most, and end


def words_of(options):
    return [word for key, value in options.items() if value is not None
            for word in (f"--{key}", *([str(value)] if value != "" else []))]


class Row:
    """What one draw searches or storms: a row in one shape, or a row."""

    def __init__(self, build, name, path):
        self.build, self.name, self.path = build, name, path
        self.table = SEARCH if path else STORM

    def draw(self, chance):
        unusual = {key for key, *_ in chance.sample(self.table, chance.randint(1, UNUSUAL))}
        options = {}
        for key, least, usual, others, whom in self.table:
            across = bool(options.get("live") or options.get("writers"))
            wanted = {"": True, LOCKED: "_locked" in self.name, ACROSS: across, ONE_CPU: not across}[whom]
            options[key] = least if not wanted else chance.choice(others) if key in unusual else usual
        return options

    def command(self, options):
        if not self.path:
            return [f"{self.build}/run-stress", "--schemes", f"={self.name}", *words_of(options)]
        return [f"{self.build}/explore", "--object", self.path, "--processes", "1", "--first", *words_of(options)]

    def run(self, options, timeout_s):
        """Exit code (124: it took too long), and what it says."""
        command = self.command(options) + (["--json", "-"] if self.path else [])
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stdout

    def shrunk(self, options, timeout_s):
        """As few and as small options as still break it, each tried by itself, until none can go."""
        before = None
        while before != options:
            before = dict(options)
            for key, least, *_ in self.table:
                value = options[key]
                smaller = [least] + ([value - 1] if isinstance(value, int) and value > (least or 0) + 1 else [])
                for less in smaller if value != least else ():
                    if self.run({**options, key: less}, timeout_s)[0] == 2:
                        options = {**options, key: less}
                        break
        return options


class Swarm:
    def __init__(self, rows, options):
        self.rows, self.options = rows, options
        self.lock, self.end = threading.Lock(), time.monotonic() + 60 * options.minutes
        self.start, self.drawn, self.codes, self.broken = time.monotonic(), 0, {}, []

    def next(self):
        """The number of a draw, its row and options; None at the end."""
        with self.lock:
            stop = self.options.stop and len(self.broken) >= self.options.stop
            if stop or not self.rows or self.drawn == self.options.draws or time.monotonic() > self.end:
                return None
            self.drawn += 1
            chance = random.Random(f"{self.options.seed}.{self.drawn}")
            row = chance.choice(self.rows)
            return self.drawn, row, row.draw(chance)

    def work(self):
        while (drawn := self.next()):
            number, row, options = drawn
            code, _ = row.run(options, self.options.each)
            with self.lock:
                self.codes[code] = self.codes.get(code, 0) + 1
                first = code == 2 and row in self.rows
                if first:
                    self.rows = [one for one in self.rows if one.name != row.name]
                    self.broken.append(row.name)
            if first:
                seconds = time.monotonic() - self.start
                options = row.shrunk(options, self.options.each)
                self.report(number, seconds, row, options)

    def report(self, number, seconds, row, options):
        _, said = row.run(options, self.options.each)
        if row.path:
            family = json.loads(said)["rows"][0]["families"][0]
            said = family["first"] or ""
        with self.lock:
            print(f"{row.name} is broken by draw {number}, after {seconds:.0f} s:")
            print("\n".join(f"    {line}" for line in said.strip().splitlines()[-14:]))
            print(shlex.join(row.command(options)), flush=True)

    def run(self):
        workers = [threading.Thread(target=self.work, daemon=True) for _ in range(os.cpu_count())]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        its = self.codes
        print(f"{self.drawn} draws in {time.monotonic() - self.start:.0f} s: {its.get(0, 0)} kept, {its.get(2, 0)} broken, "
              f"{its.get(124, 0)} took longer than {self.options.each} s, {its.get(1, 0) + its.get(4, 0)} are not possible; "
              f"rows broken: {' '.join(sorted(self.broken)) or 'none'}")
        return 2 if self.broken else 0


def failed(message):
    print(f"stampede: {message}; see --help", file=sys.stderr)
    return 1


class Parser(argparse.ArgumentParser):
    def error(self, message):
        sys.exit(failed(message))


def rows_of(options):
    build = os.path.relpath(options.build)
    paths = options.object or sorted(glob.glob(f"{build}/explored/*.so"))
    rows = [Row(build, os.path.basename(path).split(".")[0] if not options.object else path, path) for path in paths
            if not path.endswith((".points.so", ".timed.so"))] if options.only != "storm" else []
    if not options.object:
        # Objects of known faults are built beside the rows.
        with open("schemes/schemes.def", encoding="ascii") as file:
            known = re.findall(r"^X\((\w+),", file.read(), re.M)
        for name in options.schemes or ():
            if name not in known:
                sys.exit(failed(f"no row is called '{name}'"))
        rows = [one for one in rows if one.name in (options.schemes or known)]
    names = sorted({one.name for one in rows} | set(options.schemes or ()))
    storms = [Row(build, name, None) for name in names] if options.only != "search" and not options.object else []
    # As often a storm as a search of one shape: a storm is longer, and tries one schedule in many.
    return rows + storms


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return 0
    parser = Parser(add_help=False)
    parser.add_argument("build")
    parser.add_argument("seed", type=int)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--draws", type=int)
    parser.add_argument("--schemes", type=str.split)
    parser.add_argument("--object", action="append")
    parser.add_argument("--only", choices=("search", "storm"))
    parser.add_argument("--each", type=float, default=20)
    parser.add_argument("--stop", type=int)
    options = parser.parse_args()
    rows = rows_of(options)
    if not rows:
        print("stampede: nothing to draw from: `make explored` builds the rows", file=sys.stderr)
        return 4
    return Swarm(rows, options).run()


if __name__ == "__main__":
    sys.exit(main())
