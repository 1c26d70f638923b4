# SPDX-License-Identifier: MIT
"""What build/plots makes of a good run: data files, pictures, the page, Markdown."""
import math
import os
import re
import shutil
import subprocess
import unittest
from xml.etree import ElementTree

import plots_fixture
from plots_fixture import NAMES, SOURCES, PLOTS, PlotsTest, MADE_UP

import compact
import data
import draw
import page
import plots
import record
import text

NAN = math.nan
HREF = "{http://www.w3.org/1999/xlink}href"


class Words(unittest.TestCase):
    def test_a_share_is_never_rounded_to_less(self):
        for share, said in ((0, "0.00"), (0.00001, "0.01"), (0.001, "0.10"), (0.00101, "0.11"), (0.012, "1.20")):
            self.assertEqual(text.percent_up(share), said)

    def test_numbers_are_written_as_documented(self):
        for function, given, written in (
                (text.figure, 0.07, "0.07"), (text.figure, 1.031, "1.03"),
                (text.figure, 9.999, "10.0"), (text.figure, 36.5, "36.5"),
                (text.figure, 99.96, "100"), (text.figure, 1551.4, "1,551"),
                (text.figure, NAN, "n/a"), (text.count, 1234567, "1,234,567"),
                (text.count, 123, "123"), (text.count, 1e300, "1e+300"),
                (text.short, 1234567, "1.23 M"), (text.short, 999.9, "1 k")):
            self.assertEqual(function(given), written)
        self.assertEqual(text.duration(134217728, 2.25e9), "59.7 ms")
        self.assertEqual(text.duration(1234, 0), "")
        for ticks, written in ((999e9, "999 s"), (999.6e9, "16.7 minutes"), (3600e9, "60 minutes"),
                               (36000e9, "10 hours"), (90e12, "25 hours"), (864e12, "10 days"),
                               (2.0 ** 59, "18.3 years")):
            self.assertEqual(text.duration(ticks, 1e9), written)
        self.assertEqual(text.error(0, 2.25e9), "exact")
        self.assertEqual(text.error(1234, 2.25e9), "1,234 ticks (548 ns)")
        self.assertEqual(text.error(NAN, 2.25e9), "n/a")

    def test_labels_are_fit_for_gnuplot(self):
        self.assertEqual(text.label('a%s"b'), "a?s?b")
        self.assertEqual(text.label("\u00e9t\u00e9"), "?t?")
        self.assertEqual(text.label("abcdefg", 7), "abcdefg")
        self.assertEqual(text.label("abcdefgh", 7), "abcd...")
        self.assertEqual(text.row_label("extended_header", 27), "extended_header (27 bits)")
        self.assertEqual(text.row_label("a_name_that_is_much_too_long_for_a_plot", 1e300),
                         "a_name_that_is_much_too_long... (9999 bits)")

    def test_a_picture_is_a_url_that_holds_it(self):
        svg = '<svg a="b">\n<text>50 % #1 & → \'x\'</text></svg>'.encode()
        url = str(page.as_image(svg))
        self.assertFalse(re.search(r"[\n#\"&]", url))
        self.assertEqual(page.urllib.parse.unquote(url.removeprefix(page.DATA_URL)),
                         compact.compact(svg.decode()))


