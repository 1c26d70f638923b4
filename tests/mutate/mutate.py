# SPDX-License-Identifier: MIT
"""The judges are mutated by a machine (docs/verifying.md).

usage: mutate.py BUILD [--sample N] [--seed S] [--jobs J] [--json FILE] [FILE...]
Compiles every small change (operators.py) to the files of tests/mutate/targets alone, links it with the
tests named there and runs them, the fastest first; a change on which no test fails has survived.
BUILD is a whole build, as make mutate makes it. Exit status: 0 each group of files reaches its floor,
1 usage, 2 one does not, or an entry of tests/mutate/equivalent fits nothing.
"""
import argparse
import contextlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import operators

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = 4 << 30  # a mutant may ask for ever more
# What is written beside a table or never freed has an effect that a test can see.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SANITIZED = ("", "judge-tracer")  # the explorer has memory of its own
# Percent of all files whose names begin so; "": of the others.
FLOORS = {"judge/": 95, "results/": 95, "extras/": 90, "explore/order/": 90, "explore/swarm": 90, "traces/": 90,
          "workloads/": 90, "plots/compare": 90, "plots/guide": 90, "plots/answer": 90, "": 85}
# What whole tests find, these rows and so many traces of each fault find, too.
LESS = {"QUICK_ROWS": "=full_tsc =nested_stamps =delta_sync_hard =packed_word", "LINT_SEEDS": "4"}


def targets():
    """By file, its tests."""
    found = {}
    with open(os.path.join(HERE, "targets"), encoding="utf-8") as file:
        for line in file:
            name, _, tests = line.partition(":")
            if tests.strip() and not line.startswith("#"):
                found[name.strip()] = tests.split()
    return found


class Equivalents:
    """Lines of file, source line, `before -> after` and reason, with tabs between them."""

    def __init__(self):
        self.reasons, self.met = {}, set()
        path = os.path.join(HERE, "equivalent")
        with open(path, encoding="utf-8") as file:
            for line in file:
                parts = [part.strip() for part in line.split("\t")]
                if len(parts) == 4 and not line.startswith("#"):
                    self.reasons[tuple(parts[:3])] = parts[3]

    def __contains__(self, key):
        if key in self.reasons:
            self.met.add(key)
        return key in self.reasons

    def stale(self, files):
        return [key for key in self.reasons if key[0] in files and key not in self.met]


def command(make, source, target):
    """The compiler's or linker's line for a target, as make would run it."""
    said = subprocess.run(
        ["make", "-n", "V=1", "--no-print-directory", "-W", source, make, target],
        capture_output=True, text=True, check=False).stdout
    lines = [line for line in said.split("\n") if f"-o {target} " in line + " "]
    if not lines:
        sys.exit(f"make says nothing of {target}: {said[-400:]}")
    return shlex.split(lines[-1])


class Machine:
    def __init__(self, build, folder):
        self.build, self.folder, self.make = build, folder, f"BUILD={build}"
        self.links, self.compiles, self.seconds = {}, {}, {}
        self.lock = threading.Lock()
        # Symbols for debuggers make a link take five times as long.
        for name in os.listdir(build):
            if name.endswith(".a"):
                shutil.copy(os.path.join(build, name), folder)
                subprocess.run(["strip", "-g", os.path.join(folder, name)], check=True)

    def measure(self, test, good):
        """How long a test may take; one that fails without any change kills nothing."""
        if test not in self.seconds:
            begin = time.monotonic()
            if not good():
                sys.exit(f"{test} fails, or is skipped, without any change")
            self.seconds[test] = 3 * (time.monotonic() - begin) + 5

    def compile_line(self, source):
        target = f"{self.build}/obj/{os.path.splitext(source)[0]}.o"
        if source not in self.compiles:
            self.compiles[source] = command(self.make, source, target)
        return self.compiles[source]

    def flags(self, source):
        return [word for word in self.compile_line(source) if word[:2] in ("-D", "-I") or
                word.startswith("-std")]

    def link_line(self, program, source):
        if program not in self.links:
            self.links[program] = command(self.make, source, f"{self.build}/{program}")
        return self.links[program]

    def compiled(self, source, text, into, more=()):
        path, object_path = into + "/mutant.c", into + "/mutant.o"
        with open(path, "wb") as file:
            file.write(text)
        words = [word for word in self.compile_line(source)
                 if word not in ("-g", "-MMD", "-MP", "-Werror")]
        words[words.index(source)] = path
        words[words.index("-o") + 1] = object_path
        return run(words + list(more), 60) == 0

    def linked(self, program, source, into, out, more=()):
        """The mutant's object comes before all archives, and in the place of the source's own."""
        own = f"{self.build}/obj/{os.path.splitext(source)[0]}.o"
        words = [re.sub(rf"^{re.escape(self.build)}/(lib\w+\.a)$", rf"{self.folder}/\1", word)
                 for word in self.link_line(program, source) if word != own]
        words[words.index("-o") + 1] = out
        first = next(at for at, word in enumerate(words) if word.endswith(".a"))
        words.insert(first, into + "/mutant.o")
        return run(words + list(more), 60) == 0

    def tree(self):
        """What git has, to be linked to: a mutant takes its file's place in a tree of links."""
        copy = self.folder + "/tree"
        with self.lock:
            if not os.path.exists(copy):
                os.mkdir(copy)
                names = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE,
                                       check=True).stdout
                subprocess.run(["xargs", "-0", "cp", "--parents", "-t", copy], input=names,
                               check=True)
                os.symlink(os.path.abspath(self.build), copy + "/build")
        return copy

    def shadow(self, into, program):
        """A build that is ours but for one program."""
        folder = into + "/build"
        os.mkdir(folder)
        for name in os.listdir(self.build):
            if name != program:
                os.symlink(os.path.abspath(os.path.join(self.build, name)), f"{folder}/{name}")
        return folder


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limits_of_python():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # which sanitizers need more of


