// SPDX-License-Identifier: MIT
/*
 * Compiled once per row and build (core/seam.h), with -DROW=... and -DSCHEME_HEADER='"..."'. The
 * symbol is driver_<build>_<row>. Its reader (reader.c) is the same in all builds.
 */
#include "judge/driver.h"
#include "judge/driver_writer.h"

#if SEAM_INEXACT_STORED
#define DRIVER_PAYLOAD PAYLOAD_STAMP_OR_INEXACT
#else
#define DRIVER_PAYLOAD (SEAM_PAYLOAD_STAMP ? PAYLOAD_STAMP : PAYLOAD_WHOLE)
#endif

static uint64_t driver_drain(void *scheme, struct check *check, bool consume)
{
	check->payload = DRIVER_PAYLOAD;
	return READER(drain)(scheme, check, consume);
}

static void driver_take(void *scheme, struct check *check)
{
	check->payload = DRIVER_PAYLOAD;
	READER(take)(scheme, check);
}

#ifdef SCHEME_RESTARTS
static uint64_t driver_restarts(const void *scheme)
{
	return ((const struct scheme_ring *)scheme)->restarts;
}
#endif

#ifdef SCHEME_JOIN
static void driver_join(void *scheme, void *const *by_cpu)
{
	((struct scheme_ring *)scheme)->by_cpu = by_cpu;
}

static uint64_t driver_moves(const void *scheme)
{
	return ((const struct scheme_ring *)scheme)->moves;
}
#endif

extern const struct driver DRIVER_NAME;
const struct driver DRIVER_NAME = {
	DRIVER_WRITES,
	.format = SCHEME_FORMAT,
#ifdef CTF_COMPACT_IDS
	.compact_ids = CTF_COMPACT_IDS,
#endif
#if defined(SCHEME_RESTARTS) || defined(FLOOR_PUBLISHED)
	.publishes = true,
#endif
#if SEAM_PAYLOAD_STAMP
	.timed = true,
#endif
#ifdef STAMPEDE_TAKEN_ROW
	.taken = true,
#endif
#ifdef VARIANT
	.variant = true,
#endif
#ifdef SCHEME_DEFER
	.defers = true,
#endif
#ifdef SCHEME_JOIN
	.join = driver_join,
	.moves = driver_moves,
#endif
#ifdef SCHEME_RESTARTS
	.restarts = driver_restarts,
#endif
	.drain = driver_drain,
	.take = driver_take,
	.walk = READER(walk),
	.show = READER(show),
};
