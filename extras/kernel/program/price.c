// SPDX-License-Identifier: MIT
#include "extras/kernel/program/price.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "base/stats.h"
#include "extras/kernel/program/print.h"

#define BATCH 1000

static const char *const part_names[] = {
	[KERNEL_NOTHING] = "empty loop",
	[KERNEL_CLOCK] = "clock read",
	[KERNEL_XADD] = "xadd",
	[KERNEL_CMPXCHG] = "cmpxchg",
	[KERNEL_IRQ_SAVE] = "local_irq_save, local_irq_restore",
};

static double median(const uint64_t *values)
{
	double sorted[KERNEL_BATCHES];
	unsigned int i;

	for (i = 0; i < KERNEL_BATCHES; i++)
		sorted[i] = (double)values[i];
	stats_sort(sorted, KERNEL_BATCHES);
	return sorted[KERNEL_BATCHES / 2];
}

/* Batches of so many events; an exit code. */
static int batches(struct kernel_device *device, struct kernel_price *price, const char *name,
		   uint64_t events)
{
	price->events = events;
	price->batches = KERNEL_BATCHES;
	if (ioctl(device->file, KERNEL_PRICE, price))
		return fail_with(EXIT_RESOURCE, "%s has no price: %s", name, strerror(errno));
	return EXIT_FINE;
}

struct pricing {
	struct kernel_device *device;
	bool counted;
};

/* Of a part, or of the row of that name. */
static int price_one(const struct pricing *pricing, uint32_t part, const char *name)
{
	struct kernel_price price = { .part = part };
	struct price found = {
		.name = name,
		.unit = pricing->counted ? "instructions" : "ns",
	};
	double ns;
	int status;

	memcpy(price.row, name, strnlen(name, KERNEL_ROW_BYTES - 1));
	status = batches(pricing->device, &price, name, BATCH);
	ns = pricing->counted ? 1 : 1e6 / (double)price.tsc_khz;
	found.batch = median(price.ticks) * ns / BATCH;
	if (status == EXIT_FINE)
		status = batches(pricing->device, &price, name, 1);
	found.single = median(price.ticks) * ns;
	if (status == EXIT_FINE)
		print_price(&found);
	return status;
}

int price_run(struct kernel_device *device, const struct driver *const *rows, int count,
	      bool counted)
{
	struct pricing pricing = { device, counted };
	int status = EXIT_FINE, i;

	if (!counted && print_emulated())
		return fail_with(EXIT_UNSUPPORTED, "an emulator has no prices: take a machine, or "
						   "--counted under qemu -icount shift=0");
	print_price_head(counted ? "instructions" : "ns", BATCH);
	for (i = KERNEL_NOTHING; i < KERNEL_ROW && status == EXIT_FINE; i++)
		status = price_one(&pricing, (uint32_t)i, part_names[i]);
	for (i = 0; i < count && status == EXIT_FINE; i++)
		if (!rows[i]->restarts && !rows[i]->taken && !rows[i]->unsupported())
			status = price_one(&pricing, KERNEL_ROW, rows[i]->row);
	return status;
}
