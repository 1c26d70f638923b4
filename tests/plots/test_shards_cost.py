# SPDX-License-Identifier: MIT
"""What a search in shares costs: from plans whose makespan is known, and from damaged ones."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import plots_fixture

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../plots/shards.py")


class Shards(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="stampede-test-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = self.scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def plan(self, planned, took=None, shard=None):
        """Shards of one piece each, of two budgets in turn; `took`: seconds by shard."""
        with open(self.path("plan.jsonl"), "w", encoding="utf-8") as out:
            out.write(json.dumps({"schema": 1, "shards": len(planned),
                                  "arguments": ["--tier", "made up"]}) + "\n")
            for number, seconds in enumerate(planned):
                piece = {"row": f"row{number}", "budget": f"budget {number % 2}", "task": number,
                         "seconds": seconds}
                out.write(json.dumps({"shard": number, "seconds": seconds,
                                      "pieces": [piece]}) + "\n")
        for number, seconds in (took or {}).items():
            with open(self.path(f"shard-{number}.json"), "w", encoding="utf-8") as out:
                json.dump({"shard": number, "seconds": seconds,
                           "pieces": [{"seconds": seconds}]}, out)

    def run_it(self, *words):
        return subprocess.run([sys.executable, "-B", PROGRAM, self.folder, *words], text=True,
                              capture_output=True, check=False)

    def said(self):
        its = self.run_it()
        self.assertEqual((its.returncode, its.stderr), (0, ""))
        return its.stdout

    def line(self, said, begin):
        found = [line for line in said.split("\n") if line.startswith(f"| {begin} |")]
        self.assertEqual(len(found), 1, said)
        return [cell.strip() for cell in found[0].strip("| ").split("|")]

    def test_estimates_alone(self):
        # On 4 CPUs: 400, 300 + 200, 300, 200 + 200.
        self.plan([400, 300, 300, 200, 200, 200])
        said = self.said()
        self.assertIn("6 shards, 0 of them done: 26.7 min of core time, where not measured by their "
                      "estimates; the longest shard 400.0 s, the median 250.0 s, 1.60 times",
                      said.replace("\n", " "))
        self.assertNotIn("times its estimate", said)
        self.assertEqual(self.line(said, "1"), ["1", "26.7 min", "100%"])
        self.assertEqual(self.line(said, "4"), ["4", "8.3 min", "80%"])
        self.assertEqual(self.line(said, "1,024"), ["1,024", "6.7 min", "0%"])
        self.assertEqual(self.line(said, "`budget 0`"), ["`budget 0`", "3", "15.0 min", "not done"])

    def test_measured_in_planned_order(self):
        # The order is that of the estimates: 10, then 1 and 90 on 2 of 4 CPUs; 90 is the last.
        self.plan([5, 4, 3, 2, 1], {0: 10, 1: 10, 2: 10, 3: 10, 4: 90})
        said = self.said()
        self.assertEqual(self.line(said, "4"), ["4", "100.0 s", "32%"])
        self.assertEqual(self.line(said, "`budget 1`"), ["`budget 1`", "2", "6.0 s", "20.0 s"])
        self.assertIn("5 of them done: 2.2 min of core time; the longest", said)
        self.assertIn("A shard took 3.33 times its estimate", said)

    def test_small_budgets_share_a_line(self):
        self.plan([1] * 3)
        with open(self.path("plan.jsonl"), encoding="utf-8") as file:
            head, line, *_ = file.read().split("\n")
        line = json.loads(line)
        line["pieces"] = [{"row": f"row{at}", "budget": name, "task": at, "seconds": seconds}
                          for at, (name, seconds) in enumerate(
                              (("large", 98.5), ("small", 1), ("tiny", 0.5), ("large", 5)))]
        with open(self.path("plan.jsonl"), "w", encoding="utf-8") as out:
            out.write(head + "\n" + json.dumps(line) + "\n")
        said = self.said()
        self.assertEqual(self.line(said, "`large`"), ["`large`", "2", "103.5 s", "not done"])
        self.assertEqual(self.line(said, "2 others"), ["2 others", "2", "1.5 s", "not done"])
        self.assertNotIn("`tiny`", said)

    def test_some_measured(self):
        self.plan([100, 100], {1: 300})
        said = self.said()
        self.assertIn("1 of them done: 6.7 min of core time, where not", said)
        # 100 and 300 as estimated, 3 * 100 and 300 if the other estimate is as wrong.
        self.assertEqual(self.line(said, "1"), ["1", "6.7 min", "100%", "10.0 min", "100%"])
        self.assertEqual(self.line(said, "4"), ["4", "5.0 min", "33%", "5.0 min", "50%"])

    def test_pictures_are_whole(self):
        self.plan([3600.0 * (1 + number % 7) for number in range(200)])
        its = self.run_it()
        if "gnuplot is not installed" in its.stderr:
            self.skipTest("no gnuplot")
        self.assertEqual(its.stderr, "")
        with open(self.path("shards.svg"), encoding="utf-8") as file:
            svg = file.read()
        for words in ("A search on many CPUs", "the longest shard", "100 h", "made up, 200 shards"):
            self.assertIn(words, svg)

    def test_into_a_file(self):
        self.plan([100, 100])
        with open(self.path("page.md"), "w", encoding="utf-8") as out:
            out.write("before\n<!-- shards -->\nold\n<!-- /shards -->\nafter\n")
        self.assertEqual(self.run_it("--into", self.path("page.md")).returncode, 0)
        with open(self.path("page.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("before\n<!-- shards -->\n`explore --tier made up"), text)
        self.assertTrue(text.endswith("|\n<!-- /shards -->\nafter\n"), text)

    def test_bad_input(self):
        def fails(status, words):
            its = self.run_it()
            self.assertEqual(its.returncode, status, its.stderr)
            self.assertEqual(its.stderr.count("\n"), 1, its.stderr)
            self.assertIn(words, its.stderr)
        fails(3, "cannot read")
        self.plan([100, 100], {0: 100})
        with open(self.path("shard-0.json"), "w", encoding="utf-8") as out:
            out.write('{"seconds": 1')
        fails(1, "shard-0.json is damaged")
        self.plan([100, 100], {0: 100})
        with open(self.path("plan.jsonl"), "a", encoding="utf-8") as out:
            out.write('{"shard"')
        fails(1, "plan.jsonl is damaged")


if __name__ == "__main__":
    plots_fixture.main(__name__)
