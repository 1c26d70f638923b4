// SPDX-License-Identifier: MIT
/* Data of the plots with a line per row: cost, space, storm. */
#include "plots/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/output.h"
#include "plots/text.h"

const struct plot_desc plot_descs[PLOTS] = {
	[PLOT_COST] = { "cost", "What an event costs",
			"no row of workload steady with a time (section table)", data_cost },
	[PLOT_SPACE] = { "space", "Instructions and bytes of an event",
			 "no row of workload steady with bytes or instructions (section table)",
			 data_space },
	[PLOT_RATE] = { "rate", "Header bytes against event rate",
			"nothing was measured at set rates (section bytes_by_rate)", data_rate },
	[PLOT_STORM] = { "storm", "Error of the stamps under a storm of signals",
			 "no row ran under workload storm (section stress)", data_storm },
	[PLOT_LATE_BEAT] = { "late_beat", "Wraps lost to a late beat",
			     "no row ran under workload late_beat (section late_beat)",
			     data_late_beat },
	[PLOT_INJECTED] = { "injected", "Cost against wraps and against nested events",
			    "no row was timed under wraps or nested (section injected)",
			    data_injected },
	[PLOT_LAYOUTS] = { "layouts", "Header bytes against event rate, by layout",
			   "no layout was measured at set rates (section bytes_by_rate)",
			   data_layouts },
	[PLOT_THREADS] = { "threads", "Cost against threads",
			   "no row was timed under steady and threads (section benchmarks)",
			   data_threads },
	[PLOT_REPLAY] = { "replay", "Bytes of an event under recorded gaps",
			  "no row ran under workload replay (section replay)", data_replay },
	[PLOT_IDLE] = { "idle", "What a quiet machine pays",
			"no row ran under workload idle (section idle)", data_idle },
	[PLOT_TAILS] = { "tails", "Latency of single events",
			 "no latency was sampled (section tails; --quick leaves it out)",
			 data_tails },
	[PLOT_TIES] = { "ties", "Ties against low bits cut",
			"ties were not counted (section precision; --quick leaves it out)",
			data_ties },
	[PLOT_SEEK] = { "seek", "Finding a time in a trace",
			"nothing was sought (section seek; WORKLOADS=seek or FULL=1)", data_seek },
};

void data_number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, " %.10g", value);
	else
		fputs(" NaN", out);
}

void data_label(FILE *out, const char *row, double bits)
{
	char label[TEXT_LABEL_BYTES];

	text_row_label(label, row, bits);
	fprintf(out, " \"%s\"", label);
}

void data_set(FILE *vars, const char *name, double value)
{
	fprintf(vars, "%s =", name);
	data_number(vars, value);
	fputc('\n', vars);
}

static void caption_part(FILE *vars, const char **between, const char *before, const char *text)
{
	char label[72];

	if (!text || !*text)
		return;
	text_label(label, sizeof(label), text);
	fprintf(vars, "%s%s%s", *between, before, label);
	*between = ", ";
}

void data_captions(const struct run *run, FILE *vars)
{
	const struct machine *machine = &run->machine;
	const char *between = "";

	fputs("caption_machine = '", vars);
	caption_part(vars, &between, "", machine->cpu);
	if (isfinite(machine->cpus))
		fprintf(vars, "%s%.0f CPUs", between, machine->cpus);
	between = ", ";
	if (machine->hypervisor && strcmp(machine->hypervisor, "none"))
		caption_part(vars, &between, "under ", machine->hypervisor);
	if (machine->tsc_hz > 0)
		fprintf(vars, "%sclock %.3f GHz", between, machine->tsc_hz / 1e9);
	fputs("'\ncaption_run = '", vars);
	between = "";
	caption_part(vars, &between, "run ", run->name);
	caption_part(vars, &between, "Linux ", machine->kernel);
	caption_part(vars, &between, "", machine->compiler);
	fputs("'\n", vars);
	data_set(vars, "tsc_hz", machine->tsc_hz);
}

enum row_class data_class(const char *verdict)
{
	if (run_verdict_is(verdict, "kept"))
		return CLASS_KEPT;
	if (run_verdict_is(verdict, "broken"))
		return CLASS_BROKEN;
	if (run_verdict_is(verdict, "need not met"))
		return CLASS_NEED_NOT_MET;
	return CLASS_NO_PROMISE;
}

/* ---- cost ---- */

const struct spread *data_cost_spread(const struct table_row *row, bool cycles)
{
	static const struct spread none = { NAN, NAN, NAN };

	/* A time is worth nothing beside a stamp that is wrong: design of the table. */
	if (run_verdict_is(row->verdict, "broken"))
		return &none;
	return cycles ? &row->cycles : &row->ns;
}

