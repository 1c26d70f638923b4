// SPDX-License-Identifier: MIT
/* bench: what a killed run leaves to go on with, and whether this is the program to do so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/bench.h"
#include "results/metadata.h"
#include "base/options.h"

#define PLAN "plan"
#define ITERATIONS "iterations"
#define NO_PROMISE "no promise"

/* FNV-1a of this very program: another build's times do not go with the ones there are. */
static bool hash_program(char text[17])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	FILE *in = fopen("/proc/self/exe", "r");
	unsigned char part[65536];
	size_t size, i;
	bool good;

	if (!in)
		return false;
	while ((size = fread(part, 1, sizeof(part), in)) > 0)
		for (i = 0; i < size; i++)
			hash = (hash ^ part[i]) * UINT64_C(0x100000001b3);
	good = !ferror(in);
	fclose(in);
	snprintf(text, 17, "%016" PRIx64, hash);
	return good;
}

/* What the user asked for; equal plans make runs that go together. */
static json_t *options_json(const struct bench *bench)
{
	return json_pack("{s:b, s:b, s:s, s:s, s:s, s:I, s:I, s:I}", "quick", bench->quick, "full",
			 bench->full, "schemes", bench->schemes ? bench->schemes : "", "workloads",
			 bench->workloads ? bench->workloads : "", "cpus",
			 bench->cpus ? bench->cpus : "", "repetitions",
			 (json_int_t)bench->repetitions, "seed", (json_int_t)bench->seed, "budget",
			 bench->budget_set ? (json_int_t)bench->budget : -1);
}

static json_t *plan_json(const struct bench *bench)
{
	char alias[METADATA_ALIAS_BYTES], program[17];

	if (!hash_program(program))
		return NULL;
	metadata_host_alias(NULL, alias, sizeof(alias));
	return json_pack("{s:o, s:s, s:s}", "options", options_json(bench), "machine", alias,
			 "program", program);
}

/* Texts stay the record's. */
static const char *text_or_null(const json_t *options, const char *key)
{
	const char *text = json_string_value(json_object_get(options, key));

	return text && *text ? text : NULL;
}

static void take_options(struct bench *bench, const json_t *options)
{
	json_int_t budget = json_integer_value(json_object_get(options, "budget"));

	bench->quick = json_is_true(json_object_get(options, "quick"));
	bench->full = json_is_true(json_object_get(options, "full"));
	bench->schemes = text_or_null(options, "schemes");
	bench->workloads = text_or_null(options, "workloads");
	bench->cpus = text_or_null(options, "cpus");
	bench->repetitions =
		(uint64_t)json_integer_value(json_object_get(options, "repetitions"));
	bench->seed = (uint64_t)json_integer_value(json_object_get(options, "seed"));
	bench->budget_set = budget >= 0;
	bench->budget = budget >= 0 ? (uint64_t)budget : 0;
}

static int refuse(const struct bench *bench, const char *why)
{
	fprintf(stderr, "stampede: %s cannot be resumed: %s; start a run without --resume\n",
		record_dir(bench->record), why);
	return EXIT_USAGE;
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

int bench_resume(struct bench *bench)
{
	struct bench plain = { .seed = 1 };
	json_t *asked = options_json(bench), *nothing = options_json(&plain);
	json_t *mine = plan_json(bench);
	const json_t *plan, *options;
	int error = record_resume(bench->results, &bench->record);

	if (!error) {
		plan = record_part(bench->record, PLAN);
		options = json_object_get(plan, "options");
		if (!plan || !mine)
			error = refuse(bench, "its plan is not there");
		else if (!same(plan, mine, "machine"))
			error = refuse(bench, "it was begun on another machine");
		else if (!same(plan, mine, "program"))
			error = refuse(bench, "it was begun by another build of bench");
		else if (!json_equal(asked, nothing) && !json_equal(asked, options))
			error = refuse(bench, "it was begun with other options");
		else
			take_options(bench, options);
	}
	if (error) {
		record_abort(bench->record);
		bench->record = NULL;
	}
	json_decref(asked);
	json_decref(nothing);
	json_decref(mine);
	return error;
}

/* The plan goes before the first part: a run that never got there is not worth going on with. */
static int add_part(struct bench *bench, const char *key, json_t *value)
{
	json_t *plan;
	int error = 0;

	if (!record_part(bench->record, PLAN)) {
		plan = plan_json(bench);
		error = record_add_part(bench->record, PLAN, plan);
		json_decref(plan);
	}
	if (!error)
		error = record_add_part(bench->record, key, value);
	json_decref(value);
	return error;
}

static const char *verdict_of(const char *name)
{
	int i;

	for (i = VERDICT_KEPT; i <= VERDICT_NOT_PROMISED; i++)
		if (!strcmp(name, check_verdict_name((enum verdict)i)))
			return check_verdict_name((enum verdict)i);
	return NO_PROMISE;
}

static void checked_key(const struct bench *bench, const char *phase, int row, char key[160])
{
	snprintf(key, 160, "%s/%s", phase, bench->row[row]->row);
}

const json_t *bench_checked(struct bench *bench, const char *phase, int row)
{
	const json_t *part, *verdict;
	char key[160];

	checked_key(bench, phase, row, key);
	part = record_part(bench->record, key);
	if (!part)
		return NULL;
	verdict = json_object_get(part, "verdict");
	bench->verdict[row] = json_is_string(verdict) ? verdict_of(json_string_value(verdict)) :
							NULL;
	snprintf(bench->why[row], sizeof(bench->why[row]), "%s",
		 json_string_value(json_object_get(part, "why")));
	bench->worst_error[row] = json_number_value(json_object_get(part, "worst_error"));
	bench->broken |= json_is_true(json_object_get(part, "broken"));
	return json_object_get(part, "result");
}

int bench_keep_checked(struct bench *bench, const char *phase, int row, json_t *result)
{
	char key[160];

	checked_key(bench, phase, row, key);
	return add_part(bench, key,
			json_pack("{s:s?, s:s, s:f, s:b, s:O}", "verdict", bench->verdict[row],
				  "why", bench->why[row], "worst_error", bench->worst_error[row],
				  "broken", bench->broken, "result", result));
}

/* Events per repetition, so that all repetitions of a cell are alike. */
int bench_calibrate(struct bench *bench)
{
	const json_t *kept = record_part(bench->record, ITERATIONS);
	struct rounds *rounds = &bench->rounds;
	json_t *iterations;
	unsigned int i;
	int error;

	if (json_array_size(kept) == rounds->cells) {
		for (i = 0; i < rounds->cells; i++)
			rounds->cell[i].iterations =
				(uint64_t)json_integer_value(json_array_get(kept, i));
		return 0;
	}
	error = rounds_calibrate(rounds);
	if (error)
		return error;
	iterations = json_array();
	for (i = 0; i < rounds->cells; i++)
		json_array_append_new(iterations,
				      json_integer((json_int_t)rounds->cell[i].iterations));
	return add_part(bench, ITERATIONS, iterations);
}