def run(words, seconds):
    """The exit status; None after so many seconds, or if it cannot be run."""
    environment = dict(os.environ, ASAN_OPTIONS=f"hard_rss_limit_mb={MEMORY >> 20}")
    try:
        return subprocess.run(words, timeout=seconds, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment, preexec_fn=limits, check=False).returncode
    except (subprocess.TimeoutExpired, OSError):
        return None


def end_marked(mark):
    """Ends what timeout(1) has taken out of a test's process group, and with it out of our reach."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:
            if mark.encode() in file.read():
                os.kill(int(process), signal.SIGKILL)


def passes(script, build, seconds, folder=None, prepare=limits):
    """Whether a test script says "ok" and no "not ok", at the first of which it is ended."""
    mark = f"{os.getpid()}.{time.monotonic_ns()}"
    environment = dict(os.environ, MUTANT=mark, **LESS)
    words = [sys.executable, "-B"] if script.endswith(".py") else ["sh"]
    with subprocess.Popen([*words, script, build], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", env=environment,
                          cwd=folder, start_new_session=True, preexec_fn=prepare) as child:
        late = threading.Event()

        def end():
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        asked = failed = False
        for line in child.stdout:
            asked |= line.startswith("ok") and " # SKIP " not in line
            failed = line.startswith("not ok")
            if failed:
                break
        timer.cancel()
        if failed and child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        good = child.wait() == 0
    end_marked(f"MUTANT={mark}")
    return good and asked and not failed and not late.is_set()


class OfC:
    """Its tests are programs, linked with the mutant and sanitizers, or SCRIPT@PROGRAM: a script
    run on a build whose PROGRAM has the mutant."""

    def __init__(self, machine, source, tests):
        self.machine, self.source, self.tests = machine, source, tests
        self.found = operators.of_c(source, machine.flags(source))
        with open(source, "rb") as file:
            text = file.read()
        for test in tests:
            machine.measure(test, lambda: self.good(text, test, 1200))

    def good(self, text, test, seconds):
        """Whether a test finds nothing wrong; None: it cannot be built."""
        script, _, program = test.partition("@")
        more = SANITIZE if program in SANITIZED else ()
        with tempfile.TemporaryDirectory(dir=self.machine.folder) as into:
            out = self.machine.shadow(into, program) + "/" + program if program else into + "/test"
            if not self.machine.compiled(self.source, text, into, more) or not self.machine.linked(
                    program or f"tests/{test}", self.source, into, out, more):
                return None
            if program:
                return passes(f"tests/{script}", os.path.dirname(out), seconds)
            return run([out], seconds) == 0

    def killer(self, text):
        """What objects: a test's name, "compiler", or None: the mutant has survived."""
        for test in self.tests:
            good = self.good(text, test, self.machine.seconds[test])
            if not good:
                return "compiler" if good is None else test
        return None