class Data(PlotsTest):
    def test_curves_of_late_beats_stand_what_was_measured(self):
        """Gaps are measured: they differ from row to row, and do not grow as they were asked to."""
        lost, none = self.at("late_beat[0].steps"), self.at("late_beat[1].steps")
        lost[0]["gap_wraps"] = 7
        none[3]["gap_wraps"] = 99
        del none[0]
        self.make_data()
        self.assert_holds("plots/late_beat.dat",
                          '\n6.018 6 "heartbeat"\n7 0 "heartbeat"\n8.0027 8 "heartbeat"\n')
        self.assert_holds("plots/run.gp", "'full_tsc, extended_header']\n")

    def test_rows_with_other_figures_do_not_share_one(self):
        self.at("late_beat[1].steps[7]")["wraps_lost"] = 1
        self.make_data()
        self.assert_holds("plots/run.gp", "array late_titles[3] = "
                          "['heartbeat', 'full_tsc', 'extended_header']\n")

    def case(self, row, clock, step=""):
        """A case of a clock that misbehaves."""
        return next(one for one in self.bench["backstep"]
                    if (one["row"], one["clock"], one["step"]) == (row, clock, step))

    def titles(self):
        """Of the plot of damage, one for each curve."""
        line = re.search(r"array backstep_titles\[\d+\] = \[(.*)\]", self.text("plots/run.gp"))
        return re.findall("'([^']*)'", line.group(1))

    def test_damage_is_the_worst_of_all_places(self):
        """An older clock alone does it to the one, a step between events to the other."""
        self.case("extended_header", "older", "half")["worst_ticks"] = 7
        self.make_data()
        lines = self.text("plots/backstep.dat").split("\n")
        for line in ('1 0 "extended_header"', '67108864 7 "extended_header"',
                     '134217729 134217728 "extended_header"', '134217729 402653184 "heartbeat"',
                     '67108864 5.764607523e+17 "nested_stamps"'):
            self.assertIn(line, lines)
        # Ahead, stopped, rate and traced are no steps back, and the baseline promises no times.
        self.assertFalse([line for line in lines if "81000000000000" in line or "floor" in line])
        self.assertEqual(len([line for line in lines if '"full_tsc"' in line]), 3)
        self.assert_holds("plots/run.gp", "backstep_step = 134217729\n")
        self.assert_holds("plots/run.gp", "backstep_most = 5.764607523e+17\n")

    def test_damage_of_the_same_size_is_one_curve(self):
        """The worst first; who is always exact shares a line wherever the steps were."""
        for one in self.bench["backstep"]:
            if one["row"] == "extended_header":
                one["worst_ticks"] = 0
                one["step_ticks"] *= 3
        self.make_data()
        self.assertEqual(self.titles(), ["delta_sync_soft, nested_stamps", "heartbeat",
                                         "full_tsc, extended_header"])
        self.case("nested_stamps", "between", "half")["worst_ticks"] //= 2
        self.case("nested_stamps", "older", "half")["worst_ticks"] //= 2
        self.make_data()
        self.assertEqual(self.titles(), ["delta_sync_soft", "nested_stamps", "heartbeat",
                                         "full_tsc, extended_header"])

    def test_a_row_exact_at_all_widths_is_one_line(self):
        rows = {row: self.element("stress", row) for row in ("full_tsc", "made_up_broken")}
        self.bench["stress"] += [dict(rows["full_tsc"], bits=16, events=5, hits=2),
                                 dict(rows["made_up_broken"], events=5, hits=2)]
        self.make_data()
        for row, its in rows.items():
            self.assert_holds("plots/storm.dat", f' {its["events"] + 5} {its["hits"] + 2} ')
            self.assertEqual(self.text("plots/storm.dat").count(f'"{row}'), 1)

    def test_widths_are_named_where_they_matter(self):
        narrow = dict(self.element("stress", "nested_stamps"), bits=16)
        self.bench["stress"].append(narrow)
        self.make_data()
        for name in ("nested_stamps (27 bits)", "nested_stamps (16 bits)", "full_tsc"):
            self.assert_holds("plots/storm.dat", f'"{name}"')
        self.assert_holds("plots/run.gp", "storm_bits = 1\n")

    def test_all_data_are_as_recorded(self):
        """Of the sample, and of one in which rows were not hit, recorded nothing, have no alignment or payload."""
        said = ""
        for _ in "sample", "poor":
            self.make_data()
            said += "".join(f"== {name}\n{self.text('plots/' + name)}" for name in
                            sorted(os.listdir(self.path("plots"))) if name.endswith(".dat") or name == "run.gp")
            self.bench["table"] = [dict(row, alignment_bytes=0, payload_bytes=None) for row in self.bench["table"]]
            self.element("stress", "full_tsc")["hits"] = self.element("stress", "nested_stamps")["events"] = 0
            self.element("stress", "extended_header").update(hits=1, worst_error_ticks=None)
            self.bench["stress"].append(dict(self.element("stress", "full_tsc"), bits=16, inexact=9))
        self.assert_recorded(said, "plots_data")


