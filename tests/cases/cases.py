#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Known faults, each put into a copy of the tree, built, and explored.

usage: cases.py [--build DIR] [--jobs N] [--objects] [--without-oracle O] [-v]
                [--points] [--swarm SEED [--seconds N] [--each N]] CASE...

A CASE is a patch (one of a file *.patches, in a file of its own: build/mutants, build/history), or a table of rows
(schemes/history/history.def), of which each X(row, header, defines) is a case. It opens with a head
of "key: value" lines, in comments; an indented line goes on with the value before it:

  row: nested_stamps                        which row the fault is in (a patch; a table says it)
  base: extended_header                     the row that it is a fault of (a table; a patch's is its
                                            row of today)
  source: mail or commit, date              (history)
  fault: what is wrong, in a sentence or two
  breaks: --shape page --events 2 ...       the smallest budget that breaks it, as build/explore has
                                            it; the base survives the same
  oracle: exact                             which has to object there; "precision": none does, but
                                            more stamps are declared inexact than in the base
  equivalent: why nothing can break         instead of the two; breaks: is then what was searched
  storm: --bits 16 ...                      instead of the two: run-stress with the row breaks a
                                            promise, as the row of today does not
  because: why only a storm shows it        beside storm:

The budget is pinned: with one event, interrupt, level, jump, step back, traced read, beat, read, discard, flush, preemption
or full sub-buffer less, from one offset or phase only, from no particular start, with small events,
or with a strict clock, nothing may break. --objects only builds what is explored. With --points stops
are the labelled points, as on machines other than x86-64, and storms are left out. With --swarm the
budget is not told: each case that a search breaks has --seconds (60) of a swarm's draws, of --each
(2) seconds at most, to be broken where its base is kept. Prints a table.
Exit code: 0 all as they say, 1 otherwise: a fault that survives, one
that is found below its budget or by another oracle, a patch that does not apply, a tree that does
not build.
"""
import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import textwrap
import threading
import time

sys.path.append("explore")
import swarm

KEYS = ("row", "base", "source", "fault", "breaks", "oracle", "equivalent", "storm", "because")
with open("explore/engine/budget.def") as parts:
    SHORT = dict(re.findall(r'^X\((\w+), "(\w+)"', parts.read(), re.M))
# What there can be less of, and still a search like it.
LEAST = {name: int(name in ("events", "depth")) for name in [*SHORT, "full"] if name != "writers"}
ROW = re.compile(r"^X\((\w+),")
SOURCES = ("base", "schemes", "traces", "judge", "workloads", "explore")  # as in tree.sh
FLAGS = ("CC", "CFLAGS", "OPT", "SANITIZE", "WERROR", "EXPLORE_CC", "EXPLORE_OPT")
with open("explore/shapes.def") as parts:
    SHAPES = re.findall(r"^X\((\w+),", parts.read(), re.M)
STORMS = 3  # signals come when they come


class Failure(Exception):
    """The case is not as it says."""


class NotHere(Exception):
    """This machine cannot say, such as one without rseq."""


def head(lines):
    """The head's values by key."""
    values, key = {}, None
    for line in lines:
        text = re.sub(r"^\s*(#|/\*|\*)\s?", "", line.rstrip("\n"))
        found = re.match(r"^(\w+): *(.*)$", text)
        if found and found.group(1) in KEYS:
            key = found.group(1)
            values[key] = found.group(2)
        elif key and text.startswith(" ") and text.strip("*/ "):
            values[key] += " " + text.strip()
        else:
            key = None
    return values


