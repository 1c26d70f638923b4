// SPDX-License-Identifier: MIT
#include "plots/make.h"

#include <stdlib.h>
#include <string.h>

#include "plots/output.h"
#include "plots/report.h"
#include "plots/scripts.h"

static const char no_gnuplot[] = "gnuplot is not installed (Debian: apt install gnuplot-nox)";

static int put_script(const char *dir, const char *name)
{
	char file[64];
	size_t size;
	const char *text = script_text(name, &size);

	snprintf(file, sizeof(file), "%s.gp", name);
	return output_put(dir, file, text, size);
}

/* Writes <plot>.dat and its script if the run has the data. */
static int put_data(const struct run *run, const char *dir, enum plot plot, FILE *vars,
		    struct figure *figure)
{
	const struct plot_desc *desc = &plot_descs[plot];
	struct page page;
	char file[64];
	int shown, status;

	if (page_begin(&page))
		return PLOTS_RESOURCE;
	shown = desc->write(run, page.out, vars);
	if (shown <= 0) {
		fclose(page.out);
		free(page.text);
		return shown ? PLOTS_RESOURCE : PLOTS_FINE;
	}
	figure->state = FIGURE_NOT_DRAWN;
	snprintf(file, sizeof(file), "%s.dat", desc->name);
	status = page_end(&page, PLOTS_FINE, dir, file);
	return status ? status : put_script(dir, desc->name);
}

static int put_all_data(const struct run *run, const char *dir, struct figure *figures)
{
	struct page vars;
	int plot, status = page_begin(&vars);

	if (status)
		return status;
	fputs("# Written by build/plots: what the scripts cannot see in the data.\n", vars.out);
	data_captions(run, vars.out);
	for (plot = 0; !status && plot < PLOTS; plot++)
		status = put_data(run, dir, (enum plot)plot, vars.out, &figures[plot]);
	status = page_end(&vars, status, dir, "run.gp");
	return status ? status : put_script(dir, "style");
}

static int draw_one(const char *dir, enum plot plot, struct figure *figure)
{
	static const char *const formats[] = { "svg", "png" };
	const char *name = plot_descs[plot].name;
	struct picture picture;
	char script[64], file[64];
	int i, status = PLOTS_FINE;

	snprintf(script, sizeof(script), "%s.gp", name);
	for (i = 0; i < 2 && !status; i++) {
		status = gnuplot_draw(dir, script, formats[i], &picture);
		if (status)
			break;
		snprintf(file, sizeof(file), "%s.%s", name, formats[i]);
		status = output_put(dir, file, picture.data, picture.size);
		if (!status && i == 0)
			figure->svg = picture;
		else
			free(picture.data);
	}
	if (!status)
		figure->state = FIGURE_DRAWN;
	return status;
}

/* One plot that cannot be drawn does not keep the others from being; the first error counts. */
static int draw_all(const char *dir, struct figure *figures)
{
	int plot, status, first = PLOTS_FINE;

	for (plot = 0; plot < PLOTS; plot++) {
		if (figures[plot].state == FIGURE_ABSENT)
			continue;
		status = draw_one(dir, (enum plot)plot, &figures[plot]);
		if (status == PLOTS_UNSUPPORTED)
			return output_fail(status, "%s; data and scripts are in %s", no_gnuplot,
					   dir);
		if (status == PLOTS_RESOURCE)
			return status;
		if (!first)
			first = status;
	}
	return first;
}

static void tell(const struct run *run, const struct figure *figures, FILE *told)
{
	int plot;

	fprintf(told, "report   %s/report.html\n         %s/report.md\n", run->dir, run->dir);
	fprintf(told, "plots    %s/plots\n        ", run->dir);
	for (plot = 0; plot < PLOTS; plot++)
		if (figures[plot].state == FIGURE_DRAWN)
			fprintf(told, " %s", plot_descs[plot].name);
	fputs("\n         each as SVG and PNG, with its data and script\n", told);
	for (plot = 0; plot < PLOTS; plot++)
		if (figures[plot].state == FIGURE_ABSENT)
			fprintf(told, "left out %s: %s\n", plot_descs[plot].name,
				plot_descs[plot].absent);
}

int make_all(const char *path, FILE *told)
{
	struct figure figures[PLOTS] = { 0 };
	struct run run;
	char *dir = NULL;
	int i, drawn, status = run_load(path, &run);

	if (status)
		return status;
	if (asprintf(&dir, "%s/plots", run.dir) < 0) {
		run_free(&run);
		return output_fail_memory();
	}
	status = output_directory(dir);
	if (!status)
		status = put_all_data(&run, dir, figures);
	drawn = status ? status : draw_all(dir, figures);
	/* Without pictures the page still has the table; on a full disk there is no page to be. */
	if (drawn != PLOTS_RESOURCE && !status)
		status = report_write(&run, figures);
	if (!status && told)
		tell(&run, figures, told);
	for (i = 0; i < PLOTS; i++)
		free(figures[i].svg.data);
	free(dir);
	run_free(&run);
	return status ? status : drawn;
}
