// SPDX-License-Identifier: MIT
#include "explore/searched.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/child.h"
#include "base/exit.h"
#include "explore/beside.h"
#include "explore/pace.h"
#include "explore/verdicts.h"
#include "judge/export.h"

/* A family of a row, and what was found. In memory that processes share. */
struct task {
	const struct driver *driver; /* NULL: of the object that is named */
	const struct family *family;
	int searches; /* or a negative errno */
	struct findings findings;
	struct search first; /* in which the first schedule failed */
};

struct search_plan {
	const struct explore_options *options;
	struct task *task;
	unsigned int tasks;
	unsigned int processes; /* that each task's searches are split over */
	bool beside; /* tasks are run in other processes */
	/* Of the row whose tasks are being taken. */
	struct findings sum;
	int searches;
	/* Of all rows. */
	unsigned int taken;
	int worst;
};

static void print_findings(const char *row, const char *what, const struct findings *findings,
			   int searches, bool verbose)
{
	uint64_t broken = findings->verdicts[VERDICT_BROKEN];
	uint64_t unmet = findings->verdicts[VERDICT_NEED_NOT_MET];
	unsigned int i;

	printf("%-26s %-44s %4d %12" PRIu64 " %8.2f s", row, what, searches, findings->schedules,
	       findings->seconds);
	if (findings->outcomes)
		printf("  %" PRIu64 " outcomes %016" PRIx64, findings->outcomes,
		       findings->outcomes_hash);
	if (broken) {
		printf("  BROKEN %" PRIu64 ":", broken);
		for (i = 0; i < FINDINGS; i++)
			if (findings->objections[i])
				printf(" %s %" PRIu64, findings_name(i), findings->objections[i]);
	} else if (unmet) {
		printf("  kept where needs are met (%" PRIu64 " not)", unmet);
	} else {
		printf("  kept");
	}
	if (verbose)
		printf(", %" PRIu64 " stops, %" PRIu64 " states, %" PRIu64 " inexact and %" PRIu64
		       " extended of %" PRIu64,
		       findings->stops, findings->states, findings->inexact, findings->extended,
		       findings->decoded);
	if (findings->stuck)
		printf(", gave up in %" PRIu64, findings->stuck);
	if (findings->damage.wrong && unmet)
		printf(", times wrong in %" PRIu64 ": at most %" PRIu64 " events, by %" PRIu64
		       ", until %s",
		       findings->damage.schedules, findings->damage.wrong, findings->damage.worst,
		       check_damage_end_name(findings->damage.until));
	putchar('\n');
	fflush(stdout);
}

/* Loading a file that ends too early would be a bus error. */
static bool is_whole(const char *path)
{
	FILE *file = fopen(path, "rb");
	ElfW(Ehdr) header;
	bool good = file && fread(&header, sizeof(header), 1, file) == 1 &&
		    !memcmp(header.e_ident, ELFMAG, SELFMAG) && !fseek(file, 0, SEEK_END) &&
		    (uint64_t)ftell(file) >=
			    header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;

	if (file && !good)
		fail_line("%s is not a whole object: remove it, and make it again", path);
	if (file)
		fclose(file);
	return !file || good; /* world_load() speaks of one that is not there */
}

int searched_load(const struct explore_options *options, const char *row,
		  const struct family *family)
{
	char path[4096];
	int error;

	if (options->object)
		snprintf(path, sizeof(path), "%s", options->object);
	else
		snprintf(path, sizeof(path), "%s/%s.%s%s.so", options->objects, row, family->shape,
			 family->stops == STOPS_POINTS ? ".points" : "");
	if (!is_whole(path))
		return -ENOEXEC;
	error = world_load(path);
	if (error)
		return error;
	options->show->shape = world_row.shape;
	options->show->object = options->object;
	if (options->show->export && export_refused(world_row.driver, options->show->ctf2))
		return -ENOTSUP;
	if (!family->budget.discards || !world_row.defers || world_row.discards)
		return 0;
	fail_line("--discards: %s puts interrupts off and has no discard: leave it "
		  "out",
		  row);
	return -ENOTSUP;
}

bool searched_wanted(const struct explore_options *options, const struct family *family,
		     const struct driver *driver)
{
	/* To a row that needs no beat, one is an interrupt like others; two are that search again.
	 */
	if (family->budget.beats > 1 && !(driver->desc->needs & NEED_BEAT))
		return false;
	return (int)family->tier <= options->tier && !(family->main_rows && driver->variant) &&
	       (family->budget.writers <= 1 || driver->desc->shared_promises);
}

int searched_failed(int error, const char *row)
{
	if (error == -ENOTSUP)
		return EXIT_UNSUPPORTED;
	if (error != -EINTR)
		return error == -ENOSPC || error == -EACCES || error == -ENOENT ? EXIT_RESOURCE :
										  EXIT_USAGE;
	fflush(stdout);
	fail_line("interrupted while %s was searched; what is above is complete", row);
	return EXIT_INTERRUPTED;
}

/* ---- one family of one row ---- */

static const char *row_of(const struct search_plan *plan, const struct task *task)
{
	return task->driver ? task->driver->row : plan->options->object;
}

/* The error of one of the same row's tasks before this one; 0: there is none. */
static int failed_before(const struct search_plan *plan, const struct task *task)
{
	const struct task *other;

	for (other = task; other > plan->task && other[-1].driver == task->driver; other--)
		if (other[-1].searches < 0)
			return other[-1].searches;
	return 0;
}

