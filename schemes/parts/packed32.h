/* SPDX-License-Identifier: MIT */
/*
 * record() of packed_word.h where its word has 32 bits: for small machines, which count each
 * instruction. It is that row's reserve() with one test in place of two, units of the ring in place
 * of bytes, and nothing on the plain path that needs a stack frame. Part of parts/defaults.h.
 * RESERVE, or the storm counts hits of its slow path alone; payload and commit count here too.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_PACKED32_H
#define STAMPEDE_SCHEMES_PARTS_PACKED32_H

RECORD_SLOW bool packed_rest(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src,
			     local_uint tail, uint64_t stamp)
{
	return record_rest(s, packed_slow(s, id, len, tail, stamp), len, src);
}

RESERVE bool record(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	struct ring *ring = &s->ring;
	uint32_t *units = (uint32_t *)(void *)ring_base(ring);
	uint32_t shift = ring_subbuf_shift(ring) - ring_packed_unit_shift(ring);
	uint64_t size = packed_bytes(id, len, false);
	local_uint tail = shared_load("tail", &ring->tail), seen = tail;
	uint64_t stamp = clock_read("clock");
	local_uint next = tail + size / RING_PACKED_UNIT;
	struct reservation rsv;

	/* The upper bits have changed, or the record leaves its sub-buffer (packed_leaves). */
	if (unlikely(((local_uint)packed_upper(ring, stamp) ^ tail) >> ring_packed_bits(ring) |
			     ((tail - 1) ^ next) >> shift ||
		     id >= PACKED_IDS))
		return packed_rest(s, id, len, src, tail, stamp);
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, next))) { /* I1, I2, I3 */
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
		return packed_rest(s, id, len, src, tail, stamp);
	}
	units += tail & (ring_bytes(ring) / RING_PACKED_UNIT - 1);
	rsv = (struct reservation){
		.payload = ctf_compact_put((uint8_t *)units, id, len, stamp, ring_stamp_bits(ring),
					   false),
		.subbuf = ring_subbuf(ring, tail >> shift),
		.size = size,
		.stamp = stamp,
	};
	payload_fill(&rsv, src, len);
	POINT_PATH("plain");
	commit(s, &rsv);
	return true;
}

#endif
