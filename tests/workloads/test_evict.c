// SPDX-License-Identifier: MIT
/* What evictions read, page by page, on machines that are made up: no time is measured. */
#include "tests/support/test.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/support/said.h"
#include "base/fail.h"
#include "workloads/evict.h"

#define PAGE ((size_t)4096)
#define PAGES ((size_t)8192)
#define TOLD \
	{ \
		1024, 2048, 32769 \
	} /* bytes of caches, and of what is measured */
#define MEASURED (2 * 32769)

/* Where a page of `memory` was touched, if it is not the page of the touch before. */
static uint8_t *memory, *last;
static size_t traced, touched[1 << 14], touches;

static void touch(int signal, siginfo_t *info, void *context)
{
	const size_t at = (size_t)((uint8_t *)info->si_addr - memory);

	if (last)
		mprotect(last, PAGE, PROT_NONE);
	last = memory + at / PAGE * PAGE;
	if (at >= traced || touches == COUNT(touched) ||
	    mprotect(last, PAGE, PROT_READ | PROT_WRITE))
		abort();
	touched[touches++] = at;
}

static void trace(void *its, size_t bytes)
{
	const struct sigaction action = { .sa_sigaction = touch, .sa_flags = SA_SIGINFO };

	memory = its;
	traced = bytes;
	touches = 0;
	last = NULL;
	if (sigaction(SIGSEGV, &action, NULL) || (bytes && mprotect(its, bytes, PROT_NONE)))
		abort();
}

/* Bytes that are mapped now, and how many more mappings there may be. */
static size_t mapped, maps_left = SIZE_MAX;
static void *hint;

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
	void *its = MAP_FAILED;

	if (maps_left)
		its = (void *)syscall(SYS_mmap, at ? at : hint, bytes, protection, flags, file,
				      offset);
	maps_left -= maps_left && maps_left < SIZE_MAX;
	if (its != MAP_FAILED && !(flags & MAP_FIXED))
		mapped += bytes;
	if (its != MAP_FAILED && bytes == MEASURED)
		trace(its, bytes);
	return its;
}

int munmap(void *at, size_t bytes)
{
	mapped -= bytes;
	return (int)syscall(SYS_munmap, at, bytes);
}

/* There is a huge page, or none by that error. */
static int no_huge_page;
static void *huge_at;

int madvise(void *at, size_t bytes, int advice)
{
	if (advice == MADV_HUGEPAGE)
		huge_at = at;
	errno = no_huge_page;
	return no_huge_page && advice != MADV_HUGEPAGE ? -1 : 0;
}

/* What the C library says of caches L1, L2 and L3. */
static const long *told;

long sysconf(int name)
{
	if (told && (name == _SC_LEVEL1_DCACHE_SIZE || name == _SC_LEVEL2_CACHE_SIZE))
		return told[name == _SC_LEVEL2_CACHE_SIZE];
	if (told && name == _SC_LEVEL3_CACHE_SIZE)
		return told[2];
	return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

/* After a walk of so many pages, reading a page's lines takes so many ns, and more in six tries of
 * seven. */
static const uint16_t *ns_of;
static unsigned int looks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static long ns;
	size_t pages = 0, i;

	if (!ns_of)
		return (int)syscall(SYS_clock_gettime, clock, now);
	for (i = 0; i < touches; i++)
		pages = touched[i] / PAGE + 1 > pages ? touched[i] / PAGE + 1 : pages;
	ns += 7;
	if (looks++ % 2) {
		ns += ns_of[pages] - 7 + (looks % 14 != 4) * 1000;
		trace(memory, traced);
	}
	*now = (struct timespec){ .tv_nsec = ns };
	return 0;
}

static void open_made_up(struct evict *its, const char *machine, size_t most, int code)
{
	struct place made = { .topology = NULL };

	hwloc_topology_init(&made.topology);
	assert_false(hwloc_topology_set_synthetic(made.topology, machine) ||
		     hwloc_topology_load(made.topology));
	evict_most = most;
	mapped = looks = 0;
	assert_int_equal(evict_open(its, &made, 0), code);
	evict_most = SIZE_MAX;
	hwloc_topology_destroy(made.topology);
	ns_of = NULL;
	told = NULL;
}

