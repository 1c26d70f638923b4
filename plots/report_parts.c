// SPDX-License-Identifier: MIT
#include "report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "words.h"

/* Rows this close to the best are as good. */
#define AS_GOOD 0.02
#define NAMED_MOST 4

void report_number(FILE *out, double value, bool is_long)
{
	fprintf(out, "<td class=\"n%s\" data-v=\"", is_long ? " long" : "");
	if (isfinite(value))
		fprintf(out, "%.9g", value);
	fputs("\">", out);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* ---- guide ---- */

/* Bytes per second at a rate of events, or NAN. */
static double bytes_at(const struct run *run, const char *row, double rate)
{
	size_t i;

	for (i = 0; i < run->rate_count; i++)
		if (!strcmp(run->rates[i].row, row) &&
		    fabs(run->rates[i].events_per_second / rate - 1) < 1e-6)
			return run->rates[i].bytes_per_second;
	return NAN;
}

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
	return bytes_at(run, row->row, argument);
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

static const struct question {
	const char *need;
	double (*value)(const struct run *run, const struct table_row *row, double argument);
	double argument;
	const char *unit;
} questions[] = {
	{ "least time per event", cost, 0, "times the floor" },
	{ "fewest instructions per event", instructions, 0, "instructions" },
	{ "least time, one event in 500 interrupted", nested, 0, "times the floor" },
	{ "least time, one event in 1,000 after a wrap", wraps, 0, "times the floor" },
	{ "fewest bytes at 10 events per second", bytes, 10, "bytes/s" },
	{ "fewest bytes at 1,000 events per second", bytes, 1e3, "bytes/s" },
	{ "fewest bytes at 1,000,000 events per second", bytes, 1e6, "bytes/s" },
};

static bool is_candidate(const struct run *run, const struct table_row *row)
{
	return row->workload && !strcmp(row->workload, "steady") &&
	       words_keeps_everything(run, row);
}

static double best_of(const struct run *run, const struct question *question)
{
	double best = NAN;
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (is_candidate(run, &run->table[i]))
			best = fmin(best, question->value(run, &run->table[i],
							  question->argument));
	return best;
}

static void put_answer(const struct run *run, const struct question *question, FILE *out)
{
	double best = best_of(run, question), value;
	char figure[TEXT_FIGURE_BYTES];
	size_t i, named = 0, more = 0;

	if (isnan(best))
		return;
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", question->need);
	for (i = 0; i < run->table_count; i++) {
		if (!is_candidate(run, &run->table[i]))
			continue;
		value = question->value(run, &run->table[i], question->argument);
		if (!(value <= best * (1 + AS_GOOD)))
			continue;
		if (named == NAMED_MOST) {
			more++;
			continue;
		}
		fputs(named++ ? ", " : "", out);
		text_html_code(out, run->table[i].row);
	}
	if (more)
		fprintf(out, " and %zu more", more);
	fprintf(out, "</td><td>%s %s</td></tr>\n", text_figure(figure, best), question->unit);
}

/* Rows whose scheme needs `need`, in a line of its own. */
static void put_needy(const struct run *run, const char *need, const char *title, FILE *out)
{
	const json_t *scheme, *one;
	size_t i, j, named = 0;

	json_array_foreach(json_object_get(run->loaded.json, "schemes"), i, scheme)
		json_array_foreach(json_object_get(scheme, "needs"), j, one) {
			if (!json_is_string(one) || strcmp(json_string_value(one), need))
				continue;
			fputs(named++ ? ", " : title, out);
			text_html_code(out, text_of(scheme, "row"));
		}
	if (named)
		fputs(".</li>\n", out);
}

void report_guide(const struct run *run, FILE *out)
{
	size_t i, candidates = 0;

	for (i = 0; i < run->table_count; i++)
		candidates += is_candidate(run, &run->table[i]);
	if (!candidates)
		return;
	fputs("<section>\n<h2>Which one to take</h2>\n<p>Of the rows that promise everything and "
	      "kept it in this run: exact times at every nesting level, after any gap. Rows within "
	      "2 % of the best are named together.</p>\n<div class=\"wide\" tabindex=\"0\">"
	      "<table class=\"guide\">\n<thead><tr><th scope=\"col\">you want</th><th scope=\"col\">"
	      "take</th><th scope=\"col\">the best has</th></tr></thead>\n<tbody>\n", out);
	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		put_answer(run, &questions[i], out);
	fputs("</tbody>\n</table></div>\n<ul>\n", out);
	put_needy(run, "beat", "<li>Not where a quiet machine shall sleep, or interrupts may be held "
			       "off for a wrap; they need a beat: ", out);
	put_needy(run, "masked interrupts", "<li>Not where writers can be interrupted by writers: ",
		  out);
	put_needy(run, "strict clock", "<li>Not with a clock that gives the same value twice: ", out);
	fputs("</ul>\n</section>\n", out);
}

/* ---- timelines ---- */

static void put_timeline(const json_t *line, bool open, FILE *out)
{
	fprintf(out, "<details%s><summary>", open ? " open" : "");
	text_html_code(out, text_of(line, "row"));
	fputs(" under ", out);
	text_html(out, text_of(line, "workload"));
	fputs(": ", out);
	text_html(out, text_of(line, "verdict"));
	fputs("</summary>\n<pre tabindex=\"0\">", out);
	/* Line by line: text_html() makes blanks of newlines. */
	for (const char *at = text_of(line, "first_violation"); *at;) {
		size_t length = strcspn(at, "\n");
		char *one = strndup(at, length);

		text_html(out, one ? one : "");
		fputc('\n', out);
		free(one);
		at += length + (at[length] == '\n');
	}
	fputs("</pre></details>\n", out);
}

static size_t put_timelines(const struct run *run, bool broken, FILE *out)
{
	static const char *const sections[] = { "stress", "late_beat", "idle" };
	size_t section, i, count = 0;
	const json_t *line;

	for (section = 0; section < sizeof(sections) / sizeof(sections[0]); section++)
		json_array_foreach(json_object_get(run->loaded.json, sections[section]), i, line) {
			if (!*text_of(line, "first_violation") ||
			    broken != !strcmp(text_of(line, "verdict"), "broken"))
				continue;
			count++;
			if (out)
				put_timeline(line, broken, out);
		}
	return count;
}

void report_timelines(const struct run *run, FILE *out)
{
	size_t broken = put_timelines(run, true, NULL), declared = put_timelines(run, false, NULL);

	if (!broken && !declared)
		return;
	fputs("<section>\n<h2>Wrong stamps, among their neighbours</h2>\n", out);
	if (broken)
		fputs("<p class=\"bad\">Broken promises:</p>\n", out);
	put_timelines(run, true, out);
	if (declared)
		fputs("<p>Wrong, and no broken promise: the row does not promise it, or a need of it "
		      "was not met.</p>\n", out);
	put_timelines(run, false, out);
	fputs("</section>\n", out);
}

/* ---- claims ---- */

void report_claims(const struct run *run, FILE *out)
{
	const json_t *claims = json_object_get(run->loaded.json, "claims"), *claim;
	static const char *const columns[] = { "claim", "where", "how tested", "verdict",
					       "our figure" };
	size_t i;

	if (!json_array_size(claims))
		return;
	fputs("<section>\n<h2>What the texts claim</h2>\n<p>The mails and notes that the schemes are "
	      "from, each checkable claim put to the test.</p>\n<div class=\"wide\" tabindex=\"0\">"
	      "<table class=\"sortable claims\">\n<thead><tr>", out);
	for (i = 0; i < 5; i++)
		fprintf(out, "<th scope=\"col\">%s</th>", columns[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
	json_array_foreach(claims, i, claim) {
		const char *verdict = text_of(claim, "verdict");

		fputs("<tr><td>", out);
		text_html(out, text_of(claim, "claim"));
		fputs("</td><td>", out);
		text_html(out, text_of(claim, "where"));
		fputs("</td><td>", out);
		text_html(out, text_of(claim, "how"));
		fprintf(out, "</td><td class=\"%s\">",
			!strcmp(verdict, "holds")   ? "holds" :
			!strcmp(verdict, "refuted") ? "refuted" : "condition");
		text_html(out, verdict);
		fputs("</td><td>", out);
		text_html(out, text_of(claim, "figure"));
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n</section>\n", out);
}

/* ---- raw data ---- */

void report_data(const struct run *run, const char *name, FILE *out)
{
	char *path = NULL, *line = NULL;
	size_t room = 0;
	FILE *in;

	if (asprintf(&path, "%s/plots/%s.dat", run->dir, name) < 0)
		return;
	in = fopen(path, "r");
	free(path);
	if (!in)
		return;
	fputs("<details><summary>data</summary>\n<pre tabindex=\"0\">", out);
	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		text_html(out, line);
		fputc('\n', out);
	}
	fputs("</pre></details>\n", out);
	free(line);
	fclose(in);
}

static void put_value(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, ",%.6g", value);
	else
		fputc(',', out);
}

void report_repetitions(const struct run *run, FILE *out)
{
	size_t i;

	if (!run->repetition_count)
		return;
	fputs("<details><summary>every repetition, as CSV</summary>\n<pre tabindex=\"0\">"
	      "cell,round,threads,cpu_time,unit,ns,ticks,cycles\n", out);
	for (i = 0; i < run->repetition_count; i++) {
		const struct repetition *one = &run->repetitions[i];

		text_html(out, one->name);
		fprintf(out, ",%.0f,%.0f", one->repetition_index, one->threads);
		put_value(out, one->cpu_time);
		fputc(',', out);
		text_html(out, one->time_unit ? one->time_unit : "");
		put_value(out, one->ns);
		put_value(out, one->ticks);
		put_value(out, one->cycles);
		fputc('\n', out);
	}
	fputs("</pre></details>\n", out);
}

void report_reproduce(const struct run *run, FILE *out)
{
	const char *command = text_of(run->loaded.json, "command");

	fputs("<li>To repeat the run: <code>", out);
	if (run->machine.revision) {
		fputs("git checkout ", out);
		text_html(out, run->machine.revision);
		fputs(" &amp;&amp; ", out);
	}
	text_html(out, *command ? command : "make bench");
	fputs("</code>. To draw it again: <code>make plots RUN=results/", out);
	text_html(out, run->name);
	fputs("</code>.</li>\n", out);
}
