/* SPDX-License-Identifier: MIT */
/*
 * The CTF 1.8 metadata of our own packets: what format/format_ctf.h and the schemes write, told to
 * other people's readers. A real clock has its rate and, as its offset, what makes dates of stamps.
 * Any other is declared to run at 1 GHz, so that a tick is a ns and none of them disappears in
 * rounding, with an offset of 0. Of rows that cut low bits of the stamp the clock is the stamp
 * without them, at the rate / 2^cut.
 */
#ifndef STAMPEDE_TRACES_CTF_METADATA_H
#define STAMPEDE_TRACES_CTF_METADATA_H

#include <stdio.h>

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
};

/* Writes the metadata; the caller looks at ferror(). */
void ctf_metadata_write(FILE *text, const struct ctf_description *description);

#endif
