// SPDX-License-Identifier: MIT
#include "explore/engine/shared.h"

#include <string.h>

#include "base/bytes.h"
#include "explore/engine/world.h"

/* In this order: the book's shared part, the reader, stamps if they count, memory. */
#define BOOK_BYTES (offsetof(struct book, level) - offsetof(struct book, left))

size_t shared_save(uint8_t *to, bool reads)
{
	struct book *book = &world->book;
	size_t check = reads ? sizeof(world->check) : 0, stamps = book_stamps_bytes(book);
	size_t used = world_memory_used();

	book->clock = *world_row.clock;
	book->blocked = *world_row.blocked;
	bytes_copy(to, &book->left, BOOK_BYTES);
	bytes_copy(to + BOOK_BYTES, &world->check, check);
	bytes_copy(to + BOOK_BYTES + check, book->stamp, stamps);
	memcpy(to + BOOK_BYTES + check + stamps, world_memory(), used);
	return BOOK_BYTES + check + stamps + used;
}

void shared_restore(const uint8_t *from, size_t bytes, bool reads)
{
	struct book *book = &world->book;
	size_t check = reads ? sizeof(world->check) : 0, before;

	bytes_copy(&book->left, from, BOOK_BYTES);
	*world_row.clock = book->clock;
	*world_row.blocked = book->blocked;
	bytes_copy(&world->check, from + BOOK_BYTES, check);
	bytes_copy(book->stamp, from + BOOK_BYTES + check, book_stamps_bytes(book));
	before = BOOK_BYTES + check + book_stamps_bytes(book);
	world_memory_restore(from + before, bytes - before);
}