class Tails(PlotsTest):
    def test_a_quantile_leaves_ten_samples_above_it(self):
        self.at("tails[0]")["p9999"] = 8000
        for samples, line in ((999, "NaN NaN NaN"), (9999, "200 NaN NaN"), (10000, "200 400 NaN"),
                              (99999, "200 400 NaN"), (100000, "200 400 8000")):
            self.at("tails[0]")["samples"] = samples
            self.make_data()
            self.assert_holds("plots/tails.dat", f'\n1 "floor" 90 {line} 9000\n')

    def test_every_row_has_a_line_and_variants_come_last(self):
        for at in range(41):
            self.bench["tails"].insert(0, dict(self.at(f"tails[{at}]"), row=f"variant_{at}_",
                                               variant=True))
        self.make_pictures()
        self.assert_holds("plots/run.gp", "tails_rows = 44\ntails_mains = 2\n")
        self.assert_holds("plots/tails.dat", '\n1 "floor" ')
        self.assert_holds("plots/tails.dat", '\n3 "variant_40_" ')
        # Three panels stand in one band: each name once.
        svg = self.text("plots/tails.svg")
        for name in [f"variant_{at}_" for at in range(41)] + ["extended_header_locked"]:
            self.assertEqual(svg.count(f">{name}<"), 1, name)

    def test_a_violation_has_no_dots(self):
        for one in self.bench["tails"]:
            if one["row"] == "floor":
                one.update(violation="time goes back", p50=None, p999=None)
        self.make_data()
        self.assert_holds("plots/tails.dat", "floor", False)
        self.assert_holds("plots/run.gp", "tails_rows = 2\n")
        self.assertIn("takes longer than 800 ticks with extended_header and longer than 1,200 with "
                      "extended_header_locked", self.words())

    def test_the_words_are_the_runs(self):
        self.make_data()
        said = self.words()
        self.assertIn("takes longer than 400 ticks with floor and longer than 1,200 with "
                      "extended_header_locked", said)
        self.assertIn("a signal hit 2.00 % of the samples", said)

    def test_choice_is_by_a_free_clock_where_one_was_timed(self):
        """By header, then by cost; a row that is far off stands at the edge."""
        shapes = (("full_tsc", 12, 2.5, "at once", 0), ("zero_delta", 4, 3, "at once", 1),
                  ("extended_header", 4, 2, "at once", 0), ("delta_sync_soft", 4, 90, "later", 2))
        self.bench["schemes"] = []
        for row, header, ratio, nesting, _ in shapes:
            self.element("table", row).update(header_id_bytes=header, cheap_ratio=ratio)
            promises = {"promises": ["monotonic"]} if row == "full_tsc" else {}  # kept, and yet not exact
            self.bench["schemes"].append({"row": row, "nesting": nesting, **promises})
        self.element("table", "zero_delta")["verdict"] = "declared inexact"
        self.make_pictures()
        def lines():
            return [line for line in self.text("plots/choice.dat").split("\n") if line[:1].isdigit()]
        own = [self.element("table", row)["ratio"] for row in
               ("extended_header", "zero_delta", "delta_sync_soft", "full_tsc")]
        self.assertEqual(lines(), [f"{line} {ratio:.10g}" for line, ratio in zip(
            ('1 "extended_header, 4 B" 2 0', '2 "zero_delta, 4 B" 3 1', '3 "delta_sync_soft, 4 B" 90 2',
             '4 "full_tsc, 12 B" 2.5 1'), own)])
        self.assert_holds("plots/run.gp", "choice_rows = 4\nchoice_free = 1\nchoice_most = 3\n")
        svg = self.text("plots/choice.svg")
        for words in (">delta_sync_soft, 4 B<", ">90 →<", ">2.50<", ">declared inexact<",
                      ">the clock of this machine<"):
            self.assert_in(words, svg)
        # Nor do two.
        self.element("table", "zero_delta")["cheap_ratio"] = 95
        self.make_pictures()
        self.assert_holds("plots/run.gp", "choice_rows = 4\nchoice_free = 1\nchoice_most = 2.5\n")
        # Without a free clock, by this machine's.
        for row, header, *_ in shapes:
            self.element("table", row).update(header_id_bytes=header, cheap_ratio=None)
        self.make_pictures()
        self.assertEqual(lines()[-1], f'7 "full_tsc, 12 B" {own[-1]:.10g} 1 NaN')
        self.assert_holds("plots/choice.svg", ">rows by bytes of header; by the clock of this machine<")


PLACES = ("transform", "x", "y", "width", "height", "points", "d")
COLOURS = re.compile(r"rgb\( *(\d+), *(\d+), *(\d+)\)")


