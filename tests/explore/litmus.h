/* SPDX-License-Identifier: MIT */
/*
 * A litmus test as a shim of the explorer: a thread on each CPU. test_tso.sh writes a shim.c that
 * defines the THREADS of a test, CPUS of them, how many of R() they set (READ), whether x and y
 * matter in the end (FINAL), and includes this file. An outcome is 1, then these, a digit each.
 *
 * On x86-64 a relaxed access of C11 is a plain mov, a seq_cst store an xchg, and a seq_cst fence a
 * locked or.
 */
#ifndef STAMPEDE_TESTS_EXPLORE_LITMUS_H
#define STAMPEDE_TESTS_EXPLORE_LITMUS_H

#include <stdatomic.h>

#include "explore/stops/foreign.h"

/* What a thread loads it puts where no other one looks. */
static struct {
	_Alignas(64) _Atomic unsigned long x;
	_Alignas(64) _Atomic unsigned long y;
	_Alignas(64) unsigned long r[4];
} * all;

#define R(n) all->r[n]
#define LD(at) atomic_load_explicit(&all->at, memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&all->at, (value), memory_order_relaxed)
#define XCHG(at, value) atomic_store_explicit(&all->at, (value), memory_order_seq_cst)
#define LOCK() atomic_thread_fence(memory_order_seq_cst)
#define MFENCE() __asm__ volatile("mfence" ::: "memory")

static bool foreign_record(uint64_t value, uint32_t extra)
{
	(void)value;
	(void)extra;
	switch (foreign_cpu()) {
		THREADS
	}
	return true;
}

static const struct scheme_desc foreign_desc = {
	.title = "a litmus test",
	.source = "x86-TSO",
	.shared_promises = PROMISE_BOUNDED, /* there is no time in it */
};

static FOREIGN_PLAIN void foreign_begin(void)
{
	all = foreign_memory(sizeof(*all));
	all->y = Y_AT_FIRST;
}

static FOREIGN_PLAIN void foreign_read(void)
{
	uint64_t digits = 1, value;
	unsigned int i;

	for (i = 0; i < READ; i++)
		digits = digits << 4 | all->r[i];
	if (FINAL)
		digits = digits << 8 | all->x << 4 | all->y;
	for (value = 1; value <= CPUS; value++)
		foreign_event(value, 0, false);
	foreign_outcome(digits);
}

#endif
