// SPDX-License-Identifier: MIT
#include "results/compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "base/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* Two prints of the same double, and nothing else. */
#define SAME 1e-9

const char *comparison_word(enum comparison_word word)
{
	static const char *const words[COMPARISON_WORDS] = { "no change", "too noisy", "improved",
							     "regressed" };

	return words[word];
}

/* The object of an array that is about this cell; workload NULL: about the row. */
static const json_t *find(const json_t *list, const char *row, const char *workload)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!strcmp(json_text(one, "row"), row) &&
		    (!workload || !strcmp(json_text(one, "workload"), workload)))
			return one;
	return NULL;
}

/* ---- time ---- */

#define LOOP "loop" /* the harness around nothing, as judge/driver.h names it: no row */

struct terms {
	bool quick; /* one of the two has fewer rounds than the other */
	double apart; /* what either run cannot tell apart, a share */
};

/* Logarithms, so that the shift is a factor whichever side is the base. */
static struct samples log_ratios(const struct comparison_side *side, const char *row,
				 const char *workload)
{
	const struct samples_cell cell = { row, workload };
	struct samples samples =
		samples_collect(json_object_get(side->run, "benchmarks"), &cell, "ratio");
	size_t i, kept = 0;

	for (i = 0; i < samples.count; i++)
		if (samples.value[i] > 0)
			samples.value[kept++] = log(samples.value[i]);
	samples.count = kept;
	return samples;
}

static enum comparison_word judge_time(const struct stats_interval *change, double p)
{
	if (p < COMPARISON_P && fabs(change->middle) > COMPARISON_LEAST)
		return change->middle < 0 ? COMPARISON_IMPROVED : COMPARISON_REGRESSED;
	if (change->low >= -COMPARISON_LEAST && change->high <= COMPARISON_LEAST)
		return COMPARISON_SAME;
	return COMPARISON_NOISY;
}

/* Why times that differ are not said to have changed; NULL: nothing speaks against it. */
static const char *doubt(const struct terms *terms, const struct stats_interval *change)
{
	if (terms->quick)
		return "one run is quick";
	if (fabs(change->middle) <= terms->apart)
		return "within what the runs do not tell apart";
	return NULL;
}

/* The same slots, as of a run compared with itself. */
static bool identical(const struct samples *left, const struct samples *right)
{
	return left->count == right->count &&
	       !memcmp(left->value, right->value, left->count * sizeof(*left->value));
}

static bool is_quick(const json_t *run)
{
	return strstr(json_text(run, "command"), " QUICK=1") != NULL;
}

static double apart_of(const json_t *run)
{
	return json_number(json_object_get(run, "noise"), "apart");
}

/* {"time": ...} as comparison.h says; *word is left alone if there is no time on both sides. */
static json_t *compare_time(const struct comparison_side *a, const char *a_row,
			    const struct comparison_side *b, const char *b_row,
			    const char *workload, const struct terms *terms,
			    enum comparison_word *word)
{
	struct samples left = log_ratios(a, a_row, workload);
	struct samples right = log_ratios(b, b_row, workload);
	struct stats_interval change;
	json_t *json = json_null();
	const char *why = NULL;
	double p;

	if (left.count && right.count) {
		change = stats_shift(left.value, left.count, right.value, right.count);
		change = (struct stats_interval){ expm1(change.middle), expm1(change.low),
						  expm1(change.high) };
		p = stats_rank_test(left.value, left.count, right.value, right.count);
		*word = identical(&left, &right) ? COMPARISON_SAME : judge_time(&change, p);
		if (*word != COMPARISON_SAME) {
			why = doubt(terms, &change);
			*word = why ? COMPARISON_NOISY : *word;
		}
		if (*word == COMPARISON_NOISY && !why)
			why = "the interval leaves room for a move";
		json = json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "word",
				 comparison_word(*word), "why", why, "change",
				 json_or_null(change.middle), "low", json_or_null(change.low),
				 "high", json_or_null(change.high), "p", json_or_null(p), "a",
				 json_or_null(exp(stats_quantile(left.value, left.count, 0.5))),
				 "b",
				 json_or_null(exp(stats_quantile(right.value, right.count, 0.5))),
				 "repetitions_a", (json_int_t)left.count, "repetitions_b",
				 (json_int_t)right.count);
	}
	samples_free(&left);
	samples_free(&right);
	return json;
}

/* ---- exact gates ---- */

/* Less is better in all of them. */
static const char *const gates[] = {
	"instructions",	    "clock_reads",	 "atomics",
	"extended",	    "header_bytes",	 "wrapping_clock_reads",
	"wrapping_atomics", "wrapping_extended", "wrapping_header_bytes",
};

static enum comparison_word worse(enum comparison_word a, enum comparison_word b)
{
	return a > b ? a : b;
}

static void append_gate(json_t *list, const char *what, json_t *a, json_t *b,
			enum comparison_word word)
{
	json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}", "what", what, "a", a, "b", b,
					      "word", comparison_word(word)));
}

static bool same_figure(const char *gate, double a, double b)
{
	double most = SAME * fmax(fabs(a), fabs(b));

	return fabs(a - b) <= (strcmp(gate, "instructions") ? most : COMPARISON_STEPS);
}

