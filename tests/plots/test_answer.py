# SPDX-License-Identifier: MIT
"""answer.py and screen.py by themselves: one rule, on machines and runs made by hand."""
import math
import os
import types
import unittest.mock

import plots_fixture
from plots_fixture import PlotsTest

import answer
import guide
import readme
import screen
from files import Failed

NAN = math.nan


def machine(needs, **rows):
    """rows: name=(bytes of header, instructions, ratio with a free clock, its interval)."""
    return answer.Machine([{"need": need, "rows": dict.fromkeys(its, 1)} for need, its in needs.items()],
                          {name: answer.Figures(*(row if len(row) > 3 else (*row, row[2], row[2])))
                           for name, row in rows.items()})


def row(name, verdict="kept", cycles=10.0, above=0.0, **more):
    its = dict(row=name, verdict=verdict, cycles=cycles, above_clock=above, worst_error_ticks=0, mixed=False,
               header_id_bytes=4, instructions=30, rank=3, cheap_cycles=13.5, cheap_ratio=2,
               cheap_ratio_95_low=1.9, cheap_ratio_95_high=2.02)
    return types.SimpleNamespace(**{**its, **more})


def run(*rows, **more):
    its = dict(steady=list(rows), table=list(rows), storm=[], stress=[], not_tried=[], apart=0, json={}, noise=types.SimpleNamespace(cycle_ticks=0.5), dir="d", cold_of={},
               machine=types.SimpleNamespace(tsc_hz=1e9))
    return types.SimpleNamespace(**{**its, **more})


