# SPDX-License-Identifier: MIT
"""Sections of the page that are taken over from other records: what the explorer found and what
rows did in a kernel; from a whole record, and from half of one."""
import html
import json
import math
import os
import re
import unittest.mock
from types import SimpleNamespace

import plots_fixture
from plots_fixture import PlotsTest, MADE_UP

import facts
import page
import record

EXPLORED, IN_KERNEL = MADE_UP["explored"], MADE_UP["in_kernel"]


class Sections(PlotsTest):
    def section(self, name, value):
        self.bench[name] = value
        self.make_data()
        return self.text("report.html").partition(
            f'<section id="{name.replace("_", "-")}">')[2]

    def test_a_users_tracer_has_the_figures_of_its_row(self):
        self.bench["schemes"] = [
            {"row": "full_tsc", "used_by": [{"product": "Zebra <b>", "words": "no mane"},
                                            {"product": 7, "words": "no name"}]},
            {"row": "nobody", "used_by": [{"product": "adder", "words": "not run", "wraps_after": "1 s"}]},
            {"row": "floor", "used_by": "none"}]
        cell = self.element("table", "full_tsc")
        self.make_data()
        text = " ".join(self.text("report.html").partition('<section id="products">')[2]
                        .partition("</section>")[0].split())
        self.assert_in('<th scope="row">adder</th><td><code>nobody</code></td> '
                       '<td class="none">not in this run</td><td>not run</td>', text)
        self.assert_in(f'<th scope="row">Zebra &lt;b&gt;</th><td><code>full_tsc</code></td> '
                       f'<td class="kept">{cell["verdict"]}</td><td>no mane</td> '
                       f'<td class="n" data-v="{cell["ratio"]:.9g}">', text)
        self.assertLess(text.index("adder"), text.index("Zebra"))
        self.assert_in("no name", text, False)

    def assert_all(self, text, *words):
        for one in words:
            self.assert_in(one, text)

    def test_rows_of_the_explorer(self):
        self.assert_all(
            self.section("explored", EXPLORED),
            '<code>good</code></th><td class="n" data-v="2">2</td><td class="n" data-v="3">3</td>'
            '<td class="n" data-v="1234570">1,234,570</td><td class="kept">kept</td>',
            "kept where needs are met<small>in 4 not</small>",
            '<td class="broken">broken<small>in 7</small></td>',
            "<li>more: <code>ends2</code></li>")

    def test_timelines_of_the_explorer(self):
        text = self.section("explored", EXPLORED)
        self.assert_all(text, '<pre tabindex="0">E1 &amp; E2\n  next line</pre>',
                        "line one\nline two</pre></details>",
                        "Found in 5 of 20 schedules of the budget <code>--events 1</code>.",
                        ": 62 stamp events and 4 others.", "What &lt;it&gt; is.")
        # A broken row's is open to see; one whose need was not met has none.
        self.assert_in("not shown", text, False)
        self.assert_in("<bad>", text, False)

    def clocks(self, row=None):
        """What the page says of clocks that misbehave; or the cells of a row there, by their heads."""
        self.make_data()
        text = self.text("report.html").partition('<section id="clocks">')[2].partition("</section>")[0]
        if row is None:
            return " ".join(html.unescape(re.sub("<[^>]*>", "", text)).split())
        head, body = text.split("<tbody>")
        line = body.partition(f'<th scope="row"><code>{row}</code></th>')[2].partition("</tr>")[0]
        return dict(zip((html.unescape(re.sub("<[^>]*>", "", one))
                         for one in re.findall("<th[^>]*>(.*?)</th>", head)[1:]),
                        (re.sub("<small>(.*?)</small>", r" (\1)", one)
                         for one in re.findall("<td[^>]*>(.*?)</td>", line, re.S))))

    def test_damage_has_a_table(self):
        self.bench["schemes"] = [{"row": "full_tsc", "promises": ["exact", "step_proof"]}]
        self.element("stress", "extended_header").update(workload="backstep",
                                                         damage={"worst_ticks": 900})
        its = self.clocks("heartbeat")
        for head, cell in (("step_proof", "-"), ("back by 1 tick", "exact"),
                           ("back by half", "119 ms (2^28 ticks)"),
                           ("back by wrap + 1", "179 ms (403 M ticks)"),
                           ("between events alone", "179 ms (403 M ticks)"),
                           ("older in an interrupt", "59.7 ms (2^27 ticks)"),
                           ("stopped", "exact"), ("ahead by 10 h", "10 hours (81 T ticks)"),
                           ("ahead by 2^59 + 1", "8.12 years (2^59 ticks)"),
                           ("wrong until, at worst", "never (300 events at most)"),
                           ("clock reads, traced", "never ends")):
            self.assertEqual(its[head], cell, head)
        self.assertEqual(self.clocks("full_tsc")["step_proof"], "promised")
        self.assertEqual(self.clocks("nested_stamps")["clock reads, traced"], "6")
        # The last column is of the stress on the real clock.
        last = "back, real clock"
        self.assertEqual(self.clocks("extended_header")[last], "400 ns (900 ticks)")
        self.assertEqual(self.clocks("full_tsc")[last], "n/a")
        self.case("full_tsc", "ahead")["verdict"] = "broken"
        self.assertEqual(self.clocks("full_tsc")["step_proof"], "promised (a promise is broken)")
        self.assert_in('<code>nested_stamps</code></th><td>-</td><td class="n" data-v="0">exact'
                       '</td><td class="n" data-v="5.76460752e+17">8.12 years<small>2^59 ticks',
                       self.text("report.html").partition('<section id="clocks">')[2])

    def case(self, row, clock):
        return next(one for one in self.bench["backstep"]
                    if (one["row"], one["clock"]) == (row, clock))

    def test_damage_is_said_by_what_it_is(self):
        """A row stands where its own figures put it, whatever its name."""
        text = self.clocks()
        self.assert_all(
            text, "makes a time wrong of full_tsc. Not promised, by this run alone: full_tsc.",
            "until something sets them right: heartbeat (179 ms, until: never).",
            "left a stale last: extended_header (59.7 ms, until: sub-buffer's end).",
            "at 1 ns per tick: delta_sync_soft, nested_stamps (8.12 years, until: sub-buffer's "
            "end). The clock jumps ahead",
            "can tell: 10 h makes times wrong of heartbeat; 2^59 + 1 makes times wrong of "
            "heartbeat, delta_sync_soft, nested_stamps.",
            "never ends: full_tsc, heartbeat, delta_sync_soft, extended_header.",
            "one event ends after at most 6 reads with nested_stamps.")
        # A step that hurts nobody is not spoken of.
        self.case("heartbeat", "ahead")["worst_ticks"] = 0
        self.assert_all(self.clocks(), "can tell: 2^59 + 1 makes times wrong of heartbeat, ")
        self.assert_in("floor", text.partition("Worst error of a decoded")[0], False)
        for one in self.bench["backstep"]:
            if one["row"] == "extended_header" and one["step"] == "wrap + 1":
                one["worst_ticks"] = 5
            if one["clock"] == "traced":
                one["reads_most"] = 999 if one["row"] == "full_tsc" else 1000
        self.bench["schemes"] = [{"row": "full_tsc", "promises": ["step_proof"]}]
        text = self.clocks()
        self.assert_all(text, "right: heartbeat (179 ms, until: never); extended_header (2.22 "
                        "ns,", "ends after at most 999 reads with full_tsc.")
        for words in ("Not promised", "stale"):
            self.assert_in(words, text, False)

    def test_the_schemes_in_a_kernel(self):
        text = self.section("in_kernel", IN_KERNEL)
        self.assert_all(
            text, "make &lt;kernel-bench&gt;", "A &amp; B.",
            '<td>27, 16</td><td class="n">1,100,000</td><td class="n">20</td>'
            '<td class="n">40</td><td class="n">6</td><td class="n">66</td><td class="n">7</td>',
            '<td class="unmet">need not met</td>',
            "<code>delta_sync_hard</code> with NMIs, which nothing masks",
            "broken: time &lt;goes&gt; back", "<code>rewind</code> is left out: its writers",
            "off and on again takes 9.50 ns, a\ncmpxchg 1.75 ns, an xadd 1.50 ns",
            "<code>fine</code>, the cheapest that keeps its promises under NMIs,\n12.5 ns")
        self.assert_in("instructions are counted", text, False)
        # Nothing is said of a price that is none, nor where what it is held against is missing.
        for change in ({"unit": "instructions"}, {"price": "other"}):
            kernel = dict(IN_KERNEL["kernels"][0], emulated=True,
                          prices=[{**one, **change} for one in IN_KERNEL["kernels"][0]["prices"]])
            text = self.section("in_kernel", {"kernels": [kernel]})
            self.assert_in("off and on again", text, False)
            self.assert_in("instructions are counted", text)

    def test_what_is_missing_is_left_out(self):
        """Without a record nothing, and with half of one what is there."""
        self.make_data()
        for name in ("explored", "in-kernel"):
            self.assert_holds("report.html", f'<section id="{name}">', False)
        for half in ({"rows": [{}], "limits": [{}]}, {"rows": None}):
            self.assert_in("</section>", self.section("explored", half))
        for half in ({"date": ""}, {"kernels": [{}, {"rows": [{}, {"row": "x", "verdict": "kept"}],
                                                   "prices": [{"price": "y"}]}]}):
            text = self.section("in_kernel", half)
            self.assert_in("</section>", text)
            self.assert_in("nan", text.partition("</section>")[0], False)

    def test_timelines_of_the_run(self):
        self.element("stress", "made_up_broken").update(
            verdict="broken", first_violation="first\nsecond <i>")
        self.element("stress", "zero_delta").update(verdict="declared inexact", first_violation="third")
        self.element("stress", "full_tsc").update(verdict="kept", first_violation="fourth")
        self.make_data()
        self.assert_all(self.text("report.html"),
                        "<details open><summary><code>made_up_broken</code> under storm: broken",
                        "first\nsecond &lt;i&gt;</pre>",
                        "<details><summary><code>zero_delta</code>")
        self.assert_holds("report.html", "fourth", False)


