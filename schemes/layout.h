/* SPDX-License-Identifier: MIT */
/*
 * The header layouts of 2007 and 2008, by parameters: how many bits of id and of time share the
 * header word, how many low bits of the stamp are cut, and how a reader learns of wraps.
 *
 * Source: Mathieu Desnoyers, "Adding support for compact 32 bits events", 2007-03-12 (5+27, 6+26,
 * 7+25, 13+19 and the 64-bit header) and "LTTng specialized probes", ltt-dev, 2008-10-09, first
 * layout (1+27+4). The text's other layouts are rows of their own: 5+27 without a cut is
 * heartbeat_compact and extended_header, the 64-bit header with a beat is heartbeat, the 96-bit
 * header is full_tsc.
 *
 * Layouts, each with a beat (rows layout_*_beat) and with whole stamps (layout_*_ext):
 *
 *                 flag   id   time   cut   size   a wrap is
 *   5_27_cut5            5    27     5            2^32 ticks
 *   6_26_cut6            6    26     6            2^32
 *   7_25_cut7            7    25     7            2^32
 *   13_19_cut9           13   19     9            2^28
 *   1_27_4        1      4    27                  2^27
 *   64                   16   32           16     2^32    (whole stamps only)
 *
 * The columns are the parameters LAYOUT_FLAG, _ID, _TIME, _CUT and _SIZE of a row, in bits, all
 * said in schemes.def. LAYOUT_BEAT is 1 where wraps are told by a beat (as in heartbeat.h), 0 where
 * a whole stamp in the header tells them (as in extended_header.h). STAMP_BITS is where the field
 * ends, TIME + CUT.
 *
 * Layout, low bits first:
 *   u32 { [full : 1] id : I | stamp >> s : T } [u16 id [u16 size]] [u64 stamp] [u32 size] payload
 *   the highest id: u16 id follows; the second highest: u16 id, u16 size; the third, if there is no
 *   flag: u16 id, u16 size, u64 stamp; size 65535: u32 size at the end. (The text of 2008 reserves
 *   ids 16 and 15 of a 4-bit field; 15 and 14 are meant.)
 *   64-bit: u32 time | u16 id | u16 size [u32 size]; id 65535: u16 id, u64 stamp follow.
 *
 * With a cut the reader sees every stamp with its low s bits cleared, also where the whole stamp is
 * stored: if it decoded one event to the tick and the next one not, time would go back.
 *
 * Shared words: those of parts/claim.h and parts/beat.h (beat), of parts/extend.h (extension).
 * I1 Stamps are in buffer order.
 * I2 So are stamps with low bits cleared.
 * I3 A short header is less than 2^T units of 2^s ticks behind its predecessor (extension).
 *
 * Known failure: with a beat, a gap of more than 2^(T+s) - 2^s ticks loses whole wraps. Cut bits
 * make ties.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_LAYOUT_H
#define STAMPEDE_SCHEMES_LAYOUT_H

#define SCHEME_FORMAT \
	{ \
		.kind = LAYOUT_SIZE ? FORMAT_CTF_LARGE : FORMAT_CTF_WORD, .id_bits = LAYOUT_ID, \
		.flag = LAYOUT_FLAG, .stamp_bytes = 4, .escape = LAYOUT_SIZE \
	}

#include "schemes/format/format_ctf.h"

#define LAYOUT_SHIFT (LAYOUT_ID + LAYOUT_FLAG) /* of the time in a 32-bit word */
#define LAYOUT_HIGH ((1u << LAYOUT_ID) - 1)
#define LAYOUT_SIZED ((1u << LAYOUT_ID) - 2)
#define LAYOUT_FULL ((1u << LAYOUT_ID) - 3)
/* Ids from here on do not fit the field. */
#define LAYOUT_IDS (LAYOUT_FLAG ? LAYOUT_SIZED : LAYOUT_FULL)
#define LAYOUT_LARGE_MORE 10 /* bytes that a whole stamp adds to the 64-bit header */

_Static_assert(LAYOUT_FLAG + LAYOUT_ID + LAYOUT_TIME + LAYOUT_SIZE == (LAYOUT_SIZE ? 64 : 32) &&
		       (SEAM_NARROW_BITS || STAMP_BITS == LAYOUT_TIME + LAYOUT_CUT) &&
		       (!LAYOUT_SIZE || (LAYOUT_ID == 16 && LAYOUT_SIZE == 16 && !LAYOUT_CUT)),
	       "the fields add up to the header word, and STAMP_BITS is where the time ends");

