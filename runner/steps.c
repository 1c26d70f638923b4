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

double steps_per_event(const struct driver *driver)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct sigaction action = { .sa_handler = on_step }, old;
	uint64_t events, base, whole;
	struct buffer buffer;
	bool detached;

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
	/* The first event after a flush opens a sub-buffer; from there on it is one of each. */
	driver->run(buffer.scheme, &buffer.writer, 1);
	base = steps_of(&buffer, 0);
	whole = steps_of(&buffer, events);
	sigaction(SIGTRAP, &old, NULL);
	if (detached && !restart_attach())
		fprintf(stderr, "stampede: rseq could not be registered again; restartable rows that "
				"run in this process are not restarted\n");
	buffer_close(&buffer);
	return whole > base ? (double)(whole - base) / (double)events : -1;
}
#else
double steps_per_event(const struct driver *driver)
{
	(void)driver;
	return -1;
}
#endif
