// SPDX-License-Identifier: MIT
#include "explore/engine/interned.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"

struct pieced {
	uint32_t bytes;
	uint32_t piece[PIECES_MAX];
};

static uint32_t piece_count(size_t bytes)
{
	return (uint32_t)((bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

static const struct pieced *pieced_at(const struct interned *pieces, uint32_t number)
{
	return table_get(&pieces->string, number, NULL);
}

void interned_end(struct interned *pieces)
{
	table_free(&pieces->piece);
	table_free(&pieces->string);
}

/* A piece of a string; of the one that was got last without a look into the table. */
static const uint8_t *piece_of(const struct interned *pieces, const struct pieced *pieced,
			       const uint8_t *copy, uint32_t i)
{
	return copy ? copy + i * (size_t)PIECE_BYTES :
		      table_get(&pieces->piece, pieced->piece[i], NULL);
}

uint32_t interned_number(struct interned *pieces, uint8_t *bytes, size_t count, uint32_t like)
{
	static struct pieced pieced;
	const struct pieced *other = like == PIECES_NONE ? NULL : pieced_at(pieces, like);
	const uint8_t *copy = other && pieces->latest == like + 1 ? pieces->copy : NULL;
	uint32_t known = other ? piece_count(other->bytes) : 0, pieces_of = piece_count(count), i;
	bool same = other && other->bytes == count;

	if (pieces_of > PIECES_MAX)
		END_FAULT("a state larger than any");
	memset(bytes + count, 0, pieces_of * (size_t)PIECE_BYTES - count);
	if (same && copy && !memcmp(bytes, copy, count))
		return like;
	pieced.bytes = (uint32_t)count;
	for (i = 0; i < pieces_of; i++, bytes += PIECE_BYTES) {
		if (i < known && !memcmp(piece_of(pieces, other, copy, i), bytes, PIECE_BYTES)) {
			pieced.piece[i] = other->piece[i];
			continue;
		}
		pieced.piece[i] = table_number(&pieces->piece, bytes, PIECE_BYTES);
		same = false;
	}
	if (same)
		return like;
	return table_number(&pieces->string, &pieced,
			    offsetof(struct pieced, piece) + pieces_of * sizeof(pieced.piece[0]));
}

const uint8_t *interned_get(struct interned *pieces, uint32_t number, size_t *bytes)
{
	const struct pieced *pieced = pieced_at(pieces, number);
	const struct pieced *before = pieces->latest ? pieced_at(pieces, pieces->latest - 1) : NULL;
	uint32_t known = before ? piece_count(before->bytes) : 0, i;

	*bytes = pieced->bytes;
	if (pieced == before)
		return pieces->copy;
	for (i = 0; i < piece_count(pieced->bytes); i++)
		if (i >= known || pieced->piece[i] != before->piece[i])
			memcpy(pieces->copy + i * (size_t)PIECE_BYTES,
			       table_get(&pieces->piece, pieced->piece[i], NULL), PIECE_BYTES);
	pieces->latest = number + 1;
	return pieces->copy;
}

const void *interned_first(const struct interned *pieces, uint32_t number)
{
	return table_get(&pieces->piece, pieced_at(pieces, number)->piece[0], NULL);
}

uint64_t interned_memory(const struct interned *pieces)
{
	return pieces->piece.total_bytes + pieces->string.total_bytes;
}
