/* SPDX-License-Identifier: MIT */
/*
 * What each preloaded tracer is made of: a stream for each thread, event(), and what is written
 * when the program ends. HEADER and ROW: a ring of `make take` records; LTTNG: LTTng-UST does;
 * neither: events are only counted, which is the price of interposing. JUDGED: the clock before
 * and after each event is logged. STAMPEDE_FOLDER and STAMPEDE_MODE come from the environment.
 *
 * Works before main() and inside of malloc: memory comes from mmap, and nothing here takes a lock.
 * A forked child records nothing.
 */
#ifndef STAMPEDE_EXTRAS_PROGRAMS_PRELOAD_H
#define STAMPEDE_EXTRAS_PROGRAMS_PRELOAD_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What happens to a full ring, and what is done at the end. */
enum preload_mode {
	MODE_COUNT = 'c', /* the oldest events give way; only counts are written */
	MODE_OVERWRITE = 'o', /* the same, and the newest events are written at the end */
	MODE_DISCARD = 'd', /* the newest events are lost, the others are written at the end */
	MODE_WRITE = 'w', /* sub-buffers are written as they become full (JUDGED) */
};

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "extras/programs/lttng_tp.h"
#endif

/* Of this kind the first use in a thread needs no malloc. */
#define PRELOAD_INITIAL __attribute__((tls_model("initial-exec")))
#define PRELOAD_EXPORT __attribute__((visibility("default")))

static char preload_prefix[512]; /* of this process's files; empty: there are none */
static char preload_mode = MODE_COUNT;
static bool preload_ready;
static bool preload_off; /* in a forked child, and after the end */

/* Opened for each write: a program may close all files. No wrapper of ours sees these calls. */
static inline void preload_append(const char *path, const void *bytes, size_t size)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, error = errno;
	int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0644);

	if (file < 0 || syscall(SYS_write, file, bytes, size) != (long)size)
		preload_prefix[0] = '\0'; /* without counts the run is not taken for one */
	if (file >= 0)
		syscall(SYS_close, file);
	errno = error;
}

#ifdef ROW
#include "extras/programs/ring.h"
#define RECORDER struct ring_recorder
#else
struct no_recorder {
	bool inside; /* the first event of a thread makes LTTng-UST itself allocate */
};
#define RECORDER struct no_recorder
#define recorder_open(recorder, number) true
#define recorder_end(recorder, number, text, most) snprintf(text, most, "0 0 0")
#define recorder_metadata()

/* False: nothing wants the event. */
static inline bool recorder_event(struct no_recorder *r, uint32_t id, uint64_t a, uint64_t b)
{
#ifdef LTTNG
	if (r->inside || !lttng_ust_tracepoint_enabled(stampede_programs, call))
		return false;
	r->inside = true;
	lttng_ust_do_tracepoint(stampede_programs, call, id, a, b);
	r->inside = false;
#else
	(void)r, (void)id, (void)a, (void)b;
#endif
	return true;
}
#endif

struct preload_stream {
	uint64_t counted;
	uint64_t left_out; /* JUDGED: calls of a signal handler during a call */
	int inside; /* JUDGED */
	uint32_t number;
	struct preload_stream *next;
	RECORDER recorder;
};

static __thread struct preload_stream *preload_mine PRELOAD_INITIAL;
static __thread bool preload_busy PRELOAD_INITIAL;
static struct preload_stream *preload_all;
static uint32_t preload_count;
static uint64_t preload_unopened; /* events without a stream, because there is no memory */

/* The first event may come before the constructor. */
static void preload_setup(void)
{
	const char *folder = getenv("STAMPEDE_FOLDER"), *mode = getenv("STAMPEDE_MODE");
	struct timespec now;
	char path[600];

	if (preload_ready)
		return;
	preload_ready = true;
	preload_mode = mode ? *mode : MODE_COUNT;
	if (!folder)
		return;
	/* A process that becomes another program keeps its number. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(preload_prefix, sizeof(preload_prefix), "%s/%d-%lld", folder, (int)getpid(),
		 (long long)now.tv_sec * 1000000000 + now.tv_nsec);
	if (preload_mode == MODE_COUNT)
		return;
	snprintf(path, sizeof(path), "%s.trace", preload_prefix);
	mkdir(path, 0755);
}

static __attribute__((noinline, cold)) struct preload_stream *preload_open(void)
{
	struct preload_stream *s;

	if (preload_off || preload_busy)
		return NULL;
	preload_busy = true;
	preload_setup();
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		s = NULL;
	if (s) {
		s->number = __atomic_fetch_add(&preload_count, 1, __ATOMIC_RELAXED);
		if (!recorder_open(&s->recorder, s->number))
			s = NULL;
	}
	if (s) {
		s->next = __atomic_load_n(&preload_all, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&preload_all, &s->next, s, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		preload_mine = s;
	} else {
		__atomic_fetch_add(&preload_unopened, 1, __ATOMIC_RELAXED);
	}
	preload_busy = false;
	return s;
}

static inline void event(uint32_t id, uint64_t a, uint64_t b)
{
	struct preload_stream *s = preload_mine;

	if (__builtin_expect(!s, 0)) {
		s = preload_open();
		if (!s)
			return;
	}
#ifdef JUDGED
	if (s->inside) {
		s->left_out++;
		return;
	}
	__atomic_store_n(&s->inside, 1, __ATOMIC_SEQ_CST);
	/* The end waits for those inside, then nobody comes in. */
	if (!__atomic_load_n(&preload_off, __ATOMIC_SEQ_CST)) {
		recorder_judged(&s->recorder, s->number, s->counted, id, a, b);
		s->counted++;
	}
	__atomic_store_n(&s->inside, 0, __ATOMIC_RELEASE);
#else
	s->counted += recorder_event(&s->recorder, id, a, b);
#endif
}

static void preload_child(void)
{
	preload_off = true;
	preload_prefix[0] = '\0';
	preload_mine = NULL;
}

__attribute__((constructor)) static void preload_begin(void)
{
	preload_setup();
	pthread_atfork(NULL, NULL, preload_child);
}

/* A line for each stream: number, counted, left out, lost, bytes and events of what was read. */
__attribute__((destructor)) static void preload_end(void)
{
	struct preload_stream *s;
	char path[600], text[200];
	int length, spins;

	if (!preload_prefix[0])
		return;
	preload_busy = true;
	__atomic_store_n(&preload_off, true, __ATOMIC_SEQ_CST);
	snprintf(path, sizeof(path), "%s.counts", preload_prefix);
	for (s = __atomic_load_n(&preload_all, __ATOMIC_ACQUIRE); s; s = s->next) {
		for (spins = 0; spins < 1000000000; spins++)
			if (!__atomic_load_n(&s->inside, __ATOMIC_SEQ_CST))
				break;
		length = snprintf(text, sizeof(text), "%u %llu %llu ", s->number,
				  (unsigned long long)s->counted, (unsigned long long)s->left_out);
		recorder_end(&s->recorder, s->number, text + length, sizeof(text) - (size_t)length);
		strcat(text, "\n");
		preload_append(path, text, strlen(text));
	}
	recorder_metadata();
	/* Last, so that a run that did not come this far can be told. */
	snprintf(text, sizeof(text), "end %llu\n", (unsigned long long)preload_unopened);
	if (preload_prefix[0])
		preload_append(path, text, strlen(text));
	preload_mine = NULL;
}

#endif
