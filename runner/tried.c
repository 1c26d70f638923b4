// SPDX-License-Identifier: MIT
#include "runner/run.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/json.h"
#include "judge/known.h"
#include "workloads/engine/engine.h"

static json_t *trial_json(const struct driver *row, enum verdict verdict,
			  const struct evidence *evidence)
{
	const struct row_trial *trial = evidence->trial;
	json_t *json = json_pack("{s:s, s:s, s:s, s:o}", "row", row->row, "verdict",
				 check_verdict_name(verdict), "why", trial->why, "played",
				 json_counts(trial->events, TRIAL_KINDS, trial_kind_name));

	engine_evidence_json(json, evidence);
	return json;
}

static bool stormed(const struct workload_bench *bench)
{
	const struct workload_form *form;
	unsigned int i;

	for (i = 0; workloads[i]; i++)
		for (form = workloads[i]->forms; form->section; form++)
			if ((bench->chosen[i] || workloads[i]->always) &&
			    engine_has_storm(workloads[i]) && form->seconds[bench->size] > 0)
				return true;
	return false;
}

int tried_rows(const struct workload_bench *bench, struct run *run)
{
	json_t *section = run_section(run, "trials");
	struct evidence evidence = { .check = NULL };
	enum verdict verdict;
	int i;

	for (i = 0; i < bench->count; i++) {
		progress_step(&run->progress, "trials", bench->rows[i]->row);
		evidence.trial = trial_of(bench->rows[i]);
		if (!evidence.trial)
			return fail_memory("the trial of a row");
		evidence.explored = known_of(bench->rows[i]->row)->verdict;
		verdict = verdict_of_row(&evidence, VERDICT_KEPT);
		run_judge(run, i, verdict,
			  evidence.trial->why[0] ? evidence.trial->why :
						   "a schedule of the explorer's quick tier");
		if (verdict != VERDICT_NO_PROMISE && !stormed(bench))
			run_judge(run, i, VERDICT_NOT_STORMED, "");
		json_array_append_new(section, trial_json(bench->rows[i], verdict, &evidence));
	}
	return 0;
}

/* A kind of trial that some rows did not have. */
static void add_kind(json_t *into, const struct workload_bench *bench, enum trial_kind kind,
		     const char *what)
{
	const struct row_trial *trial;
	char text[160];
	int i, lacking = 0;

	for (i = 0; i < bench->count; i++) {
		trial = trial_of(bench->rows[i]);
		lacking += trial && !trial->events[kind];
	}
	if (!lacking)
		return;
	snprintf(text, sizeof(text), "%s, in %d of %d rows", what, lacking, bench->count);
	json_array_append_new(into, json_string(text));
}

json_t *tried_not(const struct workload_bench *bench)
{
	json_t *into = json_array();

	if (!stormed(bench))
		json_array_append_new(into, json_string("signals: no storm was run"));
	else if (bench->cpus < 2)
		json_array_append_new(into, json_string("signals from another CPU: there is one "
							"CPU, so timers only"));
	add_kind(into, bench, TRIAL_GAPS, "gaps of all sizes");
	add_kind(into, bench, TRIAL_SLOW, "a clock whose every read takes a wrap");
	add_kind(into, bench, TRIAL_TIMED, "the timed code on the virtual clock");
	add_kind(into, bench, TRIAL_CHEAP, "the code of the cheap clock on the virtual clock");
	return into;
}
