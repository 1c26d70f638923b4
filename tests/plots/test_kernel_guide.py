# SPDX-License-Identifier: MIT
"""What the guide says of a kernel's tracer follows section in_kernel: who qualifies, what is cheapest
and by what, what interrupts off cost, and what comes through a mask."""
import copy

import plots_fixture
from plots_fixture import PlotsTest

import page
import record

TAKE = "- Exact times, where softirqs, hardirqs and NMIs record too"
OFF = "- Interrupts off against lockless"
MASK = "- NMIs come through a mask"
KEPT = " rows kept what they promise, much or little,"
CAME = {"softirq": 10, "hardirq": 20, "nmi": 3}
PRICES = {"empty loop": 0.5, "xadd": 1.5, "cmpxchg": 1.75, "local_irq_save, local_irq_restore": 9.5,
          "ring_buffer": 75, "delta_sync_hard": 21, "full_tsc": 7, "extended_header": 14,
          "floor": 3}


def run_of(row, **changes):
    return {"row": row, "verdict": "kept", "bits": 27, "interrupting": 50, "with_nmi": True,
            "masked": False, "inexact": 0, "delivered": dict(CAME), "hits": CAME, **changes}


def kernel_of(release, unit="ns", emulated=False):
    return {
        "release": release, "version": "#1", "cpu": "X", "cpus": 2, "emulated": emulated,
        "rows": [run_of("full_tsc"), run_of("full_tsc", bits=16), run_of("extended_header"),
                 run_of("floor", verdict="need not met"),
                 run_of("delta_sync_hard", masked=True, with_nmi=False,
                        delivered={**CAME, "nmi": 0}),
                 run_of("delta_sync_hard", masked=True, verdict="broken", text="time <goes> back")],
        "own": [], "prices": [{"price": name, "unit": unit, "batch": value, "single": 2 * value}
                              for name, value in PRICES.items()]}


