// SPDX-License-Identifier: MIT
/*
 * What build/plots makes of runs that lack things or lie, of names that mean harm, and of machines
 * without gnuplot, disk or permission. Earlier results stay as they were.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "tests/plots_fixture.h"

#include "plots/text.h"

/* ---- what is missing ---- */

static void missing_sections_leave_plots_out(void **state)
{
	static const struct {
		const char *section;
		enum plot plot, also, third;
	} sections[] = {
		{ "table", PLOT_COST, PLOT_SPACE, PLOT_THREADS },
		{ "bytes_by_rate", PLOT_RATE, PLOT_LAYOUTS, PLOT_RATE },
		{ "stress", PLOT_STORM, PLOT_STORM, PLOT_STORM },
		{ "late_beat", PLOT_LATE_BEAT, PLOT_LATE_BEAT, PLOT_LATE_BEAT },
		{ "injected", PLOT_INJECTED, PLOT_INJECTED, PLOT_INJECTED },
		{ "replay", PLOT_REPLAY, PLOT_REPLAY, PLOT_REPLAY },
		{ "idle", PLOT_IDLE, PLOT_IDLE, PLOT_IDLE },
		{ "tails", PLOT_TAILS, PLOT_TAILS, PLOT_TAILS },
		{ "precision", PLOT_TIES, PLOT_TIES, PLOT_TIES },
		{ "seek", PLOT_SEEK, PLOT_SEEK, PLOT_SEEK },
	};
	struct fixture *f = *state;
	char text[256];
	size_t i;
	int plot, form;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		json_t *was = json_incref(json_object_get(f->bench, sections[i].section));

		for (form = 0; form < 3; form++) {
			if (form == 0)
				json_object_del(f->bench, sections[i].section);
			else
				json_object_set_new(f->bench, sections[i].section,
						    form == 1 ? json_array() : json_null());
			scratch_remove(f->run);
			assert_int_equal(mkdir(f->run, 0755), 0);
			make_data(f);
			for (plot = 0; plot < PLOTS; plot++) {
				bool out = plot == (int)sections[i].plot ||
					   plot == (int)sections[i].also ||
					   plot == (int)sections[i].third;
				const char *name = plot_descs[plot].name;

				snprintf(text, sizeof(text), "<strong>%s:</strong> left out, %s.",
					 plot_descs[plot].title, plot_descs[plot].absent);
				assert_int_equal(exists(in_run(f, "plots/%s.dat", name)), !out);
				assert_int_equal(exists(in_run(f, "plots/%s.gp", name)), !out);
				assert_holds(in_run(f, "report.html"), text, out);
			}
		}
		json_object_set_new(f->bench, sections[i].section, was);
	}
}

