// SPDX-License-Identifier: MIT
/*
 * A tracer to preload: an event after each allocation (its address and size), one before each free,
 * and in programs built with -finstrument-functions one at each function's entry and exit.
 * HEADER and ROW: a ring of `make take` records, in 1 MiB for each thread, the newest events stay;
 * LTTNG: LTTng-UST does; neither: events are only counted, which is the price of interposing.
 *
 * At the end a line is appended to $STAMPEDE_FILE: events, events read, bytes of these, wrong ones.
 * With $STAMPEDE_CHECK each event carries its number and the clock before it was recorded, and the
 * header's own reader reads the rings back at the end: a time lies between its own clock and that
 * of the next event, and no event is missing before the newest. Without it nothing is read.
 *
 * Works before main() and inside of malloc: memory comes from mmap, and nothing here takes a lock.
 * A forked child records nothing until it becomes another program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "extras/programs/lttng_tp.h"
#endif
#ifdef ROW
#include HEADER
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define R(name) JOIN(ROW, name)
#endif

#define EXPORT __attribute__((visibility("default")))
/* Of this kind the first use in a thread needs no malloc. */
#define INITIAL __attribute__((tls_model("initial-exec")))
#define COLD __attribute__((noinline, cold))

enum { ALLOC = 1, FREE, ENTER, LEAVE };

struct stream {
	uint64_t counted;
	int inside; /* checked, or LTTng-UST, whose first event in a thread allocates */
	struct stream *next;
#ifdef ROW
	struct R(tracer) tracer;
#endif
};

struct sums {
	unsigned long long counted, read, bytes, wrong;
};

static __thread struct stream *mine INITIAL;
static __thread bool opening INITIAL;
static struct stream *all;
static bool off; /* in a forked child, and after the end */
static bool checked;

/* ---- a ring of a header ---- */

#ifdef ROW
static bool ring_open(struct stream *s)
{
	static const struct R(event_type) types[] = {
		{ "alloc", "u64 a; u64 b;", ALLOC, 16 },
		{ "free", "u64 a; u64 b;", FREE, 16 },
		{ "enter", "u64 a; u64 b;", ENTER, 16 },
		{ "leave", "u64 a; u64 b;", LEAVE, 16 },
	};
	static uint32_t number;
	struct R(options) options;

	memset(&options, 0, sizeof(options));
	options.types = types;
	options.type_count = 4;
	options.number = __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);
	options.overwrite = true;
	options.memory = mmap(NULL, R(open_bytes)(&options), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return options.memory != MAP_FAILED && !R(open)(&s->tracer, &options) &&
	       !R(attach)(&s->tracer);
}

/* The thread is over, or inside of nothing and kept out. */
static void ring_read(struct stream *s, struct sums *sums)
{
	uint64_t clock, number, last_time = 0, last_number = 0;
	struct R(packet) packet;
	struct R(event) one;
	bool first = true;
	int said;

	R(flush_open)(&s->tracer);
	while ((said = R(read)(&s->tracer, &packet)) != 0) {
		while (said > 0 && R(next)(&packet, &one)) {
			memcpy(&clock, one.payload, 8);
			memcpy(&number, one.payload + 8, 8);
			sums->wrong += one.time < clock || last_time > clock ||
				       (!first && number != last_number + 1);
			sums->read++;
			last_time = one.time;
			last_number = number;
			first = false;
		}
		sums->wrong += said < 0;
		sums->bytes += said > 0 ? packet.size : 0;
		R(release)(&s->tracer, &packet);
	}
	sums->wrong += last_time > R(clock_real)() || (s->counted && last_number != s->counted - 1);
}
#endif

/* ---- streams ---- */

static COLD struct stream *stream_open(void)
{
	struct stream *s;

	if (off || opening)
		return NULL;
	opening = true;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		abort(); /* a program that is traced in part has no price */
#ifdef ROW
	if (!ring_open(s))
		abort();
#endif
	checked = getenv("STAMPEDE_CHECK") != NULL;
	s->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &s->next, s, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	mine = s;
	opening = false;
	return s;
}

