// SPDX-License-Identifier: MIT
#include "plots/guide_internal.h"

#include <math.h>
#include <string.h>

#include "results/compare/reference.h"
#include "plots/words.h"

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

bool guide_scheme_says(const json_t *scheme, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(scheme, key));

	return text && !strcmp(text, word);
}

/* Stamps of the row that a storm of this run had declared inexact. */
double guide_inexact(const struct run *run, const char *row)
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
	return guide_scheme_says(scheme, "nesting", "at once") &&
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
	       (!(asked & ASKED_EXACT) || !guide_inexact(run, row->row)) &&
	       (!(asked & ASKED_NO_ATOMIC) || row->atomics < 0.005) &&
	       (!(asked & ASKED_MOVES) || json_is_true(json_object_get(scheme, "moves"))) &&
	       (!(asked & ASKED_SHARED) ||
		json_array_size(json_object_get(scheme, "shared_promises")) == RUN_PROMISES) &&
	       (!(asked & ASKED_NARROW) ||
		json_integer_value(json_object_get(scheme, "counter_bits")) == 32) &&
	       (!(asked & ASKED_FTRACE) || guide_scheme_says(scheme, "format", "ftrace")) &&
	       (!(asked & ASKED_CTF) || guide_scheme_says(scheme, "format", "CTF"));
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

/* With the cheap clock (core/clock.h); NAN in a run that has not timed it. */
static double cheap_cost(const struct run *run, const struct table_row *row, double argument)
{
	(void)run;
	(void)argument;
	return row->cheap_ratio;
}

/* The median of single events between fences, ticks. */
static double fenced(const struct run *run, const struct table_row *row, double argument)
{
	size_t i;

	(void)argument;
	for (i = 0; i < run->tails_count; i++)
		if (!strcmp(run->tails[i].row, row->row) && !strcmp(run->tails[i].regime, "calm"))
			return run->tails[i].p50;
	return NAN;
}

/* Of the header, with an id where the row's own has none: what else there is is the format's. */
static double bytes(const struct run *run, const struct table_row *row, double argument)
{
	(void)run;
	(void)argument;
	return isfinite(row->header_id_bytes) ? row->header_id_bytes : row->header_bytes;
}