#define LAYOUT_TEXT_(number) #number
#define LAYOUT_TEXT(number) LAYOUT_TEXT_(number)
/* clang-format off */
#define LAYOUT_TITLE \
	LAYOUT_TEXT(LAYOUT_ID) "-bit id, " LAYOUT_TEXT(LAYOUT_TIME) "-bit time, " \
	LAYOUT_TEXT(LAYOUT_CUT) " low bits cut, "
/* clang-format on */

static const struct scheme_desc scheme_desc = {
	.title = LAYOUT_BEAT ? LAYOUT_TITLE "beat" : LAYOUT_TITLE "inline full stamp",
	.source = LAYOUT_FLAG ? "Desnoyers, ltt-dev 2008-10-09" : "Desnoyers, LTTng 2007-03-12",
	.promises = PROMISE_MONOTONIC | PROMISE_WINDOW | PROMISE_BOUNDED |
		    (LAYOUT_CUT ? 0 : PROMISE_EXACT) | (LAYOUT_BEAT ? 0 : PROMISE_WRAP_PROOF),
	.needs = LAYOUT_BEAT ? NEED_BEAT : 0,
	.beats_per_wrap = LAYOUT_BEAT ? 10 : 0,
	.extension = LAYOUT_BEAT ? EXTEND_NEVER : EXTEND_ON_GAP,
	.extra_per_nested = LAYOUT_BEAT ? 0 : 2,
	.clock_reads = 1,
	.cut_bits = LAYOUT_CUT,
};

/* What a reader will see of `stamp`. */
static inline uint64_t layout_seen(const struct ring *ring, uint64_t stamp)
{
	return bits_clear(stamp, scheme_cut_bits(&scheme_desc, ring_stamp_bits(ring)));
}

/* ---- the header ---- */

/* The id field of event `id`: itself, or an escape. */
static inline uint32_t layout_field(uint32_t id, bool full)
{
	if (full && !LAYOUT_FLAG)
		return LAYOUT_FULL;
	if (event_is_sized(id))
		return LAYOUT_SIZED;
	return id < LAYOUT_IDS ? id : LAYOUT_HIGH;
}

/* Bytes behind the word that the id field calls for. */
static inline uint32_t layout_field_bytes(uint32_t field)
{
	if (field < LAYOUT_IDS)
		return 0;
	return field == LAYOUT_HIGH ? 2 : 4;
}

static inline uint64_t layout_bytes(uint32_t id, uint32_t len, bool full)
{
	uint32_t field;

	if (LAYOUT_SIZE)
		return ctf_large_bytes(4, len) + (full ? LAYOUT_LARGE_MORE : 0);
	field = layout_field(id, full);
	return 4 + layout_field_bytes(field) + (full ? 8 : 0) +
	       (layout_field_bytes(field) == 4 && len >= CTF_SIZE_LARGE ? 4 : 0);
}

/* Writes a header and returns where the payload goes. */
static inline uint8_t *layout_put(const struct ring *ring, uint8_t *at, uint32_t id, uint32_t len,
				  uint64_t stamp, bool full)
{
	unsigned int bits = ring_stamp_bits(ring), cut = scheme_cut_bits(&scheme_desc, bits);
	uint32_t field = layout_field(id, full), more = layout_field_bytes(field);

	if (LAYOUT_SIZE) {
		at = ctf_large_put(at, 4, full ? LAYOUT_HIGH : id, len, stamp, bits);
		if (!full)
			return at;
		put_u16(at, id);
		put_u64(at + 2, stamp);
		return at + LAYOUT_LARGE_MORE;
	}
	put_u32(at, (uint32_t)((stamp & bits_mask(bits)) >> cut << LAYOUT_SHIFT) |
			    field << LAYOUT_FLAG | (LAYOUT_FLAG && full));
	if (more)
		put_u16(at + 4, id);
	if (more == 4)
		put_u16(at + 6, len >= CTF_SIZE_LARGE ? CTF_SIZE_LARGE : len);
	at += 4 + more;
	if (full) {
		put_u64(at, layout_seen(ring, stamp));
		at += 8;
	}
	if (more == 4 && len >= CTF_SIZE_LARGE) {
		put_u32(at, len);
		at += 4;
	}
	return at;
}

/* ---- reserve, with a beat ---- */

#if LAYOUT_BEAT
#define BEAT_SEEN layout_seen
#include "schemes/parts/beat.h"