class Case:
    def __init__(self, name, path, values, patch):
        self.name, self.path, self.patch = name, path, patch
        for key in KEYS:
            setattr(self, key, values.get(key, ""))
        if patch:
            self.base = self.row
        if self.storm:
            wanted = ["row", "fault", "because"]
        else:
            wanted = ["row", "fault", "breaks"] + ([] if self.equivalent else ["base", "oracle"]) + ["source"] * ("history/" in path)
        missing = [key for key in wanted if not getattr(self, key)]
        if missing:
            sys.exit("cases.py: %s: %s: no \"%s:\" in its head" % (path, name, missing[0]))
        self.budget, self.shape = self.breaks.split(), "storm"
        if self.storm:
            return
        if "--shape" not in self.budget:
            sys.exit("cases.py: %s: %s: its budget has no --shape" % (path, name))
        # One object for all shapes, where memory has C11's order.
        self.shape = "order" if "--order" in self.budget else self.budget[self.budget.index("--shape") + 1]

    def pinned(self):
        """The budget in few characters."""
        if self.storm:
            return self.storm
        words, out = self.budget, []
        for i, word in enumerate(words):
            if word.startswith("--") and i + 1 < len(words):
                key, value = word[2:], words[i + 1]
                if key in ("clock", "mode", "order", "size"):
                    out.append(value)
                elif key in ("offsets", "phases"):
                    out.append("all " + key)
                elif key == "start":
                    out.append("from " + value.partition(":")[0])
                elif key in LEAST and value != "0" and not (key == "depth" and value == "1"):
                    out.append("%s=%s" % (SHORT.get(key, key), value))
        return " ".join(out)

    def below(self):
        """Each budget that is smaller by one step."""
        words, found = self.budget, []
        for i in range(0, len(words) - 1):
            key, value = words[i][2:], words[i + 1]
            if key in LEAST and int(value) > LEAST[key]:
                less = words[:i + 1] + [str(int(value) - 1)] + words[i + 2:]
                if key == "nested" and "--depth" in less:
                    depth = less.index("--depth") + 1
                    less[depth] = str(min(int(less[depth]), int(value) - 1))
                found.append(less)
            elif key in ("offsets", "phases", "start", "size") or words[i:i + 2] == ["--clock", "coarse"]:
                found.append(words[:i] + words[i + 2:])
        if "--depth" not in words and "--nested" in words:
            nested = int(words[words.index("--nested") + 1])
            if nested > 1:
                found.append(words + ["--depth", str(nested - 1)])
        return found


def read_cases(path):
    with open(path) as file:
        lines = file.readlines()
    if path.endswith(".patch"):
        end = next((i for i, line in enumerate(lines) if line.startswith("--- ")), len(lines))
        name = os.path.basename(path)[:-len(".patch")]
        return [Case(name, path, head(lines[:end]), path)]
    cases, begin = [], 0
    for i, line in enumerate(lines):
        found = ROW.match(line)
        if found:
            values = dict(head(lines[begin:i]), row=found.group(1))
            cases.append(Case(found.group(1), path, values, None))
            begin = i + 1
    return cases


class Once:
    """What several threads want and one of them finds out."""
    def __init__(self):
        self.lock, self.found = threading.Lock(), {}

    def get(self, key, find):
        with self.lock:
            entry = self.found.setdefault(key, [threading.Lock()])
        with entry[0]:
            if len(entry) == 1:
                entry.append(find())
            return entry[1]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **more)


