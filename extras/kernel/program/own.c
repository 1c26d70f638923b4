// SPDX-License-Identifier: MIT
#include "extras/kernel/program/own.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "base/time.h"
#include "extras/kernel/program/stall.h"
#include "traces/ftrace_read.h"

#define BYTES_SHIFT 22
#define EVENTS 70000
#define EPOCH_MOST_NS 3000000000u
#define STAMP_BITS 27

static void judge_one(struct own *own, const struct kernel_image *image,
		      const struct kernel_taken *taken, uint64_t *before)
{
	const struct check_payload *payload = &taken->payload;
	uint64_t error = 0;

	own->epochs.events++;
	own->epochs.nested += check_tag_context(payload->tag) != CONTEXT_TASK;
	own->zero_deltas += taken->time == *before;
	own->in_stall += is_in_stall(image, taken->time);
	own->back += taken->time < *before;
	*before = taken->time;
	if (taken->time < payload->entry) {
		error = payload->entry - taken->time;
		own->early++;
	} else if (taken->time > payload->exit) {
		error = taken->time - payload->exit;
		own->late++;
	}
	if (error > own->worst_ns)
		own->worst_ns = error;
}

/* Sub-buffers by our reader, which sees the stamps that the kernel's own keeps to itself. */
static int judge_pages(struct own *own, const uint8_t *area, uint64_t *taken)
{
	const struct kernel_image *image = (const struct kernel_image *)area;
	struct trace_event batch[TRACE_BATCH];
	struct ftrace_reader reader;
	struct kernel_taken one;
	uint64_t before = 0, page;
	uint32_t count, i;

	ftrace_reader_init(&reader, KERNEL_PAGE_BYTES, STAMP_BITS);
	for (page = 0; page < image->pages && !reader.fault.set; page++) {
		uint64_t at = page * KERNEL_PAGE_BYTES;

		if (!ftrace_subbuf_open(&reader, area + KERNEL_BASE_AT + at, at))
			break;
		while ((count = ftrace_batch(&reader, batch))) {
			for (i = 0; i < count && batch[i].payload_bytes == sizeof(one.payload);
			     i++) {
				one.time = batch[i].time;
				memcpy(&one.payload, batch[i].payload, sizeof(one.payload));
				judge_one(own, image, &one, &before);
			}
			*taken += i;
		}
	}
	own->raw_events += *taken;
	own->absolutes += reader.counts.absolutes;
	own->extends += reader.counts.extends;
	return reader.fault.set ? fail_with(EXIT_BROKEN,
					    "the kernel's own ring buffer, offset "
					    "%" PRIu64 ": %s",
					    reader.fault.offset, reader.fault.text) :
				  EXIT_FINE;
}

static int judge_area(struct own *own, const uint8_t *area)
{
	const struct kernel_image *image = (const struct kernel_image *)area;
	const struct kernel_taken *events = (const struct kernel_taken *)(area + KERNEL_BASE_AT);
	uint64_t before = 0, written = 0, taken = image->taken, i;
	int status = EXIT_FINE;

	if (image->pages)
		status = judge_pages(own, area, &taken);
	for (i = 0; i < image->taken; i++)
		judge_one(own, image, &events[i], &before);
	for (i = 0; i < CONTEXTS; i++) {
		written += image->writer.written[i];
		own->epochs.lost += image->writer.failed[i];
		own->epochs.delivered[i] += image->delivered[i];
		own->epochs.hits[i] += image->hits[i];
	}
	for (i = 0; i <= CONTEXTS; i++)
		own->epochs.at_depth[i] += image->at_depth[i];
	own->overrun += image->overrun;
	own->unaccounted += written - taken - image->overrun;
	own->stalls += image->stalls;
	return status;
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
		.pages = own->epochs.count >> 1 & 1,
		.stall_ns = own->stall_ns,
	};
	struct kernel_epoch epoch = { .events = EVENTS, .most_ns = EPOCH_MOST_NS };
	int status = EXIT_FINE;
	uint32_t i;

	if (own->epochs.with_nmi)
		start.contexts |= KERNEL_CONTEXT(KERNEL_NMI);
	if (ioctl(device->file, KERNEL_START, &start) || ioctl(device->file, KERNEL_EPOCH, &epoch))
		return fail_with(EXIT_RESOURCE, "the kernel's own ring buffer: %s",
				 strerror(errno));
	for (i = 0; i < start.cpus && status == EXIT_FINE; i++)
		status = judge_area(own, device->area[i]);
	own->epochs.count++;
	return status;
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
