// SPDX-License-Identifier: MIT
#include "extras/kernel/program/price.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "extras/kernel/program/print.h"

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

static double median(uint64_t *values)
{
	qsort(values, KERNEL_BATCHES, sizeof(values[0]), by_ticks);
	return (double)values[KERNEL_BATCHES / 2];
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

/* A median batch, in counts and in ns. */
struct batch {
	double counts[KERNEL_COUNTS];
	double ns;
};

static struct batch batch_counted(struct kernel_price *price)
{
	struct batch batch = { .ns = median(price->ticks) * 1e6 / (double)price->tsc_khz };
	unsigned int i;

	for (i = 0; i < KERNEL_COUNTS; i++)
		batch.counts[i] = median(price->counts[i]);
	return batch;
}

/* Prices as they are asked for, and what a batch of no event counts. */
struct pricing {
	struct kernel_device *device;
	bool counted;
	enum kernel_counters counters;
	struct batch empty;
};

/* Batches of their own, so that no reading of counters is in a price. */
static int count_one(const struct pricing *pricing, struct kernel_price *price, struct price *found)
{
	struct batch batch;
	int status;

	price->counters = pricing->counters;
	status = batches(pricing->device, price, found->name, BATCH);
	price->counters = KERNEL_COUNTERS_NONE;
	if (status != EXIT_FINE || price->count_error) {
		found->counters = "busy";
		return status;
	}
	batch = batch_counted(price);
	found->cycles =
		(batch.counts[KERNEL_CYCLES] - pricing->empty.counts[KERNEL_CYCLES]) / BATCH;
	found->instructions =
		(batch.counts[KERNEL_INSTRUCTIONS] - pricing->empty.counts[KERNEL_INSTRUCTIONS]) /
		BATCH;
	found->counted_ns = (batch.ns - pricing->empty.ns) / BATCH;
	return EXIT_FINE;
}

/* What counts here: the word for it, and what it counts of its own; an exit code. */
static int find_counters(struct pricing *pricing, const char **word)
{
	static const char *const words[] = { "none", "pmu", "clock" };
	struct kernel_price price = { .part = KERNEL_NOTHING, .counters = pricing->counters };
	int status = batches(pricing->device, &price, "an empty batch", 0);

	*word = words[pricing->counters];
	if (status == EXIT_FINE && price.count_error) {
		*word = price.count_error == -EBUSY ? "busy" : "none";
		pricing->counters = KERNEL_COUNTERS_NONE;
	}
	pricing->empty = batch_counted(&price);
	return status;
}

static int price_one(const struct pricing *pricing, struct kernel_price *price, const char *name,
		     const char *counters)
{
	struct price found = {
		.name = name,
		.unit = pricing->counted ? "instructions" : "ns",
		.counters = counters,
	};
	int status = batches(pricing->device, price, name, BATCH);
	double ns = pricing->counted ? 1 : 1e6 / (double)price->tsc_khz;

	found.batch = median(price->ticks) * ns / BATCH;
	if (status == EXIT_FINE)
		status = batches(pricing->device, price, name, 1);
	found.single = median(price->ticks) * ns;
	if (status == EXIT_FINE && pricing->counters)
		status = count_one(pricing, price, &found);
	if (status == EXIT_FINE)
		print_price(&found);
	return status;
}

static int price_named(const struct pricing *pricing, const char *name, const char *counters)
{
	struct kernel_price price = { .part = KERNEL_ROW };

	memcpy(price.row, name, strnlen(name, KERNEL_ROW_BYTES - 1));
	return price_one(pricing, &price, name, counters);
}

int price_run(struct kernel_device *device, const struct driver *const *rows, int count,
	      bool counted, bool by_clock)
{
	struct pricing pricing = {
		.device = device,
		.counted = counted,
		.counters = by_clock ? KERNEL_COUNTERS_CLOCK : KERNEL_COUNTERS_PMU,
	};
	struct kernel_price price = { .part = KERNEL_NOTHING };
	const char *counters;
	int status, i;

	if (!counted && print_emulated())
		return fail_with(EXIT_UNSUPPORTED, "an emulator has no prices: take a machine, or "
						   "--counted under qemu -icount shift=0");
	status = find_counters(&pricing, &counters);
	if (status == EXIT_FINE)
		print_price_head(counted ? "instructions" : "ns", BATCH, counters);
	for (; price.part < KERNEL_ROW && status == EXIT_FINE; price.part++)
		status = price_one(&pricing, &price, part_names[price.part], counters);
	if (status == EXIT_FINE)
		status = price_named(&pricing, KERNEL_BUFFER_ROW, counters);
	for (i = 0; i < count && status == EXIT_FINE; i++)
		if (!rows[i]->restarts && !rows[i]->taken && !rows[i]->unsupported())
			status = price_named(&pricing, rows[i]->row, counters);
	return status;
}