@contextlib.contextmanager
def alone(directory):
    """With a lock on the directory: tests run side by side, and share cases."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(options, *words):
    """make, and what it said if it failed."""
    variables = ["BUILD=" + options.build]
    inherited = {key: value for key, value in os.environ.items()
                 if key not in ("MAKEFLAGS", "MFLAGS")}
    done = run(["make", "--no-print-directory", "-s"] + variables + list(words), env=inherited)
    return done.stdout[-2000:] if done.returncode else ""


def own(options, what):
    """A directory such as build/explored."""
    return os.path.join(options.build, what)


def object_name(row, shape, options):
    return "%s.%s%s.so" % (row, shape, ".points" if options.points else "")


def base_object(case, options, shape=None):
    return os.path.join(own(options, "explored"), object_name(case.base, shape or case.shape, options))


def plain_objects(cases, options):
    """What no patch is in: bases, and rows of tables."""
    found = set()
    for case in cases:
        if not case.storm and case.base and not case.equivalent:
            found.update(base_object(case, options, shape)
                         for shape in (drawn_shapes(case) if options.swarm else [case.shape]))
        if not case.storm and not case.patch:
            found.add(case_object(case, options))
    return sorted(found)


def is_text(path, text):
    if not os.path.exists(path):
        return False
    with open(path) as file:
        return file.read() == text


def made_of(options, patch=""):
    """A digest of all that make would make an object of: sources, rules, flags, patch."""
    def sources():
        digest = hashlib.sha256()
        folders = (os.path.join(place, name) for folder in SOURCES
                   for place, _, names in os.walk(folder) for name in names)
        for name in ["Makefile", os.path.join(options.build, "flags")] + sorted(folders):
            with open(name, "rb") as file:
                digest.update(b"%s %d " % (name.encode(), os.stat(name).st_size) + file.read())
        for name in FLAGS:
            digest.update(b"%s " % os.environ.get(name, "").encode())
        return digest.hexdigest()

    return hashlib.sha256((patch + options.explored.get("sources", sources)).encode()).hexdigest()


def mark_of(built, options):
    """What stands beside a plain object that is up to date: of what it is, and since when."""
    return "%s %d" % (made_of(options), os.stat(built).st_mtime_ns)


def make_plain(plain, options):
    """To ask make takes longer than most searches: only where sources or object have changed."""
    if os.path.exists(os.path.join(options.build, "flags")) and all(
            os.path.exists(built) and is_text(built + ".made_of", mark_of(built, options))
            for built in plain):
        return ""
    said = make(options, "-k", "-j%d" % options.jobs, "EXPLORED=" + own(options, "explored"),
                own(options, "flags"), *plain)
    options.explored = Once()  # flags may have changed
    for built in plain if not said else []:
        with open(built + ".made_of", "w") as file:
            file.write(mark_of(built, options))
    return said


def changes(case):
    """The patch without its head: what it says of the fault changes no object."""
    with open(case.patch) as file:
        text = file.read()
    return text[text.index("--- "):] if "--- " in text else text


def patched_tree(case, directory):
    """A copy of the sources with the patch in it; what it leaves alone keeps its age."""
    tree = os.path.join(directory, "tree")
    shutil.rmtree(tree, ignore_errors=True)
    run(["sh", "tests/cases/tree.sh", tree])
    done = run(["patch", "-p1", "-s", "-f", "-F0", "-r-", "-d", tree,
                "-i", os.path.abspath(case.patch)])
    if done.returncode:
        raise Failure("DOES NOT APPLY: " + " ".join(done.stdout.split())[:200])
    text = changes(case)
    for name in set(re.findall(r"^\+\+\+ b/(\S+)", text, re.M)):
        age = max(os.stat(name).st_mtime if os.path.exists(name) else 0,
                  os.stat(case.patch).st_mtime)
        os.utime(os.path.join(tree, name), (age, age))
    # An older object of another patch of that name is no object of this one.
    mark, digest = os.path.join(directory, "patch"), hashlib.sha256(text.encode()).hexdigest()
    if not is_text(mark, digest):
        for old in os.listdir(directory):
            if old.endswith((".so", ".o", ".storm")):
                os.unlink(os.path.join(directory, old))
        with open(mark, "w") as file:
            file.write(digest)
    return tree


def case_object(case, options):
    if not case.patch:
        return os.path.join(own(options, "explored"), object_name(case.row, case.shape, options))
    name = case.row + ".storm" if case.storm else object_name(case.row, case.shape, options)
    return os.path.join(own(options, "cases"), case.name, name)


def build_case(case, options):
    """The case's explored row, or a storm with the row in it."""
    built = case_object(case, options)
    if case.patch:
        directory, mark = os.path.dirname(built), built + ".made_of"
        with alone(directory):
            # A storm has the whole library in it.
            digest = made_of(options, changes(case))
            if not case.storm and is_text(mark, digest) and os.path.exists(built):
                return built
            said = make(options, "EXPLORED=" + directory, "TREE=" + patched_tree(case, directory),
                        "EXPLORE_WARN=-w", built)
            if not said:
                with open(mark, "w") as file:
                    file.write(digest)
        if said:
            raise Failure("DOES NOT BUILD:\n" + said)
    if not os.path.exists(built):
        raise Failure("DOES NOT BUILD: no " + built)
    return built


