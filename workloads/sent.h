/* SPDX-License-Identifier: MIT */
/* What a trace becomes when its sub-buffers are compressed (workloads/sent.c). */
#ifndef STAMPEDE_WORKLOADS_SENT_H
#define STAMPEDE_WORKLOADS_SENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemes/core/scheme.h"

#define SENT_BYTES (1u << 16) /* compressed at a time */
#define SENT_EVENTS 100000 /* whose sizes are kept */

struct sent {
	const struct ring *ring;
	uint32_t payload_bytes; /* of the build, which are replaced by eight */
	const uint8_t *at; /* behind the payload before */
	uint64_t place; /* of the sub-buffer that is read */
	uint8_t bytes[SENT_BYTES];
	size_t used;
	struct ZSTD_CCtx_s *zstd;
	char *packed;
	bool failed;

	uint64_t events;
	double size[SENT_EVENTS]; /* of each, bytes; sorted in the end */
	uint64_t raw_total; /* bytes, headers of sub-buffers included */
	uint64_t zstd_total;
	uint64_t lz4_total;
	double median, p99, most; /* of size */
};

/* A decoded time, and which event it is, in the order of the ring. */
struct sent_time {
	uint64_t time;
	uint64_t place;
};

/*
 * Sorts by time, equal ones in their order, from the end on, as a reader does that expects order.
 * How many had to move.
 */
uint64_t sent_sort(struct sent_time *events, size_t count);

/* For events of `ring`, whose payload is of `payload_bytes` or a little more. */
void sent_begin(struct sent *sent, const struct ring *ring, uint32_t payload_bytes);

/* The next one of the ring; for driver.walk(). */
void sent_event(void *sent, const struct event *event);

/* 0, or an exit code after a line on stderr. */
int sent_end(struct sent *sent);

#endif
