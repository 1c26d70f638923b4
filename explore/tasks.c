// SPDX-License-Identifier: MIT
#include "explore/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/child.h"
#include "base/exit.h"
#include "base/fail.h"
#include "explore/load.h"
#include "explore/family/verdicts.h"

void tasks_print(const char *row, const struct family *family, const struct findings *findings,
		 int searches, bool verbose)
{
	uint64_t broken = findings->verdicts[VERDICT_BROKEN];
	uint64_t unmet = findings->verdicts[VERDICT_NEED_NOT_MET];
	const struct scheme_desc *desc = world_row.driver ? world_row.driver->desc : NULL;
	bool owed = verdicts_owed(family);
	char worst[256], what[256] = "";
	unsigned int i;

	if (family)
		family_format(family, what, sizeof(what));
	printf("%-26s %-44s %4d %12" PRIu64 " %8.2f s", row, what, searches, findings->schedules,
	       findings->seconds);
	if (findings->worst.steps) {
		replay_format(findings->worst.action, findings->worst.actions, worst,
			      sizeof(worst));
		printf("  worst %" PRIu32 " instructions, --replay '%s'", findings->worst.steps,
		       worst);
	}
	if (findings->outcomes)
		printf("  %" PRIu64 " outcomes %016" PRIx64, findings->outcomes,
		       findings->outcomes_hash);
	for (i = 0; i < FINDINGS_OUTCOMES && findings->outcome[i]; i++)
		printf(" %" PRIx64, findings->outcome[i]);
	if (broken) {
		printf("  BROKEN %" PRIu64 ":", broken);
		for (i = 0; i < FINDINGS; i++)
			if (findings->objections[i])
				printf(" %s %" PRIu64, findings_name(i), findings->objections[i]);
	} else if (!unmet || !owed) {
		printf(owed ? "  kept" : "  no promise");
	} else {
		printf("  kept where %s (%" PRIu64 " not)",
		       !desc || desc->needs & ~(uint32_t)NEED_FORWARD_CLOCK || desc->gap_bits ?
			       "needs are met" :
			       "the clock goes forward",
		       unmet);
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

int tasks_failed(int error, const char *row)
{
	if (error == -ENOTSUP)
		return EXIT_UNSUPPORTED;
	if (error != -EINTR)
		return error == -ENOSPC || error == -EACCES || error == -ENOENT ||
				       error == -ENOMEM ?
			       EXIT_RESOURCE :
			       EXIT_USAGE;
	fflush(stdout);
	fail_line("interrupted while %s was searched; the lines above are complete", row);
	return EXIT_INTERRUPTED;
}

const char *tasks_row(const struct tasks *tasks, const struct task *task)
{
	return task->driver ? task->driver->row : tasks->options->object;
}

int tasks_failed_before(const struct tasks *tasks, const struct task *task)
{
	const struct task *other;

	for (other = task; other > tasks->task && other[-1].driver == task->driver; other--)
		if (other[-1].searches < 0)
			return other[-1].searches;
	return 0;
}

/* Prints and records what was found. Negative errno. */
static int take_family(struct tasks *tasks, const struct task *task, bool load)
{
	const struct explore_options *options = tasks->options;
	const struct findings *findings = &task->findings;
	bool broken = findings->verdicts[VERDICT_BROKEN];
	char path[4096];
	int error = load ? load_row(options, tasks_row(tasks, task), task->family) : 0;

	if (error)
		return error;
	load_path(options, world_row.row, task->family, path, sizeof(path));
	verdicts_add(path, task->family, task->searches, findings, &task->first, options->show);
	tasks->searches += task->searches;
	findings_add(&tasks->sum, findings);
	tasks->sum.damage.wrong = 0; /* each family says it */
	if (options->verbose || options->single || broken)
		tasks_print(world_row.row, task->family, findings, task->searches,
			    options->verbose);
	if (broken || (options->verbose && findings->verdicts[VERDICT_NEED_NOT_MET]))
		show_failure(options->show, &task->first, &findings->first, &error);
	show_keep(options->show, &task->first, &findings->first);
	return error;
}

/* All families of a row have been taken. */
static void take_row(struct tasks *tasks, const struct task *task)
{
	if (!tasks->options->single)
		tasks_print(tasks_row(tasks, task), NULL, &tasks->sum, tasks->searches, false);
	if (tasks->sum.verdicts[VERDICT_BROKEN])
		tasks->worst = EXIT_BROKEN;
}

/* What could not be searched ends all, unless it is the row's own fault. */
static int take_error(struct tasks *tasks, struct task *task, int error)
{
	int status = tasks_failed(error, tasks_row(tasks, task));

	task->searches = error;
	if (status != EXIT_UNSUPPORTED)
		return status;
	tasks->worst = tasks->worst ? tasks->worst : status;
	return 0;
}

int tasks_take(struct tasks *tasks, bool load)
{
	struct task *task = &tasks->task[tasks->taken];
	bool last = tasks->taken + 1 == tasks->count || task[1].driver != task->driver;
	int error = task->searches < 0 ? task->searches : 0, status = 0;

	if (!tasks_failed_before(tasks, task)) {
		if (task->searches > 0)
			error = take_family(tasks, task, load);
		if (error)
			status = take_error(tasks, task, error);
		else if (last)
			take_row(tasks, task);
	}
	if (last) {
		tasks->sum = (struct findings){ .schedules = 0 };
		tasks->searches = 0;
	}
	tasks->taken++;
	return status;
}

static bool is_of_row(const struct family *family, const struct driver *driver)
{
	/* To a row that needs no beat one is an interrupt, and two are that search again. */
	if (family->budget.beats > 1 && !(driver->desc->needs & NEED_BEAT))
		return false;
	/* Many of its events have the same stamp, and the timed payload says no more of them. */
	if (driver->desc->ages && !strcmp(family->shape, "timed"))
		return false;
	return !(family->main_rows && driver->variant) &&
	       (family->budget.writers <= 1 || driver->desc->shared_promises);
}

/* The same searches of this row? */
static bool is_same(const struct family *one, const struct family *other,
		    const struct driver *driver)
{
	struct budget budget = one->budget, others = other->budget;

	if (!(driver->desc->needs & NEED_BEAT))
		budget.beats = others.beats = 0;
	return !strcmp(one->shape, other->shape) && one->stops == other->stops &&
	       !memcmp(&budget, &others, sizeof(budget)) && one->sections == other->sections &&
	       one->phases == other->phases && one->offsets == other->offsets &&
	       !memcmp(&one->start, &other->start, sizeof(one->start));
}

bool tasks_wanted(const struct explore_options *options, const struct family *family,
		  const struct driver *driver)
{
	const struct family *before;

	if ((int)family->tier > options->tier || !is_of_row(family, driver))
		return false;
	/* What a tier has for main rows, a deeper one has for all. */
	for (before = families; before != family; before++)
		if (is_of_row(before, driver) && is_same(before, family, driver))
			return false;
	return true;
}

static void add_row(struct tasks *tasks, const struct driver *driver)
{
	const struct explore_options *options = tasks->options;
	const struct family *family = options->single ? &options->family : families;

	do {
		if (options->single || tasks_wanted(options, family, driver))
			tasks->task[tasks->count++] =
				(struct task){ .driver = driver, .family = family };
	} while (!options->single && (++family)->shape);
}

int tasks_rows(const struct explore_options *options, const struct driver **row)
{
	int count = driver_select(drivers_counting, options->schemes, row, DRIVERS_MAX);

	if (count < 0)
		return -EXIT_USAGE;
	count = driver_omit_variants(options->schemes, row, count);
	count = driver_omit_unsupported(row, count);
	return count ? count : -EXIT_UNSUPPORTED;
}

int tasks_begin(struct tasks *tasks, const struct explore_options *options,
		const struct driver *const *row, unsigned int rows)
{
	unsigned int i;

	*tasks = (struct tasks){ .options = options, .room = (rows + 1) * families_count() };
	tasks->task = child_share(tasks->room * sizeof(*tasks->task));
	if (!tasks->task)
		return EXIT_RESOURCE;
	if (!rows)
		add_row(tasks, NULL);
	for (i = 0; i < rows; i++)
		add_row(tasks, row[i]);
	return 0;
}

void tasks_end(struct tasks *tasks)
{
	child_unshare(tasks->task, tasks->room * sizeof(*tasks->task));
}
