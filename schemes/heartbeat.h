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
 * The synthetic clock: slot[2] of {upper bits, counter at that beat}, and beats, whose low bit says
 * which slot is current. Shared words: slot[] and beats are written by the beat alone, of which
 * there is one at a time; first the slot that is not current, then, by one plain store, beats.
 * Everybody else, a buffer switch included, only reads: beats, slot, counter, beats again, and
 * anew if a beat came between (two of them break any order without that). tail: cmpxchg.
 *
 * The text contradicts itself on whether a buffer switch writes the previous counter (only reading
 * is right: a second writer loses a wrap) and says ten beats per wrap where its code of 2006 made
 * two. Here the slot is flipped at every beat, ten times per wrap; BEATS_PER_WRAP or, for a fixed
 * period such as that of a timer tick, BEAT_NS make it another rate.
 *
 * I1 A current slot is never written. I2 Counter lower than the slot's: one wrap since that beat,
 * and no more than one as long as beats come in time. I3 Stamps are in buffer order (core/claim.h).
 *
 * Known failure: a gap of a wrap or more between two events of a sub-buffer, or between two beats,
 * loses whole wraps without a word: every stamp after it is short by them until the next sub-buffer
 * (gap of events) or for ever (gap of beats). So it needs BEAT, and WRAP_PROOF is not promised.
 * Clock reads per event: 1; one more for every void attempt.
 */
#ifndef STAMPEDE_HEARTBEAT_H
#define STAMPEDE_HEARTBEAT_H

#include "core/format_ctf.h"

#ifndef BEATS_PER_WRAP
#define BEATS_PER_WRAP 10
#endif

struct heartbeat_slot {
	uint64_t upper; /* the clock's bits above the counter */
	uint64_t counter;
};

struct scheme_ring {
	struct ring ring;
	uint64_t beats;
	struct heartbeat_slot slot[2];
};

static const struct scheme_desc scheme_desc = {
#ifdef HEARTBEAT_COMPACT
	.title = "27 low bits, beat, synthetic 64-bit clock",
#else
	.title = "32 low bits, beat, synthetic 64-bit clock",
#endif
	.source = "Desnoyers, LTTng 2006-03-01 and 2007-03-12",
	.promises = PROMISE_ALL & ~PROMISE_WRAP_PROOF,
	.needs = NEED_BEAT,
	.extension = EXTEND_NEVER,
	.clock_reads = 1,
	.clock_reads_extended = 1,
#ifdef BEAT_NS
	.beat_ns = BEAT_NS,
#else
	.beats_per_wrap = BEATS_PER_WRAP,
#endif
};

static inline uint64_t heartbeat_counter(const struct scheme_ring *s, uint64_t clock)
{
	return clock & bits_mask(ring_counter_bits(&s->ring));
}

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	uint64_t now = clock_now();

	ring_init(&s->ring, config, base, subbufs, false, CTF_PACKET_HEADER_BYTES);
	s->beats = 0;
	s->slot[0].upper = now >> ring_counter_bits(&s->ring);
	s->slot[0].counter = heartbeat_counter(s, now);
}

/* The upper bits that belong to `counter`, read after `slot`. */
static inline uint64_t heartbeat_upper(const struct heartbeat_slot *slot, uint64_t counter)
{
	return slot->upper + (counter < slot->counter);
}

/* The beat: the only writer of the synthetic clock. */
#define SCHEME_BEAT
static inline void beat(struct scheme_ring *s)
{
	const struct heartbeat_slot *now = &s->slot[s->beats & 1];
	struct heartbeat_slot *next = &s->slot[(s->beats + 1) & 1];
	uint64_t counter = heartbeat_counter(s, clock_read("beat: clock"));

	shared_store("beat: upper", &next->upper, heartbeat_upper(now, counter));
	shared_store("beat: counter", &next->counter, counter);
	shared_store("beat: flip", &s->beats, s->beats + 1);
}

/* A clock read, and the 64-bit time that the machine would synthesise for it. */
static inline uint64_t claim_begin(struct scheme_ring *s, uint64_t *begin)
{
	uint64_t beats, clock, counter;
	struct heartbeat_slot slot;

	do {
		beats = shared_load("synthetic: beats", &s->beats);
		slot.upper = shared_load("synthetic: upper", &s->slot[beats & 1].upper);
		slot.counter = shared_load("synthetic: counter", &s->slot[beats & 1].counter);
		clock = clock_read("synthetic: clock");
	} while (unlikely(shared_load("synthetic: beats again", &s->beats) != beats));
	counter = heartbeat_counter(s, clock);
	*begin = heartbeat_upper(&slot, counter) << ring_counter_bits(&s->ring) | counter;
	return clock;
}

#define SCHEME_NOW
static inline uint64_t scheme_now(struct scheme_ring *s)
{
	uint64_t now;

	claim_begin(s, &now);
	return now;
}

#include "core/claim.h"

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
#ifdef HEARTBEAT_COMPACT
	uint64_t size = ctf_compact_bytes(id, len, false) + len;
#else
	uint64_t size = ctf_large_bytes(4, len) + len;
#endif
	unsigned int bits = ring_stamp_bits(&s->ring);
	struct claim claim = claim_record(s, size);

	if (unlikely(claim.slow && !claim.record))
		return reservation_slow((struct reservation){ .payload = NULL });
	return (struct reservation){
#ifdef HEARTBEAT_COMPACT
		.payload = ctf_compact_put(claim.record, id, len, claim.stamp, bits, false),
#else
		.payload = ctf_large_put(claim.record, 4, id, len, claim.stamp, bits),
#endif
		.subbuf = claim.subbuf,
		.size = size,
		.stamp = claim.stamp,
		.slow = claim.slow,
	};
}

static inline bool decode_begin(const struct ring *ring, uint64_t number, uint32_t content_bytes,
				struct cursor *cursor)
{
	ctf_finish(ring, number, content_bytes);
	return ctf_cursor(ring, number, content_bytes, cursor);
}

static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
#ifdef HEARTBEAT_COMPACT
	return ctf_compact_next(cursor, event);
#else
	return ctf_large_next(cursor, 4, event);
#endif
}

#endif
