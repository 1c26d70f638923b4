// SPDX-License-Identifier: MIT
#include "kernel/program/price.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "kernel/program/print.h"

#define BATCH 1000

static const char *const part_names[] = {
	[KERNEL_NOTHING] = "empty loop",
	[KERNEL_CLOCK] = "clock read",
	[KERNEL_XADD] = "xadd",
	[KERNEL_CMPXCHG] = "cmpxchg",
	[KERNEL_IRQ_SAVE] = "local_irq_save, local_irq_restore",
};

static int by_ticks(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* The median batch, per event; negative: an errno. */
static double median(struct kernel_device *device, struct kernel_price *price, uint64_t events)
{
	price->events = events;
	price->batches = KERNEL_BATCHES;
	if (ioctl(device->file, KERNEL_PRICE, price))
		return -errno;
	qsort(price->ticks, KERNEL_BATCHES, sizeof(price->ticks[0]), by_ticks);
	return (double)price->ticks[KERNEL_BATCHES / 2] / (double)events;
}

static int price_one(struct kernel_device *device, struct kernel_price *price, const char *name,
		     bool counted)
{
	double single, batch = median(device, price, BATCH), ns;

	single = batch < 0 ? batch : median(device, price, 1);
	if (single < 0)
		return fail_with(EXIT_RESOURCE, "%s has no price: %s", name,
				 strerror((int)-single));
	ns = counted ? 1 : 1e6 / (double)price->tsc_khz;
	print_price(name, counted ? "instructions" : "ns", batch * ns, single * ns);
	return EXIT_FINE;
}

static int price_named(struct kernel_device *device, const char *name, bool counted)
{
	struct kernel_price price = { .part = KERNEL_ROW };

	memcpy(price.row, name, strnlen(name, KERNEL_ROW_BYTES - 1));
	return price_one(device, &price, name, counted);
}

int price_run(struct kernel_device *device, const struct driver *const *rows, int count,
	      bool counted)
{
	struct kernel_price price = { .part = KERNEL_NOTHING };
	int status = EXIT_FINE, i;

	if (!counted && print_emulated())
		return fail_with(EXIT_UNSUPPORTED, "an emulator has no prices: take a machine, or "
						   "--counted under qemu -icount shift=0");
	print_price_head(counted ? "instructions" : "ns", BATCH);
	for (; price.part < KERNEL_ROW && status == EXIT_FINE; price.part++)
		status = price_one(device, &price, part_names[price.part], counted);
	if (status == EXIT_FINE)
		status = price_named(device, KERNEL_BUFFER_ROW, counted);
	for (i = 0; i < count && status == EXIT_FINE; i++)
		if (!rows[i]->restarts && !rows[i]->taken && !rows[i]->unsupported())
			status = price_named(device, rows[i]->row, counted);
	return status;
}
