// SPDX-License-Identifier: MIT
#include "runner/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "results/samples.h"

static const char after[] =
	"exit: 0 fine, 1 usage, 2 a promise broken, 3 no resource, 5 interrupted,\n"
	"      7 more than half of the ratios are too noisy to rank by (not with "
	"--quick)\n"
	"examples:\n"
	"  bench --quick\n"
	"  bench --schemes \"extended_header packed_word\" --workloads \"steady "
	"storm\"\n"
	"  bench --full --seed 7 --budget 600\n"
	"  bench --resume\n"
	"  bench --list --used-by lttng\n"
	"  bench --which bytes\n";

bool plan_parse(int argc, char **argv, struct plan *plan, int *status)
{
	const struct option_entry entries[] = {
		{ "quick", NULL, "run fewer and shorter repetitions, under 30 s", OPTION_FLAG,
		  .into = &plan->quick },
		{ "full", NULL, "run every row, every cell of wraps and nested, longer, and tails",
		  OPTION_FLAG, .into = &plan->full },
		{ "schemes", "\"A B\"",
		  "rows, or \"name*\" for all that begin so (default: all but variants)",
		  OPTION_TEXT, .into = &plan->schemes },
		{ "workloads", "\"X Y\"",
		  "such as steady storm wraps (default: all; --list names them)", OPTION_TEXT,
		  .into = &plan->workloads },
		{ "repetitions", "N", "rounds of the timed part (default 31, quick 7, full 41)",
		  OPTION_NUMBER, &plan->repetitions, .least = 1, .most = 1000 },
		{ "budget", "SECONDS",
		  "time to wait for cores that neighbours share, and for more rounds\n"
		  "of noisy cells (default 12, quick 10, full 240; the default also\n"
		  "keeps a quick run within 30 s and a standard one within 3 min)",
		  OPTION_NUMBER, &plan->budget, .most = 86400 },
		{ "cpus", "LIST", "CPUs, such as 0,2-3 (default: one per core first)", OPTION_TEXT,
		  .into = &plan->cpus },
		{ "seed", "N", "seed of the order of cells and of the storm (default 1)",
		  OPTION_NUMBER, &plan->seed, .most = UINT32_MAX },
		{ "results", "DIR", "record runs there (default results)", OPTION_TEXT,
		  .into = &plan->results },
		{ "resume", NULL, "finish the newest run in DIR that was interrupted or killed",
		  OPTION_FLAG, .into = &plan->resume },
		{ "json", "FILE", "write the whole record there, too (- is standard output)",
		  OPTION_TEXT, .into = &plan->json },
		{ "all", NULL, "print every table, some wider than 80 columns, not one screen",
		  OPTION_FLAG, .into = &plan->all },
		{ "which", "NEEDS",
		  "run nothing, print which row to take for needs such as\n"
		  "\"bytes several\"; a wrong word lists all needs",
		  OPTION_TEXT, .into = &plan->which },
		{ "list", NULL, "list rows and workloads", OPTION_FLAG, .into = &plan->list },
		{ "used-by", "NAME",
		  "list the rows that price this tracer's stamps (all: every tracer)", OPTION_TEXT,
		  .into = &plan->used_by },
		{ .name = NULL },
	};
	const struct option_program program = {
		.usage = "usage: bench [options]\n",
		.entries = entries,
		.after = after,
	};

	if (!options_parse(&program, argc, argv, status))
		return false;
	if (!plan->quick || !plan->full)
		return true;
	*status = fail_with(EXIT_USAGE, "--quick and --full exclude each other");
	return false;
}

void plan_list(void)
{
	unsigned int i;

	for (i = 0; drivers_timed[i]; i++)
		driver_list(stdout, drivers_timed[i]);
	workload_list(stdout);
}

