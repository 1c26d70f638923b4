/* SPDX-License-Identifier: MIT */
/* The reader of the rings that ROW_H fills, and the trace's metadata. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* What makes dates of stamps. */
struct clock_rate {
	uint64_t hz; /* ticks per second; 0: not known */
	uint64_t ticks; /* a stamp, and */
	uint64_t ns; /* the time of day then, since 1970 */
};

/* STRUCTS event cursor */

/* What a reader got: a sub-buffer, which is a packet of the trace as it stands. */
struct packet {
	const uint8_t *bytes;
	uint64_t size; /* bytes */
	uint64_t number; /* counted from the first; a missing number was overwritten */
	uint64_t events, own; /* own: of them those of id 599, by which threads say who they are */
	uint64_t lost; /* events that found no room, until it was closed */
	uint64_t back; /* events of a time before their predecessor's: the clock went back */
	uint64_t begin, end; /* stamps */
	struct cursor cursor; /* of next() */
};

/* ---- one reader at a time, any thread or process; no writer waits for it ---- */

/* OK, NO_POINTER, NOT_OPEN, BUSY or NO_OVERWRITE. */
static inline int attach(struct tracer *t);
/*
 * The next reader continues after what this reader has released. Any thread or process may call
 * this for a reader that died. OK, NO_POINTER, NOT_OPEN or NO_READER.
 */
static inline int detach(struct tracer *t);
/* Gets the oldest complete sub-buffer. 1: *packet holds it until release(). 0: no sub-buffer is
 * complete yet. Else NO_POINTER, NOT_OPEN, NO_READER or DAMAGED. */
static inline int read(struct tracer *t, struct packet *packet);
/* The packet's next event: time in ticks, id and payload. False: the packet has no more events. */
static inline bool next(struct packet *packet, struct event *event);
/* Gives the sub-buffer back to the writers. OK, NO_POINTER, NOT_OPEN, NO_READER or NOT_HELD. */
static inline int release(struct tracer *t, struct packet *packet);

/* ---- anybody, at any time, a signal handler too: takes nothing away from the reader ---- */

/*
 * Copies packet `number` to `to`, which has room for a sub-buffer; of the one that is open what is
 * recorded so far. next() gives the copy's events; no release(). 1: done. 0: it is not there, not
 * any more, or a record in it is under way. Else NO_POINTER, NOT_OPEN or NO_OVERWRITE.
 */
static inline int copy(const struct tracer *t, uint64_t number, void *to, struct packet *packet);
/* The number behind the newest packet, which may be open. */
static inline uint64_t packets(const struct tracer *t);

/* ---- any thread ---- */

/* Takes the CPU for `ms` milliseconds to learn the clock's rate; 50 give it to parts in a million.
 * rate->hz is 0 if the time of day was set meanwhile: measure again. OK or NO_POINTER. */
static inline int clock_measure(struct clock_rate *rate, unsigned int ms);
/*
 * Writes the trace's file "metadata"; packets of all rings with these types belong beside it, a
 * file for each ring. OK, NO_RATE, NOT_WRITTEN, or as open().
 */
static inline int metadata(FILE *to, const struct options *options, const struct clock_rate *rate);
/* A reader's time is seconds + (ticks + stamp) / hz. */
static inline void clock_offset(const struct clock_rate *rate, int64_t *seconds, uint64_t *ticks);