/* Nothing to draw needs no gnuplot. */
static void run_without_any_section_is_fine(void **state)
{
	static const char *const sections[] = { "table", "bytes_by_rate", "stress", "late_beat",
						"harness", "warnings", "injected",
						"replay", "idle", "tails", "precision",
						"channels", "seek" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		json_object_del(f->bench, sections[i]);
	without_gnuplot(f);
	run_write(f);
	assert_works(make_all(f->run, NULL));
	assert_holds(in_run(f, "report.html"), "No row of this run was judged.", true);
	assert_holds(in_run(f, "report.html"), "This run has no table", true);
	assert_holds(in_run(f, "report.html"), "No row ran under a storm", true);
	assert_holds(in_run(f, "report.md"), "This run has no table.", true);
}

static void without_counters_the_cost_is_in_ns(void **state)
{
	static const char *const keys[] = { "cycles", "cycles_low", "cycles_high", "instructions" };
	struct fixture *f = *state;
	json_t *list, *one;
	size_t i, key;

	list = json_object_get(f->bench, "table");
	json_array_foreach(list, i, one) {
		for (key = 0; key < 4; key++)
			json_object_set_new(one, keys[key], json_null());
		json_object_set_new(one, "ratio_basis", json_string("ticks"));
	}
	list = json_object_get(f->bench, "benchmarks");
	json_array_foreach(list, i, one)
		json_object_del(one, "cycles");
	json_object_set_new(json_object_get(f->bench, "harness"), "loop_cycles", json_real(-1));
	make_pictures(f);
	assert_near(data_at(f, "cost", "full_tsc", 3),
		    number(element(f, "table", "row", "full_tsc"), "ns"));
	assert_holds(in_run(f, "plots/cost.svg"), ">ns per event, log scale<", true);
	assert_holds(in_run(f, "plots/cost.svg"), ">ratio to the floor, in clock ticks<", true);
	assert_holds(in_run(f, "plots/space.svg"), ">instructions<", false);
	assert_holds(in_run(f, "plots/space.svg"), ">bytes<", true);
	assert_holds(in_run(f, "report.html"), "without a scheme takes 0.43 ns", true);
	assert_holds(in_run(f, "report.html"), "takes -1", false);
	assert_holds(in_run(f, "report.md"), "| 15.9 | n/a | n/a | n/a | 1.00 |", true);
}

/* gnuplot 5.4 crashes on a lone label without a place; one row is what SCHEMES=x gives. */
static void one_row_is_drawn(void **state)
{
	static const char *const rows[] = { "zero_delta", "made_up_broken", "full_tsc" };
	static const char *const sections[] = { "table", "stress", "late_beat", "bytes_by_rate" };
	struct fixture *f = *state;
	size_t i, section;
	json_t *whole = f->bench;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f->bench = json_deep_copy(whole);
		for (section = 0; section < 4; section++) {
			json_t *list = json_object_get(f->bench, sections[section]);

			for (size_t at = json_array_size(list); at--;)
				if (strcmp(json_string_value(json_object_get(
						   json_array_get(list, at), "row")), rows[i]))
					json_array_remove(list, at);
		}
		make_pictures(f);
		assert_true(exists(in_run(f, "plots/storm.svg")));
		json_decref(f->bench);
	}
	f->bench = whole;
}

/* Every number in turn unknown, or zero, for every row: whatever is left must be drawn. */
static void unknown_and_zero_numbers_are_no_trouble(void **state)
{
	static const char *const sections[] = { "table", "stress", "bytes_by_rate",
						"injected", "replay", "tails", "precision",
						"channels" };
	struct fixture *f = *state;
	json_t *whole = f->bench, *list, *one, *value;
	const char *key;
	size_t i, section, at;
	int zero;

	for (zero = 0; zero < 2; zero++) {
		f->bench = json_deep_copy(whole);
		for (section = 0; section < sizeof(sections) / sizeof(*sections); section++) {
			list = json_object_get(f->bench, sections[section]);
			at = 0;
			json_array_foreach(list, i, one)
				json_object_foreach(one, key, value)
					if (json_is_number(value) && at++ % 3 == (size_t)zero)
						json_object_set_new(one, key, zero ? json_real(0) :
										     json_null());
		}
		list = json_object_get(f->bench, "late_beat");
		for (at = 0; at < (zero ? json_array_size(list) : 1); at++)
			json_array_foreach(json_object_get(json_array_get(list, at), "steps"), i,
					   one)
				json_object_set_new(one, "gap_wraps",
						    zero ? json_real(0) : json_null());
		make_pictures(f);
		json_decref(f->bench);
	}
	f->bench = whole;
}

static void unfinished_run_says_so(void **state)
{
	struct fixture *f = *state;
	json_t *rows = json_object_get(f->bench, "benchmarks");
	char *text;
	FILE *out = fopen(in_run(f, "rows.jsonl"), "w");
	size_t i;

	for (i = 0; i < json_array_size(rows); i++) {
		text = json_dumps(json_array_get(rows, i), JSON_COMPACT);
		fprintf(out, "%s\n", text);
		free(text);
	}
	assert_int_equal(fclose(out), 0);
	without_gnuplot(f);
	assert_works(make_all(f->run, NULL));
	assert_holds(in_run(f, "report.html"), "This run never finished:", true);
	assert_holds(in_run(f, "report.html"), "36 repetitions in all", true);
}