json_t *plan_json(const struct plan *plan)
{
	json_int_t budget = plan->budget == PLAN_NO_BUDGET ? -1 : (json_int_t)plan->budget;

	return json_pack("{s:b, s:b, s:s, s:s, s:s, s:I, s:I, s:I}", "quick", plan->quick, "full",
			 plan->full, "schemes", plan->schemes ? plan->schemes : "", "workloads",
			 plan->workloads ? plan->workloads : "", "cpus",
			 plan->cpus ? plan->cpus : "", "repetitions", (json_int_t)plan->repetitions,
			 "seed", (json_int_t)plan->seed, "budget", budget);
}

static const char *text_or_null(const json_t *options, const char *key)
{
	const char *text = json_string_value(json_object_get(options, key));

	return text && *text ? text : NULL;
}

static uint64_t number(const json_t *options, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(options, key));
}

void plan_take(struct plan *plan, const json_t *options)
{
	plan->quick = json_is_true(json_object_get(options, "quick"));
	plan->full = json_is_true(json_object_get(options, "full"));
	plan->schemes = text_or_null(options, "schemes");
	plan->workloads = text_or_null(options, "workloads");
	plan->cpus = text_or_null(options, "cpus");
	plan->repetitions = number(options, "repetitions");
	plan->seed = number(options, "seed");
	plan->budget = number(options, "budget"); /* -1 is PLAN_NO_BUDGET */
}

/* The chosen rows, and with them the floors: every ratio needs one. */
static int choose_rows(struct plan *plan)
{
	const struct driver *asked[DRIVERS_MAX];
	bool all = !plan->schemes || !plan->schemes[strspn(plan->schemes, " ,")], wanted;
	int i, j, count = driver_select(drivers_checked, plan->schemes, asked, DRIVERS_MAX);

	if (count < 0)
		return EXIT_USAGE;
	for (i = 0, plan->count = 0; drivers_checked[i]; i++) {
		wanted = !all && driver_is_floor(drivers_checked[i]);
		for (j = 0; j < count && !wanted; j++)
			wanted = asked[j] == drivers_checked[i];
		if (wanted)
			plan->rows[plan->count++] = drivers_checked[i];
	}
	if (all && plan->size != SIZE_FULL)
		plan->count = driver_omit_variants(NULL, plan->rows, plan->count);
	plan->count = driver_omit_unsupported(plan->rows, plan->count);
	return 0;
}

int plan_choose(struct plan *plan)
{
	unsigned int i;

	plan->size = plan->quick ? SIZE_QUICK : plan->full ? SIZE_FULL : SIZE_STANDARD;
	if (!workload_choose(plan->workloads, plan->size, plan->chosen))
		return EXIT_USAGE;
	for (i = 0; workloads[i]; i++)
		if (plan->chosen[i] && !workload_benched(workloads[i]))
			return fail_with(EXIT_UNSUPPORTED, "%s is for run-stress, not for bench",
					 workloads[i]->name);
	return choose_rows(plan);
}

/* As a shell takes it. Names of rows and workloads, the only words here, have no quotes in them. */
json_t *plan_command(const struct plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *command;

	if (!out)
		return json_string("");
	fputs("make bench", out);
	if (plan->quick || plan->full)
		fputs(plan->quick ? " QUICK=1" : " FULL=1", out);
	if (plan->schemes)
		fprintf(out, " SCHEMES=\"%s\"", plan->schemes);
	if (plan->workloads)
		fprintf(out, " WORKLOADS=\"%s\"", plan->workloads);
	if (plan->repetitions)
		fprintf(out, " REPETITIONS=%" PRIu64, plan->repetitions);
	fprintf(out, " ARGS=\"--seed %" PRIu64, plan->seed);
	if (plan->cpus)
		fprintf(out, " --cpus %s", plan->cpus);
	if (plan->budget != PLAN_NO_BUDGET)
		fprintf(out, " --budget %" PRIu64, plan->budget);
	fputc('"', out);
	fclose(out);
	command = json_string(text);
	free(text);
	return command;
}
