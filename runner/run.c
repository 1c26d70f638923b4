// SPDX-License-Identifier: MIT
#include "runner/run.h"

#include <stdio.h>

#include "base/fail.h"
#include "judge/verdict.h"

void run_open(struct run *run, struct record *record, const struct driver *const *rows, int count)
{
	int i;

	run->record = record;
	run->sections = json_object();
	run->repetitions = json_array();
	run->rows = count;
	for (i = 0; i < count; i++)
		run->row[i] = (struct run_row){ .row = rows[i]->row, .worst_error = -1 };
}

void run_close(struct run *run)
{
	json_decref(run->sections);
	json_decref(run->repetitions);
}

json_t *run_section(struct run *run, const char *name)
{
	json_t *section = json_object_get(run->sections, name);

	if (section)
		return section;
	json_object_set_new(run->sections, name, json_array());
	return json_object_get(run->sections, name);
}

void run_set(struct run *run, const char *name, json_t *value)
{
	json_object_set_new(run->sections, name, value);
}

int run_record(struct run *run)
{
	const char *key;
	json_t *value;
	int error = 0;

	json_object_foreach(run->sections, key, value)
		error = error ? error : record_set(run->record, key, value);
	return error;
}

void run_judge(struct run *run, int row, enum verdict verdict, const char *why)
{
	struct run_row *its = &run->row[row];

	its->verdict = its->judged ? verdict_worse(its->verdict, verdict) : verdict;
	its->judged = true;
	if (verdict != VERDICT_BROKEN)
		return;
	run->broken = true;
	if (!its->why[0])
		snprintf(its->why, sizeof(its->why), "%s", why);
}

void run_broke(struct run *run, int row, const char *why)
{
	run_judge(run, row, VERDICT_BROKEN, why);
}

void run_complain(const struct run *run)
{
	const struct run_row *its;

	for (its = run->row; its < run->row + run->rows; its++)
		if (its->judged && its->verdict == VERDICT_BROKEN)
			fail_line("%s broke a promise in %s; run-stress --schemes =%s, or explore, "
				  "shows where",
				  its->row, its->why, its->row);
}
