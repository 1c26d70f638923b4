/* SPDX-License-Identifier: MIT */
/*
 * Offset and newest stamp in one 128-bit word, moved by one double-width cmpxchg: the stamp of the
 * previous record is always known, and nothing has to be packed.
 *
 * Source: Stampede, for a complete design space. The previous stamp and the space would have to
 * move together, and most machines of 2008 could not do that: the discussions around Desnoyers,
 * LKML, 2008-09-25, and Rostedt's write stamps of 2020 work around it.
 *
 * Layout: format/format_ctf.h, compact, as extended_header:
 *   u32 { id : 5 | low T bits : 27 } [u16 id [u16 size [u64 stamp] [u32 size]]] payload
 *
 * Shared words: {tail : 64 | last : 64}, one cmpxchg of 16 bytes (no LOCK: against interrupts
 * only).
 *
 * Order: tail and last, clock, cmpxchg.
 * I1 A writer that claims has read the clock after the pair got its value and before the pair
 *    changed: stamps are in buffer order, and last is exactly the stamp of the previous record.
 * I2 So a header is full if, and only if, the reader could not know the upper bits.
 * I3 The two halves are read one after the other; a nested writer in between makes the claim fail.
 * The offset runs free and never reaches 2^64 bytes: no ABA.
 *
 * Known failure: none. The row needs cmpxchg16b (every x86-64 but the first) or ldxp/stxp.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_DWCAS_H
#define STAMPEDE_SCHEMES_DWCAS_H

#include "schemes/format/format_ctf.h"

struct scheme_ring {
	struct ring ring;
};

_Static_assert(offsetof(struct ring, tail) == 0 && offsetof(struct ring, last) == 8,
	       "tail and last are one pair, at the start of what is 64-byte aligned");

static const struct scheme_desc scheme_desc = {
	.title = "offset and stamp in one 128-bit word",
	.source = "Stampede",
	.promises = PROMISES,
	.extension = EXTEND_ON_GAP,
	.clock_reads = 1,
};

#define SCHEME_START
#define SCHEME_CLAIM_BITS 128

#define EXTEND_SEEN
struct extend_seen {
	uint64_t offset;
	uint64_t last;
};

static inline struct extend_seen extend_see(struct scheme_ring *s)
{
	return (struct extend_seen){ .offset = shared_load("offset", &s->ring.tail),
				     .last = shared_load("last", &s->ring.last) };
}

/* Without it a record could get its space behind one writer and its last from another. */
static inline bool extend_claim(struct scheme_ring *s, struct extend_seen seen, uint64_t offset,
				uint64_t stamp)
{
	struct local_pair old = { .word = { seen.offset, seen.last } };
	struct local_pair next = { .word = { offset, stamp } };

	/* I1, I3 */
	return local_cmpxchg_pair("claim", (struct local_pair *)(void *)&s->ring.tail, old, next);
}

static inline bool extend_far(const struct scheme_ring *s, const struct extend_seen *seen,
			      uint64_t stamp)
{
	return bits_overflow(stamp - seen->last, ring_stamp_bits(&s->ring));
}

static inline void extend_remember(struct scheme_ring *s, uint64_t stamp)
{
	(void)s;
	(void)stamp;
}

#include "schemes/parts/extend.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define SCHEME_UNSUPPORTED
static inline const char *scheme_unsupported(void)
{
#if defined(__x86_64__) && defined(LOCAL_HAS_PAIR)
	unsigned int a, b, c = 0, d;

	/* CMPXCHG16B, which each compiler writes in its own way */
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1 << 13)))
		return "this CPU has no cmpxchg16b";
	return NULL;
#elif defined(LOCAL_HAS_PAIR)
	return NULL;
#else
	return "C11 has no 16-byte compare-and-swap without a lock";
#endif
}

#endif
