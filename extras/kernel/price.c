// SPDX-License-Identifier: MIT
/*
 * Batches of the timed build's loop, and beside them what they are made of: interrupts off and on
 * again, one cmpxchg, one xadd, one clock read . Each batch has
 * preemption off and interrupts on; between two of them others may run.
 */
#include <linux/preempt.h>
#include <linux/sched.h>

#include <asm/msr.h>

#include "extras/kernel/shim/shim.h"
#include "extras/kernel/price.h"
#include "extras/kernel/rows.h"
#include "schemes/core/clock.h"

typedef void run_function(void *scheme, struct writer *writer, uint64_t events);

static uint64_t word;

static void irq_save(void *scheme, struct writer *writer, uint64_t events)
{
	unsigned long flags;

	for (; events; events--) {
		local_irq_save(flags);
		local_irq_restore(flags);
	}
}

static void cmpxchg_word(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t old = word;

	for (; events; events--)
		local_cmpxchg_raw(&word, &old, old + 1);
}

static void xadd_word(void *scheme, struct writer *writer, uint64_t events)
{
	for (; events; events--)
		local_xadd_raw(&word, 1);
}

static void clock_of(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t stamp;

	for (; events; events--) {
		stamp = clock_now();
		__asm__ volatile("" : : "r"(stamp) : "memory");
	}
}

static void nothing(void *scheme, struct writer *writer, uint64_t events)
{
	for (; events; events--)
		__asm__ volatile("" : : : "memory");
}

/* In the order of enum kernel_part. */
static run_function *const parts[] = {
	nothing, clock_of, xadd_word, cmpxchg_word, irq_save,
};

static void price_init(const struct driver *driver, uint8_t *area)
{
	struct kernel_image *image = (struct kernel_image *)area;
	struct ring_config config = {
		.mode = RING_OVERWRITE,
		.subbuf_shift = RING_TIMED_SUBBUF_SHIFT,
		.count_shift = RING_TIMED_COUNT_SHIFT,
		.stamp_bits = driver->stamp_bits,
		.counter_bits = driver->counter_bits,
		.fixed_bytes = driver->payload_bytes,
	};

	memset(area, 0, KERNEL_BASE_AT);
	driver->init(area + KERNEL_SCHEME_AT, &config, area + KERNEL_BASE_AT,
		     (struct subbuf *)(area + KERNEL_SUBBUFS_AT), &image->writer);
}

static void price_batches(struct kernel_price *price, uint8_t *area, run_function *run)
{
	struct writer *writer = &((struct kernel_image *)area)->writer;
	uint64_t begin;
	uint32_t i;

	for (i = 0; i < price->batches; i++) {
		preempt_disable();
		begin = rdtsc_ordered();
		run(area + KERNEL_SCHEME_AT, writer, price->events);
		price->ticks[i] = rdtsc_ordered() - begin;
		preempt_enable();
		cond_resched();
	}
}

int price_take(struct kernel_price *price, uint8_t *area)
{
	const struct driver *driver;
	run_function *run;

	if (price->batches > KERNEL_BATCHES || price->part >= KERNEL_PARTS)
		return -EINVAL;
	if (price->part != KERNEL_ROW) {
		run = parts[price->part];
	} else {
		driver = kernel_row_timed(price->row);
		if (!driver)
			return -ENOENT;
		if (driver->unsupported())
			return -EOPNOTSUPP;
		price_init(driver, area);
		run = driver->run;
	}
	price_batches(price, area, run);
	return 0;
}
