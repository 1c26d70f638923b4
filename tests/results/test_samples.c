// SPDX-License-Identifier: MIT
/* Which slots count: those whose core was not shared, by what knows nothing of the scheme. */
#include "tests/support/test.h"

#include <math.h>

#include "results/samples.h"

static void add(json_t *rows, const char *row, const char *workload, double ticks, double probe,
		int shared)
{
	json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f, s:i, s:f}", "row", row,
					      "workload", workload, "ticks", ticks, "probe", probe,
					      "shared", shared, "cycles", ticks / probe));
}

static const struct samples_cell own = { "row", "steady" }, other = { "row", "storm" };

/* The time itself is no reason to count, nor not to. */
static void shared_slots_are_left_out(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++) {
		add(rows, "row", "steady", i % 3 ? 20 : 30, 0.7, i % 3 != 0);
		add(rows, "row", "storm", 1, 0.7, 0);
		add(rows, "other", "steady", 2, 0.7, 0);
	}
	samples = samples_collect(rows, &own, "ticks");
	assert_int_equal(samples.count, 7);
	assert_int_equal(samples.shared, 13);
	assert_false(samples.mixed);
	assert_true(samples.value[0] == 30 && samples.value[6] == 30);
	samples_free(&samples);
	assert_null(samples.value);
	assert_true(samples_median(rows, &other, "ticks").middle == 1);
	json_decref(rows);
}

static void all_count_where_too_few_were_not(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++)
		add(rows, "row", "steady", 30, 0.7, i >= SAMPLES_LEAST - 1);
	samples = samples_collect(rows, &own, "ticks");
	assert_int_equal(samples.count, 20);
	assert_true(samples.mixed);
	samples_free(&samples);
	/* An array that grows is looked at again. */
	add(rows, "row", "steady", 30, 0.7, 0);
	samples = samples_collect(rows, &own, "ticks");
	assert_int_equal(samples.count, SAMPLES_LEAST);
	assert_false(samples.mixed);
	samples_free(&samples);
	json_decref(rows);
}

static void nothing_known_is_no_value(void **state)
{
	json_t *rows = json_array();
	int i;

	assert_true(isnan(samples_median(rows, &own, "ticks").middle));
	assert_true(isnan(samples_cycle_ticks(rows)));
	add(rows, "row", "steady", 30, 0.5, 0);
	assert_true(isnan(samples_median(rows, &own, "no such key").middle));
	assert_true(samples_median(rows, &own, "ticks").middle == 30);
	assert_true(isnan(samples_median(rows, &own, "ticks").low));
	assert_true(samples_cycle_ticks(rows) == 0.5);
	json_array_append_new(rows, json_object());
	for (i = 0; i < 4; i++)
		add(rows, "row", "steady", 30, (double[]){ 0.75, 0.25, 0.625, 0.375 }[i], 0);
	assert_true(samples_cycle_ticks(rows) == 0.5);
	json_decref(rows);
}

/* ---- two runs of a guest whose host moves the core's frequency ---- */

#define ROWS_MOST 64
#define NEAR \
	1.12 /* of the least reading: beyond the steps of the frequency another thread was there \
	      */

static char names[ROWS_MOST][40];
static size_t names_count;

/* In tests/data/frequency_steps.csv: each slot's ticks, and its reading of a cycle. */
static json_t *run_of(int run)
{
	FILE *file = fopen("tests/data/frequency_steps.csv", "r");
	double ticks, probe, least = INFINITY;
	json_t *rows = json_array(), *one;
	char line[128], row[40];
	int its;
	size_t i;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%d,%39[^,],%lf,%lf", &its, row, &ticks, &probe) != 4 ||
		    its != run)
			continue;
		add(rows, row, "steady", ticks, probe, 0);
		least = fmin(least, probe);
		for (i = 0; i < names_count && strcmp(names[i], row) != 0; i++)
			;
		if (i == names_count)
			strcpy(names[names_count++], row);
	}
	fclose(file);
	json_array_foreach(rows, i, one)
		json_object_set_new(one, "shared",
				    json_integer(json_number_value(json_object_get(one, "probe")) >
						 NEAR * least));
	return rows;
}

/* The lower quartile: these slots were no pairs, and what comes between makes them longer. */
static double quartile(const json_t *rows, const char *row, const char *key)
{
	struct samples samples =
		samples_collect(rows, &(struct samples_cell){ row, "steady" }, key);
	double its = stats_quantile(samples.value, samples.count, 0.25);

	samples_free(&samples);
	return its;
}

/* What nine rows of ten are within from one run to the other. */
static double nine_of_ten(const json_t *a, const json_t *b, const char *key)
{
	double apart[ROWS_MOST];
	size_t i;

	for (i = 0; i < names_count; i++)
		apart[i] = fabs(quartile(a, names[i], key) / quartile(b, names[i], key) - 1);
	stats_sort(apart, names_count);
	return stats_quantile(apart, names_count, 0.9);
}

static void steps_of_the_frequency_leave_cycles_alone(void **state)
{
	json_t *a = run_of(1), *b = run_of(2);

	assert_int_equal(names_count, 35);
	assert_true(nine_of_ten(a, b, "cycles") < 0.003);
	/* Which ticks are not left by. */
	assert_true(nine_of_ten(a, b, "ticks") > 0.01);
	json_decref(a);
	json_decref(b);
}

TESTS(shared_slots_are_left_out, all_count_where_too_few_were_not, nothing_known_is_no_value,
      steps_of_the_frequency_leave_cycles_alone)