/* ---- what is wrong ---- */

static void wrong_types_are_named(void **state)
{
	static const struct {
		const char *object, *key, *value, *path;
	} wrong[] = {
		{ "table[3]", "ns", "\"15\"", "table[3].ns must be a number" },
		{ "table[0]", "cycles_low", "-1", "table[0].cycles_low must not be negative" },
		{ "table[1]", "row", "null", "table[1].row must be there" },
		{ "table[1]", "row", "\"\"", "table[1].row must be there" },
		{ "table[9]", "verdict", "{}", "table[9].verdict must be text" },
		{ "", "table", "{}", "table must be an array" },
		{ "", "stress", "[7]", "stress[0] must be an object" },
		{ "", "harness", "[]", "harness must be an object" },
		{ "harness", "loop_ns", "true", "harness.loop_ns must be a number" },
		{ "stress[2]", "promises", "[]", "stress[2].promises must be an object" },
		{ "stress[2].promises", "exact", "1", "stress[2].promises.exact must be text" },
		{ "stress[1].violations", "window", "\"\"",
		  "stress[1].violations.window must be a number" },
		{ "stress[0]", "delivered_by_source", "[1,\"2\"]",
		  "stress[0].delivered_by_source must be an array of numbers" },
		{ "late_beat[1]", "steps", "3", "late_beat[1].steps must be an array" },
		{ "late_beat[1].steps[4]", "gap_wraps", "[]",
		  "late_beat[1].steps[4].gap_wraps must be a number" },
		{ "bytes_by_rate[5]", "tsc_hz", "false",
		  "bytes_by_rate[5].tsc_hz must be a number" },
		{ "benchmarks[2]", "cycles", "\"x\"", "benchmarks[2].cycles must be a number" },
		{ "context.stampede", "cpu", "4", "context.stampede.cpu must be an object" },
		{ "context.stampede.tsc", "hz", "\"fast\"",
		  "context.stampede.tsc.hz must be a number" },
		{ "warnings[0]", "state", "null", "warnings[0].state must be there" },
	};
	struct fixture *f = *state;
	json_t *whole = f->bench;
	char line[PATH_MAX + 128];
	size_t i;

	scratch_put(f->run, "report.html", "earlier", 7);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		f->bench = json_deep_copy(whole);
		assert_int_equal(json_object_set_new(value_at(f, wrong[i].object), wrong[i].key,
						     json_loads(wrong[i].value, JSON_DECODE_ANY,
								NULL)), 0);
		run_write(f);
		json_decref(f->bench);
		f->bench = whole;
		snprintf(line, sizeof(line), "run/bench.json: %s", wrong[i].path);
		assert_fails(make_all(f->run, NULL), PLOTS_HARNESS, line);
		assert_false(exists(in_run(f, "plots")));
		assert_holds(in_run(f, "report.html"), "earlier", true);
	}
	assert_fails(make_all(in_run(f, "nowhere"), NULL), PLOTS_HARNESS, "no such run");
	scratch_put(f->run, "bench.json", "{\"context\"", 10);
	assert_fails(make_all(f->run, NULL), PLOTS_HARNESS, "cut off");
}

static const char *const hostile[] = {
	"\"><script>alert(1)</script>", "</title></style></svg>", "a'b`touch pwned`",
	"x%s%n%999999d",
	"new\nline\ttab", "$(touch pwned)", "{/:Bold x}_y^z @name &amp;", "| pipe | ` tick",
	"\xc3\xa9\xe2\x80\xae rtl", "'; system('touch pwned') #", "NaN", "\\\"\\", " ",
	"a_name_so_long_that_it_cannot_stand_beside_any_plot_and_must_be_cut_somewhere_there",
};

