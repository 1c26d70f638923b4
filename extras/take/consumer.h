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
 * appended: what is in the files stays there if the program is killed. A packet of a ring that is
 * quiet is written before it is full, and again when it is.
 *
 * All files of a program that include this header share one trace. It needs POSIX threads. THREADS
 * (256), defined before this header, is how many may record at a time. With PER_CPU defined as 1 in
 * all files of the program each CPU has a ring, and not each thread: a writer takes that of the CPU
 * that it is on, and may go on in it on another one.
 */
#ifndef STAMPEDE_EXTRAS_TAKE_CONSUMER_H
#define STAMPEDE_EXTRAS_TAKE_CONSUMER_H

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
	uint32_t chunks; /* so many are kept, the newest; 0: all */
	uint32_t period_ms; /* between two looks at the rings; 0: 10 */
	bool overwrite; /* rings keep the newest events; no files but those of snapshots */
};

struct trace_counts {
	uint64_t events, packets, bytes, chunks; /* written */
	uint64_t lost; /* events, because a ring was full */
	uint64_t back; /* events written whose time is before their predecessor's: the clock went
			  back */
	uint64_t unwritten; /* events that were read; there was no room for them on the disk */
	/* Calls of here() without a ring: THREADS is too small, or it was just being opened. */
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
/* Writes what is recorded; events after it are refused with OFF. OK or NOT_OPEN. */
static inline int trace_stop(void);

/* ---- any thread and signal handler ---- */

/*
 * The thread's own ring, which it gets when it first asks, and leaves when it ends; or the CPU's.
 * NULL, which all calls refuse, if no trace is started or no ring is free.
 */
static inline struct tracer *here(void);
/* Events of type `id` are recorded from now on, or not, in all threads. OK, NOT_OPEN, BAD_ID. */
static inline int trace_enable(uint32_t id, bool on);
/*
 * Writes a trace of its own: the newest `bytes` of events, as whole packets, the same number from
 * each ring. Makes `folder`. OK, NOT_OPEN, BUSY (another snapshot is being written), NOT_WRITTEN.
 */
static inline int trace_snapshot(const char *folder, uint64_t bytes);
/*
 * SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT write such a snapshot; then the signal does what it
 * did before. `folder` is kept as a pointer. OK, NO_POINTER, NOT_OPEN.
 */
static inline int trace_on_crash(const char *folder, uint64_t bytes);
static inline void trace_count(struct trace_counts *counts);

/* ---- how it works ---- */

/* Of a ring's slot: FREE > TAKEN by a thread > LIVE, open > LEFT by it > FREE, read to its end. */
enum trace_state {
	TRACE_FREE,
	TRACE_TAKEN,
	TRACE_LIVE,
	TRACE_LEFT,
};

struct trace_slot {
	struct tracer t;
	void *memory; /* once it was taken, for ever */
	int state;
	/* Of the consumer: */
	int file; /* in the chunk; 0: none */
	uint64_t at; /* bytes of whole packets in it */
	uint64_t early; /* events of the packet that was written there before it was full */
};

struct tracing {
	uint64_t shape; /* of the files of the program, which have to have the same */
	bool mixed;
	struct trace_options options;
	struct event_type types[EVENT_SIZED];
	uint32_t sizes[2 * EVENT_SIZED];
	struct trace_slot slots[THREADS];
	bool off[EVENT_SIZED];
	int running, stopping, copying;
	int crashing; /* the thread that writes the snapshot of a crash */
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
	uint64_t chunk_first, chunk_number, chunk_bytes, chunk_since;
	struct trace_counts counts; /* under the lock, but for: */
	uint64_t strays;
	const char *crash_folder;
	uint64_t crash_bytes;
	struct sigaction before[5];
	/* One packet, of the consumer and of a snapshot. */
	uint8_t early[1 << SUBBUF_SHIFT], copied[1 << SUBBUF_SHIFT];
};

#ifdef __cplusplus
#define TRACE_LOCAL thread_local
#else
#define TRACE_LOCAL _Thread_local
#endif
__attribute__((weak)) struct tracing trace_all;
__attribute__((weak)) TRACE_LOCAL struct tracer *trace_mine;
__attribute__((weak)) TRACE_LOCAL bool trace_joining;

static inline __attribute__((constructor)) void trace_shape(void)
{
	const uint64_t shape =
		((uint64_t)(THREADS) << 16 | COUNT_SHIFT << 8 | SUBBUF_SHIFT) * 2 + PER_CPU;

	trace_all.mixed |= trace_all.shape && trace_all.shape != shape;
	trace_all.shape = shape;
}

/* Recorded by each thread when it gets its ring, which may have been another thread's. */
#define TRACE_THREAD_FIELDS(F) F(u32, tid) F(text, name, 16)
EVENT(trace_thread, 599, TRACE_THREAD_FIELDS);

/* ---- threads come and go ---- */

static inline void trace_leave(void *arg)
{
	struct trace_slot *slot = (struct trace_slot *)arg;

	trace_mine = NULL;
	flush_open(&slot->t);
	__atomic_store_n(&slot->state, TRACE_LEFT, __ATOMIC_RELEASE);
}

static inline int trace_ring_open(struct tracing *all, struct trace_slot *slot)
{
	struct options options = { all->types, all->options.type_count, 0, all->options.overwrite,
				   NULL };
	void *memory;
	int error;

	options.number = (uint32_t)(slot - all->slots);
	memory = mmap(NULL, open_bytes(&options), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NO_MEMORY;
	options.memory = memory;
	error = open(&slot->t, &options);
	if (!error && !options.overwrite)
		error = attach(&slot->t);
	if (!error)
		slot->t.memory = &slot->t; /* for close(): no business of the program's */
	__atomic_store_n(&slot->memory, error ? NULL : memory, __ATOMIC_RELEASE);
	return error;
}

/* The types that are on, in an open ring. What it asks is stored before others look for rings. */
static inline void trace_switch(struct tracing *all, struct trace_slot *slot)
{
	bool on = __atomic_load_n(&all->running, __ATOMIC_SEQ_CST);
	uint32_t i, id;

	for (i = 0; i < all->options.type_count; i++) {
		id = all->types[i].id;
		enable(&slot->t, id, on && !__atomic_load_n(&all->off[id], __ATOMIC_SEQ_CST));
	}
}

static inline void trace_switch_all(struct tracing *all)
{
	int i;

	for (i = 0; i < THREADS; i++)
		if (__atomic_load_n(&all->slots[i].state, __ATOMIC_SEQ_CST) != TRACE_TAKEN &&
		    __atomic_load_n(&all->slots[i].memory, __ATOMIC_ACQUIRE))
			trace_switch(all, &all->slots[i]);
}

/* System calls only, and none that waits: a handler may be the first that records in its thread. */
static inline struct tracer *trace_take(struct tracing *all)
{
	struct trace_slot *slot;
	char name[16] = "";
	int i, state;

	for (i = 0; i < THREADS; i++) {
		slot = &all->slots[i];
		state = TRACE_FREE;
		if (!__atomic_compare_exchange_n(&slot->state, &state, TRACE_TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (!slot->memory && trace_ring_open(all, slot)) {
			__atomic_store_n(&slot->state, TRACE_FREE, __ATOMIC_RELEASE);
			return NULL;
		}
		__atomic_store_n(&slot->state, TRACE_LIVE, __ATOMIC_SEQ_CST);
		trace_switch(all, slot);
		pthread_setspecific(all->key, slot);
		prctl(PR_GET_NAME, name);
		trace_thread_write(&slot->t, (uint32_t)syscall(SYS_gettid), name);
		return &slot->t;
	}
	return NULL;
}

static __attribute__((noinline, cold, unused)) struct tracer *trace_join(void)
{
	struct tracing *all = &trace_all;

	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NULL;
	if (!trace_joining) { /* else a handler came into this function */
		trace_joining = true;
		trace_mine = trace_take(all);
		trace_joining = false;
	}
	if (!trace_mine)
		__atomic_fetch_add(&all->strays, 1, __ATOMIC_RELAXED);
	return trace_mine;
}

#include "extras/take/per_cpu.h"

static inline int trace_enable(uint32_t id, bool on)
{
	struct tracing *all = &trace_all;

	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	if (id >= EVENT_SIZED)
		return BAD_ID;
	__atomic_store_n(&all->off[id], !on, __ATOMIC_SEQ_CST);
	trace_switch_all(all);
	return OK;
}

#include "extras/take/chunks.h"

/* ---- the consumer ---- */

/* What is complete; and of a ring where that was nothing what is recorded so far. */
static inline void trace_drain(struct tracing *all, struct trace_slot *slot, bool last)
{
	int state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE), got, tries;
	struct packet packet;
	bool quiet = true;

	if (state != TRACE_LIVE && state != TRACE_LEFT)
		return;
	for (; (got = read(&slot->t, &packet)) == 1 || got == DAMAGED; quiet = false) {
		if (!trace_append(all, slot, &packet, false))
			all->counts.unwritten += packet.events;
		release(&slot->t, &packet);
	}
	if (state == TRACE_LEFT) {
		__atomic_store_n(&slot->state, TRACE_FREE, __ATOMIC_RELEASE);
		return;
	}
	if (!last && !quiet)
		return;
	for (tries = 0; (got = copy(&slot->t, packets(&slot->t) - 1, all->early, &packet)) != 1;
	     tries++) {
		if (last && tries == 100 && packets(&slot->t))
			all->counts.error = EBUSY;
		if (!last || tries == 100)
			return;
		usleep(1000); /* its thread is just recording */
	}
	if (packet.number < slot->t.scheme.ring.consumed)
		return; /* it is written as a whole */
	/* The last one comes no more: it stays if the chunk ends behind it. */
	if ((last || packet.events != slot->early) && !trace_append(all, slot, &packet, !last) &&
	    last)
		all->counts.unwritten += packet.events;
}

static inline void trace_look(struct tracing *all, bool last)
{
	const uint64_t oldest = (uint64_t)all->options.chunk_seconds * 1000000000u;
	int i;

	pthread_mutex_lock(&all->lock);
	if (all->chunk && oldest && !last && clock_steady() - all->chunk_since >= oldest)
		trace_chunk_end(all, false);
	for (i = 0; i < THREADS; i++)
		trace_drain(all, &all->slots[i], last);
	pthread_mutex_unlock(&all->lock);
}

static inline void *trace_consume(void *arg)
{
	struct tracing *all = (struct tracing *)arg;
	const uint32_t ms = all->options.period_ms ? all->options.period_ms : 10;
	const struct timespec period = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (!__atomic_load_n(&all->stopping, __ATOMIC_ACQUIRE)) {
		trace_look(all, false);
		nanosleep(&period, NULL);
	}
	trace_look(all, true);
	trace_chunk_end(all, true);
	return NULL;
}

/* ---- a process forks: the child has no trace until it starts one ---- */

static inline void trace_before_fork(void)
{
	pthread_mutex_lock(&trace_all.lock);
}

static inline void trace_after_fork(void)
{
	pthread_mutex_unlock(&trace_all.lock);
}

static inline void trace_in_child(void)
{
	struct tracing *all = &trace_all;
	struct options options = { NULL, 0, 0, all->options.overwrite, NULL };
	int i;

	trace_mine = NULL;
	pthread_setspecific(all->key, NULL);
	for (i = 0; i < THREADS; i++) {
		if (all->slots[i].file > 0)
			(close)(all->slots[i].file);
		if (all->slots[i].memory)
			munmap(all->slots[i].memory, open_bytes(&options));
		memset(&all->slots[i], 0, sizeof(all->slots[i]));
	}
	if (all->chunk > 0)
		(close)(all->chunk);
	if (all->folder > 0)
		(close)(all->folder);
	all->folder = all->chunk = all->running = all->stopping = all->copying = all->crashing = 0;
	all->cpus = 0;
	pthread_mutex_unlock(&all->lock);
}

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

static inline int trace_begin(struct tracing *all)
{
	sigset_t every, before;
	int error = OK;

	all->folder = 0;
#if PER_CPU
	error = trace_open_cpus(all);
	if (error)
		return error;
#endif
	if (!all->options.overwrite) {
		if (mkdir(all->options.folder, 0777) && errno != EEXIST)
			return NOT_WRITTEN;
		all->folder = trace_file(AT_FDCWD, all->options.folder, O_RDONLY | O_DIRECTORY);
		if (all->folder < 0)
			return NOT_WRITTEN;
		if (!trace_chunk_begin(all))
			return NOT_WRITTEN;
	}
	__atomic_store_n(&all->running, 1, __ATOMIC_SEQ_CST);
	trace_switch_all(all);
	if (all->options.overwrite)
		return OK;
	sigfillset(&every); /* no handler of the program comes into the consumer */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	error = pthread_create(&all->thread, NULL, trace_consume, all) ? NO_MEMORY : OK;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		all->running = 0; /* nothing to join */
	return error;
}

/* Rings of threads that are there keep the types with which they were opened. */
static inline int trace_types(struct tracing *all, const struct trace_options *options)
{
	uint32_t sizes[2 * EVENT_SIZED] = { 0 }, i;
	struct options types = { options->types, options->type_count, 0, false, NULL };
	int error = options->type_count < EVENT_SIZED ? check_types(&types, sizes) : BAD_ID;

	if (!error && (sizes[trace_thread_type.id] || sizes[EVENT_SIZED + trace_thread_type.id]))
		error = TWICE;
	for (i = 0; i < THREADS && !error; i++)
		if (all->slots[i].memory && (memcmp(sizes, all->sizes, sizeof(sizes)) ||
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

static inline int trace_start(const struct trace_options *options)
{
	struct tracing *all = &trace_all;
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
		if (pthread_key_create(&all->key, trace_leave) ||
		    pthread_atfork(trace_before_fork, trace_after_fork, trace_in_child))
			return NO_MEMORY;
		all->prepared = true;
	}
	memset(&all->counts, 0, sizeof(all->counts));
	all->stopping = 0;
	all->strays = all->chunk_number = 0;
	error = trace_begin(all);
	if (error)
		trace_stop();
	return error;
}

static inline int trace_stop(void)
{
	struct tracing *all = &trace_all;
	int was = __atomic_exchange_n(&all->running, 0, __ATOMIC_SEQ_CST);

	if (was) {
		trace_switch_all(all);
		__atomic_store_n(&all->stopping, 1, __ATOMIC_RELEASE);
		if (!all->options.overwrite)
			pthread_join(all->thread, NULL);
	}
	if (all->folder > 0)
		(close)(all->folder);
	all->folder = 0;
	return was ? OK : NOT_OPEN;
}

static inline void trace_count(struct trace_counts *counts)
{
	struct tracing *all = &trace_all;
	int i;

	pthread_mutex_lock(&all->lock);
	*counts = all->counts;
	pthread_mutex_unlock(&all->lock);
	counts->strays = __atomic_load_n(&all->strays, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		if (__atomic_load_n(&all->slots[i].memory, __ATOMIC_ACQUIRE))
			counts->lost += lost(&all->slots[i].t);
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

#endif
