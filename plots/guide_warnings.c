// SPDX-License-Identifier: MIT
/* What each row is not for, below the guide's table. */
#include <string.h>

#include "plots/guide_internal.h"

static bool needs(const struct run *run, const json_t *scheme, const char *what)
{
	const json_t *one;
	size_t i;

	(void)run;
	json_array_foreach(json_object_get(scheme, "needs"), i, one)
		if (json_is_string(one) && !strcmp(json_string_value(one), what))
			return true;
	return false;
}

static bool waits(const struct run *run, const json_t *scheme, const char *what)
{
	(void)run;
	return guide_scheme_says(scheme, "nesting", what);
}

static bool declares_inexact(const struct run *run, const json_t *scheme, const char *what)
{
	const char *row = json_string_value(json_object_get(scheme, "row"));

	(void)what;
	return row && guide_inexact(run, row) > 0;
}

static const struct warning_of {
	const char *before;
	bool (*holds)(const struct run *run, const json_t *scheme, const char *what);
	const char *what;
} warnings[] = {
	{ "Not where a quiet machine shall sleep, or interrupts may be held off for a wrap; they "
	  "need a beat: ", needs, "beat" },
	{ "Not where writers can be interrupted by writers: ", needs, "masked interrupts" },
	{ "Not with a clock that gives the same value twice: ", needs, "strict clock" },
	{ "An interrupt that records has to wait for the record that it interrupts, and is stamped "
	  "when it runs: ", waits, "later" },
	{ "Interrupts are held off while an event is recorded: ", waits, "held off" },
	{ "Stamps of nested writers were declared inexact under the storm of this run: ",
	  declares_inexact, "" },
};

#define WARNINGS (sizeof(warnings) / sizeof(warnings[0]))

/* What the beat of a row costs, which no timed cell shows. */
static void put_beat(const struct run *run, const char *row, const struct markup *to)
{
	const json_t *line;
	char text[160];
	size_t i;

	json_array_foreach(json_object_get(run->loaded.json, "beats"), i, line) {
		const char *its = json_string_value(json_object_get(line, "row"));

		if (!its || strcmp(its, row) || !json_is_number(json_object_get(line, "beat_ns")))
			continue;
		snprintf(text, sizeof(text), " (%.0f ns each, %.1f per second: %.1f us in each second)",
			 json_number_value(json_object_get(line, "beat_ns")),
			 json_number_value(json_object_get(line, "beats_per_second")),
			 json_number_value(json_object_get(line, "ns_per_second")) / 1e3);
		to->text(to->out, text);
	}
}

/* A list item with the rows that a warning is about; nothing if there are none. */
static void put_warning(const struct run *run, const struct warning_of *warning,
			const char *open, const char *close, const struct markup *to)
{
	const json_t *scheme;
	const char *row;
	size_t i, named = 0;

	json_array_foreach(json_object_get(run->loaded.json, "schemes"), i, scheme) {
		row = json_string_value(json_object_get(scheme, "row"));
		if (!row || !warning->holds(run, scheme, warning->what))
			continue;
		if (!named)
			fputs(open, to->out);
		to->text(to->out, named++ ? ", " : warning->before);
		to->code(to->out, row);
		if (!strcmp(warning->what, "beat"))
			put_beat(run, row, to);
	}
	if (named) {
		fputc('.', to->out);
		fputs(close, to->out);
	}
}

/* What the figures are of, and which rows this machine has not. */
static void put_architecture(const struct run *run, const char *open, const char *close,
			     const struct markup *to)
{
	const json_t *context = json_object_get(run->loaded.json, "context");
	const json_t *kernel = json_object_get(json_object_get(context, "stampede"), "kernel");
	const char *name = json_string_value(json_object_get(kernel, "architecture"));
	const json_t *left = json_object_get(run->loaded.json, "left_out"), *one;
	size_t i;

	if (!name)
		return;
	fputs(open, to->out);
	to->text(to->out, "All of this is of ");
	to->text(to->out, name);
	json_array_foreach(left, i, one) {
		const char *row = json_string_value(json_object_get(one, "row"));
		const char *why = json_string_value(json_object_get(one, "why"));

		to->text(to->out, i ? "; " : "; not to be had on this machine: ");
		to->code(to->out, row ? row : "");
		to->text(to->out, " (");
		to->text(to->out, why ? why : "");
		to->text(to->out, ")");
	}
	to->text(to->out, json_is_array(left) && !json_array_size(left) ?
				  ", and every row can run on this machine." : ".");
	fputs(close, to->out);
}

void guide_warnings(const struct run *run, const char *open, const char *close,
		    const struct markup *to)
{
	size_t i;

	for (i = 0; i < WARNINGS; i++)
		put_warning(run, &warnings[i], open, close, to);
	put_architecture(run, open, close, to);
}
