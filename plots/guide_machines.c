// SPDX-License-Identifier: MIT
/* The guide over all machines that a reference is kept of. */
#include <math.h>
#include <string.h>

#include "plots/guide.h"
#include "results/compare/reference.h"
#include "plots/text.h"

#define MACHINES_MOST 16

/* One need, as those machines have it that measured the same thing for it. */
struct shared_need {
	const char *need;
	const char *unit;
	const json_t *machine[MACHINES_MOST];
	const json_t *line[MACHINES_MOST];
	size_t count;
	bool both_clocks; /* all of them have the cheap one's figures, too */
};

static const char *text_in(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static const json_t *line_of(const json_t *machine, const char *need)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(machine, "needs"), i, line)
		if (!strcmp(text_in(line, "need"), need))
			return line;
	return NULL;
}

/* Those with this unit: figures in another one are of something else. */
static struct shared_need gather(const json_t *all, const char *need, const char *unit)
{
	struct shared_need shared = { .need = need, .unit = unit, .both_clocks = true };
	const json_t *machine, *line;
	size_t i;

	json_array_foreach(all, i, machine) {
		line = line_of(machine, need);
		if (!line || strcmp(text_in(line, "unit"), unit) || shared.count == MACHINES_MOST)
			continue;
		shared.machine[shared.count] = machine;
		shared.line[shared.count++] = line;
		shared.both_clocks = shared.both_clocks && json_object_get(line, "cheap");
	}
	return shared;
}

static bool measured(const json_t *machine, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(machine, "rows"), i, one)
		if (!strcmp(text_in(one, "row"), row))
			return true;
	return false;
}

static bool measured_by_all(const struct shared_need *shared, const char *row)
{
	size_t i;

	for (i = 0; i < shared->count; i++)
		if (!measured(shared->machine[i], row))
			return false;
	return true;
}

/* What is as good as the least of the rows that all machines measured. */
static double limit(const struct shared_need *shared, size_t machine, const char *key)
{
	const json_t *line = shared->line[machine];
	json_t *value;
	const char *row;
	double best = INFINITY;

	json_object_foreach(json_object_get(line, key), row, value)
		if (measured_by_all(shared, row))
			best = fmin(best, json_number_value(value));
	return best * (1 + json_number_value(json_object_get(line, "as_good")));
}

static bool within(const struct shared_need *shared, size_t machine, const char *key,
		   const char *row)
{
	const json_t *value = json_object_get(json_object_get(shared->line[machine], key), row);

	return value && json_number_value(value) <= limit(shared, machine, key);
}

/* Is any row among the best by both clocks of this machine? */
static bool clocks_agree(const struct shared_need *shared, size_t machine)
{
	json_t *value;
	const char *row;

	json_object_foreach(json_object_get(shared->line[machine], "rows"), row, value)
		if (measured_by_all(shared, row) && within(shared, machine, "rows", row) &&
		    within(shared, machine, "cheap", row))
			return true;
	return false;
}

static bool wins(const struct shared_need *shared, size_t machine, const char *row)
{
	return measured_by_all(shared, row) && within(shared, machine, "rows", row) &&
	       (!shared->both_clocks || !clocks_agree(shared, machine) ||
		within(shared, machine, "cheap", row));
}

static bool wins_everywhere(const struct shared_need *shared, const char *row)
{
	size_t i;

	for (i = 0; i < shared->count; i++)
		if (!wins(shared, i, row))
			return false;
	return true;
}

/* The winners of a machine that are everywhere's, or that are not; how many. */
static size_t put_winners(const struct shared_need *shared, size_t machine, bool everywhere,
			  const char *before, const struct markup *to)
{
	json_t *value;
	const char *row;
	size_t count = 0;

	json_object_foreach(json_object_get(shared->line[machine], "rows"), row, value) {
		if (!wins(shared, machine, row) || wins_everywhere(shared, row) != everywhere)
			continue;
		to->text(to->out, count++ ? ", " : before);
		to->code(to->out, row);
	}
	return count;
}

static void put_machines(const struct shared_need *shared, const char *between,
			 const struct markup *to)
{
	char model[REFERENCE_NAME_BYTES], before[160];
	size_t i, parts = 0;

	if (!put_winners(shared, 0, true, "", to))
		to->text(to->out, "none");
	fputs(between, to->out);
	for (i = 0; i < shared->count; i++) {
		reference_model(shared->machine[i], model, sizeof(model));
		snprintf(before, sizeof(before), "%s%s %.64s: ", parts ? "; " : "",
			 shared->count > 2 ? "on" : "only on", model);
		parts += put_winners(shared, i, false, before, to) > 0;
	}
	if (!parts)
		to->text(to->out, "nowhere");
}

/* Each need in each unit that two machines or more have: `each` once; how many. */
static size_t for_needs(const json_t *all, const char *begin, const char *between,
			const char *after, const struct markup *to)
{
	const json_t *machine, *line;
	struct shared_need shared;
	size_t i, k, count = 0;

	json_array_foreach(all, i, machine) {
		json_array_foreach(json_object_get(machine, "needs"), k, line) {
			shared = gather(all, text_in(line, "need"), text_in(line, "unit"));
			/* Said where the first of them is. */
			if (shared.count < 2 || shared.machine[0] != machine)
				continue;
			count++;
			if (!to)
				continue;
			fputs(begin, to->out);
			to->text(to->out, shared.need);
			fputs(between, to->out);
			put_machines(&shared, between, to);
			fputs(after, to->out);
		}
	}
	return count;
}

/* Which machines, and of which code. */
static void put_intro(const json_t *all, const struct markup *to)
{
	const json_t *machine;
	char title[128];
	size_t i;

	to->text(to->out, "On all recorded machines: ");
	json_array_foreach(all, i, machine) {
		reference_title(machine, title, sizeof(title));
		to->text(to->out, i ? ", " : "");
		to->text(to->out, title);
	}
	to->text(to->out, ". Chosen by the same rule on each, of the rows that all measured; "
			  "times by a machine's own clock, and by a cheap one where all have it. "
			  "A need that fewer than two have measured alike is left out.");
}

void guide_machines_html(const json_t *references, FILE *out)
{
	const struct markup to = { .out = out, .text = text_html, .code = text_html_code };

	if (!for_needs(references, "", "", "", NULL))
		return;
	fputs("<p>", out);
	put_intro(references, &to);
	fputs("</p>\n<div class=\"wide\" tabindex=\"0\"><table class=\"guide\">\n<thead><tr>"
	      "<th scope=\"col\">you want</th><th scope=\"col\">on all recorded machines</th>"
	      "<th scope=\"col\">where they part</th></tr></thead>\n<tbody>\n", out);
	for_needs(references, "<tr><td>", "</td><td>", "</td></tr>\n", &to);
	fputs("</tbody>\n</table></div>\n", out);
}

void guide_machines_markdown(const json_t *references, FILE *out)
{
	const struct markup to = { .out = out, .text = text_markdown,
				   .code = text_markdown_code };

	if (!for_needs(references, "", "", "", NULL))
		return;
	fputc('\n', out);
	put_intro(references, &to);
	fputs("\n\n| you want | on all recorded machines | where they part |\n|---|---|---|\n",
	      out);
	for_needs(references, "| ", " | ", " |\n", &to);
}
