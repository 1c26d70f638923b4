/* SPDX-License-Identifier: MIT */
/* A CTF trace: a directory with a file `metadata` and one file per stream, such as one per CPU. */
#ifndef STAMPEDE_TRACES_CTF_TRACE_H
#define STAMPEDE_TRACES_CTF_TRACE_H

#include "traces/clock_pairs.h"
#include "traces/ctf_read.h"

struct ctf_trace_file {
	struct trace_file file;
	struct ctf_reader reader;
	uint64_t next; /* offset of the next packet */
	struct trace_event batch[TRACE_BATCH];
	uint32_t count; /* events in batch */
	uint32_t taken; /* of these, by ctf_trace_first() */
};

struct ctf_trace {
	char *dir;
	struct ctf_metadata metadata;
	struct ctf_trace_file *files;
	unsigned int count;
	struct clock_pairs pairs; /* that lie beside it */
};

/* Opens the trace in `dir`. An exit code, after a line on stderr. */
int ctf_trace_open(struct ctf_trace *trace, const char *dir);
void ctf_trace_close(struct ctf_trace *trace);

/* The next events of one file in its batch; 0 at its end, or at its reader's fault. */
uint32_t ctf_trace_batch(struct ctf_trace_file *file);

/* The file back to its beginning, with nothing counted. False: no memory. */
bool ctf_trace_rewind(const struct ctf_trace *trace, struct ctf_trace_file *file);

/*
 * The file whose next event is the oldest, with that event in *event; NULL if no file has one.
 * The event counts as taken.
 */
struct ctf_trace_file *ctf_trace_first(struct ctf_trace *trace, const struct trace_event **event);

/* Ticks of the trace's clock as ns since its own zero; saturates. */
uint64_t ctf_trace_ns(const struct ctf_trace *trace, uint64_t ticks);

/* Has the trace's clock an offset, or pairs of readings, so that its times are dates? */
bool ctf_trace_dated(const struct ctf_trace *trace);

/*
 * Ticks as ns since 1970, by the pairs if it has any, else by the clock's offset. False: before
 * that, or more than 64 bits.
 */
bool ctf_trace_realtime(const struct ctf_trace *trace, uint64_t ticks, uint64_t *ns);

#endif