enum cost_key { BY_NS, BY_CYCLES, BY_RATIO };
static enum cost_key cost_key;

static double cost_of(const struct table_row *row)
{
	if (cost_key == BY_RATIO)
		return run_verdict_is(row->verdict, "broken") ? NAN : row->ratio.median;
	return data_cost_spread(row, cost_key == BY_CYCLES)->median;
}

static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

/* Elements are pointers into one array: comparing these keeps equals in the run's order. */
static int compare_cost(const void *a, const void *b)
{
	const struct table_row *left = *(const struct table_row *const *)a;
	const struct table_row *right = *(const struct table_row *const *)b;
	int order = compare_numbers(cost_of(left), cost_of(right));

	return order ? order : (left > right) - (left < right);
}

static int compare_space(const void *a, const void *b)
{
	const struct table_row *left = *(const struct table_row *const *)a;
	const struct table_row *right = *(const struct table_row *const *)b;
	int order = compare_numbers(left->instructions, right->instructions);

	if (!order)
		order = compare_numbers(left->bytes, right->bytes);
	return order ? order : (left > right) - (left < right);
}

/* The steady cells in the run's order; *count = 0 and NULL if there are none. */
static const struct table_row **steady_rows(const struct run *run, size_t *count)
{
	const struct table_row **rows = calloc(run->table_count + 1, sizeof(*rows));
	size_t i;

	*count = 0;
	for (i = 0; rows && i < run->table_count; i++)
		if (run->table[i].workload && !strcmp(run->table[i].workload, "steady"))
			rows[(*count)++] = &run->table[i];
	return rows;
}

const struct table_row **data_cost_order(const struct run *run, size_t *count, bool *cycles)
{
	const struct table_row **rows = steady_rows(run, count);
	bool ratios = true;
	size_t i;

	*cycles = false;
	if (!rows)
		return NULL;
	for (i = 0; i < *count; i++) {
		*cycles |= isfinite(rows[i]->cycles.median);
		ratios &= isfinite(rows[i]->ratio.median);
	}
	/* The ratio is taken round by round, so the machine's moods drop out of it. */
	cost_key = ratios ? BY_RATIO : *cycles ? BY_CYCLES : BY_NS;
	qsort(rows, *count, sizeof(*rows), compare_cost);
	return rows;
}

/* The floor's figure of the round that `one` was measured in; NAN if it has none. */
static double floor_of_round(const struct run *run, const struct repetition *one, bool cycles)
{
	size_t i;

	for (i = 0; i < run->repetition_count; i++)
		if (run->repetitions[i].repetition_index == one->repetition_index &&
		    !strcmp(run->repetitions[i].name, "floor/steady"))
			return cycles ? run->repetitions[i].cycles : run->repetitions[i].ticks;
	return NAN;
}

/* Every repetition of the rows shown, so that a median does not hide what it comes from. */
static void write_repetitions(const struct run *run, FILE *dat, const struct table_row **rows,
			      size_t count, bool cycles)
{
	char name[256];
	size_t i, j;

	fprintf(dat, "\n\n# every repetition: 1 position, 2 %s per event, 3 ratio to floor\n",
		cycles ? "cycles" : "ns");
	fprintf(dat, "0 NaN NaN\n"); /* gnuplot refuses an empty block */
	for (i = 0; i < count; i++) {
		if (isnan(data_cost_spread(rows[i], cycles)->median))
			continue;
		snprintf(name, sizeof(name), "%.200s/steady", rows[i]->row);
		for (j = 0; j < run->repetition_count; j++) {
			const struct repetition *one = &run->repetitions[j];
			double cost = cycles ? one->cycles : one->ns;

			if (strcmp(one->name, name) || !(cost > 0))
				continue;
			fprintf(dat, "%zu", i + 1);
			data_number(dat, cost);
			data_number(dat, (cycles ? one->cycles : one->ticks) /
						 floor_of_round(run, one, cycles));
			fputc('\n', dat);
		}
	}
}

static void write_cost_row(FILE *dat, size_t position, const struct table_row *row, bool cycles)
{
	const struct spread *cost = data_cost_spread(row, cycles);
	bool broken = run_verdict_is(row->verdict, "broken");

	fprintf(dat, "%zu", position);
	data_label(dat, row->row, NAN);
	data_number(dat, cost->median);
	data_number(dat, isnan(cost->low) ? cost->median : cost->low);
	data_number(dat, isnan(cost->high) ? cost->median : cost->high);
	data_number(dat, broken ? NAN : row->ns.median);
	data_number(dat, broken ? NAN : row->ratio.median);
	data_number(dat, broken ? NAN : isnan(row->ratio.low) ? row->ratio.median : row->ratio.low);
	data_number(dat,
		    broken ? NAN : isnan(row->ratio.high) ? row->ratio.median : row->ratio.high);
	fprintf(dat, " %d\n", data_class(row->verdict));
}

