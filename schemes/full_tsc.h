/* SPDX-License-Identifier: MIT */
/*
 * The whole 64-bit stamp in every header.
 *
 * Source: Mathieu Desnoyers, "Adding support for compact 32 bits events", LTTng, 2007-03-12, the
 * 96-bit header of normal events ("useful when no heartbeat available").
 *
 * Layout: u64 stamp | u16 id | u16 size [u32 size], payload. Packed: 12 bytes, where the text's
 * alignment on 64 bits would make it 16, as in the row full_tsc_aligned (ALIGNED).
 *
 * The time comes before the id. The text of 2007 has the id first, so that a reader knows the
 * header's size before anything else; here all headers have one size, and the stamp has the
 * alignment of the record.
 *
 * CACHED: the stamp is a word that a beat refreshes each 500 us (restate PR 4104, 2025-12; vector
 * PR 25370, 2026-05, each 25 ms; nginx and Linux' CLOCK_MONOTONIC_COARSE do the same): a load in
 * place of a clock read. I3: One beat at a time stores what it read, so the word never goes back;
 * times are early by what has gone by since, a late beat included, and many events have the same
 * one.
 *
 * CONVERTED: the stamp is stored as nanoseconds (Zephyr PR 105940, 2026-03), by whole seconds and
 * the rest: cycles * 10^9 leaves 64 bits 5.8 s after the start of a clock of 3.2 GHz (PR 115115).
 * The rate is a constant, as a board's is. I4: The way back gives a tick of the same nanosecond,
 * the first.
 *
 * Shared words: tail, cmpxchg; CACHED: the word, which the beat alone writes.
 * I1 Stamps are in buffer order (parts/claim.h).
 * I2 No record depends on another.
 * Known failure: none; the row pays in bytes.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_FULL_TSC_H
#define STAMPEDE_SCHEMES_FULL_TSC_H

#ifdef CONVERTED
#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#else
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_LARGE, .stamp_bytes = 8 \
	}
#endif

#include "schemes/format/format_ctf.h"

#define NANOSECONDS UINT64_C(1000000000)
#define CONVERTED_HZ UINT64_C(3200000000)

#ifdef CONVERTED
static inline uint64_t full_tsc_stored(uint64_t stamp)
{
	return stamp / CONVERTED_HZ * NANOSECONDS +
	       stamp % CONVERTED_HZ * NANOSECONDS / CONVERTED_HZ;
}

static inline uint64_t full_tsc_read(uint64_t stored)
{
	return stored / NANOSECONDS * CONVERTED_HZ + /* I4 */
	       (stored % NANOSECONDS * CONVERTED_HZ + NANOSECONDS - 1) / NANOSECONDS;
}
#else
#define full_tsc_stored(stamp) (stamp)
#define full_tsc_read(stored) (stored)
#endif

struct scheme_ring {
	struct ring ring;
#ifdef CACHED
	uint64_t word;
#endif
};

static const struct scheme_desc scheme_desc = {
#ifdef CACHED
	.title = "64-bit word that a beat refreshes, in every header",
	.source = "restate PR 4104, 2025-12",
	.promises = PROMISE_MONOTONIC | PROMISE_WRAP_PROOF | PROMISE_BOUNDED,
	.needs = NEED_BEAT,
	.beat_ns = 500000,
	.ages = true,
#elif defined(CONVERTED)
	.title = "64 bits of nanoseconds, converted in the writer",
	.source = "Zephyr PR 105940 and 115115, 2026",
	.promises = PROMISES & ~(PROMISE_EXACT | PROMISE_STEP_PROOF),
	.rounds = (CONVERTED_HZ + NANOSECONDS - 1) / NANOSECONDS,
	.clock_reads = 1,
#else
	.title = "64-bit stamp in every header",
	.source = "Desnoyers, LTTng compact events, 2007-03-12",
	.promises = PROMISES,
	.clock_reads = 1,
#endif
	.extension = EXTEND_NEVER,
	.alignment = SCHEME_ALIGNMENT,
	.shared_promises = SCHEME_SHARED(PROMISES, PROMISES & ~PROMISE_MONOTONIC),
};

#ifdef CACHED
#define SCHEME_START s->word = clock_now()

#define SCHEME_BEAT
static inline void beat(struct scheme_ring *s)
{
	shared_store("beat: word", &s->word, clock_read("beat: clock")); /* I3 */
}

#define CLAIM_CLOCK(s) shared_load("word", &(s)->word)

#define FULL_TSC_CLOCK(s) CLAIM_CLOCK(s)
#else
#define SCHEME_START
#define FULL_TSC_CLOCK(s) ((void)(s), clock_read("clock again"))
#endif

/* Packets begin and end at times as records have them. */
static inline uint64_t claim_begin(struct scheme_ring *s, uint64_t *begin)
{
	uint64_t stamp = FULL_TSC_CLOCK(s);

	*begin = full_tsc_read(full_tsc_stored(stamp));
	return stamp;
}

#if defined(CACHED) || defined(CONVERTED)
#define CLAIM_NOW
#endif
#define CLAIM_HEADER
static inline uint64_t claim_bytes(uint32_t id, uint32_t len)
{
	(void)id;
	return ctf_large_record(8, len);
}

static inline uint8_t *claim_put(const struct scheme_ring *s, uint8_t *at, uint32_t id,
				 uint32_t len, uint64_t stamp)
{
	(void)s;
	return ctf_large_put(at, 8, id, len, full_tsc_stored(stamp), 64);
}

#include "schemes/parts/claim.h"

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	enum decode_result result = ctf_large_next(cursor, 8, event);

	event->time = cursor->time = full_tsc_read(event->time);
	return result;
}

#endif
