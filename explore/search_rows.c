// SPDX-License-Identifier: MIT
#include "explore/search_rows.h"

#include <errno.h>

#include "explore/parallel.h"
#include "explore/load.h"
#include "explore/eta.h"

struct rows_search {
	struct tasks *tasks;
	unsigned int processes; /* that each task's searches are split over */
};

/*
 * Searches a task; finds what is in it then. The number of searches, or a negative errno after a
 * line on stderr.
 */
static int search_task(const struct tasks *tasks, struct task *task, unsigned int processes)
{
	const struct explore_options *options = tasks->options;
	const struct family *family = task->family;
	struct search search = options->search;
	int error = load_row(options, tasks_row(tasks, task), family), searches;

	if (error)
		return error;
	if (!options->single && family_too_large(family, options->tier))
		return 0;
	search.progress = eta_progress;
	eta_family(tasks_row(tasks, task), family);
	searches = family_run(family, &search, processes, &task->findings, &task->first);
	eta_done();
	return searches;
}

/* Unless one of the row before could not be. */
static void search_next_of(const struct rows_search *search, struct task *task)
{
	int error = tasks_failed_before(search->tasks, task);

	task->searches = error ? error : search_task(search->tasks, task, search->processes);
}

static void run_beside(void *arg, unsigned int number)
{
	struct rows_search *search = arg;

	eta_quiet();
	search_next_of(search, &search->tasks->task[number]);
}

static int take_beside(void *arg, unsigned int number)
{
	struct rows_search *search = arg;

	(void)number; /* they come in order */
	eta_clear();
	return tasks_take(search->tasks, true);
}

static int run_beside_all(struct rows_search *search)
{
	struct tasks *tasks = search->tasks;
	const struct parallel beside = {
		.count = tasks->count,
		.processes = tasks->options->processes,
		.arg = search,
		.run = run_beside,
		.take = take_beside,
		.tick = eta_say_all,
	};
	int status = parallel_run(&beside);

	eta_clear();
	if (search_interrupted)
		status = tasks_failed(-EINTR, tasks_row(tasks, &tasks->task[tasks->taken]));
	return status;
}

int search_rows(const struct explore_options *options, const struct driver *const *rows,
		unsigned int count)
{
	struct tasks tasks;
	struct rows_search search = { .tasks = &tasks, .processes = options->processes };
	int status = tasks_begin(&tasks, options, rows, count);
	double seconds = 0;
	unsigned int i;

	if (status)
		return status;
	for (i = 0; i < tasks.count; i++)
		seconds += eta_weight(tasks.task[i].family);
	eta_begin(seconds);
	/* One row alone has its searches split. */
	if (count > 1 && options->processes > 1) {
		search.processes = 1;
		status = run_beside_all(&search);
	} else {
		for (i = 0; i < tasks.count && !status; i++) {
			search_next_of(&search, &tasks.task[i]);
			status = tasks_take(&tasks, false);
		}
	}
	status = status ? status : tasks.worst;
	tasks_end(&tasks);
	return status;
}
