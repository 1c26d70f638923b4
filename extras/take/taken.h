/* SPDX-License-Identifier: MIT */
/*
 * What a scheme is when it is taken out of the suite: take.py makes one header of this and of all
 * that it includes, for one row, whose scheme comes in the place of SCHEME_HEADER.
 */
#ifndef STAMPEDE_EXTRAS_TAKE_TAKEN_H
#define STAMPEDE_EXTRAS_TAKE_TAKEN_H

#include SCHEME_HEADER

/* What is written into a record. */
struct source {
	const void *payload;
};

static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	memcpy(rsv->payload, src->payload, len);
}

#include "schemes/parts/defaults.h"

#include "schemes/core/handover.h"
#include "extras/take/tracer.h"
#include "extras/take/reader.h"

#endif
