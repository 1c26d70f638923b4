// SPDX-License-Identifier: MIT
#include "runner/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "results/metadata.h"

#define PLAN "plan"

json_t *resume_identity(json_t *options)
{
	char alias[METADATA_ALIAS_BYTES], program[17];

	/* Another build's times do not go with the ones there are. */
	if (file_hash("/proc/self/exe", program)) {
		json_decref(options);
		return NULL;
	}
	metadata_host_alias(NULL, alias, sizeof(alias));
	return json_pack("{s:o, s:s, s:s}", "options", options, "machine", alias, "program",
			 program);
}

static const json_t *part_of(const json_t *plan, const char *key)
{
	return json_object_get(plan, key);
}

/* Why the run that `plan` says was begun is none of mine; NULL: it is. */
static const char *why_not(const json_t *plan, const json_t *mine, const json_t *nothing)
{
	if (!plan || !mine)
		return "its plan is not there";
	if (!json_equal(part_of(plan, "machine"), part_of(mine, "machine")))
		return "it was begun on another machine";
	if (!json_equal(part_of(plan, "program"), part_of(mine, "program")))
		return "it was begun by another build of bench";
	if (!json_equal(part_of(mine, "options"), nothing) &&
	    !json_equal(part_of(mine, "options"), part_of(plan, "options")))
		return "it was begun with other options";
	return NULL;
}

int resume_find(const char *results, const json_t *mine, const json_t *nothing,
		struct record **record, const json_t **options)
{
	int error = record_resume(results, record);
	const json_t *plan;
	const char *why;

	if (error)
		return error;
	plan = record_part(*record, PLAN);
	why = why_not(plan, mine, nothing);
	if (!why) {
		*options = part_of(plan, "options");
		return 0;
	}
	error = fail_with(EXIT_USAGE, "%s cannot be resumed: %s; start a run without --resume",
			  record_dir(*record), why);
	record_abort(*record);
	*record = NULL;
	return error;
}

int resume_begin(struct record *record, json_t *mine)
{
	return record_part(record, PLAN) ? 0 : record_add_part(record, PLAN, mine);
}
