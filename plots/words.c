// SPDX-License-Identifier: MIT
#include "plots/words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Rows closer than this in one run cannot be told apart by their times, however quiet it was. */
#define SAME_COST 0.02

static void say(const struct markup *to, const char *text)
{
	to->text(to->out, text);
}

/* text, as a count of things: "1.23 M events". */
static void say_short(const struct markup *to, double value, const char *what)
{
	char number[TEXT_FIGURE_BYTES];

	say(to, text_short(number, value));
	say(to, what);
}

static void say_figure(const struct markup *to, const char *before, double value, const char *after)
{
	char number[TEXT_FIGURE_BYTES];

	say(to, before);
	say(to, text_figure(number, value));
	say(to, after);
}

/* A name in a list: the comma, if it is not the first, and the name. */
static void say_name(const struct markup *to, bool *first, const char *name)
{
	if (!*first)
		say(to, ", ");
	*first = false;
	to->code(to->out, name);
}

static void say_bits(const struct markup *to, double bits)
{
	char text[32];

	if (isnan(bits))
		return;
	snprintf(text, sizeof(text), " (%.0f bits)", fmin(bits, 9999));
	say(to, text);
}

/* The verdict on a row anywhere in the run is `word`. */
static bool row_has(const struct run *run, const char *row, const char *word)
{
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (!strcmp(run->table[i].row, row) && run_verdict_is(run->table[i].verdict, word))
			return true;
	for (i = 0; i < run->storm_count; i++)
		if (!strcmp(run->storm[i].row, row) && run_storm_checked(&run->storm[i]) &&
		    run_verdict_is(run->storm[i].verdict, word))
			return true;
	return false;
}

/* Name of judged row `i`: the table's cells, then the storm's. NULL behind the last. */
static const char *row_name(const struct run *run, size_t i)
{
	if (i < run->table_count)
		return run->table[i].row;
	i -= run->table_count;
	return i < run->storm_count ? run->storm[i].row : NULL;
}

/* Lists each row with that verdict once; false, and nothing written, if there is none. */
static bool say_rows(const struct run *run, const struct markup *to, const char *before,
		     const char *word)
{
	const char *name;
	bool first = true;
	size_t i, j;

	for (i = 0; (name = row_name(run, i)); i++) {
		for (j = 0; j < i && strcmp(row_name(run, j), name); j++)
			;
		if (j < i || !row_has(run, name, word))
			continue;
		if (first)
			say(to, before);
		say_name(to, &first, name);
	}
	return !first;
}

bool words_broken(const struct run *run)
{
	const char *name;
	size_t i;

	for (i = 0; (name = row_name(run, i)); i++)
		if (row_has(run, name, "broken"))
			return true;
	return false;
}

/*
 * Does the record say that the row promises it all? Old ones have no such section; what was judged there
 * has a word for what is not promised.
 */
static bool declares_everything(const struct run *run, const char *row)
{
	const json_t *schemes = json_object_get(run->loaded.json, "schemes");
	const json_t *scheme, *name, *promises;
	unsigned int promise, declared;
	size_t i, k;

	json_array_foreach(schemes, i, scheme) {
		const char *its = json_string_value(json_object_get(scheme, "row"));

		if (!its || strcmp(its, row))
			continue;
		promises = json_object_get(scheme, "promises");
		for (promise = declared = 0; promise < RUN_PROMISES; promise++)
			json_array_foreach(promises, k, name)
				declared += json_is_string(name) &&
					    !strcmp(json_string_value(name), run_promises[promise]);
		return declared == RUN_PROMISES;
	}
	return !schemes;
}

bool words_keeps_everything(const struct run *run, const struct table_row *row)
{
	bool judged = false;
	size_t i;
	int promise;

	if (!run_verdict_is(row->verdict, "kept") || !declares_everything(run, row->row))
		return false;
	for (i = 0; i < run->storm_count; i++) {
		if (strcmp(run->storm[i].row, row->row) || !run_storm_checked(&run->storm[i]))
			continue;
		judged = true;
		for (promise = 0; promise < RUN_PROMISES; promise++)
			if (!run_verdict_is(run->storm[i].promises[promise], "kept"))
				return false;
	}
	return judged;
}

/* Who may be called cheapest: without a storm nobody is known to keep everything. */
static bool may_be_named(const struct run *run, const struct table_row *row)
{
	return run->storm_count ? words_keeps_everything(run, row) :
				  run_verdict_is(row->verdict, "kept");
}

