// SPDX-License-Identifier: MIT
#include "plots/report_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plots/text.h"

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

/* ---- beside the table ---- */

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

__attribute__((format(printf, 2, 3))) static void say(const struct markup *to, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	to->text(to->out, text);
}

static void say_again(const json_t *again, const struct markup *to)
{
	if (!isfinite(number_of(again, "noise")))
		return;
	to->code(to->out, text_of(again, "row"));
	say(to, " was measured twice: %.3f times itself (95 %%: %.3f to %.3f), so rows that differ by "
	    "less than %.1f %% are not told apart in this run. ", number_of(again, "ratio"),
	    number_of(again, "ratio_95_low"), number_of(again, "ratio_95_high"),
	    100 * number_of(again, "noise"));
}

void report_beside_table(const struct run *run, const struct markup *to)
{
	const json_t *beats = json_object_get(run->loaded.json, "beats"), *line;
	size_t i, said = 0;

	say_again(json_object_get(run->loaded.json, "again"), to);
	json_array_foreach(beats, i, line) {
		if (!isfinite(number_of(line, "beat_ns")))
			continue;
		say(to, "%s", said++ ? "; " :
			"No cell is long enough for a beat, and no decile would show it: ");
		to->code(to->out, text_of(line, "row"));
		say(to, " pays %.0f ns for one, %.1f times per second, %.1f us in each second",
		    number_of(line, "beat_ns"), number_of(line, "beats_per_second"),
		    number_of(line, "ns_per_second") / 1e3);
	}
	if (said)
		say(to, ".");
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
	text_html_lines(out, text_of(line, "first_violation"));
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