/* Gives every row of the section such a name, and every other text of it too. */
static void name_badly(const struct fixture *f, const char *section)
{
	json_t *list = json_object_get(f->bench, section), *one;
	size_t i, count = sizeof(hostile) / sizeof(hostile[0]);

	json_array_foreach(list, i, one) {
		json_object_set_new(one, "row", json_string(hostile[i % count]));
		json_object_set_new(one, "why", json_string(hostile[i % count]));
		json_object_set_new(one, "first_violation",
				    json_string("two\nlines </pre><script>alert(1)</script>"));
		if (!strcmp(section, "replay") || !strcmp(section, "tails") ||
		    !strcmp(section, "precision"))
			json_object_set_new(one, "gaps", json_string(hostile[i % count]));
		if (i % 5 == 4 && strcmp(section, "bytes_by_rate"))
			json_object_set_new(one, "verdict", json_string(hostile[i % count]));
	}
}

static void assert_harmless(const struct fixture *f)
{
	static const char *const sections[] = { "cost", "space", "rate", "storm", "late_beat",
						"injected", "replay", "idle", "tails",
						"ties", "seek" };
	char *text, *line, *save;
	size_t i;

	text = file_text(in_run(f, "report.html"), NULL);
	assert_int_equal(occurrences(text, "<script"), 1);
	assert_int_equal(occurrences(text, "</pre>"), occurrences(text, "<pre"));
	assert_null(strstr(text, "</style></svg>"));
	assert_int_equal(occurrences(text, "</style>"), 1);
	assert_int_equal(occurrences(text, "</title>"), 1);
	/* By these names no row is a layout, and none has repetitions. */
	assert_int_equal(occurrences(text, "<svg "), PLOTS - 2);
	assert_non_null(
		strstr(text, "<code>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</code>"));
	assert_non_null(strstr(text, "{/:Bold x}_y^z @name &amp;amp;"));
	free(text);
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		save = NULL;
		text = file_text(in_run(f, "plots/%s.dat", sections[i]), NULL);
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			if (occurrences(line, "\"") % 2 || strpbrk(line, "%`'\\$@{"))
				fail_msg("%s.dat: %s", sections[i], line);
		free(text);
	}
	assert_false(exists(in_run(f, "plots/pwned")));
	assert_false(exists("pwned"));
}

static void hostile_names_do_nothing(void **state)
{
	static const char *const sections[] = { "table", "bytes_by_rate", "stress", "late_beat",
						"injected", "replay", "idle", "tails",
						"precision" };
	struct fixture *f = *state;
	char *text, *line, *save = NULL;
	unsigned int rows = 0, answers = 0, bars;
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		name_badly(f, sections[i]);
	json_object_set_new(value_at(f, "context.stampede.cpu"), "model", json_string(hostile[2]));
	json_object_set_new(value_at(f, "context.stampede.kernel"), hostile[0],
			    json_string(hostile[1]));
	json_object_set_new(value_at(f, "warnings[0]"), "cause", json_string(hostile[0]));
	make_pictures(f);
	assert_harmless(f);
	assert_holds(in_run(f, "plots/run.gp"), "caption_machine = 'a?b?touch pwned?, 2 CPUs",
		     true);
	assert_holds(in_run(f, "plots/storm.svg"), ">a_name_so_long_that_it_ca", false);
	assert_holds(in_run(f, "plots/cost.svg"), ">x?s?n?999999d<", true);
	text = file_text(in_run(f, "report.md"), NULL);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line != '|')
			continue;
		bars = occurrences(line, "|") - occurrences(line, "\\|");
		/* Of the table, or of the guide. */
		if (bars == 17) {
			rows++;
			continue;
		}
		assert_int_equal(bars, 4);
		answers++;
	}
	assert_int_equal(rows, 2 + 10);
	assert_true(answers > 2);
	free(text);
}

/* ---- what the machine lacks ---- */

