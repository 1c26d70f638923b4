# SPDX-License-Identifier: MIT
"""The guide follows the record: who qualifies, who is best, and what each row is not for; and over
all machines, where they part."""
import copy
import json
import os
import subprocess

import plots_fixture
from plots_fixture import BUILD, SOURCES, PlotsTest

import guide
import machines
import page
import record

LEAST_TIME = "| exact times, and interrupts record too: least time"
STORMLESS = "no storm was run"


class Guide(PlotsTest):
    def setUp(self):
        super().setUp()
        # Every row of the sample's table as a scheme that can do all there is to ask for.
        self.bench["schemes"] = [
            {"row": row["row"], "promises": list(record.PROMISES), "needs": [],
             "counter_bits": 64, "nesting": "at once", "format": "CTF", "shared_promises": [],
             "moves": False} for row in self.bench["table"]]

    def scheme(self, row):
        return self.element("schemes", row)

    def row(self, row):
        return self.element("table", row)

    def guide(self):
        self.write()
        return page.guide_block(record.load(self.run_dir))

    def line(self, begin):
        return next((line for line in self.guide().split("\n") if line.startswith(begin)), "")

    def assert_line(self, begin, has=None, has_not=None):
        line = self.line(begin)
        if has is not None:
            self.assertIn(has, line)
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

    def test_who_does_not_qualify_is_not_named(self):
        scheme, storm = self.scheme("full_tsc"), self.element("stress", "full_tsc")
        self.row("full_tsc")["ratio"] = 0.5
        self.assert_line(LEAST_TIME, "`full_tsc`")
        for change, back, warning in (
                (lambda: scheme.update(nesting="later"), lambda: scheme.update(nesting="at once"),
                 "- An interrupt that records has to wait"),
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

    def test_each_need_asks_for_its_own(self):
        scheme = self.scheme("full_tsc")
        for begin, key, value in (("| the same, threads that share", "moves", True),
                                  ("| readers of ftrace sub-buffers", "format", "ftrace"),
                                  ("| a counter of 32 bits", "counter_bits", 32)):
            self.assert_line(begin, None, "`")
            scheme[key] = value
            self.assert_line(begin, "| `full_tsc` |")
        self.assert_line("| the same, writers on several CPUs", None, "`")
        scheme["shared_promises"] = list(record.PROMISES)
        self.assert_line("| the same, writers on several CPUs", "| `full_tsc` |")
        # The sample has another row without atomics, at more time.
        self.row("full_tsc")["ratio"] = 0.9
        self.assert_line("| the same, no atomic", "| the same", "`full_tsc`")
        self.row("full_tsc")["atomics"] = 0
        self.assert_line("| the same, no atomic", "| `full_tsc` |")

    def all_but(self, row):
        """Nobody else qualifies for anything exact, whatever the sample has them cost."""
        for one in self.bench["schemes"]:
            one["nesting"] = "at once" if one["row"] == row else "later"

    def test_a_clock_that_goes_back(self):
        """Promised, and exact in every case: else another is asked; and what that other would do."""
        line, scheme = "| the same, the clock may go back", self.scheme("full_tsc")
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

    def test_a_clock_that_is_traced(self):
        """Who ends, whatever else its stamps are."""
        line = "| the clock is traced, or traces itself"
        self.assert_line(line, "| `nested_stamps` | 1.15 times the floor |")
        for one in self.bench["backstep"]:
            one["reads_most"] = 1000 if one["row"] == "nested_stamps" else 999
        self.assert_line(line, "`full_tsc`", "`nested_stamps`")
        self.scheme("full_tsc")["promises"].remove("bounded")
        self.assert_line(line, None, "`full_tsc`")
        del self.bench["backstep"]
        self.assert_line(line, None, "`")

    def test_clocks_that_differ(self):
        """Asked of what rows promise in a ring of several CPUs; order is none of it."""
        line, scheme = "| the same, CPUs whose clocks differ", self.scheme("full_tsc")
        scheme["shared_promises"] = [*record.PROMISES]
        self.assert_line(line, None, "`")
        scheme["shared_promises"] = ["exact", "window", "wrap_proof", "bounded", "step_proof"]
        self.assert_line(line, "| `full_tsc` | 1.02 times the floor |")
        # One promise more does not keep it from the line about one ring for all.
        self.assert_line("| the same, writers on several CPUs", None, "`")
        scheme["shared_promises"].append("monotonic")
        self.assert_line("| the same, writers on several CPUs", "`full_tsc`")
        scheme["shared_promises"].remove("exact")
        self.assert_line(line, None, "`")

    def test_machine_and_old_runs(self):
        """A record that says nothing of the schemes: nobody qualifies for what it does not say."""
        del self.bench["schemes"]
        self.assert_line(LEAST_TIME, None, "`")
        self.assert_line("| 1,000 events per second", "`")
        self.assert_line("- All of this is of", None, "every row")
        self.bench["left_out"] = []
        self.assert_line("- All of this is of", "every row can run")
        self.bench["left_out"] = [{"row": "restartable", "why": "no rseq"}]
        self.assert_line("- All of this is of", "`restartable` (no rseq).", "every row")

    def test_exact_is_declared_and_judged(self):
        self.row("full_tsc")["ratio"] = 0.5
        self.assert_line(LEAST_TIME, "`full_tsc`")
        self.scheme("full_tsc")["promises"].remove("exact")
        self.assert_line(LEAST_TIME, "| exact", "`full_tsc`")
        self.assert_line("| 1,000 events per second", None, "`full_tsc`")

    def test_without_a_storm_nothing_is_exact(self):
        """Nothing was interrupted: no line about interrupts names a row, and each says why."""
        self.bench["stress"] = []
        for begin in (LEAST_TIME, "| exact times, an interrupt may wait", "| readers of ftrace"):
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
        # What the same row twice differs by is not told apart.
        self.bench["again"] = {"row": "full_tsc", "noise": 0.2}
        self.assert_line(LEAST_TIME, "| `full_tsc` | 0.50 times the floor, 1.30 with",
                         "by a cheap one")

    def test_bytes_hold_an_id(self):
        """Those of a header with an id: a row without one gets it added."""
        line = "| the same, fewest bytes, events back to back"
        full, extended = self.row("full_tsc"), self.row("extended_header")
        full["header_id_bytes"], extended["header_id_bytes"] = 3, 3.5
        self.assert_line(line, "`full_tsc` | 3.00 bytes of header", "`extended_header`")
        full["header_id_bytes"] = 5
        self.assert_line(line, "`extended_header` | 3.50 bytes of header", "`full_tsc`")
        for row in self.bench["table"]:
            row.pop("header_id_bytes", None)
        self.assert_line(line, "ids not counted")

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
        its = subprocess.run([os.path.join(BUILD, "plots"), "--needs", self.run_dir], check=True,
                             capture_output=True, text=True)
        self.assertEqual(json.loads(its.stdout), guide.needs(run))


def machine(vendor, model, number, revision, rows=("packed_word", "rewind")):
    its = {"vendor": vendor, "model": model}
    if number:
        its.update(family=6, model_number=number)
    return {"reference": 1, "of": {"what": "run", "revision": revision}, "machine": its,
            "rows": [{"row": row} for row in rows], "needs": []}


def with_need(reference, unit, packed, rewind, cheap=None):
    need = {"need": "least time", "unit": unit, "as_good": 0.02,
            "rows": {"packed_word": packed, "rewind": rewind}}
    if cheap:
        need["cheap"] = dict(zip(("packed_word", "rewind"), cheap))
    return dict(reference, needs=[need])


class Machines(PlotsTest):
    def setUp(self):
        super().setUp()
        self.epyc = machine("AMD", "EPYC", 0, "other")
        self.xeon = machine("Intel", "Xeon", 143, "same")

    def guide(self, *references):
        """The lines of the guide over these machines, as a run's Markdown has them."""
        folder = os.environ["STAMPEDE_REFERENCES"]
        for at, one in enumerate(references):
            os.makedirs(f"{folder}/{at}", exist_ok=True)
            with open(f"{folder}/{at}/reference.json", "w", encoding="utf-8") as file:
                json.dump(one, file)
        self.make_data()
        return self.text("report.md").partition("On all recorded machines")[2]

    def test_where_machines_part(self):
        text = self.guide(with_need(self.epyc, "x", 0.99, 1.03),
                          with_need(self.xeon, "x", 1.1, 1.03))
        self.assert_in("EPYC (commit other), Xeon 6-143 (commit same)", text)
        self.assertIn("| least time | none | only on EPYC: `packed_word`; only on Xeon 6-143: "
                      "`rewind` |", text)
        self.assert_holds("report.html", "<td>none</td> <td>only on EPYC: <code>packed_word</code>")

    def test_who_wins_on_all_stands_alone(self):
        text = self.guide(with_need(self.epyc, "x", 1.02, 1.03),
                          with_need(self.xeon, "x", 1.1, 1.03))
        self.assert_in("| least time | `rewind` | only on EPYC: `packed_word` |", text)

    def test_only_rows_that_all_have_win(self):
        less = machine("AMD", "EPYC", 0, "other", ["packed_word"])
        text = self.guide(with_need(less, "x", 1.5, 1.03), with_need(self.xeon, "x", 1.5, 1.03))
        self.assert_in("| least time | `packed_word` | nowhere |", text)

    def test_another_unit_is_another_question(self):
        self.assertEqual(self.guide(with_need(self.epyc, "x", 0.99, 1.03),
                                    with_need(self.xeon, "y", 1.1, 1.03)), "")

    def test_both_clocks_choose_where_all_have_both(self):
        text = self.guide(with_need(self.epyc, "x", 1.0, 1.01, (2, 1)),
                          with_need(self.xeon, "x", 1.0, 1.01, (2, 1)))
        self.assert_in("| least time | `rewind` | nowhere |", text)
        text = self.guide(with_need(self.epyc, "x", 1.0, 1.01, (2, 1)),
                          with_need(self.xeon, "x", 1.0, 1.01))
        self.assert_in("| least time | `packed_word`, `rewind` | nowhere |", text)

    def test_what_is_no_reference_is_left_out_and_named(self):
        folder = os.environ["STAMPEDE_REFERENCES"]
        for name, text in (("a", "{"), ("b", '{"reference": 2}'), ("c", None)):
            os.makedirs(f"{folder}/{name}")
            if text:
                with open(f"{folder}/{name}/reference.json", "w", encoding="utf-8") as file:
                    file.write(text)
        self.write()
        with self.without_gnuplot():
            said = self.plots("--quiet", self.run_dir)[1]
        self.assertEqual(said.count(" is no reference ("), 3)

    def test_what_is_kept_can_be_read(self):
        found = machines.load(os.path.join(SOURCES, "results", "reference"))
        self.assertGreaterEqual(len(found), 2)
        before = copy.deepcopy(found)
        self.assertTrue(machines.lines(found))
        self.assertEqual(found, before)


if __name__ == "__main__":
    plots_fixture.main()
