#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does a tracer cost a real program, and does it matter which row stamps its events?

usage: programs.py BUILD [option...]
  --programs "A B"     which programs (all of them); --list prints them
  --command NAME=LINE  also this program, traced in malloc and calls; several times
  --sets "A B"         what is traced: malloc, calls, functions
  --rows "A B"         of packed_word, varint_low, full_tsc and lttng
  --rounds N           at most so many rounds (40), at least 7
  --within PERCENT     a program is done when each time is known to this, +-, as a multiple of the untraced one (1)
  --work X             how much each program has to do, times what is usual (1)
  --judge-only         judge the times, and measure nothing
  --json FILE          write figures there, too (BUILD/programs/programs.json)
A round runs every variant once, all at the same time and on one CPU, which they share in turns: what slows the
machine slows them all. The variants are: untraced (twice), interposed only, and each tracer. Times are CPU time of
the process and its children, user and system. Intervals are of 95 %, by order statistics.
exit: 0 fine, 1 usage, 2 a time is wrong, 4 nothing can be traced
"""
import argparse
import concurrent.futures
import datetime
import itertools
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from statistics import median

import workloads
from judge import judge
from lttng import Lttng

LEAST_ROUNDS, TIMEOUT_S = 7, 120
LEAST_S = 0.0003  # of a slow-down that is as good as known, where a program takes no time
ROWS = ("packed_word", "varint_low", "full_tsc", "lttng")
SETS = ("malloc", "calls", "functions")


def say(text):
    print(f"stampede: {text}", file=sys.stderr, flush=True)


def interval(values):
    """The median, and order statistics that hold the true one with 95 %; None: too few values."""
    values, count = sorted(values), len(values)
    below, term, rank = 0.0, 0.5 ** count, 0
    while rank < count // 2 and below + term <= 0.025:
        below += term
        term = term * (count - rank) / (rank + 1)
        rank += 1
    return {"middle": median(values), "low": values[rank - 1] if rank else None,
            "high": values[count - rank] if rank else None}


def half_width(its):
    return float("inf") if its["low"] is None else max(its["high"] - its["middle"], its["middle"] - its["low"])


class Failed(Exception):
    pass


class Bench:
    """Runs programs, traced or not, in a folder of their own; root runs them as nobody, as LTTng's are."""

    def __init__(self, build, scratch):
        self.build, self.scratch = os.path.abspath(build), scratch
        self.identity = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        self.libraries = os.path.join(scratch, "lib")
        shutil.copytree(os.path.join(self.build, "programs"), self.libraries,
                        ignore=lambda folder, names: [one for one in names if not one.endswith(".so")])
        self.runs, self.starts = itertools.count(), {}  # seconds that a tracer takes in a program that does nothing
        for path in (scratch, os.path.join(scratch, "work")):
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o755)
            if self.identity:
                shutil.chown(path, "nobody", "nogroup")

    def library(self, kind, recorder, judged=False):
        path = os.path.join(self.libraries, f"{kind}.{recorder}{'.judged' if judged else ''}.so")
        return path if os.path.exists(path) else None

    def run(self, program, kind=None, recorder=None, mode="count", judged=False, more=None):
        """CPU seconds, and the folder of what was written; Failed says why not."""
        folder = os.path.join(self.scratch, f"run{next(self.runs)}")
        os.mkdir(folder)
        if self.identity:
            shutil.chown(folder, "nobody", "nogroup")
        env = {"PATH": "/usr/bin:/bin", "HOME": self.scratch, "TMPDIR": f"{self.scratch}/work", "LC_ALL": "C",
               **(more or {})}
        if recorder:
            env.update(LD_PRELOAD=self.library(kind, recorder, judged), STAMPEDE_FOLDER=folder, STAMPEDE_MODE=mode)
        try:
            status, usage = program.run(env, self.identity, folder, TIMEOUT_S)
        except OSError as error:
            raise Failed(str(error)) from error
        if os.WIFSIGNALED(status):
            raise Failed(f"ended by {signal.Signals(os.WTERMSIG(status)).name}")
        if os.WEXITSTATUS(status):
            raise Failed(f"exit code {os.WEXITSTATUS(status)}")
        if recorder and not any(one.endswith(".counts") for one in os.listdir(folder)):
            raise Failed("the library did not attach (a static or setuid program?)")
        return usage.ru_utime + usage.ru_stime, folder

    def counts(self, folder):
        """Events, bytes and events that were read, over all processes and threads, and processes."""
        total, processes = [0, 0, 0], 0
        for name in os.listdir(folder):
            if name.endswith(".counts"):
                processes += 1
                with open(os.path.join(folder, name), encoding="ascii") as file:
                    for words in map(str.split, file):
                        if words[0] != "end":
                            total = [a + int(b) for a, b in zip(total, (words[1], words[4], words[5]))]
        return (*total, processes)