static void no_gnuplot_leaves_data_and_page(void **state)
{
	struct fixture *f = *state;
	int i;

	make_data(f);
	for (i = 0; i < PLOTS; i++) {
		assert_true(exists(in_run(f, "plots/%s.dat", plot_descs[i].name)));
		assert_true(exists(in_run(f, "plots/%s.gp", plot_descs[i].name)));
		assert_false(exists(in_run(f, "plots/%s.svg", plot_descs[i].name)));
	}
	assert_true(exists(in_run(f, "plots/style.gp")));
	assert_holds(in_run(f, "report.html"), "</strong> not drawn, see the error", true);
	assert_holds(in_run(f, "report.html"), "<svg", false);
	assert_holds(in_run(f, "report.md"), "![", false);
}

/* A gnuplot of our own that does as the script says. */
static void fake_gnuplot(const struct fixture *f, const char *script)
{
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "#!/bin/sh\nPATH='%s'\n%s\n", f->path, script);
	scratch_put(f->dir, "bin/gnuplot", text, strlen(text));
	snprintf(text, sizeof(text), "%s/bin/gnuplot", f->dir);
	assert_int_equal(chmod(text, 0755), 0);
	*strrchr(text, '/') = '\0';
	setenv("PATH", text, 1);
}

static void remove_layouts(const struct fixture *f)
{
	json_t *list = json_object_get(f->bench, "bytes_by_rate");
	size_t i;

	for (i = json_array_size(list); i-- > 0;)
		if (!strncmp(json_string_value(json_object_get(json_array_get(list, i), "row")),
			     "layout_", 7))
			json_array_remove(list, i);
}

static void failing_gnuplot_is_told_and_harms_nothing(void **state)
{
	static const struct {
		const char *script, *line;
	} fakes[] = {
		{ "echo 'run.gp line 3: no such thing' >&2; exit 1", "line 3: no such thing" },
		{ "echo '<svg>'", "no complaint, but no whole picture" },
		{ "printf '<svg></svg>'; exit 2", "no complaint" },
		{ "kill -SEGV $$", "was ended by signal 11" },
	};
	struct fixture *f = *state;
	size_t i;
	int status;

	run_write(f);
	/* One plot, and so one line. */
	json_object_del(f->bench, "table");
	json_object_del(f->bench, "stress");
	json_object_del(f->bench, "late_beat");
	json_object_del(f->bench, "injected");
	json_object_del(f->bench, "replay");
	json_object_del(f->bench, "idle");
	json_object_del(f->bench, "tails");
	json_object_del(f->bench, "precision");
	json_object_del(f->bench, "seek");
	remove_layouts(f);
	run_write(f);
	scratch_put(f->run, "plots/rate.svg", "earlier", 7);
	for (i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		fake_gnuplot(f, fakes[i].script);
		assert_fails(make_all(f->run, NULL), PLOTS_HARNESS, fakes[i].line);
		assert_holds(in_run(f, "plots/rate.svg"), "earlier", true);
		assert_holds(in_run(f, "report.html"), "</strong> not drawn", true);
	}
	/* Its SVG is whole, its PNG is not. */
	fake_gnuplot(f, "printf '<svg></svg>'");
	status = CAPTURED(make_all(f->run, NULL));
	assert_true(scratch_one_error("as png"));
	assert_int_equal(status, PLOTS_HARNESS);
	assert_holds(in_run(f, "plots/rate.svg"), "<svg></svg>", true);
	assert_false(exists(in_run(f, "plots/rate.png")));
}

