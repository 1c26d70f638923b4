// SPDX-License-Identifier: MIT
/* bench: what the record says of the rows and of itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_phases.h"

static json_t *promises_of(uint32_t promises)
{
	json_t *names = json_array();
	unsigned int bit;

	for (bit = 1; bit & PROMISE_ALL; bit <<= 1)
		if (promises & bit)
			json_array_append_new(
				names, json_string(check_promise_name((enum scheme_promise)bit)));
	return names;
}

static json_t *needs_of(uint32_t needs)
{
	static const struct {
		enum scheme_need need;
		const char *name;
	} all[] = {
		{ NEED_BEAT, "beat" },
		{ NEED_MASKED_INTERRUPTS, "masked interrupts" },
		{ NEED_STRICT_CLOCK, "strict clock" },
	};
	json_t *names = json_array();
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (needs & all[i].need)
			json_array_append_new(names, json_string(all[i].name));
	return names;
}

json_t *bench_schemes(const struct bench *bench)
{
	json_t *lines = json_array();
	int i;

	for (i = 0; i < bench->rows; i++) {
		const struct scheme_desc *desc = bench->row[i]->desc;

		json_array_append_new(
			lines, json_pack("{s:s, s:s, s:s, s:o, s:o, s:i}", "row",
					 bench->row[i]->row, "title", desc->title, "source",
					 desc->source, "promises", promises_of(desc->promises),
					 "needs", needs_of(desc->needs), "stamp_bits",
					 (int)bench->row[i]->stamp_bits));
	}
	return lines;
}

/* As a shell takes it. Names of rows and workloads, the only words here, have no quotes in them. */
json_t *bench_command(const struct bench *bench)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *command;

	if (!out)
		return json_string("");
	fputs("make bench", out);
	if (bench->quick || bench->full)
		fputs(bench->quick ? " QUICK=1" : " FULL=1", out);
	if (bench->schemes)
		fprintf(out, " SCHEMES=\"%s\"", bench->schemes);
	if (bench->workloads)
		fprintf(out, " WORKLOADS=\"%s\"", bench->workloads);
	if (bench->repetitions)
		fprintf(out, " REPETITIONS=%" PRIu64, bench->repetitions);
	fprintf(out, " ARGS=\"--seed %" PRIu64, bench->seed);
	if (bench->cpus)
		fprintf(out, " --cpus %s", bench->cpus);
	if (bench->budget_set)
		fprintf(out, " --budget %" PRIu64, bench->budget);
	fputc('"', out);
	fclose(out);
	command = json_string(text);
	free(text);
	return command;
}
