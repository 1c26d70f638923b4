// SPDX-License-Identifier: MIT
#include "extras/layout/layout_math.h"

#include <math.h>

#define SEED_HZ 4e9 /* the clock of the text's examples */

const struct layout layouts[] = {
	{ "5+27", "heartbeat_compact", "extended_header", 32, 5, 27, 0, 0, 12, 3 },
	{ "5+27 cut 5", "layout_5_27_cut5_beat", "layout_5_27_cut5_ext", 32, 5, 27, 5, 0, 12, 3 },
	{ "6+26 cut 6", "layout_6_26_cut6_beat", "layout_6_26_cut6_ext", 32, 6, 26, 6, 0, 12, 3 },
	{ "7+25 cut 7", "layout_7_25_cut7_beat", "layout_7_25_cut7_ext", 32, 7, 25, 7, 0, 12, 3 },
	{ "13+19 cut 9", "layout_13_19_cut9_beat", "layout_13_19_cut9_ext", 32, 13, 19, 9, 0, 12,
	  3 },
	{ "1+27+4", "layout_1_27_4_beat", "layout_1_27_4_ext", 32, 4, 27, 0, 1, 8, 2 },
	{ "64-bit", "heartbeat", "layout_64_ext", 64, 16, 32, 0, 16, 10, 1 },
	{ "96-bit", "", "full_tsc", 96, 16, 64, 0, 16, 0, 0 },
};

const size_t layouts_count = sizeof(layouts) / sizeof(layouts[0]);

const char *layout_fault(const struct layout *layout)
{
	if (layout->header_bits != 32 && layout->header_bits != 64 && layout->header_bits != 96)
		return "a header has 32, 64 or 96 bits";
	if (layout->id_bits + layout->time_bits + layout->other_bits != layout->header_bits)
		return "its fields do not add up to the header";
	if (!layout->time_bits)
		return "it leaves no bit of time";
	if (!layout->id_bits)
		return "it leaves no bit of id";
	if (layout->time_bits + layout->cut_bits > 64)
		return "it needs more bits than a stamp has";
	return NULL;
}

double layout_wrap_seconds(double clock_hz, unsigned int time_bits, unsigned int cut_bits)
{
	return ldexp(1.0, (int)(time_bits + cut_bits)) / clock_hz;
}

double layout_wraps_per_second(double clock_hz, unsigned int time_bits, unsigned int cut_bits)
{
	return 1.0 / layout_wrap_seconds(clock_hz, time_bits, cut_bits);
}

double layout_granularity_ns(double clock_hz, unsigned int cut_bits)
{
	return ldexp(1e9, (int)cut_bits) / clock_hz;
}

unsigned int layout_cut_low(uint64_t spacing_ticks)
{
	unsigned int last = bits_last_set(spacing_ticks);

	return last ? last - 1 : 0;
}

unsigned int layout_cut_high(uint64_t interval_ticks)
{
	unsigned int last = bits_last_set(interval_ticks);

	return last + 1 < LAYOUT_STAMP_WORD ? LAYOUT_STAMP_WORD - last - 1 : 0;
}

double layout_least_beat_hz(const struct layout *layout, double clock_hz, double latency_us)
{
	double left = layout_wrap_seconds(clock_hz, layout->time_bits, layout->cut_bits) -
		      layout_granularity_ns(clock_hz, layout->cut_bits) / 1e9 - latency_us / 1e6;

	return left > 0 ? 1.0 / left : 0;
}

double layout_beat_bytes_per_second(const struct layout *layout, double events_per_second,
				    double beat_hz, double beat_bytes)
{
	return layout->header_bits / 8.0 * events_per_second + beat_hz * beat_bytes;
}

double layout_extension_bytes_per_second(const struct layout *layout, double events_per_second,
					 double clock_hz, enum scheme_extension extension)
{
	double wraps = layout_wraps_per_second(clock_hz, layout->time_bits, layout->cut_bits);
	double extended = events_per_second < wraps ? events_per_second : wraps;

	if (extension == EXTEND_NEVER)
		extended = 0;
	else if (extension == EXTEND_ON_GAP && events_per_second > wraps)
		extended = 0;
	return layout->header_bits / 8.0 * events_per_second + layout->full_bytes * extended;
}

void layout_seed_errors(struct layout_error *errors)
{
	const struct layout_error all[LAYOUT_ERRORS] = {
		{ "003", "27 bits wrap so often at 4 GHz", 32,
		  layout_wraps_per_second(SEED_HZ, 27, 0), "/s", "4e9 / 2^27" },
		{ "003", "and these wraps are so far apart", 31.25,
		  1e3 * layout_wrap_seconds(SEED_HZ, 27, 0), "ms",
		  "2^27 / 4e9: 3 jiffies of 10 ms leave 3.55 ms" },
		{ "003", "26 bits, 6 cut, wrap each", 0.5, layout_wrap_seconds(SEED_HZ, 26, 6), "s",
		  "2^32 / 4e9, as with 27 bits and 5 cut" },
		{ "003", "25 bits, 7 cut, wrap each", 0.5, layout_wrap_seconds(SEED_HZ, 25, 7), "s",
		  "2^32 / 4e9" },
		{ "003", "granularity \"800 ns (200 cycles)\"", 200, 200 * SEED_HZ / 1e9, "cycles",
		  "swapped: 200 ns are 800 cycles" },
		{ "003", "low bits for 800 cycles, by find_first_bit", __builtin_ctz(800) - 1,
		  layout_cut_low(800), "bits", "the highest set bit is meant: fls(800) - 1" },
		{ "003", "32 bits without 4 wrap in", 0.26, layout_wrap_seconds(SEED_HZ, 28, 0),
		  "s", "2^28 / 4e9; 0.27 s is 2^30" },
		{ "002", "highest reserved id of 4 bits", 16, 15, "",
		  "4 bits end at 15: reserved are 15 and 14" },
		{ "001", "shift that finds the bits above 27", 64 - 27, 27, "bits",
		  "bits 27 to 36 are never compared otherwise" },
	};
	size_t i;

	for (i = 0; i < LAYOUT_ERRORS; i++)
		errors[i] = all[i];
}
