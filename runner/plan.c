// SPDX-License-Identifier: MIT
#include "runner/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "results/samples.h"

static const char after[] =
	"exit: 0 fine, 1 usage, 2 a promise broken, 3 no resource, 5 interrupted,\n"
	"      7 --rank PERCENT was asked for, and not reached; noise alone is no error\n"
	"examples:\n"
	"  bench --quick\n"
	"  bench --schemes \"extended_header packed_word\" --workloads \"steady "
	"storm\"\n"
	"  bench --full --seed 7\n"
	"  bench --list --used-by lttng\n"
	"  bench --which bytes\n";

enum { KEPT = 1, MAKE = 2, RARE = 4 };

static const struct plan_option {
	const char *name;
	enum option_kind kind;
	unsigned int how;
	size_t offset; /* in struct plan */
} options[] = {
#define X(name, kind, member, how, ...) { name, OPTION_##kind, how, offsetof(struct plan, member) },
#include "runner/plan.def"
#undef X
	{ .name = NULL },
};

const struct plan plan_usual = {
#define X(name, kind, member, how, usual, ...) .member = usual,
#include "runner/plan.def"
#undef X
};

bool plan_parse(int argc, char **argv, struct plan *plan, int *status)
{
	const struct option_entry entries[] = {
#define X(name, kind, member, how, usual, argument, from, to, help) \
	{ name, \
	  argument, \
	  help, \
	  OPTION_##kind, \
	  &plan->member, \
	  .least = (uint64_t)(from), \
	  .most = (uint64_t)(to), \
	  .low = from, \
	  .high = to, \
	  .rare = (how)&RARE },
#include "runner/plan.def"
#undef X
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

static json_t *plan_json(const struct plan *plan)
{
	json_t *json = json_object(), *value;
	const struct plan_option *option;
	const void *said;

	for (option = options; option->name; option++) {
		if (!(option->how & KEPT))
			continue;
		said = (const char *)plan + option->offset;
		if (option->kind == OPTION_FLAG)
			value = json_boolean(*(const plan_FLAG *)said);
		else if (option->kind == OPTION_NUMBER)
			value = json_integer(*(const plan_NUMBER *)said);
		else
			value = json_string(*(const plan_TEXT *)said ?: "");
		json_object_set_new(json, option->name, value);
	}
	return json;
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

/* Those that are not as usual, as variables of make's or as words of ARGS. */
static void say(FILE *out, const json_t *plan, const json_t *usual, unsigned int make)
{
	const struct plan_option *option;
	const json_t *value;
	const char *letter;

	for (option = options; option->name; option++) {
		value = json_object_get(plan, option->name);
		if ((option->how & MAKE) != make || !value ||
		    json_equal(value, json_object_get(usual, option->name)))
			continue;
		fputs(make ? " " : "--", out);
		for (letter = option->name; *letter; letter++)
			fputc(make ? toupper(*letter) : *letter, out);
		fputc(make ? '=' : ' ', out);
		if (json_is_string(value))
			fprintf(out, make ? "\"%s\"" : "%s ", json_string_value(value));
		else
			fprintf(out, make ? "%" PRId64 : "%" PRId64 " ",
				json_is_true(value) + (int64_t)json_integer_value(value));
	}
}

/* As a shell takes it. Names of rows and workloads, the only words here, have no quotes in them. */
json_t *plan_command(const struct plan *plan)
{
	json_t *json = plan_json(plan), *usual = plan_json(&plan_usual), *command;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		fputs("make bench", out);
		say(out, json, usual, MAKE);
		fputs(" ARGS=\"", out);
		json_object_set_new(usual, "seed", json_integer((json_int_t)plan->seed));
		say(out, json, usual, 0);
		fprintf(out, "--seed %" PRIu64 "\"", plan->seed);
		fclose(out);
	}
	command = json_string(text ? text : "");
	free(text);
	json_decref(json);
	json_decref(usual);
	return command;
}
