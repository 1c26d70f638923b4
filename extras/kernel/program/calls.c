// SPDX-License-Identifier: MIT
#include "extras/kernel/program/calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fail.h"
#include "base/time.h"

/* Interrupts that come while the last batch is made have places, too. */
#define EVENTS (KERNEL_CALLS_MOST - 8192)
#define EPOCH_MOST_NS 3000000000u

static int area_write(struct calls *calls, FILE *file, const uint8_t *area)
{
	const struct kernel_image *image = (const struct kernel_image *)area;
	const struct kernel_calls *head = (const struct kernel_calls *)(area + KERNEL_SCHEME_AT);
	uint64_t count = 0;
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++) {
		count += image->writer.written[i];
		calls->epochs.nested += i == CONTEXT_TASK ? 0 : image->writer.written[i];
	}
	calls->epochs.events += count;
	calls->epochs.at_depth[4] += image->at_depth[4];
	if (fwrite(image, sizeof(*image), 1, file) != 1 ||
	    fwrite(head, sizeof(*head), 1, file) != 1 ||
	    fwrite(area + KERNEL_BASE_AT, sizeof(struct kernel_call), count, file) != count)
		return fail_file("write", calls->path, errno);
	return EXIT_FINE;
}

static int calls_epoch(struct kernel_device *device, struct calls *calls, FILE *file)
{
	struct kernel_start start = {
		.row = KERNEL_TRACEPOINT_ROW,
		.contexts = KERNEL_CONTEXT(KERNEL_SOFTIRQ) | KERNEL_CONTEXT(KERNEL_HARDIRQ),
		.cpus = calls->epochs.cpus,
		.mode = RING_DISCARD,
		.subbuf_shift = 12,
		.count_shift = 10,
		.scheme_bytes = sizeof(struct kernel_calls),
		.image_bytes = sizeof(struct kernel_image),
		.stall_ns = calls->stall_ns,
		.mark = calls->epochs.count,
	};
	/* Stalls come at once, and so many in an epoch. */
	struct kernel_epoch epoch = { .events = calls->stall_ns ? EVENTS / 8 : EVENTS,
				      .most_ns = EPOCH_MOST_NS };
	int status = EXIT_FINE;
	uint32_t i;

	if (calls->epochs.with_nmi)
		start.contexts |= KERNEL_CONTEXT(KERNEL_NMI);
	if (ioctl(device->file, KERNEL_START, &start) || ioctl(device->file, KERNEL_EPOCH, &epoch))
		return fail_with(EXIT_RESOURCE, "the tracepoint: %s", strerror(errno));
	for (i = 0; i < start.cpus && status == EXIT_FINE; i++)
		status = area_write(calls, file, device->area[i]);
	calls->epochs.count++;
	return status;
}

static bool enough(const struct epochs *epochs)
{
	return epochs->nested >= epochs->nested_least && (epochs->at_depth[4] || !epochs->with_nmi);
}

int calls_run(struct kernel_device *device, struct calls *calls)
{
	uint64_t end = time_ns() + calls->epochs.seconds * 1000000000u;
	FILE *file = fopen(calls->path, "we");
	int status = EXIT_FINE;

	if (!file)
		return fail_file("write", calls->path, errno);
	while (status == EXIT_FINE && !enough(&calls->epochs) && time_ns() < end)
		status = calls_epoch(device, calls, file);
	if (fclose(file) && status == EXIT_FINE)
		status = fail_file("write", calls->path, errno);
	return status;
}
