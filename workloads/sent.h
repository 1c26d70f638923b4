/* SPDX-License-Identifier: MIT */
/* What a trace becomes when its sub-buffers are compressed (workloads/sent.c). */
#ifndef STAMPEDE_WORKLOADS_SENT_H
#define STAMPEDE_WORKLOADS_SENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/driver.h"
#include "workloads/gaps.h"

#define SENT_BYTES (1u << 16) /* compressed at a time */

struct sent {
	const struct ring *ring;
	uint32_t payload_bytes; /* of the build, which are replaced by eight */
	const uint8_t *at; /* after the payload before */
	uint64_t place; /* of the sub-buffer that is read */
	uint8_t bytes[SENT_BYTES];
	size_t used;
	struct ZSTD_CCtx_s *zstd;
	char *packed;
	bool failed;

	uint64_t events;
	uint64_t raw_total; /* bytes, headers of sub-buffers included */
	uint64_t zstd_total;
};

/* For events of `ring`, whose payload is of `payload_bytes` or a little more. */
void sent_begin(struct sent *sent, const struct ring *ring, uint32_t payload_bytes);

/* The next one of the ring; for driver.walk(). */
void sent_event(void *sent, const struct event *event);

/* 0, or an exit code after a line on stderr. */
int sent_end(struct sent *sent);

/*
 * Bytes of an event of `driver` at those gaps after compression, by a virtual clock of `hz` ticks a
 * second. Negative after a line on stderr.
 */
double sent_bytes(const struct driver *driver, const struct gaps *gaps, double hz, uint64_t seed);

#endif
