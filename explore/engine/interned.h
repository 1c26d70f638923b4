/* SPDX-License-Identifier: MIT */
/*
 * Long byte strings that differ little from each other, each kept once and known by a number: of a
 * string only the numbers of its pieces are kept.
 */
#pragma once

#include "base/table.h"

#define PIECE_BYTES 128
#define PIECES_MAX 1024
#define PIECES_NONE UINT32_MAX

/* All zero: without any. */
struct interned {
	struct table piece, string;
	uint32_t latest; /* number of the one that was got last, + 1; 0: none */
	uint8_t copy[PIECES_MAX * PIECE_BYTES]; /* its bytes, in one place */
};

void interned_end(struct interned *pieces);

/*
 * The number of these bytes, from 0 in the order they first came; up to PIECE_BYTES behind them are
 * cleared. `like`: the number of a string that they hardly differ from, best the one got last, or
 * PIECES_NONE.
 */
uint32_t interned_number(struct interned *pieces, uint8_t *bytes, size_t count, uint32_t like);

/* A string, until the next is got, and its length; what is behind it up to a whole piece is 0. */
const uint8_t *interned_get(struct interned *pieces, uint32_t number, size_t *bytes);

/* Its first piece. */
const void *interned_first(const struct interned *pieces, uint32_t number);

/* Bytes of memory taken. */
uint64_t interned_memory(const struct interned *pieces);
