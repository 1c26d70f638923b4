// SPDX-License-Identifier: MIT
#include "results/samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* A record may be anybody's. */
#define ROUNDS_MAX (1u << 24)

/*
 * A record's repetitions by cell, since a full run has some tens of thousands of them and asks for
 * each cell's again and again. Of the array that was asked for last, which only grows.
 */
static struct {
	json_t *rows; /* kept alive, so that no other array has its address */
	size_t seen; /* of its repetitions */
	json_t *cells; /* "row/workload": array of repetitions */
	json_t *least; /* shortest probe by number of threads */
	size_t rounds;
} index_of;

static size_t round_of(const json_t *repetition)
{
	return (size_t)json_integer_value(json_object_get(repetition, "repetition_index"));
}

static const char *threads_key(double threads, char text[32])
{
	snprintf(text, 32, "%g", threads);
	return text;
}

static void index_one(json_t *repetition)
{
	const char *row = json_text(repetition, "row"),
		   *workload = json_text(repetition, "workload");
	const char *threads;
	double probe = json_known(repetition, "probe");
	char text[256];
	json_t *least;

	if (round_of(repetition) >= index_of.rounds && round_of(repetition) < ROUNDS_MAX)
		index_of.rounds = round_of(repetition) + 1;
	threads = threads_key(json_known(repetition, "threads"), text);
	least = json_object_get(index_of.least, threads);
	if (!isnan(probe) && !(least && json_number_value(least) <= probe))
		json_object_set_new(index_of.least, threads, json_real(probe));
	snprintf(text, sizeof(text), "%s/%s", row, workload);
	if (!json_object_get(index_of.cells, text))
		json_object_set_new(index_of.cells, text, json_array());
	json_array_append(json_object_get(index_of.cells, text), repetition);
}

/* The cell's repetitions, in the record's order; NULL if there are none. */
static const json_t *index_cell(const json_t *rows, const struct samples_cell *cell)
{
	size_t size = json_array_size(rows);
	char text[256];

	if (rows != index_of.rows || size < index_of.seen) {
		json_decref(index_of.rows);
		json_decref(index_of.cells);
		json_decref(index_of.least);
		index_of.rows = json_incref((json_t *)rows);
		index_of.cells = json_object();
		index_of.least = json_object();
		index_of.seen = index_of.rounds = 0;
	}
	while (index_of.seen < size)
		index_one(json_array_get(rows, index_of.seen++));
	snprintf(text, sizeof(text), "%s/%s", cell->row, cell->workload);
	return json_object_get(index_of.cells, text);
}

/* A cell's repetitions by round; a value is NAN where there is none. */
struct samples_series {
	double *value;
	double *probe;
	size_t rounds;
	double threads;
};

static struct samples_series read_series(const json_t *rows, const struct samples_cell *cell,
					 const char *key)
{
	const json_t *own = index_cell(rows, cell), *one;
	struct samples_series series = { .rounds = index_of.rounds };
	size_t i, round;

	series.value = malloc((2 * series.rounds + 1) * sizeof(double));
	series.probe = series.value + series.rounds;
	for (i = 0; series.value && i < 2 * series.rounds; i++)
		series.value[i] = NAN;
	json_array_foreach(own, i, one) {
		round = round_of(one);
		if (!series.value || round >= series.rounds)
			continue;
		series.value[round] = json_known(one, key);
		series.probe[round] = json_known(one, "probe");
		series.threads = json_known(one, "threads");
	}
	return series;
}

/* The longest probe of a repetition on so many threads that is called undisturbed. */
static double probe_limit(double threads)
{
	char text[32];
	const json_t *least = json_object_get(index_of.least, threads_key(threads, text));

	return (least ? json_number_value(least) : INFINITY) * SAMPLES_UNDISTURBED;
}

static bool counts(const struct samples_series *series, size_t round, double limit)
{
	return series->value[round] > 0 && !(series->probe[round] > limit);
}

