/* SPDX-License-Identifier: MIT */
/* The reader of the ring that ROW_H fills, in the thread that everything else interrupts. */
#pragma once

struct filled {
	const uint8_t *bytes;
	uint32_t size;
	uint32_t number;
	bool torn; /* OVERWRITE: all stopped within a record; from there on events may be wrong */
};

/* Closes a half-full packet. */
static inline void flush_open(struct recorder *t);
/*
 * What the clock's sum grew by, after a sleep of any length, in ticks. With interrupts off since
 * before it grew.
 */
static inline void sleep(struct recorder *t, uint64_t ticks);
/*
 * The oldest full packet that is not released, if there is one. With OVERWRITE when nothing writes
 * any more, after flush_open(): all that is left, the oldest first.
 */
static inline bool read(struct recorder *t, struct filled *packet);
static inline void release(struct recorder *t, const struct filled *packet);