/* Where the axis of ratios begins and ends; what lies beyond gets an arrow. */
static void ratio_axis(const struct table_row **rows, size_t count, FILE *vars)
{
	double least = 0.9, most = 1.2;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct spread *ratio = &rows[i]->ratio;

		if (ratio->median > 0.7)
			least = fmin(least, fmax(0.6, fmin(ratio->low, ratio->median)));
		if (ratio->median < 1.6)
			most = fmax(most, fmin(1.6, fmax(ratio->high, ratio->median)));
	}
	data_set(vars, "cost_ratio_least", least - 0.02);
	data_set(vars, "cost_ratio_end", most + 0.02);
}

int data_cost(const struct run *run, FILE *dat, FILE *vars)
{
	double floor = NAN, untimed = NAN, least = NAN, most = NAN, repetitions = NAN;
	const char *basis = NULL;
	size_t count, i, shown = 0;
	bool cycles, ratios = false;
	const struct table_row **rows = data_cost_order(run, &count, &cycles);

	if (!rows)
		return output_fail_memory(), -1;
	fprintf(dat, "# cost of an event, workload steady: 1 position, 2 row, 3 median, 4 and 5 "
		"quartiles [%s], 6 median [ns],\n# 7 ratio to floor, 8 and 9 quartiles, 10 class "
		"(0 kept, 1 no promise, 2 need not met, 3 broken)\n", cycles ? "cycles" : "ns");
	for (i = 0; i < count; i++) {
		const struct spread *cost = data_cost_spread(rows[i], cycles);

		write_cost_row(dat, i + 1, rows[i], cycles);
		shown += cost->median > 0;
		least = fmin(least, cost->low > 0 ? cost->low : cost->median);
		most = fmax(most, cost->high > 0 ? cost->high : cost->median);
		repetitions = fmax(repetitions, rows[i]->repetitions);
		ratios |= isfinite(rows[i]->ratio.median);
		if (!basis)
			basis = rows[i]->ratio_basis;
		/* The lowest one; a record of schema 2 and before has only that of this name. */
		if (!strcmp(rows[i]->row, "floor_published"))
			floor = cost->median;
		else if (!strcmp(rows[i]->row, "floor") && !run_cell(run, "floor_published", "steady"))
			floor = cost->median;
		if (!strcmp(rows[i]->row, "untimed"))
			untimed = cost->median;
	}
	write_repetitions(run, dat, rows, count, cycles);
	fprintf(vars, "cost_rows = %zu\ncost_unit = '%s'\ncost_ratios = %d\ncost_basis = '%s'\n",
		count, cycles ? "cycles" : "ns", ratios,
		run_verdict_is(basis, "ticks") ? "clock ticks" : "cycles");
	data_set(vars, "cost_floor", floor);
	data_set(vars, "cost_untimed", untimed);
	data_set(vars, "cost_least", least);
	data_set(vars, "cost_most", most);
	ratio_axis(rows, count, vars);
	data_set(vars, "cost_repetitions", repetitions);
	free(rows);
	return (int)(shown ? count : 0);
}

/* ---- space ---- */

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

/*
 * Where the axis of instructions ends: one row that calls the system must not press all others
 * flat. Bars beyond are cut, and say so.
 */
static double instructions_end(const struct table_row **rows, size_t count, double most)
{
	size_t known = 0;

	/* They are sorted, those without a count last. */
	while (known < count && isfinite(rows[known]->instructions))
		known++;
	return known ? fmin(most, 4 * rows[known / 2]->instructions) : most;
}

