/* SPDX-License-Identifier: MIT */
/* What record.c records by: a row, and its ring. */
#pragma once

#include ROW_HEADER

/* No object: its address is the payload, a word. */
struct source;

static inline void payload_fill(struct reservation *rsv, struct source *src, uint32_t len)
{
	(void)len;
	put_u32(rsv->payload, (uint32_t)src);
}

#include "schemes/parts/defaults.h"

static struct scheme_ring ring;
static uint8_t memory[1 << (SEAM_SUBBUF_SHIFT + SEAM_COUNT_SHIFT)] __attribute__((aligned(64)));
static struct subbuf subbufs[1 << SEAM_COUNT_SHIFT];

/* All of the row that runs here: the linker puts what is slow beside it. */
static __attribute__((noinline, section("reserve_text"))) bool put(uint32_t word)
{
	return record(&ring, EVENT_FIXED, 4, (struct source *)word);
}

static void prepare(bool overwrite)
{
	struct ring_config config = {
		.mode = overwrite ? RING_OVERWRITE : RING_DISCARD,
		.subbuf_shift = SEAM_SUBBUF_SHIFT,
		.count_shift = SEAM_COUNT_SHIFT,
		.stamp_bits = STAMP_BITS,
		.counter_bits = COUNTER_BITS,
		.fixed_bytes = 4,
	};

	scheme_init(&ring, &config, memory, subbufs);
}

#ifndef PRICE
static void drain_packets(void)
{
	uint64_t first, last;
	uint32_t bytes;

	ring_readable(&ring.ring, &first, &last);
	for (; first < last; first++) {
		bytes = ring_content(&ring.ring, first);
		if (!bytes)
			break;
		block(BLOCK_PACKET, ring_subbuf_base(&ring.ring, first), bytes, (uint32_t)first);
		ring_consume(&ring.ring, first + 1);
	}
}

/* Closes the open packet. Returns how many events are lost. */
static uint32_t finish(void)
{
	flush(&ring);
	return ring.ring.lost + ring.ring.refused + ring.ring.stuck;
}
#endif