def marks(svg):
    """All that a picture draws, in order: what it is, its text, its numbers, and how it looks."""
    root = ElementTree.fromstring(re.sub("<!--.*?-->", "", svg))
    name = "{http://www.w3.org/2000/svg}"
    sheet = {key: dict(one.split(":") for one in looks.split(";")) for key, looks in
             re.findall(r"\.(\w+){([^}]*)}", root.findtext(f".//{name}style", ""))}
    found = []

    def walk(element, look, moved):
        own = {key: value for key, value in element.attrib.items()
               if re.match("fill|color|stroke|font|text-anchor", key)}
        own |= sheet.get(element.get("class"), {})
        look = look | {key: COLOURS.sub(lambda its: "#%02x%02x%02x" % tuple(map(int, its.groups())),
                                        value).removesuffix("px") for key, value in own.items()}
        moved = moved + [float(one) for key in PLACES
                         for one in re.findall(r"-?[\d.]+", element.get(key, ""))]
        text = (element.text or "").strip()
        for child in element:
            if child.tag not in (f"{name}defs", f"{name}style"):
                walk(child, look, moved)
        # A path of one point is none.
        if text or element.tag not in (f"{name}g", f"{name}svg", f"{name}text") and len(moved) != 2:
            found.append((element.tag, text, moved, {
                key: f"{float(value):g}" if re.match(r"[\d.]+$", value) else value
                for key, value in look.items()}, element.get(HREF)))
    for child in root:
        walk(child, {}, [])
    return found


class Pictures(PlotsTest):
    def test_the_page_s_picture_is_gnuplot_s_in_fewer_bytes(self):
        self.make_pictures()
        for name in NAMES:
            svg = self.text(f"plots/{name}.svg")
            less = compact.compact(svg)
            drawn, shown = marks(svg), marks(less)
            self.assertLess(len(less), 0.75 * len(svg), name)
            self.assertGreater(len(drawn), 20, name)
            self.assertEqual([mark[:2] + mark[3:] for mark in drawn],
                             [mark[:2] + mark[3:] for mark in shown], name)
            for one, other in zip(drawn, shown):
                self.assertEqual(len(one[2]), len(other[2]), name)
                self.assertTrue(all(abs(a - b) < 0.1 for a, b in zip(one[2], other[2])), name)

    def test_every_picture_is_drawn(self):
        self.make_pictures(png=True)
        for plot in PLOTS:
            svg = self.text(f"plots/{plot.name}.svg")
            for words in ('width="900"', plot.title, "run run, Linux 6.18.0-made-up, gcc 12.2.0",
                          "SYNTHETIC SAMPLE, not measured, 2 CPUs, under KVM"):
                self.assert_in(words, svg, name=plot.name)
            with open(self.path(f"plots/{plot.name}.png"), "rb") as file:
                # Width, as PNG's first chunk has it.
                self.assertEqual(file.read()[16:20], b"\0\0\x07\x08")
        for plot, words in (("storm", ">0.4 % declared inexact<"),
                            # Beside its mark's left, where there is no room to its right.
                            ("storm", ">&lt; 0.01 % declared inexact<"),
                            ("late_beat", ">full_tsc, extended_header<"), ("space", ">827 →<"),
                            ("backstep", ">delta_sync_soft, nested_stamps<"),
                            ("backstep", ">exact<"), ("backstep", ">1 year<")):
            self.assert_holds(f"plots/{plot}.svg", words)
        # Nothing is of unknown use, so nothing is drawn in its colour.
        self.assert_holds("plots/space.svg", "204, 121, 167", False)

    def test_marks_are_as_many_as_the_data_has(self):
        self.make_pictures()
        svg = self.text("plots/late_beat.svg")
        # Twelve steps of one row in blue, of two in vermillion, and a mark each below.
        self.assertEqual(svg.count("color='rgb(  0, 114, 178)'"), 12 + 1)
        self.assertEqual(svg.count("color='rgb(213,  94,   0)'"), 2 * 12 + 1)

    def test_scripts_work_by_hand(self):
        """gnuplot in RUN/plots gives the same picture."""
        self.make_pictures()
        for name in NAMES:
            drawn = self.text(f"plots/{name}.svg")
            os.unlink(self.path(f"plots/{name}.svg"))
            subprocess.run(["gnuplot", f"{name}.gp"], cwd=self.path("plots"), check=True,
                           capture_output=True)
            self.assertEqual(self.text(f"plots/{name}.svg"), drawn, name)

    def test_a_plot_is_a_script_and_a_line(self):
        """As CONTRIBUTING says: a .gp file, and a line in plots.py with a caption at its end."""
        table = data.columns("replay", "row", "bytes")
        plot = plots.Plot("mine", "My plot", "no replay", table, "Read it from the left_side.")
        scripts = os.path.join(self.dir, "scripts")
        shutil.copytree(os.path.join(SOURCES, "plots"), scripts)
        with open(os.path.join(scripts, "mine.gp"), "w", encoding="utf-8") as file:
            file.write("load 'run.gp'\nname = 'mine'\ntitle = 'My plot'\nsubtitle = ''\n"
                       "height = 300\nload 'style.gp'\nplot 'mine.dat' using 0:2\n")
        for name in ("PLOTS", "SOURCES"):
            self.addCleanup(setattr, draw, name, getattr(draw, name))
        draw.PLOTS, draw.SOURCES = (*draw.PLOTS, plot), scripts
        self.make_pictures()
        self.assert_holds("plots/mine.dat", '\n"heartbeat" 16\n')
        self.assert_holds("report.html", '<img alt="My plot" src="data:image/svg+xml')
        self.assert_holds("report.html", "Read it from the left_side.")

    def test_a_section_of_one_plot_is_named_by_it_alone(self):
        """It is in no list of record.py; what is no value there harms nothing."""
        make = data.columns("my_section", "row", "waits")
        self.bench["my_section"] = [{"row": "floor", "waits": 3}, {"row": "a", "waits": [1]}, 7, {}]
        self.write()
        run = record.load(self.run_dir)
        self.assertEqual(make(run).lines[1:], ['"floor" 3', '"a" NaN', "NaN NaN"])
        self.assertEqual(make(run).variables, ["my_section_lines = 3"])
        for missing in ([], None, 7):
            run.json["my_section"] = missing
            self.assertIsNone(make(run))


