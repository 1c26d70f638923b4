/* SPDX-License-Identifier: MIT */
/* The reader of the ring that ROW_H fills, in the thread that everything else interrupts. */
#ifndef STAMPEDE_EXTRAS_TAKE_MCU_READ_API_H
#define STAMPEDE_EXTRAS_TAKE_MCU_READ_API_H

struct filled {
	const uint8_t *bytes;
	uint32_t size;
	uint32_t number;
};

/* Closes a half-full packet. */
static inline void flush_open(struct recorder *t);
/* The oldest full packet that is not released, if there is one. */
static inline bool read(struct recorder *t, struct filled *packet);
static inline void release(struct recorder *t, const struct filled *packet);

#endif
