/* SPDX-License-Identifier: MIT */
/*
 * Of which fields our packets and events consist, as field classes of CTF 2: what its metadata says
 * as it is, and what that of CTF 1.8 is printed from (traces/ctf_metadata.h).
 *
 * CTF 2 allows a field of an event's header that has no role only if something is chosen by it. For
 * those there is an optional field of no bits behind them, which CTF 1.8 has no use for.
 */
#pragma once

#include <jansson.h>

#include "base/wall.h"
#include "schemes/core/scheme.h"

struct ctf_description {
	struct scheme_format format;
	uint32_t stamp_bits; /* T: the short field reaches to here */
	uint32_t cut_bits; /* low bits that it does not store */
	uint32_t align_bytes; /* of records and payloads; 0: packed */
	bool timed; /* the payload is the stamp alone */
	uint32_t filler_bytes; /* behind the payload of events whose header says no size */
	uint64_t hz; /* of the real clock; 0: no real clock, and `pair` says nothing */
	struct clock_pair pair;
	bool ctf2; /* its metadata is JSON, and not the text of 1.8 */
	bool no_sized; /* it has no event of an id from EVENT_SIZED on */
};

/* A structure each; the caller's to release. */
json_t *ctf_layout_packet_header(void);
json_t *ctf_layout_packet_context(const struct ctf_description *description);
json_t *ctf_layout_event_header(const struct ctf_description *description);
json_t *ctf_layout_payload(const struct ctf_description *description, uint32_t id);
