/* SPDX-License-Identifier: MIT */
/*
 * The contract between a scheme and everything that runs it.
 *
 * A scheme is one header in schemes/ and one line in schemes/schemes.def. It includes this file
 * and defines, for the one row that a translation unit is compiled for:
 *
 *   struct scheme_ring { struct ring ring; ... };   the ring first, then its own shared words
 *   static const struct scheme_desc scheme_desc;    what it is, promises and needs
 *   scheme_init(s, config, base, subbufs)           calls ring_init() and sets its own words;
 *                                                   SCHEME_START makes one
 *   RESERVE struct reservation reserve(s, id, len)  claims a record and writes its header
 *
 * includes a format, whose reader it gets, and defines hooks where the defaults do not fit; the
 * table of them all is at the head of parts/defaults.h.
 *
 * Writers call record() only. They may be nested to any depth on one CPU; the inner ones run to
 * their end first.
 */
#ifndef STAMPEDE_SCHEMES_CORE_SCHEME_H
#define STAMPEDE_SCHEMES_CORE_SCHEME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "schemes/core/ring.h"

/* A scheme's promises about its stamps, which the suite tests. */
enum scheme_promise {
	PROMISE_MONOTONIC = 1 << 0, /* decoded times never go back in buffer order */
	PROMISE_EXACT = 1 << 1, /* decoded == stamp taken, but for those declared inexact */
	PROMISE_WINDOW = 1 << 2, /* decoded lies between entry and exit of its own reserve */
	PROMISE_WRAP_PROOF = 1 << 3, /* all that holds after a gap of any length; or see gap_bits */
	PROMISE_BOUNDED = 1 << 4, /* finishes however slow the clock is */
	PROMISE_ALL = (1 << 5) - 1, /* that a clock which goes forward calls for */
	PROMISE_STEP_PROOF = 1 << 5, /* decoded == stamp taken, whatever order stamps have */
	PROMISES = (1 << 6) - 1,
};

/* A scheme's preconditions: its promises hold where these are met. */
enum scheme_need {
	NEED_BEAT = 1 << 0, /* a beat at least once per wrap */
	NEED_MASKED_INTERRUPTS = 1 << 1, /* no nested writer at all */
	NEED_STRICT_CLOCK = 1 << 2, /* no two reads give the same value */
	/* No read gives less than one before it: every row's, for all times but STEP_PROOF's. */
	NEED_FORWARD_CLOCK = 1 << 3,
	NEED_SHORT_GAPS = 1 << 4, /* those that gap_bits says, of who has any */
};

/* When a record must carry more than the short field, seen from its predecessor's stamp. */
enum scheme_extension {
	EXTEND_NEVER,
	EXTEND_ON_GAP, /* stamp - predecessor >= 2^T */
	EXTEND_ON_CARRY, /* the bits above T differ */
	EXTEND_ALWAYS,
};

struct scheme_desc {
	const char *title; /* the idea, in a few words */
	const char *source; /* mail or commit, with date */
	uint32_t promises;
	uint32_t needs;
	enum scheme_extension extension;
	uint32_t extra_per_nested; /* extensions a nested writer may cause beyond the needed ones */
	uint32_t zeros_per_nested; /* inexact stamps a nested writer may cause */
	uint32_t clock_reads; /* per event, nothing special happening */
	uint32_t more_clock_reads; /* per event that is extended */
	uint32_t beats_per_wrap; /* with NEED_BEAT */
	uint32_t beat_ns; /* or a fixed period, whatever a wrap takes; 0: beats_per_wrap */
	uint32_t alignment; /* bytes that payloads and records start at multiples of; 0: packed */
	uint32_t shared_promises; /* with writers on several CPUs in one ring; 0: not possible */
	uint32_t gap_bits; /* gaps below 2^(T + this), less a wrap with EXTEND_ON_CARRY; 0: any */
	uint32_t cut_bits; /* low bits of the stamp that are not stored: see scheme_cut_bits() */
	uint32_t rounds; /* times are early by less than this, ticks: owes that, not EXACT */
	bool ages; /* the stamp is the clock of the last beat: owes that, not EXACT and WINDOW */
	bool carries; /* a field has the bits that differ, and not the difference */
	bool turns_away; /* an event that comes into another one is lost, and counted as such */
	bool untimed; /* stores no stamp: only structure and conservation mean anything */
};

/*
 * How many low bits of the stamp a row does not store, on a ring whose short field reaches to bit
 * `stamp_bits`: the field itself then has stamp_bits - cut bits. Decoded times are the stamps with
 * these bits cleared, and all else is exact: a row that cuts bits owes this in place of EXACT,
 * which it does not promise. A field narrowed for a test keeps one bit.
 */
static inline uint32_t scheme_cut_bits(const struct scheme_desc *desc, uint32_t stamp_bits)
{
	return desc->cut_bits < stamp_bits ? desc->cut_bits : stamp_bits - 1;
}

/* Times are not the stamps taken, by the row's own word and within bounds that it owes. */
static inline bool scheme_declares(const struct scheme_desc *desc)
{
	return desc->cut_bits || desc->rounds || desc->ages;
}

/* Most ticks between two stamps, or two beats, that a reader of the short field can still tell. */
static inline uint64_t scheme_reach_ticks(const struct scheme_desc *desc, uint32_t stamp_bits)
{
	return bits_clear(bits_mask(stamp_bits), scheme_cut_bits(desc, stamp_bits));
}