class Page(PlotsTest):
    def test_the_page_has_everything_in_one_file(self):
        self.make_pictures()
        html = self.text("report.html")
        for words in MADE_UP["page_words"]:
            self.assert_in(words, html)
        self.assertEqual(html.count('<img alt="'), len(PLOTS))
        self.assert_in(">cheap<", html, False)  # no free clock was timed
        ids = re.findall(r'\sid="([^"]*)"', html)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(html.count("left out"), len(plots.PLOTS) - len(PLOTS))
        # What does not disturb is no warning.
        self.assert_in("tsc.</strong>", html, False)

    def test_a_row_that_fared_otherwise_at_another_width_is_named_with_it(self):
        row = self.element("stress", "full_tsc")
        narrow = dict(row, bits=16, promises=dict(row["promises"], exact="broken"),
                      violations=dict(row["violations"], exact=3))
        self.bench["stress"] += [narrow, dict(row, bits=24),
                                 dict(self.element("stress", "heartbeat"), bits=24)]
        self.make_data()
        line = self.words().partition(" exact: a decoded")[2].partition(" window: ")[0]
        self.assert_in("Broken by made_up_broken (1.16 k objections), full_tsc (16 bits) (3 "
                       "objections). Not promised by ", line)
        for bits in (27, 24):
            self.assert_in(f"full_tsc ({bits} bits)", line.partition("Kept by")[2])
        self.assertEqual(len(re.findall(r"\bheartbeat\b", line)), 1)

    def test_nothing_is_fetched_and_one_script_runs(self):
        self.make_pictures()
        html = self.text("report.html")
        # A picture is no request: it is all in its URL, and what it names there is a namespace.
        bare = re.sub(r'src="data:image/svg[^"]*"', "", html)
        for words in ("http://", "https://", "src=", "@import", "url("):
            self.assert_in(words, bare, False)
        self.assertEqual(bare.count("<script"), 1)
        script = re.search(r"<script>(.*?)</script>", bare, re.S).group(1)
        digest = page.base64.b64encode(page.hashlib.sha256(script.encode()).digest()).decode()
        self.assert_in("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                      f"script-src 'sha256-{digest}'\">", bare)

    def test_what_is_asked_first_stands_first(self):
        """Contents, verdict, answer, its picture, few rows, table, needs; then what disturbed, then pictures."""
        self.make_pictures()
        text = self.text("report.html")
        places = [text.find(part) for part in (
            "<nav ", '<p class="verdict', 'href="#disturbed"', "<h2>Which one to take</h2>", '<figure id="choice"',
            "<h2>Eight rows</h2>", "<h2>All rows and figures</h2>", '<section id="needs">', '<section id="disturbed">',
            '<section id="schemes">', "<img src=", '<figure id="space"')]
        self.assertNotIn(-1, places)
        self.assertEqual(places, sorted(places))

    def test_a_page_stays_small(self):
        """Raw repetitions are beside it: a thousand of a cell more make it no larger."""
        self.make_data()
        before = len(self.text("report.html"))
        self.bench["benchmarks"] += [self.at("benchmarks[0]")] * 1000
        self.make_data()
        self.assertLess(len(self.text("report.html")), before + 100)


if __name__ == "__main__":
    plots_fixture.main()
