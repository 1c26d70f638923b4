// SPDX-License-Identifier: MIT
/* Where the world lies: a block for all that changes, and the writers' stacks. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "explore/engine/world.h"

#if UINTPTR_MAX > UINT32_MAX
#define WORLD_ADDRESS ((void *)UINT64_C(0x200000000000)) /* below it ASan has its shadow */
/* Neither half is like a number that a row has use for: see guard.c. */
#define STACK_ADDRESS ((void *)UINT64_C(0x2a5c7b000000))
#else
#define WORLD_ADDRESS ((void *)0x20000000) /* below where qemu begins to map, at 0x40000000 */
#define STACK_ADDRESS ((void *)0x2a5c0000)
#endif
#define FILL_BYTE 0xa5
#define FILL_WORD UINT64_C(0xa5a5a5a5a5a5a5a5)

struct world *world;

static uint8_t *stack_begin;

uintptr_t world_stack_end(unsigned int writer)
{
	return (uintptr_t)stack_begin + (writer + 1) * (uintptr_t)WORLD_STACK_BYTES;
}

/* Scheme, slots, ring. */
static size_t scheme_bytes(void)
{
	return bits_align(world_row.driver->scheme_bytes, 64);
}

static size_t slots_bytes(void)
{
	return sizeof(struct subbuf) << world_row.config.count_shift;
}

static bool with_spare;

size_t world_ring_bytes(void)
{
	return scheme_bytes() + slots_bytes() +
	       ((size_t)1 << (world_row.config.subbuf_shift + world_row.config.count_shift));
}

size_t world_memory_bytes(void)
{
	return world_ring_bytes() << with_spare;
}

uint8_t *world_memory(void)
{
	return (uint8_t *)(uintptr_t)bits_align((uintptr_t)world->memory, 64);
}

size_t world_memory_used(void)
{
	const uint8_t *ring = world_memory() + scheme_bytes() + slots_bytes();
	const uint8_t *end = world_memory() + world_memory_bytes();
	uint64_t last[2];

	while (end > ring) {
		memcpy(last, end - sizeof(last), sizeof(last));
		if (last[0] != FILL_WORD || last[1] != FILL_WORD)
			break;
		end -= sizeof(last);
	}
	return (size_t)(end - world_memory());
}

void world_memory_restore(const uint8_t *used, size_t bytes)
{
	memcpy(world_memory(), used, bytes);
	memset(world_memory() + bytes, FILL_BYTE, world_memory_bytes() - bytes);
}

static struct world_ring_memory clear(uint8_t *begin)
{
	uint8_t *ring = begin + scheme_bytes() + slots_bytes();

	memset(begin, 0, scheme_bytes() + slots_bytes());
	memset(ring, FILL_BYTE, world_ring_bytes() - scheme_bytes() - slots_bytes());
	return (struct world_ring_memory){
		.scheme = begin,
		.slots = (struct subbuf *)(void *)(begin + scheme_bytes()),
		.base = ring,
	};
}

void world_memory_clear(struct world_ring_memory *ring, struct world_ring_memory *spare)
{
	with_spare = spare;
	*ring = clear(world_memory());
	if (spare)
		*spare = clear(world_memory() + world_ring_bytes());
}

uint8_t *world_spare(void)
{
	return with_spare ? world_memory() + world_ring_bytes() : NULL;
}

struct ring *world_ring(void)
{
	return (struct ring *)(void *)world_memory();
}

static void *map(void *address, size_t bytes)
{
	void *at = mmap(address, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != MAP_FAILED && at == address)
		return at;
	fail_line("no memory at %p for the world to explore: %s", address, strerror(errno));
	return NULL;
}

int world_map(void)
{
	world = map(WORLD_ADDRESS, WORLD_BYTES);
	stack_begin = map(STACK_ADDRESS, WORLD_WRITERS_MAX * WORLD_STACK_BYTES);
	return world && stack_begin ? 0 : -ENOMEM;
}
