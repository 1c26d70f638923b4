// SPDX-License-Identifier: MIT
#include "steps.h"

#include <signal.h>
#include <stdio.h>

#include "buffer.h"
#include "core/restart.h"

#ifdef __x86_64__
static volatile uint64_t steps;

static void on_step(int signal)
{
	(void)signal;
	steps++;
}

static inline void step_on(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
}

static inline void step_off(void)
{
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
}

/* Instructions of a run of `events`, with those of stepping itself. */
static uint64_t steps_of(struct buffer *buffer, uint64_t events)
{
	steps = 0;
	step_on();
	buffer->driver->run(buffer->scheme, &buffer->writer, events);
	step_off();
	return steps;
}

/* Events that fill a sub-buffer, as the row's own bytes say. */
static uint64_t events_per_subbuf(struct buffer *buffer)
{
	struct ring *ring = buffer_ring(buffer);
	struct check check;

	buffer->driver->run(buffer->scheme, &buffer->writer, 3 * ring_subbuf_bytes(ring) / 12);
	check_init(&check, buffer->driver->desc, buffer->config.stamp_bits);
	buffer_drain(buffer, &check);
	return check.subbufs > 1 ? (check.events - check.last_events) / (check.subbufs - 1) : 1;
}

/*
 * Least instructions of a run of `events`: stepping takes time, so that the clock may wrap under a
 * stepped event, which no event of a run at speed would see. The event before is not stepped.
 */
static uint64_t least_steps_of(struct buffer *buffer, uint64_t events)
{
	uint64_t least = UINT64_MAX, now;
	int i;

	for (i = 0; i < 12; i++) {
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
		now = steps_of(buffer, events);
		if (now < least)
			least = now;
	}
	return least;
}

static uint64_t closed_subbufs(const struct buffer *buffer)
{
	uint64_t first, last;

	ring_readable(buffer_ring(buffer), &first, &last);
	return last;
}

/*
 * Instructions that going on to the next sub-buffer takes above those of plain events, `one` each:
 * of the last events of one and the first of the next. (Filling it may take as much as opening.)
 */
static uint64_t switch_steps(struct buffer *buffer, uint64_t events, uint64_t one)
{
	uint64_t closed, extra = 0, now, left, behind = 2;

	closed = closed_subbufs(buffer);
	while (closed_subbufs(buffer) == closed)
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	buffer->driver->run(buffer->scheme, &buffer->writer, events - 4);
	closed = closed_subbufs(buffer);
	for (left = events; left && behind; left--) {
		now = steps_of(buffer, 1);
		extra += now > one ? now - one : 0;
		behind -= closed_subbufs(buffer) != closed;
	}
	return extra;
}

double steps_per_event(const struct driver *driver)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct sigaction action = { .sa_handler = on_step }, old;
	uint64_t events, one, two, opening = UINT64_MAX, extra;
	struct buffer buffer;
	bool detached;
	int i;

	if (buffer_open(&buffer, driver, &config))
		return -1;
	if (sigaction(SIGTRAP, &action, &old)) {
		buffer_close(&buffer);
		return -1;
	}
	/* A trap would make a restartable section start over, for ever. */
	detached = restart_detach();
	if (driver->restarts && !detached && !restart_unsupported()) {
		buffer_close(&buffer);
		sigaction(SIGTRAP, &old, NULL);
		return -1;
	}
	events = events_per_subbuf(&buffer);
	/* A loop of two has one iteration more than a loop of one. */
	one = least_steps_of(&buffer, 1);
	two = least_steps_of(&buffer, 2);
	for (i = 0; i < 8 && events > 8; i++) {
		extra = switch_steps(&buffer, events, one);
		if (extra < opening)
			opening = extra;
	}
	sigaction(SIGTRAP, &old, NULL);
	if (detached && !restart_attach())
		fprintf(stderr, "stampede: rseq could not be registered again; restartable rows that "
				"run in this process are not restarted\n");
	buffer_close(&buffer);
	if (two <= one || opening == UINT64_MAX)
		return -1;
	return (double)(two - one) + (double)opening / (double)events;
}
#else
double steps_per_event(const struct driver *driver)
{
	(void)driver;
	return -1;
}
#endif
