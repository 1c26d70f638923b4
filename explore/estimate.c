// SPDX-License-Identifier: MIT
#include "explore/estimate.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/fail.h"
#include "base/json.h"
#include "explore/pace.h"
#include "judge/driver.h"

#define SECONDS_LEAST 1e-3

/* The family with that budget; NULL: there is none in the tiers. */
static const struct family *family_of(const char *budget)
{
	const struct family *family;
	char words[128];

	for (family = families; family->shape; family++) {
		family_words(family, words, sizeof(words));
		if (!strcmp(words, budget))
			return family;
	}
	return NULL;
}

/* By how much pace_weight() is wrong here, over all that was measured. */
static double measured_factor(const json_t *times)
{
	double seconds = 0, weight = 0;
	const struct family *family;
	const json_t *row, *one;
	size_t i, k;

	json_array_foreach(json_object_get(times, "rows"), i, row)
		json_array_foreach(json_object_get(row, "families"), k, one) {
			family = family_of(json_text(one, "budget"));
			if (!family)
				continue;
			seconds += json_number(one, "seconds");
			weight += pace_weight(family);
		}
	return seconds > 0 && weight > 0 ? seconds / weight : 1;
}

int estimate_begin(struct estimate *estimate, const char *path)
{
	json_error_t error;

	*estimate = (struct estimate){ .factor = 1 };
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
	estimate->factor = measured_factor(estimate->times);
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
 * As the row is searched: to one that needs no beat a beat is an interrupt like any, and makes none
 * (family_search()).
 */
static struct family as_searched(const struct family *family, const char *row)
{
	const struct driver *driver = driver_find(drivers_counting, row);
	struct family its = *family;

	if (driver && !(driver->desc->needs & NEED_BEAT))
		its.budget.beats = 0;
	return its;
}

double estimate_seconds(const struct estimate *estimate, const char *row,
			const struct family *family)
{
	const struct family its = as_searched(family, row), *known;
	double weight = pace_weight(&its), guess = weight * estimate->factor, nearest = 0;
	struct family other;
	const json_t *one;
	char words[128], others[128];
	size_t i;

	family_words(&its, words, sizeof(words));
	json_array_foreach(families_of(estimate->times, row), i, one) {
		known = family_of(json_text(one, "budget"));
		snprintf(others, sizeof(others), "%s", json_text(one, "budget"));
		if (known) {
			other = as_searched(known, row);
			family_words(&other, others, sizeof(others));
		}
		if (!strcmp(words, others))
			return fmax(json_number(one, "seconds"), SECONDS_LEAST);
		if (!known || strcmp(other.shape, its.shape) || other.stops != its.stops ||
		    pace_weight(&other) <= nearest)
			continue;
		nearest = pace_weight(&other);
		guess = json_number(one, "seconds") * weight / nearest;
	}
	return fmax(guess, SECONDS_LEAST);
}