/* Bytes per second at a rate of events, with an id in each; or NAN. */
static double bytes_at(const struct run *run, const struct table_row *row, double rate)
{
	size_t i;

	for (i = 0; i < run->rate_count; i++)
		if (!strcmp(run->rates[i].row, row->row) &&
		    fabs(run->rates[i].events_per_second / rate - 1) < 1e-6)
			return run->rates[i].bytes_per_second +
			       (isfinite(row->id_bytes_added) ? row->id_bytes_added * rate : 0);
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
#define FENCED "ticks, the fences included"
#define HEADER "bytes of header with an id"
#define EXACT (ASKED_ALL | ASKED_AT_ONCE | ASKED_EXACT)

static const struct question {
	const char *need;
	unsigned int asked;
	double (*value)(const struct run *run, const struct table_row *row, double argument);
	double argument;
	const char *unit;
} questions[] = {
	{ "exact times, and interrupts record too: least time", EXACT, cost, 0, TIMES },
	{ "the same, least latency of a single event, between fences", EXACT, fenced, 0, FENCED },
	{ "the same, fewest instructions", EXACT, instructions, 0, "instructions" },
	{ "the same, fewest bytes, events back to back", EXACT, bytes, 0, HEADER },
	{ "the same, no atomic at all", EXACT | ASKED_NO_ATOMIC, cost, 0, TIMES },
	{ "the same, one event in 500 interrupted", EXACT, nested, 0, TIMES },
	{ "the same, one event in 1,000 after a wrap", EXACT, wraps, 0, TIMES },
	{ "the same, threads that share their CPU's ring and move", EXACT | ASKED_MOVES, cost, 0,
	  TIMES },
	{ "the same, writers on several CPUs in one ring", EXACT | ASKED_SHARED, cost, 0, TIMES },
	{ "the same, readers of CTF", EXACT | ASKED_CTF, cost, 0, TIMES },
	{ "exact times, an interrupt may wait: fewest bytes", ASKED_ALL | ASKED_EXACT, bytes, 0,
	  HEADER },
	{ "readers of ftrace sub-buffers: least time", ASKED_ALL | ASKED_FTRACE, cost, 0, TIMES },
	{ "few events, 10 per second: fewest bytes", ASKED_ALL, bytes_at, 10, "bytes/s" },
	{ "1,000 events per second: fewest bytes", ASKED_ALL, bytes_at, 1e3, "bytes/s" },
	{ "1,000,000 events per second: fewest bytes", ASKED_ALL, bytes_at, 1e6, "bytes/s" },
	{ "no events: a CPU that is left asleep", ASKED_ALL, wakeups, 0, "wakeups/s" },
	{ "a counter of 32 bits, and a beat in every wrap", ASKED_NARROW, bytes, 0, HEADER },
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

/* A record of schema 2 and before has headers without an id, and says so. */
static const char *unit_of(const struct run *run, const struct question *question)
{
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (isfinite(run->table[i].header_id_bytes))
			return question->unit;
	if (question->value == bytes)
		return "bytes of header, ids not counted";
	return question->value == bytes_at ? "bytes/s, ids not counted" : question->unit;
}

typedef double (*guide_value)(const struct run *run, const struct table_row *row,
			      double argument);

/* The least that a row which qualifies has; NAN if the run says nothing of it. */
static double least(const struct run *run, const struct question *question, guide_value value)
{
	double best = NAN;
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (qualifies(run, &run->table[i], question->asked))
			best = fmin(best, value(run, &run->table[i], question->argument));
	return best;
}

static double best_of(const struct run *run, const struct question *question)
{
	return least(run, question, question->value);
}

/* Of times nothing is told apart that the same row measured twice is not. */
static double as_good(const struct run *run, const struct question *question)
{
	bool timed = !strcmp(question->unit, TIMES) || !strcmp(question->unit, FENCED);

	return timed ? fmax(AS_GOOD_TIME, run_noise(run)) : AS_GOOD_COUNT;
}

/* A choice: the rows next to the least of one value, and of a second one where there is such. */
struct choice {
	const struct question *question;
	guide_value value;
	double most; /* of the value */
	guide_value also; /* NULL: none */
	double also_most;
};

static bool is_chosen(const struct run *run, const struct choice *choice,
		      const struct table_row *row)
{
	double argument = choice->question->argument;

	return qualifies(run, row, choice->question->asked) &&
	       choice->value(run, row, argument) <= choice->most &&
	       (!choice->also || choice->also(run, row, argument) <= choice->also_most);
}

/* The chosen rows, best first, most of them by name; how many they are. to: NULL, only count. */
static size_t put_choice(const struct run *run, const struct choice *choice,
			 const struct markup *to)
{
	const struct table_row *named[NAMED_MOST];
	double value, values[NAMED_MOST];
	size_t i, at, count = 0;

	for (i = 0; i < run->table_count; i++) {
		if (!is_chosen(run, choice, &run->table[i]))
			continue;
		value = choice->value(run, &run->table[i], choice->question->argument);
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
	for (i = 0; to && i < count && i < NAMED_MOST; i++) {
		to->text(to->out, i ? ", " : "");
		to->code(to->out, named[i]->row);
	}
	if (to && count > NAMED_MOST)
		fprintf(to->out, " and %zu more", count - NAMED_MOST);
	return count;
}

/* The second clock that a line about least time is chosen by; NULL: there is none. */
static guide_value second_of(const struct run *run, const struct question *question)
{
	return question->value == cost && isfinite(least(run, question, cheap_cost)) ? cheap_cost :
										      NULL;
}

/* By one value, or by both clocks; where these part, what each says. */
static void put_best(const struct run *run, const struct question *question, double best,
		     const struct markup *to)
{
	double more = 1 + as_good(run, question);
	struct choice choice = { question, question->value, best * more, NULL, 0 };
	guide_value second = second_of(run, question);

	if (!second) {
		put_choice(run, &choice, to);
		return;
	}
	choice.also = second;
	choice.also_most = least(run, question, second) * more;
	if (put_choice(run, &choice, NULL)) {
		put_choice(run, &choice, to);
		return;
	}
	choice.also = NULL;
	to->text(to->out, "by this machine's clock ");
	put_choice(run, &choice, to);
	choice.value = second;
	choice.most = choice.also_most;
	to->text(to->out, "; by a cheap one ");
	put_choice(run, &choice, to);
}

static void put_figure(const struct run *run, const struct question *question, double best,
		       FILE *out)
{
	guide_value second = second_of(run, question);
	char figure[TEXT_FIGURE_BYTES];

	fprintf(out, "%s %s", text_figure(figure, best), unit_of(run, question));
	if (second)
		fprintf(out, ", %s with a cheap clock",
			text_figure(figure, least(run, question, second)));
}

/* Why nothing can stand in a line that the run would else have rows for; NULL: nothing to be said. */
static const char *why_empty(const struct run *run, const struct question *question)
{
	return question->asked & ASKED_ALL && !run->storm_count && run->table_count ?
		       "none: no storm was run, so nothing is known to be kept under interrupts" :
		       NULL;
}

static json_t *values_of(const struct run *run, const struct question *question,
			 guide_value value)
{
	json_t *values = json_object();
	double its;
	size_t i;

	for (i = 0; i < run->table_count; i++) {
		if (!qualifies(run, &run->table[i], question->asked))
			continue;
		its = value(run, &run->table[i], question->argument);
		if (isfinite(its))
			json_object_set_new(values, run->table[i].row, json_real(its));
	}
	return values;
}

json_t *guide_needs(const struct run *run)
{
	json_t *needs = json_array(), *need;
	guide_value second;
	size_t i;

	for (i = 0; i < QUESTIONS; i++) {
		if (isnan(best_of(run, &questions[i])))
			continue;
		need = json_pack("{s:s, s:s, s:f, s:o}", "need", questions[i].need, "unit",
				 unit_of(run, &questions[i]), "as_good", as_good(run, &questions[i]),
				 "rows", values_of(run, &questions[i], questions[i].value));
		second = second_of(run, &questions[i]);
		if (second)
			json_object_set_new(need, "cheap", values_of(run, &questions[i], second));
		json_array_append_new(needs, need);
	}
	return needs;
}

/* ---- the two forms ---- */

static void put_intro(const struct run *run, FILE *out)
{
	fprintf(out, "Of the rows that kept all that they promise in this run, on this machine. Those "
		"within %.3g\u00a0%% of the best time, or 0.5\u00a0%% of what can be counted, are named "
		"together. Least time is by this machine's clock and by one that costs next to nothing; "
		"where they part, both are named.", 100 * fmax(AS_GOOD_TIME, run_noise(run)));
}

/* Has the line rows, or a reason for having none? */
static bool is_shown(const struct run *run, const struct question *question)
{
	return !isnan(best_of(run, question)) || why_empty(run, question);
}

/* The two cells behind the need. */
static void put_answer(const struct run *run, const struct question *question, const char *between,
		       const struct markup *to)
{
	double best = best_of(run, question);

	if (isnan(best)) {
		to->text(to->out, why_empty(run, question));
		fputs(between, to->out);
		return;
	}
	put_best(run, question, best, to);
	fputs(between, to->out);
	put_figure(run, question, best, to->out);
}

static bool any(const struct run *run)
{
	size_t i;

	for (i = 0; i < QUESTIONS; i++)
		if (is_shown(run, &questions[i]))
			return true;
	return false;
}

void guide_html(const struct run *run, FILE *out)
{
	const struct markup to = { .out = out, .text = text_html, .code = text_html_code };
	json_t *references;
	size_t i;

	if (!any(run))
		return;
	fputs("<section>\n<h2>Which one to take</h2>\n<p>", out);
	put_intro(run, out);
	fputs("</p>\n<div class=\"wide\" tabindex=\"0\"><table class=\"guide\">\n<thead><tr>"
	      "<th scope=\"col\">you want</th><th scope=\"col\">take</th>"
	      "<th scope=\"col\">the best has</th></tr></thead>\n<tbody>\n", out);
	for (i = 0; i < QUESTIONS; i++) {
		if (!is_shown(run, &questions[i]))
			continue;
		fprintf(out, "<tr><th scope=\"row\">%s</th><td>", questions[i].need);
		put_answer(run, &questions[i], "</td><td>", &to);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n<ul>\n", out);
	guide_warnings(run, "<li>", "</li>\n", &to);
	fputs("</ul>\n", out);
	references = reference_load(reference_dir());
	guide_machines_html(references, out);
	json_decref(references);
	fputs("</section>\n", out);
}

void guide_markdown(const struct run *run, FILE *out)
{
	const struct markup to = { .out = out, .text = text_markdown,
				   .code = text_markdown_code };
	json_t *references;
	size_t i;

	if (!any(run))
		return;
	fputs("## Which one to take\n\n<!-- guide: begin -->\n", out);
	put_intro(run, out);
	fputs("\n\n| you want | take | the best has |\n|---|---|---|\n", out);
	for (i = 0; i < QUESTIONS; i++) {
		if (!is_shown(run, &questions[i]))
			continue;
		fprintf(out, "| %s | ", questions[i].need);
		put_answer(run, &questions[i], " | ", &to);
		fputs(" |\n", out);
	}
	fputc('\n', out);
	guide_warnings(run, "- ", "\n", &to);
	references = reference_load(reference_dir());
	guide_machines_markdown(references, out);
	json_decref(references);
	fputs("<!-- guide: end -->\n\n", out);
}
