// SPDX-License-Identifier: MIT
#include "explore/family/verdicts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/file.h"
#include "base/json.h"

static json_t *rows, *arguments;

int verdicts_begin(int argc, char **argv)
{
	int i;

	rows = json_array();
	arguments = json_array();
	for (i = 1; i < argc; i++)
		json_array_append_new(arguments, json_string(argv[i]));
	return rows && arguments ? 0 : EXIT_RESOURCE;
}

/* The object of a row; rows come one after the other. */
static json_t *row_of(const char *name, const char *title)
{
	json_t *last = json_array_get(rows, json_array_size(rows) - 1);

	if (last && !strcmp(json_string_value(json_object_get(last, "row")), name))
		return last;
	last = json_pack("{s:s, s:s, s:{}, s:[]}", "row", name, "title", title, "objects",
			 "families");
	json_array_append_new(rows, last);
	return last;
}

static json_t *objections(const struct findings *findings)
{
	json_t *json = json_object();
	unsigned int i;

	for (i = 0; i < FINDINGS; i++)
		if (findings->objections[i])
			json_object_set_new(json, findings_name(i),
					    json_integer((json_int_t)findings->objections[i]));
	return json;
}

/* What was searched has to be the same in all parts of a search. */
static void add_object(json_t *row, const char *shape, const char *path)
{
	json_t *objects = json_object_get(row, "objects");
	char hash[FILE_HASH_BYTES];

	if (!json_object_get(objects, shape))
		json_object_set_new(objects, shape,
				    file_hash(path, hash) ? json_null() : json_string(hash));
}

/* The command that repeats the schedule, and its timeline; null if none failed. */
static json_t *timeline(const struct search *first, const struct failure *failure,
			const struct show *show)
{
	struct show quiet = *show;
	char *text = NULL;
	size_t bytes;
	int error = 0;
	json_t *json;

	quiet.out = failure->verdict ? open_memstream(&text, &bytes) : NULL;
	if (!quiet.out)
		return json_null();
	show_failure(&quiet, first, failure, &error);
	fclose(quiet.out);
	json = json_string(text);
	free(text);
	return json;
}

bool verdicts_owed(const struct family *family)
{
	const struct scheme_desc *desc = world_row.driver ? world_row.driver->desc : NULL;
	bool several = family && family->budget.writers > 1;

	return !desc || (several ? desc->shared_promises : desc->promises) & PROMISES_OF_TIME;
}

static json_t *found(const struct family *family, const struct findings *findings)
{
	json_t *json = json_pack(
		"{s:I, s:f, s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, "
		"s:s}}",
		"schedules", (json_int_t)findings->schedules, "seconds", findings->seconds,
		"verdict",
		findings->verdicts[VERDICT_BROKEN]	 ? "broken" :
		!verdicts_owed(family)			 ? "no promise" :
		findings->verdicts[VERDICT_NEED_NOT_MET] ? "need not met" :
							   "kept",
		"broken", (json_int_t)findings->verdicts[VERDICT_BROKEN], "need_not_met",
		(json_int_t)findings->verdicts[VERDICT_NEED_NOT_MET], "objections",
		objections(findings), "gave_up", (json_int_t)findings->stuck, "decoded",
		(json_int_t)findings->decoded, "extended", (json_int_t)findings->extended,
		"inexact", (json_int_t)findings->inexact, "stops", (json_int_t)findings->stops,
		"states", (json_int_t)findings->states, "damage", "schedules",
		(json_int_t)findings->damage.schedules, "wrong", (json_int_t)findings->damage.wrong,
		"worst", (json_int_t)findings->damage.worst, "until",
		check_damage_end_name(findings->damage.until));
	char hash[17];

	if (!findings->outcomes)
		return json;
	snprintf(hash, sizeof(hash), "%016" PRIx64, findings->outcomes_hash);
	json_object_set_new(json, "outcomes", json_integer((json_int_t)findings->outcomes));
	json_object_set_new(json, "outcomes_hash", json_string(hash));
	return json;
}

void verdicts_add(const char *object, const struct family *family, int searches,
		  const struct findings *findings, const struct search *first,
		  const struct show *show)
{
	json_t *json, *row;
	unsigned int part;
	char text[128];

	if (!rows)
		return;
	family_words(family, text, sizeof(text));
	json = json_pack("{s:s, s:s, s:s, s:s, s:i}", "what", family->what ? family->what : "",
			 "shape", family->shape, "budget", text, "clock",
			 start_clocks[family->clock], "searches", searches);
	for (part = 0; part < BUDGET_PARTS; part++)
		json_object_set_new(json, budget_parts[part].name,
				    json_integer(budget_of(&family->budget, part)));
	json_object_set_new(json, "skew", json_integer((json_int_t)family->skew));
	json_object_update_new(json, found(family, findings));
	json_object_set_new(json, "first", timeline(first, &findings->first, show));
	row = row_of(world_row.row, world_row.driver->desc->title);
	add_object(row, family->shape, object);
	json_array_append_new(json_object_get(row, "families"), json);
}

void verdicts_add_trial(const struct driver *driver, const char *why)
{
	const struct findings findings = { .verdicts[VERDICT_BROKEN] = 1 };
	json_t *json;

	if (!rows)
		return;
	json = json_pack("{s:s, s:s, s:s, s:i, s:s}", "what", "trial", "shape", "", "budget",
			 "before any interrupt", "searches", 0, "first", why);
	json_object_update_new(json, found(NULL, &findings));
	json_array_append_new(json_object_get(row_of(driver->row, driver->desc->title), "families"),
			      json);
}

int verdicts_write(const char *path, int status)
{
	char program[FILE_HASH_BYTES] = "";
	json_t *json;

	file_hash("/proc/self/exe", program);
	json = json_pack("{s:i, s:s, s:O, s:i, s:O}", "schema", 1, "program", program, "arguments",
			 arguments, "status", status, "rows", rows);
	status = json_out(path, json);
	json_decref(json);
	json_decref(rows);
	json_decref(arguments);
	rows = arguments = NULL;
	return status;
}
