// SPDX-License-Identifier: MIT
/* Our rows as peers: the timed build's loop, as bench has it. */
#include <stdio.h>

#include "judge/buffer.h"
#include "extras/peers/peer.h"

#define EVENTS 400000

static struct buffer buffer;

static int ours_open(const char *name, char why[PEER_WHY_BYTES])
{
	const struct driver *driver = driver_find(drivers_timed, name);
	struct ring_config config;

	if (!driver) {
		snprintf(why, PEER_WHY_BYTES, "no such row");
		return -1;
	}
	config = buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	if (buffer_open(&buffer, driver, &config)) {
		snprintf(why, PEER_WHY_BYTES, "no memory for its ring");
		return -1;
	}
	return 0;
}

static int ours_run(uint64_t events)
{
	buffer.driver->run(buffer.scheme, &buffer.writer, events);
	return 0;
}

static double ours_bytes(void)
{
	struct check check;

	check_init(&check, buffer.driver->desc, buffer.config.stamp_bits);
	buffer_drain(&buffer, &check);
	if (!check.events)
		return -1;
	return (double)(check.header_bytes + check.payload_bytes + check.subbuf_bytes) /
	       (double)check.events;
}

static void ours_close(void)
{
	buffer_close(&buffer);
}

const struct peer_kind peer_ours = {
	.open = ours_open,
	.run = ours_run,
	.bytes = ours_bytes,
	.close = ours_close,
	.events = EVENTS,
};
