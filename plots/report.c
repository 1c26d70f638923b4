// SPDX-License-Identifier: MIT
/* The page: report.html. Its style is in report.css, carried inside the program. */
#include "plots/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/explored_section.h"
#include "plots/guide.h"
#include "plots/kernel_section.h"
#include "plots/output.h"
#include "plots/page_head.h"
#include "plots/report_parts.h"
#include "plots/scripts.h"
#include "plots/svg.h"
#include "plots/table.h"
#include "plots/words.h"

/* The hash as the policy wants it: base64 of what the Makefile gives in hexadecimal. */
static const char *script_hash(char text[45])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *hex = REPORT_JS_SHA256;
	unsigned int byte[33] = { 0 }, group, i;
	char *to = text;

	for (i = 0; i < 32; i++)
		if (sscanf(hex + 2 * i, "%2x", &byte[i]) != 1)
			return "";
	for (i = 0; i < 33; i += 3) {
		group = byte[i] << 16 | byte[i + 1] << 8 | byte[i + 2];
		*to++ = digits[group >> 18];
		*to++ = digits[group >> 12 & 63];
		*to++ = digits[group >> 6 & 63];
		*to++ = i == 30 ? '=' : digits[group & 63];
	}
	*to = '\0';
	return text;
}

static void put_script(FILE *out)
{
	size_t size;
	const char *script = script_text("report_js", &size);

	fputs("<script>", out);
	fwrite(script, 1, size, out);
	fputs("</script>\n", out);
}

static void put_intro(const struct run *run, const struct markup *to)
{
	FILE *out = to->out;
	const struct machine *machine = &run->machine;

	fputs("<header>\n<h1>Stampede: which stamps are right, and what they cost</h1>\n"
	      "<p class=\"sub\">Ways for a tracer to stamp its events with time, in one ring "
	      "buffer, under the same interrupts. Run <code>", out);
	text_html(out, run->name);
	fputs("</code>", out);
	if (machine->cpu) {
		fputs(" on ", out);
		text_html(out, machine->cpu);
	}
	if (machine->date) {
		fputs(", ", out);
		text_html(out, machine->date);
	}
	fputs(".</p>\n</header>\n<main>\n<section>\n<h2>Verdict</h2>\n", out);
	if (!run->loaded.complete)
		fputs("<p class=\"bad\"><strong>This run never finished:</strong> there is no "
		      "table and no verdict, only the repetitions up to its end.</p>\n", out);
	fprintf(out, "<p class=\"verdict %s\">", words_broken(run) ? "bad" : "good");
	words_summary(run, to);
	fputs("</p>\n", out);
}

/* Their names beside the verdict; what to do about them stands after the guide. */
static void put_disturbed(const struct run *run, FILE *out)
{
	size_t i, shown = 0;

	for (i = 0; i < run->warning_count; i++) {
		if (strcmp(run->warnings[i].state, "yes"))
			continue;
		fputs(shown++ ? ", " : "<p><a href=\"#disturbed\">What disturbed the times</a>: ", out);
		text_html(out, run->warnings[i].name);
	}
	if (shown)
		fputs(".</p>\n", out);
}

static void put_warnings(const struct run *run, FILE *out)
{
	size_t i, shown = 0;

	if (!run->warning_count)
		return;
	fputs("<section id=\"disturbed\">\n<h2>What disturbed the times</h2>\n", out);
	for (i = 0; i < run->warning_count; i++) {
		const struct warning *warning = &run->warnings[i];
		bool sure = !strcmp(warning->state, "yes");

		if (!strcmp(warning->state, "no"))
			continue;
		if (!shown++)
			fputs("<ul class=\"warnings\">\n", out);
		fprintf(out, "<li><strong>%s: ", sure ? "Disturbs" : "Unknown");
		text_html(out, warning->name);
		fputs(".</strong> ", out);
		text_html(out, warning->cause ? warning->cause : "");
		if (warning->remedy && *warning->remedy) {
			fputs(". <em>Remedy:</em> ", out);
			text_html(out, warning->remedy);
		}
		fputs(".</li>\n", out);
	}
	fputs(shown ? "</ul>\n" : "<p>Nothing was found that disturbs times on this machine.</p>\n",
	      out);
	fputs("</section>\n", out);
}

static const char *verdict_class(const char *verdict)
{
	static const char *const classes[] = { "kept", "none", "unmet", "broken" };

	return classes[data_class(verdict)];
}

