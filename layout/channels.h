/* SPDX-License-Identifier: MIT */
/*
 * "Use a separate channel for compact events. Mux those events into this channel and magically they
 * are compact" (2007-03-12): two rings of one CPU, a compact row for frequent events and a normal
 * one for the rest, read and merged by time. What is saved, and is the order still that of the
 * recording? On the virtual clock of the counting build.
 */
#ifndef STAMPEDE_LAYOUT_CHANNELS_H
#define STAMPEDE_LAYOUT_CHANNELS_H

#include <jansson.h>

#include "judge/driver.h"
#include "workloads/gaps.h"

struct channels_config {
	const struct driver *compact; /* both of the counting build */
	const struct driver *normal;
	const struct gaps *gaps; /* NULL: `gap_ticks` between any two events */
	uint64_t gap_ticks;
	double hz;
	double share; /* of events that are frequent ones, 0..1 */
	uint64_t events;
	uint64_t seed;
};

struct channels_result {
	uint64_t events;
	uint64_t frequent;
	uint64_t bytes; /* headers of both channels, beats included */
	uint64_t normal_bytes; /* headers, had all gone through the normal channel */
	uint64_t lost; /* recorded and not read: none, or the figures mean nothing */
	uint64_t ties; /* events with the time of one before them in the other channel */
	uint64_t tied_wrong; /* of these, merged before an earlier one */
	uint64_t inversions; /* events with a later time than an event that came after them */
	uint64_t worst_inversion_ticks;
};

/* 0, or an exit code after a line on stderr. */
int channels_run(const struct channels_config *config, struct channels_result *result);

/* An element of the record's section "channels", see results/SCHEMA.md. */
json_t *channels_json(const struct channels_config *config, const struct channels_result *result);

#endif