/* How far apart two ratios of this run must be to mean something: half the quartile distance. */
static double noise(const struct table_row **rows, size_t count)
{
	double sum = 0;
	size_t i, known = 0;

	for (i = 0; i < count; i++) {
		const struct spread *ratio = &rows[i]->ratio;

		if (!(ratio->median > 0) || !isfinite(ratio->high - ratio->low))
			continue;
		sum += (ratio->high - ratio->low) / ratio->median / 2;
		known++;
	}
	return known ? sum / (double)known : 0;
}

static void say_cheap_row(const struct markup *to, bool *first, const struct table_row *row)
{
	say_name(to, first, row->row);
	say_figure(to, " (", row->ratio.median, " times the floor");
	if (isfinite(row->bytes))
		say_figure(to, ", ", row->bytes, " bytes");
	say(to, ")");
}

static void say_cheapest(const struct run *run, const struct markup *to)
{
	size_t count, i, alike = 0;
	bool cycles, first = true;
	const struct table_row **rows = data_cost_order(run, &count, &cycles);
	double least = NAN, apart;
	char text[128];

	for (i = 0; rows && i < count; i++)
		if (may_be_named(run, rows[i]))
			least = fmin(least, rows[i]->ratio.median);
	if (!(least > 0)) {
		free(rows);
		return;
	}
	apart = fmax(fmax(SAME_COST, noise(rows, count)), run_noise(run));
	for (i = 0; i < count; i++)
		alike += may_be_named(run, rows[i]) &&
			 rows[i]->ratio.median <= least * (1 + apart);
	say(to, " Of the rows that ");
	say(to, run->storm_count ? "promise everything and kept it" :
					   "kept what they promise (no storm was run)");
	say(to, ", the cheapest");
	snprintf(text, sizeof(text), " are these %zu, which this run cannot tell apart (within "
		 "%.0f %%): ", alike, 100 * apart);
	say(to, alike == 1 ? " is " : text);
	for (i = 0; i < count; i++)
		if (may_be_named(run, rows[i]) &&
		    rows[i]->ratio.median <= least * (1 + apart))
			say_cheap_row(to, &first, rows[i]);
	say(to, ".");
	free(rows);
}

/* Rows, each once, with that verdict somewhere in the run and broken nowhere. */
static size_t count_rows(const struct run *run, const char *word)
{
	size_t i, j, count = 0;
	const char *name;

	for (i = 0; (name = row_name(run, i)); i++) {
		for (j = 0; j < i && strcmp(row_name(run, j), name); j++)
			;
		count += j == i && row_has(run, name, word) && !row_has(run, name, "broken");
	}
	return count;
}

void words_summary(const struct run *run, const struct markup *to)
{
	size_t kept = count_rows(run, "kept");
	char text[96];

	if (say_rows(run, to, "Promises were broken, so no times are given, by ", "broken"))
		say(to, ".");
	else if (kept)
		say(to, "No promise was broken.");
	else
		say(to, "No row of this run was judged.");
	if (kept) {
		snprintf(text, sizeof(text), " %zu row%s kept what %s.", kept, kept == 1 ? "" : "s",
			 kept == 1 ? "it promises" : "they promise");
		say(to, text);
	}
	if (say_rows(run, to, " Not judged, since the run did not give what they need: ",
		     "need not met"))
		say(to, ".");
	say_cheapest(run, to);
}

const char *words_promise(unsigned int promise)
{
	static const char *const texts[RUN_PROMISES] = {
		"decoded times never go back in buffer order",
		"a decoded time is the stamp that was taken, but for those declared inexact",
		"a decoded time lies between entry and exit of its own reserve",
		"all of that holds after a gap of any length",
		"it finishes however slow the clock is",
	};

	return texts[promise];
}

static void say_objections(const struct storm_row *row, unsigned int promise,
			   const struct markup *to)
{
	/* The oracle that speaks of the promise; wraps and bounds have none of their own. */
	static const int oracle_of[RUN_PROMISES] = { 2, 0, 1, -1, -1 };
	int oracle = oracle_of[promise];

	if (oracle < 0 || !(row->violations[oracle] > 0))
		return;
	say(to, " (");
	say_short(to, row->violations[oracle],
		  row->violations[oracle] == 1 ? " objection)" : " objections)");
}

/* Did the row fare otherwise at another width? Then its name alone does not say which it was. */
static bool mixed(const struct run *run, const struct storm_row *row, unsigned int promise)
{
	size_t i;

	for (i = 0; i < run->storm_count; i++)
		if (!strcmp(run->storm[i].row, row->row) && row->promises[promise] &&
		    !run_verdict_is(run->storm[i].promises[promise], row->promises[promise]))
			return true;
	return false;
}

