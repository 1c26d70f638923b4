/* SPDX-License-Identifier: MIT */
/* What read-trace does with a trace of either format. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schemes/core/bits.h"
#include "traces/ftrace_trace.h"
#include "traces/trace_file.h"

/* Gaps between successive events of one CPU, by bit length, as workloads/gap_file.h reads them. */
#define GAP_HISTOGRAM_BUCKETS 65

struct gap_histogram {
	uint64_t bucket[GAP_HISTOGRAM_BUCKETS]; /* bucket[0]: no time between them */
	uint64_t before; /* time of the event before, ns */
	bool any; /* there is one */
};

/* The next event of the CPU. Steps back are no gaps. */
static inline void gap_histogram_add(struct gap_histogram *gaps, uint64_t time_ns)
{
	if (gaps->any && time_ns >= gaps->before)
		gaps->bucket[bits_last_set(time_ns - gaps->before)]++;
	gaps->any = true;
	gaps->before = time_ns;
}

/* Adds what another CPU counted. */
void gap_histogram_merge(struct gap_histogram *sum, const struct gap_histogram *one);

/* The CSV with the columns log2_bucket,lo_ns,hi_ns,count; empty buckets left out. */
void gap_histogram_print(FILE *text, const struct gap_histogram *gaps);

struct read_options {
	bool csv;
	bool dates; /* in a column of the CSV */
	bool lint; /* prints wrong times, and nothing else */
	bool loss; /* of these only what was lost */
	uint32_t subbuf_bytes; /* 0: what the capture says, or 4096 */
	uint32_t stamp_bits; /* 0: what the capture says, or 27 */
	FILE *out;
	json_t *json; /* --lint appends to it; NULL: not wanted */
};

/* What was read of all files so far. */
struct read_sum {
	uint64_t events;
	uint64_t traces, lost; /* --lint: how many traces, and their events that were lost */
	struct gap_histogram gaps;
	bool faulty; /* a file could not be read to its end, or has times that go back */
	bool found; /* --lint: a time is wrong */
	bool stopped; /* a library was, which holds what it did not free */
};

/*
 * Reads one file of sub-buffers, or all of a directory; numbers of sub-buffers go on from file to
 * file in the CSV. An exit code, after a line on stderr, if there is nothing to read at all.
 */
int read_ftrace(const struct read_options *options, char **paths, unsigned int count,
		struct read_sum *sum);

/* What the file's own directory, or tracefs around it, says of the format, or the options. */
int read_ftrace_format(const struct read_options *options, const char *path,
		       struct ftrace_format *format);

/*
 * --lint of a trace: of CTF in the directory `path` (no paths), of sub-buffers in all files of
 * `paths`, or of a file in another format. As above.
 */
int read_lint(const struct read_options *options, const char *path, char **paths,
	      unsigned int count, struct read_sum *sum);

/* Appends a trace's JSON, or that it could not be read if there is none in `from`, which may be
 * NULL. How many events were lost. */
uint64_t read_lint_json(const struct read_options *options, FILE *from, const char *path);

/* Is it a file of another format than CTF or ftrace that --lint reads? */
bool read_lint_takes(const char *path);

/* Is it a file that only --lint reads, or none that is read? Says so in a line on stderr. */
bool read_lint_only(const char *path);

/* Is this file one stream of a CTF trace? By its first bytes. */
bool read_is_ctf_stream(const char *path);

/* Reads the CTF trace in `dir`. As above. */
int read_ctf(const struct read_options *options, const char *dir, struct read_sum *sum);

/* When the events of a file were, the first and the last. */
struct read_dates {
	uint64_t first_ns, last_ns; /* since 1970 */
	bool any;
};

void read_dates_add(struct read_dates *dates, uint64_t realtime_ns);

/* A line of the summary; none if no event had a date. */
void read_dates_print(FILE *out, const struct read_dates *dates);

/* One line on stderr for what ended or spoils the reading of `path`; marks `sum`. */
void read_report(struct read_sum *sum, const char *path, const struct trace_fault *fault,
		 const struct trace_fault *backward, uint64_t events, uint64_t packets,
		 const char *packets_name);