/* If disturbed, of the nearest round in which it was not: it moves little from round to round. */
static double nearest(const struct samples_series *base, size_t round, double limit)
{
	size_t away;

	if (!(base->value[round] > 0))
		return NAN;
	/* All series have as many rounds: those of all rows. */
	for (away = 0; away < base->rounds; away++) {
		if (away <= round && counts(base, round - away, limit))
			return base->value[round - away];
		if (round + away < base->rounds && counts(base, round + away, limit))
			return base->value[round + away];
	}
	return NAN;
}

/* What is made of a value and the one beside it. */
enum relation { BY, ABOVE, ABOVE_ITSELF };

static double relate(double own, const struct samples_series *base, size_t round, double limit,
		     enum relation relation)
{
	if (relation == ABOVE_ITSELF)
		return own - base->value[round];
	return relation == BY ? own / nearest(base, round, limit) :
				own - nearest(base, round, limit);
}

/* What counts within that limit, sorted. base: NULL, or what to relate it to. */
static struct samples choose(const struct samples_series *own, const struct samples_series *base,
			     double limit, enum relation relation)
{
	struct samples samples = { .value = malloc((own->rounds + 1) * sizeof(double)) };
	double one;
	size_t i;

	for (i = 0; samples.value && i < own->rounds; i++) {
		one = own->probe[i] > limit ? NAN : own->value[i];
		if (base && isfinite(one))
			one = relate(one, base, i, limit, relation);
		if (isfinite(one))
			samples.value[samples.count++] = one;
	}
	stats_sort(samples.value, samples.count);
	return samples;
}

static struct samples collect(const json_t *rows, const struct samples_cell *cell, const char *key,
			      const struct samples_cell *base, const char *base_key,
			      enum relation relation)
{
	struct samples_series own = read_series(rows, cell, key), below = { .value = NULL };
	struct samples all = { .value = NULL }, undisturbed = { .value = NULL };

	if (base)
		below = read_series(rows, base, base_key);
	if (own.value && (!base || below.value)) {
		all = choose(&own, base ? &below : NULL, INFINITY, relation);
		undisturbed =
			choose(&own, base ? &below : NULL, probe_limit(own.threads), relation);
	}
	free(own.value);
	free(below.value);
	if (undisturbed.count < SAMPLES_LEAST && undisturbed.count < all.count) {
		samples_free(&undisturbed);
		all.mixed = true;
		return all;
	}
	undisturbed.left_out = all.count - undisturbed.count;
	samples_free(&all);
	return undisturbed;
}

struct samples samples_collect(const json_t *rows, const struct samples_cell *cell, const char *key,
			       const struct samples_cell *base)
{
	return collect(rows, cell, key, base, key, BY);
}

struct samples samples_above(const json_t *rows, const struct samples_cell *cell, const char *key,
			     const struct samples_cell *base)
{
	return collect(rows, cell, key, base, key, ABOVE);
}

struct samples samples_within(const json_t *rows, const struct samples_cell *cell, const char *key,
			      const char *other_key)
{
	return collect(rows, cell, key, cell, other_key, ABOVE_ITSELF);
}

void samples_free(struct samples *samples)
{
	free(samples->value);
	*samples = (struct samples){ .value = NULL };
}

struct samples samples_to_floor(const json_t *rows, const struct samples_cell *cell,
				const char **basis)
{
	const struct samples_cell floor = { SAMPLES_FLOOR, cell->workload };
	struct samples samples = samples_collect(rows, cell, *basis = "cycles", &floor);

	if (samples.count)
		return samples;
	samples_free(&samples);
	return samples_collect(rows, cell, *basis = "ticks", &floor);
}

struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key, const struct samples_cell *base)
{
	struct samples samples = samples_collect(rows, cell, key, base);
	struct stats_interval interval = stats_median(samples.value, samples.count);

	samples_free(&samples);
	return interval;
}
