// SPDX-License-Identifier: MIT
#include "samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_cell(const json_t *repetition, const struct samples_cell *cell)
{
	const char *row = json_string_value(json_object_get(repetition, "row"));
	const char *workload = json_string_value(json_object_get(repetition, "workload"));

	return row && workload && !strcmp(row, cell->row) && !strcmp(workload, cell->workload);
}

static size_t round_of(const json_t *repetition)
{
	return (size_t)json_integer_value(json_object_get(repetition, "repetition_index"));
}

/* What base was in each round, NAN where it was not. */
static double *base_by_round(const json_t *rows, const struct samples_cell *base, const char *key,
			     size_t *rounds)
{
	const json_t *one, *value;
	double *by_round;
	size_t i;

	*rounds = 0;
	json_array_foreach(rows, i, one)
		if (is_cell(one, base) && round_of(one) >= *rounds)
			*rounds = round_of(one) + 1;
	by_round = malloc((*rounds + 1) * sizeof(double));
	for (i = 0; by_round && i < *rounds; i++)
		by_round[i] = NAN;
	json_array_foreach(rows, i, one) {
		value = json_object_get(one, key);
		if (by_round && is_cell(one, base) && json_number_value(value) > 0)
			by_round[round_of(one)] = json_number_value(value);
	}
	return by_round;
}

struct samples samples_collect(const json_t *rows, const struct samples_cell *cell,
			       const char *key, const struct samples_cell *base)
{
	struct samples samples = { .value = calloc(json_array_size(rows) + 1, sizeof(double)) };
	const json_t *one, *number;
	double *below = NULL, value;
	size_t i, rounds = 0;

	if (base && samples.value) {
		below = base_by_round(rows, base, key, &rounds);
		if (!below)
			return samples;
	}
	json_array_foreach(rows, i, one) {
		number = json_object_get(one, key);
		if (!samples.value || !json_is_number(number) || !is_cell(one, cell))
			continue;
		value = json_number_value(number);
		if (base)
			value = round_of(one) < rounds ? value / below[round_of(one)] : NAN;
		if (isfinite(value))
			samples.value[samples.count++] = value;
	}
	free(below);
	stats_sort(samples.value, samples.count);
	return samples;
}

void samples_free(struct samples *samples)
{
	free(samples->value);
	*samples = (struct samples){ .value = NULL };
}

struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key, const struct samples_cell *base)
{
	struct samples samples = samples_collect(rows, cell, key, base);
	struct stats_interval interval = stats_median(samples.value, samples.count);

	samples_free(&samples);
	return interval;
}
