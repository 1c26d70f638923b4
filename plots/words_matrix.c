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

void words_matrix(const struct run *run, enum plot plot, const struct markup *to)
{
	switch (plot) {
	case PLOT_INJECTED:
		plot_injected(run, to);
		break;
	default:
		break;
	}
}
