// SPDX-License-Identifier: MIT
#include "runner/timing/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "runner/timing/cell.h"

double summary_median(const json_t *rows, const char *row, const char *workload, const char *key)
{
	return samples_median(rows, &(struct samples_cell){ row, workload }, key).middle;
}

static struct stats_interval given(double value)
{
	return (struct stats_interval){ value < 0 ? NAN : value, NAN, NAN };
}

/* What is made of times: see SCHEMA.md. */
static void make_times(struct summary_line *line, const json_t *rows)
{
	const struct summary_row *about = &line->about;
	const char *row = about->row, *workload = about->workload;
	const struct stats_interval one = { 1, 1, 1 }; /* the floor is what ratios are to */
	const struct samples_cell cheap = { row, about->cheap };
	double tick_ns = summary_median(rows, row, workload, "real_time") / line->ticks.middle;

	line->ns.middle = line->cycles.middle * samples_cycle_ticks(rows) * tick_ns;
	if (!strcmp(row, SAMPLES_FLOOR))
		line->ratio = one;
	/* The lowest floor is its own. */
	if (about->floor && isnan(line->ratio_own.middle))
		line->ratio_own = line->ratio;
	if (about->floor)
		line->above_clock.middle =
			line->cycles.middle - summary_median(rows, CELL_CLOCK, workload, "cycles");
	if (!about->cheap)
		return;
	line->cheap_cycles = samples_median(rows, &cheap, "cycles");
	line->cheap_ratio = samples_median(rows, &cheap, "ratio");
	line->cheap_ratio_own = samples_median(rows, &cheap, "ratio_own");
	if (!strcmp(row, SAMPLES_FLOOR))
		line->cheap_ratio = one;
	if (about->floor && isnan(line->cheap_ratio_own.middle))
		line->cheap_ratio_own = line->cheap_ratio;
}

#define SAMPLES(key) samples_median(rows, &cell, #key)
#define GIVEN(key) given(about->key)
#define MADE(key) given(-1)

bool summary_line(const json_t *rows, const struct summary_row *about, struct summary_line *line)
{
	const struct samples_cell cell = { about->row, about->workload };
	struct samples ticks = samples_collect(rows, &cell, "ticks");

	*line = (struct summary_line){ .about = *about,
				       .slots = ticks.count + (ticks.mixed ? 0 : ticks.shared),
				       .shared = ticks.shared,
				       .mixed = ticks.mixed };
	samples_free(&ticks);
	if (!line->slots)
		return false;
#define X(key, how, ...) line->key = how(key);
#include "results/columns.def"
#undef X
	line->header_id_bytes = given(line->header_bytes.middle + about->id_bytes_added);
	make_times(line, rows);
	return true;
}

/* ---- ranks ---- */

/* Floors and what takes no stamp are no choice, and a broken row's time is none. */
static bool is_ranked(const struct summary_line *line, const char *workload)
{
	return !strcmp(line->about.workload, workload) && !isnan(line->ratio.middle) &&
	       line->about.floor && strcmp(line->about.floor, line->about.row) &&
	       strcmp(line->about.verdict, "broken") != 0;
}

static void rank_workload(struct summary_table *table, const char *workload, double apart)
{
	struct summary_line *line, *next;
	double first = 0;
	int rank = 0, place = 0;

	for (;;) {
		next = NULL;
		for (line = table->line; line < table->line + table->count; line++)
			if (is_ranked(line, workload) && isnan(line->rank.middle) &&
			    (!next || line->ratio.middle < next->ratio.middle))
				next = line;
		if (!next)
			return;
		place++;
		if (next->ratio.middle > first * (1 + apart)) {
			rank = place;
			first = next->ratio.middle;
		}
		next->rank.middle = rank;
	}
}

void summary_rank(struct summary_table *table, double apart)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		rank_workload(table, table->line[i].about.workload, apart);
}

#define ONE(key) json_object_set_new(json, #key, json_or_null(line->key.middle))
#define INTERVAL(key) json_set_interval(json, #key, &line->key, 1)

json_t *summary_json(const struct summary_line *line)
{
	const struct summary_row *about = &line->about;
	json_t *json = json_pack("{s:s, s:s, s:s, s:s?, s:I, s:I, s:b, s:b}", "row", about->row,
				 "workload", about->workload, "verdict", about->verdict, "why",
				 about->why, "repetitions", (json_int_t)line->slots, "shared",
				 (json_int_t)line->shared, "mixed", line->mixed, "below_floor",
				 line->below_floor);

	json_object_set_new(json, "floor", about->floor ? json_string(about->floor) : json_null());
#define X(key, how, ends, ...) ends(key);
#include "results/columns.def"
#undef X
	return json;
}
