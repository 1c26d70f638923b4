// SPDX-License-Identifier: MIT
#include "guide.h"

#include <math.h>
#include <string.h>

#include "text.h"
#include "words.h"

/* Rows this close to the best are as good: of times, and of what is the same in every run. */
#define AS_GOOD_TIME 0.02
#define AS_GOOD_COUNT 0.005
#define NAMED_MOST 4

/* ---- who qualifies ---- */

enum asked {
	ASKED_ALL = 1 << 0, /* promises everything and kept it */
	ASKED_AT_ONCE = 1 << 1, /* nested writers record at once, and nothing else is needed */
	ASKED_NO_ATOMIC = 1 << 2,
	ASKED_MOVES = 1 << 3, /* threads share their CPU's ring, and move */
	ASKED_SHARED = 1 << 4, /* writers on several CPUs share a ring, with all promises */
	ASKED_NARROW = 1 << 5, /* content with a counter of 32 bits */
	ASKED_FTRACE = 1 << 6,
	ASKED_CTF = 1 << 7,
	ASKED_EXACT = 1 << 8, /* no stamp was declared inexact */
};

static const json_t *scheme_of(const struct run *run, const char *row)
{
	const json_t *scheme;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(run->loaded.json, "schemes"), i, scheme) {
		name = json_string_value(json_object_get(scheme, "row"));
		if (name && !strcmp(name, row))
			return scheme;
	}
	return NULL;
}

static bool scheme_says(const json_t *scheme, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(scheme, key));

	return text && !strcmp(text, word);
}

/* Stamps of the row that a storm of this run had declared inexact. */
static double inexact_of(const struct run *run, const char *row)
{
	double count = 0;
	size_t i;

	for (i = 0; i < run->storm_count; i++)
		if (!strcmp(run->storm[i].row, row) && run->storm[i].inexact > 0)
			count += run->storm[i].inexact;
	return count;
}

static bool is_at_once(const json_t *scheme)
{
	return scheme_says(scheme, "nesting", "at once") &&
	       !json_array_size(json_object_get(scheme, "needs"));
}

/* Does the row have all that is asked for? What a record does not say, it has not. */
static bool qualifies(const struct run *run, const struct table_row *row, unsigned int asked)
{
	const json_t *scheme = scheme_of(run, row->row);

	if (!row->workload || strcmp(row->workload, "steady") ||
	    !run_verdict_is(row->verdict, "kept"))
		return false;
	return (!(asked & ASKED_ALL) || words_keeps_everything(run, row)) &&
	       (!(asked & ASKED_AT_ONCE) || is_at_once(scheme)) &&
	       (!(asked & ASKED_EXACT) || !inexact_of(run, row->row)) &&
	       (!(asked & ASKED_NO_ATOMIC) || row->atomics < 0.005) &&
	       (!(asked & ASKED_MOVES) || json_is_true(json_object_get(scheme, "moves"))) &&
	       (!(asked & ASKED_SHARED) ||
		json_array_size(json_object_get(scheme, "shared_promises")) == RUN_PROMISES) &&
	       (!(asked & ASKED_NARROW) ||
		json_integer_value(json_object_get(scheme, "counter_bits")) == 32) &&
	       (!(asked & ASKED_FTRACE) || scheme_says(scheme, "format", "ftrace")) &&
	       (!(asked & ASKED_CTF) || scheme_says(scheme, "format", "CTF"));
}

/* ---- what there shall be little of ---- */

static double cost(const struct run *run, const struct table_row *row, double argument)
{
	(void)run;
	(void)argument;
	return row->ratio.median;
}

static double instructions(const struct run *run, const struct table_row *row, double argument)
{
	(void)run;
	(void)argument;
	return row->instructions;
}

static double bytes(const struct run *run, const struct table_row *row, double argument)
{
	(void)run;
	(void)argument;
	return row->bytes;
}

/* Bytes per second at a rate of events, or NAN. */
static double bytes_at(const struct run *run, const struct table_row *row, double rate)
{
	size_t i;

	for (i = 0; i < run->rate_count; i++)
		if (!strcmp(run->rates[i].row, row->row) &&
		    fabs(run->rates[i].events_per_second / rate - 1) < 1e-6)
			return run->rates[i].bytes_per_second;
	return NAN;
}

