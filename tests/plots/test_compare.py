# SPDX-License-Identifier: MIT
"""Comparisons of made-up runs: what changed is found, what did not is not, and noise is told. The statistics
against scipy's (tests/data/ranks.json)."""
import contextlib
import copy
import io
import json
import math
import os
import random
import unittest
import unittest.mock

import plots_fixture
from plots_fixture import PlotsTest

import compare

with open("tests/data/ranks.json", encoding="utf-8") as known:
    RANKS = json.load(known)


def nan(value):
    return math.nan if value is None else value


class Statistics(unittest.TestCase):
    def same(self, left, right):
        for one, other in zip(left, right, strict=True):
            self.assertTrue(one == other or math.isnan(one) and math.isnan(other), f"{left} {right}")

    def test_tests_and_shifts_are_those_of_scipy(self):
        for one in RANKS["cases"]:
            self.assertAlmostEqual(compare.rank_test(one["a"], one["b"]) / one["p"], 1, 9)
            self.same(compare.shift(one["a"], one["b"]), [nan(one[key]) for key in ("middle", "low", "high")])

    def test_the_interval_of_a_median_is_that_of_scipy(self):
        for count, rank in RANKS["median_ranks"].items():
            many = int(count)
            self.same(compare.median_interval(list(range(1, many + 1))),
                      ((many + 1) / 2, *((rank, many + 1 - rank) if rank else (math.nan, math.nan))))

    def test_ties_and_empty_samples_say_nothing(self):
        for a, b, p in (([3] * 8, [3] * 8, 1), ([], [3] * 8, 1), ([3] * 8, [], 1), ([1, 4], [2, 3], 1),
                        ([1, 2, 3], [1, 2, 3], 1), ([1, 1], [1, 2], math.erfc(0.5 / math.sqrt(2)))):
            self.assertAlmostEqual(compare.rank_test(a, b), p, 12)
        self.assertEqual(compare.shift([3] * 8, [3] * 8), (0, 0, 0))

    def test_the_test_has_its_level(self):
        """Of samples of one source, p is below 5 % in some 5 % of them; exactly, and by the approximation."""
        rng = random.Random(7)
        alarms = sum(compare.rank_test(*([rng.random() for _ in range(count)] for _ in range(2))) < 0.05
                     for count in [12, 80] * 300)
        self.assertTrue(600 * 0.02 <= alarms <= 600 * 0.08, alarms)


def slot(row, number, ratio, workload="steady", **more):
    return {"row": row, "workload": workload, "repetition_index": number, "threads": 1, "ticks": 30.,
            **({"ratio": ratio} if ratio else {}), **more}


def made(seed, factor=1, noise=0.006, instructions=35.5, verdict="kept"):
    """21 slots of a floor, of a row like it, and of x, `factor` times 30 to 28 as slow."""
    rng = random.Random(seed)
    slots = [slot(row, number, base and base * (1 + noise * (rng.random() - 0.5)))
             for number in range(21) for row, base in (("floor_published", 0), ("other", 1), ("x", 30 / 28 * factor))]
    return {"context": {}, "benchmarks": slots, "exact": [{"row": "x", "instructions": instructions, "clock_reads": 1.}],
            "table": [{"row": "x", "workload": "steady", "verdict": verdict}]}


def cell_of(its, row="x"):
    return next(one for one in its["cells"] if one["row"] == row)