/* The form of records, for programs that describe them to other readers. */
enum scheme_format_kind {
	FORMAT_OWN, /* of the scheme alone: no other reader can be told */
	FORMAT_FTRACE, /* format/format_ftrace.h */
	FORMAT_CTF_WORD, /* u32 { [flag] id time }, escapes behind it: compact, and layouts */
	FORMAT_CTF_LARGE, /* stamp, u16 id, u16 size */
	FORMAT_CTF_PACKED, /* parts/packed.h */
	FORMAT_CTF_SYNC, /* joint_delta.h */
	FORMAT_VARINT, /* format/format_varint.h, absolute low bits: CTF 2 alone knows it */
};

struct scheme_format {
	enum scheme_format_kind kind;
	enum scheme_format_kind
		forward; /* OWN: what it is while no clock goes back; OWN: nothing */
	uint8_t id_bits; /* WORD, SYNC: of the id field */
	bool flag; /* WORD: the lowest bit says that the whole stamp follows */
	bool stamp_event; /* WORD: id 28 is a stamp, and no event */
	uint8_t stamp_bytes; /* LARGE: 4 or 8; VARINT: the fewest */
	bool escape; /* LARGE: id 65535 is followed by u16 id and the whole stamp */
};

#define FORMAT_OF_ITS_OWN \
	{ \
		.kind = FORMAT_OWN \
	}

/* Event ids; the first two fit the short field of every format. */
enum {
	EVENT_FIXED = 1, /* payload size known to the reader */
	EVENT_BEAT = 2, /* the same, recorded by the beat */
	EVENT_NESTED = 3, /* by a nested writer: three ids, which deeper levels take in turn */
	EVENT_KINDS = 5, /* ids of this kind: the two above and three of nested writers */
	EVENT_FIXED_HIGH = 500, /* the five of known payload size, too large for the short field */
	EVENT_SIZED = 600, /* the five with the payload's size in the header */
	EVENT_IDS = EVENT_SIZED + EVENT_KINDS,
	EVENT_ID_UNKNOWN = UINT16_MAX, /* decoded from a format that stores none */
};

/* True if the header of `id` says how large the payload is. */
static inline bool event_is_sized(uint32_t id)
{
	return id >= EVENT_SIZED;
}

/*
 * A claimed record whose header is written. Passed by value: a pointer to it, handed to the slow
 * path, would cost the fast path five stores to the stack.
 */
struct reservation {
	uint8_t *payload; /* NULL: the event is lost, and counted */
	struct subbuf *subbuf;
	uint64_t size; /* bytes to commit */
	uint64_t stamp; /* the 64-bit clock value taken */
	bool inexact; /* the reader will see another time, by declaration */
	bool slow; /* came out of a RESERVE_SLOW function, or the event is lost: see below */
};

/*
 * The value that reserve() returns from a slow path. record() then finishes out of line: if the
 * compiler joined the two paths, it would lose the constants of the plain one.
 */
static inline struct reservation reservation_slow(struct reservation rsv)
{
	rsv.slow = true;
	return rsv;
}

/* The event cannot be recorded: no sub-buffer is free, or none is large enough for `size`. */
static inline struct reservation reserve_lost(struct ring *ring, uint64_t size)
{
	ring_lost(ring, size);
	return (struct reservation){ .payload = NULL };
}

enum event_flag {
	EVENT_EXTENDED = 1 << 0, /* carries more than the short field */
	EVENT_STAMP_ONLY = 1 << 1, /* a record of the scheme's own: no payload, not an event */
};

/* A decoded record. */
struct event {
	uint64_t time;
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t header_bytes;
	uint32_t alignment_bytes; /* only aligned rows set it: padding of header and payload */
	uint32_t id;
	uint32_t flags;
};

/* Where a reader stands in one sub-buffer. */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t time; /* of the record before; at first the begin stamp */
	uint32_t stamp_bits;
	uint32_t fixed_bytes;
	const uint32_t *payloads; /* bytes by id, where that is how CURSOR_PAYLOAD() knows them */
};

enum decode_result {
	DECODE_BAD = -1, /* not a record, or one that runs over the end */
	DECODE_END = 0,
	DECODE_EVENT = 1,
};

static inline uint64_t cursor_left(const struct cursor *cursor)
{
	return (uint64_t)(cursor->end - cursor->at);
}

/*
 * The end of reading a record: `event` has the bytes of its header and of its payload, of which
 * `left` are there. Steps over both.
 */
static inline enum decode_result cursor_take(struct cursor *cursor, uint64_t left,
					     struct event *event)
{
	if (unlikely((uint64_t)event->header_bytes + event->payload_bytes > left))
		return DECODE_BAD;
	event->payload = cursor->at + event->header_bytes;
	cursor->at = event->payload + event->payload_bytes;
	cursor->time = event->time;
	return DECODE_EVENT;
}

#ifdef ALIGNED
#define SCHEME_ALIGNMENT 8
#else
#define SCHEME_ALIGNMENT 0
#endif

/*
 * The shared_promises of a row that makes `all` with a fenced clock, and `some` where a stamp may
 * be older than the place in the buffer that it gets.
 */
#if !defined(LOCKED) || !defined(__x86_64__)
#define SCHEME_SHARED(all, some) 0
#elif defined(CLOCK_FENCED)
#define SCHEME_SHARED(all, some) (all)
#else
#define SCHEME_SHARED(all, some) (some)
#endif

/*
 * Declared by a driver before it includes a scheme's header and parts/defaults.h:
 *
 *   struct source;                                 where the payload comes from
 *   payload_fill(rsv, src, len)                    writes it into a claimed record
 *
 * and, with SCHEME_RESTARTS (the record is written inside a section, which copies the payload),
 *
 *   payload_prepare(src, len, payload)             what parts/restart.h copies into a record,
 *                                                  before its stamp is taken; may be in vain
 *   payload_stamp(src, stamp, payload)             the same with a stamp that was taken
 *   payload_published(src)                         the record that was prepared last is published
 *   deferred_run(s, level)                         runs a nested writer that had to wait
 */

#endif
