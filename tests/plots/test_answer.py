# SPDX-License-Identifier: MIT
"""answer.py and screen.py by themselves: one rule, on machines and runs made by hand."""
import math
import types
import unittest.mock

import plots_fixture
from plots_fixture import PlotsTest

import answer
import guide
import screen
from files import Failed

NAN = math.nan


def machine(needs, **rows):
    """rows: name=(bytes of header, instructions, ratio with a free clock, its interval)."""
    return answer.Machine([{"need": need, "rows": dict.fromkeys(its, 1)} for need, its in needs.items()],
                          {name: answer.Figures(*(row if len(row) > 3 else (*row, row[2], row[2])))
                           for name, row in rows.items()})


def row(name, verdict="kept", ns=10.0, above=0.0, **more):
    its = dict(row=name, verdict=verdict, ns=ns, above_clock_ns=above, worst_error_ticks=0,
               header_id_bytes=4, instructions=30, cheap_ratio=2, cheap_ratio_95_low=1.9,
               cheap_ratio_95_high=2.02)
    return types.SimpleNamespace(**{**its, **more})


def run(*rows, **more):
    its = dict(steady=list(rows), table=list(rows), storm=[], not_tried=[], noise=0, json={}, dir="d", cold_of={},
               machine=types.SimpleNamespace(tsc_hz=1e9))
    return types.SimpleNamespace(**{**its, **more})


def cold(ns, half=0.02, ratio=NAN, first_ns=NAN):
    return types.SimpleNamespace(ns=ns, ns_95_low=ns * (1 - half), ns_95_high=ns * (1 + half), ratio=ratio,
                                 first_ns=first_ns)


