// SPDX-License-Identifier: MIT
/*
 * Preloaded: an event after each allocation (its address and size), and one before each free. An
 * address is so allocated, freed, allocated ... in the order of times, also across threads.
 */
#include <dlfcn.h>

#include "extras/programs/preload.h"

enum { ALLOC = 1, FREE = 2 };

static struct {
	void *(*alloc)(size_t bytes);
	void *(*zeroed)(size_t count, size_t bytes);
	void *(*again)(void *at, size_t bytes);
	void (*free)(void *at);
	void *(*aligned)(size_t to, size_t bytes);
	int (*posix)(void **at, size_t to, size_t bytes);
} real;
static bool resolving;

/* False while dlsym looks for the next malloc: it does without what it asks for then. */
static __attribute__((noinline, cold)) bool resolve(void)
{
	if (resolving)
		return false;
	resolving = true;
	*(void **)&real.zeroed = dlsym(RTLD_NEXT, "calloc");
	*(void **)&real.again = dlsym(RTLD_NEXT, "realloc");
	*(void **)&real.free = dlsym(RTLD_NEXT, "free");
	*(void **)&real.aligned = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&real.posix = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&real.alloc = dlsym(RTLD_NEXT, "malloc"); /* last: it says that all are there */
	resolving = false;
	return true;
}

static inline bool resolved(void)
{
	return __builtin_expect(real.alloc != NULL, 1) || resolve();
}

static inline void *allocated(void *at, size_t bytes)
{
	if (at)
		event(ALLOC, (uintptr_t)at, bytes);
	return at;
}

PRELOAD_EXPORT void *malloc(size_t bytes)
{
	return resolved() ? allocated(real.alloc(bytes), bytes) : NULL;
}

PRELOAD_EXPORT void *calloc(size_t count, size_t bytes)
{
	return resolved() ? allocated(real.zeroed(count, bytes), count * bytes) : NULL;
}

PRELOAD_EXPORT void free(void *at)
{
	if (!at || !resolved())
		return;
	event(FREE, (uintptr_t)at, 0);
	real.free(at);
}

PRELOAD_EXPORT void *realloc(void *at, size_t bytes)
{
	void *now;

	if (!resolved())
		return NULL;
	if (at)
		event(FREE, (uintptr_t)at, 0);
	now = allocated(real.again(at, bytes), bytes);
	if (!now && at && bytes)
		event(ALLOC, (uintptr_t)at, 0); /* it stays */
	return now;
}

PRELOAD_EXPORT void *aligned_alloc(size_t to, size_t bytes)
{
	return resolved() ? allocated(real.aligned(to, bytes), bytes) : NULL;
}

PRELOAD_EXPORT int posix_memalign(void **at, size_t to, size_t bytes)
{
	int error = resolved() ? real.posix(at, to, bytes) : ENOMEM;

	if (!error)
		allocated(*at, bytes);
	return error;
}