/* Runs make_all() in a child that `prepare` has made unlucky. Its status; 77: it could not. */
static int in_child(const struct fixture *f, int (*prepare)(const struct fixture *f))
{
	int status;
	pid_t pid;

	scratch_capture_begin();
	pid = fork();
	if (!pid)
		_exit(prepare(f) ? 77 : make_all(f->run, NULL));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	scratch_capture_end();
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int become_nobody(const struct fixture *f)
{
	(void)f;
	return geteuid() ? 0 : setgid(65534) || setuid(65534);
}

static void unwritable_run_is_told(void **state)
{
	struct fixture *f = *state;

	run_write(f);
	without_gnuplot(f);
	assert_int_equal(chmod(f->run, 0555), 0);
	assert_int_equal(in_child(f, become_nobody), PLOTS_RESOURCE);
	assert_true(scratch_one_error("/run/plots: Permission denied; make the directory "
				      "writable"));
	assert_int_equal(chmod(f->run, 0755), 0);
	scratch_put(f->run, "plots", "x", 1);
	assert_fails(make_all(f->run, NULL), PLOTS_RESOURCE, "/run/plots: File exists; move away");
	assert_holds(in_run(f, "plots"), "x", true);
}

/* No file may grow beyond the page: data and pictures fit. */
static int limit_files(const struct fixture *f)
{
	struct rlimit limit = { 9000, 9000 };

	(void)f;
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit);
}

/* No file that was to be renamed is left behind. */
static void assert_no_leftovers(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	unsigned int seen = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		seen++;
		if (strstr(entry->d_name, ".tmp"))
			fail_msg("%s is left in %s", entry->d_name, directory);
	}
	assert_true(seen > 2);
	closedir(dir);
}

static void file_that_cannot_grow_leaves_the_earlier_one(void **state)
{
	struct fixture *f = *state;
	char *before, *after;

	make_data(f);
	before = file_text(in_run(f, "report.html"), NULL);
	assert_true(strlen(before) > 9000);
	without_gnuplot(f);
	assert_int_equal(in_child(f, limit_files), PLOTS_RESOURCE);
	/* The line about gnuplot comes first, then the one that counts. */
	assert_int_equal(occurrences(scratch_stderr, "\n"), 2);
	assert_non_null(
		strstr(scratch_stderr, "/run/report.html: File too large; free some space"));
	after = file_text(in_run(f, "report.html"), NULL);
	assert_string_equal(after, before);
	free(before);
	free(after);
	assert_no_leftovers(f->run);
	assert_no_leftovers(in_run(f, "plots"));
}

/* A disk of 64 KiB in a mount namespace of the child's own: the sample, and little else. */
static int mount_full(const struct fixture *f)
{
	char source[PATH_MAX];
	char *bench = file_text(in_run(f, "bench.json"), NULL);

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", f->run, "tmpfs", 0, "size=64k"))
		return -1;
	snprintf(source, sizeof(source), "%s", f->run);
	scratch_put(source, "bench.json", bench, strlen(bench));
	free(bench);
	return 0;
}

static void full_disk_is_told(void **state)
{
	struct fixture *f = *state;
	int status;

	need_gnuplot();
	run_write(f);
	status = in_child(f, mount_full);
	if (status == 77) {
		print_message("skipped: no tmpfs to fill without root\n");
		skip();
	}
	assert_true(scratch_one_error("No space left on device; free some space; earlier results "
				      "are intact"));
	assert_int_equal(status, PLOTS_RESOURCE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLOTS_TEST(missing_sections_leave_plots_out),
		PLOTS_TEST(run_without_any_section_is_fine),
		PLOTS_TEST(without_counters_the_cost_is_in_ns),
		PLOTS_TEST(one_row_is_drawn),
		PLOTS_TEST(unknown_and_zero_numbers_are_no_trouble),
		PLOTS_TEST(unfinished_run_says_so),
		PLOTS_TEST(wrong_types_are_named),
		PLOTS_TEST(hostile_names_do_nothing),
		PLOTS_TEST(no_gnuplot_leaves_data_and_page),
		PLOTS_TEST(failing_gnuplot_is_told_and_harms_nothing),
		PLOTS_TEST(unwritable_run_is_told),
		PLOTS_TEST(file_that_cannot_grow_leaves_the_earlier_one),
		PLOTS_TEST(full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
