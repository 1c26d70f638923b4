/* SPDX-License-Identifier: MIT */
/*
 * What a scheme is when it is taken out of the suite: take.py makes one header of this and of all
 * that it includes, for one row, whose scheme comes in the place of SCHEME_HEADER.
 */
#pragma once

#include SCHEME_HEADER

/* What is written into a record. */
struct source {
	const void *payload;
#ifdef SCHEME_RESTARTS
	uint32_t bytes;
#endif
};

#ifdef SCHEME_RESTARTS
static inline void payload_stamp(struct source *src, uint64_t stamp, struct payload *payload)
{
	const struct restart_copy none = { NULL, src, 0 },
				  body = { NULL, src->payload, src->bytes };

	(void)stamp;
	payload->head = none;
	payload->body = body;
}

static inline void payload_prepare(struct source *src, uint32_t len, struct payload *payload)
{
	src->bytes = len;
	payload_stamp(src, 0, payload);
}

static inline void payload_published(struct source *src)
{
	(void)src;
}
#else
static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	memcpy(rsv->payload, src->payload, len);
}
#endif

#include "schemes/parts/defaults.h"

#include "schemes/core/handover.h"
#include "extras/take/tracer.h"
#include "extras/take/reader.h"
