/* SPDX-License-Identifier: MIT */
/*
 * The code that a build (core/seam.h) puts into rows, apart from points and the clock: constants in
 * the place of words that the run sets, and where functions go.
 */
#ifndef STAMPEDE_SCHEMES_CORE_HOOKS_H
#define STAMPEDE_SCHEMES_CORE_HOOKS_H

#include "schemes/core/seam.h"

/*
 * Geometry and widths: constants of the build (core/seam.h), or what the run has set. Macros, so
 * that they are constants wherever an expression has them.
 */
#if SEAM_GEOMETRY_CONSTANT
#define RING_GEOMETRY(ring, field, constant) ((void)(ring), constant)
#else
#define RING_GEOMETRY(ring, field, constant) ((ring)->field)
#endif

/* Set by ring_init(); unchanged while writers run, but for `mode`, by a reader. */
#if SEAM_CONSTANTS_APART
#define RING_CONSTANTS \
	extern uint8_t *seam_constant_base; \
	extern struct subbuf *seam_constant_subbufs; \
	extern uint32_t seam_constant_header_bytes; \
	extern enum ring_mode seam_constant_mode;
#define RING_SET_ONCE(ring, field) ((void)(ring), seam_constant_##field)
#else
#define RING_CONSTANTS
#define RING_SET_ONCE(ring, field) ((ring)->field)
#endif

/* For record() and its parts: in the timed build all of it belongs into the timed loop. */
#define RECORD static inline __attribute__((always_inline))

/*
 * Reserve paths: inlined into the loop that is timed, unless the build wants to tell which signals
 * hit them. Anything rare goes into a RESERVE_SLOW function: with it in line compilers make the
 * record's length a branch-free function of the stamp, and the claim then waits for the clock.
 *
 * RECORD_SLOW functions are cold: the loop keeps its registers for the plain path. Compilers put
 * cold functions far from it, and an extension after an eviction then finds one page and several
 * lines more to load: half of its price. .text is near.
 */

#if SEAM_IS_CHECKED || SEAM_IS_EXPLORED
#define RECORD_SLOW static __attribute__((noinline, cold))
#else
#define RECORD_SLOW static __attribute__((noinline, cold, section(".text")))
#endif

#if SEAM_RESERVE_APART
#define RESERVE static __attribute__((noinline, section("reserve_text")))
#define RESERVE_SLOW static __attribute__((noinline, section("reserve_text")))
#else
#define RESERVE static inline __attribute__((always_inline))
#if SEAM_SLOW_APART
#define RESERVE_SLOW static __attribute__((noinline, cold, section("reserve_slow")))
#else
#define RESERVE_SLOW RECORD_SLOW
#endif
#endif

/* Bytes of the payload of event `id`, whose header says none. */
#ifndef CURSOR_PAYLOAD
#define CURSOR_PAYLOAD(cursor, id) ((void)(id), (cursor)->fixed_bytes)
#endif

#endif
