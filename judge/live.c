// SPDX-License-Identifier: MIT
#include "judge/live.h"

#include <errno.h>

#include "base/fail.h"
#include "judge/live_steps.h"

int live_open(struct live *live, const struct buffer *buffer)
{
	struct ring_config config = buffer->config;

	/* A later ring may use all of the buffer's memory. */
	while (buffer_config_bytes(&config) < buffer->base_bytes)
		++*(config.count_shift < 12 ? &config.count_shift : &config.subbuf_shift);
	*live = (struct live){ .taken = 0 };
	return buffer_open(&live->spare, buffer->driver, &config);
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
		fail_line("%s: its ring has a reader already: detach that reader first",
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
	live->reader.copied = 0;
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

struct use {
	struct live *live;
	struct check *check;
};

static void use(void *arg, struct ring *from)
{
	const struct use *use = arg;
	struct buffer *buffer = use->live->buffer;

	if (from != buffer_ring(buffer))
		buffer = &use->live->spare;
	buffer->driver->take(buffer->scheme, use->check);
}

void live_check_given_back(const struct ring *ring, struct check *check)
{
	uint64_t had = check->next_number ? check->next_number : ring_start_number(ring);
	bool open;

	if (ring->consumed > had &&
	    ring->consumed > ring_oldest_safe(ring, had, ring_end(ring, &open)))
		check_violate(check, ORACLE_CONSERVATION,
			      "sub-buffer given back, and neither read nor overwritten", had, 0,
			      check->last_time, NULL);
}

uint64_t live_take(struct live *live, struct check *check)
{
	uint64_t taken;

	/* Before the books are set to what is taken now. */
	live_check_given_back(buffer_ring(live->buffer), check);
	/* Without copies there may be no spare ring. */
	taken = live_steps(&live->reader, buffer_ring(live->buffer),
			   live->spare.driver ? buffer_ring(&live->spare) : NULL, use,
			   &(struct use){ .live = live, .check = check });
	live->taken += taken;
	return taken;
}
