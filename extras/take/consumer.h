/* SPDX-License-Identifier: MIT */
/*
 * Threads that record as they come, and a thread that writes their events into a folder:
 *
 *	#define WORK(F) F(u64, number) F(string, path)
 *	EVENT(work, 1, WORK);
 *	...
 *	struct event_type types[] = { work_type };
 *	struct trace_options options = { .folder = "trace", .types = types, .type_count = 1 };
 *
 *	if (trace_start(&options))		// the program's beginning
 *		return 1;
 *	work_write(here(), 42, "/etc/passwd");	// any thread, any signal handler
 *	trace_stop();				// its end; then: babeltrace2 trace
 *
 * The folder has a subfolder for each chunk, 000000 and so on; each is a trace of its own, and all
 * of them are one for babeltrace2. A chunk has a file for each ring, to which whole packets are
 * appended: what is in the files stays there if the program is killed. Of a ring that is quiet what
 * there is of a packet becomes one of its own, and the rest another one.
 *
 * All files of a program that include this header share one trace. It needs POSIX threads. THREADS
 * (256), defined before this header, is how many may record at a time. With PER_CPU defined as 1 in
 * all files of the program each CPU has a ring, and not each thread: a writer takes that of the CPU
 * that it is on, and may go on in it on another one.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__STRICT_ANSI__) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#error "this header needs POSIX: compile with -std=gnu11, or define _GNU_SOURCE"
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef PER_CPU
#define PER_CPU 0
#endif
#if PER_CPU
#if !defined(SCHEME_RESTARTS) && (!defined(LOCKED) || !defined(CLOCK_FENCED))
#error PER_CPU: take packed_word_locked_fenced or restartable; this row breaks when threads move
#elif !defined(__x86_64__)
#error PER_CPU: CPUs can share a ring on x86-64 only
#elif __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

struct trace_options {
	const char *folder; /* made if it is not there */
	const struct event_type *types; /* at most 599, of ids 0 .. 598 */
	uint32_t type_count;
	uint32_t chunk_seconds; /* so old a chunk is finished, and the next one begins; 0: never */
	uint64_t chunk_bytes; /* the same for one of so many bytes, over all rings; 0: never */
	uint32_t chunks; /* so many of this trace are kept, the newest; 0: all */
	uint32_t period_ms; /* between two looks at the rings; 0: 10 */
	bool overwrite; /* rings keep the newest events; no files but those of snapshots */
	mode_t mode; /* of files; a folder can be entered where its files can be read; 0: 0600 */
};

/*
 * Of this trace, since trace_start(). What was recorded is in one of events, lost, unwritten and
 * strays, but for the header's own events (trace_thread); what is switched off is in none. Of
 * events those in `removed` were written, and are not there any more.
 */
struct trace_counts {
	uint64_t events, packets, bytes, chunks; /* written */
	uint64_t removed; /* events in chunks that gave way to newer ones (options.chunks) */
	uint64_t lost; /* events, because a ring was full */
	uint64_t back; /* events written whose time is before their predecessor's: the clock went
			  back */
	/* Events that were read; the disk had no room for them, or their file was removed. */
	uint64_t unwritten;
	/*
	 * Calls of here() without a ring: THREADS is too small, or it was just being opened. And
	 * events whose writer trace_stop() of the trace before has overtaken.
	 */
	uint64_t strays;
	int error; /* errno of the last write that failed; EBUSY: a record had no end(); 0: none */
};

/* ---- one thread at a time ---- */

/*
 * Takes 50 ms to measure the clock. OK, NO_POINTER, TWICE, NO_RATE, NO_MEMORY, MIXED, NOT_WRITTEN
 * (errno says why), an error of a type, as open(), or NOT_ZERO: types are others than of the start
 * before.
 */
static inline int trace_start(const struct trace_options *options);
/*
 * Writes what is recorded; events after it are refused with OFF. Another trace may be started then,
 * in the same folder or not: it has nothing of this one, but the same types. OK or NOT_OPEN.
 */
static inline int trace_stop(void);

/* ---- any thread and signal handler, also in a fork ---- */

/*
 * The thread's own ring, which it gets when it first asks, and leaves when it ends; or the CPU's.
 * NULL, which all calls refuse, if no trace is started, no ring is free, or the thread's first
 * event finds no room in it.
 */
