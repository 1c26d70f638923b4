// SPDX-License-Identifier: MIT
#include "layout/layout_experiments.h"

#include "layout/channels.h"
#include "base/json.h"
#include "layout/precision.h"
#include "place/ticks.h"

#define EVENTS 500000
#define SEED 1
#define BACK_TO_BACK "back to back"

struct experiment {
	uint64_t events;
	json_t *all;
};

/* gaps_each() says what is wrong by an errno, and hands on exit codes of ours. */
static int exit_code(int error)
{
	return error < 0 ? EXIT_USAGE : error;
}

static int precision_of_gaps(void *arg, const struct gaps *gaps)
{
	struct experiment *experiment = arg;
	struct precision precision;

	precision_recorded(gaps, ticks_hz(), experiment->events, SEED, &precision);
	json_array_append_new(experiment->all, precision_json(gaps->name, ticks_hz(), &precision));
	return 0;
}

int layout_precision(const char *directory, json_t *all)
{
	struct experiment experiment = { .events = EVENTS, .all = all };
	struct precision precision;
	int error = gaps_each(directory, precision_of_gaps, &experiment);

	if (error)
		return exit_code(error);
	error = precision_back_to_back(driver_find(drivers_timed, "full_tsc"), EVENTS, &precision);
	if (!error)
		json_array_append_new(all, precision_json(BACK_TO_BACK, ticks_hz(), &precision));
	return error;
}

/* A compact row with and without a cut, beside the 64-bit header. */
static const char *const compact_rows[] = { "extended_header", "heartbeat_compact",
					    "layout_5_27_cut5_ext", "layout_13_19_cut9_ext" };
static const double shares[] = { 0.5, 0.9, 0.99 };

static int channels_of_gaps(void *arg, const struct gaps *gaps)
{
	struct experiment *experiment = arg;
	struct channels_config config = {
		.normal = driver_find(drivers_counting, "layout_64_ext"),
		.gaps = gaps,
		.hz = ticks_hz(),
		.events = experiment->events,
		.seed = SEED,
	};
	struct channels_result result;
	size_t row, share;
	int error;

	for (row = 0; row < sizeof(compact_rows) / sizeof(compact_rows[0]); row++) {
		config.compact = driver_find(drivers_counting, compact_rows[row]);
		for (share = 0; share < sizeof(shares) / sizeof(shares[0]); share++) {
			config.share = shares[share];
			error = channels_run(&config, &result);
			if (error)
				return error;
			json_array_append_new(experiment->all, channels_json(&config, &result));
		}
	}
	return 0;
}

int layout_channels(const char *directory, uint64_t events, json_t *all)
{
	struct experiment experiment = { .events = events, .all = all };

	return exit_code(gaps_each(directory, channels_of_gaps, &experiment));
}

void layout_print_precision(FILE *out, const json_t *all)
{
	/* All thirteen would not fit a line; the record has them. */
	static const unsigned int cuts[] = { 0, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	const json_t *line, *ties;
	size_t index, i;

	if (!json_array_size(all))
		return;
	fprintf(out,
		"\nties per million pairs of events, against low bits cut, clock %.3f MHz\n"
		"%-20s",
		json_number(json_array_get(all, 0), "tsc_hz") / 1e6, "gaps");
	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		fprintf(out, " %7u", cuts[i]);
	fputc('\n', out);
	json_array_foreach(all, index, line) {
		ties = json_object_get(line, "ties_per_million");
		fprintf(out, "%-20s", json_text(line, "gaps"));
		for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
			fprintf(out, " %7.0f", json_number_value(json_array_get(ties, cuts[i])));
		fputc('\n', out);
	}
}

void layout_print_channels(FILE *out, const json_t *all)
{
	const json_t *line;
	size_t index;

	if (!json_array_size(all))
		return;
	line = json_array_get(all, 0);
	fprintf(out,
		"\ncompact events in a channel of their own beside %s, %.0f events, merged by "
		"time\n%-20s %-21s %5s %7s %8s %6s %6s %7s %5s\n",
		json_text(line, "normal"), json_number(line, "events"), "gaps", "compact", "share",
		"B/event", "saved", "ties", "wrong", "invert", "lost");
	json_array_foreach(all, index, line)
		fprintf(out, "%-20s %-21s %5.2f %7.2f %6.1f %% %6.0f %6.0f %7.0f %5.0f\n",
			json_text(line, "gaps"), json_text(line, "compact"),
			json_number(line, "share"),
			json_number(line, "header_bytes") / json_number(line, "events"),
			100 * json_number(line, "saved_share"), json_number(line, "ties"),
			json_number(line, "tied_wrong"), json_number(line, "inversions"),
			json_number(line, "lost"));
}

#define BENCH_EVENTS 20000 /* per cell of a second channel */
#define BENCH_EVENTS_FULL 200000

static int measure_precision(const struct workload_bench *bench, json_t *into)
{
	int error = place_bind_self(bench->place, bench->pu[0]);

	return error ? error : layout_precision(GAPS_RECORDED, into);
}

static int measure_channels(const struct workload_bench *bench, json_t *into)
{
	return layout_channels(GAPS_RECORDED,
			       bench->size == SIZE_FULL ? BENCH_EVENTS_FULL : BENCH_EVENTS, into);
}

static void print_precision(FILE *out, const json_t *section, enum workload_size size)
{
	if (size == SIZE_FULL)
		layout_print_precision(out, section);
}

static void print_channels(FILE *out, const json_t *section, enum workload_size size)
{
	if (size == SIZE_FULL)
		layout_print_channels(out, section);
}

const struct workload_section layout_sections[] = {
	{ .name = "precision", .measure = measure_precision, .print = print_precision },
	{ .name = "channels", .measure = measure_channels, .print = print_channels },
	{ .name = NULL },
};