static inline void record(struct stream *s, uint32_t id, uint64_t a, uint64_t b)
{
#ifdef ROW
	const uint64_t payload[2] = { a, b };

	R(write)(&s->tracer, id, payload, sizeof(payload));
#elif defined(LTTNG)
	if (s->inside)
		return;
	s->inside = 1;
	lttng_ust_tracepoint(stampede_programs, call, id, a, b);
	s->inside = 0;
#else
	(void)id, (void)a, (void)b;
#endif
	s->counted++;
}

#ifdef ROW
/* Not those of a signal handler during another; nor after the end, which waits for those inside. */
static COLD void record_checked(struct stream *s, uint32_t id)
{
	int error = errno;

	if (s->inside)
		return;
	__atomic_store_n(&s->inside, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&off, __ATOMIC_SEQ_CST))
		record(s, id, R(clock_real)(), s->counted);
	__atomic_store_n(&s->inside, 0, __ATOMIC_RELEASE);
	errno = error;
}
#endif

static inline void event(uint32_t id, uint64_t a, uint64_t b)
{
	struct stream *s = mine;

	if (__builtin_expect(!s, 0)) {
		s = stream_open();
		if (!s)
			return;
	}
#ifdef ROW
	if (__builtin_expect(checked, 0)) {
		record_checked(s, id);
		return;
	}
#endif
	record(s, id, a, b);
}

static void in_child(void)
{
	off = true;
	mine = NULL;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

/* By system calls: a program may have closed all files, and no wrapper sees these. */
__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("STAMPEDE_FILE");
	struct sums sums = { 0 };
	struct stream *s;
	char text[128];
	int length, file;

	if (off || !path)
		return;
	opening = true;
	__atomic_store_n(&off, true, __ATOMIC_SEQ_CST);
	for (s = __atomic_load_n(&all, __ATOMIC_ACQUIRE); s; s = s->next) {
		while (checked && s != mine && __atomic_load_n(&s->inside, __ATOMIC_SEQ_CST))
			;
		sums.counted += s->counted;
#ifdef ROW
		if (checked)
			ring_read(s, &sums);
#endif
	}
	mine = NULL;
	length = snprintf(text, sizeof(text), "%llu %llu %llu %llu\n", sums.counted, sums.read,
			  sums.bytes, sums.wrong);
	file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (file < 0 || syscall(SYS_write, file, text, length) != length)
		_exit(3);
	syscall(SYS_close, file);
}

/* ---- what is interposed ---- */

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
static COLD bool resolve(void)
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

EXPORT void *malloc(size_t bytes)
{
	return resolved() ? allocated(real.alloc(bytes), bytes) : NULL;
}

EXPORT void *calloc(size_t count, size_t bytes)
{
	return resolved() ? allocated(real.zeroed(count, bytes), count * bytes) : NULL;
}

EXPORT void free(void *at)
{
	if (!at || !resolved())
		return;
	event(FREE, (uintptr_t)at, 0);
	real.free(at);
}

EXPORT void *realloc(void *at, size_t bytes)
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

EXPORT void *aligned_alloc(size_t to, size_t bytes)
{
	return resolved() ? allocated(real.aligned(to, bytes), bytes) : NULL;
}

EXPORT int posix_memalign(void **at, size_t to, size_t bytes)
{
	int error = resolved() ? real.posix(at, to, bytes) : ENOMEM;

	if (!error)
		allocated(*at, bytes);
	return error;
}

/* gcc knows them, and clang asks for prototypes. */
EXPORT void __cyg_profile_func_enter(void *function, void *caller);
EXPORT void __cyg_profile_func_exit(void *function, void *caller);

EXPORT void __cyg_profile_func_enter(void *function, void *caller)
{
	event(ENTER, (uintptr_t)function, (uintptr_t)caller);
}

EXPORT void __cyg_profile_func_exit(void *function, void *caller)
{
	event(LEAVE, (uintptr_t)function, (uintptr_t)caller);
}