/* What exact figures differ; *word gets the worst. */
static void compare_figures(const json_t *a, const json_t *b, json_t *list,
			    enum comparison_word *word)
{
	const json_t *left, *right;
	enum comparison_word one;
	double x, y;
	size_t i;

	for (i = 0; i < COUNT(gates); i++) {
		left = json_object_get(a, gates[i]);
		right = json_object_get(b, gates[i]);
		/* What one machine cannot count is no change. */
		if (!json_is_number(left) || !json_is_number(right))
			continue;
		x = json_number_value(left);
		y = json_number_value(right);
		if (same_figure(gates[i], x, y))
			continue;
		one = y < x ? COMPARISON_IMPROVED : COMPARISON_REGRESSED;
		append_gate(list, gates[i], json_real(x), json_real(y), one);
		*word = worse(*word, one);
	}
}

static void compare_verdicts(const json_t *a, const json_t *b, json_t *list,
			     enum comparison_word *word)
{
	const char *left = json_text(a, "verdict"), *right = json_text(b, "verdict");
	bool broke = !strcmp(right, "broken"), was_broken = !strcmp(left, "broken");
	enum comparison_word one;

	/* Whether a need could be met is the machine's word, not the scheme's. */
	if (broke == was_broken || !*left || !*right)
		return;
	one = broke ? COMPARISON_REGRESSED : COMPARISON_IMPROVED;
	append_gate(list, "verdict", json_string(left), json_string(right), one);
	*word = worse(*word, one);
}

/* ---- cells ---- */

static json_t *compare_cell(const struct comparison_side *a, const struct comparison_side *b,
			    const json_t *table_line, const json_t *other,
			    const struct terms *terms, enum comparison_word *word)
{
	const char *row = json_text(table_line, "row"), *other_row = json_text(other, "row");
	const char *workload = json_text(table_line, "workload");
	json_t *list = json_array(), *time;
	char name[160];

	*word = COMPARISON_SAME;
	time = compare_time(a, row, b, other_row, workload, terms, word);
	compare_figures(find(json_object_get(a->run, "exact"), row, NULL),
			find(json_object_get(b->run, "exact"), other_row, NULL), list, word);
	compare_verdicts(table_line, other, list, word);
	if (strcmp(row, other_row))
		snprintf(name, sizeof(name), "%s -> %s/%s", row, other_row, workload);
	else
		snprintf(name, sizeof(name), "%s/%s", row, workload);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", name, "row", other_row,
			 "workload", workload, "word", comparison_word(*word), "time", time,
			 "exact", list);
}

/* One line for each cell of the run, from its repetitions: those of killed runs have no table. */
static json_t *cells_of(const json_t *run)
{
	json_t *cells = json_array(), *line;
	const json_t *one, *told;
	size_t i;

	json_array_foreach(json_object_get(run, "benchmarks"), i, one) {
		if (!*json_text(one, "row") || !strcmp(json_text(one, "row"), LOOP) ||
		    find(cells, json_text(one, "row"), json_text(one, "workload")))
			continue;
		line = json_pack("{s:s, s:s}", "row", json_text(one, "row"), "workload",
				 json_text(one, "workload"));
		told = find(json_object_get(run, "table"), json_text(one, "row"), NULL);
		json_object_set_new(line, "verdict", json_string(json_text(told, "verdict")));
		json_array_append_new(cells, line);
	}
	return cells;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(json_text(*(const json_t *const *)a, "workload"),
		      json_text(*(const json_t *const *)b, "workload"));
}

/* By workload; rows of a workload stay in the order in which they first ran. */
static json_t *sorted_by_workload(json_t *cells, const json_t *table)
{
	size_t count = json_array_size(cells), i, left = 0;
	json_t **list = calloc(count + 1, sizeof(*list)), *sorted = json_array();
	const json_t *line;

	/* Rounds are shuffled: the table has the rows in their order. */
	json_array_foreach(table, i, line) {
		json_t *cell =
			(json_t *)find(cells, json_text(line, "row"), json_text(line, "workload"));

		if (cell)
			json_array_append(sorted, cell);
	}
	for (i = 0; list && i < count; i++) {
		json_t *cell = json_array_get(cells, i);

		if (!find(sorted, json_text(cell, "row"), json_text(cell, "workload")))
			list[left++] = cell;
	}
	if (list)
		qsort(list, left, sizeof(*list), by_name);
	for (i = 0; i < left; i++)
		json_array_append(sorted, list[i]);
	free(list);
	json_decref(cells);
	return sorted;
}

static json_t *side_cells(const struct comparison_side *side)
{
	return sorted_by_workload(cells_of(side->run), json_object_get(side->run, "table"));
}

static void add_only(json_t *names, const json_t *cell)
{
	char name[160];

	snprintf(name, sizeof(name), "%s/%s", json_text(cell, "row"), json_text(cell, "workload"));
	json_array_append_new(names, json_string(name));
}

