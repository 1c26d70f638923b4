/* SPDX-License-Identifier: MIT */
/*
 * A program that records, and one thread that writes the trace (docs/take.md has the rest, and the
 * consumer of TRACE_H, which is that thread):
 *
 *	#include "READER_H"		// where the trace is written; it includes this header
 *	#define WORK(F) F(u64, number) F(f64, load) F(string, path)
 *	EVENT(work, 1, WORK);
 *
 *	static struct tracer ring;		// one for each thread that records
 *	...
 *	struct event_type types[] = { work_type };
 *	struct options options = { types, 1, 0, false, NULL };
 *	struct clock_rate rate;
 *	struct packet packet;
 *	FILE *text = fopen("trace/metadata", "w"), *stream = fopen("trace/0", "w");
 *
 *	clock_measure(&rate, 50);
 *	if (metadata(text, &options, &rate) || fclose(text) ||
 *	    open(&ring, &options) || attach(&ring))
 *		return 1;
 *	work_write(&ring, 42, 0.5, "/etc/passwd");	// the ring's thread, and its handlers
 *	flush_open(&ring);
 *	while (read(&ring, &packet) == 1) {		// one other thread, every few ms
 *		fwrite(packet.bytes, packet.size, 1, stream);
 *		release(&ring, &packet);
 *	}
 *
 * SUBBUF_SHIFT (8 .. 18, 12 if not said) and COUNT_SHIFT (1 .. 16, 8), defined before this header,
 * are log2 of a sub-buffer's bytes and of the number of sub-buffers. CLOCK(), if it is defined
 * before this header, is the clock: 64 bits that never go back.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a call returns: 0, or why it did nothing. refused() counts all but OK, FULL, BUSY, OFF,
 * NO_RATE and NOT_WRITTEN, of calls that got an open tracer. Each is a negative errno.
 */
enum error {
	OK = 0,
	FULL = -ENOBUFS, /* the event is lost: no sub-buffer is free. lost() counts it */
	NOT_OPEN = -EBADF, /* the tracer is not open, or a copy of one */
	NO_POINTER = -EFAULT, /* NULL where a pointer has to be */
	BAD_ID = -ERANGE, /* 0 .. 599 are ids */
	UNDECLARED = -ENOENT, /* no type of this id was given to open() */
	BAD_SIZE = -EMSGSIZE, /* the payload is not as large as its type says */
	TOO_LARGE = -E2BIG, /* more than PAYLOAD_MOST, or VARIABLE_MOST if it varies */
	TWICE = -EEXIST, /* an id of two types or of the scheme, or a tracer that is open */
	BAD_NAME = -EILSEQ, /* a type's name has other characters than letters, digits and _ */
	MISALIGNED = -EINVAL, /* options.memory is at no multiple of 64 */
	NOT_ZERO = -ENOTEMPTY, /* options.memory was used before, and not cleared */
	NO_MEMORY = -ENOMEM,
	BUSY = -EBUSY, /* there is a reader */
	NO_READER = -EPERM, /* nobody has attached */
	NOT_HELD = -ESTALE, /* end() without a begin() of this tracer, release() without a read() */
	DAMAGED = -EBADMSG, /* a sub-buffer has other bytes than writers leave: release() it */
	NO_OVERWRITE = -ENOTSUP, /* rings that overwrite are read on x86-64 only */
	OFF = -ECANCELED, /* the event's type is switched off */
	NO_RATE = -EAGAIN, /* the clock's rate is not known: measure it again */
	NOT_WRITTEN = -EIO,
	MIXED = -EPROTO, /* files of the program define other SHIFTs, THREADS or PER_CPU */
#ifdef SCHEME_RESTARTS
	NO_RSEQ = -ENOSYS, /* of open(): Linux 4.18, and no GLIBC_TUNABLES=glibc.pthread.rseq=0 */
#endif
};

/* Of event_type.bytes: each event says how large it is. */
#define VARIABLE UINT32_MAX

/* An event of yours; EVENT() makes one. */
struct event_type {
	const char *name; /* letters, digits and _ */
	const char *fields; /* of the payload, in the language of the metadata */
	uint32_t id; /* 0 .. 599; the first few take the least space */
	uint32_t bytes; /* of the payload, 0 .. PAYLOAD_MOST; or VARIABLE */
};

struct options {
	const struct event_type *types; /* open() and metadata() read them, and keep no pointer */
	uint32_t type_count;
	uint32_t number; /* of the CPU or thread: packets have it as their cpu_id */
	bool overwrite; /* the oldest sub-buffer gives way; else the new event is lost */
	void *memory; /* zeroed, at a multiple of 64, open_bytes() of it; NULL: open() gets some */
};

/* STRUCTS reservation */

struct tracer; /* a ring, its writer and its reader: yours to place, not to look into */

/* ---- one thread, while no other call runs ---- */

/* OK, NO_POINTER, BAD_ID, TOO_LARGE, TWICE, BAD_NAME, MISALIGNED, NOT_ZERO or NO_MEMORY. */
static inline int open(struct tracer *t, const struct options *options);
/* Frees what open() got; open() may follow. OK, NO_POINTER or BUSY: it is one of here(). */
static inline int close(struct tracer *t);
/*
 * Bytes of memory that a ring takes. If processes share that memory and the tracer at the same
 * addresses (a mapping from before the fork), one process may write and another one read.
 */
static inline size_t open_bytes(const struct options *options);

/* ---- the ring's thread, and signal handlers that run on it: never waits, no system call ---- */

/*
 * Writes an event with `bytes` of payload, which its type has to have. OK, FULL, NO_POINTER,
 * NOT_OPEN, BAD_ID, UNDECLARED, BAD_SIZE or TOO_LARGE. write() says true for OK.
 */
static inline int try_write(struct tracer *t, uint32_t id, const void *payload, uint32_t bytes);
static inline bool write(struct tracer *t, uint32_t id, const void *payload, uint32_t bytes);
#ifdef SCHEME_RESTARTS
/* Not here: what came between the two could not start over. */
#define SECTION "a record of this row is one section: use try_write(), write() or an EVENT()"
int try_begin(struct tracer *t, ...) __attribute__((error(SECTION)));
bool begin(struct tracer *t, ...) __attribute__((error(SECTION)));
int end(struct tracer *t, ...) __attribute__((error(SECTION)));
#else
/*
 * The same without a copy: claims the record and writes its header. Fill rsv->payload, then call
 * end(); rsv->stamp is the event's time, in ticks. Before end() no reader gets this sub-buffer.
 */
static inline int try_begin(struct tracer *t, uint32_t id, uint32_t bytes, struct reservation *rsv);
static inline bool begin(struct tracer *t, uint32_t id, uint32_t bytes, struct reservation *rsv);
/* OK, NO_POINTER, NOT_OPEN or NOT_HELD. */
static inline int end(struct tracer *t, struct reservation *rsv);
#endif
/* Closes a half-full sub-buffer, so that the reader gets it. OK, NO_POINTER or NOT_OPEN. */
static inline int flush_open(struct tracer *t);

/* ---- any thread ---- */

/*
 * Events of type `id` are recorded from now on, or not. OK, NO_POINTER, NOT_OPEN, BAD_ID or
 * UNDECLARED.
 */
static inline int enable(struct tracer *t, uint32_t id, bool on);
/* Events lost because no sub-buffer was free. */
static inline uint64_t lost(const struct tracer *t);
/* Calls that were refused since open(). */
static inline uint64_t refused(const struct tracer *t);
#include "extras/take/fields.h"
