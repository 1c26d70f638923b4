#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does a tracer cost a real program, and does it matter which row stamps its events?

usage: programs.py BUILD [option...]
  --programs "A B"     which programs (all of them); --list prints them
  --command NAME=LINE  also this program; several times
  --rows "A B"         of packed_word, varint_low, full_tsc and lttng
  --rounds N           rounds (40)
  --check-only         check the times, and measure nothing
In a round hyperfine runs every variant once, one after the other, on one CPU and in random order: untraced (twice),
interposed only, and each tracer. Times are CPU time of the process and its children, user and system. Figures are of
the same round; the table, in Markdown, has medians over rounds and their 95 % intervals, by order statistics.
exit: 0 fine, 1 usage, 2 a time is wrong, 4 nothing can be traced
"""
import argparse
import json
import math
import os
import random
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from statistics import median

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(TOP, "plots"))
from compare import median_interval

ROWS = ("packed_word", "varint_low", "full_tsc", "lttng")
CHECKED_WORK, CHECKED_LEAST = 0.1, 500  # share of what is timed; events that bytes are known from
CPUS = sorted(os.sched_getaffinity(0))

SQL = """CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {amount})
INSERT INTO t SELECT x, printf('name %d', x * 7919 % {amount}), x * 0.5 FROM n;
CREATE INDEX i ON t (b);
SELECT count(*), sum(c) FROM t WHERE b LIKE '%99%';
SELECT b, count(*), group_concat(a) FROM t GROUP BY substr(b, 1, 8) ORDER BY 2 DESC LIMIT 10;
UPDATE t SET b = b || 'x' WHERE a % 3 = 0;
SELECT count(*) FROM t x JOIN t y ON x.b = y.b || 'x';
""" + "INSERT INTO t (b, c) VALUES ('one more', 1);\n" * 500
PYTHON = """import json, re
for i in range({amount}):
    rows = [dict(number=n, name=f"name {{n}}", parts=[n, n / 2, str(n)]) for n in range(2000)]
    text = json.dumps(rows)
    again = json.loads(text)
    words = re.findall(r"name (\\d+)", text)
    assert sorted(words, key=int) == [str(one["number"]) for one in again]
