/* SPDX-License-Identifier: MIT */
/*
 * What the module and the program that judges have in common: the words that go to
 * /dev/stampede, and the memory that comes back from it. Both are built from one tree; who is
 * built from another is told so by KERNEL_START, which compares sizes.
 *
 * One epoch: KERNEL_START empties a ring on each CPU, KERNEL_EPOCH has them written, by a thread of
 * each CPU and by all that interrupts it, and comes back when nothing writes any more. Each CPU's
 * area is then mapped at KERNEL_AREA_BYTES times the number of the CPU among those that record.
 */
#pragma once

#include "judge/driver.h"

#define KERNEL_DEVICE "stampede"
#define KERNEL_ROW_BYTES 48
#define KERNEL_CPUS_MAX 16

/* Interrupts of an epoch: bits of struct kernel_start's `contexts`, by the context that records. */
#define KERNEL_CONTEXT(context) (1u << (context))
#define KERNEL_SOFTIRQ CONTEXT_LEVEL_1
#define KERNEL_HARDIRQ CONTEXT_LEVEL_2
#define KERNEL_NMI CONTEXT_LEVEL_3

struct kernel_start {
	char row[KERNEL_ROW_BYTES];
	uint32_t contexts;
	uint32_t cpus; /* at most; comes back as how many record */
	uint32_t mode; /* enum ring_mode */
	uint32_t subbuf_shift;
	uint32_t count_shift;
	uint32_t stamp_bits;
	uint32_t counter_bits;
	uint32_t scheme_bytes; /* of the program's own, to be compared */
	uint32_t image_bytes;
	uint32_t reserved; /* 0 */
	uint64_t beat_ns; /* 0: no beat */
	uint64_t tsc_khz; /* comes back */
};

/* The ring that an epoch is written into, and read from. */
static inline struct ring_config kernel_config(const struct kernel_start *start,
					       const struct driver *driver, uint32_t cpu)
{
	return (struct ring_config){
		.mode = (enum ring_mode)start->mode,
		.subbuf_shift = start->subbuf_shift,
		.count_shift = start->count_shift,
		.stamp_bits = start->stamp_bits,
		.counter_bits = start->counter_bits,
		.fixed_bytes = driver->payload_bytes,
		.cpu = cpu,
	};
}

struct kernel_epoch {
	uint64_t events; /* on each CPU, from all contexts; the epoch ends behind them */
	uint64_t most_ns; /* or behind so much time */
};

/* What is priced: loops around one thing, or a row of the timed build. */
enum kernel_part {
	KERNEL_NOTHING,
	KERNEL_CLOCK,
	KERNEL_XADD,
	KERNEL_CMPXCHG,
	KERNEL_IRQ_SAVE,
	KERNEL_ROW,
	KERNEL_PARTS,
};

#define KERNEL_BATCHES 101

struct kernel_price {
	char row[KERNEL_ROW_BYTES]; /* of KERNEL_ROW */
	uint32_t part;
	uint32_t batches;
	uint64_t events; /* in each */
	uint64_t ticks[KERNEL_BATCHES]; /* comes back */
	uint64_t tsc_khz; /* comes back */
};

#define KERNEL_START _IOWR('S', 1, struct kernel_start)
#define KERNEL_EPOCH _IOW('S', 2, struct kernel_epoch)
#define KERNEL_PRICE _IOWR('S', 3, struct kernel_price)

/* What one CPU's ring was written by, in the area's first bytes. */
struct kernel_image {
	struct writer writer;
	uint64_t delivered[CONTEXTS]; /* interrupts, by the context that they record in */
	uint64_t hits[CONTEXTS]; /* of these, that came into a reserve path */
	uint64_t at_depth[CONTEXTS + 1]; /* by how many contexts are then in work; 1: the task */
	uint64_t ticks[CONTEXTS]; /* spent in each context, interrupts of it apart */
	uint64_t elapsed_ticks;
	uint64_t calm_ticks; /* of an event of the task, uninterrupted, times 1024 */
	uint64_t period_ns; /* of the timer's interrupts, at the end */
	uint64_t beat_worst_ticks; /* longest from one beat's begin to the next one's end */
	uint64_t waits; /* times that interrupts had to wait for the task */
	uint32_t cpu;
	uint32_t reserved; /* 0 */
};

/* Places in an area, in bytes. */
#define KERNEL_SCHEME_AT 8192u
#define KERNEL_SUBBUFS_AT (KERNEL_SCHEME_AT + 8192u)
#define KERNEL_SUBBUFS_MOST 1024u
#define KERNEL_BASE_AT (KERNEL_SUBBUFS_AT + KERNEL_SUBBUFS_MOST * 64u)
#define KERNEL_BASE_MOST (4u << 20)
#define KERNEL_AREA_BYTES (KERNEL_BASE_AT + KERNEL_BASE_MOST)

_Static_assert(sizeof(struct kernel_image) <= KERNEL_SCHEME_AT, "the image has its place");
_Static_assert(sizeof(struct subbuf) == 64, "KERNEL_BASE_AT counts with it");
