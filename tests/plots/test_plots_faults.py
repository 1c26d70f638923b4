# SPDX-License-Identifier: MIT
"""What build/plots makes of runs that lack things or lie, of names that mean harm, and of machines
without gnuplot, disk or permission. Earlier results stay as they were."""
import json
import os
import re
import resource
import shutil
import subprocess
import sys

import plots_fixture
from plots_fixture import NAMES, PLOTS, SAMPLE, SOURCES, PlotsTest, MADE_UP

import files
import record

SECTIONS = {"table": ["choice", "space"], "bytes_by_rate": ["layouts"],
            "stress": ["storm"],
            **{name: [name] for name in ("late_beat", "backstep", "replay", "tails", "cold")}}


class Missing(PlotsTest):
    def read(self):
        """All that plots and page have of the record; of the document itself they take no section."""
        self.write()
        run = record.load(self.run_dir)
        del run.json
        return repr(vars(run))

    def test_a_missing_section_leaves_its_plots_out(self):
        self.make_data()
        whole = self.read()
        for section, out in SECTIONS.items():
            found = set()
            for form in ([], None, "missing"):
                self.bench = json.loads(SAMPLE)
                self.bench[section] = form
                if form == "missing":
                    del self.bench[section]
                found.add(self.read())
            self.assertEqual((len(found), whole in found), (1, False), section)
            shutil.rmtree(self.run_dir)
            os.mkdir(self.run_dir)
            self.make_data()
            for plot in PLOTS:
                there = plot.name not in out
                self.assertEqual(self.exists(f"plots/{plot.name}.dat"), there)
                self.assertEqual(self.exists(f"plots/{plot.name}.gp"), there)
                self.assert_holds("report.html", f"<strong>{plot.title}:</strong> left out, "
                                  f"{plot.absent}.", not there)

    def test_what_is_left_out_is_told(self):
        del self.bench["replay"]
        self.write()
        with self.without_gnuplot():
            self.plots(self.run_dir)
        self.assertIn("left out replay: no row ran under workload replay", self.told)
        self.assertIn(f"report   {self.run_dir}/report.html\n", self.told)

    def test_a_run_without_any_section_is_fine(self):
        """Nothing to draw needs no gnuplot."""
        for section in (*SECTIONS, "harness", "warnings"):
            del self.bench[section]
        self.write()
        with self.without_gnuplot():
            self.assert_works()
        for words in ("No row of this run was judged.", "This run has no table",
                      "No row ran under a storm"):
            self.assert_holds("report.html", words)

    def test_what_has_no_instructions_is_drawn_all_the_same(self):
        for row in self.bench["table"]:
            row.update(cycles=None, instructions=None)
        for one in self.bench["benchmarks"]:
            one.pop("cycles", None)
        self.bench["harness"]["loop_cycles"] = -1
        self.make_pictures()
        self.assert_holds("plots/space.svg", ">instructions<", False)
        self.assert_holds("plots/space.svg", ">bytes<")
        self.assert_holds("report.html", "takes -1", False)

    def test_unknown_numbers_are_no_trouble(self):
        """Every third number unknown: whatever is left must be drawn. Zeros are below."""
        for section in ("table", "stress", "bytes_by_rate", "injected", "replay", "tails", "cold"):
            at = 0
            for one in self.bench[section]:
                for key in one:
                    if record.is_number(one[key]):
                        if not at % 3:
                            one[key] = None
                        at += 1
        for step in self.bench["late_beat"][0]["steps"]:
            step["gap_wraps"] = None
        self.make_pictures()

    def drawn_whole(self):
        """Draws what there is, and returns the names of the plots."""
        self.make_pictures()
        return [name for name in NAMES if self.exists(f"plots/{name}.svg")]

    def test_every_plot_is_drawn_from_zeros_and_from_one_row(self):
        def zeros(value):
            if isinstance(value, dict):
                return {key: zeros(one) for key, one in value.items()}
            if isinstance(value, list):
                return [zeros(one) for one in value]
            return 0 if record.is_number(value) else value

        every = list(NAMES)
        self.assertEqual(self.drawn_whole(), every)
        self.bench = json.loads(SAMPLE)
        for section in record.SECTIONS:
            if section not in ("benchmarks", "warnings") and self.bench.get(section):
                self.bench[section] = zeros(self.bench[section])
        # What has nothing in it but zeros may be left out, but nothing may fail.
        self.assertLessEqual({"storm", "space"}, set(self.drawn_whole()))
        # gnuplot 5.4 crashes on a lone label without a place; one row is what SCHEMES=x gives.
        floors = ("floor", "floor_published")
        for rows in (("full_tsc", *floors), ("zero_delta", *floors), ("zero_delta",), ("made_up_broken",),
                     ("full_tsc",)):
            self.bench = json.loads(SAMPLE)
            for section in record.SECTIONS:
                if self.bench.get(section) and "row" in self.bench[section][0]:
                    self.bench[section] = [one for one in self.bench[section]
                                           if one["row"] in rows]
            self.assertIn("storm", self.drawn_whole())

    def test_an_unfinished_run_says_so(self):
        self.put("rows.jsonl", "".join(json.dumps(row) + "\n" for row in self.bench["benchmarks"]) +
                 '{"name": "torn')
        with self.without_gnuplot():
            self.assert_works()
        self.assert_holds("report.html", "This run never finished:")
        self.assert_holds("report.html", "36 slots in all")

    def test_records_of_another_schema_are_refused(self):
        for schema in (3, 5):
            self.at("context.stampede")["schema"] = schema
            self.write()
            self.assert_fails(files.HARNESS, f"schema {schema}, and this Stampede reads 4")
        with open(os.path.join(SOURCES, "results", "record.h"), encoding="utf-8") as header:
            self.assertIn(f"#define RECORD_SCHEMA {record.SCHEMA}\n", header.read())


