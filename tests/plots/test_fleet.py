# SPDX-License-Identifier: MIT
"""Benches of many machines: what holds everywhere, what depends on the kind, who is unlike its kind."""
import copy
import json
import os
import subprocess
import sys

import plots_fixture
from plots_fixture import SOURCES, PlotsTest

PROGRAM = os.path.join(SOURCES, "plots", "fleet.py")


class Fleet(PlotsTest):
    def machine(self, host, cpu="AMD EPYC", cells=None, change=None, **stampede):
        """A run's directory; `cells`: a row's members instead of the sample's."""
        bench = copy.deepcopy(self.bench)
        bench["context"]["host_name"] = host
        its = bench["context"]["stampede"]
        its["cpu"]["model"] = cpu
        its.update(stampede)
        bench["table"] = [row for row in bench["table"] if row["verdict"] != "broken"]
        for row in bench["table"]:
            row["ratio_95_low"], row["ratio_95_high"] = row["ratio"] * 0.99, row["ratio"] * 1.01
            row.update((cells or {}).get(row["row"], {}))
        if change:
            change(bench)
        folder = os.path.join(self.dir, f"{host}-{len(os.listdir(self.dir))}")
        os.mkdir(folder)
        with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as out:
            json.dump(bench, out)
        return folder

    def fleet(self, *folders, status=0):
        its = subprocess.run([sys.executable, "-B", PROGRAM, *folders], text=True,
                             capture_output=True, check=False)
        self.assertEqual(its.returncode, status, its.stderr)
        if status == 1:
            self.assertEqual(its.stderr.count("\n"), 1, its.stderr)
            return its.stderr
        self.assertEqual(its.stderr, "")
        return its.stdout

    @staticmethod
    def lines(said, begin):
        return [line for line in said.split("\n") if line.startswith(begin)]

    def line(self, said, begin):
        found = self.lines(said, begin)
        self.assertEqual(len(found), 1, (begin, found))
        return found[0]

    def test_kinds(self):
        said = self.fleet(
            self.machine("one"), self.machine("two"), self.machine("three", "Intel Xeon"),
            self.machine("four", hypervisor={"present": "no"}),
            self.machine("five", tsc={"constant": True, "nonstop": False, "hz": 1e9}))
        for begin in ("| A | AMD EPYC | invariant clock, KVM | one |", "|  |  |  | two |",
                      "| B | Intel Xeon | invariant clock, KVM | three |",
                      "| C | AMD EPYC | invariant clock, no hypervisor | four |",
                      "| D | AMD EPYC | clock not known to be invariant, KVM | five |"):
            self.line(said, begin)
        self.assertIn("No machine is unlike others of its kind.", said)
        self.assertNotIn("different commits", said)

    def test_model_numbers_are_kinds(self):
        """One name stands for many CPUs."""
        numbers = [{"model": "Xeon", "family": 6, "model_number": number} for number in (143, 207)]
        said = self.fleet(*(self.machine("host", cpu=one) for one in ("x",)),
                          *(self.machine(f"h{at}", change=lambda bench, one=one:
                                         bench["context"]["stampede"].update(cpu=one))
                            for at, one in enumerate(numbers)))
        self.line(said, "| B | Xeon 6-143 |")
        self.line(said, "| C | Xeon 6-207 |")

    def test_commits(self):
        said = self.fleet(self.machine("one"), self.machine("two", git={"revision": "abc"}))
        self.assertIn("These runs are of different commits", said)

    def test_all_the_same(self):
        said = self.fleet(self.machine("one"), self.machine("two", "Intel Xeon"))
        self.assertIn("Of 9 rows that all have, 9 have one verdict everywhere. No promise was "
                      "broken.", " ".join(said.split()))
        self.assertIn("instructions of 9 of 9 cells", said)
        self.assertIn("0 of 9 rows depend on the kind", said)
        self.assertNotIn("| cell | figure", said)
        self.assertIn("No kind has more than one machine", said)

    def test_broken_somewhere(self):
        said = self.fleet(self.machine("one"), self.machine(
            "two", "Intel Xeon", {"full_tsc": {"verdict": "broken"}}), status=2)
        self.assertIn("8 have one verdict everywhere. Broken: `full_tsc` on B two.",
                      " ".join(said.split()))
        self.assertEqual(self.line(said, "| `full_tsc` | broken"),
                         "| `full_tsc` | broken: B two; kept: A one |")

    def test_broken_in_a_row_of_one_machine(self):
        def only_here(bench):
            bench["table"].append({**bench["table"][2], "row": "mine", "verdict": "broken"})
        said = self.fleet(self.machine("one"), self.machine("two", change=only_here), status=2)
        self.assertIn("Broken: `mine` on A two.", said)

    def test_counts_that_differ(self):
        said = self.fleet(self.machine("one"), self.machine("two"), self.machine(
            "three", "Intel Xeon", {"heartbeat": {"instructions": 46},
                                    "full_tsc": {"instructions": 22.1},
                                    "floor": {"instructions": None}}))
        self.assertEqual(self.line(said, "| `heartbeat` steady | ins"),
                         "| `heartbeat` steady | instructions | 23.0 | 46.0 | 100.0% |")
        # What only some have is not compared, and half a percent is the same.
        self.assertIn("instructions of 7 of 8 cells", said)

    def test_times_that_depend(self):
        said = self.fleet(self.machine("one"), self.machine("two", cells={"full_tsc": {
            "ratio": 1.03, "ratio_95_low": 1.02, "ratio_95_high": 1.06}}), self.machine(
            "three", "Intel Xeon", {
                "full_tsc": {"ratio": 1.22, "ratio_95_low": 1.061, "ratio_95_high": 1.3},
                # One of its kind reaches up to it.
                "heartbeat": {"ratio": 1.5, "ratio_95_low": 1.0, "ratio_95_high": 1.6}}))
        self.assertIn("1 of 9 rows depend on the kind", said)
        self.assertEqual(self.line(said, "| `full_tsc` | 1.02"),
                         "| `full_tsc` | 1.02 to 1.03 | 1.22 | A and B | 19% |")
        self.assertEqual(self.line(said, "| `heartbeat` | 1.00 | 1.50"),
                         "| `heartbeat` | 1.00 | 1.50 | not told apart |  |")

    def test_an_interval_that_is_not_known(self):
        said = self.fleet(self.machine("one"), self.machine("two", "Intel Xeon", {"full_tsc": {
            "ratio": 9.0, "ratio_95_low": None, "ratio_95_high": None}}))
        self.assertIn("| `full_tsc` | 1.02 | 9.00 | not told apart |  |", said)

    def test_unlike_its_kind(self):
        odd = {"ratio": 1.5, "ratio_95_low": 1.45, "ratio_95_high": 1.55}
        said = self.fleet(self.machine("one"), self.machine("two"),
                          self.machine("odd", cells={"full_tsc": odd}),
                          self.machine("else", "Intel Xeon", {"heartbeat": odd}))
        self.assertEqual(self.line(said, "| A | odd |"),
                         "| A | odd | `full_tsc` | 1.50 | 1.02 | 46.7% |")
        self.assertEqual(len(self.lines(said, "| B | else | `heartbeat`")), 0)

    def test_two_that_are_alike_are_not_unlike(self):
        odd = {"ratio": 1.5, "ratio_95_low": 1.45, "ratio_95_high": 1.55}
        said = self.fleet(*(self.machine(host, cells={"full_tsc": odd}) for host in "ab"),
                          *(self.machine(host) for host in "cd"))
        self.assertIn("No machine is unlike others of its kind.", said)

    def test_guide(self):
        def capable(bench):
            bench["schemes"] = [
                {"row": row["row"], "promises": ["monotonic", "exact", "window", "wrap_proof",
                                                 "bounded"], "needs": [], "nesting": "at once"}
                for row in bench["table"]]
        said = self.fleet(
            self.machine("one", cells={"full_tsc": {"ratio": 0.5}}, change=capable),
            self.machine("two", "Intel Xeon", {"delta_sync_soft": {"ratio": 0.5},
                                               "full_tsc": {"ratio": 1.2}}, change=capable))
        line = self.line(said, "| exact times, and interrupts record too: least time")
        self.assertIn("| none | only on A: `full_tsc`; only on B: `delta_sync_soft` |", line)

    def test_refused(self):
        one = self.machine("one")
        self.assertIn("once more", self.fleet(one, one, status=1))
        self.assertIn("usage", subprocess.run([sys.executable, "-B", PROGRAM, one], text=True,
                                              capture_output=True, check=False).stderr)
        self.assertIn("no such run", self.fleet(one, os.path.join(self.dir, "none"), status=1))
        self.assertIn("no cell was timed", self.fleet(one, self.machine(
            "two", change=lambda bench: bench.update(table=[])), status=1))
        cut = self.machine("three")
        with open(os.path.join(cut, "bench.json"), "r+", encoding="utf-8") as out:
            out.truncate(1000)
        self.fleet(one, cut, status=1)


if __name__ == "__main__":
    plots_fixture.main()