int data_space(const struct run *run, FILE *dat, FILE *vars)
{
	size_t count, i, shown = 0;
	const struct table_row **rows = steady_rows(run, &count);
	double instructions = NAN, bytes = NAN, unknown = 0, parts;

	if (!rows)
		return output_fail_memory(), -1;
	qsort(rows, count, sizeof(*rows), compare_space);
	fprintf(dat, "# per event, workload steady: 1 position, 2 row, 3 instructions, 4 bytes, of "
		"which 5 header, 6 alignment,\n# 7 sub-buffer, 8 payload, 9 not told apart; 10 "
		"class (0 kept, 1 no promise, 2 need not met, 3 broken)\n");
	for (i = 0; i < count; i++) {
		const struct table_row *row = rows[i];

		fprintf(dat, "%zu", i + 1);
		data_label(dat, row->row, NAN);
		data_number(dat, row->instructions);
		data_number(dat, row->bytes);
		data_number(dat, or_zero(row->header_bytes));
		data_number(dat, or_zero(row->alignment_bytes));
		data_number(dat, or_zero(row->subbuf_bytes));
		data_number(dat, or_zero(row->payload_bytes));
		parts = or_zero(row->header_bytes) + or_zero(row->alignment_bytes) +
			or_zero(row->subbuf_bytes) + or_zero(row->payload_bytes);
		data_number(dat, fmax(0, or_zero(row->bytes) - parts));
		unknown = fmax(unknown, or_zero(row->bytes) - parts);
		fprintf(dat, " %d\n", data_class(row->verdict));
		instructions = fmax(instructions, row->instructions);
		bytes = fmax(bytes, fmax(row->bytes, parts));
		shown += isfinite(row->instructions) || isfinite(row->bytes);
	}
	data_set(vars, "space_rows", (double)count);
	data_set(vars, "space_instructions", instructions_end(rows, count, instructions));
	data_set(vars, "space_bytes", bytes);
	/* A rounding error is none. */
	data_set(vars, "space_unknown", unknown > 0.01);
	free(rows);
	return (int)(shown ? count : 0);
}

/* ---- storm ---- */

/* What half of the events stay at or below: a bit length of b means at most 2^b - 1 ticks. */
static double typical_ticks(const struct storm_row *row)
{
	return ldexp(1, (int)fmin(row->typical_error_log2, 64)) - 1;
}

/* Did the row keep what it says of single stamps? Rows that say nothing are shown as such. */
static enum row_class storm_class(const struct storm_row *row)
{
	enum row_class overall = data_class(row->verdict);
	const char *exact = row->promises[1];

	if (overall == CLASS_BROKEN || !exact)
		return overall;
	return data_class(exact);
}

static int compare_storm(const void *a, const void *b)
{
	const struct storm_row *left = *(const struct storm_row *const *)a;
	const struct storm_row *right = *(const struct storm_row *const *)b;
	/* First those that are exact where they say so. */
	int order = compare_numbers(
		run_storm_worst_declared(left) ? 0 : left->worst_error_ticks,
		run_storm_worst_declared(right) ? 0 : right->worst_error_ticks);

	if (!order)
		order = compare_numbers(left->worst_error_ticks, right->worst_error_ticks);
	return order ? order : (left > right) - (left < right);
}

static void write_storm_row(FILE *dat, size_t position, const struct storm_row *row, double bits)
{
	bool declared = run_storm_worst_declared(row);

	fprintf(dat, "%zu", position);
	data_label(dat, row->row, bits);
	data_number(dat, isnan(row->typical_error_log2) ? NAN : typical_ticks(row));
	data_number(dat, declared ? 0 : row->worst_error_ticks);
	data_number(dat, row->events > 0 ? row->inexact / row->events : NAN);
	data_number(dat, declared ? row->worst_error_ticks : NAN);
	data_number(dat, row->events);
	data_number(dat, row->hits);
	fprintf(dat, " %d", storm_class(row));
	data_number(dat, or_zero(row->worst_error_ticks));
	fputc('\n', dat);
}

int data_storm(const struct run *run, FILE *dat, FILE *vars)
{
	const struct storm_row **rows = calloc(run->storm_count + 1, sizeof(*rows));
	size_t i, count = 0, shown = 0, inexact = 0;
	double most = NAN, bits;
	bool any_bits = false;

	if (!rows)
		return output_fail_memory(), -1;
	for (i = 0; i < run->storm_count; i++)
		if (run_storm_checked(&run->storm[i]))
			rows[count++] = &run->storm[i];
	qsort(rows, count, sizeof(*rows), compare_storm);
	fprintf(dat, "# error of a stamp under storm: 1 position, 2 row, 3 typical: half of the "
		"events stay at or below [ticks],\n# 4 worst [ticks] of the stamps not declared "
		"inexact, 5 share that is, 6 worst [ticks] of those,\n# 7 events checked, 8 "
		"signals inside the reserve, 9 class (0 kept, 1 not promised, 2 need not met,\n"
		"# 3 broken), 10 the greater of 4 and 6\n");
	for (i = 0; i < count; i++) {
		bits = run_storm_bits(run, rows[i]);
		any_bits |= isfinite(bits);
		write_storm_row(dat, i + 1, rows[i], bits);
		most = fmax(most, rows[i]->worst_error_ticks);
		shown += isfinite(rows[i]->worst_error_ticks);
		inexact += run_storm_worst_declared(rows[i]);
	}
	data_set(vars, "storm_rows", (double)count);
	data_set(vars, "storm_inexact_known", (double)inexact);
	data_set(vars, "storm_bits", any_bits);
	data_set(vars, "storm_most", most);
	free(rows);
	return (int)(shown ? count : 0);
}
