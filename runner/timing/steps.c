// SPDX-License-Identifier: MIT
#include "runner/timing/steps.h"
#include "base/fail.h"

#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include "judge/buffer.h"
#include "schemes/core/clock.h"
#include "schemes/parts/restart.h"

#ifdef __x86_64__
#define AWAITED_BITS 28 /* a wrap of wider fields is rare, and would take long to wait for */
#define STEPPED_EVENTS 16
#define TRIES_MOST 100

#define STEPPED_TICKS 30 /* between two reads of the clock: what events back to back take */
/* Before the first: else it would be by chance that a field of 7 bits is told by one byte there. */
#define BEFORE_TICKS 10000

static volatile struct {
	uint64_t steps;
	uint64_t clock; /* what the next read gives */
	const uint8_t *at; /* the instruction that comes next; NULL at first */
} stepping;

/*
 * Stepping takes some 10 us per instruction, so that events back to back would be further apart
 * than a short field reaches. Who reads the clock sees it go on as if nothing were stepped.
 */
static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *done = stepping.at;

	(void)signal;
	(void)info;
	if (done && done[0] == 0x0f && done[1] == 0x31) { /* rdtsc */
		registers[REG_RAX] = (greg_t)(stepping.clock & UINT32_MAX);
		registers[REG_RDX] = (greg_t)(stepping.clock >> 32);
		stepping.clock += STEPPED_TICKS;
	}
	stepping.at = (const uint8_t *)registers[REG_RIP];
	stepping.steps++;
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
	stepping.steps = 0;
	stepping.at = NULL;
	step_on();
	buffer->driver->run(buffer->scheme, &buffer->writer, events);
	step_off();
	return stepping.steps;
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

/* Leaves at least half a wrap of the row's field before the next one; which wrap this is. */
static uint64_t await_wrap(uint32_t stamp_bits)
{
	while (stamp_bits <= AWAITED_BITS && clock_real() >> (stamp_bits - 1) & 1)
		;
	return stamp_bits < 64 ? clock_real() >> stamp_bits : 0;
}

/*
 * Instructions of a call that records `events` behind the first `skipped` of a sub-buffer. Where a
 * wrap falls is no property of the row: what met one, for want of the CPU, is done again. Negative
 * if that is too often.
 */
static int64_t steps_behind(struct buffer *buffer, uint64_t skipped, uint64_t events)
{
	const struct scheme_desc *desc = buffer->driver->desc;
	/* To who measures the distance between events a wrap is nothing. */
	const bool wraps = desc->extension == EXTEND_ON_CARRY || desc->needs & NEED_BEAT;
	const uint32_t bits = wraps ? buffer->driver->stamp_bits : 64;
	uint64_t wrap;
	int i;

	for (i = 0; i < TRIES_MOST; i++) {
		wrap = await_wrap(bits);
		buffer->driver->flush(buffer->scheme);
		/* The first event after a flush opens a sub-buffer. */
		buffer->driver->run(buffer->scheme, &buffer->writer, 1 + skipped);
		stepping.clock = clock_real() + BEFORE_TICKS;
		if (bits >= 64 || stepping.clock >> bits == wrap)
			return (int64_t)steps_of(buffer, events);
	}
	return -1;
}

/*
 * One sub-buffer's events, the switch to the next among them; what a call costs drops out. Negative
 * if it cannot be had.
 */
static int64_t steps_per_subbuf(struct buffer *buffer, uint64_t events)
{
	int64_t plain = steps_behind(buffer, events / 4, STEPPED_EVENTS);
	int64_t twice = steps_behind(buffer, events / 4, 2 * STEPPED_EVENTS);
	int64_t with_switch = steps_behind(buffer, events - STEPPED_EVENTS / 2, STEPPED_EVENTS);

	if (plain < 0 || twice < 0 || with_switch < 0)
		return -1;
	return (twice - plain) * (int64_t)events / STEPPED_EVENTS + with_switch - plain;
}

double steps_per_event(const struct driver *driver)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO }, old;
	struct buffer buffer;
	int64_t whole = -1;
	uint64_t events;
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
	if (events > 2 * STEPPED_EVENTS)
		whole = steps_per_subbuf(&buffer, events);
	sigaction(SIGTRAP, &old, NULL);
	if (detached && !restart_attach())
		fail_line("rseq could not be registered again; restartable rows that "
			  "run in this process are not restarted");
	buffer_close(&buffer);
	return whole > 0 ? (double)whole / (double)events : -1;
}
#else
double steps_per_event(const struct driver *driver)
{
	(void)driver;
	return -1;
}
#endif
