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
 * Shared words: tail, cmpxchg.
 * I1 Stamps are in buffer order (parts/claim.h).
 * I2 No record depends on another.
 * Known failure: none; the row pays in bytes.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_FULL_TSC_H
#define STAMPEDE_SCHEMES_FULL_TSC_H

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_LARGE, .stamp_bytes = 8 \
	}

#include "schemes/format/format_ctf.h"

struct scheme_ring {
	struct ring ring;
};

static const struct scheme_desc scheme_desc = {
	.title = "64-bit stamp in every header",
	.source = "Desnoyers, LTTng compact events, 2007-03-12",
	.promises = PROMISES,
	.extension = EXTEND_NEVER,
	.clock_reads = 1,
	.alignment = SCHEME_ALIGNMENT,
	.shared_promises = SCHEME_SHARED(PROMISES, PROMISES & ~PROMISE_MONOTONIC),
};

#define SCHEME_START

static inline uint64_t claim_begin(struct scheme_ring *s, uint64_t *begin)
{
	(void)s;
	*begin = clock_read("clock again");
	return *begin;
}

#include "schemes/parts/claim.h"

static inline struct reservation full_tsc_place(uint32_t id, uint32_t len, uint64_t size,
						struct claim claim)
{
	return (struct reservation){
		.payload = ctf_large_put(claim.record, 8, id, len, claim.stamp, 64),
		.subbuf = claim.subbuf,
		.size = size,
		.stamp = claim.stamp,
	};
}

RESERVE_SLOW struct reservation full_tsc_slow(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	uint64_t size = ctf_large_record(8, len);
	struct claim claim = claim_slow(s, size);

	if (!claim.record)
		return (struct reservation){ .payload = NULL };
	return full_tsc_place(id, len, size, claim);
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	uint64_t size = ctf_large_record(8, len);
	struct claim claim;

	if (unlikely(!claim_plain(s, size, &claim)))
		return reservation_slow(full_tsc_slow(s, id, len));
	return full_tsc_place(id, len, size, claim);
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return ctf_large_next(cursor, 8, event);
}

#endif
