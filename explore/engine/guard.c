// SPDX-License-Identifier: MIT
#include "explore/engine/guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/fail.h"

static char *refused; /* NULL: A2 is not looked after */
static size_t refused_bytes;

void guard_begin(char *reason, size_t bytes)
{
	refused = reason;
	refused_bytes = bytes;
}

static __attribute__((format(printf, 1, 2))) void refuse(const char *reason, ...)
{
	va_list args;

	va_start(args, reason);
	vsnprintf(refused, refused_bytes, reason, args);
	va_end(args);
	end_now(EXIT_UNSUPPORTED);
}

/* Stacks begin and end at multiples of this. */
struct lanes {
	uint64_t lane[2];
};

/* Which bytes they are, in their order; a compiler makes two lanes of it. */
static uint64_t sum_of(uintptr_t sp, uintptr_t end)
{
	const struct lanes *at =
		(const struct lanes *)(end - (end - sp) / sizeof(*at) * sizeof(*at));
	uint64_t first = 1, second = 2, rest = 0;

	memcpy(&rest, (const void *)sp, (end - sp) % sizeof(*at) ? sizeof(rest) : 0);
	for (; (uintptr_t)at < end; at++) {
		first = (first << 7 | first >> 57) + at->lane[0];
		second = (second << 9 | second >> 55) + at->lane[1];
	}
	return first ^ second << 32 ^ second >> 32 ^ rest * 0xff51afd7ed558ccdu;
}

typedef uint32_t halves __attribute__((vector_size(16)));

/*
 * Is there a word, at any multiple of 4, that leads into a stack? The upper halves of all addresses
 * there are the same, and of no other address; that is looked for first.
 */
static const uint8_t *frame_address(const struct guard_view *view)
{
	const uint8_t *memory = view->shared;
	size_t bytes = view->shared_bytes;
	uintptr_t low = view->stacks, word;
	uint32_t upper = (uint32_t)((uint64_t)low >> 32);
	const halves all = { upper, upper, upper, upper };
	halves found = { 0 };
	size_t i;

	if (sizeof(low) == sizeof(uint64_t)) {
		for (i = 0; i < bytes; i += sizeof(halves))
			found |= (halves)(*(const halves *)(const void *)(memory + i) == all);
		if (!(found[0] | found[1] | found[2] | found[3]))
			return NULL;
	}
	for (i = 0; i + sizeof(word) <= bytes; i += sizeof(upper)) {
		memcpy(&word, memory + i, sizeof(word));
		if (word - low < view->stacks_bytes)
			return memory + i;
	}
	return NULL;
}

/* Names the place: the scheme's struct comes first in memory. */
static void look_for_address(const struct guard_view *view)
{
	const uint8_t *at = frame_address(view);
	const struct explore_site *site = at ? view->site() : NULL;
	char place[160] = "";

	/* In a section that starts over there is no site any more. */
	if (site)
		snprintf(place, sizeof(place), ", before \"%s\" (%s:%u)", site->instruction,
			 site->file, (unsigned int)site->line);
	if (at)
		refuse("byte %zu of shared memory is an address in a writer's frame%s",
		       (size_t)(at - view->shared), place);
}

uint64_t guard_frame(uintptr_t sp, uintptr_t end, struct guard_view (*view)(void))
{
	struct guard_view now;

	if (!refused || sp == end)
		return 0;
	now = view();
	look_for_address(&now);
	return sum_of(sp, end);
}

void guard_same_frame(uintptr_t sp, uintptr_t end, uint64_t frame)
{
	if (refused && sp != end && sum_of(sp, end) != frame)
		refuse("a nested writer has written into the frame that it interrupted");
}
