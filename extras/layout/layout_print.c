// SPDX-License-Identifier: MIT
#include "extras/layout/layout_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One after the other: those of the text, then the user's. */
static const struct layout *layout_at(const struct layout_inputs *inputs, size_t i)
{
	if (i < layouts_count)
		return &layouts[i];
	return i == layouts_count ? inputs->custom : NULL;
}

static uint64_t spacing_ticks(const struct layout_inputs *inputs)
{
	return (uint64_t)(inputs->spacing_ns * inputs->clock_hz / 1e9);
}

static uint64_t interval_ticks(const struct layout_inputs *inputs)
{
	return (uint64_t)((inputs->latency_us / 1e6 + 1 / inputs->timer_hz) * inputs->clock_hz);
}

/* Seconds in a unit that suits them. */
static const char *period(double seconds, char *text, size_t bytes)
{
	if (seconds < 1)
		snprintf(text, bytes, "%.2f ms", seconds * 1e3);
	else if (seconds < 1e5)
		snprintf(text, bytes, "%.2f s", seconds);
	else
		snprintf(text, bytes, "%.1f years", seconds / 31557600);
	return text;
}

void layout_print_cuts(const struct layout_inputs *inputs)
{
	unsigned int low = layout_cut_low(spacing_ticks(inputs));
	unsigned int high = layout_cut_high(interval_ticks(inputs));

	printf("clock %.3f MHz, interrupt latency %g us, timer %g Hz, events at least %g ns "
	       "apart\n",
	       inputs->clock_hz / 1e6, inputs->latency_us, inputs->timer_hz, inputs->spacing_ns);
	printf("bits to cut from a 32-bit stamp:\n");
	printf("  low  %2u = fls(%" PRIu64 ") - 1: granularity %.2f ns\n", low,
	       spacing_ticks(inputs), layout_granularity_ns(inputs->clock_hz, low));
	printf("  high %2u = 32 - fls(%" PRIu64 ") - 1: a wrap each %.2f ms, a beat each %.2f ms\n",
	       high, interval_ticks(inputs),
	       1e3 * layout_wrap_seconds(inputs->clock_hz, LAYOUT_STAMP_WORD - high, 0),
	       1e3 / inputs->timer_hz);
	if (bits_last_set(interval_ticks(inputs)) >= LAYOUT_STAMP_WORD)
		printf("  a 32-bit stamp is too short: it wraps between two beats\n");
	if (low + high >= LAYOUT_STAMP_WORD)
		printf("  nothing is left for the time: events are further apart than the timer's "
		       "beats\n");
	else
		printf("  left %2u bits of time, %u for ids (%u ids)\n",
		       LAYOUT_STAMP_WORD - low - high, low + high, 1u << (low + high));
}

void layout_print_table(const struct layout_inputs *inputs)
{
	const struct layout *layout;
	char text[32];
	double hz = inputs->clock_hz;
	size_t i;

	printf("\n%-14s %5s %12s %9s %11s %6s %12s  %s\n", "layout", "bytes", "wrap", "wraps/s",
	       "granularity", "ids", "least beats", "timer suffices");
	for (i = 0; (layout = layout_at(inputs, i)); i++) {
		double least = layout_least_beat_hz(layout, hz, inputs->latency_us);

		printf("%-14s %5u %12s %9.3g %8.2f ns %6u %10.3g/s  %s\n", layout->name,
		       layout->header_bits / 8,
		       period(layout_wrap_seconds(hz, layout->time_bits, layout->cut_bits), text,
			      sizeof(text)),
		       layout_wraps_per_second(hz, layout->time_bits, layout->cut_bits),
		       layout_granularity_ns(hz, layout->cut_bits),
		       (1u << layout->id_bits) - layout->escapes, least,
		       layout->time_bits == 64	 ? "no beat needed" :
		       !least			 ? "no: the latency is longer than a wrap" :
		       least <= inputs->timer_hz ? "yes" :
						   "no");
	}
}