def searched(options, words, timeout=None):
    """What build/explore --json says, and whether something broke."""
    done = subprocess.run([os.path.join(options.build, "explore"), "--json", "-"] + words,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=timeout)
    if done.returncode not in (0, 2):
        raise Failure("NOT EXPLORED: " + done.stderr[-500:])
    return json.loads(done.stdout), done.returncode == 2


def explore(built, budget, options):
    """The one family that was searched, as build/explore --json has it."""
    return options.explored.get((built, tuple(budget)),
                                lambda: explore_now(built, budget, options))


def explore_now(built, budget, options):
    words = ["--object", built, "--processes", "1"] + budget
    if options.points:
        words += ["--stops", "points"]
    if options.without_oracle:
        words += ["--without-oracle", options.without_oracle]
    document, broken = searched(options, words, timeout=600)
    family = document["rows"][0]["families"][0]
    if broken != (family["verdict"] == "broken") or broken != bool(family["objections"]):
        raise Failure("NOT UNDERSTOOD: %s" % family)
    return family


def inexact(built, case, options):
    family = explore(built, case.budget, options)
    return family["inexact"] if not family["objections"] else -1


def precision(case, built, options):
    """Nothing is wrong, but more is declared inexact than by the base in the same search."""
    patched = inexact(built, case, options)
    plain = inexact(base_object(case, options), case, options)
    if patched <= plain:
        return False, "SURVIVES: %d inexact stamps, and %d in %s" % (patched, plain, case.base)
    return True, "precision (%d inexact stamps, %d in %s)" % (patched, plain, case.base)


def storm(program, case):
    """Does the checker object to what the row records in a storm?"""
    done = run([program, "--scheme", "=" + case.row] + case.storm.split(), timeout=120)
    if done.returncode == 4:
        raise NotHere(done.stdout.strip()[-200:])
    if done.returncode not in (0, 2):
        raise Failure("NO STORM: " + done.stdout[-500:])
    case.printed = done.stdout
    return done.returncode == 2


def judge_storm(case, built, options):
    """A storm with the patched row breaks a promise, one with today's none."""
    if storm(os.path.join(options.build, "run-stress"), case):
        return False, "BREAKS today"
    for _ in range(STORMS):
        if storm(built, case):
            objecting = re.search(r"objections:((?: \w+ \d+,?)*)", case.printed)
            return True, " ".join(objecting.group(1).split()[::2] if objecting else ["?"])
    return False, "SURVIVES"


def judge(case, options):
    """(good?, what it did)"""
    built = build_case(case, options)
    if case.storm:
        return judge_storm(case, built, options)
    family = explore(built, case.budget, options)
    oracles, case.printed = list(family["objections"]), family["first"] or ""
    if case.oracle == "precision" and not oracles:
        return precision(case, built, options)
    if case.equivalent:
        return (False, "BREAKS: " + " ".join(oracles)) if oracles else (True, "equivalent")
    if not oracles:
        return False, "SURVIVES"
    if case.oracle not in oracles:
        return False, "%s does not object, only %s" % (case.oracle, " ".join(oracles))
    sound = explore(base_object(case, options), case.budget, options)["objections"]
    if sound:
        return False, "BREAKS %s TOO: %s" % (case.base, " ".join(sound))
    for less in case.below():
        if explore(built, less, options)["objections"]:
            return False, "BREAKS BELOW, at " + " ".join(less)
    return True, " ".join([case.oracle] + [name for name in oracles if name != case.oracle])


def drawn_shapes(case):
    """C11's order for what readers and several CPUs meet."""
    across = {"--order", "--live", "--writers"} & {*case.budget}
    return [*SHAPES, *["order"] * len(SHAPES)] if across else SHAPES  # half of the draws


