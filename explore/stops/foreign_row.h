/* SPDX-License-Identifier: MIT */
/*
 * A foreign tracer in the place of a scheme: row.c includes this file, and this one the shim
 * (-DFOREIGN_SHIM='"shim.c"'). The tracer's static variables are put into section foreign_data by
 * objcopy; while none of its writers runs they are a copy behind the ring, in explored memory.
 */
#pragma once

#include <stdlib.h>

#include "explore/stops/foreign.h"
#include "judge/driver.h"

#define FOREIGN_HARNESS __attribute__((section("foreign_harness")))

#define scheme_ring foreign_ring
struct foreign_ring {
	struct ring ring; /* none of it is the tracer's: the judge finds the lost events in it */
	uint8_t statics[];
};

static uint8_t *foreign_base FOREIGN_HARNESS; /* of the memory that foreign_memory() gives */
static uint64_t foreign_losses FOREIGN_HARNESS;
static size_t foreign_taken; /* of that memory; snapshots have it, as all of the tracer's */

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) uint64_t foreign_clock(void)
{
	uint64_t now = clock_now();

	explore_clock_read(now);
	return now;
}

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) void *foreign_memory(size_t bytes)
{
	uint8_t *at = foreign_base + foreign_taken;

	foreign_taken += (bytes + 63) / 64 * 64;
	if (foreign_taken > (size_t)1 << (SHAPE_SUBBUF_SHIFT + SHAPE_COUNT_SHIFT))
		return NULL;
	return memset(at, 0, bytes);
}

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) void foreign_event(uint64_t value,
								       uint64_t time, bool inexact)
{
	explore_found(value, time, inexact);
}

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) void foreign_lost(uint64_t events)
{
	foreign_losses = events;
}

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) unsigned int foreign_cpu(void)
{
	return explore_cpu();
}

FOREIGN_SCOPE FOREIGN_PLAIN __attribute__((unused)) void foreign_outcome(uint64_t digits)
{
	explore_outcome(digits);
}

/* Memory of the C library is not set back between schedules: a tracer that asks for it gets
 * explored memory. */
#define malloc(bytes) foreign_memory(bytes)
#define calloc(count, bytes) foreign_memory((size_t)(count) * (bytes))
#define free(memory) ((void)(memory))
#include FOREIGN_SHIM
#undef malloc
#undef calloc
#undef free

/* ---- in place of parts/defaults.h ---- */

#define record(s, id, len, src) \
	((void)(s), foreign_record((src)->at.index + UINT64_C(1), (len)-PAYLOAD_BYTES))
#define defer(s, level) ((void)(s), (void)(level), false)
#define beat(s) ((void)(s))

/* ---- the driver: the explorer calls a few of its functions ---- */

/* Of these the copies without stops are called, by the table that stops.py makes. */
#define FOREIGN_ENTRY __attribute__((__noinline__, used, section("explore_plain")))
FOREIGN_ENTRY void explored_begin(void)
{
	foreign_begin();
}

FOREIGN_ENTRY void explored_look(void)
{
	foreign_read();
}

typedef void foreign_call(void);
#pragma GCC visibility push(hidden)
extern foreign_call *const explored_entry_explored_begin[3];
extern foreign_call *const explored_entry_explored_look[3];
#pragma GCC visibility pop

extern uint8_t __start_foreign_data[], __stop_foreign_data[];
static uint8_t *foreign_pristine FOREIGN_HARNESS;

static FOREIGN_PLAIN void foreign_init(void *scheme, const struct ring_config *config,
				       uint8_t *base, struct subbuf *subbufs, struct writer *writer)
{
	struct scheme_ring *s = scheme;
	size_t bytes = (size_t)(__stop_foreign_data - __start_foreign_data);

	(void)writer;
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_PUBLISHED, 0);
	foreign_base = base;
	memcpy(__start_foreign_data, foreign_pristine, bytes);
	explored_entry_explored_begin[STOPS_NONE]();
	memcpy(s->statics, __start_foreign_data, bytes);
}

static FOREIGN_PLAIN void foreign_flush(void *scheme)
{
	(void)scheme;
}

static FOREIGN_PLAIN void foreign_look(struct scheme_ring *s)
{
	memcpy(__start_foreign_data, s->statics,
	       (size_t)(__stop_foreign_data - __start_foreign_data));
	foreign_losses = 0;
	explored_entry_explored_look[STOPS_NONE]();
	s->ring.lost = foreign_losses;
}

static FOREIGN_PLAIN uint64_t foreign_drain(void *scheme, struct check *check, bool consume)
{
	(void)consume;
	explore_judge_found(check);
	foreign_look(scheme);
	return 0;
}

static FOREIGN_PLAIN void
foreign_walk(void *scheme, void (*each)(void *arg, const struct event *event), void *arg)
{
	explore_hand_found(each, arg);
	foreign_look(scheme);
}

static struct driver foreign_driver FOREIGN_HARNESS = {
	.row = FOREIGN_NAME,
	.desc = &foreign_desc,
	.stamp_bits = SHAPE_BITS,
	.counter_bits = SHAPE_BITS,
	.timed = true, /* what an event carries is found in the log */
	.init = foreign_init,
	.flush = foreign_flush,
	.drain = foreign_drain,
	.walk = foreign_walk,
};

static FOREIGN_PLAIN void foreign_load(struct explored_row *row)
{
	row->statics = __start_foreign_data;
	row->statics_bytes = (uint64_t)(__stop_foreign_data - __start_foreign_data);
	row->statics_at = offsetof(struct scheme_ring, statics);
	foreign_pristine = aligned_alloc(64, (row->statics_bytes + 63) / 64 * 64);
	if (!foreign_pristine)
		abort();
	memcpy(foreign_pristine, row->statics, row->statics_bytes);
	foreign_driver.scheme_bytes = sizeof(struct scheme_ring) + row->statics_bytes;
	row->foreign = true;
	row->driver = &foreign_driver;
}