/* Cells of `from` that have no fellow in `among`. */
static json_t *unmatched(const json_t *from, const json_t *among)
{
	json_t *names = json_array();
	const json_t *cell;
	size_t i;

	json_array_foreach(from, i, cell)
		if (!find(among, json_text(cell, "row"), json_text(cell, "workload")))
			add_only(names, cell);
	return names;
}

json_t *comparison_make(const struct comparison_side *a, const struct comparison_side *b)
{
	json_t *left = side_cells(a), *right = side_cells(b), *cells = json_array();
	size_t counts[COMPARISON_WORDS] = { 0 }, i;
	const struct terms terms = { .quick = is_quick(a->run) != is_quick(b->run),
				     .apart = fmax(apart_of(a->run), apart_of(b->run)) };
	enum comparison_word word;
	const json_t *one, *other;
	json_t *result;

	json_array_foreach(left, i, one) {
		if (a->row && strcmp(json_text(one, "row"), a->row))
			continue;
		other = find(right, b->row ? b->row : json_text(one, "row"),
			     json_text(one, "workload"));
		if (!other)
			continue;
		json_array_append_new(cells, compare_cell(a, b, one, other, &terms, &word));
		counts[word]++;
	}
	result = json_pack(
		"{s:o, s:{s:I, s:I, s:I, s:I}}", "cells", cells, "counts",
		comparison_word(COMPARISON_SAME), (json_int_t)counts[COMPARISON_SAME],
		comparison_word(COMPARISON_NOISY), (json_int_t)counts[COMPARISON_NOISY],
		comparison_word(COMPARISON_IMPROVED), (json_int_t)counts[COMPARISON_IMPROVED],
		comparison_word(COMPARISON_REGRESSED), (json_int_t)counts[COMPARISON_REGRESSED]);
	json_object_set_new(result, "quick",
			    json_string(!terms.quick	 ? "" :
					is_quick(a->run) ? "A" :
							   "B"));
	json_object_set_new(result, "only_a", a->row ? json_array() : unmatched(left, right));
	json_object_set_new(result, "only_b", b->row ? json_array() : unmatched(right, left));
	json_decref(left);
	json_decref(right);
	return result;
}

/* ---- machines ---- */

static const json_t *deep(const json_t *object, const char *path)
{
	char part[64];
	size_t length;

	for (; *path && object; path += length + (path[length] == '.')) {
		length = strcspn(path, ".");
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		object = json_object_get(object, part);
	}
	return object;
}

json_t *comparison_machines(const json_t *a, const json_t *b)
{
	static const char *const paths[] = {
		"stampede.schema",
		"stampede.cpu.model",
		"stampede.cpu.microcode",
		"stampede.cpu.online",
		"stampede.cpu.governor",
		"stampede.cpu.turbo",
		"stampede.cpu.smt",
		"stampede.tsc.hz",
		"stampede.hypervisor.name",
		"stampede.kernel.release",
		"stampede.build.compiler",
		"stampede.build.flags",
		"stampede.libraries.benchmark",
	};
	const json_t *left, *right;
	json_t *list = json_array();
	bool same;
	size_t i;

	for (i = 0; i < COUNT(paths); i++) {
		left = deep(json_object_get(a, "context"), paths[i]);
		right = deep(json_object_get(b, "context"), paths[i]);
		/* A measured rate differs in its last digits on one and the same machine. */
		if (json_is_real(left) && json_is_real(right))
			same = fabs(json_real_value(left) / json_real_value(right) - 1) < 1e-3;
		else
			same = left == right || json_equal(left, right);
		if (!same)
			json_array_append_new(list, json_pack("{s:s, s:O?, s:O?}", "what",
							      strchr(paths[i], '.') + 1, "a", left,
							      "b", right));
	}
	return list;
}

/* ---- several runs ---- */

static json_t *matrix_value(const json_t *run, const char *row, const char *workload)
{
	const struct samples_cell cell = { row, workload };
	struct stats_interval ratio =
		samples_median(json_object_get(run, "benchmarks"), &cell, "ratio");

	if (isnan(ratio.middle))
		return json_null();
	return json_pack("{s:f, s:o, s:o}", "ratio", ratio.middle, "low", json_or_null(ratio.low),
			 "high", json_or_null(ratio.high));
}

json_t *comparison_matrix(const json_t *const *runs, size_t count)
{
	json_t *cells = json_array(), *mine, *values;
	const json_t *one;
	char name[160];
	size_t run, i, k;

	for (run = 0; run < count; run++) {
		const struct comparison_side side = { runs[run], NULL };

		mine = side_cells(&side);
		json_array_foreach(mine, i, one) {
			const char *row = json_text(one, "row"),
				   *workload = json_text(one, "workload");

			if (find(cells, row, workload))
				continue;
			values = json_array();
			for (k = 0; k < count; k++)
				json_array_append_new(values, matrix_value(runs[k], row, workload));
			snprintf(name, sizeof(name), "%s/%s", row, workload);
			json_array_append_new(cells, json_pack("{s:s, s:s, s:s, s:o}", "name", name,
							       "row", row, "workload", workload,
							       "values", values));
		}
		json_decref(mine);
	}
	return json_pack("{s:o}", "cells", cells);
}
