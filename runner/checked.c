// SPDX-License-Identifier: MIT
#include "runner/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "workloads/engine/engine.h"

/* The name of the run. */
static const char *phase_of(const struct workload_form *form, const struct engine_config *config,
			    char name[64])
{
	if (form->on_timed)
		return form->on_timed;
	snprintf(name, 64, config->bits ? "%.40s %u bits" : "%.40s", config->workload->name,
		 config->bits);
	return name;
}

static void judge(struct run *run, int row, const struct workload_form *form, const char *phase,
		  const struct engine_config *config, const struct engine_result *result)
{
	enum verdict verdict = engine_verdict(config, result);
	struct run_row *its = &run->row[row];
	const struct check *check = &result->check;
	char why[sizeof(its->why)] = "";
	unsigned int oracle;

	for (oracle = 0; oracle < ORACLES; oracle++)
		if (check->violations[oracle])
			snprintf(why, sizeof(why), "%s: %s", phase, check->first[oracle].text);
	/* Such a workload shows how a row fares without what it needs. */
	if (verdict == VERDICT_NEED_NOT_MET && !(result->unmet & ~result->unmet_by_plan))
		verdict = VERDICT_KEPT;
	run_judge(run, row, verdict, why);
	if (form->worst_error && !config->driver->desc->untimed && check->events)
		its->worst_error = fmax(its->worst_error, (double)check->worst_error);
}

#define TRIES_MOST 3

/* A machine that was busy for a moment is late with a beat: such a row gets further tries. */
static bool to_be_tried_again(const struct engine_config *config,
			      const struct engine_result *result)
{
	return config->driver->desc->needs & NEED_BEAT && !result->unmet_by_plan &&
	       engine_verdict(config, result) == VERDICT_NEED_NOT_MET;
}

static int run_one(struct run *run, int row, const struct workload_form *form,
		   const struct engine_config *config, struct engine_result *result)
{
	json_t *into = run_section(run, form->section);
	const char *phase;
	char name[64];
	int error, tries = 0;

	phase = phase_of(form, config, name);
	progress_step(&run->progress, phase, run->row[row].row);
	do {
		error = engine_run(config, result);
		if (error || workload_stop)
			return error;
	} while (to_be_tried_again(config, result) && ++tries < TRIES_MOST);
	progress_done(&run->progress, config->seconds);
	judge(run, row, form, phase, config, result);
	json_array_append_new(into, engine_json(config, result));
	return 0;
}

/* Where fields are narrow, rows that nobody may interrupt have nothing to show. */
static bool takes_part(const struct workload_form *form, const struct driver *row)
{
	return !form->bits || !(row->desc->needs & NEED_MASKED_INTERRUPTS);
}

static int run_form(const struct workload *workload, const struct workload_form *form,
		    const struct workload_bench *bench, struct run *run)
{
	const struct workload_engine *engine = workload->engine;
	struct engine_result *result = malloc(sizeof(*result));
	struct engine_config config = {
		.workload = workload,
		.seconds = form->seconds[bench->size],
		.levels = INTERRUPT_LEVELS,
		.threads = engine->threads ? engine->threads : 1,
		.seed = bench->seed,
		.place = bench->place,
		.pu = bench->pu,
		.cpus = bench->cpus < 2 ? 1 : 2,
		.has_sender = engine_has_storm(workload) && bench->cpus > 1,
	};
	int i, error = result ? 0 : fail_memory("a checked run");

	for (i = 0; i < bench->count && !error && !workload_stop; i++) {
		if (!takes_part(form, bench->rows[i]) ||
		    (engine->takes && !engine->takes(bench->rows[i])))
			continue;
		config.driver = form->on_timed ? driver_find(drivers_timed, bench->rows[i]->row) :
						 bench->rows[i];
		config.bits =
			bench->rows[i]->desc->needs & NEED_BEAT ? form->beaten_bits : form->bits;
		error = run_one(run, i, form, &config, result);
	}
	free(result);
	return error ? error : workload_stop ? EXIT_INTERRUPTED : 0;
}

int checked_forms(const struct workload *workload, const struct workload_bench *bench,
		  struct run *run)
{
	const struct workload_form *form;
	int error = 0;

	for (form = workload->forms; form->section && !error; form++) {
		if (workload->engine->two_cpus && bench->cpus < 2)
			printf("%s skipped: it needs two CPUs, not one\n", workload->name);
		else if (form->seconds[bench->size] > 0)
			error = run_form(workload, form, bench, run);
	}
	return error;
}

double checked_forms_seconds(const struct workload *workload, const struct workload_bench *bench)
{
	const struct workload_form *form;
	double seconds = 0;

	for (form = workload->forms; form->section; form++)
		seconds += form->seconds[bench->size] * bench->count;
	return seconds;
}

/* ---- what a section asks of the bench ---- */

static void step(void *arg, const char *section, const char *what)
{
	progress_step(&((struct run *)arg)->progress, section, what);
}

static void done(void *arg, double seconds)
{
	progress_done(&((struct run *)arg)->progress, seconds);
}

static void broke(void *arg, int row, const char *why)
{
	run_broke(arg, row, why);
}

int checked_section(const struct workload *workload, struct workload_bench *bench, struct run *run)
{
	int error;

	bench->arg = run;
	bench->step = step;
	bench->done = done;
	bench->broke = broke;
	error = workload->measure(bench, run_section(run, workload->name));
	return error ? error : workload_stop ? EXIT_INTERRUPTED : 0;
}
