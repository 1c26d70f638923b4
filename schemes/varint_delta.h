/* SPDX-License-Identifier: MIT */
/*
 * The difference to the previous record in as few bytes as it takes. Writers are serialised, since
 * the previous stamp is one variable.
 *
 * Source: the form of many tracers in user space, such as varint_delta_go.h; exact, with 64 bits.
 *
 * Layout: u8 id, LEB128 difference of 1 to 10 bytes, [u16 id [u16 size [u32 size]]], payload, as in
 * format/format_varint.h, in CTF packets whose begin stamp is that of the first event.
 *
 * XOR: which bits changed, in place of the difference, after RISC-V N-Trace 1.0. There a lost
 * record costs all times until the next whole one. A carry may change all groups; a step back costs
 * no more than one ahead.
 *
 * Shared words, by masked writers only (parts/mask.h): tail and last, plain stores.
 * I1 is that of parts/alone.h. I2 A difference of 64 bits is right with stamps in any order.
 *
 * A nested writer runs late, by the soft mask, and is stamped when it runs.
 * Known failure without a mask: as delta_sync.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_VARINT_DELTA_H
#define STAMPEDE_SCHEMES_VARINT_DELTA_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#define VARINT_LEAST 1
#define ALONE_PLAIN_OWN

#include "schemes/format/format_varint.h"
#include "schemes/parts/alone_forms.h"

static const struct scheme_desc scheme_desc = {
#ifdef XOR
	.title = "the bits that changed, 1 to 10 bytes, soft mask",
	.source = "RISC-V N-Trace 1.0; sifive/trace-decoder #30",
#else
	.title = "difference of 1 to 10 bytes, soft mask",
	.source = "after Go's execution tracer",
#endif
	.promises = PROMISES,
	.extension = EXTEND_NEVER, /* no field is too short for what it carries */
#ifdef XOR
	.carries = true,
#endif
	.clock_reads = 1,
};

static inline unsigned int delta_bytes(uint64_t delta, enum alone_form form)
{
	return form == ALONE_PLAIN ? VARINT_LEAST : varint_bytes(delta, VARINT_GROUP);
}

/* One byte does. */
static inline bool alone_plain(const struct scheme_ring *s, uint32_t id, uint64_t stamp)
{
	return id < VARINT_IDS && !bits_overflow(alone_delta(s, stamp, ALONE_PLAIN), VARINT_GROUP);
}

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	return varint_record(id, len, delta_bytes(alone_delta(s, stamp, form), form));
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	uint64_t delta = alone_delta(s, stamp, form); /* I2 */

	shared_store("store last", &s->last, stamp); /* I1 */
	return varint_put(at, id, len, delta, delta_bytes(delta, form), VARINT_GROUP);
}

#include "schemes/parts/alone.h"

#define SCHEME_MASKED

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return varint_next_delta(cursor, event, 0);
}

#endif