def judge_rows(bench, program, kind, rows, sessions):
    """For each row whether its times are right, and its bytes per event; a row that fails is left out."""
    found = {}
    for row in rows:
        try:
            if row == "lttng":
                found[row] = sessions.judge(bench, program, kind)
                continue
            problems, lines = [], []
            for mode in ("write", "overwrite"):
                _, folder = bench.run(program.small(), kind, row, mode, judged=True)
                judged = judge(kind, mode, folder)
                problems += judged.wrong
                lines.append(judged.line())
                shutil.rmtree(folder)
            _, folder = bench.run(program.small(), kind, row, "overwrite")
            _, size, events, _ = bench.counts(folder)
            shutil.rmtree(folder)
            found[row] = {"judged": lines, "wrong": problems[:10], "bytes": size / events if events > 500 else None}
        except Failed as why:
            say(f"{program.name}: {kind} traced by {row} is left out: {why}")
    return found


def at_once(bench, program, variants, sessions):
    """(CPU seconds, events and so on) of each; all are started in random order."""
    def one_run(kind, recorder):
        try:
            cpu, folder = bench.run(program, kind, recorder, more=sessions.env if recorder == "lttng" else None)
        except Failed as why:
            raise Failed(f"{kind} {recorder}: {why}") from why
        counts = bench.counts(folder)
        shutil.rmtree(folder)
        return cpu, counts

    with concurrent.futures.ThreadPoolExecutor(len(variants)) as pool:
        try:
            runs = {one: pool.submit(one_run, *one) for one in random.sample(variants, len(variants))}
            return {one: run.result() for one, run in runs.items()}
        except BaseException:
            workloads.ending.set()
            raise


def measure(bench, program, kinds, options, sessions):
    """Rounds, until each slow-down is known well enough."""
    variants = [("untraced", None), ("again", None)]
    variants += [(kind, recorder) for kind, its in kinds.items() for recorder in ("none", *its)]
    rounds = []
    while len(rounds) < options.rounds:
        rounds.append(at_once(bench, program, variants, sessions))
        found = results(rounds, kinds, bench.starts)
        if len(rounds) >= LEAST_ROUNDS and all(known(one, options.within) for one in found):
            break
    return len(rounds), found


def known(one, within):
    return half_width(one["percent"]) <= max(within * one["cpu_s"], 100 * LEAST_S) / one["plain_s"]


def results(rounds, kinds, starts):
    cpu = {one: [its[one][0] for its in rounds] for one in rounds[0]}
    two = [cpu["untraced", None], cpu["again", None]]
    base = [sum(one) / 2 for one in zip(*two)]

    def relative(these, those):
        return interval([100 * (one - other) / plain for one, other, plain in zip(these, those, base)])

    # Who measures nothing sees nothing: the untraced runs against each other.
    found = [{"traced": "-", "by": "untraced", "events": 0, "cpu_s": median(two[1]), "plain_s": median(base),
              "cpu": two[1], "percent": relative(two[1], two[0]), "ns": None, "more_percent": None}]
    for kind, rows in kinds.items():
        for recorder in ("none", *rows):
            its, only, first = cpu[kind, recorder], cpu[kind, "none"], cpu[kind, next(iter(rows))]
            count, processes = (median(one[kind, recorder][1][at] for one in rounds) for at in (0, 3))
            start = processes * starts.get((kind, recorder), 0)
            found.append({
                "traced": kind, "by": recorder, "events": count, "cpu_s": median(its), "plain_s": median(base),
                "start_s": start, "cpu": its, "plain_cpu": base, "percent": relative(its, base),
                "ns": interval([1e9 * (one - alone - start) / count for one, alone in zip(its, only)])
                      if recorder != "none" and count else None,
                # Does it matter which? Against the first of them.
                "more_percent": relative(its, first) if recorder not in ("none", next(iter(rows))) else None,
                # Against the interposer and not against no tracer at all: what the row itself takes.
                "row_percent": relative(its, only) if recorder != "none" else None,
                **(rows.get(recorder) or {}),
            })
    return found


def shown(its, digits=1):
    if its is None:
        return "-"
    if its["low"] is None:
        return f"{its['middle']:.{digits}f}"
    return f"{its['middle']:.{digits}f} ({its['low']:.{digits}f} .. {its['high']:.{digits}f})"


def print_lines(program, found):
    for one in found:
        # Below 1000 events a run, dividing by them says nothing.
        ns = shown(one["ns"], 0) if one["events"] >= 1000 else "-"
        print(f"{program.name:9} {one['traced']:9} {one['by']:12} {one['events']:>9.0f} {1000 * one['cpu_s']:>7.1f} "
              f"{shown(one['percent']):>22} {shown(one['more_percent']):>23} {ns:>18} "
              f"{'-' if not one.get('bytes') else format(one['bytes'], '.1f'):>6} "
              f"{'WRONG' if one.get('wrong') else 'right' if one.get('judged') and one['events'] else '-'}", flush=True)


