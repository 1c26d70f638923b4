/* SPDX-License-Identifier: MIT */
/*
 * memcpy() and memset() that are calls. Of a count that gcc knows, or knows to be small, it makes a
 * string instruction (rep movs), which takes longer to start than the call takes for all of some
 * hundred bytes.
 */
#pragma once

#include <stddef.h>
#include <string.h>

static inline size_t bytes_any_count(size_t count)
{
	__asm__("" : "+r"(count));
	return count;
}

static inline void bytes_copy(void *to, const void *from, size_t count)
{
	memcpy(to, from, bytes_any_count(count));
}

static inline void bytes_clear(void *at, size_t count)
{
	memset(at, 0, bytes_any_count(count));
}
