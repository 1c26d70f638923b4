# SPDX-License-Identifier: MIT
"""The guide follows the record: who qualifies, who is best, and what each row is not for; and the
one answer, which is the same wherever it is said."""
import copy
import json
import os
from types import SimpleNamespace

import plots_fixture
from plots_fixture import TESTS, PlotsTest

import answer
import guide
import machines
import page
import record

LEAST_TIME = "| exact times, also when interrupted: least time"
STORMLESS = "no storm was run"


class Schemes(PlotsTest):
    """Every row of the sample's table is a scheme that can do all there is to ask for."""

    def scheme(self, row):
        return self.element("schemes", row)

    def row(self, row):
        return self.element("table", row)


class Conditions(Schemes):
    """Of each question each condition, by one row that differs from a good one in one thing."""
    maxDiff = None

    def of(self, section, **its):
        """The row's elements of that section are this one."""
        self.bench[section] = [one for one in self.bench.get(section, []) if one["row"] != "full_tsc"] + [{"row": "full_tsc", **its}]

    def test_each_condition(self):
        scheme, row, storm = self.scheme("full_tsc"), self.row("full_tsc"), self.element("stress", "full_tsc")
        self.bench["stress"] = [earlier := {**storm, "events": 0}, *self.bench["stress"], later := {**earlier}]
        every = [*record.PROMISES, record.STEP_PROOF]
        scheme.update(promises=every, shared_promises=every, counter_bits=32, claim_bits=32, gap_ticks=None, moves=False)
        row.update(atomics=1, ratio=1.125, instructions=41, header_id_bytes=3.5, id_bytes_added=0.5)
        self.of("tails", regime="calm", p50=77)
        self.bench["injected"] += [{"row": "full_tsc", "workload": "nested:2000ppm", "ratio": 1.25}, {"row": "full_tsc", "workload": "wraps:0.001", "ratio": 1.375}]
        self.bench["beats"] = [{"row": "heartbeat", "beats_per_second": 50}]
        self.of("beats", beats_per_second=40)
        its = {"scheme": scheme, "row": row, "storm": storm, "earlier": earlier, "later": later,
               **{one["clock"]: one for one in self.bench["backstep"] if one["row"] == "full_tsc"}}
        its["traced"]["reads_most"] = 2
        with open(os.path.join(TESTS, "data", "guide_conditions.txt"), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        answered, says = set(), []
        for line in lines:
            name = line.partition(" =")[0]
            where, _, change = name.partition(" ")
            before = copy.deepcopy(its.get(where))
            if change:
                its[where].update(eval(change, {"every": every}))
            self.write()
            run = record.load(self.run_dir)
            said = "".join(chr(ord("a") + at) for at, question in enumerate(guide.QUESTIONS)
                           if any(row.row == "full_tsc" for row, *_ in guide.candidates(run, question)))
            says.append(f"{name} = {said}".rstrip() + "\n")
            answered |= set(said)
            self.assertEqual(guide.wakeups(run, SimpleNamespace(row="full_tsc"), None), 40 if "beat" in change else 0)
            if not change:
                self.assertEqual([value for question in guide.QUESTIONS for row, value, _ in guide.candidates(run, question) if row.row == "full_tsc"],
                                 [1.125, 77, 41, 3.5, 1.25, 1.375, 1.125, 1.125, 41, 1.125, 1.125, 1.125, 3.5, 3.5, 3.5,
                                  207.5, 20750, 20750000, 0, 3.5])
            if change:
                its[where].clear()
                its[where].update(before)
        self.assertEqual("".join(says), "".join(lines))  # - is what the file should have
        self.assertEqual(len(answered), len(guide.QUESTIONS), "a question that no line of guide_conditions.txt answers")


class Guide(Schemes):
    def guide(self):
        self.write()
        return page.guide_block(record.load(self.run_dir))

    def line(self, begin):
        return next((line for line in self.guide().split("\n") if line.startswith(begin)), "")

    def assert_line(self, begin, has=None, has_not=None):
        line = self.line(begin)
        if has is not None:
            self.assertIn(has, line)
        elif has_not == "`" and begin[0] == "|":  # it names no row: it is not there
            self.assertEqual(line, "")
        if has_not is not None:
            self.assertNotIn(has_not, line)

    def test_the_best_comes_first(self):
        self.row("full_tsc")["ratio"] = 0.991
        self.row("extended_header")["ratio"] = 0.990
        self.assert_line(LEAST_TIME, "`extended_header`, `full_tsc`")
        self.row("full_tsc")["ratio"] = 1.2
        self.assert_line(LEAST_TIME, "`extended_header`", "`full_tsc`")
        self.row("full_tsc")["ratio"] = 0.5
        self.assert_line(LEAST_TIME, "`full_tsc` | 0.50 times", "`extended_header`")

    def test_a_row_that_was_cut_out_is_no_answer(self):
        sample = json.dumps(self.bench)
        for name, has, has_not in ("other", "`other`", None), ("taken_one", "| exact", "`taken_one`"):
            self.bench = json.loads(sample.replace('"full_tsc"', f'"{name}"'))
            self.row(name)["ratio"] = 0.5
            self.assert_line(LEAST_TIME, has, has_not)

    def test_who_does_not_qualify_is_not_named(self):
        scheme, storm = self.scheme("full_tsc"), self.element("stress", "full_tsc")
        self.row("full_tsc")["ratio"] = 0.5
        self.assert_line(LEAST_TIME, "`full_tsc`")
        for change, back, warning in (
                (lambda: scheme.update(nesting="later"), lambda: scheme.update(nesting="at once"),
                 "- An interrupt's event waits"),
                (lambda: scheme.update(nesting="held off"),
                 lambda: scheme.update(nesting="at once"), "- Interrupts are held off"),
                (lambda: scheme.update(needs=["beat"]), lambda: scheme.update(needs=[]),
                 "- Not for a quiet machine that should sleep"),
                (lambda: scheme.update(needs=["strict clock"]), lambda: scheme.update(needs=[]),
                 "- Not with a clock that gives the same value twice"),
                (lambda: scheme.update(needs=["masked interrupts"]),
                 lambda: scheme.update(needs=[]), "- Not where writers can be interrupted"),
                (lambda: storm.update(inexact=3), lambda: storm.update(inexact=0),
                 "- Stamps of nested writers were declared inexact")):
            change()
            self.assert_line(LEAST_TIME, "| exact", "`full_tsc`")
            self.assert_line(warning, "`full_tsc`")
            back()
            self.assert_line(LEAST_TIME, "`full_tsc`")
            self.assert_line(warning, None, "`full_tsc`")
        self.row("full_tsc")["verdict"] = "broken"
        self.assert_line(LEAST_TIME, "| exact", "`full_tsc`")

    def all_but(self, row):
        """Nobody else qualifies for anything exact, whatever the sample has them cost."""
        for one in self.bench["schemes"]:
            one["nesting"] = "at once" if one["row"] == row else "later"

    def test_a_clock_that_goes_back(self):
        """Promised, and exact in every case: else another is asked; and what that other would do."""
        line, scheme = "| exact times, also when interrupted: the clock may go back", self.scheme("full_tsc")
        self.assert_line(line, None, "`")
        scheme["promises"].append("step_proof")
        self.assert_line(line, "| `full_tsc` (without, `delta_sync_soft`: up to 5.76e+17 ticks "
                         "(8.12 years) off) | 1.02 times the floor |")
        # The cheapest of the others, not the worst.
        self.row("extended_header")["ratio"] = 0.9
        self.assert_line(line, "`extended_header`: up to 134,217,728 ticks (59.7 ms) off")
        self.all_but("full_tsc")
        self.assert_line(line, "| `full_tsc` | 1.02", "without")
        self.scheme("full_tsc")["nesting"] = "later"
        self.assert_line(line, None, "`")
        self.scheme("full_tsc")["nesting"] = "at once"
        case = [one for one in self.bench["backstep"] if one["row"] == "full_tsc"][-1]
        for change in ({"worst_ticks": 1}, {"inexact": 1}, {"verdict": "broken"}):
            before = {key: case[key] for key in change}
            case.update(change)
            self.assert_line(line, None, "`")
            case.update(before)
            self.assert_line(line, "| `full_tsc` |")
        # Promised, and not played.
        del self.bench["backstep"]
        self.assert_line(line, None, "`")

    def test_the_machine(self):
        """A record that says nothing of the schemes: nobody qualifies for what it does not say."""
        del self.bench["schemes"]
        self.assert_line(LEAST_TIME, None, "`")
        self.assert_line("- All of this was measured on", None, "every row")
        self.bench["left_out"] = []
        self.assert_line("- All of this was measured on", "every row can run")
        self.bench["left_out"] = [{"row": "restartable", "why": "no rseq"}]
        self.assert_line("- All of this was measured on", "`restartable` (no rseq).", "every row")

    def test_without_a_storm_nothing_is_exact(self):
        """Nothing was interrupted: no line about interrupts names a row, and each says why."""
        self.bench["stress"] = []
        for begin in (LEAST_TIME, "| exact times, an interrupt's event may wait", "| readers of ftrace"):
            self.assert_line(begin, STORMLESS, "`")
        self.scheme("full_tsc")["counter_bits"] = 32
        self.assert_line("| a counter of 32 bits", "`full_tsc`", "no storm")

    def test_two_clocks_choose(self):
        """The row that is best by both, or each clock's own."""
        full, extended = self.row("full_tsc"), self.row("extended_header")
        full.update(ratio=0.90, cheap_ratio=1.5)
        extended.update(ratio=0.91, cheap_ratio=1.3)
        self.assert_line(LEAST_TIME, "| `extended_header` | 0.90 times the floor, 1.30 with a",
                         "`full_tsc`")
        full["ratio"] = 0.5
        self.assert_line(LEAST_TIME, "by this machine's clock `full_tsc`; by a cheap one "
                         "`extended_header` |")
        # What is not told apart is as good.
        self.bench["noise"] = {"apart": 0.2}
        self.assert_line(LEAST_TIME, "| `full_tsc` | 0.50 times the floor, 1.30 with",
                         "by a cheap one")
        full["cheap_ratio"], extended["cheap_ratio"] = 2, 1.25
        self.row("delta_sync_soft")["cheap_ratio"] = 1.5  # to the last bit
        self.assert_line(LEAST_TIME, "by a cheap one `extended_header`, `delta_sync_soft` |")
        full["cheap_ratio"] = 1.5
        self.assert_line(LEAST_TIME, "| `full_tsc` | 0.50 times the floor, 1.25 with")

        latency = [{"row": row, "regime": "calm", "p50": p50} for row, p50 in (("full_tsc", 770), ("extended_header", 900))]
        self.bench["tails"] = latency
        self.assert_line("| exact times, also when interrupted: least latency", "| `full_tsc`, `extended_header` | 770 ticks")

    def test_bytes_hold_an_id(self):
        """Those of a header with an id: a row without one gets it added."""
        line = "| exact times, also when interrupted: fewest bytes"
        full, extended = self.row("full_tsc"), self.row("extended_header")
        full["header_id_bytes"], extended["header_id_bytes"] = 3, 3.5
        self.assert_line(line, "`full_tsc` | 3.00 bytes of header", "`extended_header`")
        full["header_id_bytes"] = 5
        self.assert_line(line, "`extended_header` | 3.50 bytes of header", "`full_tsc`")

    def test_a_beat_has_its_price(self):
        self.scheme("full_tsc")["needs"] = ["beat"]
        self.bench["beats"] = [{"row": "full_tsc", "beat_ns": 2500.0, "beats_per_second": 40.0,
                                "ns_per_second": 100000.0}]
        self.assert_line("- Not for a quiet machine", "`full_tsc` (2500 ns each, 40.0 per second: 100.0 "
                         "us in each second)")

    def test_page_and_markdown_say_the_same(self):
        lines = self.guide().count("\n| ")
        self.make_data()
        html = self.text("report.html").split('<table class="guide">')[1].split("</table>")[0]
        rows = html.count('<th scope="row">')
        self.assertGreater(rows, 5)
        self.assertEqual(rows + 1, lines)  # and the head

    def test_the_needs_are_those_of_the_guide(self):
        """What a reference keeps, and the guide itself, are one choice."""
        self.write()
        run = record.load(self.run_dir)
        needs = {one["need"]: one for one in guide.needs(run)}
        answers = {one.need: one for one in guide.answers(run) if not one.why}
        self.assertEqual(list(needs), list(answers))
        for need, one in needs.items():
            first = answers[need].parts[0].rows[0]
            self.assertEqual(one["rows"][first], min(one["rows"].values()))


class Answer(Schemes):
    """One rule, and the same words on the terminal, the page and in Markdown."""

    def setUp(self):
        super().setUp()
        for one in self.bench["schemes"]:
            if one["row"] not in ("full_tsc", "extended_header"):
                one["needs"] = ["beat"]
        for row, header, count in (("full_tsc", 12, 27), ("extended_header", 4, 35)):
            self.row(row).update(header_id_bytes=header, instructions=count, cheap_ratio=2,
                                 cheap_ratio_95_low=2, cheap_ratio_95_high=2)

    def said(self):
        """Of the run as it is: the terminal's text, on one line."""
        self.make_data()
        status, said = self.plots("--screen", self.run_dir)
        self.assertEqual(status, 0)
        self.assertLessEqual(max(map(len, self.told.split("\n"))), 80)
        self.assertLessEqual(self.told.count("\n"), 24)
        return " ".join(self.told.split())

    def test_one_answer_everywhere(self):
        said = self.said()
        first = ("Take {}: its times are exact, even under interrupts and after any gap, and "
                 "it has no preconditions (4 bytes of header, 35 instructions).")
        self.assertIn(first.format("extended_header"), said)
        self.assert_holds("report.html", first.format("<code>extended_header</code>"))

    def test_small_headers_first_then_instructions(self):
        self.row("full_tsc")["header_id_bytes"] = 4
        self.assertIn("Take full_tsc", self.said())
        self.row("full_tsc")["instructions"] = 36
        self.assertIn("Take extended_header", self.said())

    def test_who_costs_less_beside_a_free_clock_is_named(self):
        self.row("full_tsc").update(header_id_bytes=4, instructions=36, cheap_ratio=1.5,
                                   cheap_ratio_95_low=1.5, cheap_ratio_95_high=1.5)
        self.assertIn("full_tsc takes 25 % less time where reading the clock costs nothing",
                      self.said())
        self.row("full_tsc").update(cheap_ratio=1.98, cheap_ratio_95_high=1.98)
        self.assertNotIn("where reading the clock costs nothing (", self.said())

    def test_nobody_qualifies(self):
        for one in self.bench["schemes"]:
            one["needs"] = ["beat"]
        self.assertIn("No row of this run is known to be exact when it is interrupted.", self.said())

    def test_which(self):
        self.make_data()
        for words, status, said in (
                ("bytes", 0, "Where bytes count most: take extended_header (4 bytes of header, 35 "
                             "instructions)."),
                ("ctf bytes", 0, "Where readers want CTF, and bytes count most: take"),
                ("several", 0, "No row is known to be right where CPUs share a ring.")):
            self.assertEqual(self.plots("--which", words, self.run_dir)[0], status)
            self.assertIn(said, " ".join(self.told.split()))
        for words in ("bites", ""):
            status, said = self.plots("--which", words, self.run_dir)
            self.assertEqual(status, 1)
            self.assert_one_line(said, "needs are wait (")


class References(PlotsTest):
    def test_what_is_no_reference_is_left_out_and_named(self):
        folder = os.environ["STAMPEDE_REFERENCES"]
        for name, text in (("a", "{"), ("b", '{"reference": 2}'), ("c", None), (".d", "{")):
            os.makedirs(f"{folder}/{name}")
            if text:
                with open(f"{folder}/{name}/reference.json", "w", encoding="utf-8") as file:
                    file.write(text)
        status, said = self.plots("--which", "bytes")
        self.assertEqual(said.count(" is no reference ("), 3)
        self.assertEqual(status, 0)

    def first(self, section, row):
        return next(one for one in self.bench[section] if one["row"] == row)

    def fit(self):
        """The sample as a run that may be kept: calm, nothing broken, and full of private things."""
        for key, value in self.bench.items():
            if isinstance(value, list):
                self.bench[key] = [one for one in value if one.get("row") != "made_up_broken"]
        self.bench["noise"] = {"apart": 0.001}
        self.bench["command"] = "make bench ARGS=--results=/secret/dir"
        context = self.bench["context"]
        context["host_name"] = context["stampede"]["kernel"]["release"] = "secret-host"
        context["stampede"]["build"]["flags"] = "-I/secret/include"
        self.first("table", "full_tsc").update(
            ns=9.1234567, cheap_ratio=1.23456789, cheap_ratio_95_low=1.0, cheap_ratio_95_high=None)

    def test_a_reference_is_made(self):
        self.fit()
        self.write()
        status, said = self.plots("--reference", self.run_dir)
        self.assertEqual(status, 0, said)
        its = json.loads(self.told)
        self.assertTrue(machines.is_reference(its))
        for private in ("secret", self.dir, "repetition_index"):
            self.assertNotIn(private, self.told)
        row, = (one for one in its["rows"] if one["row"] == "full_tsc")
        self.assertEqual((row["verdict"], row["ns"]), ("kept", 9.12346))
        self.assertEqual(row["cheap_ratio"], [1.23457, 1.0, None])
        self.assertEqual([one["need"] for one in its["needs"]],
                         [one["need"] for one in guide.needs(record.load(self.run_dir))])
        context = self.bench["context"]
        self.assertEqual(its["of"], {"what": "run", "date": context["date"][:10], "revision": "0" * 12,
                                     "schema": context["stampede"]["schema"], "dirty": False})
        self.assertEqual(its["machine"]["tsc_hz"], context["stampede"]["tsc"]["hz"])
        self.assertEqual(sorted({len(one) for one in answer.of_reference(its).rows.values()}), [7])

    def test_what_is_not_good_enough_is_refused(self):
        for spoil, said in ((lambda: self.bench.update(command="make bench QUICK=1"), "quick run"),
                            (lambda: self.bench.update(noise={"apart": 0.03}), "too noisy"),
                            (lambda: self.bench.pop("noise"), "does not say"),
                            (lambda: self.first("table", "full_tsc").update(verdict="broken"),
                             "'full_tsc' broke a promise"),
                            (lambda: self.first("stress", "full_tsc").update(verdict="broken"),
                             "'full_tsc' broke a promise"),
                            (lambda: self.bench.update(table=[one for one in self.bench["table"]
                                                              if one["row"] != "floor"]), "no steady cell")):
            self.bench = json.loads(plots_fixture.SAMPLE)
            self.fit()
            spoil()
            self.write()
            status, line = self.plots("--reference", self.run_dir)
            self.assertEqual((status, self.told), (1, ""))
            self.assert_one_line(line, said)
        os.remove(self.path("bench.json"))
        self.put("rows.jsonl", json.dumps(self.bench["benchmarks"][0]) + "\n")
        self.assert_one_line(self.plots("--reference", self.run_dir)[1], "never finished")


if __name__ == "__main__":
    plots_fixture.main()