class Facts(PlotsTest):
    """What captions count, each of rows made by hand, with one at each edge."""

    @staticmethod
    def run_of(**sections):
        return SimpleNamespace(**{name: [SimpleNamespace(**its) for its in rows]
                                  for name, rows in sections.items()})

    def test_sizes_and_replayed_bytes(self):
        run = self.run_of(steady=[{"header_bytes": size} for size in (0, 4.5, 2.25, math.nan)],
                          replay=[{"bytes": size} for size in (0, 7, 3, math.nan)])
        space, replay = facts.space(run), facts.replay(run)
        self.assertEqual((space.least, space.most, replay.least.bytes, replay.most.bytes),
                         (2.25, 4.5, 3, 7))
        self.assertIsNone(facts.replay(self.run_of(replay=[{"bytes": 0}])).most)

    def test_beats_that_come_late(self):
        steps = [[SimpleNamespace(wraps_lost=lost) for lost in its] for its in ((0, 3, 1), (0, 0), (1,))]
        its = facts.late_beat(self.run_of(late_beat=[
            {"row": name, "steps": step} for name, step in zip("abc", steps)]))
        self.assertEqual((its.lost, its.kept), ([("a", 3), ("c", 1)], ["b"]))

    def test_layouts_at_the_lowest_rate(self):
        its = facts.layouts(self.run_of(bytes_by_rate=[
            {"row": row, "events_per_second": rate, "header_bytes_per_second": size}
            for row, rate, size in (("layout_a", 10, 9), ("layout_b", 10, 5), ("layout_c", 20, 1),
                                    ("other", 10, 99), ("layout_d", 10, 0), ("layout_e", 5, 0))]))
        self.assertEqual((its.events, its.least.row, its.most.row), (10, "layout_b", "layout_a"))

    def test_tails_of_calm_and_of_storms(self):
        its = facts.tails(self.run_of(tails=[
            {"regime": regime, "p999": p999, "samples": samples, "hits": hits}
            for regime, p999, samples, hits in (("calm", 30, 9, 9), ("calm", 1, 9, 9), ("calm", 0, 9, 9),
                                                ("storm", 1, 30, 6), ("storm", 99, 10, math.nan),
                                                ("storm", 99, 0, 5))]))
        self.assertEqual((its.least.p999, its.most.p999, its.hit_percent), (1, 30, 15))
        its = facts.tails(self.run_of(tails=[{"regime": "storm", "samples": 1, "hits": 1, "p999": 1}]))
        self.assertEqual(its.hit_percent, 100)
        self.assertTrue(math.isnan(facts.tails(self.run_of(tails=[])).hit_percent))

    def test_a_row_that_is_explored(self):
        families = [{"schedules": 5, "broken": 2, "need_not_met": 3, "backs": 0, "skew": 0, "nested": 2,
                     "verdict": "broken", "first": "one"},
                    {"schedules": 7, "broken": 1, "need_not_met": 4, "backs": 1, "skew": 0, "nested": 1,
                     "verdict": "broken", "first": "two"},
                    {"schedules": 1, "broken": math.nan, "need_not_met": 8, "backs": 0, "skew": 1,
                     "nested": 0, "verdict": "kept", "first": None}]
        its = facts.explored_row(SimpleNamespace(row="a", families=self.run_of(all=families).all))
        self.assertEqual((its.budgets, its.schedules, its.broken, its.unmet, its.deepest, its.first),
                         (3, 13, 3, 3, 2, "one"))

    def test_no_error_is_no_worst(self):
        run = self.run_of(storm=[{"row": "a", "worst_error_ticks": 0, "verdict": "kept", "bits": 27,
                                  "declared_inexact": 0, "violations": None}])
        with unittest.mock.patch.object(facts, "checked", lambda one: True), \
                unittest.mock.patch.object(facts, "worst_is_declared", lambda one: False):
            its = facts.storm_errors(run)
        self.assertEqual((its.judged, its.worst, its.exact, its.declared), (1, None, 1, False))
        with unittest.mock.patch.object(facts.clocks, "judged", lambda run: run.rows):
            its = facts.backstep(self.run_of(rows=[{"row": "a", "any": 0}]))
            self.assertEqual((its.exact, its.worst), (["a"], None))
            its = facts.backstep(self.run_of(rows=[{"row": "a", "any": 1}, {"row": "b", "any": 9}]))
            self.assertEqual((its.exact, its.worst.row), ([], "b"))
            self.assertEqual(facts.backstep(self.run_of(rows=[{"row": "a", "any": 1}])).worst.row, "a")


if __name__ == "__main__":
    plots_fixture.main()
