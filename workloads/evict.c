// SPDX-License-Identifier: MIT
#include "workloads/evict.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/time.h"

#define LINE_BYTES 64
#define PAGE_BYTES 4096
#define PAGES 8192 /* four times the second-level TLB of CPUs of today */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; glibc 2.37 */
#endif
/* Of them each is two branches in 32 bytes: 256 KiB of code. */
#define BRANCHES 8192

const char *const evict_names[EVICT_KINDS] = { "none",	 "l1",	   "l2",       "llc",
					       "tlb",	 "code",   "all",      "huge",
					       "polled", "shared", "neighbour" };

static void read_lines(const volatile uint8_t *data, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += LINE_BYTES)
		(void)data[at];
}

static void read_pages(const volatile uint8_t *pages)
{
	size_t i;

	/* Lines of one page, in turn: they stay in the L1, and only translations go. */
	for (i = 0; i < PAGES; i++)
		(void)pages[i * PAGE_BYTES + i % (PAGE_BYTES / LINE_BYTES) * LINE_BYTES];
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Each branch depends on a bit of a number that is never the same. */
static uint64_t run_code(uint64_t random)
{
#if defined(__x86_64__)
	__asm__ volatile(".rept " TEXT(BRANCHES) "\n\t"
						 "rol $1, %0\n\t"
						 "jnc 1f\n\t"
						 "lea 0x1b(%0), %0\n\t"
						 "1: nopl 0(%%rax)\n\t"
						 ".balign 32\n\t"
						 ".endr"
			 : "+r"(random)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile(".rept " TEXT(BRANCHES) "\n\t"
						 "ror %0, %0, #63\n\t"
						 "tbz %0, #0, 1f\n\t"
						 "add %0, %0, #0x1b\n\t"
						 "1: nop\n\t"
						 ".balign 32\n\t"
						 ".endr"
			 : "+r"(random)
			 :
			 : "cc");
#else
#error "evict.c runs no code for this CPU yet"
#endif
	return random;
}

/* A cache keeps what is used again: so is each line, once the cache before, of half of `piece`
 * bytes, has lost it. 0: nobody knows that one. */
static void read_twice(const uint8_t *data, size_t bytes, size_t piece)
{
	size_t at, now;

	for (at = 0; at < bytes; at += now) {
		now = piece && piece < bytes - at ? piece : bytes - at;
		read_lines(data + at, now);
		read_lines(data + at, now);
	}
}

void evict(struct evict *evict, enum evict_kind kind)
{
	bool everything = kind == EVICT_ALL || kind == EVICT_HUGE || kind == EVICT_NEIGHBOUR;

	if (kind == EVICT_L1)
		read_lines(evict->data, evict->bytes[EVICT_L1]);
	else
		read_twice(evict->data, evict->bytes[kind],
			   evict->bytes[kind == EVICT_L2 ? EVICT_L1 : EVICT_L2]);
	if (kind == EVICT_TLB || everything)
		read_pages(evict->pages);
	if (kind == EVICT_CODE || everything)
		evict->random = run_code(evict->random * 6364136223846793005u + 1);
}

/* The data cache of that level that this CPU uses; the last one if `level` is 0. 0: not known. */
static size_t cache_bytes(const struct place *place, unsigned int pu, unsigned int level)
{
	hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(place->topology, pu);
	size_t last = 0;

	for (; object; object = object->parent)
		if (hwloc_obj_type_is_dcache(object->type)) {
			if (object->attr->cache.depth == level)
				return object->attr->cache.size;
			last = object->attr->cache.size;
		}
	return level ? 0 : last;
}

/* What the C library knows of a cache that a guest hides from hwloc; 0: nothing. */
static size_t cache_told(int name)
{
	long bytes = sysconf(name);

	return bytes > 0 ? (size_t)bytes : 0;
}

static void *map_data(size_t bytes)
{
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return NULL;
	madvise(data, bytes, MADV_HUGEPAGE);
	memset(data, 0x5a, bytes);
	return data;
}

/* ns to read the lines of a page after `bytes` were read: the least of some tries, since other
 * work only adds. */
static uint64_t reread_ns(uint8_t *page, const uint8_t *data, size_t bytes, size_t piece)
{
	uint64_t least = UINT64_MAX, before, ns;
	size_t at, i;
	int tries;

	for (tries = 0; tries < 7; tries++) {
		for (i = 0; i < PAGE_BYTES; i += LINE_BYTES)
			page[i] = (uint8_t)((49 * i / LINE_BYTES + 29) % (PAGE_BYTES / LINE_BYTES));
		read_twice(data, bytes, piece);
		before = time_ns();
		/* Each line says which one is next: all of them, none beside the one before. */
		for (i = at = 0; i < PAGE_BYTES / LINE_BYTES; i++)
			at = *(volatile uint8_t *)(page + at * LINE_BYTES);
		ns = time_ns() - before;
		if (ns < least)
			least = ns;
	}
	return least;
}

size_t evict_measured(size_t least, size_t most)
{
	uint8_t *page = map_data(PAGE_BYTES), *data = map_data(most);
	uint64_t near, far, half, ns;
	size_t bytes = 0;

	if (page && data) {
		/* Both are more than any cache: what is above the lesser one is other work. */
		far = reread_ns(page, data, most, least);
		half = reread_ns(page, data, most / 2, least);
		far = half < far ? half : far;
		near = reread_ns(page, data, least, least);
		/* About as large as the cache where lines take the geometric mean of both. */
		for (bytes = least; bytes < most; bytes *= 2) {
			ns = reread_ns(page, data, bytes, least);
			if (ns * ns > near * far)
				break;
		}
		bytes = bytes > most / 2 ? most : 2 * bytes;
	}
	if (data)
		munmap(data, most);
	if (page)
		munmap(page, PAGE_BYTES);
	return bytes;
}

static int map_pages(struct evict *evict)
{
	int fd = memfd_create("stampede", MFD_CLOEXEC), failed;
	uint8_t *at;
	size_t i;

	evict->pages = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	failed = fd < 0 || ftruncate(fd, PAGE_BYTES) || evict->pages == MAP_FAILED;
	for (i = 0; i < PAGES && !failed; i++) {
		at = evict->pages + i * PAGE_BYTES;
		failed = mmap(at, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
			      0) == MAP_FAILED;
	}
	if (fd >= 0)
		close(fd);
	return failed ? -1 : 0;
}

size_t evict_most = SIZE_MAX;

int evict_open(struct evict *evict, const struct place *place, unsigned int pu)
{
	enum evict_kind kind;
	size_t last;

	*evict = (struct evict){ .random = 1 };
	evict->bytes[EVICT_L1] = 2 * cache_bytes(place, pu, 1);
	evict->bytes[EVICT_L2] = 2 * cache_bytes(place, pu, 2);
	evict->bytes[EVICT_LLC] = 2 * cache_bytes(place, pu, 0);
	if (!evict->bytes[EVICT_LLC]) {
		evict->bytes[EVICT_L1] = 2 * cache_told(_SC_LEVEL1_DCACHE_SIZE);
		evict->bytes[EVICT_L2] = 2 * cache_told(_SC_LEVEL2_CACHE_SIZE);
		/* All of a package's, of which a CPU may use a part. */
		last = 2 * cache_told(_SC_LEVEL3_CACHE_SIZE);
		if (evict->bytes[EVICT_L2] && last)
			evict->bytes[EVICT_LLC] = evict_measured(evict->bytes[EVICT_L2], last);
	}
	evict->bytes[EVICT_ALL] = evict->bytes[EVICT_HUGE] = evict->bytes[EVICT_NEIGHBOUR] =
		evict->bytes[EVICT_LLC];
	for (kind = 0; kind < EVICT_KINDS; kind++) {
		if (evict->bytes[kind] > evict_most)
			evict->bytes[kind] = evict_most;
		if (evict->bytes[kind] > evict->data_bytes)
			evict->data_bytes = evict->bytes[kind];
	}
	evict->data_bytes =
		(evict->data_bytes + EVICT_HUGE_BYTES - 1) / EVICT_HUGE_BYTES * EVICT_HUGE_BYTES;
	if (map_pages(evict))
		return fail_with(EXIT_RESOURCE, "no memory for %d mappings of a page", PAGES);
	if (!evict->data_bytes)
		return 0;
	evict->data = map_data(evict->data_bytes);
	if (!evict->data)
		return fail_with(EXIT_RESOURCE, "no memory for %zu bytes that evict others",
				 evict->data_bytes);
	return 0;
}

void evict_close(struct evict *evict)
{
	if (evict->data)
		munmap(evict->data, evict->data_bytes);
	if (evict->pages && evict->pages != MAP_FAILED)
		munmap(evict->pages, (size_t)PAGES * PAGE_BYTES);
}

void *evict_huge_page(void)
{
	uint8_t *all = mmap(NULL, 2 * EVICT_HUGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before = -(uintptr_t)all % EVICT_HUGE_BYTES;
	uint8_t *page;

	if (all == MAP_FAILED)
		return NULL;
	page = all + before;
	if (before)
		munmap(all, before);
	munmap(page + EVICT_HUGE_BYTES, EVICT_HUGE_BYTES - before);
	madvise(page, EVICT_HUGE_BYTES, MADV_HUGEPAGE);
	memset(page, 0, EVICT_HUGE_BYTES);
	/* Advice may be ignored; this says whether the page is huge now. */
	if (!madvise(page, EVICT_HUGE_BYTES, MADV_COLLAPSE))
		return page;
	munmap(page, EVICT_HUGE_BYTES);
	return NULL;
}

bool evict_unknown(const struct evict *evict, enum evict_kind kind)
{
	static const bool wants[EVICT_KINDS] = {
		[EVICT_L1] = true,  [EVICT_L2] = true,	 [EVICT_LLC] = true,
		[EVICT_ALL] = true, [EVICT_HUGE] = true, [EVICT_NEIGHBOUR] = true
	};

	void *page;

	if (kind == EVICT_HUGE) {
		page = evict_huge_page();
		if (!page) {
			fail_line("no cold events with a ring on a huge page: %s", strerror(errno));
			return true;
		}
		munmap(page, EVICT_HUGE_BYTES);
	}
	if (!wants[kind] || evict->bytes[kind])
		return false;
	fail_line("no cold events after %s: neither hwloc nor the C library knows that cache's "
		  "size",
		  evict_names[kind]);
	return true;
}