static inline struct tracer *here(void);
/* Events of type `id` are recorded from now on, or not, in all threads. OK, NOT_OPEN, BAD_ID. */
static inline int trace_enable(uint32_t id, bool on);
/*
 * Writes a trace of its own: the newest `bytes` of events, as whole packets, the same number from
 * each ring. Makes `folder`, and takes the place of the snapshot that is there. OK, NOT_OPEN, BUSY
 * (another snapshot is being written), NOT_WRITTEN.
 */
static inline int trace_snapshot(const char *folder, uint64_t bytes);
/*
 * SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT write such a snapshot; then the signal does what it
 * did before. `folder` is kept as a pointer. OK, NO_POINTER, NOT_OPEN.
 */
static inline int trace_on_crash(const char *folder, uint64_t bytes);
static inline void trace_count(struct trace_counts *counts);

/* ---- how it works ---- */

/* Of a ring's slot: FREE > TAKEN by a thread > LIVE, open > FREE, also before it is read. */
enum trace_state {
	TRACE_FREE,
	TRACE_TAKEN,
	TRACE_LIVE,
};

/* Of trace_get(): a packet to which events still come. */
#define TRACE_OPEN 2

/* At a ring: at the begin of a trace, where what is there is of the one before; and at its end. */
enum trace_looks {
	TRACE_PASS,
	TRACE_LOOK,
	TRACE_LAST,
};

/* A packet as far as it was written or passed over. */
struct trace_part {
	uint64_t number, events, own, back, end; /* end: stamp of its last event */
	uint32_t content; /* bytes */
};

struct trace_slot {
	struct tracer t;
	void *memory; /* once it was taken, for ever */
	int state;
	struct tracer **mine; /* trace_mine of its thread */
	struct trace_part began; /* what is of the trace before */
	uint64_t lost_before, lost_until; /* of this trace are those between */
	/* Of the consumer: */
	int file; /* in the chunk; 0: none */
	uint64_t at, in_file; /* bytes and events in it */
	struct trace_part cut; /* what is written */
	uint64_t told; /* losses that a packet's header tells */
};

struct trace_chunk {
	uint64_t number, events;
};

/* Functions that are called later, of the object that has the state. */
struct trace_calls {
	struct tracer *(*here)(void);
	int (*start)(const struct trace_options *options);
	void (*crashed)(int number);
};

struct tracing {
	uint64_t shape; /* of the files of the program, which have to have the same */
	const struct trace_calls *calls;
	uint64_t strays;
	int running;
	bool mixed; /* up to here it is the same in all shapes */
	struct trace_options options;
	struct event_type types[EVENT_SIZED];
	uint32_t sizes[2 * EVENT_SIZED];
	struct trace_slot slots[THREADS];
	bool off[EVENT_SIZED];
	int stopping;
	uint32_t session;
	int copying; /* the thread that writes a snapshot */
	bool prepared; /* once a process */
	pthread_key_t key;
	pthread_t thread;
	pthread_mutex_t lock; /* of the consumer while it looks: no fork then */
	char *text; /* of "metadata" */
	size_t text_bytes;
	uint32_t cpus; /* that have rings: the first slots */
#ifdef SCHEME_RESTARTS
	void *by_cpu[8192]; /* at most: the rings in which threads go on that moved */
#endif
	int folder, chunk; /* 0: none */
	uint64_t chunk_number, chunk_bytes, chunk_since;
	struct trace_chunk *kept; /* options.chunks of them, if there were as many */
	struct trace_counts counts; /* one thread at a time writes them */
	const char *crash_folder;
	uint64_t crash_bytes;
	struct sigaction before[5];
	/* One packet, of the consumer and of a snapshot. */
	uint8_t written[1 << SUBBUF_SHIFT], copied[1 << SUBBUF_SHIFT],
		filler[SUBBUF_SHIFT > 12 ? 1 << SUBBUF_SHIFT : 4096];
};

#ifdef __cplusplus
#define TRACE_LOCAL thread_local
#else
#define TRACE_LOCAL _Thread_local
#endif
/* One of each for a process, if all its objects export it: else there is trace_find(). */
#define TRACE_ONE __attribute__((weak, visibility("default")))
TRACE_ONE struct tracing trace_all;
/* Of that model because a handler may be the first to use it, and others get memory then. */
TRACE_ONE __attribute__((tls_model("initial-exec"))) TRACE_LOCAL struct tracer *trace_mine;
TRACE_ONE __attribute__((tls_model("initial-exec"))) TRACE_LOCAL bool trace_joining;
static struct tracing *trace_owner = &trace_all;