/* Is a width before this one listed, and stands for all? */
static bool listed(const struct run *run, size_t at, unsigned int promise)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (!strcmp(run->storm[i].row, run->storm[at].row))
			return !mixed(run, &run->storm[at], promise);
	return false;
}

/* "<before>a, b (16 bits) (12 objections)"; more than `most` of them are only counted. */
static bool say_fared(const struct run *run, unsigned int promise, const char *word,
		      const char *before, size_t most, const struct markup *to)
{
	bool first = true;
	size_t i, count = 0;
	char text[64];

	for (i = 0; i < run->storm_count; i++)
		count += run_verdict_is(run->storm[i].promises[promise], word) &&
			 !listed(run, i, promise);
	if (!count)
		return false;
	say(to, before);
	if (count > most) {
		snprintf(text, sizeof(text), "%zu rows", count);
		say(to, text);
	}
	for (i = 0; count <= most && i < run->storm_count; i++) {
		const struct storm_row *row = &run->storm[i];

		if (!run_verdict_is(row->promises[promise], word) || listed(run, i, promise))
			continue;
		say_name(to, &first, row->row);
		if (mixed(run, row, promise))
			say_bits(to, row->bits);
		if (strcmp(word, "kept"))
			say_objections(row, promise, to);
	}
	say(to, ".");
	return true;
}

bool words_fared(const struct run *run, unsigned int promise, const struct markup *to)
{
	static const struct {
		const char *word, *text;
		size_t most;
	} verdicts[] = {
		{ "broken", "Broken by ", SIZE_MAX },
		{ "need not met", "Not judged, since the run did not meet their needs: ",
		  SIZE_MAX },
		{ "not promised", "Not promised by ", SIZE_MAX },
		{ "kept", "Kept by ", 6 },
	};
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		char before[96];

		snprintf(before, sizeof(before), "%s%s", any ? " " : "", verdicts[i].text);
		any |= say_fared(run, promise, verdicts[i].word, before, verdicts[i].most, to);
	}
	return any;
}

void words_storm(const struct run *run, const struct markup *to)
{
	double events = 0, hits = 0, delivered = 0, recording = 0;
	size_t i, source;

	if (!run->storm_count) {
		say(to, "No row ran under a storm of signals in this run, so promises were tested "
			"on undisturbed writers only.");
		return;
	}
	for (i = 0; i < run->storm_count; i++) {
		const struct storm_row *row = &run->storm[i];

		events += isnan(row->events) ? 0 : row->events;
		hits += isnan(row->hits) ? 0 : row->hits;
		recording += isnan(row->recording_seconds) ? 0 : row->recording_seconds;
		for (source = 0; source < RUN_SOURCES; source++)
			delivered += isnan(row->delivered[source]) ? 0 : row->delivered[source];
	}
	say(to, "Tested with real signals that interrupt the writer and each other: ");
	say_short(to, events, " events checked, ");
	say_short(to, delivered, " signals delivered");
	if (recording > 0) {
		say(to, " (");
		say_short(to, delivered / recording, " per second of recording)");
	}
	say(to, ", ");
	say_short(to, hits, " of them inside a reserve.");
}

static void plot_cost(const struct run *run, const struct markup *to)
{
	size_t count, i, near = 0, above = 0;
	bool cycles;
	const struct table_row **rows = data_cost_order(run, &count, &cycles);
	const struct table_row *dearest = NULL;

	say(to, "What lies right of the orange line is what a row pays, beyond reading the clock "
		"and storing the event, for stamps that stay right under interrupts.");
	for (i = 0; rows && i < count; i++) {
		double ratio = rows[i]->ratio.median;

		if (!(ratio > 0) || run_verdict_is(rows[i]->verdict, "broken") ||
		    !strncmp(rows[i]->row, "floor", 5) || !strcmp(rows[i]->row, "untimed"))
			continue;
		above++;
		near += ratio <= 1.15;
		if (!dearest || ratio > dearest->ratio.median)
			dearest = rows[i];
	}
	if (dearest) {
		char text[96];

		snprintf(text, sizeof(text), " Here %zu of %zu rows stay within 15 %% of the "
			 "floor; the dearest is ", near, above);
		say(to, text);
		to->code(to->out, dearest->row);
		say_figure(to, " with ", dearest->ratio.median, " times the floor.");
	}
	free(rows);
}

