// SPDX-License-Identifier: MIT
#include "steps.h"

#include <signal.h>

#include "buffer.h"
#include "core/clock.h"

#ifdef __x86_64__
#define AWAITED_BITS 28 /* a wrap of wider fields is rare, and would take long to wait for */
#define STEPPED_RUNS 2

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

/* What begins just behind a wrap of the row's field meets no other, unless it is held up. */
static void await_wrap(uint32_t stamp_bits)
{
	const uint64_t wrap = bits_mask(stamp_bits);

	while (stamp_bits <= AWAITED_BITS && (clock_real() & wrap) > wrap / 16)
		;
}

/*
 * Stepping takes some 20 ms, in which a third of all runs would meet a wrap of 27 bits and step
 * through an extension: the fewest steps are those without.
 */
static uint64_t fewest_steps(struct buffer *buffer, uint64_t events)
{
	uint64_t fewest = UINT64_MAX, some;
	int i;

	for (i = 0; i < STEPPED_RUNS; i++) {
		buffer->driver->flush(buffer->scheme);
		await_wrap(buffer->driver->stamp_bits);
		/* The first event after a flush opens a sub-buffer; then it is one of each. */
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
		some = steps_of(buffer, events);
		fewest = some < fewest ? some : fewest;
	}
	return fewest;
}

double steps_per_event(const struct driver *driver)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct sigaction action = { .sa_handler = on_step }, old;
	uint64_t events, base, whole;
	struct buffer buffer;

	if (buffer_open(&buffer, driver, &config))
		return -1;
	if (sigaction(SIGTRAP, &action, &old)) {
		buffer_close(&buffer);
		return -1;
	}
	events = events_per_subbuf(&buffer);
	base = steps_of(&buffer, 0);
	whole = fewest_steps(&buffer, events);
	sigaction(SIGTRAP, &old, NULL);
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
