// SPDX-License-Identifier: MIT
#include "kernel/program/own.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "base/time.h"

#define BYTES_SHIFT 22
#define EVENTS 70000
#define EPOCH_MOST_NS 3000000000u
#define WRAP_NS (UINT64_C(1) << 27)

static void judge_one(struct own *own, const struct kernel_taken *taken, uint64_t *before)
{
	const struct check_payload *payload = &taken->payload;
	uint64_t error = 0;

	own->epochs.events++;
	own->epochs.nested += check_tag_context(payload->tag) != CONTEXT_TASK;
	own->zero_deltas += taken->time == *before;
	own->back += taken->time < *before;
	*before = taken->time;
	if (taken->time < payload->entry) {
		error = payload->entry - taken->time;
		own->early++;
		own->wraps += error >= WRAP_NS / 2;
	} else if (taken->time > payload->exit) {
		error = taken->time - payload->exit;
		own->late++;
	}
	if (error > own->worst_ns)
		own->worst_ns = error;
}

static void judge_area(struct own *own, const uint8_t *area)
{
	const struct kernel_image *image = (const struct kernel_image *)area;
	const struct kernel_taken *taken = (const struct kernel_taken *)(area + KERNEL_BASE_AT);
	uint64_t before = 0, written = 0, i;

	for (i = 0; i < image->taken; i++)
		judge_one(own, &taken[i], &before);
	for (i = 0; i < CONTEXTS; i++) {
		written += image->writer.written[i];
		own->epochs.lost += image->writer.failed[i];
		own->epochs.delivered[i] += image->delivered[i];
		own->epochs.hits[i] += image->hits[i];
	}
	for (i = 0; i <= CONTEXTS; i++)
		own->epochs.at_depth[i] += image->at_depth[i];
	own->overrun += image->overrun;
	own->unaccounted += written - image->taken - image->overrun;
	own->stalls += image->stalls;
}

static int own_epoch(struct kernel_device *device, struct own *own)
{
	struct kernel_start start = {
		.row = KERNEL_BUFFER_ROW,
		.contexts = KERNEL_CONTEXT(KERNEL_SOFTIRQ) | KERNEL_CONTEXT(KERNEL_HARDIRQ),
		.cpus = own->epochs.cpus,
		.mode = own->epochs.count & 1 ? RING_DISCARD : RING_OVERWRITE,
		.subbuf_shift = 12,
		.count_shift = BYTES_SHIFT - 12,
		.image_bytes = sizeof(struct kernel_image),
		.stall_ns = own->stall_ns,
	};
	struct kernel_epoch epoch = { .events = EVENTS, .most_ns = EPOCH_MOST_NS };
	uint32_t i;

	if (own->epochs.with_nmi)
		start.contexts |= KERNEL_CONTEXT(KERNEL_NMI);
	if (ioctl(device->file, KERNEL_START, &start) || ioctl(device->file, KERNEL_EPOCH, &epoch))
		return fail_with(EXIT_RESOURCE, "the kernel's own ring buffer: %s",
				 strerror(errno));
	for (i = 0; i < start.cpus; i++)
		judge_area(own, device->area[i]);
	own->epochs.count++;
	return EXIT_FINE;
}

int own_run(struct kernel_device *device, struct own *own)
{
	uint64_t end = time_ns() + own->epochs.seconds * 1000000000u;
	int status = EXIT_FINE;

	while (status == EXIT_FINE && own->epochs.nested < own->epochs.nested_least &&
	       time_ns() < end)
		status = own_epoch(device, own);
	return status;
}
