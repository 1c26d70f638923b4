/* SPDX-License-Identifier: MIT */
/*
 * A tracer's trace of calls.h's calls, judged: each call is there once or was discarded, as the
 * tracer says; its time lies between the call's entry and exit; the calls of a context are in
 * their order, and no record of a call that was over stands behind one of a call that began later.
 */
#ifndef STAMPEDE_EXTRAS_KERNEL_PROGRAM_TRACED_H
#define STAMPEDE_EXTRAS_KERNEL_PROGRAM_TRACED_H

#include "extras/kernel/run.h"

/* Of one CPU in one epoch. */
struct traced_part {
	const struct kernel_image *image;
	const struct kernel_calls *calls;
	struct kernel_call *call; /* those that were seen get KERNEL_CALL_FREE in their tag */
	uint64_t count;
	uint32_t next[CONTEXTS]; /* least sequence of a context that may come */
};

struct traced {
	struct traced_part *part; /* to be freed */
	unsigned int parts;
	unsigned int last; /* part that a record was found in */
	uint64_t before; /* time of the record before, in this stream */
	uint64_t latest; /* entry of all records so far, in this stream */

	/* made, by the table */
	uint64_t calls;
	uint64_t stalls;
	uint64_t delivered[CONTEXTS];
	uint64_t hits[CONTEXTS];
	uint64_t at_depth[CONTEXTS + 1];

	/* found in the trace */
	uint64_t events;
	uint64_t nested; /* of these of interrupts */
	uint64_t discarded; /* as the tracer counts */
	uint64_t packets;
	uint64_t extended; /* records with a whole stamp */
	uint64_t equal; /* times of the record before */

	/* what must not be */
	uint64_t unknown; /* records of no call */
	uint64_t twice;
	uint64_t early; /* times before the call's entry */
	uint64_t late; /* and behind its exit */
	uint64_t wraps; /* of both, that whole wraps of 2^27 would put right */
	uint64_t in_stall; /* times in a stall, when nobody recorded */
	uint64_t back; /* times before the one of the record before */
	uint64_t disorder;
	uint64_t worst_ns;
	int64_t unaccounted; /* calls neither recorded nor discarded; negative: more than there were
			      */
};

/*
 * Takes the table of `size` bytes, as calls_run() wrote it, which is written to. An exit code,
 * after a line on stderr.
 */
int traced_table(struct traced *traced, uint8_t *bytes, uint64_t size);

/* A new stream; then its records, as they lie there: time in ns, and both words of the call. */
void traced_stream(struct traced *traced);
void traced_record(struct traced *traced, uint64_t time, uint32_t number, uint32_t mark);

/* The packets of one stream, a file of `size` bytes. An exit code, after a line on stderr. */
int traced_packets(struct traced *traced, const char *path, const uint8_t *bytes, uint64_t size);

/* Behind all records: who is missing. Whether nothing is wrong. */
bool traced_judge(struct traced *traced);

/* All of it: the CTF trace in `dir` by the table in the file `path`. An exit code as above. */
int traced_run(struct traced *traced, const char *dir, const char *path);

#endif