"""
# The server is traced; its client is not, and ends it.
CLIENT = ("until redis-cli -p {port} ping; do sleep 0.02; done; redis-benchmark -p {port} -n {amount} -c 20 "
          "-t set,get,lpush,lrange_100 -r 10000 -q; redis-cli -p {port} shutdown nosave")
# Name, what it does, what it needs, its package, how much it has to do, and its command by that.
PROGRAMS = {
    "true": ("does nothing: what starting costs", "true", "coreutils", 1, "true"),
    "sqlite3": ("inserts, an index, updates and joins in a temporary file", "sqlite3", "sqlite3", 40000,
                "sqlite3 '' " + shlex.quote(SQL)),
    "gcc": ("gcc -O2 -c of judge/check.c, with cc1 and as", "gcc", "gcc", 10, "gcc -O2 -c {work}/{amount}.c -o {work}/out.o"),
    "python3": ("JSON, a sort and a regular expression", "/usr/bin/python3", "python3", 40,
                "/usr/bin/python3 -c " + shlex.quote(PYTHON)),
    "redis": ("redis-server under redis-benchmark, by loopback", "redis-check-rdb", "redis-tools", 10000,
              "{work}/redis-server --port {port} --save ''"),
}


def say(text):
    print(f"stampede: {text}", file=sys.stderr, flush=True)


class Failed(Exception):
    pass


def call(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise Failed(f"{words[0]}: exit code {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return done.stdout


class Program:
    def __init__(self, bench, name, line, amount):
        self.bench, self.name, self.line, self.usual = bench, name, line, amount
        self.file = os.path.join(bench.work, "events")

    def words(self, by, work=1, check=False):
        """As `env` runs it, traced by the library `by` or not (None)."""
        line = self.line.format(amount=max(1, round(work * self.usual)), work=self.bench.work,
                                port=self.bench.port) if self.name in PROGRAMS else self.line
        path = [f"LD_PRELOAD={self.bench.library(by)}", f"STAMPEDE_FILE={self.file}"] if by else []
        return ["env", *path, *(["STAMPEDE_CHECK=1"] if check else []), *shlex.split(line)]

    def client(self, work=1):
        line = CLIENT.format(port=self.bench.port, amount=max(1, round(work * self.usual)))
        return f"({line}) >/dev/null 2>&1 &" if self.name == "redis" else ""

    def events(self):
        """Events, those that were read, bytes and wrong ones, of all processes; the file is gone then."""
        if not os.path.exists(self.file):
            raise Failed("the library did not attach (a static or setuid program?)")
        with open(self.file, encoding="ascii") as file:
            lines = [[int(word) for word in line.split()] for line in file]
        os.unlink(self.file)
        return [sum(one) for one in zip(*lines)]

    def once(self, by, work=1, check=False):
        subprocess.run(["sh", "-c", self.client(work)], check=False)
        done = subprocess.run(self.words(by, work, check), cwd=self.bench.work, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
        if done.returncode:
            raise Failed(f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}")
        return self.events() if by else None

    def round(self, variants):
        """CPU seconds of each, by hyperfine."""
        order, path = random.sample(variants, len(variants)), os.path.join(self.bench.work, "hyperfine.json")
        client = self.client()
        call("taskset", "-c", str(CPUS[-1]), "hyperfine", "-N", "--runs", "1", "--style", "none", "--export-json", path,
             *(["--prepare", "sh -c " + shlex.quote(client)] if client else []),
             *[shlex.join(self.words(by)) for _, by in order], cwd=self.bench.work)
        with open(path, encoding="utf-8") as file:
            its = json.load(file)["results"]
        return {one: run["user"] + run["system"] for one, run in zip(order, its)}


class Bench:
    """A folder to work in, and LTTng's session, which overwrites as the rings do."""

    def __init__(self, build, work):
        self.build, self.work, self.lttng = os.path.abspath(build), work, False
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def library(self, by):
        return os.path.join(self.build, "programs", f"preload.{by}.so")

    def prepare(self, name):
        """What the program works on."""
        if name == "gcc":
            for amount, source in ((10, "judge/check.c"), (1, "base/stats.c")):
                call("gcc", "-E", "-P", "-D_GNU_SOURCE", "-I.", source, "-o", f"{self.work}/{amount}.c", cwd=TOP)
        if name == "redis":  # the server by another name, without a service that is started
            os.symlink(shutil.which("redis-check-rdb"), f"{self.work}/redis-server")

    def start_lttng(self):
        try:
            if not os.path.exists(self.library("lttng")):
                raise Failed("no lttng/tracepoint.h (package liblttng-ust-dev)")
            # To a file: the daemon would keep a pipe open.
            subprocess.run(["lttng-sessiond", "--no-kernel", "--background"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            for words in ("create stampede --snapshot", "enable-channel --userspace --subbuf-size=256K --num-subbuf=4 c",
                          "enable-event --userspace --channel=c stampede_programs:call", "start"):
                call("lttng", "--no-sessiond", *words.split())
            self.lttng = True
        except (Failed, OSError) as why:
            say(f"lttng is left out: {why}")

    def stop(self):
        if self.lttng:
            subprocess.run(["lttng", "--no-sessiond", "destroy", "stampede"], stdout=subprocess.DEVNULL, check=False)


def measure(program, rows, rounds):
    """One result for each variant, of these rounds, against the untraced runs of the same round."""
    variants = [("untraced", None), ("again", None), *((by, by) for by in ("none", *rows))]
    times = [program.round(variants) for _ in range(rounds)]
    if os.path.exists(program.file):
        os.unlink(program.file)
    counted = {by: program.once(by)[0] for _, by in variants if by}
    return results(times, counted, rows)


def results(times, counted, rows):
    cpu = {one[0]: [its[one] for its in times] for one in times[0]}
    base = [sum(two) / 2 for two in zip(cpu["untraced"], cpu["again"])]

    def relative(these, those):
        return median_interval([100 * (one - other) / plain for one, other, plain in zip(these, those, base)])

    found = [{"by": "untraced", "events": 0, "cpu_s": median(base), "percent": relative(cpu["again"], cpu["untraced"])}]
    for by in ("none", *rows):
        found.append({"by": by, "events": counted[by], "cpu_s": median(cpu[by]), "percent": relative(cpu[by], base)})
        if by != "none":
            found[-1]["ns"] = median_interval([1e9 * (one - only) / max(counted[by], 1)
                                               for one, only in zip(cpu[by], cpu["none"])])
            if by != rows[0]:
                found[-1]["more_percent"] = relative(cpu[by], cpu[rows[0]])
    return found


def shown(its, digits=1):
    if its is None:
        return ""
    middle, low, high = its
    return f"{middle:.{digits}f}" + ("" if math.isnan(low) else f" ({low:.{digits}f} to {high:.{digits}f})")


def print_lines(name, found, sizes):
    names = {"untraced": "nothing, against itself", "none": "interposed only", "lttng": "LTTng-UST"}
    for one in found:
        head = f"{name}: {found[-1]['events'] / 1e6:.2f} M events in {1000 * one['cpu_s']:.0f} ms" if one is found[0] else ""
        size = sizes.get(one["by"])
        # Below 1000 events a run, dividing by them says nothing.
        print(f"| {head} | {names.get(one['by'], '`' + one['by'] + '`')} | {shown(one['percent'])} | "
              f"{shown(one.get('more_percent'))} | {shown(one.get('ns') if one['events'] >= 1000 else None, 0)} | "
              f"{format(size, '.1f') if size else ''} |", flush=True)


def one_program(bench, name, options):
    """How many times were wrong; None: it cannot be had, and why was said."""
    _, needs, package, amount, line = PROGRAMS.get(name) or ("", shlex.split(options.command[name])[0], "", 1,
                                                             options.command[name])
    program, sizes, wrong = Program(bench, name, line, amount), {}, 0
    if not shutil.which(needs) and not os.path.exists(needs):
        say(f"{name} is left out: no {needs}" + (f" (package {package})" if package else ""))
        return None
    try:
        bench.prepare(name)
        program.once(None)
        program.once("none")
        for row in options.rows:
            if row == "lttng":
                continue
            counted, read, size, bad = program.once(row, CHECKED_WORK, check=True)
            bad += counted > 0 and not read
            wrong += bad
            sizes[row] = size / read if read > CHECKED_LEAST else None
            if bad or options.check_only:
                print(f"# {name} {row}: {counted} events, the newest {read} were read: {bad} wrong")
        rows = [row for row in options.rows if row != "lttng" or bench.lttng]
        found = [] if options.check_only else measure(program, rows, options.rounds)
    except (Failed, OSError, subprocess.TimeoutExpired) as why:
        say(f"{name} is left out: {why}")
        return None
    print_lines(name, found, sizes)
    return wrong


class Parser(argparse.ArgumentParser):
    def error(self, message):
        say(f"{message}; see --help")
        sys.exit(1)


def arguments():
    parser = Parser(add_help=False)
    parser.add_argument("build")
    parser.add_argument("--programs", type=str.split, default=list(PROGRAMS))
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--rows", type=str.split, default=list(ROWS))
    parser.add_argument("--rounds", type=int, default=40)
    for name in ("--check-only", "--list", "--help"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args()
    for names, known in ((options.programs, PROGRAMS), (options.rows, ROWS)):
        for one in names:
            if one not in known:
                parser.error(f"'{one}' is unknown; choose from {' '.join(known)}")
    if options.rounds < 1 or not options.rows:
        parser.error("--rounds is positive, and --rows names one or more")
    options.command = dict(one.split("=", 1) if "=" in one else parser.error(f"--command {one} is no NAME=LINE")
                           for one in options.command)
    return options


def main():
    options = arguments()
    if options.help:
        print(__doc__)
        return 0
    if options.list:
        print("\n".join(f"{name:9} {its[0]}" for name, its in PROGRAMS.items()))
        return 0
    if not options.check_only and not shutil.which("hyperfine"):
        say("no hyperfine (package hyperfine); --check-only does without")
        return 4
    # What works beside the programs leaves their CPU to them.
    os.sched_setaffinity(0, CPUS[:-1] or CPUS)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="stampede-programs-") as work:
        bench = Bench(options.build, work)
        try:
            if "lttng" in options.rows and not options.check_only:
                bench.start_lttng()
            if not options.check_only:
                print(f"| program, and its events | recorded by | slow-down, % | more than `{options.rows[0]}`, % of the run "
                      "| ns per event | bytes |\n|---|---|--:|--:|--:|--:|")
            wrong = [one_program(bench, name, options) for name in (*options.programs, *options.command)]
        except Failed as why:
            say(str(why))
        finally:
            bench.stop()
    return 2 if any(wrong) else 0 if 0 in wrong else 4


if __name__ == "__main__":
    sys.exit(main())
