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
A draw has the usual options and a few others. What breaks is not drawn again: its options are made fewer
and smaller one by one while it still breaks, and the command that shows it is printed last.
exit: 0 nothing broke, 1 usage, 2 something broke, 3 a draw had no answer (out of memory, or a crash),
      4 there is nothing to draw from
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

# Option, the least (None: left out), what is usual, what else it is drawn from, and how often that is.
ALONE = (
    ("events", 1, 2, (1, 1, 3, 6), .5), ("nested", 0, 1, (0, 0, 2, 3), .5), ("jumps", None, None, (1, 1, 2), .2),
    ("backs", None, None, (1,), .1), ("traced", None, None, (1, 2), .05), ("beats", None, None, (1, 2), .15),
    ("reads", None, None, (1, 2), .1), ("discards", None, None, (1, 2), .1), ("flushes", None, None, (1, 2), .1),
    ("before", None, None, (1, 1, 2, 3), .4), ("full", None, None, (1, 2, 3, 4), .1),
    ("clock", None, None, ("coarse", "slow"), .1), ("phases", None, None, ("all",), .1),
    ("stops", None, None, ("all",), .05), ("offsets", None, None, ("all",), .15), ("mode", None, None, ("discard",), .2),
    ("size", None, None, ("large",), .1), ("depth", None, None, (1,), .2),
)
# With another CPU: its events fill sub-buffers, or are few.
ACROSS = (
    ("events", 1, 7, (1, 2, 16), .4), ("nested", 0, 0, (1,), .3), ("live", None, 1, (2,), .05),
    ("writers", None, None, (2,), 0), ("preemptions", None, 1, (2,), .4),
    ("mode", None, None, ("discard",), .5), ("full", None, None, (1, 3, 3), .5), ("before", None, None, (1,), .1),
    ("offsets", None, None, ("all",), .2), ("flushes", None, None, (1,), .1), ("jumps", None, None, (1,), .05),
    ("clock", None, None, ("coarse",), .05), ("size", None, None, ("large",), .05), ("stops", None, None, ("all",), .05),
)
# An object for C11's order has all shapes.
ORDER = (
    ("order", "c11", "c11", ("c11",), 0), ("shape", "timed", "timed", ("wrap3", "wrap3", "ends4", "page"), .3),
    ("events", 1, 2, (1, 1, 3), .6), ("nested", 0, 0, (1,), .4), ("live", None, 1, (2,), .05),
    ("writers", None, None, (2,), 0), ("preemptions", None, 1, (2,), .3), ("delays", None, 1, (2,), .2),
    ("mode", None, None, ("discard",), .5), ("full", None, None, (1, 2, 2, 3), .4), ("before", None, None, (1, 3), .3),
    ("jumps", None, None, (1,), .2),
)
# What is drawn, too, half of the times that another option is: what they show takes both.
BESIDE = {"discards": ("before", "jumps"), "reads": ("mode", "offsets"), "flushes": ("reads",), "full": ("mode",),
          "jumps": ("before",), "clock": ("jumps", "before"), "size": ("offsets", "mode"), "phases": ("jumps",)}
# What a shape, or a row, is about is drawn three times as often there.
ABOUT = {"wrap": ("jumps", "backs", "phases"), "ends": ("offsets", "full", "reads", "flushes", "size"), "beat": ("beats",),
         "packed_last": ("backs", "before")}
STORM = (
    ("workload", None, None, ("late_beat", "stall"), .3), ("levels", 1, 3, (1, 2), .3),
    ("threads", None, None, (2,), .3), ("bits", None, None, tuple(range(8, 28)), .3),
    ("payload", None, None, ("random", 4, 96, 200), .3), ("traced", None, None, ("",), .3),
    ("seed", 1, 1, tuple(range(2, 10000)), .3), ("seconds", 1, 1, (2,), .3),
)
# A payload that is only a stamp tells an event apart where the clock goes on and no event is taken back.
# What multiplies a search, of which a draw has COST at most: others would end without an answer.
COST = 4
COSTS = ("nested", "jumps", "backs", "traced", "beats", "reads", "discards", "flushes", "phases", "offsets", "stops")
LEAST = {key: least for table in (ORDER, ALONE, STORM) for key, least, *_ in table} | {"skew": None}
NOT_TIMED = ("backs", "discards", "flushes", "full", "clock", "size")


