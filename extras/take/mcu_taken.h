/* SPDX-License-Identifier: MIT */
/* What a scheme is when it is taken out of the suite for a board: see taken.h and mcu_api.h. */
#pragma once

#include SCHEME_HEADER

struct source {
	const uint32_t *payload;
};

/* Whole words; the barrier keeps the compiler from calling memcpy(). */
static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	uint32_t *to = (uint32_t *)(void *)rsv->payload;
	uint32_t i;

	for (i = 0; i < len / 4; i++) {
		to[i] = src->payload[i];
		barrier();
	}
}

#include "schemes/parts/defaults.h"

struct recorder {
	struct scheme_ring scheme;
	uint32_t ids; /* 0: it is not open */
	uint32_t refused;
	uint32_t times; /* packets that have their times in full, or are getting them */
	uint32_t shape; /* SHAPE: the host that reads a memory dump checks it */
	uint64_t time; /* of the newest event that was read, in full */
	struct subbuf books[1 << COUNT_SHIFT] __attribute__((aligned(8)));
	uint8_t memory[1 << (SUBBUF_SHIFT + COUNT_SHIFT)] __attribute__((aligned(8)));
	uint64_t slept; /* ticks, since packet `times` was opened */
	uint8_t sizes[CTF_COMPACT_IDS]; /* `words`, of which a dump has the address alone */
	const uint32_t *words; /* of payload, by id */
};
static inline bool open(struct recorder *t, const uint32_t *words, uint32_t ids)
{
	uint32_t i;

	_Static_assert(offsetof(struct recorder, memory) == MEMORY_AT, "where ring_base() looks");
	if (!t || !words || !ids || ids > CTF_COMPACT_IDS)
		return false;
	for (i = 0; i < ids; t->sizes[i] = (uint8_t)words[i], i++)
		if (words[i] > PAYLOAD_MOST / 4)
			return false;
	/* As ring_init() does, of what is not 0. */
	t->scheme.ring.header_bytes = CTF_PACKET_HEADER_BYTES;
	t->scheme.ring.flush_number = (local_uint)-1;
	t->shape = SHAPE;
	t->words = words;
	t->ids = ids;
	return true;
}

RECORD bool write(struct recorder *t, uint32_t id, const uint32_t *payload, uint32_t words)
{
	struct source src = { payload };

	if (unlikely(id >= t->ids || t->words[id] != words)) {
		__atomic_fetch_add(&t->refused, 1, __ATOMIC_RELAXED);
		return false;
	}
	return record(&t->scheme, id, words * 4, &src);
}

static inline uint32_t lost(const struct recorder *t)
{
	return once_load(&t->scheme.ring.lost);
}

static inline uint32_t refused(const struct recorder *t)
{
	return once_load(&t->refused);
}

#include "extras/take/mcu_reader.h"