/* The number of searches, or a negative errno. */
static int run(const struct search_plan *plan, struct task *task)
{
	const struct explore_options *options = plan->options;
	const struct family *family = task->family;
	struct search search = options->search;
	int error = failed_before(plan, task), searches;

	if (!error)
		error = searched_load(options, row_of(plan, task), family);
	if (error)
		return error;
	if (!options->single && family_too_large(family, options->tier))
		return 0;
	search.progress = pace_progress;
	pace_family(row_of(plan, task), family);
	searches = family_run(family, &search, plan->processes, &task->findings, &task->first);
	pace_done();
	return searches;
}

static void run_beside(void *arg, unsigned int number)
{
	struct search_plan *plan = arg;

	pace_quiet();
	plan->task[number].searches = run(plan, &plan->task[number]);
}

static void add_to_sum(struct search_plan *plan, const struct task *task)
{
	const struct findings *findings = &task->findings;
	struct findings *sum = &plan->sum;

	plan->searches += task->searches;
	sum->schedules += findings->schedules;
	sum->seconds += findings->seconds;
	sum->stuck += findings->stuck;
	sum->verdicts[VERDICT_BROKEN] += findings->verdicts[VERDICT_BROKEN];
	sum->verdicts[VERDICT_NEED_NOT_MET] += findings->verdicts[VERDICT_NEED_NOT_MET];
}

/* Prints and records what was found. Negative errno. */
static int take_family(struct search_plan *plan, const struct task *task)
{
	const struct explore_options *options = plan->options;
	const struct findings *findings = &task->findings;
	bool broken = findings->verdicts[VERDICT_BROKEN];
	char what[128];
	int error = 0;

	if (plan->beside)
		error = searched_load(options, row_of(plan, task), task->family);
	if (error)
		return error;
	verdicts_add(task->family, task->searches, findings, &task->first, options->show);
	add_to_sum(plan, task);
	family_format(task->family, what, sizeof(what));
	if (options->verbose || options->single || broken)
		print_findings(world_row.row, what, findings, task->searches, options->verbose);
	if (broken || (options->verbose && findings->verdicts[VERDICT_NEED_NOT_MET]))
		show_failure(options->show, &task->first, &findings->first, &error);
	return error;
}

/* All families of a row have been taken. */
static void take_row(struct search_plan *plan, const struct task *task)
{
	if (!plan->options->single)
		print_findings(row_of(plan, task), "", &plan->sum, plan->searches, false);
	if (plan->sum.verdicts[VERDICT_BROKEN])
		plan->worst = EXIT_BROKEN;
}

/* What could not be searched ends all, unless it is the row's own fault. */
static int take_error(struct search_plan *plan, struct task *task, int error)
{
	int status = searched_failed(error, row_of(plan, task));

	task->searches = error;
	if (status != EXIT_UNSUPPORTED)
		return status;
	plan->worst = plan->worst ? plan->worst : status;
	return 0;
}

static int take(void *arg, unsigned int number)
{
	struct search_plan *plan = arg;
	struct task *task = &plan->task[number];
	bool last = number + 1 == plan->tasks || task[1].driver != task->driver;
	int error = task->searches < 0 ? task->searches : 0, status = 0;

	if (plan->beside)
		pace_clear();
	if (!failed_before(plan, task)) {
		if (task->searches > 0)
			error = take_family(plan, task);
		if (error)
			status = take_error(plan, task, error);
		else if (last)
			take_row(plan, task);
	}
	if (last) {
		plan->sum = (struct findings){ .schedules = 0 };
		plan->searches = 0;
	}
	plan->taken++;
	return status;
}

/* ---- all of them ---- */

static void add_task(struct search_plan *plan, const struct driver *driver,
		     const struct family *family)
{
	plan->task[plan->tasks].driver = driver;
	plan->task[plan->tasks++].family = family;
}

static void add_row(struct search_plan *plan, const struct driver *driver)
{
	const struct family *family;

	if (plan->options->single) {
		add_task(plan, driver, &plan->options->family);
		return;
	}
	for (family = families; family->shape; family++)
		if (searched_wanted(plan->options, family, driver))
			add_task(plan, driver, family);
}

static int run_all(struct search_plan *plan)
{
	const struct beside beside = {
		.count = plan->tasks,
		.processes = plan->options->processes,
		.arg = plan,
		.run = run_beside,
		.take = take,
		.tick = pace_say_all,
	};
	unsigned int i;
	int status = 0;

	for (i = 0; i < plan->tasks && !status && !plan->beside; i++) {
		plan->task[i].searches = run(plan, &plan->task[i]);
		status = take(plan, i);
	}
	if (plan->beside) {
		status = beside_run(&beside);
		pace_clear();
		if (search_interrupted)
			status = searched_failed(-EINTR, row_of(plan, &plan->task[plan->taken]));
	}
	return status ? status : plan->worst;
}

int searched_rows(const struct explore_options *options, const struct driver *const *rows,
		  unsigned int count)
{
	size_t room = (count + 1) * families_count() * sizeof(struct task);
	struct search_plan plan = { .options = options, .processes = options->processes };
	double seconds = 0;
	unsigned int i;
	int status;

	plan.task = child_share(room);
	if (!plan.task)
		return EXIT_RESOURCE;
	if (!count)
		add_row(&plan, NULL);
	for (i = 0; i < count; i++)
		add_row(&plan, rows[i]);
	for (i = 0; i < plan.tasks; i++)
		seconds += pace_weight(plan.task[i].family);
	pace_begin(seconds);
	/* One row alone has its searches split. */
	plan.beside = count > 1 && options->processes > 1;
	if (plan.beside)
		plan.processes = 1;
	status = run_all(&plan);
	child_unshare(plan.task, room);
	return status;
}