# Damaged files, and what the line says.
DAMAGED = *MADE_UP["damaged"], ("[" * 100000, "line 1"), ('{"a": 1' + "0" * 5000 + "}", "line 1")


class Wrong(PlotsTest):
    def test_what_has_the_wrong_type_is_named(self):
        self.put("report.html", "earlier")
        for path, key, value, words in MADE_UP["wrong_records"]:
            self.bench = json.loads(SAMPLE)
            self.at(path)[key] = value
            self.write()
            self.assert_fails(files.HARNESS, f"run/bench.json: {words}")
            self.assertFalse(self.exists("plots"))
            self.assert_holds("report.html", "earlier")
        self.assert_fails(files.HARNESS, "no such run", self.path("nowhere"))
        self.assert_fails(files.HARNESS, "is not a run", self.dir)
        self.assert_fails(files.HARNESS, "empty name", "")

    def test_a_damaged_record_is_refused(self):
        for damage, words in DAMAGED:
            self.put("bench.json", damage.encode("latin1"))
            self.assert_fails(files.HARNESS, words)
        self.assertFalse(self.exists("plots"))

    def test_rows_that_are_damaged_are_refused(self):
        """Of a run that was killed, whose last line may be torn, and no other."""
        rows = "".join(json.dumps(row) + "\n" for row in json.loads(SAMPLE)["benchmarks"][:2])
        for text, words in (("", "no whole row"), ('{"torn', "no whole row"), ("{}\n", "line 1, byte 0: 'name' must be text"),
                            ("{\n" + rows, "line 1"), (rows + "{\n" + rows, "line 3")):
            self.put("rows.jsonl", text)
            self.assert_fails(files.HARNESS, words)
        self.put("rows.jsonl", rows + rows[:50])
        self.assertEqual(len(record.load(self.run_dir).benchmarks), 2)

    def test_every_name_of_a_run(self):
        self.write()
        os.symlink("run", os.path.join(self.dir, "latest"))
        for name in "latest", "run", self.run_dir, self.path("bench.json"):
            self.assertTrue(record.load(name, self.dir).complete)
        for name, words in (("none", "none: no such run"), ("/dev/full", "is not a regular file"), ("", "empty name")):
            with self.assertRaisesRegex(files.Failed, words):
                record.load(name, self.dir)

    def test_a_record_cut_anywhere_is_cut_off(self):
        whole = json.dumps(self.bench).encode()
        for at in range(1, len(whole), 997):
            self.put("bench.json", whole[:at])
            self.assert_fails(files.HARNESS, "the file is cut off")


