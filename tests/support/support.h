/* SPDX-License-Identifier: MIT */
/*
 * For tests of decoders and rows: bytes at the very end of accessible memory, hand-written bytes,
 * and a random sequence that is the same on every machine.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/*
 * A copy of `bytes` that ends where accessible memory does, until the next call: whoever reads on
 * dies, in any build. At most 128 KiB.
 */
const uint8_t *guarded_copy(const void *bytes, size_t size);

/* "1c ff 00" as bytes; returns how many. Blanks may stand between bytes. */
size_t from_hex(const char *text, uint8_t *bytes, size_t room);

/* The next of a xorshift sequence; *state is not 0. */
static inline uint64_t next_random(uint64_t *state)
{
	return rng_next(state);
}
