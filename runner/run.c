// SPDX-License-Identifier: MIT
#include "runner/run.h"

#include <stdio.h>
#include <string.h>

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
		run->row[i] = (struct run_row){
			.row = rows[i]->row,
			.worst_error = -1,
			.void_error = -1,
		};
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

static enum verdict verdict_of(const char *name)
{
	enum verdict verdict = VERDICT_KEPT;

	while (verdict < VERDICT_NO_PROMISE && strcmp(name, check_verdict_name(verdict)) != 0)
		verdict++;
	return verdict;
}

void run_judge(struct run *run, int row, enum verdict verdict, const char *why)
{
	struct run_row *its = &run->row[row];

	if (verdict == VERDICT_BROKEN)
		run_broke(run, row, why);
	else if (its->verdict)
		its->verdict = check_verdict_name(verdict_worse(verdict_of(its->verdict), verdict));
	else
		its->verdict = check_verdict_name(verdict);
}

void run_broke(struct run *run, int row, const char *why)
{
	run->broken = true;
	run->row[row].verdict = check_verdict_name(VERDICT_BROKEN);
	if (run->row[row].why[0])
		return;
	snprintf(run->row[row].why, sizeof(run->row[row].why), "%s", why);
}

void run_complain(const struct run *run)
{
	const char *broken = check_verdict_name(VERDICT_BROKEN);
	const struct run_row *its;

	for (its = run->row; its < run->row + run->rows; its++)
		if (its->verdict && !strcmp(its->verdict, broken))
			fail_line("%s broke a promise in %s; run-stress --schemes =%s shows where",
				  its->row, its->why, its->row);
}
