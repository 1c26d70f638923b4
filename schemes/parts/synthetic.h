/* SPDX-License-Identifier: MIT */
/*
 * A 64-bit clock synthesised from a counter of W bits and a beat that comes at least once per wrap
 * of the counter.
 *
 * Source: Mathieu Desnoyers, "LTTng synthetic TSC MSB", 2006-03-01.
 *
 * Shared words: slot[2] of {upper bits, counter at that beat}, and beats, whose low bit says which
 * slot is current. The beat alone writes them, and there is one beat at a time: first the slot that
 * is not current, then, by one plain store, beats. All others only read: beats, slot, counter,
 * beats again, and all of it anew if a beat came in between; without that, two beats would write
 * the slot that is being read.
 *
 * I1 The current slot is never written.
 * I2 A counter lower than the slot's means one wrap since that beat, and never more than one as
 *    long as beats come in time.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_SYNTHETIC_H
#define STAMPEDE_SCHEMES_PARTS_SYNTHETIC_H

#include "schemes/core/bits.h"
#include "schemes/core/clock.h"
#include "schemes/core/point.h"

#ifdef HALVES
/*
 * After embassy's time drivers (embassy-stm32, gp16.rs, and others): one word counts halves of
 * wraps. There two interrupts of the counter add one each; here a beat adds one if the counter is
 * in the other half. The counter has a bit more than `bits`, the header's field, so a beat in each
 * wrap of that is one in each half. I3: A counter in the half after the word's is right without the
 * beat, and one further is not: a beat later than half a wrap of the counter loses a whole one. One
 * load less than with slots, and no second try, so a reader that is interrupted for half a wrap
 * between word and counter is wrong as well.
 */
struct synthetic {
	uint64_t period;
};

static inline void synthetic_init(struct synthetic *clock, unsigned int bits, uint64_t now)
{
	clock->period = now >> bits;
}

static inline void synthetic_beat(struct synthetic *clock, unsigned int bits)
{
	uint64_t half = clock_read("beat: clock") >> bits & 1;

	if (half != (clock->period & 1))
		shared_store("beat: period", &clock->period, clock->period + 1); /* I3 */
}

static inline uint64_t synthetic_read(struct synthetic *clock, unsigned int bits,
				      uint64_t *synthesised)
{
	uint64_t period = shared_load("synthetic: period", &clock->period); /* before the counter */
	uint64_t now = clock_read("synthetic: clock");

	*synthesised =
		(period << bits) + ((now & bits_mask(bits + 1)) ^ (period & 1) << bits); /* I3 */
	return now;
}
#else
struct synthetic_slot {
	uint64_t upper; /* the clock's bits above the counter */
	uint64_t counter;
};

struct synthetic {
	uint64_t beats;
	struct synthetic_slot slot[2];
};

/* Starts at clock value `now`, of whose low `bits` the counter consists. */
static inline void synthetic_init(struct synthetic *clock, unsigned int bits, uint64_t now)
{
	clock->beats = 0;
	clock->slot[0].upper = bits < 64 ? now >> bits : 0;
	clock->slot[0].counter = now & bits_mask(bits);
}

/* The upper bits that belong to `counter`, read after `slot`. */
static inline uint64_t synthetic_upper(const struct synthetic_slot *slot, uint64_t counter)
{
	return slot->upper + (counter < slot->counter);
}

/* The beat: the only writer. */
static inline void synthetic_beat(struct synthetic *clock, unsigned int bits)
{
	const struct synthetic_slot *now = &clock->slot[clock->beats & 1];
	struct synthetic_slot *next = &clock->slot[(clock->beats + 1) & 1];
	uint64_t counter = clock_read("beat: clock") & bits_mask(bits);

	shared_store("beat: upper", &next->upper, synthetic_upper(now, counter)); /* I1, I2 */
	shared_store("beat: counter", &next->counter, counter); /* I1, I2 */
	shared_store("beat: flip", &clock->beats, clock->beats + 1); /* I1: behind both */
}

/* A clock read, and in `synthesised` the 64-bit time that the machine would make of it. */
static inline uint64_t synthetic_read(struct synthetic *clock, unsigned int bits,
				      uint64_t *synthesised)
{
	struct synthetic_slot slot;
	uint64_t beats, now;

	do {
		beats = shared_load("synthetic: beats", &clock->beats);
		slot.upper = shared_load("synthetic: upper", &clock->slot[beats & 1].upper);
		slot.counter = shared_load("synthetic: counter", &clock->slot[beats & 1].counter);
		now = clock_read("synthetic: clock");
	} while (unlikely(shared_load("synthetic: beats again", &clock->beats) != beats));
	*synthesised =
		synthetic_upper(&slot, now & bits_mask(bits)) << bits | (now & bits_mask(bits));
	return now;
}
#endif

#endif
