// SPDX-License-Identifier: MIT
#include "judge/live.h"

#include <errno.h>

#include "base/fail.h"
#include "schemes/core/handover.h"

#define COPIES 16 /* of sub-buffers, between two looks at the tail */

int live_open(struct live *live, const struct buffer *buffer)
{
	*live = (struct live){ .taken = 0 };
	return buffer_open(&live->spare, buffer->driver, &buffer->config);
}

void live_close(struct live *live)
{
	live_detach(live);
	if (live->spare.driver)
		buffer_close(&live->spare);
}

int live_attach(struct live *live, struct buffer *buffer)
{
	const struct ring *ring = buffer_ring(buffer);
	bool copies = ring->mode == RING_OVERWRITE;

	if (!LIVE_STORES_IN_ORDER && (copies || !ring_has_commits(ring))) {
		fail_line("%s: on this machine a ring %s is not read while it is written",
			  buffer->driver->row, copies ? "that overwrites" : "without commits");
		return -ENOTSUP;
	}
	if (buffer->attached) {
		fail_line("%s: its ring has a reader already: detach that one first",
			  buffer->driver->row);
		return -EBUSY;
	}
	if (copies && (!live->spare.driver ||
		       buffer_config_bytes(&buffer->config) > live->spare.base_bytes)) {
		fail_line("%s: no room for a copy of an overwriting ring's sub-buffer: live_open()",
			  buffer->driver->row);
		return -ENOMEM;
	}
	/* Its reader takes fixed events for as large as they are here. */
	live->spare.writer.extra_bytes = buffer->writer.extra_bytes;
	if (copies && buffer_reset(&live->spare, &buffer->config))
		return -EINVAL;
	live->buffer = buffer;
	buffer->attached = true;
	return 0;
}

void live_detach(struct live *live)
{
	if (live->buffer)
		live->buffer->attached = false;
	live->buffer = NULL;
}

/* What becomes of a sub-buffer: it is judged, or its events are handed on. */
struct use {
	struct check *check;
	live_each_fn *each;
	void *arg;
};

static void use(const struct use *use, const struct driver *driver, void *scheme)
{
	if (use->check)
		driver->take(scheme, use->check);
	else
		driver->walk(scheme, use->each, use->arg);
}

/* No more than a ring has: a writer may well be as quick as this. */
static uint64_t use_copies(struct live *live, const struct use *what)
{
	struct ring *ring = buffer_ring(live->buffer), *spare = buffer_ring(&live->spare);
	uint64_t left = ring_count_mask(ring) + 1, taken = 0, copied, first;

	for (; left; left -= copied) {
		copied = ring_copy_next(spare, ring, left < COPIES ? left : COPIES, &live->torn);
		if (!copied)
			break;
		first = spare->consumed;
		use(what, live->spare.driver, live->spare.scheme);
		ring_consume(ring, first + copied);
		taken += spare->consumed - first;
		live->torn += first + copied - spare->consumed;
	}
	return taken;
}

static uint64_t use_all(struct live *live, const struct use *what)
{
	struct buffer *buffer = live->buffer;
	struct ring *ring = buffer_ring(buffer);
	uint64_t before = ring->consumed, taken;

	if (ring->mode == RING_OVERWRITE) {
		taken = use_copies(live, what);
	} else {
		use(what, buffer->driver, buffer->scheme);
		taken = ring->consumed - before;
	}
	live->taken += taken;
	return taken;
}

uint64_t live_take(struct live *live, struct check *check)
{
	return use_all(live, &(struct use){ .check = check });
}

uint64_t live_walk(struct live *live, live_each_fn *each, void *arg)
{
	return use_all(live, &(struct use){ .each = each, .arg = arg });
}