/* The slots that have a ring. */
#define TRACE_EACH(all, slot) \
	for ((slot) = (all)->slots; (slot) < (all)->slots + THREADS; (slot)++) \
		if (__atomic_load_n(&(slot)->memory, __ATOMIC_ACQUIRE))

static inline void trace_add(uint64_t *count, uint64_t more)
{
	__atomic_store_n(count, *count + more, __ATOMIC_RELAXED);
}

static inline void trace_failed(struct tracing *all, int error)
{
	__atomic_store_n(&all->counts.error, error, __ATOMIC_RELAXED);
}

#include "extras/take/objects.h"

/* A thread's first event of a trace, in its ring, which may have been another thread's. */
#define TRACE_THREAD_FIELDS(F) F(u32, tid) F(text, name, 16)
EVENT(trace_thread, 599, TRACE_THREAD_FIELDS);

#include "extras/take/per_cpu.h"

static inline int trace_enable(uint32_t id, bool on)
{
	struct tracing *all = trace_owner;

	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	if (id >= EVENT_SIZED)
		return BAD_ID;
	__atomic_store_n(&all->off[id], !on, __ATOMIC_SEQ_CST);
	trace_switch_all(all);
	return OK;
}

#include "extras/take/chunks.h"

#include "extras/take/drain.h"

/* ---- start and stop ---- */

static inline int trace_text(struct tracing *all)
{
	struct options options = { all->types, all->options.type_count, 0, false, NULL };
	struct clock_rate rate;
	FILE *text;
	int error = NO_RATE, tries;

	free(all->text);
	all->text = NULL;
	text = open_memstream(&all->text, &all->text_bytes);
	if (!text)
		return NO_MEMORY;
	for (tries = 0; error == NO_RATE && tries < 5; tries++) {
		clock_measure(&rate, 50);
		error = metadata(text, &options, &rate);
	}
	return fclose(text) ? NO_MEMORY : error;
}