class Hostile(PlotsTest):
    def name_badly(self, section):
        for at, one in enumerate(self.bench[section]):
            name = MADE_UP["hostile"][at % len(MADE_UP["hostile"])]
            one.update(row=name, why=name, first_violation="two\nlines </pre><script>alert(1)"
                       "</script>")
            if section in ("replay", "tails"):
                one["gaps"] = name
            if section == "backstep":
                one["step"] = one["until"] = name
            if at % 5 == 4 and section != "bytes_by_rate":
                one["verdict"] = name

    def test_hostile_names_do_nothing(self):
        sections = ("table", "bytes_by_rate", "stress", "late_beat", "backstep", "injected",
                    "replay", "tails", "cold")
        for section in sections:
            self.name_badly(section)
        self.at("context.stampede.cpu")["model"] = MADE_UP["hostile"][2]
        self.at("context.stampede.kernel")[MADE_UP["hostile"][0]] = MADE_UP["hostile"][1]
        self.at("warnings[0]")["cause"] = MADE_UP["hostile"][0]
        self.at("context.stampede.build")["flags"] = MADE_UP["hostile"][-1]
        self.bench["command"] = MADE_UP["hostile"][0]
        self.make_pictures()
        # Pictures are URLs of their own, which nothing in them gets out of.
        html = self.text("report.html")
        self.assertEqual(html.count('<div class="plot"'), len(PLOTS) - 1)
        html = re.sub(r'src="data:image/svg[^"]*"', "", html)
        self.assertEqual(html.count("<script"), 1)
        self.assertEqual(html.count("</pre>"), html.count("<pre"))
        self.assert_in("</style></svg>", html, False)
        self.assertEqual((html.count("</style>"), html.count("</title>")), (1, 1))
        # By these names no row is a layout, and none has repetitions.
        self.assertEqual(html.count('<div class="plot"'), len(PLOTS) - 1)
        self.assert_in("<code>&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</code>", html)
        self.assert_in("{/:Bold x}_y^z @name &amp;amp;", html)
        self.assert_in("{{ 7 * 7 }}", html)
        for name in set(NAMES) - {"layouts"}:
            for line in self.text(f"plots/{name}.dat").split("\n"):
                self.assertFalse(line.count('"') % 2 or re.search(r"[%`'\\$@{]", line), line)
        self.assertFalse(self.exists("plots/pwned") or os.path.exists("pwned"))
        self.assert_holds("plots/run.gp", "caption_machine = 'a?b?touch pwned?, 2 CPUs")
        self.assert_holds("plots/storm.svg", ">a_name_so_long_that_it_ca", False)