/* The share of the events that come interrupted, or after a wrap, is in the cell's name. */
static double injected(const struct run *run, const struct table_row *row, const char *workload)
{
	size_t i;

	for (i = 0; i < run->injected_count; i++)
		if (!strcmp(run->injected[i].row, row->row) &&
		    !strcmp(run->injected[i].workload, workload))
			return run->injected[i].ratio;
	return NAN;
}

static double nested(const struct run *run, const struct table_row *row, double argument)
{
	(void)argument;
	return injected(run, row, "nested:2000ppm");
}

static double wraps(const struct run *run, const struct table_row *row, double argument)
{
	(void)argument;
	return injected(run, row, "wraps:0.001");
}

static double wakeups(const struct run *run, const struct table_row *row, double argument)
{
	size_t i;

	(void)argument;
	for (i = 0; i < run->idle_count; i++)
		if (!strcmp(run->idle[i].row, row->row))
			return run->idle[i].none[IDLE_WAKEUPS];
	return NAN;
}

#define TIMES "times the floor"
#define EXACT (ASKED_ALL | ASKED_AT_ONCE | ASKED_EXACT)

static const struct question {
	const char *need;
	unsigned int asked;
	double (*value)(const struct run *run, const struct table_row *row, double argument);
	double argument;
	const char *unit;
} questions[] = {
	{ "exact times, and interrupts record too: least time", EXACT, cost, 0, TIMES },
	{ "the same, fewest instructions", EXACT, instructions, 0, "instructions" },
	{ "the same, fewest bytes, events back to back", EXACT, bytes, 0, "bytes" },
	{ "the same, no atomic at all", EXACT | ASKED_NO_ATOMIC, cost, 0, TIMES },
	{ "the same, one event in 500 interrupted", EXACT, nested, 0, TIMES },
	{ "the same, one event in 1,000 after a wrap", EXACT, wraps, 0, TIMES },
	{ "the same, threads that share their CPU's ring and move", EXACT | ASKED_MOVES, cost, 0,
	  TIMES },
	{ "the same, writers on several CPUs in one ring", EXACT | ASKED_SHARED, cost, 0, TIMES },
	{ "the same, readers of CTF", EXACT | ASKED_CTF, cost, 0, TIMES },
	{ "exact times, an interrupt may wait: fewest bytes", ASKED_ALL | ASKED_EXACT, bytes, 0,
	  "bytes" },
	{ "readers of ftrace sub-buffers: least time", ASKED_ALL | ASKED_FTRACE, cost, 0, TIMES },
	{ "few events, 10 per second: fewest bytes", ASKED_ALL, bytes_at, 10, "bytes/s" },
	{ "1,000 events per second: fewest bytes", ASKED_ALL, bytes_at, 1e3, "bytes/s" },
	{ "1,000,000 events per second: fewest bytes", ASKED_ALL, bytes_at, 1e6, "bytes/s" },
	{ "no events: a CPU that is left asleep", ASKED_ALL, wakeups, 0, "wakeups/s" },
	{ "a counter of 32 bits, and a beat in every wrap", ASKED_NARROW, bytes, 0, "bytes" },
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

/* The least that a row which qualifies has; NAN if the run says nothing of it. */
static double best_of(const struct run *run, const struct question *question)
{
	double best = NAN;
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (qualifies(run, &run->table[i], question->asked))
			best = fmin(best, question->value(run, &run->table[i],
							  question->argument));
	return best;
}

static double as_good(const struct question *question)
{
	return strcmp(question->unit, TIMES) ? AS_GOOD_COUNT : AS_GOOD_TIME;
}

/* The rows with next to the least, best first, most of them by name. */
static void put_best(const struct run *run, const struct question *question, double best,
		     const struct markup *to)
{
	double most = best * (1 + as_good(question)), value, values[NAMED_MOST];
	const struct table_row *named[NAMED_MOST];
	size_t i, at, count = 0;

	for (i = 0; i < run->table_count; i++) {
		if (!qualifies(run, &run->table[i], question->asked))
			continue;
		value = question->value(run, &run->table[i], question->argument);
		if (!(value <= most))
			continue;
		at = count < NAMED_MOST ? count : NAMED_MOST;
		count++;
		for (; at && value < values[at - 1]; at--) {
			if (at == NAMED_MOST)
				continue;
			values[at] = values[at - 1];
			named[at] = named[at - 1];
		}
		if (at == NAMED_MOST)
			continue;
		values[at] = value;
		named[at] = &run->table[i];
	}
	for (i = 0; i < count && i < NAMED_MOST; i++) {
		to->text(to->out, i ? ", " : "");
		to->code(to->out, named[i]->row);
	}
	if (count > NAMED_MOST)
		fprintf(to->out, " and %zu more", count - NAMED_MOST);
}

/* ---- who is not for what ---- */

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
	return scheme_says(scheme, "nesting", what);
}

