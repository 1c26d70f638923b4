// SPDX-License-Identifier: MIT
/*
 * The reader's thread. Between the writer and it there is the ring, and a word by which the writer
 * starts it in an epoch and waits until it has stopped behind it: the check is the reader's in
 * between, and the writer's else.
 */
#include "workloads/engine/live.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/time.h"

#define STOP_SIGNAL (SIGRTMIN + 2) /* interrupts_install() has those before */
#define STOP_NS 3000000
#define SLEEP_NS 10000000 /* at most, so that a half-full sub-buffer is not waited for for ever */
#define LOOKS_BETWEEN 64 /* of a polling reader, before it lets another thread have its CPU */

enum command {
	COMMAND_REST, /* the reader's answer to the next one */
	COMMAND_STOP,
	COMMAND_READ,
	COMMAND_QUIT,
};

static void wait_while(uint32_t *word, uint32_t value, long ns)
{
	const struct timespec most = { .tv_nsec = ns };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &most : NULL, NULL, 0);
}

static void wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void give(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	wake(word);
}

/* Nothing is complete: looks again, or sleeps until the writer says that something may be. */
static void rest(struct engine_live *live)
{
	uint32_t closed = load(&live->closed);

	if (live->wake == LIVE_POLLS) {
		if (++live->result.looks % LOOKS_BETWEEN == 0)
			sched_yield();
		return;
	}
	live->result.looks++;
	/* A writer that closes one after this store sees it, or the look that follows sees the
	 * writer. */
	__atomic_store_n(&live->asleep, 1, __ATOMIC_SEQ_CST);
	if (live_take(&live->live, &live->ring->check) || load(&live->command) != COMMAND_READ) {
		__atomic_store_n(&live->asleep, 0, __ATOMIC_RELAXED);
		return;
	}
	live->result.sleeps++;
	wait_while(&live->closed, closed, SLEEP_NS);
	__atomic_store_n(&live->asleep, 0, __ATOMIC_RELAXED);
}

static void read_epoch(struct engine_live *live)
{
	struct check *check = &live->ring->check;
	uint64_t before = check->events, taken = live->live.taken, now;

	while (load(&live->command) == COMMAND_READ) {
		now = live_take(&live->live, check);
		if (live->last + now > live->behind)
			live->behind = live->last + now;
		live->last = now;
		if (!now)
			rest(live);
	}
	live->result.events += check->events - before;
	live->result.subbufs += live->live.taken - taken;
}

static void *reader_main(void *arg)
{
	struct engine_live *live = arg;
	uint32_t command;

	live->error = place_bind_self(live->writer->config->place, live->pu);
	for (command = load(&live->command); command != COMMAND_QUIT;
	     command = load(&live->command)) {
		if (command == COMMAND_READ)
			read_epoch(live);
		else if (command == COMMAND_STOP)
			give(&live->command, COMMAND_REST);
		else
			wait_while(&live->command, COMMAND_REST, 0);
	}
	return NULL;
}

/* As if another process had its CPU. */
static void stand_still(int signal)
{
	const struct timespec time = { .tv_nsec = STOP_NS };
	int error = errno;

	(void)signal;
	nanosleep(&time, NULL);
	errno = error;
}

static int start(struct engine_live *live)
{
	const struct sigaction action = { .sa_handler = stand_still, .sa_flags = SA_RESTART };
	int error;

	if (sigaction(STOP_SIGNAL, &action, NULL))
		return fail_with(EXIT_RESOURCE, "cannot handle signal %d: %s", STOP_SIGNAL,
				 strerror(errno));
	if (live_open(&live->live, &live->ring->buffer))
		return EXIT_RESOURCE;
	error = pthread_create(&live->thread, NULL, reader_main, live);
	if (error)
		return fail_with(EXIT_RESOURCE, "cannot start a reader: %s", strerror(error));
	live->running = true;
	return 0;
}

int engine_live_begin(struct engine_live *live)
{
	int error = live->running ? 0 : start(live);

	if (!error && live_attach(&live->live, &live->ring->buffer))
		error = EXIT_UNSUPPORTED;
	if (error)
		return error;
	/* In turn. */
	live->wake = live->writer->group->threads[0].result.epochs % 2 ? LIVE_SLEEPS : LIVE_POLLS;
	live->seen = 0;
	live->flushed_ns = time_ns();
	live->flushes = live->stops = 0;
	live->last = live->behind = 0;
	give(&live->command, COMMAND_READ);
	return 0;
}

/* Wakes the reader from where it waits for sub-buffers. */
static void rouse(struct engine_live *live)
{
	__atomic_fetch_add(&live->closed, 1, __ATOMIC_RELEASE);
	wake(&live->closed);
}

int engine_live_end(struct engine_live *live)
{
	struct check *check = &live->ring->check;

	if (!live->running || !live->live.buffer)
		return 0;
	give(&live->command, COMMAND_STOP);
	rouse(live);
	while (load(&live->command) != COMMAND_REST)
		wait_while(&live->command, COMMAND_STOP, SLEEP_NS);
	live_detach(&live->live);
	live->result.torn = live->live.reader.torn;
	live->result.flushes += live->flushes;
	live->result.stops += live->stops;
	check->closed_by_flush += live->flushes;
	*engine_own(struct live_result, &live->writer->result) = live->result;
	return live->error;
}

void engine_live_was_behind(const struct engine_live *live, uint64_t rest)
{
	const struct ring *ring = buffer_ring(&live->ring->buffer);

	if (live->behind < ring_count_mask(ring) && live->last + rest < ring_count_mask(ring))
		check_violate(&live->ring->check, ORACLE_LOSSES,
			      "event lost though the reader was never a ring behind", 0, 0, 0,
			      NULL);
}

void engine_live_close(struct engine_live *live)
{
	if (live->running) {
		give(&live->command, COMMAND_QUIT);
		pthread_join(live->thread, NULL);
	}
	live->running = false;
	live_close(&live->live);
}

/* ---- on the writer's CPU ---- */

void engine_live_closed(struct engine_live *live)
{
	const struct ring *ring = buffer_ring(&live->ring->buffer);
	uint64_t end, begin;
	bool open;

	end = ring_end(ring, &open) - open;
	if (live->wake != LIVE_SLEEPS || end == live->seen)
		return;
	live->seen = end;
	__atomic_fetch_add(&live->closed, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&live->asleep, __ATOMIC_SEQ_CST))
		return;
	begin = time_ns();
	wake(&live->closed);
	live->result.wake_ns += time_ns() - begin;
	live->result.wakes++;
}

void engine_live_stop(struct engine_live *live)
{
	if (!pthread_kill(live->thread, STOP_SIGNAL))
		live->stops++;
}

void engine_live_flush(struct engine_live *live, uint64_t ns)
{
	const struct engine_thread *writer = live->writer;
	void *scheme = live->ring->buffer.scheme, *const *by_cpu = writer->group->by_cpu;
	uint64_t now = time_ns();

	if (now - live->flushed_ns < ns || (by_cpu && by_cpu[sched_getcpu()] != scheme))
		return;
	live->flushed_ns = now;
	live->flushes++;
	writer->driver->flush(scheme);
}