class Machine(PlotsTest):
    def test_no_gnuplot_leaves_data_and_page(self):
        self.make_data()
        for name in NAMES:
            self.assertTrue(self.exists(f"plots/{name}.dat") and self.exists(f"plots/{name}.gp"))
            self.assertFalse(self.exists(f"plots/{name}.svg"))
        self.assertTrue(self.exists("plots/style.gp"))
        self.assert_holds("report.html", "</strong> not drawn, see the error")
        self.assert_holds("report.html", '<div class="plot"', False)

    def fake_gnuplot(self, script):
        """A gnuplot of our own that does as the script says."""
        folder = os.path.join(self.dir, "bin")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "gnuplot"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nPATH='{os.environ['PATH']}'\n{script}\n")
        os.chmod(os.path.join(folder, "gnuplot"), 0o755)
        return self.path_of(folder)

    def test_a_failing_gnuplot_is_told_and_harms_nothing(self):
        for section in SECTIONS:  # one plot, and so one line
            if section != "bytes_by_rate":
                del self.bench[section]
        self.write()
        self.put("plots/layouts.svg", "earlier")
        for script, words in (
                ("echo 'run.gp line 3: no such thing' >&2; exit 1", "line 3: no such thing"),
                ("echo '<svg>'", "no complaint, but no whole picture"),
                ("printf '<svg></svg>'; exit 2", "no complaint"),
                ("kill -SEGV $$", "was ended by signal 11")):
            with self.fake_gnuplot(script):
                self.assert_fails(files.HARNESS, words)
            self.assert_holds("plots/layouts.svg", "earlier")
            self.assert_holds("report.html", "</strong> not drawn")
        # Its SVG is whole, its PNG is not.
        with self.fake_gnuplot("printf '<svg></svg>'"):
            self.assert_fails(files.HARNESS, "as png")
        self.assert_holds("plots/layouts.svg", "<svg></svg>")
        self.assertFalse(self.exists("plots/layouts.png"))

    def unlucky(self, prepare):
        """Status and stderr of a child that `prepare` has made unlucky; None if it could not."""
        said = os.path.join(self.dir, "said")
        child = os.fork()
        if not child:
            try:
                prepare()
            except OSError:
                os._exit(77)
            status, text = self.plots("--quiet", self.run_dir)
            with open(said, "w", encoding="utf-8") as file:
                file.write(text)
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 77:
            return 77, ""
        with open(said, encoding="utf-8") as file:
            return status, file.read()

    def test_an_unwritable_run_is_told(self):
        def become_nobody():
            os.chmod(self.dir, 0o777)
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)

        self.write()
        os.chmod(self.run_dir, 0o555)
        with self.without_gnuplot():
            status, said = self.unlucky(become_nobody)
        os.chmod(self.run_dir, 0o755)
        self.assertEqual(status, files.RESOURCE)
        self.assert_one_line(said, "/run/plots: Permission denied; make the directory writable")
        self.put("plots", "x")
        self.assert_fails(files.RESOURCE, "/run/plots: File exists; move away")
        self.assert_holds("plots", "x")

    def test_a_file_that_cannot_grow_leaves_the_earlier_one(self):
        self.make_data()
        before = self.text("report.html")
        limit = 20000  # no file may grow beyond it: data and scripts fit, the page does not
        self.assertGreater(len(before), limit)
        with self.without_gnuplot():
            status, said = self.unlucky(
                lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(status, files.RESOURCE)
        # The line about gnuplot comes first, then the one that counts.
        self.assertEqual(said.count("\n"), 2)
        self.assertIn("/run/report.html: File too large; free some space", said)
        self.assertEqual(self.text("report.html"), before)
        left = os.listdir(self.run_dir) + os.listdir(self.path("plots"))
        self.assertFalse([name for name in left if ".tmp" in name])
        self.assertGreater(len(left), 4)

    def test_no_jinja2_is_told(self):
        """Without the site's packages; that Debian's own python3 has been tried is taken as said."""
        self.write()
        its = subprocess.run([sys.executable, "-S", os.path.join(SOURCES, "plots", "main.py"),
                              self.run_dir], env=dict(os.environ, STAMPEDE_PYTHON="tried"),
                             check=False, capture_output=True, text=True)
        self.assertEqual(its.returncode, files.UNSUPPORTED)
        self.assert_one_line(its.stderr, "apt install python3-jinja2")
        self.assertFalse(self.exists("plots"))

    def test_help_is_given_without_anything(self):
        its = subprocess.run([sys.executable, "-S", os.path.join(SOURCES, "plots", "main.py"),
                              "--help"], check=True, capture_output=True, text=True)
        self.assertTrue(its.stdout.startswith("usage: plots "))

    def test_options_that_are_none_are_refused(self):
        for words, line in ((["--nonsense"], "unknown option '--nonsense'"),
                            (["a", "b"], "one run at a time, not also 'b'")):
            status, said = self.plots(*words)
            self.assertEqual(status, files.HARNESS)
            self.assert_one_line(said, line)


if __name__ == "__main__":
    plots_fixture.main()
