/* SPDX-License-Identifier: MIT */
/*
 * What a header layout makes of time: wrap period, granularity, bits to cut, beats and bytes. Pure
 * functions; each carries a worked example, and tests/layout/test_layout.c holds them against
 * measured runs.
 */
#ifndef STAMPEDE_EXTRAS_LAYOUT_LAYOUT_MATH_H
#define STAMPEDE_EXTRAS_LAYOUT_LAYOUT_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "schemes/core/scheme.h"

#define LAYOUT_STAMP_WORD 32 /* bits of the stamp that the text of 2007 cuts at both ends */
#define LAYOUT_BEAT_BYTES 32 /* of a beat's event, by the text */

struct layout {
	const char *name;
	const char *beat_row; /* of schemes.def, "" if there is none */
	const char *extension_row;
	unsigned int header_bits;
	unsigned int id_bits;
	unsigned int time_bits; /* T */
	unsigned int cut_bits; /* s: low bits of the stamp that are not stored */
	unsigned int other_bits; /* of the header word: flag, size */
	unsigned int full_bytes; /* that a whole stamp adds to a header; 0: it is there anyway */
	unsigned int escapes; /* ids that mean something else */
};

/* The layouts of 2007 and 2008. */
extern const struct layout layouts[];
extern const size_t layouts_count;

/* NULL, or in a few words why this is no layout. */
const char *layout_fault(const struct layout *layout);

/* 2^(T + s) / f: 2^27 at 4 GHz is 33.55 ms, which are 29.8 wraps per second, not 32. */
double layout_wrap_seconds(double clock_hz, unsigned int time_bits, unsigned int cut_bits);
double layout_wraps_per_second(double clock_hz, unsigned int time_bits, unsigned int cut_bits);

/* 2^s / f in ns: 2^9 at 4 GHz is 128 ns. */
double layout_granularity_ns(double clock_hz, unsigned int cut_bits);

/*
 * Low bits that can go when no two events are closer than `spacing_ticks`: floor(log2) of it,
 * max(0, fls - 1). 800 ticks: 9. (find_first_bit, as the text has it, is 5 and gives 4.)
 */
unsigned int layout_cut_low(uint64_t spacing_ticks);

/*
 * High bits of a 32-bit stamp that can go when a beat comes each timer tick and is late by at most
 * the latency: 32 - fls(interval) - 1, so that a wrap is more than twice the interval. 30 ms at
 * 4 GHz: 4; at least 0.
 */
unsigned int layout_cut_high(uint64_t interval_ticks);

/*
 * Least rate of beats that loses no wrap: one per wrap, less a granule, less the latency. 0 if the
 * latency alone is longer.
 */
double layout_least_beat_hz(const struct layout *layout, double clock_hz, double latency_us);

/* Header bytes per second of evenly spaced events, with a beat of `beat_bytes`, all overhead. */
double layout_beat_bytes_per_second(const struct layout *layout, double events_per_second,
				    double beat_hz, double beat_bytes);

/*
 * Header bytes per second of evenly spaced events with whole stamps where they are needed. On a
 * carry: at each wrap of the field that sees an event, 4 R + 8 min(R, wraps). On a gap: at each
 * event, if events are a wrap apart, and else never.
 */
double layout_extension_bytes_per_second(const struct layout *layout, double events_per_second,
					 double clock_hz, enum scheme_extension extension);

/* One claim of the seed texts and what is right. */
struct layout_error {
	const char *seed;
	const char *text;
	double said;
	double right;
	const char *unit;
	const char *why;
};

#define LAYOUT_ERRORS 9

/* Fills all LAYOUT_ERRORS, computed by the functions above. */
void layout_seed_errors(struct layout_error *errors);

#endif