def drawn(case, options):
    """A swarm's draws, until one breaks the case and not its base."""
    chance, begin = random.Random("%d.%s" % (options.swarm, case.name)), time.monotonic()
    case.draws, case.took, case.printed = 0, 0, ""
    while case.took < options.seconds:
        case.shape = chance.choice(drawn_shapes(case))
        start = time.monotonic()
        row = swarm.Row(options.build, case.row, build_case(case, options))
        base = swarm.Row(options.build, case.base, base_object(case, options))
        begin += time.monotonic() - start  # to build takes longer than most draws
        words = row.draw(chance)
        case.draws += 1
        broken = row.run(words, options.each)[0] == 2
        kept = broken and base.run(words, options.each)[0] != 2
        case.took, case.budget = time.monotonic() - begin, swarm.words_of(words)
        if kept:
            return True, "draw %d, %.1f s" % (case.draws, case.took)
        if broken:
            case.printed += "breaks %s too: %s\n" % (case.base, " ".join(base.command(words)))
    case.budget = []
    return False, "NOT FOUND in %d draws, %.0f s" % (case.draws, case.took)


def soon(cases, failed):
    """How many a swarm has found, and how soon."""
    found = [case for case in cases if case.name not in failed]
    for what, values in (("draw", [case.draws for case in found]), ("second", [case.took for case in found])):
        if found:
            print("%d of %d found; %s: median %.1f, worst %.1f" % (
                len(found), len(cases), what, statistics.median(values), max(values)))


def report(case, good, what, options):
    where = "%s.%s" % (case.row, case.shape)
    print("%s %-34s %-30s %-26s %s" % (" " if good else "!", case.name, where, case.pinned(), what))
    for label, text in (("source", case.source), ("fault", case.fault), ("proof", case.equivalent),
                        ("because", case.because)):
        if text and (options.verbose or not good or label in ("proof", "because")):
            print(textwrap.fill("%s: %s" % (label, text), 100, initial_indent="      ",
                                subsequent_indent="        "))
    if options.verbose and getattr(case, "printed", ""):
        print(textwrap.indent(case.printed, "      "))
    sys.stdout.flush()


def work(cases, options, failed, lock):
    while True:
        with lock:
            if not cases:
                return
            case = cases.pop(0)
        try:
            if options.objects:
                build_case(case, options)
                continue
            good, what = (drawn if options.swarm else judge)(case, options)
        except Failure as failure:
            good, what = False, str(failure)
        except NotHere as reason:
            good, what = True, "NOT JUDGED HERE: %s" % reason
        except subprocess.TimeoutExpired:
            good, what = False, "NOT EXPLORED within 10 minutes"
        with lock:
            report(case, good, what, options)
            if not good:
                failed.append(case.name)


def parse():
    parser = argparse.ArgumentParser(usage=" ".join(__doc__.split("\n\n")[1].split())[7:])
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--points", action="store_true")
    parser.add_argument("--swarm", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--each", type=float, default=2)
    parser.add_argument("--without-oracle")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    options.explored = Once()
    return options


def main():
    options = parse()
    cases = [case for path in options.cases for case in read_cases(path)]
    if options.points:
        cases = [case for case in cases if not case.storm]
    if options.swarm:
        cases = [case for case in cases if case.oracle and case.oracle != "precision"]
    failed, lock = [], threading.Lock()
    plain = plain_objects(cases, options)
    with alone(own(options, "explored")):
        said = make_plain(plain, options)
    if said:
        print(said)
    todo = list(cases)
    if not options.objects:
        print("  %-34s %-30s %-26s %s" % ("case", "row", "smallest budget", "objecting"))
    threads = [threading.Thread(target=work, args=(todo, options, failed, lock))
               for _ in range(max(1, options.jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if options.swarm:
        soon(cases, failed)
    if not options.objects:
        print("%d cases, %d of them equivalent: %s" % (
            len(cases), len([case for case in cases if case.equivalent]),
            "NOT AS THEY SAY: " + " ".join(sorted(failed)) if failed else "all as they say"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
