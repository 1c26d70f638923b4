// SPDX-License-Identifier: MIT
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARDED_BYTES (128u << 10)
#define GUARD_BYTES (64u << 10)

const uint8_t *guarded_copy(const void *bytes, size_t size)
{
	static uint8_t *area;
	uint8_t *copy;

	if (!area) {
		area = mmap(NULL, GUARDED_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (area == MAP_FAILED || mprotect(area + GUARDED_BYTES, GUARD_BYTES, PROT_NONE))
			abort();
	}
	if (size > GUARDED_BYTES)
		abort();
	copy = area + GUARDED_BYTES - size;
	memcpy(copy, bytes, size);
	return copy;
}

size_t from_hex(const char *text, uint8_t *bytes, size_t room)
{
	size_t count = 0;
	char *end;
	char pair[3] = "";

	for (; *text; text += 2) {
		while (*text == ' ')
			text++;
		if (!*text)
			break;
		memcpy(pair, text, 2);
		if (count == room)
			abort();
		bytes[count++] = (uint8_t)strtoul(pair, &end, 16);
		if (end != pair + 2)
			abort();
	}
	return count;
}
