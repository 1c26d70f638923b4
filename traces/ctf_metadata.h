/* SPDX-License-Identifier: MIT */
/*
 * The CTF 1.8 metadata of our own packets: what format/format_ctf.h and the schemes write, told to
 * other people's readers. The clock is declared to run at 1 GHz, so that a tick is a ns and none of
 * them disappears in rounding. Of rows that cut low bits of the stamp the clock is the stamp
 * without them, at 1 GHz / 2^cut.
 */
#ifndef STAMPEDE_TRACES_CTF_METADATA_H
#define STAMPEDE_TRACES_CTF_METADATA_H

#include <stdio.h>

#include "schemes/core/scheme.h"

struct ctf_description {
	struct scheme_format format;
	uint32_t stamp_bits; /* T: the short field reaches to here */
	uint32_t cut_bits; /* low bits that it does not store */
	uint32_t align_bytes; /* of records and payloads; 0: packed */
	bool timed; /* the payload is the stamp alone */
	uint32_t filler_bytes; /* behind the payload of events whose header says no size */
};

/* Writes the metadata; the caller looks at ferror(). */
void ctf_metadata_write(FILE *text, const struct ctf_description *description);

#endif
