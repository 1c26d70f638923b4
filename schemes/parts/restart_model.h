/* SPDX-License-Identifier: MIT */
/*
 * Restartable sections in C, where interrupts are calls: part of restart.h, which says what they
 * do.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_RESTART_MODEL_H
#define STAMPEDE_SCHEMES_PARTS_RESTART_MODEL_H

#include <string.h>

/* An instruction boundary inside a section: an interrupt may come, and then it starts over. */
#define RESTART_POINT(label, epoch) \
	do { \
		POINT(label); \
		if (restart_epoch != (epoch)) \
			return RESTART_ABORTED; \
	} while (0)

static inline enum restart_end restart_publish(struct ring *ring, const struct restart_copy *copies,
					       unsigned int count, uint64_t seen, uint64_t next)
{
	uint64_t epoch = restart_epoch;
	unsigned int i;

	RESTART_POINT("section: tail", epoch);
	if (ring->tail != seen)
		return RESTART_CHANGED;
	for (i = 0; i < count; i++) {
		RESTART_POINT("section: copy", epoch);
		memcpy(copies[i].to, copies[i].from, copies[i].bytes);
	}
	RESTART_POINT("section: publish", epoch);
	ring->tail = next;
	return RESTART_PUBLISHED;
}

static inline enum restart_end restart_record(struct ring *ring, const struct restart_plain *plain,
					      struct restart_seen *seen)
{
	const struct payload *payload = plain->payload;
	uint64_t epoch = restart_epoch, tail, next, stamp, exit, bits = ring_packed_bits(ring);
	uint32_t header;
	uint8_t *record, *at;

	/* A machine whose sections nobody has written: rows that have them are left out there. */
	if (!SEAM_INTERRUPTS_CALLED)
		return RESTART_ABORTED;
	RESTART_POINT("section: tail", epoch);
	tail = ring->tail;
	stamp = clock_read("clock");
	if (restart_epoch != epoch)
		return RESTART_ABORTED;
	*seen = (struct restart_seen){ tail, stamp };
	if (!PACKED_EVERY && (stamp >> plain->stamp_bits << bits ^ tail) >> bits)
		return RESTART_NOT_PLAIN;
	next = tail + plain->units;
	if (((tail - 1) ^ next) & plain->block)
		return RESTART_NOT_PLAIN;
	record = ring->base + (tail & plain->slots) * RING_PACKED_UNIT;
	header = (uint32_t)(PACKED_EVERY ? plain->id : (stamp & plain->field) << 5 | plain->id);
	at = record + sizeof(header) + (PACKED_EVERY ? sizeof(stamp) : 0);
	RESTART_POINT("section: header", epoch);
	memcpy(record, &header, sizeof(header));
	if (PACKED_EVERY)
		memcpy(record + sizeof(header), &stamp, sizeof(stamp));
	exit = clock_now();
	memcpy((uint8_t *)payload->head.from + PAYLOAD_STAMP_AT, &stamp, sizeof(stamp));
	memcpy((uint8_t *)payload->head.from + PAYLOAD_EXIT_AT, &exit, sizeof(exit));
	RESTART_POINT("section: payload", epoch);
	memcpy(at, payload->head.from, payload->head.bytes);
	if (payload->body.bytes)
		memcpy(at + payload->head.bytes, payload->body.from, payload->body.bytes);
	RESTART_POINT("section: publish", epoch);
	ring->tail = next;
	return RESTART_PUBLISHED;
}

#endif
