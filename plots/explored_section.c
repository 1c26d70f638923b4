// SPDX-License-Identifier: MIT
#include "plots/explored_section.h"

#include <stdbool.h>
#include <string.h>

#include "plots/text.h"

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void put_count(FILE *out, double count)
{
	char text[TEXT_FIGURE_BYTES];

	fprintf(out, "<td class=\"n\" data-v=\"%.0f\">%s</td>", count, text_count(text, count));
}

/* What all families of a row come to. */
struct row_sum {
	double schedules, broken, unmet, deepest;
};

static struct row_sum sum_row(const json_t *row)
{
	struct row_sum sum = { .schedules = 0 };
	const json_t *family;
	size_t i;

	json_array_foreach(json_object_get(row, "families"), i, family) {
		sum.schedules += number(family, "schedules");
		sum.broken += number(family, "broken");
		sum.unmet += number(family, "need_not_met");
		if (number(family, "nested") > sum.deepest)
			sum.deepest = number(family, "nested");
	}
	return sum;
}

static void put_row(const json_t *row, FILE *out)
{
	struct row_sum sum = sum_row(row);
	char text[TEXT_FIGURE_BYTES];

	fputs("<tr><th scope=\"row\">", out);
	text_html_code(out, word(row, "row"));
	fputs("</th>", out);
	put_count(out, (double)json_array_size(json_object_get(row, "families")));
	put_count(out, sum.deepest);
	put_count(out, sum.schedules);
	if (sum.broken > 0)
		fprintf(out, "<td class=\"broken\">broken<small>in %s</small></td>",
			text_count(text, sum.broken));
	else if (sum.unmet > 0)
		fprintf(out, "<td class=\"unmet\">kept where needs are met<small>in %s not</small>"
			"</td>", text_count(text, sum.unmet));
	else
		fputs("<td class=\"kept\">kept</td>", out);
	fputs("</tr>\n", out);
}

static void put_rows(const json_t *explored, FILE *out)
{
	const json_t *row;
	size_t i;

	fputs("<div class=\"wide\" tabindex=\"0\"><table class=\"sortable\">\n<caption>Budgets "
	      "searched to their end, the most interrupts in one of them, schedules in all</caption>\n"
	      "<thead><tr><th scope=\"col\">row</th><th scope=\"col\" class=\"n\">budgets</th>"
	      "<th scope=\"col\" class=\"n\">interrupts</th><th scope=\"col\" class=\"n\">schedules"
	      "</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n", out);
	json_array_foreach(json_object_get(explored, "rows"), i, row)
		put_row(row, out);
	fputs("</tbody>\n</table></div>\n", out);
}

/* The budgets, as the row that has most of them was searched. */
static void put_budgets(const json_t *explored, FILE *out)
{
	const json_t *row, *family, *most = NULL;
	size_t i;

	json_array_foreach(json_object_get(explored, "rows"), i, row) {
		family = json_object_get(row, "families");
		if (json_array_size(family) > json_array_size(most))
			most = family;
	}
	if (!most)
		return;
	fputs("<details><summary>the budgets</summary>\n<p>M events, NB interrupts, D deep, JB jumps "
	      "of the clock; a row takes part in those that mean something for it.</p>\n<ul>\n", out);
	json_array_foreach(most, i, family) {
		fputs("<li>", out);
		text_html(out, word(family, "what"));
		fputs(": ", out);
		text_html_code(out, word(family, "budget"));
		fputs("</li>\n", out);
	}
	fputs("</ul></details>\n", out);
}

static void put_limit(const json_t *limit, FILE *out)
{
	char text[TEXT_FIGURE_BYTES];

	fputs("<details><summary>", out);
	text_html(out, word(limit, "name"));
	fputs(": ", out);
	text_html_code(out, word(limit, "row"));
	fputs(", ", out);
	text_html(out, word(limit, "form"));
	fputs("</summary>\n<p>", out);
	text_html(out, word(limit, "what"));
	fprintf(out, " Found in %s", text_count(text, number(limit, "failing")));
	fprintf(out, " of %s schedules of the budget <code>",
		text_count(text, number(limit, "schedules")));
	text_html(out, word(limit, "budget"));
	fputs("</code>", out);
	if (!(number(limit, "failing") > 0))
		fprintf(out, ": %.0f stamp events beside %.0f others", number(limit, "extended"),
			number(limit, "decoded"));
	fputs(".</p>\n<pre tabindex=\"0\">", out);
	text_html_lines(out, word(limit, "timeline"));
	fputs("</pre></details>\n", out);
}

/* Only where a row of today broke: the first schedule that did. */
static void put_broken(const json_t *explored, FILE *out)
{
	const json_t *row, *family;
	size_t i, j;

	json_array_foreach(json_object_get(explored, "rows"), i, row)
		json_array_foreach(json_object_get(row, "families"), j, family) {
			if (strcmp(word(family, "verdict"), "broken"))
				continue;
			fputs("<p class=\"bad\">", out);
			text_html_code(out, word(row, "row"));
			fputs(" breaks a promise.</p>\n<pre tabindex=\"0\">", out);
			text_html_lines(out, word(family, "first"));
			fputs("</pre>\n", out);
			break;
		}
}

void explored_section(const json_t *explored, FILE *out)
{
	const json_t *limit;
	size_t i;

	if (!json_is_object(explored))
		return;
	fputs("<section id=\"explored\">\n<h2>Every interrupt</h2>\n<p>Every way that interrupts can "
	      "fall within a budget, each searched to its end and judged by all oracles; <code>make "
	      "verdicts TIER=", out);
	text_html(out, word(explored, "tier"));
	fputs("</code> of ", out);
	text_html(out, word(explored, "date"));
	fputs(", revision <code>", out);
	text_html(out, word(explored, "revision"));
	fputs("</code>.</p>\n", out);
	put_broken(explored, out);
	put_rows(explored, out);
	put_budgets(explored, out);
	if (json_array_size(json_object_get(explored, "limits")))
		fputs("<h3>Known limits</h3>\n<p>Each found again in the same run, at a small budget: "
		      "who interrupts whom, and what a reader decodes.</p>\n", out);
	json_array_foreach(json_object_get(explored, "limits"), i, limit)
		put_limit(limit, out);
	fputs("</section>\n", out);
}
