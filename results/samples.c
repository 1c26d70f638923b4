// SPDX-License-Identifier: MIT
#include "results/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

/*
 * A record's slots by cell, since a run has some thousands of them and asks for each cell's again
 * and again. Of the array that was asked for last, which only grows.
 */
static struct {
	json_t *rows; /* kept alive, so that no other array has its address */
	size_t seen; /* of its slots */
	json_t *cells; /* "row/workload": array of slots */
} index_of;

static const char *name_of(const char *row, const char *workload, char text[256])
{
	snprintf(text, 256, "%s/%s", row, workload);
	return text;
}

/* The cell's slots, in the record's order; NULL if there are none. */
static const json_t *index_cell(const json_t *rows, const struct samples_cell *cell)
{
	size_t size = json_array_size(rows);
	char text[256];
	json_t *one, *cells;

	if (rows != index_of.rows || size < index_of.seen) {
		json_decref(index_of.rows);
		json_decref(index_of.cells);
		index_of.rows = json_incref((json_t *)rows);
		index_of.cells = json_object();
		index_of.seen = 0;
	}
	while (index_of.seen < size) {
		one = json_array_get(rows, index_of.seen++);
		name_of(json_text(one, "row"), json_text(one, "workload"), text);
		cells = json_object_get(index_of.cells, text);
		if (!cells)
			json_object_set_new(index_of.cells, text, cells = json_array());
		json_array_append(cells, one);
	}
	return json_object_get(index_of.cells, name_of(cell->row, cell->workload, text));
}

static bool is_shared(const json_t *slot)
{
	return json_known(slot, "shared") > 0;
}

struct samples samples_collect(const json_t *rows, const struct samples_cell *cell, const char *key)
{
	const json_t *slots = index_cell(rows, cell), *one;
	struct samples its = { .value = malloc((json_array_size(slots) + 1) * sizeof(double)) };
	double value;
	size_t i;

	json_array_foreach(slots, i, one)
		its.shared += is_shared(one);
	its.mixed = its.shared && json_array_size(slots) - its.shared < SAMPLES_LEAST;
	json_array_foreach(slots, i, one) {
		value = json_known(one, key);
		if (its.value && isfinite(value) && (its.mixed || !is_shared(one)))
			its.value[its.count++] = value;
	}
	stats_sort(its.value, its.count);
	return its;
}

double samples_cycle_ticks(const json_t *rows)
{
	double *value = malloc((json_array_size(rows) + 1) * sizeof(double)), median;
	const json_t *one;
	size_t i, count = 0;

	json_array_foreach(rows, i, one) {
		if (!value)
			break;
		value[count] = json_known(one, "probe");
		count += isfinite(value[count]);
	}
	stats_sort(value, count);
	median = stats_quantile(value, count, 0.5);
	free(value);
	return median;
}

void samples_free(struct samples *samples)
{
	free(samples->value);
	*samples = (struct samples){ .value = NULL };
}

struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key)
{
	struct samples samples = samples_collect(rows, cell, key);
	struct stats_interval interval = stats_median(samples.value, samples.count);

	samples_free(&samples);
	return interval;
}