def draw(record, path):
    """Draws programs.png beside the figures, or prints why it cannot. Slow-downs of 100 % and more are factors."""
    folder, parts = os.path.dirname(path) or ".", {"little": [], "much": []}
    for program in record:
        its = [one for one in program["results"] if one["percent"]["low"] is not None and one["percent"]["middle"] is not None]
        part = parts["much" if any(one["percent"]["middle"] >= 100 for one in its) else "little"]
        for one in its:
            label = f"{program['program']} " + (f"{one['traced']} {one['by']}" if one["traced"] != "-" else "untraced, again")
            part.append(f'{len(part) + 1} "{label}" {one["percent"]["middle"]} {one["percent"]["low"]} {one["percent"]["high"]} '
                        f'"{one["by"]}"\n')
    if not shutil.which("gnuplot") or not any(parts.values()):
        say("no picture: " + ("too few rounds" if shutil.which("gnuplot") else "no gnuplot (package gnuplot-nox)"))
        return
    words = [f"format = 'png'; caption_machine = '{workloads.processor()}'; caption_run = ''"]
    for part, lines in parts.items():
        with open(f"{folder}/{part}.dat", "w", encoding="utf-8") as file:
            file.writelines(lines)
        words.append(f"{part} = '{os.path.abspath(folder)}/{part}.dat'; {part}_rows = {len(lines)}")
    with open(f"{folder}/programs.png", "wb") as file:
        subprocess.run(["gnuplot", "-d", "-e", "to_stdout = 1; " + "; ".join(words), "extras/programs/programs.gp"],
                       cwd=workloads.TOP, stdout=file, check=False)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        say(f"{message}; see --help")
        sys.exit(1)


def arguments():
    parser = Parser(add_help=False)
    parser.add_argument("build")
    parser.add_argument("--programs", type=str.split)
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--sets", type=str.split, default=SETS)
    parser.add_argument("--rows", type=str.split, default=ROWS)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--within", type=float, default=1)
    parser.add_argument("--work", type=float, default=1)
    parser.add_argument("--json")
    for flag in ("--judge-only", "--list", "--help"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    for names, known in ((options.sets, SETS), (options.rows, ROWS)):
        for one in names:
            if one not in known:
                parser.error(f"'{one}' is unknown; choose from {' '.join(known)}")
    if options.rounds < 1 or options.work <= 0:
        parser.error("--rounds and --work are positive")
    return options


def one_program(bench, program, options, sessions):
    """(kinds judged, rounds, results); None: it cannot be had here, and why was said."""
    why = program.prepare(bench)
    if why:
        say(f"{program.name} is left out: {why}")
        return None
    try:
        bench.run(program)
        kinds = {}
        for kind in options.sets:
            rows = [one for one in options.rows if bench.library(kind, one)
                    and (one != "lttng" or sessions.start())]
            if kind in program.kinds:
                kinds[kind] = judge_rows(bench, program, kind, rows, sessions)
        kinds = {kind: rows for kind, rows in kinds.items() if rows}
        if not kinds:
            return None
        if options.judge_only:
            return kinds, 0, []
        rounds, found = measure(bench, program, kinds, options, sessions)
        if program.does_nothing:
            bench.starts = {(one["traced"], one["by"]): one["row_percent"]["middle"] / 100 * one["plain_s"]
                            for one in found if one.get("row_percent")}
        return kinds, rounds, found
    except Failed as why:
        say(f"{program.name} is left out: {why}")
        return None


def run_all(bench, programs, options, sessions):
    record, wrong = [], False
    if not options.judge_only:
        print(f"{'program':9} {'traced':9} {'by':12} {'events':>9} {'CPU ms':>7} {'slow-down %':>22} "
              f"{'more than ' + options.rows[0] + ' %':>23} {'ns per event':>18} {'bytes':>6} times")
    for program in programs:
        done = one_program(bench, program, options, sessions)
        if not done:
            continue
        kinds, rounds, found = done
        for kind, rows in kinds.items():
            for row, its in rows.items():
                wrong = wrong or bool(its["wrong"])
                for line in its["wrong"]:
                    print(f"# {program.name} {kind} {row}: {line}")
                for line in its["judged"] if options.judge_only else ():
                    print(f"{program.name} {kind} {row}: {line}", flush=True)
        print_lines(program, found)
        record.append({"program": program.name, "rounds": rounds, "judged": kinds, "results": found})
    return record, wrong


def main():
    options = arguments()
    if options.help:
        print(__doc__)
        return 0
    programs = workloads.all_programs(options.work, options.command, options.programs)
    if options.list:
        print("\n".join(f"{one.name:9} {one.says}" for one in programs))
        return 0
    # An end in order: the session daemon and what runs end, too.
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda number, frame: sys.exit(128 + number))
    workloads.keep_off()
    with tempfile.TemporaryDirectory(prefix="stampede-programs-") as scratch:
        bench = Bench(options.build, scratch)
        sessions = Lttng(scratch, bench.identity, say)
        try:
            record, wrong = run_all(bench, programs, options, sessions)
        finally:
            sessions.stop()
    path = options.json or os.path.join(options.build, "programs", "programs.json")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"date": datetime.date.today().isoformat(), "machine": workloads.processor(),
                   "kernel": platform.release(), "cpus": os.cpu_count(), "programs": record}, file, indent=1)
    os.replace(path + ".part", path)
    if record and not options.judge_only:
        draw(record, path)
    return 2 if wrong else 0 if record else 4


if __name__ == "__main__":
    sys.exit(main())
