// SPDX-License-Identifier: MIT
#include "explore/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/progress.h"
#include "base/time.h"
#include "explore/load.h"

#define SAID_EVERY_NS 400000000u
#define TICK_MS 50
#define PROCESSES_MAX 64
#define SCHEDULE_SECONDS 3e-7 /* about; what was seen corrects it */

/* ---- how far all is, on stderr ---- */

static struct {
	struct progress progress;
	const struct tasks *tasks;
	struct task *task; /* that this process searches */
	unsigned int searched; /* searches of it */
	uint64_t said_ns;
	bool quiet; /* another process says it */
} said;

/* Searches that a family takes; every fourth byte of a small sub-buffer is an offset. */
static unsigned int searches_of(const struct family *family)
{
	unsigned int count = 1;

	if (family->phases != RANGE_ONE)
		count *= !strcmp(family->shape, "wrap3") ? 8 : 16;
	if (family->offsets != RANGE_ONE)
		count *= 12;
	return count;
}

/* A guess at the seconds that a family takes for a row, from its budget. */
static double seconds_of(const struct family *family)
{
	static const double stops_per_event[] = {
		[STOPS_ALL] = 100,
		[STOPS_SHARED] = 14,
		[STOPS_NONE] = 1,
		[STOPS_POINTS] = 9,
	};
	const struct budget *budget = &family->budget;
	double stops = stops_per_event[family->stops], places, weight = 1;
	unsigned int i, writers = budget->nested + budget->beats;
	double jumps = !strcmp(family->shape, "page") ? 11 : 33;

	for (i = 0; i < writers; i++)
		weight *= 1 + stops * (budget->events + i) / (i + 1.0);
	places = stops * (budget->events + writers);
	for (i = 0; i < budget->reads; i++)
		weight *= 1 + places / (i + 1.0);
	for (i = 0; i < (unsigned int)budget->jumps + budget->backs; i++)
		weight *= 1 + places * jumps / (i + 1.0);
	for (i = 0; world_cpus(budget) > 1 && i < budget->preemptions; i++)
		weight *= 1 + places * world_cpus(budget) / (i + 1.0);
	/* Schedules share states (search_parallel.c). */
	if (family->stops == STOPS_ALL)
		weight = 6 * pow(weight, 0.77);
	/* A search has its price even if there is nothing in it. */
	return (weight + 5000) * searches_of(family) * SCHEDULE_SECONDS;
}

static void begin_saying(const struct tasks *tasks)
{
	double seconds = 0;
	unsigned int i;

	for (i = 0; i < tasks->count; i++)
		seconds += tasks->task[i].seconds = seconds_of(tasks->task[i].family);
	said.tasks = tasks;
	said.said_ns = time_ns();
	progress_begin(&said.progress, seconds);
}

static void say(const char *row, const char *what)
{
	unsigned int i;

	if (said.quiet || time_ns() - said.said_ns < SAID_EVERY_NS)
		return;
	said.progress.done = 0;
	for (i = 0; i < said.tasks->count; i++)
		said.progress.done += said.tasks->task[i].seconds * said.tasks->task[i].part;
	progress_step(&said.progress, row, what);
	said.said_ns = time_ns();
}

static void end_saying(void)
{
	if (!said.quiet)
		progress_end(&said.progress);
}

/* Of the search that runs now. */
static void note(double done)
{
	const struct family *family = said.task->family;
	char what[128];

	said.searched += done >= 1;
	said.task->part = fmin(1, (said.searched + (done < 1 ? done : 0)) / searches_of(family));
	family_format(family, what, sizeof(what));
	say(tasks_row(said.tasks, said.task), what);
}

/* ---- the searches ---- */

/*
 * Searches a task, and finds what is in it then; unless one of the row before could not be. The
 * number of searches, or a negative errno after a line on stderr.
 */