class Words(unittest.TestCase):
    def said(self, left, right, word):
        for seed in range(1, 21):
            its = compare.compare(made(seed, **left), made(seed + 1000, **right))
            self.assertEqual(cell_of(its)["word"], word)
        return its

    def test_times(self):
        self.said({}, {}, "no change")
        self.said({}, {"factor": 1.004}, "no change")  # significant, and too little to matter
        self.said({}, {"factor": 1.02}, "regressed")
        self.said({"factor": 1.02}, {}, "improved")
        self.said({"noise": 0.9}, {"noise": 0.9}, "too noisy")

    def test_exact_figures(self):
        self.said({}, {"instructions": 35.5 + 4 / 340}, "no change")  # as stepping may leave
        self.said({"instructions": 36.5}, {}, "improved")
        its = self.said({}, {"instructions": 36.5}, "regressed")
        self.assertEqual([one["what"] for one in cell_of(its)["exact"]], ["instructions"])

    def test_promises(self):
        self.said({}, {"verdict": "broken"}, "regressed")
        self.said({"verdict": "broken"}, {}, "improved")
        self.said({}, {"verdict": "need not met"}, "no change")  # the machine's fault

    def test_a_quick_run_has_no_times_to_compare(self):
        for a, b, more, word, quick in (("", " QUICK=1", 0, "too noisy", "B"), (" QUICK=1", "", 0, "too noisy", "A"),
                                        (" QUICK=1", " QUICK=1", 0, "regressed", ""), ("", " QUICK=1", 2, "regressed", "B")):
            left, right = made(1), made(1001, 1.1, instructions=35.5 + more)
            left["command"], right["command"] = "make bench" + a, "make bench" + b
            its = compare.compare(left, right)
            self.assertEqual((cell_of(its)["word"], its["quick"]), (word, quick))
            if quick:
                self.assertEqual(cell_of(its)["time"]["why"], "one run is quick")

    def test_a_run_is_itself(self):
        its = compare.compare(made(1, noise=0.9), made(1, noise=0.9))
        self.assertEqual((cell_of(its)["word"], its["counts"]["too noisy"]), ("no change", 0))

    def test_noise_is_told_to_the_last_bit(self):
        a, b = made(1), made(1001, 1.03)
        change = cell_of(compare.compare(a, b))["time"]["change"]
        for run, apart, word in ((b, change, "too noisy"), (b, 0, "regressed"), (a, change, "too noisy"), (a, 0.999 * change, "regressed")):
            run["noise"] = {"apart": apart}
            self.assertEqual(cell_of(compare.compare(a, b))["word"], word)
        # And so are the two bounds: what is as far as LEAST, or as likely as P, is on the other side.
        its, less = cell_of(compare.compare(a, b))["time"], 1 - 1e-12
        for name, value, word in (("LEAST", its["high"], "no change"), ("LEAST", its["high"] * less, "too noisy"), ("LEAST", change * less, "regressed"),
                                  ("LEAST", change, "too noisy"), ("P", its["p"], "too noisy"), ("P", its["p"] / less, "regressed")):
            more = {"P": 0} if name == "LEAST" and value > change else {}
            with unittest.mock.patch.multiple(compare, **{name: value}, **more):
                self.assertEqual(cell_of(compare.compare(a, b))["word"], word, name)

    def test_slots_on_shared_cores(self):
        """They count where there are too few others."""
        for alone, ratio in ((5, 1), (4, 2)):
            run = {"benchmarks": [slot("x", n, 1, shared=0) for n in range(alone)] +
                   [slot("x", n, 2, shared=1) for n in range(9)]}
            self.assertEqual(compare.matrix([run])["cells"][0]["values"][0]["ratio"], ratio)


def series(row, workload, first, growth=1.01):
    """Six slots that grow by 1 % each: of two of them of which one is f times the other the change is f - 1, and
    its interval f * 1.01^-3 - 1 and f * 1.01^3 - 1."""
    return [slot(row, number, 0 if row == "floor" else first * growth ** number, workload) for number in range(6)]


def rounded(its):
    if isinstance(its, float):
        return float(f"{its:.4g}")
    if isinstance(its, list):
        return [rounded(one) for one in its]
    return {key: rounded(one) for key, one in its.items()} if isinstance(its, dict) else its


# x gets slower and breaks, y cannot be told, u gets faster, z has no ratio in the first run.
A = {"exact": [{"row": "x", "instructions": 0, "clock_reads": 0, "atomics": 1, "extended": 0.001, "header_bytes": 4}],
     "table": [{"row": row, "workload": "steady", "verdict": "kept"} for row in ("x", "floor")],
     "benchmarks": [*series("z", "late", 0), *series("y", "steady", 10), *series("floor", "steady", 1),
                    *series("x", "steady", 10), *series("floor", "cheap", 1), *series("u", "cheap", 10),
                    *series("loop", "steady", 4), slot("y", 6, 0)]}
B = {"exact": [{"row": "x", "instructions": 0.05, "clock_reads": 0, "extended": 0.0010005, "header_bytes": 3.5}],
     "table": [{"row": row, "workload": "steady", "verdict": "broken"} for row in "xy"],
     "benchmarks": [*series("floor", "steady", 1), *series("x", "steady", 20), *series("y", "steady", 10.4),
                    *series("loop", "steady", 4.24), *series("floor", "cheap", 1), *series("u", "cheap", 5),
                    *series("floor", "late", 1), *series("z", "late", 10)]}


def time(word, change, low, high, p, b, why=None):
    return {"word": word, "why": why, "change": change, "low": low, "high": high, "p": p, "a": 10.25, "b": b,
            "repetitions_a": 6, "repetitions_b": 6}


