// SPDX-License-Identifier: MIT
/* Data of the plots of latencies, and of the ties that cut bits make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/data.h"
#include "plots/output.h"
#include "plots/text.h"

/* A quantile that leaves fewer samples above it than that is a matter of luck. */
#define ABOVE_LEAST 10

/* ---- tails ---- */

/* What the plot is made of: its panels and its rows, each once. */
struct tails_plot {
	const struct tails_cell **panels;
	size_t panel_count;
	const struct tails_cell **rows; /* those that are no variants first: `mains` */
	size_t row_count;
	size_t mains;
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_panel(const struct tails_cell *a, const struct tails_cell *b)
{
	return same(a->regime, b->regime) && same(a->gaps, b->gaps);
}

static void add_panel(struct tails_plot *plot, const struct tails_cell *cell)
{
	size_t i;

	for (i = 0; i < plot->panel_count && !same_panel(plot->panels[i], cell); i++)
		;
	if (i == plot->panel_count)
		plot->panels[plot->panel_count++] = cell;
}

static void add_row(struct tails_plot *plot, const struct tails_cell *cell)
{
	size_t i;

	for (i = 0; i < plot->row_count && strcmp(plot->rows[i]->row, cell->row); i++)
		;
	if (i == plot->row_count)
		plot->rows[plot->row_count++] = cell;
}

static int tails_plot_begin(const struct run *run, struct tails_plot *plot)
{
	size_t i;

	*plot = (struct tails_plot){
		.panels = calloc(run->tails_count + 1, sizeof(*plot->panels)),
		.rows = calloc(run->tails_count + 1, sizeof(*plot->rows)),
	};
	if (!plot->panels || !plot->rows)
		return -1;
	for (i = 0; i < run->tails_count; i++)
		if (run->tails[i].point_count)
			add_panel(plot, &run->tails[i]);
	for (i = 0; i < run->tails_count; i++)
		if (run->tails[i].point_count && !run->tails[i].variant)
			add_row(plot, &run->tails[i]);
	plot->mains = plot->row_count;
	for (i = 0; i < run->tails_count; i++)
		if (run->tails[i].point_count && run->tails[i].variant)
			add_row(plot, &run->tails[i]);
	return 0;
}

static void tails_plot_end(struct tails_plot *plot)
{
	free(plot->panels);
	free(plot->rows);
}

static const struct tails_cell *find_cell(const struct run *run, const struct tails_cell *panel,
					  const char *row)
{
	size_t i;

	for (i = 0; i < run->tails_count; i++)
		if (same_panel(&run->tails[i], panel) && !strcmp(run->tails[i].row, row))
			return &run->tails[i];
	return NULL;
}

/* What `of` the samples stay at or below, NaN where too few lie above to say. */
static double quantile(const struct tails_cell *cell, double value, double of)
{
	double above = (cell->samples - (cell->hits > 0 ? cell->hits : 0)) * (1 - of);

	/* 1 - 0.999 is a little less than a thousandth. */
	return above > ABOVE_LEAST - 1e-6 ? value : NAN;
}

static void write_cell(FILE *dat, const struct tails_plot *plot, size_t row,
		       const struct tails_cell *cell)
{
	fprintf(dat, "%zu", row + 1);
	data_label(dat, plot->rows[row]->row, NAN);
	if (!cell || !cell->point_count) {
		fputs(" NaN NaN NaN NaN NaN\n", dat);
		return;
	}
	data_number(dat, cell->p50);
	data_number(dat, quantile(cell, cell->p99, 0.99));
	data_number(dat, quantile(cell, cell->p999, 0.999));
	data_number(dat, quantile(cell, cell->p9999, 0.9999));
	data_number(dat, cell->max);
	fputc('\n', dat);
}

static void write_panels(FILE *vars, const struct tails_plot *plot)
{
	char label[TEXT_LABEL_BYTES];
	size_t i;

	fprintf(vars, "array tails_regimes[%zu]\narray tails_gaps[%zu]\n",
		plot->panel_count ? plot->panel_count : 1,
		plot->panel_count ? plot->panel_count : 1);
	for (i = 0; i < plot->panel_count; i++) {
		text_row_label(label, plot->panels[i]->regime, NAN);
		fprintf(vars, "tails_regimes[%zu] = '%s'\n", i + 1, label);
		text_row_label(label, plot->panels[i]->gaps ? plot->panels[i]->gaps : "", NAN);
		fprintf(vars, "tails_gaps[%zu] = '%s'\n", i + 1, label);
	}
}

int data_tails(const struct run *run, FILE *dat, FILE *vars)
{
	double least = NAN, most = NAN, fence = NAN;
	const struct tails_cell *cell;
	struct tails_plot plot;
	size_t panel, row;

	if (tails_plot_begin(run, &plot)) {
		tails_plot_end(&plot);
		return output_fail_memory(), -1;
	}
	fprintf(dat, "# latency of single events in ticks: 1 position, 2 row, 3 median, 4 p99, "
		"5 p99.9, 6 p99.99, 7 longest;\n# a block is a panel; no "
		"quantile with fewer than %d samples above\n", ABOVE_LEAST);
	for (panel = 0; panel < plot.panel_count; panel++) {
		if (panel)
			fputs("\n\n", dat);
		for (row = 0; row < plot.row_count; row++) {
			cell = find_cell(run, plot.panels[panel], plot.rows[row]->row);
			write_cell(dat, &plot, row, cell);
			if (!cell || !cell->point_count)
				continue;
			least = fmin(least, cell->p50);
			most = fmax(most, cell->max);
			fence = fmin(fence, cell->fence_p50);
		}
	}
	write_panels(vars, &plot);
	data_set(vars, "tails_rows", (double)plot.row_count);
	data_set(vars, "tails_mains", (double)plot.mains);
	data_set(vars, "tails_panels", (double)plot.panel_count);
	data_set(vars, "tails_least", least);
	data_set(vars, "tails_most", most);
	data_set(vars, "tails_fence", fence);
	row = plot.row_count;
	tails_plot_end(&plot);
	return (int)row;
}

/* ---- ties ---- */

int data_ties(const struct run *run, FILE *dat, FILE *vars)
{
	char label[TEXT_LABEL_BYTES];
	double least = NAN, hz = NAN;
	size_t i, cut, shown = 0;

	fprintf(dat, "# ties: 1 low bits cut, 2 events per million with the time of the one "
		"before, 3 gaps\n");
	fprintf(vars, "array ties_names[%zu]\n", run->ties_count ? run->ties_count : 1);
	for (i = 0; i < run->ties_count; i++) {
		const struct ties_line *line = &run->ties[i];

		text_row_label(label, line->gaps, NAN);
		fprintf(vars, "ties_names[%zu] = '%s'\n", i + 1, label);
		if (i)
			fputs("\n\n", dat);
		for (cut = 0; cut < RUN_CUTS; cut++) {
			fprintf(dat, "%zu", cut);
			data_number(dat, line->ties[cut]);
			data_label(dat, line->gaps, NAN);
			fputc('\n', dat);
			shown += isfinite(line->ties[cut]);
			if (line->ties[cut] > 0)
				least = fmin(least, line->ties[cut]);
		}
		hz = isnan(hz) ? line->tsc_hz : hz;
	}
	data_set(vars, "ties_lines", (double)run->ties_count);
	data_set(vars, "ties_least", least);
	data_set(vars, "ties_hz", hz > 0 ? hz : run->machine.tsc_hz);
	return (int)(shown ? run->ties_count : 0);
}