/* Its folder, and the thread that writes, into which no handler of the program comes. */
static inline int trace_write_into(struct tracing *all, const char *folder)
{
	sigset_t every, before;
	int error;

	all->folder = trace_root(all, folder);
	if (all->folder < 0)
		return NOT_WRITTEN;
	all->chunk_number = trace_first_number(folder);
	if (!trace_chunk_begin(all))
		return NOT_WRITTEN;
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	error = pthread_create(&all->thread, NULL, trace_consume, all) ? NO_MEMORY : OK;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static inline int trace_begin(struct tracing *all)
{
	const char *folder = all->options.overwrite ? NULL : all->options.folder;
	const bool made = folder && !mkdir(folder, trace_mode(all, true));
	struct trace_slot *slot;
	int error = OK, why;
	char name[24];

	all->folder = 0;
#if PER_CPU
	error = trace_open_cpus(all);
#endif
	TRACE_EACH(all, slot)
		trace_pass(all, slot);
	if (!error && folder)
		error = trace_write_into(all, folder);
	if (!error) {
		__atomic_add_fetch(&all->session, 1, __ATOMIC_SEQ_CST);
		trace_call_again(all);
		__atomic_store_n(&all->running, 1, __ATOMIC_SEQ_CST);
		trace_switch_all(all);
		return OK;
	}
	why = errno;
	trace_chunk_end(all); /* nothing is left of it */
	if (all->counts.chunks)
		trace_remove(all, all->folder, trace_name(name, all->chunk_number - 1, 6));
	if (made)
		rmdir(folder);
	errno = why;
	return error;
}

/* Rings of threads that are there keep the types with which they were opened. */
static inline int trace_types(struct tracing *all, const struct trace_options *options)
{
	uint32_t sizes[2 * EVENT_SIZED] = { 0 }, i;
	struct options types = { options->types, options->type_count, 0, false, NULL };
	struct trace_slot *slot;
	int error = options->type_count < EVENT_SIZED ? check_types(&types, sizes) : BAD_ID;

	if (!error && (sizes[trace_thread_type.id] || sizes[EVENT_SIZED + trace_thread_type.id]))
		error = TWICE;
	TRACE_EACH(all, slot)
		if (!error && (memcmp(sizes, all->sizes, sizeof(sizes)) ||
			       all->options.overwrite != options->overwrite))
			error = NOT_ZERO;
	if (error)
		return error;
	memcpy(all->sizes, sizes, sizeof(sizes));
	for (i = 0; i < options->type_count; i++)
		all->types[i] = options->types[i];
	all->types[i] = trace_thread_type;
	all->options = *options;
	all->options.type_count++;
	return OK;
}

static inline int trace_start_called(const struct trace_options *options)
{
	struct tracing *all = trace_owner;
	int error;

	if (!options || (!options->folder && !options->overwrite) ||
	    (!options->types && options->type_count))
		return NO_POINTER;
	if (all->running)
		return TWICE;
	if (all->mixed)
		return MIXED;
#ifdef SCHEME_RESTARTS
	if (restart_cpu() < 0)
		return NO_RSEQ;
#endif
	error = trace_types(all, options);
	if (!error)
		error = trace_text(all);
	if (error)
		return error;
	if (!all->prepared) {
		if (pthread_atfork(trace_before_fork, trace_after_fork, trace_in_child))
			return NO_MEMORY;
		all->prepared = true;
	}
	while (__atomic_load_n(&all->copying, __ATOMIC_ACQUIRE))
		usleep(1000); /* a snapshot of the trace before */
	memset(&all->counts, 0, sizeof(all->counts));
	memset(all->off, 0, sizeof(all->off));
	all->stopping = 0;
	all->strays = 0;
	error = trace_begin(all);
	if (error)
		trace_stop();
	return error;
}

static inline int trace_start(const struct trace_options *options)
{
	return trace_owner->calls ? trace_owner->calls->start(options) :
				    trace_start_called(options);
}

static inline int trace_stop(void)
{
	struct tracing *all = trace_owner;
	int was = __atomic_exchange_n(&all->running, 0, __ATOMIC_SEQ_CST);
	struct trace_slot *slot;

	if (was) {
		trace_switch_all(all);
		__atomic_store_n(&all->stopping, 1, __ATOMIC_RELEASE);
		if (!all->options.overwrite)
			pthread_join(all->thread, NULL);
		TRACE_EACH(all, slot)
			__atomic_store_n(&slot->lost_until, lost(&slot->t), __ATOMIC_RELAXED);
	}
	if (all->folder > 0)
		(close)(all->folder);
	all->folder = 0;
	return was ? OK : NOT_OPEN;
}

static inline void trace_count(struct trace_counts *counts)
{
	const struct tracing *all = trace_owner;
	const struct trace_slot *slot;
	const uint64_t *from = &all->counts.events;
	uint64_t *to = &counts->events, until, now;
	uint32_t i;

	for (i = 0; i < offsetof(struct trace_counts, error) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	counts->error = __atomic_load_n(&all->counts.error, __ATOMIC_RELAXED);
	counts->strays = __atomic_load_n(&all->strays, __ATOMIC_RELAXED);
	TRACE_EACH(all, slot) {
		until = __atomic_load_n(&slot->lost_until, __ATOMIC_RELAXED);
		now = lost(&slot->t);
		counts->lost += (now < until ? now : until) - slot->lost_before;
	}
}

#include "extras/take/snapshot.h"

#ifdef __cplusplus
} /* extern "C" */

/* A trace while it lives: trace_session session(options); session.error is that of trace_start().
 */
class trace_session
{
      public:
	const int error;
	explicit trace_session(const struct trace_options &options) : error(trace_start(&options))
	{
	}
	~trace_session()
	{
		if (!error)
			trace_stop();
	}
	trace_session(const trace_session &) = delete;
	trace_session &operator=(const trace_session &) = delete;
};

/* Calls it when the scope ends: auto leave = trace_scope([&] { work_end_write(here(), n); }); */
template <typename Leave> class trace_scope
{
	const Leave leave;

      public:
	explicit trace_scope(Leave end_of_scope) : leave(end_of_scope)
	{
	}
	~trace_scope()
	{
		leave();
	}
	trace_scope(const trace_scope &) = delete;
	trace_scope &operator=(const trace_scope &) = delete;
};

extern "C" {
#endif
