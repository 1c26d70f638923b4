// SPDX-License-Identifier: MIT
#include "kernel/program/price.h"

#include <cpuid.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"

#define BATCH 1000

static const char *const part_names[] = {
	[KERNEL_NOTHING] = "empty loop",
	[KERNEL_CLOCK] = "clock read",
	[KERNEL_XADD] = "xadd",
	[KERNEL_CMPXCHG] = "cmpxchg",
	[KERNEL_IRQ_SAVE] = "local_irq_save, local_irq_restore",
};

/* qemu without KVM says who it is. */
static bool emulated(void)
{
	unsigned int a, name[3];
	char text[13] = "";

	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	memcpy(text, name, sizeof(name));
	return !strcmp(text, "TCGTCGTCGTCG");
}

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
		     bool counted, bool json)
{
	double single, batch = median(device, price, BATCH), ns;
	json_t *line;
	char *text;

	single = batch < 0 ? batch : median(device, price, 1);
	if (single < 0)
		return fail_with(EXIT_RESOURCE, "%s has no price: %s", name,
				 strerror((int)-single));
	ns = counted ? 1 : 1e6 / (double)price->tsc_khz;
	if (!json) {
		printf("%-34s %8.1f %8.1f\n", name, batch * ns, single * ns);
		fflush(stdout);
		return EXIT_FINE;
	}
	line = json_pack("{s:s, s:s, s:f, s:f}", "price", name, "unit",
			 counted ? "instructions" : "ns", "batch", batch * ns, "single",
			 single * ns);
	text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	if (text)
		puts(text);
	fflush(stdout);
	free(text);
	json_decref(line);
	return EXIT_FINE;
}

static int price_named(struct kernel_device *device, const char *name, bool counted, bool json)
{
	struct kernel_price price = { .part = KERNEL_ROW };

	memcpy(price.row, name, strnlen(name, KERNEL_ROW_BYTES - 1));
	return price_one(device, &price, name, counted, json);
}

int price_run(struct kernel_device *device, const struct driver *const *rows, int count,
	      bool counted, bool json)
{
	struct kernel_price price = { .part = KERNEL_NOTHING };
	int status = EXIT_FINE, i;

	if (!counted && emulated())
		return fail_with(EXIT_UNSUPPORTED, "an emulator has no prices: take a machine, or "
						   "--counted under qemu -icount shift=0");
	if (!json)
		printf("%-34s %8s %8s   %s an event, of batches of %d and alone\n", "", "batch",
		       "single", counted ? "instructions" : "ns", BATCH);
	for (; price.part < KERNEL_ROW && status == EXIT_FINE; price.part++)
		status = price_one(device, &price, part_names[price.part], counted, json);
	if (status == EXIT_FINE)
		status = price_named(device, KERNEL_BUFFER_ROW, counted, json);
	for (i = 0; i < count && status == EXIT_FINE; i++)
		if (!rows[i]->restarts && !rows[i]->unsupported())
			status = price_named(device, rows[i]->row, counted, json);
	return status;
}