def cold(ns, half=0.02, ratio=NAN, first_ns=NAN, extended_ns=NAN):
    return types.SimpleNamespace(ns=ns, ns_95_low=ns * (1 - half), ns_95_high=ns * (1 + half), ratio=ratio,
                                 first_ns=first_ns, extended_ns=extended_ns)


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
        self.assertEqual(self.take(of(few=1200, many=700)), "many")
        # Half as much again, beyond both intervals of 1 %.
        self.assertEqual(self.take(of(few=1.5 * 707 / 0.99 + 0.1, many=700)), "many")
        self.assertEqual(self.take(of(few=1.5 * 707 / 0.99 - 0.1, many=700)), "few")
        exactly = of(few=0, many=0)
        exactly.rows["few"] = exactly.rows["few"]._replace(cold_low=1500)
        exactly.rows["many"] = exactly.rows["many"]._replace(cold_high=1000)
        exactly.rows["few"] = exactly.rows["few"]._replace(cold_high=1500)
        self.assertEqual(self.take(exactly), "few")
        # On any machine that measured it; where it was not, it says nothing.
        self.assertEqual(self.take(of(few=NAN, many=NAN), of(few=1200, many=700)), "many")
        self.assertEqual(self.take(of(few=1200, many=NAN)), "few")
        why = answer.why([of(few=1200, many=700)], str)
        self.assertIn("within 1.5 times the cheapest cold plain event (1060 ns)", why[0])
        self.assertEqual([line.split() for line in why[2:]],
                         [["many", "4.0", "40.0", "693", "to", "707", "taken"],
                          ["few", "4.0", "30.0", "1188", "to", "1212", "dearer", "cold"]])

    def test_one_machine_gives_one_answer(self):
        """Idle and beside busy neighbours, with a cache of 32 and of 300 MiB: what moves from run to run."""
        def of(factor, known):
            cold = dict(zip(("packed", "packed_too", "wide", "delta"), (600, 570, 580, 620))) if known else {}
            needs = [{"need": guide.TAKE, "rows": dict.fromkeys(("wide", "packed", "packed_too", "delta"), 1)}]
            return answer.Machine(needs, {
                name: answer.Figures(header, count, NAN, NAN, NAN, *(
                    (0.95 * cold[name] * factor[at], 1.05 * cold[name] * factor[at]) if cold else (NAN, NAN)))
                for at, (name, header, count) in enumerate((("packed", 4, 32.7), ("packed_too", 4, 32.7),
                                                            ("wide", 12, 26), ("delta", 4, 41)))})
        for factor in ((1, 1, 1, 1), (1.2, 1, 1, 1), (1.3, 1, 0.95, 1), (1, 1.3, 1, 1.3), (2, 2.4, 2, 2)):
            self.assertEqual(self.take(of(factor, True)), "packed", factor)
        self.assertEqual(self.take(of((1, 1, 1, 1), False)), "packed")

    def test_what_an_event_costs_in_a_program(self):
        its = run(row("a", cycles=9.5), row("b"), cold_of={"a": cold(760.4, ratio=0.979), "c": cold(1)})
        its.cell = lambda name, _: next((one for one in its.steady if one.row == name), None)
        self.assertEqual(answer.cold_sentence(its, "a", str),
                         "An event of a takes 9.50 cycles in a loop, and 760 ns after other work has emptied the "
                         "caches, 0.98 times its floor there.")
        its.cold_of["a"].first_ns = 1295.3
        self.assertTrue(answer.cold_sentence(its, "a", str).endswith(
            "floor there; the first event after that work, of whichever row, takes 1295 ns."))
        for none in 0, NAN:
            its.cold_of["a"].first_ns = its.cold_of["a"].ratio = its.cold_of["a"].extended_ns = none
            self.assertTrue(answer.cold_sentence(its, "a", str).endswith("emptied the caches."))
        self.assertEqual([answer.cold_sentence(its, name, str) for name in "bcd"], ["", "", ""])
        for cycles, ns, is_said in (0.5, 0.5, True), (0, 9, False), (9, 0, False), (NAN, 9, False), (9, NAN, False):
            its.steady[0].cycles, its.cold_of["a"].ns = cycles, ns
            self.assertEqual(bool(answer.cold_sentence(its, "a", str)), is_said, (cycles, ns))

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
        self.assertTrue(its.sentences[0].endswith("instructions). It has no header."))

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
            self.assertEqual("no header" in answer.which(known, "no-cas64", str), not taken)

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
        three.rows["b"] = three.rows["b"]._replace(cheap=1.02, high=1.02)  # as good, to the last bit, and first
        self.assertIn("b takes 49 %", answer.answer([three], str).sentences[1])

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

    def test_the_documents_have_the_answer_of_the_recorded_machines(self):
        said = "\n".join(["<!-- choice -->", *readme.choice(plots_fixture.SOURCES), "<!-- /choice -->"])
        for name in ("README.md", "docs/choosing.md"):
            with open(os.path.join(plots_fixture.SOURCES, name), encoding="utf-8") as file:
                self.assertIn(said, file.read(), name + ": make readme RUN=-")

    def test_which(self):
        known = [machine({guide.BYTES: ["a", "b"], guide.BACK: ["a", "b"], guide.TAKE: ["b"]},
                         a=(3, 40, NAN), b=(4, 30, NAN))]
        self.assertEqual(answer.which(known, "clock-back", str),
                         "Where the clock may go back: take b (4 bytes of header, 30 instructions).")
        self.assertEqual(answer.which(known, "clock-back,bytes", str),
                         "Where the clock may go back, and bytes count most: take a (3 bytes of header, "
                         "40 instructions). It has no header.")
        known = [machine({guide.BYTES: ["a"], guide.WAIT: ["a", "c"], guide.CTF: ["a", "b"], guide.NARROW: ["a"], guide.TAKE: ["b"]},
                         a=(3, 20, NAN), b=(4, 30, NAN), c=(2, 50, NAN))]
        self.assertIn("take c (2", answer.which(known, "wait bytes", str))
        self.assertIn("take b (4", answer.which(known, "ctf", str))
        self.assertEqual(answer.which(known, "mcu", str), answer.which(known, "no-cas64", str))
        for words in ("", "byte", "bytes none"):
            with self.assertRaises(Failed):
                answer.which(known, words, str)

    def test_the_clock_s_share(self):
        said = answer.clock_sentence(run(row("a", cycles=10, above=0.5), row("b", cycles=20, above=1),
                                         row("c", "broken", cycles=1, above=1), row("d", cycles=0)))
        self.assertIn("takes 95 % of an event's 15.0 cycles", said)
        self.assertEqual(answer.clock_sentence(run(row("a", cycles=10, above=1.1))), "")
        self.assertNotEqual(answer.clock_sentence(run(row("a", cycles=10, above=1.0))), "")
        self.assertEqual(answer.clock_sentence(run(row("a", "broken"), row("b", cycles=NAN))), "")


