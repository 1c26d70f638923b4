// SPDX-License-Identifier: MIT
#include "explore/engine/pieces.h"

#include <stdlib.h>
#include <string.h>

struct pieced {
	uint32_t bytes;
	uint32_t piece[PIECES_MAX];
};

static uint32_t piece_count(size_t bytes)
{
	return (uint32_t)((bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

static const struct pieced *pieced_at(const struct pieces *pieces, uint32_t number)
{
	return table_get(&pieces->string, number, NULL);
}

void pieces_end(struct pieces *pieces)
{
	table_free(&pieces->piece);
	table_free(&pieces->string);
}

static bool same_piece(const struct pieces *pieces, uint32_t number, const uint8_t *bytes)
{
	return !memcmp(table_get(&pieces->piece, number, NULL), bytes, PIECE_BYTES);
}

uint32_t pieces_number(struct pieces *pieces, uint8_t *bytes, size_t count, uint32_t like)
{
	static struct pieced pieced;
	const struct pieced *other = like == PIECES_NONE ? NULL : pieced_at(pieces, like);
	uint32_t known = other ? piece_count(other->bytes) : 0, pieces_of = piece_count(count), i;
	bool same = other && other->bytes == count;

	if (pieces_of > PIECES_MAX)
		abort();
	memset(bytes + count, 0, pieces_of * (size_t)PIECE_BYTES - count);
	pieced.bytes = (uint32_t)count;
	for (i = 0; i < pieces_of; i++, bytes += PIECE_BYTES) {
		if (i < known && same_piece(pieces, other->piece[i], bytes)) {
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

size_t pieces_get(const struct pieces *pieces, uint32_t number, uint8_t *to)
{
	const struct pieced *pieced = pieced_at(pieces, number);
	uint32_t i;

	for (i = 0; i < piece_count(pieced->bytes); i++)
		memcpy(to + i * (size_t)PIECE_BYTES,
		       table_get(&pieces->piece, pieced->piece[i], NULL), PIECE_BYTES);
	return pieced->bytes;
}

const void *pieces_first(const struct pieces *pieces, uint32_t number)
{
	return table_get(&pieces->piece, pieced_at(pieces, number)->piece[0], NULL);
}

uint64_t pieces_memory(const struct pieces *pieces)
{
	return pieces->piece.total_bytes + pieces->string.total_bytes;
}