class InTree:
    """Python, and C that tests compile: in a tree of its own, since they find it by their own place."""

    def __init__(self, machine, source, tests):
        self.machine, self.source, self.tests = machine, source, tests
        self.found = operators.of_python(source) if source.endswith(".py") else \
            operators.of_c(source, ["-I.", "-D_GNU_SOURCE"])
        for test in tests:
            machine.measure(test, lambda: self.good(test, machine.tree(), 1200))

    def good(self, test, tree, seconds):
        with tempfile.TemporaryDirectory(dir=self.machine.folder) as into:
            # What adapters keep of C would be that of another mutant. A test may copy the build of Python.
            build = self.machine.build if self.source.endswith(".py") else self.machine.shadow(into, "tracers")
            return passes(f"tests/{test}", os.path.abspath(build), seconds, tree,
                          limits_of_python if test.endswith(".py") else limits)

    def killer(self, text):
        with tempfile.TemporaryDirectory(dir=self.machine.folder) as into:
            tree = into + "/tree"
            subprocess.run(["cp", "-rlP", self.machine.tree(), tree], check=True)
            os.unlink(f"{tree}/{self.source}")
            with open(f"{tree}/{self.source}", "wb") as file:
                file.write(text)
            for test in self.tests:
                if not self.good(test, tree, self.machine.seconds[test]):
                    return test
        return None


def mutants(machine, files, equivalents, options):
    """[(subject, mutation, key)] of all files, and how many are listed as equivalent."""
    found, listed = [], 0
    for source, tests in files.items():
        subject = (InTree if tests[0].endswith((".py", ".sh")) else OfC)(machine, source, tests)
        with open(source, "rb") as file:
            subject.text = file.read()
        lines = subject.text.decode().split("\n")
        for one in subject.found:
            key = (source, " ".join(lines[one.line - 1].split()),
                   " ".join(f"{one.before} -> {one.after}".split()))
            if key in equivalents:
                listed += 1
            else:
                found.append((subject, one, key))
    if options.sample and options.sample < len(found):
        found = random.Random(options.seed).sample(found, options.sample)
    return found, listed


def tried(item):
    """What kills a mutant; who survives is told at once, since the whole takes hours."""
    subject, one, key = item
    killer = subject.killer(subject.text[:one.begin] + one.after.encode() +
                            subject.text[one.end:])
    if not killer:
        print(f"{subject.source}:{one.line}: {key[2]} survives", file=sys.stderr, flush=True)
    return killer


def report(results, listed, stale):
    counted, sums, survivors = {}, {}, []
    for (subject, one, key), killer in results:
        counts = counted.setdefault(subject.source, {})
        counts[killer or "survived"] = counts.get(killer or "survived", 0) + 1
        if not killer:
            survivors.append((subject.source, one.line, key[2], key[1]))
    for source, line, what, text in sorted(survivors):
        print(f"survived  {source}:{line}: {what}    in: {text}")
    for source, counts in sorted(counted.items()):
        judged = sum(counts.values()) - counts.pop("compiler", 0)
        killed = judged - counts.get("survived", 0)
        group = next(name for name in FLOORS if source.startswith(name))
        sums[group] = [a + b for a, b in zip(sums.get(group, (0, 0)), (killed, judged))]
        print(f"{source}: {killed} of {judged} mutants killed, {100 * killed / max(judged, 1):.1f} %; by " +
              ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: -item[1])))
    low = bool(stale)
    for group, (killed, judged) in sums.items():
        low |= 100 * killed < FLOORS[group] * judged
        print(f"{group or 'others'}: {killed} of {judged}, {100 * killed / max(judged, 1):.1f} % ({FLOORS[group]} asked)")
    print(f"equivalent by the list: {listed}")
    for key in stale:
        print("stale in tests/mutate/equivalent: " + "    ".join(key))
    return survivors, low


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    parser.add_argument("files", nargs="*")
    options = parser.parse_intermixed_args()
    files = {name: tests for name, tests in targets().items()
             if not options.files or any(name.startswith(one) for one in options.files)}
    if not files:
        parser.error("no file of tests/mutate/targets begins with these words")
    equivalents = Equivalents()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options.build, folder)
        found, listed = mutants(machine, files, equivalents, options)
        with ThreadPoolExecutor(options.jobs) as pool:
            killers = list(pool.map(tried, found))
    stale = [] if options.sample else equivalents.stale(files)
    survivors, low = report(list(zip(found, killers)), listed, stale)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"mutants": len(found), "survivors": survivors}, file, indent=1)
    return 2 if low else 0


if __name__ == "__main__":
    sys.exit(main())
