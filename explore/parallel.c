// SPDX-License-Identifier: MIT
#include "explore/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/child.h"
#include "base/exit.h"
#include "explore/engine/search.h"

#define TICK_MS 500

struct pool {
	const struct parallel *beside;
	uint32_t *next; /* task that nobody has taken; shared */
	pid_t *worker;
	unsigned int workers;
	int ended[2]; /* pipe: numbers of tasks that were run */
	bool *done; /* by task */
};

static void work(struct pool *pool)
{
	uint32_t task;

	close(pool->ended[0]);
	while (!search_interrupted) {
		task = __atomic_fetch_add(pool->next, 1, __ATOMIC_RELAXED);
		if (task >= pool->beside->count)
			break;
		pool->beside->run(pool->beside->arg, task);
		if (search_interrupted || write(pool->ended[1], &task, sizeof(task)) < 0)
			break;
	}
	end_now(EXIT_FINE);
}

static int start(struct pool *pool)
{
	pid_t pid;

	while (pool->workers < pool->beside->processes && pool->workers < pool->beside->count) {
		pid = child_fork(SIGTERM);
		if (pid < 0)
			return EXIT_RESOURCE;
		if (!pid)
			work(pool);
		pool->worker[pool->workers++] = pid;
	}
	close(pool->ended[1]);
	pool->ended[1] = -1;
	return 0;
}

/* All have ended, and not all tasks are done. */
static int ended_early(struct pool *pool)
{
	int code, status = EXIT_USAGE;

	while (pool->workers) {
		code = child_wait(pool->worker[--pool->workers]);
		if (code == EXIT_RESOURCE) /* it has said so itself */
			status = code;
		else if (code)
			child_ended_early("a process of the search", code);
	}
	return status;
}

/* Takes what has ended, in order. */
static int take_all(struct pool *pool)
{
	const struct parallel *beside = pool->beside;
	struct pollfd ended = { .fd = pool->ended[0], .events = POLLIN };
	unsigned int taken = 0;
	uint32_t task;
	int status = 0;

	while (taken < beside->count && !status && !search_interrupted) {
		if (poll(&ended, 1, TICK_MS) <= 0) {
			beside->tick();
			continue;
		}
		if (read(ended.fd, &task, sizeof(task)) != sizeof(task)) {
			return ended_early(pool);
		}
		pool->done[task] = true;
		for (; !status && taken < beside->count && pool->done[taken]; taken++)
			status = beside->take(beside->arg, taken);
	}
	return status;
}

static void end(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->workers; i++)
		kill(pool->worker[i], SIGTERM);
	for (i = 0; i < pool->workers; i++)
		child_wait(pool->worker[i]);
	for (i = 0; i < 2; i++)
		if (pool->ended[i] >= 0)
			close(pool->ended[i]);
	child_unshare(pool->next, sizeof(*pool->next));
	free(pool->worker);
	free(pool->done);
}

int parallel_run(const struct parallel *beside)
{
	struct pool pool = { .beside = beside,
			     .next = child_share(sizeof(*pool.next)),
			     .worker = calloc(beside->processes, sizeof(*pool.worker)),
			     .done = calloc(beside->count, sizeof(*pool.done)),
			     .ended = { -1, -1 } };
	int status = EXIT_RESOURCE;

	if (pool.next && pool.worker && pool.done && !pipe2(pool.ended, O_CLOEXEC))
		status = start(&pool);
	if (!status)
		status = take_all(&pool);
	end(&pool);
	return status;
}
