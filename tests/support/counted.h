/* SPDX-License-Identifier: MIT */
/* A driver that counts what is really done for a reader: the flushes, and what its takes decoded.
 */
#pragma once

#include "judge/driver.h"
#include "schemes/core/ring.h"

static const struct driver *sound; /* that does the work */
static uint64_t flushed, taken, decoded; /* sub-buffers closed and taken, events */

static void counted_flush(void *scheme)
{
	__atomic_add_fetch(&flushed, 1, __ATOMIC_RELAXED); /* and readers of several rings */
	sound->flush(scheme);
}

static void counted_take(void *scheme, struct check *check)
{
	const struct ring *ring = scheme;
	uint64_t consumed = ring->consumed, events = check->events;

	sound->take(scheme, check);
	__atomic_add_fetch(&taken, ring->consumed - consumed, __ATOMIC_RELAXED);
	__atomic_add_fetch(&decoded, check->events - events, __ATOMIC_RELAXED);
}

/* From now on, from zero; `driver` is a copy of `sound`. */
static void count_for(struct driver *driver)
{
	driver->flush = counted_flush;
	driver->take = counted_take;
	flushed = taken = decoded = 0;
}
