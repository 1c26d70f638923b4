/* SPDX-License-Identifier: MIT */
/* The timed loop of the injected build; part of driver.c, for the row that is compiled there. */
#pragma once

/* Bits of a wrap, also for rows that store whole stamps and have none. */
#define INJECTED_WRAP_BITS (STAMP_BITS > 63 ? 27 : STAMP_BITS)

/* The row that injected_nest() records into: it is called without arguments, inside a reserve. */
static struct scheme_ring *injected_scheme;
static struct writer *injected_writer;

/*
 * Runs at the named point; its own clock read runs the next one if more than one is armed. A beat
 * that comes after the test of armed and before the load here has run all that were armed. So this
 * stores what it loaded, less one, and never decrements in place: 0 less one would be armed for
 * ever.
 */
static __attribute__((noinline)) void injected_nest(void)
{
	uint64_t armed = __atomic_load_n(&injection.armed, __ATOMIC_RELAXED);
	unsigned int level = CONTEXT_LEVEL_1 + (unsigned int)(injection.nest_depth - armed);

	if (!armed)
		return;
	__atomic_store_n(&injection.armed, armed - 1, __ATOMIC_RELAXED);
	injection.bias_ticks -= injection.back_ticks;
	injection.back_ticks = 0;
	if (injection.nest_depth)
		driver_interrupt(injected_scheme, injected_writer, level);
}

/*
 * A wrap goes by before the next event. A row that needs beats gets two on the way, as the code of
 * 2006 made them: a single one would be late, a wrap and a little behind the one before.
 */
static void injected_wrap(struct scheme_ring *s, struct writer *writer)
{
	const uint64_t quarter = UINT64_C(1) << (INJECTED_WRAP_BITS - 2);

	injection.bias_ticks += quarter;
	if (scheme_desc.needs & NEED_BEAT)
		driver_beat(s, writer);
	injection.bias_ticks += 2 * quarter;
	if (scheme_desc.needs & NEED_BEAT)
		driver_beat(s, writer);
	injection.bias_ticks += quarter;
}

/*
 * What is due before the next event. Rows that run with interrupts blocked get their nested writers
 * one after the other: a blocked interrupt comes when the writer is done.
 */
static __attribute__((noinline, cold)) uint64_t injected_due(struct scheme_ring *s,
							     struct writer *writer)
{
	uint64_t i;

	if (injection.wrap_every) {
		injected_wrap(s, writer);
		return injection_gap(injection.wrap_every);
	}
	if (scheme_desc.needs & NEED_MASKED_INTERRUPTS || SCHEME_BLOCKS)
		for (i = 0; i < injection.nest_depth; i++)
			driver_interrupt(s, writer, CONTEXT_LEVEL_1 + (unsigned int)i);
	else
		injection.armed = injection.nest_depth;
	return injection_gap(injection.nest_every);
}

static void driver_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct scheme_ring *s = scheme;
	struct source src = { .writer = writer };
	uint64_t i, due = injection.due;

	injected_scheme = s;
	injected_writer = writer;
	injection.nest = injected_nest;
	for (i = 0; i < events; i++) {
		if (unlikely(!--due))
			due = injected_due(s, writer);
		record(s, EVENT_FIXED, PAYLOAD_BYTES, &src);
	}
	injection.due = due;
	writer->entered[CONTEXT_TASK] += events;
}