static int search_task(const struct tasks *tasks, struct task *task, unsigned int processes)
{
	const struct explore_options *options = tasks->options;
	const struct family *family = task->family;
	struct search search = options->search;
	int error = tasks_failed_before(tasks, task), searches;

	if (!error)
		error = load_row(options, tasks_row(tasks, task), family);
	if (error)
		return error;
	if (!options->single && family_too_large(family, options->tier))
		return 0;
	search.progress = note;
	said.task = task;
	said.searched = 0;
	searches = family_run(family, &search, processes, &task->findings, &task->first);
	end_saying();
	return searches;
}

/* In order, in this process; each task's searches are split. */
static int search_in_turn(struct tasks *tasks)
{
	int status = 0;

	while (tasks->taken < tasks->count && !status) {
		struct task *task = &tasks->task[tasks->taken];

		task->searches = search_task(tasks, task, tasks->options->processes);
		task->part = 1;
		status = tasks_take(tasks, false);
	}
	return status;
}

/* One of several processes: takes task after task that no other has taken. */
static void work(struct tasks *tasks, uint32_t *next)
{
	struct task *task;
	uint32_t number;

	said.quiet = true;
	while (!search_interrupted) {
		number = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
		if (number >= tasks->count)
			break;
		task = &tasks->task[number];
		task->searches = search_task(tasks, task, 1);
		task->part = 1;
		if (!search_interrupted)
			__atomic_store_n(&task->done, true, __ATOMIC_RELEASE);
	}
	end_now(EXIT_FINE);
}

/*
 * Takes what is done, in order; `open`: a pipe that ends when all processes have. An exit code; -1:
 * they have ended, and not all is done.
 */
static int take_all(struct tasks *tasks, int open)
{
	struct pollfd ended = { .fd = open };
	bool over = false;
	int status = 0;

	while (tasks->taken < tasks->count && !status && !search_interrupted) {
		if (__atomic_load_n(&tasks->task[tasks->taken].done, __ATOMIC_ACQUIRE)) {
			end_saying();
			status = tasks_take(tasks, true);
		} else if (over) {
			status = -1;
		} else {
			over = poll(&ended, 1, TICK_MS) > 0;
			say("explored", "rows side by side");
		}
	}
	return status;
}

/* Several tasks at a time, each in one process. */
static int search_beside(struct tasks *tasks)
{
	unsigned int processes = tasks->options->processes, i;
	uint32_t *next = child_share(sizeof(*next));
	pid_t worker[PROCESSES_MAX];
	int ends[2], status, code;

	if (!next || pipe2(ends, O_CLOEXEC))
		return EXIT_RESOURCE;
	for (i = 0; i < processes && i < tasks->count && i < PROCESSES_MAX; i++) {
		worker[i] = child_fork(SIGTERM);
		if (!worker[i])
			work(tasks, next);
		if (worker[i] < 0)
			break;
	}
	close(ends[1]);
	status = i ? take_all(tasks, ends[0]) : EXIT_RESOURCE;
	end_saying();
	close(ends[0]);
	while (i--) {
		if (status >= 0)
			kill(worker[i], SIGTERM);
		code = child_wait(worker[i]);
		if (status >= 0)
			continue;
		if (code == EXIT_RESOURCE) /* it has said so itself */
			status = code;
		else if (code)
			child_ended_early("a process of the search", code);
	}
	child_unshare(next, sizeof(*next));
	if (search_interrupted && tasks->taken < tasks->count)
		return tasks_failed(-EINTR, tasks_row(tasks, &tasks->task[tasks->taken]));
	return status < 0 ? EXIT_USAGE : status;
}

int search_rows(const struct explore_options *options, const struct driver *const *rows,
		unsigned int count)
{
	struct tasks tasks;
	int status = tasks_begin(&tasks, options, rows, count);

	if (status)
		return status;
	begin_saying(&tasks);
	status = count > 1 && options->processes > 1 ? search_beside(&tasks) :
						       search_in_turn(&tasks);
	status = status ? status : tasks.worst;
	tasks_end(&tasks);
	return status;
}
