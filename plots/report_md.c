// SPDX-License-Identifier: MIT
/* The run in Markdown: report.md, as GitHub renders it. */
#include "plots/report.h"

#include "plots/guide.h"
#include "plots/output.h"
#include "plots/report_parts.h"
#include "plots/table.h"
#include "plots/words.h"

static void put_line(FILE *out, bool workload, const char *first, const char *rest,
		     const char *number)
{
	int column;

	fprintf(out, "|%s|", first);
	if (workload)
		fprintf(out, "%s|", rest);
	for (column = 0; column < TABLE_COLUMNS; column++)
		fprintf(out, "%s|", column == TABLE_VERDICT ? rest : number);
	fputc('\n', out);
}

static void put_titles(FILE *out, bool workload)
{
	int column;

	fputs("| row |", out);
	if (workload)
		fputs(" workload |", out);
	for (column = 0; column < TABLE_COLUMNS; column++)
		fprintf(out, " %s |", table_titles[column]);
	fputc('\n', out);
	put_line(out, workload, "---", "---", "--:");
}

static void put_rows(const struct run *run, bool workload, FILE *out)
{
	char cell[TABLE_CELL_BYTES];
	size_t i;
	int column;

	for (i = 0; i < run->table_count; i++) {
		const struct table_row *row = &run->table[i];

		fputs("| ", out);
		text_markdown_code(out, row->row);
		if (workload) {
			fputs(" | ", out);
			text_markdown(out, row->workload ? row->workload : "");
		}
		for (column = 0; column < TABLE_COLUMNS; column++) {
			fputs(" | ", out);
			text_markdown(out, table_cell(row, (enum table_column)column, cell));
			if (column != TABLE_ERROR ||
			    !*table_detail(run, row, TABLE_ERROR, cell))
				continue;
			fprintf(out, " (%s)", cell);
		}
		fputs(" |\n", out);
	}
}

static void put_table(const struct run *run, const struct markup *to)
{
	const struct machine *machine = &run->machine;
	bool workload = table_many_workloads(run);

	if (!run->table_count) {
		fputs("This run has no table.\n\n", to->out);
		return;
	}
	fputs("<!-- table: begin -->\n", to->out);
	put_titles(to->out, workload);
	put_rows(run, workload, to->out);
	fputs("\nPer event, medians; the ratio is to the lowest floor in the same round. ", to->out);
	report_beside_table(run, to);
	if (machine->cpu)
		to->text(to->out, machine->cpu);
	if (machine->compiler) {
		fputs(", ", to->out);
		to->text(to->out, machine->compiler);
	}
	fputs(", run ", to->out);
	to->code(to->out, run->name);
	fputs(".\n<!-- table: end -->\n\n", to->out);
}

static void put_promises(const struct run *run, const struct markup *to)
{
	unsigned int promise;

	fputs("## Promises\n\n", to->out);
	words_storm(run, to);
	fputs("\n\n", to->out);
	for (promise = 0; run->storm_count && promise < RUN_PROMISES; promise++) {
		fprintf(to->out, "- **%s** (%s). ", run_promises[promise], words_promise(promise));
		if (!words_fared(run, promise, to))
			fputs("Nothing was said of it in this run.", to->out);
		fputc('\n', to->out);
	}
	if (run->storm_count)
		fputc('\n', to->out);
}

int report_markdown(const struct run *run, const struct figure *figures)
{
	struct markup to = { .text = text_markdown, .code = text_markdown_code };
	struct page page;
	int plot;

	if (page_begin(&page))
		return PLOTS_RESOURCE;
	to.out = page.out;
	fputs("# Stampede: which stamps are right, and what they cost\n\n", page.out);
	words_summary(run, &to);
	fputs("\n\n", page.out);
	put_table(run, &to);
	guide_markdown(run, page.out);
	put_promises(run, &to);
	fputs("## Plots\n\n", page.out);
	for (plot = 0; plot < PLOTS; plot++) {
		const struct plot_desc *desc = &plot_descs[plot];

		if (figures[plot].state == FIGURE_ABSENT) {
			fprintf(page.out, "%s: left out, %s.\n\n", desc->title, desc->absent);
			continue;
		}
		if (figures[plot].state == FIGURE_DRAWN)
			fprintf(page.out, "![%s](plots/%s.svg)\n\n", desc->title, desc->name);
		words_plot(run, (enum plot)plot, &to);
		fputs("\n\n", page.out);
	}
	return page_end(&page, PLOTS_FINE, run->dir, "report.md");
}