static bool declares_inexact(const struct run *run, const json_t *scheme, const char *what)
{
	const char *row = json_string_value(json_object_get(scheme, "row"));

	(void)what;
	return row && inexact_of(run, row) > 0;
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
	}
	if (named)
		fputs(close, to->out);
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

/* ---- the two forms ---- */

static const char intro[] = "Of the rows that kept all that they promise in this run. Those within "
			    "2\u00a0% of the best time, or 0.5\u00a0% of what can be counted, are named "
			    "together.";

static bool any(const struct run *run)
{
	size_t i;

	for (i = 0; i < QUESTIONS; i++)
		if (!isnan(best_of(run, &questions[i])))
			return true;
	return false;
}

void guide_html(const struct run *run, FILE *out)
{
	const struct markup to = { .out = out, .text = text_html, .code = text_html_code };
	char figure[TEXT_FIGURE_BYTES];
	double best;
	size_t i;

	if (!any(run))
		return;
	fprintf(out, "<section>\n<h2>Which one to take</h2>\n<p>%s</p>\n<div class=\"wide\" "
		"tabindex=\"0\"><table class=\"guide\">\n<thead><tr><th scope=\"col\">you want</th>"
		"<th scope=\"col\">take</th><th scope=\"col\">the best has</th></tr></thead>\n"
		"<tbody>\n", intro);
	for (i = 0; i < QUESTIONS; i++) {
		best = best_of(run, &questions[i]);
		if (isnan(best))
			continue;
		fprintf(out, "<tr><th scope=\"row\">%s</th><td>", questions[i].need);
		put_best(run, &questions[i], best, &to);
		fprintf(out, "</td><td>%s %s</td></tr>\n", text_figure(figure, best),
			questions[i].unit);
	}
	fputs("</tbody>\n</table></div>\n<ul>\n", out);
	for (i = 0; i < WARNINGS; i++)
		put_warning(run, &warnings[i], "<li>", ".</li>\n", &to);
	put_architecture(run, "<li>", "</li>\n", &to);
	fputs("</ul>\n</section>\n", out);
}

void guide_markdown(const struct run *run, FILE *out)
{
	const struct markup to = { .out = out, .text = text_markdown,
				   .code = text_markdown_code };
	char figure[TEXT_FIGURE_BYTES];
	double best;
	size_t i;

	if (!any(run))
		return;
	fprintf(out, "## Which one to take\n\n<!-- guide: begin -->\n%s\n\n"
		"| you want | take | the best has |\n|---|---|---|\n", intro);
	for (i = 0; i < QUESTIONS; i++) {
		best = best_of(run, &questions[i]);
		if (isnan(best))
			continue;
		fprintf(out, "| %s | ", questions[i].need);
		put_best(run, &questions[i], best, &to);
		fprintf(out, " | %s %s |\n", text_figure(figure, best), questions[i].unit);
	}
	fputc('\n', out);
	for (i = 0; i < WARNINGS; i++)
		put_warning(run, &warnings[i], "- ", ".\n", &to);
	put_architecture(run, "- ", "\n", &to);
	fputs("<!-- guide: end -->\n\n", out);
}