static void close_made_up(struct evict *its)
{
	evict_close(its);
	assert_int_equal(mapped, 0);
}

/*
 * Of a machine whose caches hwloc does not know, the sizes of the C library; but of the last cache,
 * the size of the walk whose time is the geometric mean of the ends', after so many walks.
 */
static void caches_by_the_c_library(void **state)
{
	static const struct {
		long told[3];
		uint16_t ns[18];
		size_t l1, l2, last, walks;
	} made[] = {
		{ TOLD, { 0, 100, 173, 0, 174, [9] = 300, [17] = 400 }, 2048, 4096, 32768, 6 },
		{ TOLD, { 0, 100, 200, 0, 201, [9] = 900, [17] = 400 }, 2048, 4096, 32768, 6 },
		{ TOLD, { 0, 100, 1, 0, 1, [8] = 142, 201, [17] = 400 }, 2048, 4096, 65536, 7 },
		{ TOLD, { 0, 9, 9, 0, 9, [8] = 9, 9, [16] = 9, 9 }, 2048, 4096, 65538, 8 },
		{ { 1, 2048, -1 }, { 0 }, 2, 4096, 0, 0 },
		{ { -1, 0, 32769 }, { 0 }, 0, 0, 0, 0 },
	};
	struct evict its;
	size_t i;

	for (i = 0; i < COUNT(made); i++) {
		told = made[i].told;
		ns_of = made[i].ns;
		open_made_up(&its, "pack:1 core:1 pu:1", SIZE_MAX, 0);
		assert_int_equal(its.bytes[EVICT_L1], made[i].l1);
		assert_int_equal(its.bytes[EVICT_L2], made[i].l2);
		assert_int_equal(its.bytes[EVICT_LLC], made[i].last);
		assert_int_equal(its.data_bytes, made[i].l1 ? EVICT_HUGE_BYTES : 0);
		assert_int_equal(looks, 14 * made[i].walks);
		evict(&its, EVICT_ALL);
		close_made_up(&its);
	}
}

/* Each page after the one before, but for jumps to where a second reading begins. */
static void assert_touched(size_t bytes, size_t wanted, size_t jumps)
{
	size_t i;

	assert_int_equal(touches, wanted);
	for (i = 1; i < touches; i++)
		jumps -= touched[i] != touched[i - 1] + PAGE;
	assert_int_equal(jumps, 0);
	assert_true(!touches || (!touched[0] && touched[touches - 1] == (bytes - 1) / PAGE * PAGE));
}

static uint64_t run_here(uint64_t random)
{
	size_t i;

	random = random * 6364136223846793005u + 1;
	for (i = 0; i < PAGES; i++) {
		random = random << 1 | random >> 63;
		random += random % 2 * 0x1b;
	}
	return random;
}

/* By kind, the cache (3: the last) of which twice the bytes are read; and whether code runs, too.
 */
static const uint8_t cache_of[EVICT_KINDS] = { 0, 1, 2, 3, 0, 0, 3, 3, 0, 0, 3 };
static const bool all_of[EVICT_KINDS] = {
	[EVICT_ALL] = true, [EVICT_HUGE] = true, [EVICT_NEIGHBOUR] = true
};

/*
 * Twice each cache of machines that hwloc makes up, and no more of one than a test allows. What is
 * more than the L1 is read twice, in pieces of the cache before.
 */
