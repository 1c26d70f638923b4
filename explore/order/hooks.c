// SPDX-License-Identifier: MIT
/*
 * What code that is compiled for ThreadSanitizer calls at each access. A plain or volatile access
 * comes behind the call; an atomic one is made here. Private memory is left to the code.
 */
#include <string.h>

#include "explore/order/choices.h"
#include "explore/order/machine.h"
#include "schemes/core/clock.h"

/* The compiler knows them without. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#ifndef __clang__
/* With another sanitizer gcc knows them by types that are as wide. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif

/* Is it a step? Then its turn has come. */
static bool turn(const volatile void *at)
{
	if (!order_running || !(machine_shares(at) || at == &virtual_clock.now))
		return false;
	order_step();
	return machine_shares(at);
}

static void loads(const void *at, size_t bytes, int order)
{
	if (turn(at))
		machine_load(at, bytes, order);
	else if (order_running && at == &virtual_clock.now)
		order_clock_waits(); /* clock_fenced() */
}

static void stores(const void *at, size_t bytes, int order)
{
	if (turn(at))
		machine_store(at, bytes, order);
}

#define SIZE(how, n) \
	void __tsan_##how##read##n(void *at) \
	{ \
		loads(at, n, MACHINE_PLAIN); \
	} \
	void __tsan_##how##write##n(void *at) \
	{ \
		stores(at, n, MACHINE_PLAIN); \
	}
SIZE(, 1)
SIZE(, 2)
SIZE(, 4)
SIZE(, 8)
SIZE(, 16)
SIZE(unaligned_, 16) /* clang calls these for 16 bytes that are aligned to 8 */

void __tsan_read_range(void *at, unsigned long bytes)
{
	loads(at, bytes, MACHINE_PLAIN);
}

void __tsan_write_range(void *at, unsigned long bytes)
{
	stores(at, bytes, MACHINE_PLAIN);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
	(void)from;
}

void __tsan_func_exit(void)
{
}

/* Word by word: another CPU may come between any two of them. */
void *order_memcpy(void *to, const void *from, unsigned long bytes)
{
	uint8_t *into = to;
	const uint8_t *source = from;
	size_t done, piece;

	if (!order_running || !(machine_shares(to) || machine_shares(from)))
		return memcpy(to, from, bytes);
	for (done = 0; done < bytes; done += piece) {
		piece = 8 - (uintptr_t)(machine_shares(to) ? into + done : source + done) % 8;
		if (piece > bytes - done)
			piece = bytes - done;
		loads(source + done, piece, MACHINE_PLAIN);
		stores(into + done, piece, MACHINE_PLAIN);
		memcpy(into + done, source + done, piece);
	}
	return to;
}

static uint64_t exchanged(uint64_t old, uint64_t value)
{
	(void)old;
	return value;
}

static uint64_t added(uint64_t old, uint64_t value)
{
	return old + value;
}

#define WORD(n) \
	uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t *at, int order) \
	{ \
		loads((const void *)at, sizeof(*at), order); \
		return *at; \
	} \
	void __tsan_atomic##n##_store(volatile uint##n##_t *at, uint##n##_t value, int order) \
	{ \
		stores((const void *)at, sizeof(*at), order); \
		*at = value; \
	}
WORD(32)
WORD(64)

uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *at, uint64_t value, int order)
{
	uint64_t old;

	if (!turn(at))
		return order_running && at == &virtual_clock.now ?
			       order_clock(order != __ATOMIC_RELAXED) :
			       __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
	machine_update(at, added, value, NULL, order, order, &old);
	return old;
}

int __tsan_atomic64_compare_exchange_strong(volatile uint64_t *at, uint64_t *expected,
					    uint64_t value, int order, int failed)
{
	uint64_t old;
	bool stored;

	if (!turn(at))
		return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED);
	stored = machine_update(at, exchanged, value, expected, order, failed, &old);
	*expected = old;
	return stored;
}

/* clang's form of it */
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *at, uint64_t expected,
					      uint64_t value, int order, int failed)
{
	__tsan_atomic64_compare_exchange_strong(at, &expected, value, order, failed);
	return expected;
}

void __tsan_atomic_thread_fence(int order)
{
	if (order_running)
		machine_fence(order);
}
