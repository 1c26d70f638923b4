# SPDX-License-Identifier: MIT
"""What the tests of plots/ share: a run made from the synthetic sample, and TAP for run.sh.

usage of each: python3 tests/plots/test_x.py BUILD [TEST...]
"""
import contextlib
import html
import io
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.dirname(TESTS)
sys.path.insert(0, os.path.join(SOURCES, "plots"))

import files  # noqa: E402

files.need_jinja2()

import main as plots_main  # noqa: E402
import plots  # noqa: E402

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")

with open(os.path.join(TESTS, "data", "bench_sample.json"), encoding="utf-8") as sample:
    SAMPLE = sample.read()

with open(os.path.join(TESTS, "data", "made_up.json"), encoding="utf-8") as made_up:
    MADE_UP = json.load(made_up)


# All but those of a section that the sample does not have, of columns() alone: a plot may come
# without data for these tests.
PLOTS = [plot for plot in plots.PLOTS
         if getattr(plot.make, "section", "table") in json.loads(SAMPLE)]
NAMES = [plot.name for plot in PLOTS]

# Each file is flushed to the disk before it is renamed, which takes longer than to draw it.
MEMORY = "/dev/shm"
if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < 2**28:
    MEMORY = None


class PlotsTest(unittest.TestCase):
    """Each test has a copy of the sample in self.bench, and a directory for the run of it."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="stampede-test-", dir=MEMORY)
        os.chmod(self.dir, 0o755)
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.run_dir = os.path.join(self.dir, "run")
        os.mkdir(self.run_dir)
        self.bench = json.loads(SAMPLE)
        environment = dict(os.environ)
        self.addCleanup(os.environ.update, environment)
        # What this checkout keeps of other machines is not of the sample.
        os.environ["STAMPEDE_REFERENCES"] = os.path.join(self.dir, "reference")

    # ---- the run's files ----

    def path(self, name):
        return os.path.join(self.run_dir, name)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w" + ("b" if isinstance(text, bytes) else "")) as file:
            file.write(text)

    def write(self):
        self.put("bench.json", json.dumps(self.bench))

    # ---- making it ----

    def plots(self, *words):
        """Status and stderr of build/plots, run in this process."""
        said, told = io.StringIO(), io.StringIO()
        argv, sys.argv = sys.argv, ["plots", *words]
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(told):
                status = plots_main.main()
        finally:
            sys.argv = argv
        self.told = told.getvalue()
        return status, said.getvalue()

    def assert_one_line(self, said, words):
        self.assertTrue(said.startswith("stampede: ") and said.endswith("\n") and
                        said.count("\n") == 1 and words in said,
                        f"not one line with {words!r}: {said}")

    def assert_recorded(self, got, name):
        """Of tests/data/tables.txt. If it changes for a reason, read the new lines before you record them."""
        with open(os.path.join(TESTS, "data", "tables.txt"), encoding="utf-8") as file:
            self.assertEqual(got, file.read().split(f"### {name}\n")[1].split("### ")[0])

    def assert_fails(self, status, words, path=None):
        got, said = self.plots("--quiet", self.run_dir if path is None else path)
        self.assert_one_line(said, words)
        self.assertEqual(got, status, said)

    def assert_works(self):
        status, said = self.plots("--quiet", self.run_dir)
        self.assertEqual((status, said), (0, ""))

    @contextlib.contextmanager
    def path_of(self, folder):
        before = os.environ["PATH"]
        os.environ["PATH"] = folder
        try:
            yield
        finally:
            os.environ["PATH"] = before

    def without_gnuplot(self):
        return self.path_of(self.dir)

    def make_data(self):
        """Data and page, without pictures: what is written without gnuplot is the same."""
        self.write()
        with self.without_gnuplot():
            self.assert_fails(files.UNSUPPORTED, "gnuplot-nox")

    def svg_alone(self):
        """A gnuplot that draws SVG as it does; of PNG, most of its time, it has one ready."""
        folder = os.path.join(self.dir, "svg_alone")
        real = shutil.which("gnuplot")
        if not os.path.exists(folder):
            os.mkdir(folder)
            script = os.path.join(folder, "gnuplot")
            with open(script, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\ncase "$*" in\n*"format = \'png\'"*) '
                           "printf '\\211PNG IEND\\256B`\\202' ;;\n"
                           f'*) exec "{real}" "$@" ;;\nesac\n')
            os.chmod(script, 0o755)
        return self.path_of(folder + ":" + os.environ["PATH"])

    def make_pictures(self, png=False):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        self.write()
        with contextlib.nullcontext() if png else self.svg_alone():
            self.assert_works()

    # ---- the sample ----

    def at(self, path):
        """The value at a path such as "table[3].ns" of the sample."""
        value = self.bench
        for key in re.findall(r"[^.\[\]]+", path):
            value = value[int(key) if isinstance(value, list) else key]
        return value

    def element(self, section, row, key="row"):
        return next(one for one in self.bench[section] if one[key] == row)

    # ---- what came of it ----

    def words(self):
        """Of the page, on one line."""
        return " ".join(html.unescape(re.sub("<[^>]*>", "", self.text("report.html"))).split())

    def cells(self, plot, row):
        """The columns of a row's first line in a data file, the label counted as one."""
        for line in self.text(f"plots/{plot}.dat").split("\n"):
            words = re.findall(r'"[^"]*"|\S+', line)
            if f'"{row}"' in words:
                return [float(word) if not word.startswith('"') else word[1:-1] for word in words]
        self.fail(f"no {row} in {plot}.dat")
        return []

    def assert_in(self, words, text, holds=True, name="the text"):
        """Without a copy of it all; where lines end is the templates' affair."""
        if "\n" not in words:
            text = " ".join(text.split())
        self.assertEqual(words in text, holds, f"{name} {'lacks' if holds else 'holds'}: {words}")

    def assert_holds(self, name, words, holds=True):
        self.assert_in(words, self.text(name), holds, name)


class Tap(unittest.TestResult):
    """A line per test, as run.sh counts them."""

    def say(self, test, good, behind=""):
        name = test.id().rsplit(".", 1)[-1].removeprefix("test_").replace("_", " ")
        print(f"{'ok' if good else 'not ok'} - {name}{behind}", flush=True)

    def addSuccess(self, test):
        self.say(test, True)

    def addSkip(self, test, reason):
        self.say(test, True, f" # SKIP {reason}")

    def bad(self, test, error):
        self.say(test, False)
        for line in self._exc_info_to_string(error, test).strip().split("\n"):
            print(f"# {line}", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, err)

    addError = addFailure


def main(module="__main__"):
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[module])
    if len(sys.argv) > 2:
        suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:], sys.modules[module])
    result = Tap()
    suite.run(result)
    print(f"1..{result.testsRun}")
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