static void put_table_row(const struct run *run, const struct table_row *row, bool workload,
			  FILE *out)
{
	char cell[TABLE_CELL_BYTES];
	const char *detail;
	int column;

	fputs("<tr><th scope=\"row\"><code>", out);
	text_html(out, row->row);
	fputs("</code></th>", out);
	if (workload) {
		fputs("<td>", out);
		text_html(out, row->workload ? row->workload : "");
		fputs("</td>", out);
	}
	for (column = 0; column < TABLE_COLUMNS; column++) {
		if (column == TABLE_VERDICT)
			fprintf(out, "<td class=\"%s\">", verdict_class(row->verdict));
		else
			report_number(out, table_value(row, (enum table_column)column),
				      column == TABLE_ERROR);
		text_html(out, table_cell(row, (enum table_column)column, cell));
		detail = column == TABLE_VERDICT ? row->why :
			 table_detail(run, row, (enum table_column)column, cell);
		if (detail && *detail) {
			fputs("<small>", out);
			text_html(out, detail);
			fputs("</small>", out);
		}
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

static void put_table(const struct run *run, FILE *out)
{
	bool workload = table_many_workloads(run);
	const char *source = NULL;
	size_t i;
	int column;

	fputs("<section>\n<h2>Table</h2>\n", out);
	if (!run->table_count) {
		fputs("<p>This run has no table (section <code>table</code>).</p>\n</section>\n",
		      out);
		return;
	}
	fputs("<div class=\"wide\" tabindex=\"0\"><table class=\"sortable results\">\n"
	      "<caption>Per event; medians, with quartiles "
	      "below. The ratio is to the lowest floor in the same round, with the 95 % "
	      "interval below; noisy: that is wider than the run aimed at. Its own floor publishes and "
	      "writes its records in the row's form; the cheap clock costs next to nothing. "
	      "Beyond the decile is what a mean has "
	      "above <code>ns</code>. "
	      "A row that broke a promise gets no time. A click on a column's title sorts.", out);
	for (i = 0; i < run->table_count && !source; i++)
		source = run->table[i].instructions_source;
	if (source) {
		fputs(" Instructions were counted by ", out);
		text_html(out, source);
		fputc('.', out);
	}
	fputs("</caption>\n<thead><tr><th scope=\"col\">row</th>", out);
	if (workload)
		fputs("<th scope=\"col\">workload</th>", out);
	for (column = 0; column < TABLE_COLUMNS; column++) {
		fprintf(out, "<th scope=\"col\"%s>", column == TABLE_VERDICT ? "" : " class=\"n\"");
		text_html(out, table_titles[column]);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (i = 0; i < run->table_count; i++)
		put_table_row(run, &run->table[i], workload, out);
	fputs("</tbody>\n</table></div>\n", out);
	fputs("<p>", out);
	report_beside_table(run, &(struct markup){ .out = out, .text = text_html,
						   .code = text_html_code });
	fputs("</p>\n", out);
	fputs("</section>\n", out);
}

static void put_promise_row(const struct storm_row *row, double bits, FILE *out)
{
	int promise;

	fputs("<tr><th scope=\"row\"><code>", out);
	text_html(out, row->row);
	fputs("</code>", out);
	if (isfinite(bits))
		fprintf(out, " %.0f bits", bits);
	if (!run_storm_checked(row))
		fputs("<small>no event checked</small>", out);
	fputs("</th>", out);
	for (promise = 0; promise < RUN_PROMISES; promise++) {
		const char *word = row->promises[promise];

		fprintf(out, "<td class=\"%s\">", verdict_class(word));
		text_html(out, word ? word : "not judged");
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

static void put_promises(const struct run *run, const struct markup *to)
{
	FILE *out = to->out;
	size_t i;
	unsigned int promise;

	fputs("<section>\n<h2>Promises</h2>\n<p>", out);
	words_storm(run, to);
	fputs("</p>\n", out);
	if (!run->storm_count) {
		fputs("</section>\n", out);
		return;
	}
	fputs("<dl>\n", out);
	for (promise = 0; promise < RUN_PROMISES; promise++) {
		fprintf(out, "<dt>%s: <span>%s</span></dt>\n<dd>", run_promises[promise],
			words_promise(promise));
		if (!words_fared(run, promise, to))
			fputs("Nothing was said of it in this run.", out);
		fputs("</dd>\n", out);
	}
	fputs("</dl>\n<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">row</th>", out);
	for (promise = 0; promise < RUN_PROMISES; promise++)
		fprintf(out, "<th scope=\"col\">%s</th>", run_promises[promise]);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (i = 0; i < run->storm_count; i++)
		put_promise_row(&run->storm[i], run_storm_bits(run, &run->storm[i]), out);
	fputs("</tbody>\n</table></div>\n</section>\n", out);
}

/* In a box of its own that scrolls where the screen is too narrow for its letters. */
static void put_svg(FILE *out, const struct figure *figure, const char *prefix, const char *title)
{
	fputs("<div class=\"plot\" tabindex=\"0\">\n", out);
	svg_inline(out, figure->svg.data, prefix, title);
	fputs("</div>\n", out);
}

static void put_figure(const struct run *run, enum plot plot, const struct figure *figure,
		       const struct markup *to)
{
	const struct plot_desc *desc = &plot_descs[plot];
	FILE *out = to->out;
	char prefix[32];

	if (figure->state == FIGURE_ABSENT) {
		fprintf(out, "<p class=\"absent\"><strong>%s:</strong> left out, %s.</p>\n",
			desc->title, desc->absent);
		return;
	}
	fprintf(out, "<figure id=\"%s\">\n", desc->name);
	snprintf(prefix, sizeof(prefix), "%s-", desc->name);
	if (figure->state == FIGURE_DRAWN)
		put_svg(out, figure, prefix, desc->title);
	else
		fprintf(out, "<p class=\"absent\"><strong>%s:</strong> not drawn, see the error of "
			"<code>build/plots</code>; the data is there.</p>", desc->title);
	fputs("<figcaption>", out);
	words_plot(run, plot, to);
	fprintf(out, " Beside this page: <a href=\"plots/%s.gp\">script</a>", desc->name);
	if (figure->state == FIGURE_DRAWN)
		fprintf(out, ", <a href=\"plots/%s.svg\">SVG</a>, <a href=\"plots/%s.png\">PNG</a>",
			desc->name, desc->name);
	fputs(".</figcaption>\n", out);
	report_data(run, desc->name, out);
	fputs("</figure>\n", out);
}

/* All scalars of the record's context: their paths, and what stands there. */
static void put_values(FILE *out, const char *path, const json_t *value)
{
	char inner[256], *text;
	const char *key;
	json_t *member;

	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, member) {
			snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "", key);
			put_values(out, inner, member);
		}
		return;
	}
	fputs("<tr><th scope=\"row\">", out);
	text_html(out, path);
	fputs("</th><td>", out);
	text = json_is_string(value) ? NULL :
				       json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	text_html(out, json_is_string(value) ? json_string_value(value) :
		       json_is_null(value)   ? "unknown" :
		       text		     ? text :
					       "");
	free(text);
	fputs("</td></tr>\n", out);
}

static void put_harness(const struct run *run, FILE *out)
{
	char text[TEXT_FIGURE_BYTES];

	if (run->loop_cycles >= 0)
		fprintf(out, "<li>The loop without a scheme takes %s cycles per event.</li>\n",
			text_figure(text, run->loop_cycles));
	if (run->loop_ns >= 0)
		fprintf(out, "<li>The loop without a scheme takes %s ns per event.</li>\n",
			text_figure(text, run->loop_ns));
	if (isfinite(run->decode_events_per_second))
		fprintf(out, "<li>Decoding and all oracles take %s events per second.</li>\n",
			text_short(text, run->decode_events_per_second));
}

static void put_machine(const struct run *run, FILE *out)
{
	fprintf(out, "<section>\n<h2>Machine, and how it was run</h2>\n<ul>\n<li>%zu repetitions "
		"in all, a process for each round, rounds shuffled, the floor in every round."
		"</li>\n",
		run->repetition_count);
	put_harness(run, out);
	fputs("</ul>\n<div class=\"wide\" tabindex=\"0\"><table class=\"machine\">\n<tbody>\n", out);
	put_values(out, "", json_object_get(run->loaded.json, "context"));
	fputs("</tbody>\n</table></div>\n</section>\n<section>\n<h2>Raw data and reproduction"
	      "</h2>\n<ul>\n<li><a href=\"", out);
	/* Beside this page, so that a copied directory still works. */
	text_html(out, strrchr(run->loaded.file, '/') ? strrchr(run->loaded.file, '/') + 1 :
						       run->loaded.file);
	fputs("\">", out);
	text_html(out, run->loaded.file);
	fputs("</a>: every repetition, in Google Benchmark's JSON.</li>\n"
	      "<li><a href=\"plots/\">plots/</a>: data, scripts and pictures; change a script and "
	      "run <code>gnuplot cost.gp</code> there.</li>\n", out);
	report_reproduce(run, out);
	fputs("</ul>\n", out);
	report_repetitions(run, out);
	fputs("</section>\n", out);
}

static int put_page(const struct run *run, const struct figure *figures)
{
	struct markup to = { .text = text_html, .code = text_html_code };
	char hash[45];
	struct page page;
	int plot;

	if (page_begin(&page))
		return PLOTS_RESOURCE;
	to.out = page.out;
	page_head(page.out, run->name, script_hash(hash));
	put_intro(run, &to);
	put_disturbed(run, page.out);
	fputs("</section>\n", page.out);
	put_table(run, page.out);
	guide_html(run, page.out);
	put_warnings(run, page.out);
	put_promises(run, &to);
	report_timelines(run, page.out);
	report_claims(run, page.out);
	fputs("<section>\n<h2>Plots</h2>\n", page.out);
	for (plot = 0; plot < PLOTS; plot++)
		put_figure(run, (enum plot)plot, &figures[plot], &to);
	fputs("</section>\n", page.out);
	explored_section(json_object_get(run->loaded.json, "explored"), page.out);
	kernel_section(json_object_get(run->loaded.json, "kernel"), page.out);
	put_machine(run, page.out);
	fputs("</main>\n", page.out);
	put_script(page.out);
	fputs("</body>\n</html>\n", page.out);
	return page_end(&page, PLOTS_FINE, run->dir, "report.html");
}

int report_write(const struct run *run, const struct figure *figures)
{
	int status = report_markdown(run, figures);

	return status ? status : put_page(run, figures);
}
