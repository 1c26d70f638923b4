// SPDX-License-Identifier: MIT
/* The sentences of the plots of the whole matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

static void say(const struct markup *to, const char *text)
{
	to->text(to->out, text);
}

static void say_figure(const struct markup *to, const char *before, double value, const char *after)
{
	char number[TEXT_FIGURE_BYTES];

	say(to, before);
	say(to, text_figure(number, value));
	say(to, after);
}

static void plot_injected(const struct run *run, const struct markup *to)
{
	const struct injected_cell *dearest = NULL;
	size_t i;

	say(to, "Each row is compared with the floor under the same wraps or the same "
		"interruptions, so what is seen is the scheme's own answer to them; a level line "
		"means that it takes them at no further cost.");
	for (i = 0; i < run->injected_count; i++) {
		const struct injected_cell *cell = &run->injected[i];

		if (cell->ratio > 0 && (!dearest || cell->ratio > dearest->ratio))
			dearest = cell;
	}
	if (!dearest)
		return;
	say(to, " The dearest cell is ");
	to->code(to->out, dearest->row);
	say(to, " under ");
	to->code(to->out, dearest->workload);
	say_figure(to, ": ", dearest->ratio, " times the floor.");
}

static void plot_layouts(const struct run *run, const struct markup *to)
{
	const struct rate_point *least = NULL, *most = NULL;
	size_t i;

	say(to, "At many events per second only the width of the header counts; at few, the beats "
		"that a narrow field needs, or the extension that each event then carries. The "
		"narrower the field and the finer its ticks, the sooner it wraps and the further "
		"right its curve bends.");
	for (i = 0; i < run->rate_count; i++) {
		const struct rate_point *point = &run->rates[i];

		if (strncmp(point->row, "layout_", strlen("layout_")) ||
		    !(point->header_bytes_per_second > 0))
			continue;
		if (!least || point->events_per_second < least->events_per_second ||
		    (point->events_per_second == least->events_per_second &&
		     point->header_bytes_per_second < least->header_bytes_per_second))
			least = point;
		if (!most || point->events_per_second < most->events_per_second ||
		    (point->events_per_second == most->events_per_second &&
		     point->header_bytes_per_second > most->header_bytes_per_second))
			most = point;
	}
	if (!least || least == most)
		return;
	say_figure(to, " At ", least->events_per_second, " events per second, ");
	to->code(to->out, most->row);
	say_figure(to, " writes ", most->header_bytes_per_second, " header bytes per second and ");
	to->code(to->out, least->row);
	say_figure(to, " ", least->header_bytes_per_second, ".");
}

void words_matrix(const struct run *run, enum plot plot, const struct markup *to)
{
	switch (plot) {
	case PLOT_INJECTED:
		plot_injected(run, to);
		break;
	case PLOT_LAYOUTS:
		plot_layouts(run, to);
		break;
	default:
		break;
	}
}
