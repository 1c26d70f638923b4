# SPDX-License-Identifier: MIT
"""Storms of many seeds and machines as one statement: sums, what is missing, doubled or damaged."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import plots_fixture

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../plots/storms.py")


def storm(row, seed, **other):
    return {"row": row, "workload": "storm", "build": "checked", "bits": 20, "seed": seed,
            "verdict": "kept", "events": 1000 + seed, "nested": 10, "lost": 1,
            "delivered_by_depth": [5, 2, 1, 0, 0], "hits": 3, "violations": {"exact": 0},
            "first_violation": "", **other}


class Storms(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="stampede-test-")
        self.addCleanup(self.scratch.cleanup)

    def put(self, name, found):
        path = os.path.join(self.scratch.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(found if isinstance(found, str) else json.dumps(found))
        return path

    def merge(self, status, words, *arguments):
        its = subprocess.run([sys.executable, "-B", PROGRAM, *arguments], text=True,
                             capture_output=True, check=False)
        self.assertEqual(its.returncode, status, its.stderr)
        for one in words:
            self.assertIn(one, its.stdout + its.stderr)
        if status in (0, 2):
            self.assertEqual(its.stderr, "")
        else:
            self.assertEqual(its.stderr.count("\n"), 1, its.stderr)
        return its.stdout

    def test_sums(self):
        files = [self.put(f"storm-{seed}.{host}.json", [storm("a", seed), storm("b", seed)])
                 for seed, host in ((1, "north"), (2, "north"), (1, "south"))]
        said = self.merge(0, ["6,008 events and 48 interrupts of 2 rows, 2 seeds on 2 machines: "
                              "none broken"], "--seeds", "1-2", *files)
        self.assertIn(["a", "2", "3,004", "24", "9", "0", "kept"],
                      [line.split() for line in said.split("\n")])

    def test_worst_verdict(self):
        files = [self.put("storm-1.x.json", [storm("a", 1, verdict="need not met")]),
                 self.put("storm-2.x.json", [storm("a", 2)])]
        said = self.merge(0, ["none broken", "on 1 machine:"], *files)
        self.assertIn("need not met", said)

    def test_broken(self):
        files = [self.put("storm-1.x.json", [storm("a", 1)]),
                 self.put("storm-2.x.json", [storm("a", 2, verdict="broken",
                                                   violations={"exact": 4, "window": 3},
                                                   first_violation="exact: off")])]
        said = self.merge(2, ["1 storms broken", "a, seed 2, 20 bits, x: exact: off"],
                          "--seeds", "1-9", *files)
        self.assertEqual([line.split()[5] for line in said.split("\n") if line.startswith("a ")],
                         ["7"])

    def test_missing(self):
        files = [self.put("storm-1.x.json", [storm("a", 1), storm("b", 1)]),
                 self.put("storm-2.x.json", [storm("a", 2)]),
                 self.put("storm-4.x.json", [storm("a", 4), storm("b", 4)])]
        self.merge(5, ["4 of 6 seeds are missing, or not of all rows: 2-3,5-6"],
                   "--seeds", "1-6", *files)

    def test_doubled(self):
        found = [storm("a", 1)]
        self.merge(1, ["storm-1b.x.json: a, seed 1, is in ", "already: each counts once"],
                   self.put("storm-1.x.json", found), self.put("storm-1b.x.json", found))
        # Not another width, build or workload.
        self.merge(0, ["4 interrupts", "none broken"], *(
            self.put(f"storm-{number}.x.json", [storm("a", 1, delivered_by_depth=[1], **other)])
            for number, other in enumerate(({}, {"bits": 16}, {"build": "timed"},
                                            {"workload": "steady"}))))

    def test_bad_files(self):
        whole = json.dumps([storm("a", 1)])
        for text in (whole[:-9], "[]", "{}", '[{"row": "a"}]', "[1]",
                     whole.replace('"kept"', '"fine"')):
            self.merge(1, ["storm-1.x.json is damaged"], self.put("storm-1.x.json", text))
        self.merge(3, ["cannot read"], os.path.join(self.scratch.name, "none.json"))
        self.merge(1, ["A-B is wanted"], "--seeds", "many", "x.json")


if __name__ == "__main__":
    plots_fixture.main(__name__)
