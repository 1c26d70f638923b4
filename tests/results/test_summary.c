// SPDX-License-Identifier: MIT
/* The table: whole names, whole verdicts, and no line longer than 100 columns. */
#include "tests/support/test.h"

#include <jansson.h>

#include "judge/driver.h"
#include "runner/timing/summary.h"
#include "workloads/workload.h"

/* A line with the widest figures that there are. */
static const struct summary_line wide_line = {
	.about = { .workload = "steady", .verdict = "need not met" },
	.noisy = true,
	.worst_error_ticks = { .middle = 1.8e19 },
	.header_id_bytes = { .middle = 24.4 },
	.id_bytes_added = { .middle = 2 },
	.ns = { .middle = 999.9 },
	.above_clock_ns = { .middle = -999.9 },
	.instructions = { .middle = 999.9 },
	.atomics = { .middle = 10.25 },
	.ratio = { 31.736, .low_95 = 29, .high_95 = 41 },
	.cheap_ratio = { .middle = 31.74 },
};

/* Words of a line with one space between them. */
static const char *words(const char *at, const char *end)
{
	static char said[128];
	char *to = said;

	for (; at < end; at++)
		if (*at != ' ' || (to > said && to[-1] != ' '))
			*to++ = *at;
	*to = '\0';
	return said;
}

static void rows_fit_and_differ(void **state)
{
	static struct summary_table table;
	char *text = NULL, *at, *end;
	unsigned int i, count = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; drivers_timed[i]; i++) {
		table.line[i] = wide_line;
		table.line[i].about.row = drivers_timed[i]->row;
	}
	table.count = i;
	summary_print(out, &table);
	fclose(out);
	for (at = text; (end = strchr(at, '\n')); at = end + 1) {
		if (end - at > 100)
			fail_msg("%d columns: %.*s", (int)(end - at), (int)(end - at), at);
		if (!count++) {
			/* The workload, as wide as the longest name, and each column's. */
			assert_string_equal(words(at, end),
					    "steady verdict worst err h+id ns above instr atoms "
					    "ratio (95%) cheap");
			continue;
		}
		/* Behind the title, in the same order; a name is cut where it differs already. */
		i = count - 2;
		size = strlen(drivers_timed[i]->row);
		size = size > 25 ? 25 : size;
		assert_memory_equal(at, drivers_timed[i]->row, size);
		assert_int_equal(at[size], ' ');
		*end = '\0';
		assert_non_null(strstr(at, " need not met "));
	}
	assert_int_equal(count, table.count + 1);
	free(text);
}

static void add(json_t *rows, const char *row, const char *workload, int round, double ns,
		double mean)
{
	json_array_append_new(rows,
			      json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f}", "row", row,
					"workload", workload, "repetition_index", round, "threads",
					1, "ns", ns, "mean_ns", mean, "ticks", 2 * ns));
}

#define assert_number(figure, value) assert_float_equal(figure, value, 1e-9)

/* Each figure from the made-up repetitions by hand: the floor 10 ns and the clock 9, round by
 * round. */
static void second_figures_are_paired(void **state)
{
	const struct summary_row about = { .row = "delta",
					   .workload = "steady",
					   .verdict = "kept",
					   .floor = "floor",
					   .id_bytes_added = 2,
					   .cheap = CELLS_CHEAP,
					   .half_width = SUMMARY_HALF_WIDTH };
	struct summary_line line;
	json_t *rows = json_array();
	int i;

	for (i = 0; i < 9; i++) {
		add(rows, "floor_published", "steady", i, 10 + i, 11 + i);
		add(rows, "floor", "steady", i, (10 + i) * 1.25, 20);
		add(rows, "clock", "steady", i, 9 + i, 9 + i);
		add(rows, "delta", "steady", i, (10 + i) * 1.5, (10 + i) * 1.5 + 0.25);
		add(rows, "floor_published", "cheap", i, 2, 2);
		add(rows, "floor", "cheap", i, 4, 4);
		add(rows, "delta", "cheap", i, 5, 5);
	}
	json_object_set_new(json_array_get(rows, 3), "header_bytes", json_real(4.25));
	assert_true(summary_line(rows, &about, &line));
	assert_number(line.ratio.middle, 1.5);
	assert_number(line.ratio_own.middle, 1.2);
	/* Medians over rounds: 1.5 * (10 + i) - (9 + i) at i = 4. */
	assert_number(line.above_clock_ns.middle, 8);
	/* By order statistics the second and the eighth of nine. */
	assert_number(line.above_clock_ns.low_95, 6.5);
	assert_number(line.above_clock_ns.high_95, 9.5);
	assert_number(line.ratio.low_95, 1.5);
	assert_number(line.left_out_ns.middle, 0.25);
	assert_number(line.cheap_ratio.middle, 2.5);
	assert_number(line.cheap_ratio_own.middle, 1.25);
	assert_number(line.cheap_ns.middle, 5);
	assert_number(line.header_bytes.middle, 4.25);
	assert_number(line.header_id_bytes.middle, 6.25);
	assert_false(line.disagrees);
	json_decref(rows);
}

/* Seven rounds, in five of which both cores were shared: ratios are of pairs, ns are not. */
static void columns_that_part_are_marked(void **state)
{
	const struct summary_row about = { .row = "x",
					   .workload = "steady",
					   .verdict = "kept",
					   .floor = "floor_published",
					   .cheap = CELLS_CHEAP,
					   .half_width = SUMMARY_HALF_WIDTH };
	static struct summary_table table = { .count = 1 };
	json_t *rows = json_array(), *one;
	char *text = NULL;
	size_t size, k;
	FILE *out;
	int i;

	for (i = 0; i < 12; i++) {
		add(rows, "floor_published", "steady", i, i < 6 ? 10 : 20, 20);
		if (i >= 4)
			add(rows, "x", "steady", i, i < 6 ? 10.2 : 20.4, 21);
	}
	/* What is shared says so by its probe. */
	json_array_foreach(rows, k, one)
		json_object_set_new(
			one, "probe",
			json_real(json_number_value(json_object_get(one, "ns")) > 15 ? 2 : 1));
	assert_true(summary_line(rows, &about, table.line));
	assert_true(table.line[0].mixed);
	assert_true(table.line[0].disagrees);
	out = open_memstream(&text, &size);
	summary_print(out, &table);
	fclose(out);
	assert_int_equal(text[strlen(text) - 2], '!');
	free(text);
	json_decref(rows);
}

TESTS(rows_fit_and_differ, second_figures_are_paired, columns_that_part_are_marked)