def words_of(options):
    return [word for key, value in options.items() if value is not None
            for word in (f"--{key}", *([str(value)] if value != "" else []))]


def cost(options):
    its = [options.get(key) or 0 for key in COSTS]
    return sum(one if isinstance(one, int) else 1 for one in its) + min(options["events"], 6) // 3


class Row:
    """What one draw searches or storms: a row in one shape, or a row."""

    def __init__(self, build, name, path):
        self.build, self.name, self.path = build, name, path

    def draw(self, chance):
        shape = self.path.rpartition("/")[2].split(".")[1] if self.path else ""
        table = ORDER if shape == "order" else ALONE if self.path else STORM
        shared = "_locked" in self.name
        across = 0 if shape == "timed" else .7 if shared else .4 if shape.startswith("ends") else .05
        if table is ALONE and chance.random() < across:
            table = ACROSS
        about = [key for word, keys in ABOUT.items() if word in f"{self.name}.{shape}" for key in keys]
        taken = [key for key, *_, often in table if chance.random() < often * (3 if key in about else 1)]
        taken += [other for key in taken for other in BESIDE.get(key, ()) if chance.random() < .5]
        options = {key: chance.choice(others) if key in taken else usual for key, _, usual, others, _ in table}
        while self.path and cost(options) > COST:
            key = chance.choice([key for key in COSTS if options.get(key)])
            options[key] = LEAST[key]
        if table in (ACROSS, ORDER) and shared and chance.random() < .7:
            options["writers"], options["live"] = 2, chance.choice((None, None, 1))
            options["skew"] = (None, chance.choice((None, None, None, 3)))[table is ACROSS]  # drawn in any case, for the draws behind it
        if shape == "timed":
            options.update(dict.fromkeys(NOT_TIMED), before=None if options["offsets"] else options["before"])
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
            for key, value in before.items():
                least = LEAST.get(key)
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
            if not self.rows or self.drawn == self.options.draws or time.monotonic() > self.end:
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
        silent = sorted(code for code in its if code not in (0, 1, 2, 4, 124))
        if silent:
            print("no answer: " + ", ".join(f"{its[code]} draws with exit code {code}" for code in silent))
        print(f"{self.drawn} draws in {time.monotonic() - self.start:.0f} s: {its.get(0, 0)} kept, {its.get(2, 0)} broken, "
              f"{its.get(124, 0)} took longer than {self.options.each} s, {its.get(1, 0) + its.get(4, 0)} are not possible; "
              f"rows broken: {' '.join(sorted(self.broken)) or 'none'}")
        return 2 if self.broken else 3 if silent else 0


def failed(message):
    print(f"stampede: {message}; see --help", file=sys.stderr)
    return 1


def rows_of(options):
    build = os.path.relpath(options.build)
    paths = options.object or sorted(glob.glob(f"{build}/explored/*.so"))
    rows = [Row(build, os.path.basename(path).split(".")[0] if not options.object else path, path) for path in paths
            if not path.endswith((".points.so", ".order.so"))]
    if not options.object:
        # Objects of known faults are built beside the rows.
        with open("schemes/schemes.def", encoding="ascii") as file:
            known = re.findall(r"^X\((\w+),", file.read(), re.M)
        for name in options.schemes or ():
            if name not in known:
                sys.exit(failed(f"no row is called '{name}'"))
        rows = [one for one in rows if one.name in (options.schemes or known)]
    names = sorted({one.name for one in rows} | set(options.schemes or ()))
    storms = [Row(build, name, None) for name in names if not options.object]
    # As often a storm as a search of one shape: a storm is longer, and tries one schedule in many.
    return (rows if options.only != "storm" else []) + (storms if options.only != "search" else [])


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return 0
    parser = argparse.ArgumentParser(add_help=False)
    parser.error = lambda message: sys.exit(failed(message))
    parser.add_argument("build")
    parser.add_argument("seed", type=int)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--draws", type=int)
    parser.add_argument("--schemes", type=str.split)
    parser.add_argument("--object", action="append")
    parser.add_argument("--only", choices=("search", "storm"))
    parser.add_argument("--each", type=float, default=20)
    options = parser.parse_args()
    rows = rows_of(options)
    if not rows:
        print("stampede: nothing to draw from: `make explored` builds the rows", file=sys.stderr)
        return 4
    return Swarm(rows, options).run()


if __name__ == "__main__":
    sys.exit(main())