class Rule(PlotsTest):
    def take(self, *machines):
        its = answer.answer(list(machines), str)
        return its and its.row

    def test_header_of_a_word_then_instructions_then_order(self):
        take = {guide.TAKE: ["wide", "late", "slow", "quick"]}
        rows = dict(wide=(8, 10, NAN), late=(4, 31, NAN), slow=(4, 35, NAN), quick=(4.04, 30, NAN))
        self.assertEqual(self.take(machine(take, **rows)), "quick")
        # Above a word it is wide; instructions are alike as far as they are printed.
        self.assertEqual(self.take(machine(take, **{**rows, "quick": (4.06, 30, NAN)})), "late")
        self.assertEqual(self.take(machine(take, **{**rows, "quick": (4, 30.6, NAN)})), "late")
        self.assertEqual(self.take(machine(take, wide=(8, 12, NAN), late=(8, 11, NAN))), "late")
        self.assertIsNone(self.take(machine({guide.BYTES: ["late"]}, **rows)))
        # A row without a figure is not chosen.
        self.assertEqual(self.take(machine(take, late=(4, NAN, 1), slow=(NAN, 1, 1), quick=(4, 60, 1))),
                         "quick")

    def test_what_is_dearer_cold_is_not_taken(self):
        def of(**ns):  # with intervals of 1 % to either side
            return answer.Machine([{"need": guide.TAKE, "rows": {"few": 1, "many": 1}}], {
                row: answer.Figures(4, 30 if row == "few" else 40, NAN, NAN, NAN, its * 0.99, its * 1.01)
                for row, its in ns.items()})
        self.assertEqual(self.take(of(few=900, many=700)), "many")
        # 5 % beyond both intervals: 742 / 0.99 of 700.
        self.assertEqual(self.take(of(few=1.05 * 707 / 0.99 + 0.1, many=700)), "many")
        self.assertEqual(self.take(of(few=1.05 * 707 / 0.99 - 0.1, many=700)), "few")
        # On any machine that measured it; where it was not, it says nothing.
        self.assertEqual(self.take(of(few=NAN, many=NAN), of(few=900, many=700)), "many")
        self.assertEqual(self.take(of(few=900, many=NAN)), "few")

    def test_what_an_event_costs_in_a_program(self):
        its = run(row("a", ns=9.5), cold_of={"a": cold(760.4, ratio=0.979)})
        its.cell = lambda name, _: next((one for one in its.steady if one.row == name), None)
        self.assertEqual(answer.cold_sentence(its, "a", str),
                         "An event of a takes 9.50 ns in a loop, and 760 ns after other work has emptied the "
                         "caches, 0.98 times its floor there.")
        its.cold_of["a"].first_ns = 1295.3
        self.assertTrue(answer.cold_sentence(its, "a", str).endswith(
            "floor there; the first event after that work, of whichever row, takes 1295 ns."))
        its.cold_of["a"].first_ns = its.cold_of["a"].ratio = NAN
        self.assertTrue(answer.cold_sentence(its, "a", str).endswith("emptied the caches."))
        self.assertEqual(answer.cold_sentence(its, "b", str), "")
        its.steady[0].ns = NAN
        self.assertEqual(answer.cold_sentence(its, "a", str), "")

    def test_what_one_machine_objects_to_is_not_taken(self):
        one = machine({guide.TAKE: ["a", "b"]}, a=(4, 30, NAN), b=(4, 40, NAN))
        other = machine({guide.TAKE: ["b"]}, a=(4, 30, NAN), b=(4, 40, NAN))
        silent = machine({guide.TAKE: ["b"]}, b=(4, 40, NAN))
        older = machine({}, a=(4, 30, NAN))
        self.assertEqual(self.take(one, other), "b")
        self.assertEqual(self.take(one, silent), "a")
        self.assertEqual(self.take(one, older), "a")

    def test_older_records_and_those_without_a_header_to_take(self):
        old = {guide.CTF: ["a", "rseq"], guide.NO_ATOMIC: ["rseq"], guide.TIME: ["b"]}
        rows = dict(a=(4, 30, NAN), b=(4, 10, NAN), rseq=(4, 20, NAN))
        self.assertEqual(self.take(machine(old, **rows)), "a")
        self.assertEqual(self.take(machine({guide.TIME: ["b"]}, **rows)), "b")
        # What one machine says is refused is not asked of older records; of other rows it is.
        new = machine({guide.TAKE: ["b"]}, a=(4, 30, NAN), b=(4, 40, NAN))
        known = [machine({guide.CTF: ["a", "c"]}, a=(4, 30, NAN), c=(4, 20, NAN)), new]
        self.assertEqual(answer.takeable(known), {"b", "c"})

    def test_a_row_that_cannot_be_taken_says_so(self):
        its = answer.answer([machine({guide.TIME: ["b"]}, b=(4, 10, NAN))], str)
        self.assertTrue(its.sentences[0].endswith("instructions). `make take` refuses it."))

    def test_unless(self):
        its = answer.answer([machine(
            {guide.TAKE: ["a", "c"], guide.BYTES: ["a", "b", "c"], guide.WAIT: ["b", "d"],
             guide.BACK: ["a"], guide.SEVERAL: ["e"]},
            a=(4, 30, NAN), b=(2.96, 50, NAN), c=(3.04, 40, NAN), d=(2, 60, NAN), e=(12, 1, NAN))], str)
        self.assertEqual([(one.word, one.row, one.figures, one.taken) for one in its.unless],
                         [("wait", "d", "2 bytes of header, 60 instructions", False),
                          ("bytes", "c", "3 bytes of header, 40 instructions", True),
                          ("several", "e", "12 bytes of header, 1 instructions", False)])

    def test_firmware_takes_rows_that_claim_32_bits_and_write_ctf(self):
        for rows, taken in ((["n"], True), ([], False)):
            known = [machine({guide.TAKE: ["a"], guide.NARROW: ["n"], guide.FIRMWARE: rows},
                             a=(4, 30, NAN), n=(4, 20, NAN))]
            self.assertEqual([(one.row, one.taken) for one in answer.answer(known, str).unless], [("n", taken)])
            self.assertEqual("refuses" in answer.which(known, "no-cas64", str), not taken)

    def test_sections_of_rseq_are_taken_and_are_nobodys_default(self):
        for rows, taken in ((["m"], True), ([], False)):
            known = [machine({guide.TAKE: ["a"], guide.BYTES: ["m"], guide.MIGRATE: rows},
                             a=(4, 30, NAN), m=(4, 20, NAN))]
            its = answer.answer(known, str)
            self.assertEqual((its.row, {(one.row, one.taken) for one in its.unless}), ("a", {("m", taken)}))

    def test_who_costs_less_beside_a_free_clock(self):
        def said(cheap, header=4, own=2.0):
            return answer.answer([machine({guide.TAKE: ["a", "b"]}, a=(4, 30, own),
                                          b=(header, 31, cheap))], str).sentences[1:]
        self.assertEqual(said(0.2), ["b takes 90 % less time where reading the clock costs nothing (4 "
                                     "bytes of header, 31 instructions)."])
        self.assertEqual((said(2 / 1.02), said(3.0), said(NAN), said(1.5, own=NAN), said(1.5, 8)),
                         ([], [], [], [], []))
        self.assertEqual(len(said(1.96)), 1)
        self.assertEqual(len(said(1.5, 4.05)), 1)
        three = machine({guide.TAKE: ["a", "b", "c"]}, a=(4, 30, 2), b=(4, 31, 1.5), c=(4, 32, 1))
        self.assertIn("c takes 50 %", answer.answer([three], str).sentences[1])

    def test_what_intervals_or_one_machine_leave_open_is_not_said(self):
        def said(*machines):
            return len(answer.answer([machine({guide.TAKE: ["a", "b"]}, **rows)
                                      for rows in machines], str).sentences) - 1
        apart = dict(a=(4, 30, 2, 1.9, 2.1), b=(4, 31, 1.5, 1.4, 1.89))
        touch = dict(a=(4, 30, 2, 1.9, 2.1), b=(4, 31, 1.5, 1.4, 1.9))
        silent = dict(a=(4, 30, NAN), b=(4, 31, NAN))
        self.assertEqual((said(apart), said(touch), said(apart, touch), said(apart, silent),
                          said(silent), said(apart, dict(a=(4, 30, 1)))), (1, 0, 0, 1, 0, 0))

    def test_references(self):
        its = answer.of_reference({"needs": [{"need": "x", "rows": {"a": 1}}], "rows": [
            {"row": "a", "header_id_bytes": 4, "instructions": 30, "cheap_ratio": [1.5, 1, 2], "cold_ns": [7, 6, 9]},
            {"row": "b"}]})
        self.assertEqual((its.needs, its.rows["a"]), ({"x": {"a"}}, (4, 30, 1.5, 1, 2, 6, 9)))
        self.assertTrue(all(map(math.isnan, its.rows["b"])))
        self.assertEqual(answer.middle([its, its], "cheap", "a"), 1.5)
        self.assertTrue(math.isnan(answer.middle([its], "cheap", "b")))

    def test_which(self):
        known = [machine({guide.BYTES: ["a", "b"], guide.BACK: ["a", "b"], guide.TAKE: ["b"]},
                         a=(3, 40, NAN), b=(4, 30, NAN))]
        self.assertEqual(answer.which(known, "clock-back", str),
                         "Where the clock may go back: take b (4 bytes of header, 30 instructions).")
        self.assertEqual(answer.which(known, "clock-back,bytes", str),
                         "Where the clock may go back, and bytes count most: take a (3 bytes of header, "
                         "40 instructions). `make take` refuses it.")
        for words in ("", "byte", "bytes none"):
            with self.assertRaises(Failed):
                answer.which(known, words, str)

    def test_the_clock_s_share(self):
        said = answer.clock_sentence(run(row("a", ns=10, above=0.5), row("b", ns=20, above=1),
                                         row("c", "broken", ns=1, above=1), row("d", ns=0)))
        self.assertIn("takes 95 % of an event's 15.0 ns", said)
        self.assertEqual(answer.clock_sentence(run(row("a", ns=10, above=1.1))), "")
        self.assertNotEqual(answer.clock_sentence(run(row("a", ns=10, above=1.0))), "")
        self.assertEqual(answer.clock_sentence(run(row("a", "broken"), row("b", ns=NAN))), "")


