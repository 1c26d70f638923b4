// SPDX-License-Identifier: MIT
#include "layout_experiments.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "options.h"
#include "precision.h"
#include "ticks.h"

#define EVENTS 500000
#define CHANNEL_EVENTS 200000
#define SEED 1

static int is_csv(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".csv");
}

/* Calls `one` for each gap file of `directory`, in the order of names. */
static int each_gap_file(const char *directory,
			 int (*one)(const char *name, const struct gap_file *gaps, json_t *json),
			 json_t *json)
{
	struct dirent **entries;
	struct gap_file *gaps;
	char path[4096], name[256];
	int count, i, error = 0;

	count = scandir(directory, &entries, is_csv, alphasort);
	if (count < 0 || !(gaps = malloc(sizeof(*gaps)))) {
		fprintf(stderr, "stampede: cannot read %s: %s; --gaps names the directory\n",
			directory, strerror(errno));
		return EXIT_USAGE;
	}
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		snprintf(name, sizeof(name), "%.*s", (int)strlen(entries[i]->d_name) - 4,
			 entries[i]->d_name);
		if (!error)
			error = gap_file_read(path, gaps);
		if (!error)
			error = one(name, gaps, json);
		free(entries[i]);
	}
	free(entries);
	free(gaps);
	if (!count) {
		fprintf(stderr, "stampede: no .csv of recorded gaps in %s\n", directory);
		return EXIT_USAGE;
	}
	return error;
}

static void print_precision(const char *name, const struct precision *precision)
{
	unsigned int cut;

	printf("%-22s", name);
	for (cut = 0; cut < PRECISION_CUTS; cut++)
		printf(" %7.0f", precision_ties_per_million(precision, cut));
	putchar('\n');
}

static int precision_of_file(const char *name, const struct gap_file *gaps, json_t *json)
{
	struct precision precision;

	precision_recorded(gaps, ticks_hz(), EVENTS, SEED, &precision);
	print_precision(name, &precision);
	json_array_append_new(json, precision_json(name, &precision));
	return 0;
}

int layout_precision(const char *directory, json_t *json)
{
	json_t *all = json_array();
	struct precision precision;
	unsigned int cut;
	int error;

	printf("\nties per million pairs of events, against low bits cut, clock %.3f MHz\n%-22s",
	       ticks_hz() / 1e6, "");
	for (cut = 0; cut < PRECISION_CUTS; cut++)
		printf(" %7u", cut);
	putchar('\n');
	error = each_gap_file(directory, precision_of_file, all);
	if (!error)
		error = precision_back_to_back(driver_find(drivers_timed, "full_tsc"), EVENTS,
					       &precision);
	if (!error) {
		print_precision("back to back", &precision);
		json_array_append_new(all, precision_json("back to back", &precision));
	}
	json_object_set_new(json, "precision", all);
	return error;
}

/* A compact row with and without a cut, beside the 64-bit header. */
static const char *const compact_rows[] = { "extended_header", "heartbeat_compact",
					    "layout_5_27_cut5_ext", "layout_13_19_cut9_ext" };
static const double shares[] = { 0.5, 0.9, 0.99 };

static int channels_of_file(const char *name, const struct gap_file *gaps, json_t *json)
{
	struct channels_config config = {
		.normal = driver_find(drivers_counting, "layout_64_ext"),
		.gaps = gaps,
		.hz = ticks_hz(),
		.events = CHANNEL_EVENTS,
		.seed = SEED,
	};
	struct channels_result result;
	size_t row, share;
	json_t *one;
	int error;

	for (row = 0; row < sizeof(compact_rows) / sizeof(compact_rows[0]); row++) {
		config.compact = driver_find(drivers_counting, compact_rows[row]);
		for (share = 0; share < sizeof(shares) / sizeof(shares[0]); share++) {
			config.share = shares[share];
			error = channels_run(&config, &result);
			if (error)
				return error;
			printf("%-22s %-21s %5.2f %9.2f %7.1f %% %7" PRIu64 " %7" PRIu64
			       " %7" PRIu64 " %7" PRIu64 "\n",
			       name, compact_rows[row], config.share,
			       (double)result.bytes / (double)result.events,
			       100 - 100.0 * (double)result.bytes / (double)result.normal_bytes,
			       result.ties, result.tied_wrong, result.inversions, result.lost);
			one = channels_json(&config, &result);
			json_object_set_new(one, "gaps", json_string(name));
			json_array_append_new(json, one);
		}
	}
	return 0;
}

int layout_channels(const char *directory, json_t *json)
{
	json_t *all = json_array();
	int error;

	printf("\ncompact events in a channel of their own beside layout_64_ext, %u events, merged "
	       "by time\n%-22s %-21s %5s %9s %9s %7s %7s %7s %7s\n", CHANNEL_EVENTS, "gaps",
	       "compact", "share", "B/event", "saved", "ties", "wrong", "invert", "lost");
	error = each_gap_file(directory, channels_of_file, all);
	json_object_set_new(json, "channels", all);
	return error;
}
