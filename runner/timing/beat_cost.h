/* SPDX-License-Identifier: MIT */
/*
 * What a beat costs the thread that it interrupts: signal, handler, the scheme's own work and the
 * beat's event. A timed cell is too short for a beat, and a lower decile would not show it.
 */
#pragma once

#include <jansson.h>

#include "judge/driver.h"
#include "runner/place/place.h"
#include "base/stats.h"

struct beat_cost {
	struct stats_interval ns; /* of one beat, with its 95 % interval */
	double beats_per_second; /* at the row's own width */
	size_t with, without; /* batches with one beat in them, and with none */
};

/*
 * From batches that had a beat and those beside them that had none: by how much the median of the
 * former is more, within the far ends of both medians' intervals. `with` and `without` are ticks,
 * and are sorted.
 */
struct stats_interval beat_cost_of(double *with, size_t with_count, double *without,
				   size_t without_count, double hz);

/*
 * Records on CPU `pu` with a row of the timed build for so long, with a timer that brings beats at
 * a rate of its own. An exit code, after a line on stderr.
 */
int beat_cost_measure(const struct driver *driver, const struct place *place, unsigned int pu,
		      double seconds, struct beat_cost *cost);

/* A line of the record's section `beats`. */
json_t *beat_cost_json(const struct driver *driver, const struct beat_cost *cost);