class Screen(PlotsTest):
    def test_verdicts(self):
        def said(*verdicts):
            return screen.verdict(run(*(row(f"r{at}", word) for at, word in enumerate(verdicts))))
        self.assertEqual(said("kept"), "No promise was broken: one row kept all that it promises.")
        self.assertEqual(said("kept", "kept", "declared inexact", "not tried", "not tried", "need not met"),
                         "No promise was broken: 2 rows kept all that they promise; 1 kept it with times "
                         "declared inexact; 2 promise what this run did not try; 1 did not get what it "
                         "needs.")
        self.assertEqual(said("kept", "not tried", "need not met", "need not met"),
                         "No promise was broken: one row kept all that it promises; 1 promises what this run did not "
                         "try; 2 did not get what they need.")
        self.assertEqual(said("kept", "not explored", "not stormed"),
                         "No promise was broken: one row kept all that it promises; 1 no signal interrupted; "
                         "1 the explorer has not searched.")
        self.assertEqual(said("kept", "broken"), "BROKEN: 1 of 2 rows broke a promise: r1.")
        self.assertEqual(said(*["broken"] * 3), "BROKEN: 3 of 3 rows broke a promise: r0, r1, r2.")
        self.assertEqual(said(*["broken"] * 4), "BROKEN: 4 of 4 rows broke a promise: r0, r1, r2 and 1 more.")
        self.assertEqual(said("no promise"), "No row of this run was judged.")
        self.assertTrue(said("declared inexact").startswith("No promise was broken: 0 rows"))

    def test_error(self):
        def said(ticks, verdict="kept", hz=1e9):
            its = run(machine=types.SimpleNamespace(tsc_hz=hz))
            return screen.error(its, row("a", verdict, worst_error_ticks=ticks))
        self.assertEqual((said(0), said(1500), said(7, hz=NAN), said(NAN), said(9, "no promise"),
                          said(9, "need not met"), said(9, "broken"), said(0, "broken")),
                         ("exact", "1.5 us", "7 ticks", "-", "-", "-", "9 ns", "-"))

    def test_eight_rows(self):
        rows = [row(name) for name in ("z", *screen.SHOWN, "best", "few", "more")]
        best = answer.Answer("best", [], [answer.Choice("wait", "", "more", "", True),
                                          answer.Choice("bytes", "", "few", "", True)])
        shown = [one.row for one in screen.shown(run(*rows), best)]
        self.assertEqual(shown, [*screen.SHOWN, "best", "few"])
        self.assertEqual([one.row for one in screen.shown(run(*rows), None)], ["z", *screen.SHOWN, "best"])
        lines = screen.table(run(row("a", "broken", header_id_bytes=NAN), row("b" * 30)), None)
        self.assertEqual([line.split() for line in lines[1:]],
                         [["a", "broken", "-", "n/a", "30.0", "-", "-", "-"],
                          ["b" * 21, "kept", "exact", "4.0", "30.0", "10.0", "n/a", "2.00+-5.0%"]])
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_cold(self):
        its = run(row("a"), row("b", "broken"), cold_of={"a": cold(760.4), "b": cold(10, 0.1), "c": cold(9, 0.05)})
        lines = screen.table(its, None)
        self.assertEqual([line.split()[6] for line in lines], ["cold", "760", "-"])
        its.schemes, its.tails, its.injected, its.bytes_by_rate, its.beats = {}, [], [], [], []
        self.assertIn("bytes: header with an id; cold: ns, caches emptied, +-5 %; cheap clock: x floor",
                      screen.lines(its))

    def test_intervals(self):
        self.assertEqual([screen.with_interval(*one) for one in (
            (2, 1.9, 2.02), (2, 1.99, 2.2), (2, NAN, NAN), (NAN, 1, 2), (0.5, 0.4, 0.5))],
                         ["2.00 ±5.0 %", "2.00 ±10.0 %", "2.00", "n/a", "0.50 ±20.0 %"])

    @unittest.mock.patch("os.path.exists", lambda path: True)
    def test_lines(self):
        its = run(row("a"), not_tried=["signals"], noise=0.012, json={"noise": {"too_noisy": True}})
        its.schemes, its.tails, its.injected, its.bytes_by_rate, its.beats = {}, [], [], [], []
        said = screen.lines(its)
        self.assertIn("Not tried: signals.", said)
        self.assertIn(answer.NONE, said)
        self.assertIn("Too noisy to rank rows by time.", said)
        its.json = {"noise": {"too_noisy": False}}
        self.assertNotIn("Too noisy to rank rows by time.", screen.lines(its))
        said = screen.lines(its)
        self.assertEqual(said[-1], "all rows and figures: d/report.html")
        with unittest.mock.patch("os.path.exists", lambda path: path != "d/report.html"):
            self.assertNotIn("report.html", screen.lines(its)[-1])
        self.assertNotIn("times closer than 1.2 % are not told apart", said)
        its.steady[0].above_clock_ns = 5
        said = screen.lines(its)
        self.assertEqual(said[-2], "times closer than 1.2 % are not told apart")
        self.assertEqual(said.count(""), 2)
        # 24 lines, of which the prompt has one: blank ones go first.
        for sentences, blank in ((10, 2), (14, 2), (15, 1), (16, 0), (17, 0)):
            its.not_tried = ["x"] * sentences
            self.assertEqual(screen.lines(its).count(""), blank, sentences)

    def test_what_cannot_be_taken_has_a_star(self):
        one = answer.Choice("wait", "it may wait", "late", "", False)
        other = answer.Choice("bytes", "bytes count", "few", "", True)
        for unless, words in (([one, other], "Unless it may wait: late*; bytes count: few (*: make take "
                                             "refuses it)."),
                              ([other], "Unless bytes count: few."), ([], "Take it.")):
            said = screen.said(answer.Answer("a", ["Take it."], unless))
            self.assertEqual(" ".join(said).removeprefix("Take it. "), words)


if __name__ == "__main__":
    plots_fixture.main()