class Screen(PlotsTest):
    def test_verdicts(self):
        def said(*verdicts):
            return screen.verdict(run(*(row(f"r{at}", word) for at, word in enumerate(verdicts))))
        self.assertEqual(said("kept"), "No promise was broken: 1 row kept all that it promises.")
        self.assertEqual(said("kept", "kept", "declared inexact", "not tried", "not tried", "need not met"),
                         "No promise was broken: 2 rows kept all that they promise; 1 kept it with times "
                         "declared inexact; 2 promise what this run did not try; 1 did not get what it "
                         "needs.")
        self.assertEqual(said("kept", "not tried", "need not met", "need not met"),
                         "No promise was broken: 1 row kept all that it promises; 1 promises what this run did not "
                         "try; 2 did not get what they need.")
        self.assertEqual(said("kept", "not explored", "not stormed"),
                         "No promise was broken: 1 row kept all that it promises; 1 no signal interrupted; "
                         "1 the explorer has not searched.")
        self.assertEqual(said("kept", "broken"), "BROKEN: 1 of 2 rows broke a promise: r1.")
        self.assertEqual(said(*["broken"] * 3), "BROKEN: 3 of 3 rows broke a promise: r0, r1, r2.")
        self.assertEqual(said(*["broken"] * 4), "BROKEN: 4 of 4 rows broke a promise: r0, r1, r2 and 1 more.")
        self.assertEqual(said("no promise"), "No row of this run was judged.")
        self.assertEqual(said("declared inexact"), "No promise was broken: 1 row kept it with times declared inexact.")
        # Checked workloads alone, without a timed cell: what is broken there is broken, and no storm is no proof.
        self.assertEqual(screen.verdict(run(stress=[row("a", events=9), row("b", events=9), row("c", "broken", events=0)])),
                         "No promise was broken: 2 rows no signal interrupted.")
        its = run(stress=[row("a", events=9), row("b", "broken", events=9)], cold_of={"a": cold(700, extended_ns=900)})
        self.assertEqual(screen.verdict(its), "BROKEN: 1 of 2 rows broke a promise: b.")
        self.assertEqual([line.split() for line in screen.lines(its)[-5:-3]],
                         [["a", "not", "stormed", *"- n/a n/a n/a - n/a 700 900".split()], ["b", "broken", *"- n/a n/a - - - - -".split()]])

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
        its = run(row("a", "broken", header_id_bytes=NAN), row("b" * 30))
        lines = screen.table(its, its.steady)
        self.assertEqual([line.split() for line in lines[1:]],
                         [["a", "broken", "-", "n/a", "30.0", "-", "-", "-", "-", "-"],
                          ["b" * 18, "kept", "exact", "4.0", "30.0", "10.0", "3", "13.5", "-", "-"]])
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_every_row(self):
        its = run(row("a"), row("b" * 40, "broken"), row("c", workload="threads"))
        its.table, its.schemes, its.tails, its.injected, its.bytes_by_rate, its.beats = its.steady, {}, [], [], [], []
        its.steady = its.table[:2]
        for one in its.steady:
            one.workload = "steady"
        said = screen.every(its, True)
        self.assertEqual([line.split()[:2] for line in said
                          if line.split()[-1:] == ["ext."] or line.split()[-1:] == ["-"]],
                         [["steady", "promises"], ["a", "\033[32mkept"], ["b" * 40, "\033[1;31mbroken"],
                          ["threads", "promises"], ["c", "\033[32mkept"]])
        self.assertNotIn("\033", "".join(screen.every(its, False)))

    def test_cold(self):
        its = run(row("a"), row("b", "broken"), row("c"),
                  cold_of={"a": cold(760.4), "b": cold(10), "c": cold(NAN, extended_ns=844)})
        self.assertEqual([line.split()[-2:] for line in screen.table(its, its.steady)],
                         [["cold", "ext."], ["760", "-"], ["-", "-"], ["-", "844"]])

    def test_cycles(self):
        self.assertEqual([screen.cycles(one) for one in (35.24, 999.94, 1528.8, NAN)],
                         ["35.2", "999.9", "1,529", "n/a"])
        self.assertIn("10.0~", screen.cells(run(), row("a", mixed=True)))

    def test_lines(self):
        its = run(row("a"), not_tried=["signals"])
        its.schemes, its.tails, its.injected, its.bytes_by_rate, its.beats = {}, [], [], [], []
        said = screen.lines(its)
        self.assertIn("Not tried: signals.", said)
        self.assertIn(answer.NONE, said)
        self.assertIn("too few rounds to rank by time", said)
        its.apart = 0.012
        said = screen.lines(its)
        # There is no page yet, and no line that names it.
        self.assertTrue(said[-1].startswith("cycles, 2.00 GHz; "))
        self.assertEqual(said[-2], "rank: by ratio to the floor, told apart above 1.20 %")
        its.steady[0].mixed = True
        self.assertTrue(screen.lines(its)[-2].endswith("; ~: core shared"))
        self.assertLessEqual(max(map(len, screen.lines(its))), 80)
        its.steady[0].above_clock = 5
        # 24 lines, of which the prompt has one: blank ones go first.
        for sentences, blank in ((10, 2), (15, 2), (16, 1), (17, 0), (18, 0)):
            its.not_tried = ["x"] * sentences
            self.assertEqual(screen.lines(its).count(""), blank, sentences)

    def test_what_cannot_be_taken_has_a_star(self):
        one = answer.Choice("wait", "it may wait", "late", "", False)
        other = answer.Choice("bytes", "bytes count", "few", "", True)
        for unless, words in (([one, other], "Unless it may wait: late*; bytes count: few (*: has no "
                                             "header)."),
                              ([other], "Unless bytes count: few."), ([], "Take it.")):
            said = screen.said(answer.Answer("a", ["Take it."], unless))
            self.assertEqual(" ".join(said).removeprefix("Take it. "), words)


if __name__ == "__main__":
    plots_fixture.main()