void layout_print_bytes(const struct layout_inputs *inputs)
{
	const struct layout *layout;
	unsigned int r;
	size_t i;

	printf("\nheader bytes per second at events per second\n"
	       "beat: %u bytes at each timer tick; extension: at each carry out of the field, the "
	       "most there can be\n%-24s",
	       LAYOUT_BEAT_BYTES, "");
	for (r = 0; r < inputs->rates_count; r++)
		printf(" %11.4g", inputs->rates[r]);
	putchar('\n');
	for (i = 0; (layout = layout_at(inputs, i)); i++) {
		if (layout->time_bits < 64) {
			printf("%-14s beat     ", layout->name);
			for (r = 0; r < inputs->rates_count; r++)
				printf(" %11.5g", layout_beat_bytes_per_second(
							  layout, inputs->rates[r],
							  inputs->timer_hz, LAYOUT_BEAT_BYTES));
			putchar('\n');
		}
		printf("%-14s %s", layout->name,
		       layout->time_bits < 64 ? "extension" : "         ");
		for (r = 0; r < inputs->rates_count; r++)
			printf(" %11.5g", layout_extension_bytes_per_second(
						  layout, inputs->rates[r], inputs->clock_hz,
						  EXTEND_ON_CARRY));
		putchar('\n');
	}
}

void layout_print_seed_errors(void)
{
	struct layout_error errors[LAYOUT_ERRORS];
	size_t i;

	layout_seed_errors(errors);
	printf("\nwhat the texts say (at 4 GHz), and what is right\n");
	for (i = 0; i < LAYOUT_ERRORS; i++)
		printf("  seed %s  %-44s %8.5g -> %.5g %s (%s)\n", errors[i].seed, errors[i].text,
		       errors[i].said, errors[i].right, errors[i].unit, errors[i].why);
}

static json_t *one_json(const struct layout_inputs *inputs, const struct layout *layout)
{
	json_t *rates = json_array(), *beat = json_array(), *extension = json_array();
	double hz = inputs->clock_hz;
	unsigned int r;

	for (r = 0; r < inputs->rates_count; r++) {
		json_array_append_new(rates, json_real(inputs->rates[r]));
		json_array_append_new(beat, json_real(layout_beat_bytes_per_second(
						    layout, inputs->rates[r], inputs->timer_hz,
						    LAYOUT_BEAT_BYTES)));
		json_array_append_new(extension,
				      json_real(layout_extension_bytes_per_second(
					      layout, inputs->rates[r], hz, EXTEND_ON_CARRY)));
	}
	return json_pack(
		"{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:o, s:o, s:o}", "name",
		layout->name, "beat_row", layout->beat_row, "extension_row", layout->extension_row,
		"header_bits", (int)layout->header_bits, "id_bits", (int)layout->id_bits,
		"time_bits", (int)layout->time_bits, "cut_bits", (int)layout->cut_bits,
		"wrap_seconds", layout_wrap_seconds(hz, layout->time_bits, layout->cut_bits),
		"granularity_ns", layout_granularity_ns(hz, layout->cut_bits), "least_beat_hz",
		layout_least_beat_hz(layout, hz, inputs->latency_us), "events_per_second", rates,
		"beat_bytes_per_second", beat, "extension_bytes_per_second", extension);
}

json_t *layout_json(const struct layout_inputs *inputs)
{
	json_t *all = json_array();
	const struct layout *layout;
	size_t i;

	for (i = 0; (layout = layout_at(inputs, i)); i++)
		json_array_append_new(all, one_json(inputs, layout));
	return json_pack("{s:f, s:f, s:f, s:f, s:i, s:i, s:o}", "clock_hz", inputs->clock_hz,
			 "latency_us", inputs->latency_us, "timer_hz", inputs->timer_hz,
			 "spacing_ns", inputs->spacing_ns, "cut_low_bits",
			 (int)layout_cut_low(spacing_ticks(inputs)), "cut_high_bits",
			 (int)layout_cut_high(interval_ticks(inputs)), "layouts", all);
}
