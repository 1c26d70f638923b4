/* SPDX-License-Identifier: MIT */
/*
 * The low bits of a narrow counter in every header, a beat that makes an event at least once per
 * wrap, and a 64-bit clock synthesised from the counter for the begin stamps of sub-buffers.
 *
 * Source: Mathieu Desnoyers, "LTTng synthetic TSC MSB", 2006-03-01 (the clock), and "Adding support
 * for compact 32 bits events", 2007-03-12 (the headers).
 *
 * Layout: 64-bit header of normal events: u32 time | u16 id | u16 size [u32 size], payload;
 * HEARTBEAT_COMPACT: u32 { id : 5 | low 27 bits : 27 }, payload. The beat's event is an ordinary
 * one. The reader adds a wrap whenever the short time goes down, starting from the begin stamp.
 *
 * The time comes before the id in the 64-bit header, where the text has the id first; a reader
 * here meets only one size of header.
 *
 * Shared words: tail, cmpxchg; the synthetic clock, which the beat alone writes
 * (parts/beat.h). Both have 64 bits and more, and are claimed and read as such: the machines
 * of the text, with a counter of 32 bits, had atomics of 32 bits only (core/local.h refuses them).
 *
 * The text contradicts itself on whether a buffer switch writes the previous counter (it must only
 * read: a second writer loses a wrap), and speaks of ten beats per wrap where its code of 2006
 * made two. Here the slot is flipped at every beat, ten times per wrap; BEATS_PER_WRAP or, for a
 * fixed period such as that of a timer tick, BEAT_NS set another rate.
 *
 * I1 The synthetic clock is right as long as beats come in time.
 * I2 Stamps are in buffer order (parts/claim.h).
 *
 * Known failure: a gap of a wrap or more between two events of a sub-buffer, or between two beats,
 * silently loses whole wraps: every later stamp is short by them, until the next sub-buffer (gap of
 * events) or for ever (gap of beats). So the row needs BEAT, and does not promise WRAP_PROOF.
 * Clock reads per event: 1; one more for every void attempt.
 */
#ifndef STAMPEDE_SCHEMES_HEARTBEAT_H
#define STAMPEDE_SCHEMES_HEARTBEAT_H

#ifndef HEARTBEAT_COMPACT
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_LARGE, .stamp_bytes = 4 \
	}
#endif

#include "schemes/format/format_ctf.h"
#include "schemes/parts/beat.h"

#ifndef BEATS_PER_WRAP
#define BEATS_PER_WRAP 10
#endif

static const struct scheme_desc scheme_desc = {
#ifdef HALVES
	.title = "32 low bits, a word that counts half wraps",
#elif defined(HEARTBEAT_COMPACT)
	.title = "27 low bits, beat, synthetic 64-bit clock",
#else
	.title = "32 low bits, beat, synthetic 64-bit clock",
#endif
#ifdef HALVES
	.source = "embassy, embassy-stm32/src/time_driver/gp16.rs, 2025",
#else
	.source = "Desnoyers, LTTng 2006-03-01 and 2007-03-12",
#endif
	.promises = PROMISE_ALL & ~PROMISE_WRAP_PROOF,
	.needs = NEED_BEAT,
	.extension = EXTEND_NEVER,
	.clock_reads = 1,
#ifdef BEAT_NS
	.beat_ns = BEAT_NS,
#else
	.beats_per_wrap = BEATS_PER_WRAP,
#endif
};

#define CLAIM_HEADER
static inline uint64_t claim_bytes(uint32_t id, uint32_t len)
{
#ifdef HEARTBEAT_COMPACT
	return ctf_compact_bytes(id, len, false) + len;
#else
	(void)id;
	return ctf_large_bytes(4, len) + len;
#endif
}

static inline uint8_t *claim_put(const struct scheme_ring *s, uint8_t *at, uint32_t id,
				 uint32_t len, uint64_t stamp)
{
	unsigned int bits = ring_stamp_bits(&s->ring);

#ifdef HEARTBEAT_COMPACT
	return ctf_compact_put(at, id, len, stamp, bits, false);
#else
	return ctf_large_put(at, 4, id, len, stamp, bits);
#endif
}

#include "schemes/parts/claim.h"

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
#ifdef HEARTBEAT_COMPACT
	return ctf_compact_next(cursor, event);
#else
	return ctf_large_next(cursor, 4, event);
#endif
}

#endif
