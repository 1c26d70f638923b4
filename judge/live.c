// SPDX-License-Identifier: MIT
#include "judge/live.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

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

/*
 * Is the slot of `number` certainly still its own? The writer that opens the next sub-buffer may
 * have written there before its tail says so: the oldest one's never is.
 */
static bool is_safe(const struct ring *ring, uint64_t number)
{
	bool open;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ring_end(ring, &open) - number <= ring_count_mask(ring);
}

/* Of slot and sub-buffer `number`, the books first. */
static void copy_slot(const struct live *live, uint64_t number, uint64_t bytes)
{
	const struct ring *from = buffer_ring(live->buffer);
	struct ring *to = buffer_ring(&live->spare);

	*ring_subbuf(to, number) = *ring_subbuf(from, number);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(ring_subbuf_base(to, number), ring_subbuf_base(from, number), bytes);
}

/* The tail of a ring whose newest sub-buffer is `number`, and closed. */
static uint64_t tail_behind(const struct ring *ring, uint64_t number)
{
	uint64_t offset = (number + 1) << ring->subbuf_shift;

	if (ring_tail_is_numbered(ring))
		return number << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	if (ring_tail_is_packed(ring))
		return offset >> ring_packed_unit_shift(ring) & ring_packed_mask(ring);
	return offset;
}

/*
 * The spare ring has sub-buffer `number` and nothing else, but for the head of the next one, which
 * tells where this one ends. False: a writer may have overtaken.
 */
static bool copy(struct live *live, uint64_t number)
{
	const struct ring *from = buffer_ring(live->buffer);
	struct ring *to = buffer_ring(&live->spare);

	copy_slot(live, number, ring_subbuf_bytes(from));
	copy_slot(live, number + 1, ring_header_bytes(from));
	to->lost = from->lost;
	to->flush_number = from->flush_number;
	to->flush_stamp = from->flush_stamp;
	to->tail = tail_behind(to, number);
	to->consumed = number;
	return is_safe(from, number);
}

static uint64_t take_copies(struct live *live, struct check *check)
{
	struct ring *ring = buffer_ring(live->buffer);
	uint64_t number = ring->consumed, most = ring_count_mask(ring), taken = 0, end;
	bool open;

	for (end = ring_end(ring, &open);; number++) {
		if (end - number > most)
			number = end - most;
		if (number >= end - open)
			return taken;
		if (ring_content(ring, number) && copy(live, number)) {
			live->spare.driver->take(live->spare.scheme, check);
			ring_consume(ring, number + 1);
			if (buffer_ring(&live->spare)->consumed == number + 1)
				taken++;
			else
				live->torn++;
		} else if (is_safe(ring, number)) {
			return taken; /* not complete: who writes it is interrupted */
		} else {
			live->torn++;
			end = ring_end(ring, &open);
		}
	}
}

uint64_t live_take(struct live *live, struct check *check)
{
	struct buffer *buffer = live->buffer;
	struct ring *ring = buffer_ring(buffer);
	uint64_t before = ring->consumed, taken;

	if (ring->mode == RING_OVERWRITE) {
		taken = take_copies(live, check);
	} else {
		buffer->driver->take(buffer->scheme, check);
		taken = ring->consumed - before;
	}
	live->taken += taken;
	return taken;
}