class KernelGuide(PlotsTest):
    def setUp(self):
        super().setUp()
        self.bench["schemes"] = [
            {"row": row, "promises": list(record.PROMISES), "needs": [], "nesting": nesting}
            for row, nesting in (("full_tsc", "at once"), ("extended_header", "at once"),
                                 ("floor", "at once"), ("delta_sync_hard", "held off"))]
        self.kernels = [kernel_of("6.1")]
        self.bench["in_kernel"] = {"date": "2026-01-02T03:04:05Z", "command": "make kernel-bench",
                                   "kernels": self.kernels}

    def guide(self):
        self.write()
        return str(page.guide_block(record.load(self.run_dir)))

    def line(self, begin):
        return next((line for line in self.guide().split("\n") if line.startswith(begin)), "")

    def runs(self, row, kernel=0):
        return [one for one in self.kernels[kernel]["rows"] if one["row"] == row]

    def price(self, name, kernel=0):
        return next(one for one in self.kernels[kernel]["prices"] if one["price"] == name)

    def test_the_cheapest_that_kept_everything(self):
        self.assertEqual(self.line(TAKE), TAKE + ", least time: `full_tsc` (7.00 ns on `6.1`). "
                         "2 rows promise and kept that, cheapest on `6.1` first: `full_tsc`, "
                         "`extended_header`. Fewest bytes of these: `extended_header`, 4.00 bytes of "
                         "header, ids not counted.")
        self.price("full_tsc")["batch"] = 30
        self.assertIn("least time: `extended_header` (14.0 ns on `6.1`).", self.line(TAKE))
        self.assertIn("on `6.1` first: `extended_header`, `full_tsc`.", self.line(TAKE))
        # Times are told apart by more than counts are.
        self.price("full_tsc")["batch"] = 13.8
        self.assertIn("least time: `full_tsc`, `extended_header` (13.8 ns", self.line(TAKE))
        for one in self.kernels[0]["prices"]:
            one["unit"] = "instructions"
        self.assertIn("fewest instructions: `full_tsc` (13.8 instr", self.line(TAKE))

    def test_the_fewest_bytes_of_those(self):
        full, extended = self.element("table", "full_tsc"), self.element("table", "extended_header")
        full["header_id_bytes"], extended["header_id_bytes"] = 3, 3.5
        self.element("table", "floor")["header_id_bytes"] = 1
        self.assertIn("of these: `full_tsc`, 3.00 bytes of header with an id.", self.line(TAKE))
        full["header_id_bytes"] = 3.5
        self.assertIn("of these: `full_tsc`, `extended_header`, 3.50 bytes", self.line(TAKE))
        self.bench["table"] = [self.element("table", "floor")]
        self.assertNotIn("Fewest bytes", self.line(TAKE))

    def test_who_does_not_qualify(self):
        full, scheme = self.runs("full_tsc"), self.bench["schemes"][0]
        self.assertIn(": `full_tsc` (", self.line(TAKE))
        for its, change in ((full[1], {"verdict": "broken"}), (full[1], {"verdict": "need not met"}),
                            (full[0], {"inexact": 1}), (scheme, {"nesting": "later"}),
                            (scheme, {"needs": ["beat"]}), (scheme, {"promises": ["monotonic"]}),
                            (self.element("table", "full_tsc"), {"verdict": "broken"}),
                            (self.element("stress", "full_tsc"), {"verdict": "broken"})):
            before = copy.deepcopy(its)
            its.update(change)
            self.assertIn("least time: `extended_header` (14.0 ns on `6.1`). 1 row promises and kept "
                          "that: `extended_header`.",
                          self.line(TAKE), change)
            its.clear()
            its.update(before)
        # Where no NMI came, nothing is known of them; the same of the others.
        for context in CAME:
            for one in full:
                one["delivered"] = {**CAME, context: 0}
            self.assertIn(": `extended_header` (", self.line(TAKE), context)
        self.runs("extended_header")[0]["verdict"] = "broken"
        self.assertIn("least time: no row kept all of that.", self.line(TAKE))

    def test_a_row_without_a_price(self):
        self.kernels[0]["prices"] = [one for one in self.kernels[0]["prices"]
                                     if one["price"] not in ("full_tsc", "extended_header")]
        self.assertIn(": of no row that qualifies there is a price.", self.line(TAKE))
        self.assertEqual(self.line(OFF).count("An event of"), 0)
        self.kernels[0]["prices"] = []
        self.assertIn("on `6.1`: without prices.", self.guide())
        self.assertEqual(self.line(OFF), "")

    def test_what_interrupts_off_cost(self):
        self.assertEqual(
            self.line(OFF), OFF + ", on `6.1`: off and on again takes 9.50 ns, one `cmpxchg` 1.75, "
            "one `xadd` 1.50. An event of `full_tsc` takes 7.00, of `delta_sync_hard`, which masks "
            "interrupts, 21.0 (3.00 times as much, and more than 2 of the 2 rows that qualify), of "
            "the kernel's own ring buffer 75.0.")
        self.price("local_irq_save, local_irq_restore")["batch"] = 0.75
        self.price("delta_sync_hard")["batch"] = 3.5
        self.price("ring_buffer")["batch"] = 5
        self.assert_in_order(self.line(OFF), "takes 0.75 ns", "3.50 (0.50 times as much, and more "
                             "than 0 of the 2 rows", "ring buffer 5.00")
        self.price("local_irq_save, local_irq_restore")["price"] = "other"
        self.assertEqual(self.line(OFF), "")

    def assert_in_order(self, text, *parts):
        places = [text.find(part) for part in parts]
        self.assertNotIn(-1, places, text)
        self.assertEqual(places, sorted(places), text)

    def test_masks(self):
        self.assertEqual(self.line(MASK), MASK + " of interrupts: `delta_sync_hard` kept its promises "
                         "in 1 of 1 runs without NMIs, and broke them in 1 of 1 with them (time "
                         "\\<goes\\> back).")
        self.kernels[0]["rows"].append(run_of("delta_sync_hard", masked=True))
        self.assertIn("broke them in 1 of 2 with them", self.line(MASK))
        self.runs("delta_sync_hard")[0]["verdict"] = "broken"
        self.assertIn("kept its promises in 0 of 1 runs", self.line(MASK))
        # Nobody takes the row for one that keeps its promises, not even without its broken run.
        self.kernels[0]["rows"] = [run_of("delta_sync_hard", masked=True)]
        self.bench["schemes"][-1]["nesting"] = "at once"
        self.assertIn("no row kept all of that", self.line(TAKE))
        self.assertEqual(self.line(MASK), "")
        self.assertIn("broke them in 0 of 1 with them.", self.line("- A mask of interrupts"))

    def test_kernels_that_differ(self):
        self.kernels.append(kernel_of("6.12", emulated=True, unit="instructions"))
        # A time is worth more than a count, and each kernel says what it has.
        self.assertIn("least time: `full_tsc` (7.00 ns on `6.1`). 2 rows promise and kept that on all",
                      self.line(TAKE))
        self.assertIn("on `6.1`, `6.12`, run by an emulator.", self.guide())
        self.kernels[0] = kernel_of("6.1", emulated=True, unit="instructions")
        self.assertIn("fewest instructions: `full_tsc` (7.00 instructions on `6.1`, 7.00 on `6.12`).",
                      self.line(TAKE))
        self.assertIn("instructions of an emulator, one with a lock prefix like any other, and no times",
                      self.guide())
        # In order by the first one that has prices.
        del self.kernels[0]["prices"]
        self.assertIn("cheapest on `6.12` first: `full_tsc`", self.line(TAKE))
        self.kernels[0] = kernel_of("6.1", emulated=True, unit="instructions")
        self.price("full_tsc", 1)["batch"] = 50
        self.assertIn(": `full_tsc` (7.00 instructions on `6.1`); `extended_header` (14.0 instructions "
                      "on `6.12`).", self.line(TAKE))
        self.runs("full_tsc", 1)[0]["verdict"] = "broken"
        self.assertIn(": `extended_header` (14.0 instructions on `6.1`, 14.0 on `6.12`). 1 row",
                      self.line(TAKE))
        self.assertEqual(self.line("- 1 of 4"), f"- 1 of 4{KEPT} under softirqs, hardirqs and NMIs, in "
                         "all runs; only on `6.1` `full_tsc`; not `floor`.")

    def test_no_times_of_an_emulator(self):
        self.kernels[0]["emulated"] = True
        self.assertIn(": without prices.", self.guide())
        self.assertEqual(self.line(OFF), "")

    def test_without_a_record_it_says_who_makes_one(self):
        for its in (None, {}, {"kernels": [{}]}, {"kernels": [{"prices": [{"price": "x"}]}]}):
            self.bench["in_kernel"] = its
            text = self.guide()
            self.assertEqual(text.count("- A tracer in a kernel: this run says nothing of it. `make "
                                        "test-kernel`"), 1)
            self.assertNotIn("For a tracer in a kernel", text)
        self.make_data()
        self.assert_holds("report.html", "<li>A tracer in a kernel: this run says nothing")

    def test_page_and_markdown_say_the_same(self):
        lines = self.guide().partition("For a tracer in a kernel")[2].count("\n- ")
        self.make_data()
        html = self.text("report.html").partition('<ul class="kernel">')[2].partition("</ul>")[0]
        self.assertEqual(html.count("<li>"), lines)
        self.assertEqual(lines, 4)
        self.assertIn("<code>full_tsc</code> (7.00 ns on <code>6.1</code>)", html)
        self.assert_holds("report.html", "this run says nothing of it", False)


if __name__ == "__main__":
    plots_fixture.main()