static void caches_of_made_up_machines(void **state)
{
	char *machines = table_named("evict_machines");
	FILE *file = fmemopen(machines, strlen(machines), "r");
	size_t most, data, bytes[4] = { 0, 64 << 10 }, wanted[4] = { 0, 16 }, jumps[4] = { 0 }, at;
	enum evict_kind kind;
	struct evict its;
	char machine[100];
	unsigned int tried;

	assert_non_null(file);
	for (tried = 0;
	     fscanf(file, " %99[^|]|%zu|%zu %zu %zu|%zu %zu|%zu %zu", machine, &most, &bytes[2],
		    &bytes[3], &data, &wanted[2], &wanted[3], &jumps[2], &jumps[3]) == 9;
	     tried++) {
		open_made_up(&its, machine, most, 0);
		assert_int_equal(its.data_bytes, data);
		assert_int_equal(its.data[data - 1], 0x5a);
		for (kind = 0; kind < EVICT_KINDS; kind++) {
			const uint64_t random = its.random;
			const unsigned int cache = cache_of[kind];

			assert_int_equal(its.bytes[kind], bytes[cache]);
			trace(its.data, data);
			evict(&its, kind);
			assert_touched(bytes[cache], wanted[cache], jumps[cache]);
			assert_false(mprotect(its.data, data, PROT_READ));
			assert_int_equal(its.random, all_of[kind] || kind == EVICT_CODE ?
							     run_here(random) :
							     random);
			if (tried)
				continue;
			trace(its.pages, PAGES * PAGE);
			evict(&its, kind);
			assert_int_equal(touches, all_of[kind] || kind == EVICT_TLB ? PAGES : 0);
			for (at = 0; at < touches; at++)
				assert_int_equal(touched[at], at * PAGE + at % 64 * 64);
			assert_false(mprotect(its.pages, PAGES * PAGE, PROT_READ));
		}
		close_made_up(&its);
	}
	assert_int_equal(tried, 4);
	fclose(file);
	free(machines);
}

/* A mapping that fails, whichever, is said, and nothing stays. */
static void no_memory(void **state)
{
	static const size_t maps[] = { 0, 1, 2, 3, PAGES + 2, PAGES + 3 };
	static const long sizes[] = TOLD;
	static const uint16_t ns[18] = { 0 };
	const int file = dup(0);
	struct evict its;
	size_t i;

	close(file);
	for (i = 0; i < COUNT(maps); i++) {
		told = sizes;
		ns_of = ns;
		maps_left = maps[i];
		listen_to_stderr();
		open_made_up(&its, "pack:1 core:1 pu:1", SIZE_MAX, EXIT_RESOURCE);
		assert_said(i < 5 ? "no memory for 8192 mappings of a page" :
				    "no memory for 2097152 bytes that evict others");
		maps_left = SIZE_MAX;
		close_made_up(&its);
		assert_int_equal(dup(0), file);
		close(file);
	}
}

/* Leaves out a kind if its cache is unknown, or if it needs a huge page and none can be had. */
static void kinds_that_are_not_had(void **state)
{
	struct evict its = { .random = 1 };
	enum evict_kind kind;
	bool unknown;
	char text[200];

	mapped = 0;
	for (kind = 0; kind < EVICT_KINDS; kind++) {
		snprintf(text, sizeof(text),
			 cache_of[kind] ? "stampede: no cold events after %s: neither hwloc nor "
					  "the C library knows that cache's size\n" :
					  "%.0s",
			 evict_names[kind]);
		assert_says(text, unknown = evict_unknown(&its, kind));
		assert_int_equal(unknown, cache_of[kind] != 0);
		its.bytes[kind] = 1;
		assert_says("", unknown = evict_unknown(&its, kind));
		assert_false(unknown);
	}
	no_huge_page = EAGAIN;
	assert_says("stampede: no cold events with a ring on a huge page: Resource temporarily "
		    "unavailable\n",
		    unknown = evict_unknown(&its, EVICT_HUGE));
	no_huge_page = 0;
	assert_true(unknown);
	assert_int_equal(mapped, 0);
}

/* One aligned huge page wherever the kernel maps, and no memory around it; or none. */
static void huge_pages(void **state)
{
	const size_t huge = EVICT_HUGE_BYTES;
	uint8_t *room = mmap(NULL, 4 * huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *page;
	size_t i;

	munmap(room, 4 * huge);
	room += -(uintptr_t)room % huge;
	mapped = 0;
	for (i = 0; i < 2; i++) {
		hint = room + i * PAGE;
		page = evict_huge_page();
		assert_ptr_equal(page, room + i * huge);
		assert_ptr_equal(huge_at, page);
		assert_int_equal(mapped, huge);
		assert_false(page[0] | page[huge - 1]);
		munmap(page, huge);
		no_huge_page = EINVAL;
		assert_null(evict_huge_page());
		assert_int_equal(mapped, no_huge_page = 0);
	}
	hint = NULL;
	maps_left = 0;
	assert_null(evict_huge_page());
	maps_left = SIZE_MAX;
	assert_int_equal(mapped, 0);
}

TESTS(caches_by_the_c_library, caches_of_made_up_machines, no_memory, kinds_that_are_not_had,
      huge_pages)
