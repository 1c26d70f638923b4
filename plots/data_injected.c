// SPDX-License-Identifier: MIT
/* Data of the plot of wraps and nested events: a curve per row in each of two panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/data.h"
#include "plots/output.h"
#include "plots/text.h"

enum panel {
	PANEL_WRAPS,
	PANEL_NESTED,
	PANELS,
};

struct injected_curve {
	const char *row;
	double most; /* ratio, anywhere */
};

static const char *const prefixes[PANELS] = { "wraps", "nested" };

static bool in_panel(const struct injected_cell *cell, enum panel panel)
{
	return !strncmp(cell->workload, prefixes[panel], strlen(prefixes[panel]));
}

static double share(const struct injected_cell *cell, enum panel panel)
{
	return panel == PANEL_WRAPS ? cell->wrap_share : cell->nested_share;
}

/* The floor is what all are compared with, and a time beside a wrong stamp is worth nothing. */
static bool usable(const struct run *run, const struct injected_cell *cell)
{
	const struct table_row *steady = run_cell(run, cell->row, "steady");

	return cell->ratio > 0 && strncmp(cell->row, "floor", 5) != 0 &&
	       !(steady && run_verdict_is(steady->verdict, "broken"));
}

static int compare_curves(const void *a, const void *b)
{
	const struct injected_curve *left = a, *right = b;

	if (left->most != right->most)
		return left->most < right->most ? 1 : -1;
	return strcmp(left->row, right->row);
}

/* The rows, dearest first. */
static size_t collect(const struct run *run, struct injected_curve *curves)
{
	size_t i, j, count = 0;

	for (i = 0; i < run->injected_count; i++) {
		const struct injected_cell *cell = &run->injected[i];

		if (!usable(run, cell))
			continue;
		for (j = 0; j < count && strcmp(curves[j].row, cell->row); j++)
			;
		if (j == count)
			curves[count++] = (struct injected_curve){ cell->row, 0 };
		curves[j].most = fmax(curves[j].most, cell->ratio);
	}
	qsort(curves, count, sizeof(*curves), compare_curves);
	return count;
}

static int compare_cells(const void *a, const void *b, void *panel)
{
	const struct injected_cell *left = *(const struct injected_cell *const *)a;
	const struct injected_cell *right = *(const struct injected_cell *const *)b;
	double l = share(left, *(enum panel *)panel), r = share(right, *(enum panel *)panel);
	bool deep = left->nested_depth > 1, other = right->nested_depth > 1;

	/* A curve must not go back: those two deep are another one. */
	if (deep != other)
		return deep ? 1 : -1;
	return (l > r) - (l < r);
}

/* One row's points in one panel, by share; `cells` has room for all. */
static void write_block(const struct run *run, const char *row, enum panel panel, FILE *dat,
			const struct injected_cell **cells)
{
	size_t i, count = 0;

	for (i = 0; i < run->injected_count; i++)
		if (!strcmp(run->injected[i].row, row) && in_panel(&run->injected[i], panel) &&
		    usable(run, &run->injected[i]) && isfinite(share(&run->injected[i], panel)))
			cells[count++] = &run->injected[i];
	qsort_r(cells, count, sizeof(*cells), compare_cells, &panel);
	/* gnuplot refuses an empty block. */
	if (!count) {
		fputs("NaN NaN 0", dat);
		data_label(dat, row, NAN);
		fputc('\n', dat);
	}
	for (i = 0; i < count; i++) {
		data_number(dat, share(cells[i], panel));
		data_number(dat, cells[i]->ratio);
		data_number(dat, panel == PANEL_NESTED ? cells[i]->nested_depth : 0);
		data_label(dat, row, NAN);
		fputc('\n', dat);
	}
	fputs("\n\n", dat);
}

static void write_vars(const struct run *run, const struct injected_curve *curves, size_t count,
		       FILE *vars)
{
	double least[PANELS] = { NAN, NAN }, most[PANELS] = { NAN, NAN }, low = NAN;
	size_t i;
	int panel;

	for (i = 0; i < run->injected_count; i++) {
		if (!usable(run, &run->injected[i]))
			continue;
		low = fmin(low, run->injected[i].ratio);
		for (panel = 0; panel < PANELS; panel++) {
			double at = share(&run->injected[i], (enum panel)panel);

			if (!in_panel(&run->injected[i], (enum panel)panel) || !(at > 0))
				continue;
			least[panel] = fmin(least[panel], at);
			most[panel] = fmax(most[panel], at);
		}
	}
	fprintf(vars, "injected_rows = %zu\narray injected_titles[%zu] = [", count, count);
	for (i = 0; i < count; i++) {
		char label[TEXT_LABEL_BYTES];

		text_row_label(label, curves[i].row, NAN);
		fprintf(vars, "%s'%s'", i ? ", " : "", label);
	}
	fputs("]\n", vars);
	data_set(vars, "injected_wraps_least", least[PANEL_WRAPS]);
	data_set(vars, "injected_wraps_most", most[PANEL_WRAPS]);
	data_set(vars, "injected_nested_least", least[PANEL_NESTED]);
	data_set(vars, "injected_nested_most", most[PANEL_NESTED]);
	data_set(vars, "injected_low", low);
	data_set(vars, "injected_high", curves[0].most);
}

int data_injected(const struct run *run, FILE *dat, FILE *vars)
{
	struct injected_curve *curves = calloc(run->injected_count + 1, sizeof(*curves));
	const struct injected_cell **cells = calloc(run->injected_count + 1, sizeof(*cells));
	size_t i, count = 0;

	if (!curves || !cells) {
		free(curves);
		free(cells);
		return output_fail_memory(), -1;
	}
	count = collect(run, curves);
	fprintf(dat, "# cost under wraps and nested events: 1 share of the events, 2 ratio to the "
		"same cell of the floor,\n# 3 writers one inside the other, 4 row; for each row a "
		"block of wraps, then one of nested events\n");
	for (i = 0; i < count; i++) {
		write_block(run, curves[i].row, PANEL_WRAPS, dat, cells);
		write_block(run, curves[i].row, PANEL_NESTED, dat, cells);
	}
	if (count)
		write_vars(run, curves, count, vars);
	free(curves);
	free(cells);
	return (int)count;
}