def cell(row, workload, word, its=None, exact=()):
    return {"name": f"{row}/{workload}", "row": row, "workload": workload, "word": word, "time": its, "exact": list(exact)}


class Told(io.StringIO):
    """Standard output, which may be a terminal."""


class Whole(PlotsTest):
    def test_a_comparison_says_this(self):
        """Cells in the order of the first run's table, and then by workload."""
        self.assertEqual(rounded(compare.compare(A, B)), rounded({
            "quick": "", "only_a": [], "only_b": ["floor/late"],
            "counts": {"no change": 3, "too noisy": 1, "improved": 1, "regressed": 1},
            "cells": [
                cell("x", "steady", "regressed", time("regressed", 1, 0.9412, 1.061, 0.002165, 20.5), [
                    {"what": "extended", "a": 0.001, "b": 0.0010005, "word": "regressed"},
                    {"what": "header_bytes", "a": 4, "b": 3.5, "word": "improved"},
                    {"what": "verdict", "a": "kept", "b": "broken", "word": "regressed"}]),
                cell("floor", "steady", "no change"), cell("floor", "cheap", "no change"),
                cell("u", "cheap", "improved", time("improved", -0.5, -0.5147, -0.4848, 0.002165, 5.126)),
                cell("z", "late", "no change"),
                cell("y", "steady", "too noisy", time("too noisy", 0.04, 0.009414, 0.07151, 0.01515, 10.66,
                                                      "the interval leaves room for a move"))]}))

    def test_rows_of_one_run_and_what_only_one_has(self):
        its = compare.compare(A, B, ("x", "y"))
        self.assertEqual([(one["name"], one["row"]) for one in its["cells"]], [("x -> y/steady", "y")])
        more = copy.deepcopy(A)
        more["benchmarks"].append(slot("w", 0, 10))
        self.assertEqual(compare.compare(more, B)["only_a"], ["w/steady"])

    def test_machines_differ_in_these(self):
        a = {"context": {"stampede": {"cpu": {"model": "EPYC", "smt": True}, "tsc": {"hz": 2e9}}}}
        b = {"context": {"stampede": {"cpu": {"model": "Xeon", "smt": True}, "tsc": {"hz": 2.001e9},
                                      "build": {"flags": "-O2"}}}}
        self.assertEqual(compare.machine_lines(compare.machines(a, b)), [
            "warning: cpu.model differs: EPYC, Xeon",
            "warning: build.flags differs: unknown, -O2",
            "warning: these are different machines or builds; what changed may be they"])
        for other in (3e9, None):
            b["context"]["stampede"]["tsc"]["hz"] = other
            self.assertIn("tsc.hz", [one["what"] for one in compare.machines(a, b)])

    def test_the_matrix_says_this(self):
        a, b = {"benchmarks": series("floor", "steady", 1) + series("x", "steady", 10)}, {"benchmarks": [slot("y", 0, 5)]}
        its = compare.matrix([a, b])
        self.assertEqual([(one["name"], rounded(one["values"])) for one in its["cells"]], [
            ("floor/steady", [None, None]), ("x/steady", [{"ratio": 10.25, "low": 10, "high": 10.51}, None]),
            ("y/steady", [None, {"ratio": 5, "low": None, "high": None}])])
        self.assertEqual([line.split() for line in compare.matrix_lines(its, ["one", "two"])[4:7]], [
            ["floor", "-", "-"], ["x", "10.2520+-", "2.52%", "-"], ["y", "-", "5.0000", "?"]])
        its["cells"][1]["values"][0].update(ratio=10, low=9, high=10.5)  # the wider half counts, whichever it is
        self.assertIn(" 10.0000+-10.00%", compare.matrix_lines(its, ["one", "two"])[5])

    def test_lines(self):
        its = compare.compare(A, B)
        its["only_b"] += [f"q{n}/late" for n in range(4)]
        said = compare.lines(its, False, False)
        self.assertEqual(said[1].split(), ["x/steady", "+100.0%", "+94.1%", "+106.1%", "0.0022", "regressed"])
        for line in ("    extended: 0.001 -> 0.0010005, regressed", "and 3 cells without a change (--all shows them)",
                     "only in B: 5 cells of late", "regressed 1, improved 1, no change 3, too noisy 1"):
            self.assertIn(line, said)
        self.assertTrue(any(line.endswith("too noisy: the interval leaves room for a move") for line in said))
        self.assertIn("\033[1;31mregressed\033[0m", compare.lines(its, True, True)[1])

    def test_how_far_a_rank_was_reached(self):
        its = compare.compare(A, A)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual([compare.exit_code(its, rank) for rank in (0, 3.1, 2)], [0, 0, 7])
            its["cells"] = [{"time": {"low": low, "high": high}} for low, high in ((0.25, 0.5), (-0.5, 0.5), (0, 0.25))]
            self.assertEqual([compare.exit_code(its, rank) for rank in (50, 49)], [0, 7])
            its["cells"][0]["time"]["low"] = None
            self.assertEqual(compare.exit_code(its, 99), 7)
        self.assertEqual(compare.exit_code(compare.compare(A, B), 0), 2)

    def said(self, *words):
        """Exit code, the lines on standard output, and what is said on stderr, of the program."""
        out, err = Told(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = compare.command(["--results", self.dir, *words])
            except compare.Failed as failure:
                status, _ = failure.status, err.write(failure.line)
        return status, out.getvalue().rstrip("\n").split("\n"), err.getvalue()

    def test_the_program(self):
        row = {"name": "n", "run_name": "n", "run_type": "iteration", "repetitions": 21, "iterations": 1,
               "real_time": 1, "cpu_time": 1, "time_unit": "ns"}
        head = {"host_name": "h", "date": "today", "stampede": {
            "schema": 4, "cpu": {"model": "EPYC"}, "git": {"revision": "1a2b", "dirty": True}}}
        for name, its in (("a", made(1)), ("b", made(1001, 0.5))):
            its.update(context=head, benchmarks=[{**row, **one} for one in its["benchmarks"]])
            self.put(f"../{name}/bench.json", json.dumps(its))
        status, lines, _ = self.said("b", "a")
        self.assertEqual((status, lines[:2], lines[-5].split()[:2], lines[-4:-2]), (
            2, [f"A  {self.dir}/b/bench.json", "   today, 1a2b with changes, EPYC, unknown"], ["x/steady", "+99.8%"],
            ["and 2 cells without a change (--all shows them)", ""]))
        self.assertEqual(self.said("--all", "a", "a")[1][5].split()[-2:], ["no", "change"])
        self.assertEqual(self.said("--in=a", "other", "x")[:2][0], 2)
        self.assertEqual(self.said("--rank", "0.01", "a", "a")[0::2], (
            7, "stampede: --rank 0.01: a move of 0.12 % could be missed; run more rounds\n"))
        _, lines, _ = self.said("--matrix", "a", "b")
        self.assertEqual([line.split()[:2] for line in lines[:2] + lines[3:5]], [
            ["1", f"{self.dir}/a/bench.json"], ["2", f"{self.dir}/b/bench.json"], ["steady", "1"], ["x", "1.0710+-"]])
        self.assertEqual(json.loads("\n".join(self.said("--json", "-", "a", "b")[1]))["counts"]["improved"], 1)
        self.assertEqual(self.said("--json", self.path("its"), "--matrix", "a")[:2], (0, [""]))
        self.assertEqual(self.text("its").split("\n")[1][:3], '  "')
        for tty, its, coloured in ((True, {"TERM": "xterm"}, True), (False, {"TERM": "xterm"}, False), (True, {"TERM": "dumb"}, False),
                                   (True, {"TERM": "xterm", "NO_COLOR": "1"}, False), (True, {}, False)):
            with unittest.mock.patch.dict(os.environ, its, clear=True), unittest.mock.patch.object(Told, "isatty", lambda _: tty):
                self.assertEqual("\033[" in "".join(self.said("--all", "b", "a")[1]), coloured, its)
        self.assertEqual(json.loads(self.text("its"))["runs"], [f"{self.dir}/a/bench.json"])
        for words, why in ((["a"], "takes two runs, not 1"), (["--in", "a", "x"], "takes two rows, not 1"),
                           (["--in", "a", "x", "y"], "a/bench.json has no row 'y'"), (["--matrix"], "takes 1 to 16 runs"),
                           (["--matrix", "--in", "a", "b"], "exclude each other"), (["--rank", "x", "a", "b"], "not 'x'"),
                           (["--rank"], "'--rank' is not an option, or lacks its value"), (["--none", "a", "b"], "'--none' is not an option"),
                           (["--in", "a", "floor_published", "loop"], "has no row 'loop'"),
                           (["--matrix", self.dir], "no bench run among these")):
            status, _, said = self.said(*words)
            self.assertEqual((status, why in said), (1, True), said)


if __name__ == "__main__":
    plots_fixture.main()