static void plot_space(const struct run *run, const struct markup *to)
{
	double least = NAN, most = NAN;
	size_t i;

	for (i = 0; i < run->table_count; i++) {
		const struct table_row *row = &run->table[i];

		if (!run_verdict_is(row->workload, "steady") || !(row->header_bytes > 0))
			continue;
		least = fmin(least, row->header_bytes);
		most = fmax(most, row->header_bytes);
	}
	say(to, "The blue part of the bytes is the scheme's own; sub-buffer and alignment bytes "
		"belong to the format.");
	if (isfinite(least)) {
		say_figure(to, " Headers take ", least, " to ");
		say_figure(to, "", most, " bytes per event when events are frequent.");
	}
}

static void plot_rate(const struct run *run, const struct markup *to)
{
	double hz = NAN;
	size_t i;

	for (i = 0; i < run->rate_count && !(hz > 0); i++)
		hz = run->rates[i].tsc_hz;
	if (!(hz > 0))
		hz = run->machine.tsc_hz;
	say(to, "Where events are rarer than the wraps of the short field");
	if (hz > 0)
		say_figure(to, " (", ldexp(hz, -27), " per second, the dotted line)");
	say(to, ", a compact header costs as much as a whole stamp, which is little since events "
		"are few; above, the extension costs at most");
	if (hz > 0)
		say_figure(to, " ", 8 * ldexp(hz, -27), " bytes per second");
	else
		say(to, " 8 bytes per wrap");
	say(to, " and 4 bytes per event are left. A heartbeat costs the same whether anything "
		"happens or not. Shapes off their line show what a real format adds or spares: an "
		"extension that repeats the id, beats at a rate of their own.");
}

static void plot_storm(const struct run *run, const struct markup *to)
{
	const struct storm_row *worst = NULL;
	char text[160], error[2 * TEXT_FIGURE_BYTES];
	size_t i, exact = 0, judged = 0;
	bool first = true;

	for (i = 0; i < run->storm_count; i++) {
		const struct storm_row *row = &run->storm[i];

		if (isnan(row->worst_error_ticks) || !run_storm_checked(row))
			continue;
		judged++;
		exact += row->worst_error_ticks == 0 || run_storm_worst_declared(row);
		if (row->worst_error_ticks > 0 &&
		    (!worst || row->worst_error_ticks > worst->worst_error_ticks))
			worst = row;
	}
	snprintf(text, sizeof(text), "A full dot in the shaded column is right to the tick for "
		 "every stamp that is not declared inexact; here %zu of %zu are.", exact, judged);
	say(to, text);
	if (!worst)
		return;
	say(to, " The worst stamp is one of ");
	say_name(to, &first, worst->row);
	say_bits(to, run_storm_bits(run, worst));
	say(to, ": ");
	say(to, text_error(error, worst->worst_error_ticks, run->machine.tsc_hz));
	say(to, run_storm_worst_declared(worst) ? ", declared inexact." : ".");
}

static void plot_late_beat(const struct run *run, const struct markup *to)
{
	bool first_lost = true, first_kept = true;
	int pass;
	size_t i, j;

	say(to, "A row that counts wraps by its beat climbs the grey stairs, without a sign, once "
		"the beat is later than its field can hold; a row that needs no beat stays at 0.");
	for (pass = 0; pass < 2; pass++) {
		bool *first = pass ? &first_kept : &first_lost;

		for (i = 0; i < run->late_count; i++) {
			double lost = NAN;

			for (j = 0; j < run->late[i].step_count; j++)
				lost = fmax(lost, run->late[i].steps[j].wraps_lost);
			if (isnan(lost) || (lost > 0) == pass)
				continue;
			if (*first)
				say(to, pass ? " Nothing lost by " : " Lost here, at most: ");
			say_name(to, first, run->late[i].row);
			if (!pass)
				say_figure(to, " ", lost, " wraps");
		}
		if (!*first)
			say(to, ".");
	}
}

void words_plot(const struct run *run, enum plot plot, const struct markup *to)
{
	switch (plot) {
	case PLOT_COST:
		plot_cost(run, to);
		break;
	case PLOT_SPACE:
		plot_space(run, to);
		break;
	case PLOT_RATE:
		plot_rate(run, to);
		break;
	case PLOT_STORM:
		plot_storm(run, to);
		break;
	case PLOT_LATE_BEAT:
		plot_late_beat(run, to);
		break;
	default:
		words_matrix(run, plot, to);
	}
}
