// SPDX-License-Identifier: MIT
#include "results/compare/compare_print.h"

#include <math.h>
#include <string.h>

#include "results/compare/comparison.h"
#include "base/json.h"
#include "base/stats.h"
#include "base/terminal.h"

static const char *known(const char *its)
{
	return *its ? its : "unknown";
}

void compare_print_run(FILE *out, const char *letter, const char *file, const json_t *run)
{
	const json_t *context = json_object_get(run, "context");
	const json_t *stampede = json_object_get(context, "stampede");
	const json_t *git = json_object_get(stampede, "git");

	fprintf(out, "%s  %s\n   %s, %s%s, %s, %s\n", letter, file,
		known(json_text(context, "date")), known(json_text(git, "revision")),
		json_is_true(json_object_get(git, "dirty")) ? " with changes" : "",
		known(json_text(json_object_get(stampede, "cpu"), "model")),
		known(json_text(json_object_get(stampede, "build"), "compiler")));
}

/* A scalar in `size` bytes. */
static const char *scalar(const json_t *value, char *to, size_t size)
{
	if (json_is_string(value))
		snprintf(to, size, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(to, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(to, size, "%.6g", json_real_value(value));
	else
		snprintf(to, size, "%s",
			 json_is_true(value)  ? "yes" :
			 json_is_false(value) ? "no" :
						"unknown");
	return to;
}

void compare_print_machines(FILE *out, const json_t *differences)
{
	const json_t *one;
	char a[40], b[40];
	size_t i;

	json_array_foreach(differences, i, one)
		fprintf(out, "warning: %s differs: %s, %s\n", json_text(one, "what"),
			scalar(json_object_get(one, "a"), a, sizeof(a)),
			scalar(json_object_get(one, "b"), b, sizeof(b)));
	if (json_array_size(differences))
		fputs("warning: these are different machines or builds; what changed may be they\n",
		      out);
}

static enum terminal_colour colour_of(const char *word)
{
	if (!strcmp(word, comparison_word(COMPARISON_IMPROVED)))
		return TERMINAL_GOOD;
	if (!strcmp(word, comparison_word(COMPARISON_REGRESSED)))
		return TERMINAL_BAD;
	if (!strcmp(word, comparison_word(COMPARISON_NOISY)))
		return TERMINAL_DOUBT;
	return TERMINAL_PLAIN;
}

static void print_percent(FILE *out, const json_t *value, int width)
{
	if (json_is_number(value))
		fprintf(out, " %+*.1f%%", width - 1, 100 * json_number_value(value));
	else
		fprintf(out, " %*s", width, "n/a");
}

static void print_time(FILE *out, const json_t *time)
{
	if (!json_is_object(time)) {
		fprintf(out, " %8s %8s %8s %9s", "-", "", "", "");
		return;
	}
	print_percent(out, json_object_get(time, "change"), 8);
	print_percent(out, json_object_get(time, "low"), 8);
	print_percent(out, json_object_get(time, "high"), 8);
	fprintf(out, " %9.2g", json_number(time, "p"));
}

static void print_cell(FILE *out, const json_t *cell)
{
	const json_t *gate;
	char a[40], b[40];
	size_t i;

	fprintf(out, "%-44.44s", json_text(cell, "name"));
	print_time(out, json_object_get(cell, "time"));
	fputs("  ", out);
	terminal_print(out, colour_of(json_text(cell, "word")), 0, json_text(cell, "word"));
	if (!strcmp(json_text(cell, "word"), comparison_word(COMPARISON_NOISY)))
		fprintf(out, ": %s", json_text(json_object_get(cell, "time"), "why"));
	fputc('\n', out);
	json_array_foreach(json_object_get(cell, "exact"), i, gate)
		fprintf(out, "    %s: %s -> %s, %s\n", json_text(gate, "what"),
			scalar(json_object_get(gate, "a"), a, sizeof(a)),
			scalar(json_object_get(gate, "b"), b, sizeof(b)), json_text(gate, "word"));
}

/* "row/workload": the workload. */
static const char *workload_of(const json_t *name)
{
	const char *slash = strrchr(json_string_value(name), '/');

	return slash ? slash + 1 : "";
}

/* A line for each workload; the cells by name if they are few. */
static void print_only(FILE *out, const json_t *names, const char *side)
{
	json_t *counts = json_object();
	json_t *count;
	const json_t *name;
	const char *workload;
	size_t i, few = 4;

	json_array_foreach(names, i, name) {
		workload = workload_of(name);
		json_object_set_new(
			counts, workload,
			json_integer(json_integer_value(json_object_get(counts, workload)) + 1));
	}
	json_object_foreach(counts, workload, count) {
		if ((size_t)json_integer_value(count) > few) {
			fprintf(out, "only in %s: %" JSON_INTEGER_FORMAT " cells of %s\n", side,
				json_integer_value(count), workload);
			continue;
		}
		json_array_foreach(names, i, name)
			if (!strcmp(workload_of(name), workload))
				fprintf(out, "only in %s: %s\n", side, json_string_value(name));
	}
	json_decref(counts);
}

void compare_print(FILE *out, const json_t *comparison, bool all)
{
	const json_t *counts = json_object_get(comparison, "counts"), *cell;
	size_t i, hidden = 0;

	if (*json_text(comparison, "quick"))
		fprintf(out,
			"warning: %s is a quick run, of too few rounds to rank by time: no "
			"time is said to\nhave changed; exact figures and verdicts are compared\n",
			json_text(comparison, "quick"));
	fprintf(out, "%-44s %8s %8s %8s %9s  %s\n", "cell", "time", "95 %", "", "p", "");
	json_array_foreach(json_object_get(comparison, "cells"), i, cell) {
		if (all || strcmp(json_text(cell, "word"), comparison_word(COMPARISON_SAME)))
			print_cell(out, cell);
		else
			hidden++;
	}
	if (hidden)
		fprintf(out, "and %zu cells without a change (--all shows them)\n", hidden);
	print_only(out, json_object_get(comparison, "only_a"), "A");
	print_only(out, json_object_get(comparison, "only_b"), "B");
	fprintf(out,
		"\nregressed %" JSON_INTEGER_FORMAT ", improved %" JSON_INTEGER_FORMAT
		", no change %" JSON_INTEGER_FORMAT ", too noisy %" JSON_INTEGER_FORMAT
		"\ntime: ratio to the floor in the same slot; changed if p < %.2g and more than "
		"%.0f "
		"%%\n",
		json_integer_value(json_object_get(counts, "regressed")),
		json_integer_value(json_object_get(counts, "improved")),
		json_integer_value(json_object_get(counts, "no change")),
		json_integer_value(json_object_get(counts, "too noisy")), COMPARISON_P,
		100 * COMPARISON_LEAST);
}

static void print_value(FILE *out, const json_t *value)
{
	struct stats_interval ratio = {
		json_number(value, "ratio"),
		json_known(value, "low"),
		json_known(value, "high"),
	};
	double half = stats_half_width(&ratio);

	if (!json_is_object(value))
		fprintf(out, " %16s", "-");
	else if (isnan(half))
		fprintf(out, " %8.4f %7s", ratio.middle, "?");
	else
		fprintf(out, " %8.4f+-%5.2f%%", ratio.middle, 100 * half);
}

void compare_print_matrix(FILE *out, const json_t *matrix, const char *const *names, size_t count)
{
	const json_t *cell, *value;
	const char *workload = "";
	size_t i, k;

	for (i = 0; i < count; i++)
		fprintf(out, "%zu  %s\n", i + 1, names[i]);
	json_array_foreach(json_object_get(matrix, "cells"), i, cell) {
		if (strcmp(workload, json_text(cell, "workload"))) {
			workload = json_text(cell, "workload");
			fprintf(out, "\n%-30.30s", workload);
			for (k = 0; k < count; k++)
				fprintf(out, " %8s%zu%7s", "", k + 1, "");
			fputc('\n', out);
		}
		fprintf(out, "%-30.30s", json_text(cell, "row"));
		json_array_foreach(json_object_get(cell, "values"), k, value)
			print_value(out, value);
		fputc('\n', out);
	}
	fputs("\nratio to the floor in the same slot, and half of its 95 % interval\n", out);
}
