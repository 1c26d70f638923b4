/* SPDX-License-Identifier: MIT */
/*
 * A scheme to copy: the low T bits of the stamp in every header, the whole stamp where a reader
 * could not know the rest. Copy this file to schemes/<name>.h, change what is marked "yours", and
 * add X(<name>, <name>, ) to schemes/schemes.def. tests/judge/test_template.c checks this file.
 *
 * Source: yours: paper, mail or commit, with its date.
 *
 * Layout: yours, in bits; here format/format_ctf.h, compact:
 *   u32 { id : 5 | low T bits : 27 } [u16 id [u16 size [u64 stamp] [u32 size]]] payload
 *
 * Shared words (yours): for each, which writers store it, and how. Here:
 *   tail  the ring's offset. A writer moves it on by cmpxchg, and then owns the record.
 *   last  the stamp of a recent record. The writer stores it after its claim, without an atomic.
 *
 * Invariants: yours, by number; each atomic below names the one that it serves. Here I1 to I3 of
 * parts/extend.h.
 * Known failure: yours: the schedule that breaks it, or none.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_TEMPLATE_H
#define STAMPEDE_SCHEMES_TEMPLATE_H

/* The format: how packets and records look in memory, and its reader. format_ftrace.h is the other
 * one; a scheme with bytes of its own defines SCHEME_NEXT and decode_next() (full_tsc.h). */
#include "schemes/format/format_ctf.h"

/* All that writers of one CPU share; nothing is static, or of a thread. */
struct scheme_ring {
	struct ring ring; /* the first member, in every scheme */
	uint64_t last; /* yours */
};

/* What the suite tests, and prices. Promise little, and it shows what you do not keep; promise
 * what you do not keep, and the run fails. core/scheme.h has every promise and need. */
static const struct scheme_desc scheme_desc = {
	.title = "a scheme to copy",
	.source = "yours, with its date",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP, /* when a record has to carry more than the short field */
	.extra_per_nested = 2, /* extensions an interrupt may cause, apart from the needed ones */
	.clock_reads = 1,
};

#define SCHEME_START s->last = 0 /* after ring_init(), which parts/defaults.h calls */

/* Must a record with this stamp carry all of it? `seen` is what its claim is made against. */
struct extend_seen;
static inline bool extend_far(const struct scheme_ring *s, const struct extend_seen *seen,
			      uint64_t stamp)
{
	(void)seen;
	return bits_overflow(stamp - shared_load("last", &s->last), ring_stamp_bits(&s->ring));
}

/* The record with this stamp is claimed. */
static inline void extend_remember(struct scheme_ring *s, uint64_t stamp)
{
	shared_store("store last", &s->last, stamp); /* I3 */
}

/* Defines reserve(), with the two above. A scheme with a claim of its own defines reserve() here:
 * dwcas.h is one from the first line to the last. Words that others may change are touched by
 * shared_load(), shared_store() and local_*() only: there the explorer interrupts. */
#include "schemes/parts/extend.h"

/* Hooks, where the defaults do not fit: the table is at the head of parts/defaults.h. */

#endif
