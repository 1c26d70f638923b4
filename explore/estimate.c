// SPDX-License-Identifier: MIT
#include "explore/estimate.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/fail.h"
#include "base/json.h"
#include "judge/driver.h"

#define BUDGET_WORDS 128
#define SECONDS_THAT_TELL 0.02 /* less is the price of a search with nothing in it */
#define STATES_GROW 0.66 /* by that power of the schedules */

/* Of the words of a budget (family_words()), the one that says what is stopped at. */
static bool stops_at_all(const char *budget)
{
	return !strncmp(budget + strcspn(budget, " "), " all ", 5);
}

static bool of_one_shape(const char *budget, const char *other)
{
	size_t word = strcspn(budget, " ");

	return !strncmp(budget, other, word) && strcspn(other, " ") == word;
}

/*
 * Of a search alone, on the machine where these were fitted: of six rows' long tiers, 0.55 to 1.3
 * us a schedule where each is run. States grow slower than schedules do.
 */
static double guess(const char *budget, bool by_states, double schedules)
{
	if (!by_states)
		return 7e-7 * schedules;
	return (stops_at_all(budget) ? 3e-6 : 6e-5) * pow(schedules, STATES_GROW);
}

/* By how much guess() is wrong here, over all that was measured. */
static void measure(struct estimate *estimate)
{
	double seconds[2] = { 0 }, guessed[2] = { 0 };
	const json_t *row, *one;
	bool by_states;
	size_t i, k;

	json_array_foreach(json_object_get(estimate->times, "rows"), i, row)
		json_array_foreach(json_object_get(row, "families"), k, one) {
			by_states = json_number(one, "states") > 0;
			seconds[by_states] += json_number(one, "seconds");
			guessed[by_states] += guess(json_text(one, "budget"), by_states,
						    json_number(one, "schedules"));
		}
	for (i = 0; i < 2; i++)
		if (seconds[i] > 0 && guessed[i] > 0)
			estimate->factor[i] = seconds[i] / guessed[i];
}

int estimate_begin(struct estimate *estimate, const char *path)
{
	json_error_t error;

	*estimate = (struct estimate){ .factor = { 1, 1 } };
	if (!path)
		return 0;
	estimate->times = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!estimate->times)
		return fail_with(EXIT_USAGE, "--times %s: %s", path, error.text);
	if (!json_is_array(json_object_get(estimate->times, "rows"))) {
		json_decref(estimate->times);
		return fail_with(EXIT_USAGE, "--times %s: a record of explore --json is wanted",
				 path);
	}
	measure(estimate);
	return 0;
}

void estimate_end(struct estimate *estimate)
{
	json_decref(estimate->times);
}

static const json_t *families_of(const json_t *times, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(times, "rows"), i, one)
		if (!strcmp(json_text(one, "row"), row))
			return json_object_get(one, "families");
	return NULL;
}

/*
 * A budget as the row is searched: to one that needs no beat a beat is an interrupt like any, and
 * makes none (family_search()).
 */
static void as_searched(const char *budget, const char *row, char *words, size_t bytes)
{
	const struct driver *driver = driver_find(drivers_counting, row);
	char *beats;

	snprintf(words, bytes, "%s", budget);
	beats = strstr(words, " beats=");
	if (driver && !(driver->desc->needs & NEED_BEAT) && beats)
		memmove(beats, beats + 1 + strcspn(beats + 1, " "),
			strlen(beats + 1 + strcspn(beats + 1, " ")) + 1);
}

/* What this search took; 0: it was not measured. */
static double measured(const json_t *of_row, const char *budget, const char *row)
{
	char words[BUDGET_WORDS], others[BUDGET_WORDS];
	const json_t *one;
	size_t i;

	as_searched(budget, row, words, sizeof(words));
	json_array_foreach(of_row, i, one) {
		as_searched(json_text(one, "budget"), row, others, sizeof(others));
		if (!strcmp(words, others))
			return fmax(json_number(one, "seconds"), ESTIMATE_LEAST);
	}
	return 0;
}

/*
 * What the row's largest search with those stops took, one of that shape if there is one, by how
 * many more schedules this has; 0: there is none that took long enough to say so.
 */
static double by_nearest(const json_t *of_row, const char *budget, const struct prospect *prospect)
{
	double seconds = 0, its, most = 0;
	bool alike = false, one_alike;
	const char *other;
	const json_t *one;
	size_t i;

	json_array_foreach(of_row, i, one) {
		other = json_text(one, "budget");
		its = json_number(one, "schedules");
		if (stops_at_all(other) != stops_at_all(budget) || its <= 0 ||
		    json_number(one, "seconds") < SECONDS_THAT_TELL ||
		    (json_number(one, "states") > 0) != prospect->by_states)
			continue;
		one_alike = of_one_shape(budget, other);
		if (one_alike < alike || (one_alike == alike && its <= most))
			continue;
		alike = one_alike;
		most = its;
		seconds = json_number(one, "seconds") *
			  pow(prospect->schedules / its, prospect->by_states ? STATES_GROW : 1);
	}
	return seconds;
}

double estimate_seconds(const struct estimate *estimate, const char *row,
			const struct family *family, const struct prospect *prospect)
{
	const json_t *of_row = families_of(estimate->times, row);
	char budget[BUDGET_WORDS];
	double seconds;

	family_words(family, budget, sizeof(budget));
	seconds = measured(of_row, budget, row);
	if (seconds <= 0)
		seconds = by_nearest(of_row, budget, prospect);
	if (seconds <= 0)
		seconds = guess(budget, prospect->by_states, prospect->schedules) *
			  estimate->factor[prospect->by_states];
	return fmax(seconds, ESTIMATE_LEAST);
}