#define CLAIM_HEADER
#define claim_bytes(id, len) (layout_bytes(id, len, false) + (len))
#define claim_put(s, at, id, len, stamp) layout_put(&(s)->ring, at, id, len, stamp, false)

#include "schemes/parts/claim.h"

/* ---- reserve, with whole stamps ---- */

#else
struct scheme_ring {
	struct ring ring;
	uint64_t last; /* stamp of a recent record, low bits cleared */
};

#define SCHEME_START s->last = 0

/* Can a reader that knows `last` not tell `stamp` from its field? */
struct extend_seen;
static inline bool extend_far(const struct scheme_ring *s, const struct extend_seen *seen,
			      uint64_t stamp)
{
	(void)seen;
	/* The low bits of last are 0, so those of the stamp change nothing. */
	return bits_overflow(stamp - shared_load("last", &s->last), ring_stamp_bits(&s->ring));
}

static inline void extend_remember(struct scheme_ring *s, uint64_t stamp)
{
	shared_store("store last", &s->last, layout_seen(&s->ring, stamp)); /* I3 */
}

#define EXTEND_HEADER
#define extend_put layout_put
static inline uint64_t extend_record(uint32_t id, uint32_t len, bool full)
{
	return layout_bytes(id, len, full) + len;
}
#define extend_begin layout_seen

#include "schemes/parts/extend.h"
#endif

/* ---- the reader ---- */

/* The 64-bit header, which may have the whole stamp behind it. */
static inline enum decode_result layout_next_large(struct cursor *cursor, struct event *event)
{
	enum decode_result result = ctf_large_next(cursor, 4, event);

	if (result != DECODE_EVENT || likely(event->id != LAYOUT_HIGH))
		return result;
	if (cursor_left(cursor) < LAYOUT_LARGE_MORE)
		return DECODE_BAD;
	event->id = get_u16(event->payload);
	event->time = get_u64(event->payload + 2);
	event->flags = EVENT_EXTENDED;
	event->header_bytes += LAYOUT_LARGE_MORE;
	event->payload += LAYOUT_LARGE_MORE;
	cursor->at += LAYOUT_LARGE_MORE;
	cursor->time = event->time;
	return DECODE_EVENT;
}

/* What follows the word; `event` has the time of the short field, `id` the id field. */
static __attribute__((noinline)) enum decode_result
layout_next_more(struct cursor *cursor, struct event *event, uint32_t field, bool full)
{
	uint32_t more = layout_field_bytes(field), size = 0;
	const uint8_t *at = cursor->at + 4;

	full |= !LAYOUT_FLAG && field == LAYOUT_FULL;
	event->header_bytes = 4 + more + (full ? 8 : 0);
	if (cursor_left(cursor) < event->header_bytes)
		return DECODE_BAD;
	if (more)
		event->id = get_u16(at);
	if (more == 2 && event_is_sized(event->id))
		return DECODE_BAD;
	if (more == 4)
		size = get_u16(at + 2);
	at += more;
	if (full) {
		event->time = get_u64(at);
		event->flags = EVENT_EXTENDED;
		at += 8;
	}
	if (size == CTF_SIZE_LARGE) {
		if (cursor_left(cursor) < event->header_bytes + 4)
			return DECODE_BAD;
		size = get_u32(at);
		event->header_bytes += 4;
	}
	event->payload_bytes = more == 4 ? size : CURSOR_PAYLOAD(cursor, event->id);
	return DECODE_EVENT;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint32_t cut = scheme_cut_bits(&scheme_desc, cursor->stamp_bits), word, field;
	uint64_t left = cursor_left(cursor);

	if (LAYOUT_SIZE)
		return layout_next_large(cursor, event);
	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	word = get_u32(cursor->at);
	field = word >> LAYOUT_FLAG & LAYOUT_HIGH;
	event->id = field;
	event->time =
		bits_advance(cursor->time >> cut, word >> LAYOUT_SHIFT, cursor->stamp_bits - cut)
		<< cut;
	event->flags = 0;
	event->header_bytes = 4;
	event->payload_bytes = CURSOR_PAYLOAD(cursor, field);
	if (unlikely(field >= LAYOUT_IDS || (LAYOUT_FLAG && word & 1)) &&
	    layout_next_more(cursor, event, field, LAYOUT_FLAG && word & 1) == DECODE_BAD)
		return DECODE_BAD;
	return cursor_take(cursor, left, event);
}

#endif
