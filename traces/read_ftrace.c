// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/ftrace_trace.h"
#include "base/fail.h"
#include "traces/read_trace.h"

struct ftrace_reading {
	const struct read_options *options;
	struct gap_histogram gaps; /* of one file */
	uint64_t subbufs_before; /* in files before this one */
};

static void csv_events(void *arg, const struct ftrace_reader *reader,
		       const struct trace_event *batch, uint32_t count)
{
	const struct ftrace_reading *reading = arg;
	uint64_t number = reading->subbufs_before + reader->counts.subbufs - 1;
	FILE *out = reading->options->out;
	uint32_t i;

	for (i = 0; i < count; i++)
		fprintf(out, "%" PRIu64 ",%d,%" PRIu32 ",%" PRIu64 "\n", number,
			(int)(batch[i].payload - reader->subbuf), batch[i].payload_bytes,
			batch[i].time);
}

static void take_events(void *arg, const struct ftrace_reader *reader,
			const struct trace_event *batch, uint32_t count)
{
	struct ftrace_reading *reading = arg;
	uint32_t i;

	if (reading->options->csv)
		csv_events(arg, reader, batch, count);
	for (i = 0; i < count; i++)
		gap_histogram_add(&reading->gaps, batch[i].time);
}

static void print_summary(FILE *out, const char *path, const struct ftrace_counts *counts,
			  const struct gap_histogram *gaps, uint32_t subbuf_bytes)
{
	double events = counts->events ? (double)counts->events : 1;

	fprintf(out,
		"%s: %" PRIu64 " events in %" PRIu64 " sub-buffers of %" PRIu32
		" bytes, %.2f bytes per event, %.2f of them payload\n",
		path, counts->events, counts->subbufs, subbuf_bytes,
		(double)counts->subbufs * subbuf_bytes / events,
		(double)counts->payload_bytes / events);
	fprintf(out,
		"  extends %" PRIu64 ", absolutes %" PRIu64 ", zero gaps %" PRIu64
		", backward steps %" PRIu64 "\n",
		counts->extends, counts->absolutes, gaps->bucket[0], counts->backward);
	if (counts->paddings)
		fprintf(out,
			"  discarded %" PRIu64 "; times may be late by 1 after %" PRIu64
			" of them (readers disagree on a delta of 1)\n",
			counts->paddings, counts->paddings_of_1);
	if (counts->lost_marks)
		fprintf(out,
			"  lost before %" PRIu64 " sub-buffers, %" PRIu64
			" events where they give a count\n",
			counts->lost_marks, counts->lost);
}

int read_ftrace_format(const struct read_options *options, const char *path,
		       struct ftrace_format *format)
{
	char copy[PATH_MAX], events[PATH_MAX + 20];
	const char *dir;
	int error;

	*format = FTRACE_FORMAT_KERNEL;
	snprintf(copy, sizeof(copy), "%s", path);
	dir = dirname(copy);
	snprintf(events, sizeof(events), "%s/../../events", dir);
	error = ftrace_format_read(dir, format);
	if (!error)
		error = ftrace_format_read(events, format);
	if (!error && options->dates)
		error = fail_with(EXIT_USAGE,
				  "%s: sub-buffers of ftrace have no date; leave out --dates",
				  path);
	if (options->subbuf_bytes)
		format->subbuf_bytes = options->subbuf_bytes;
	if (options->stamp_bits)
		format->stamp_bits = options->stamp_bits;
	return error;
}

static int read_one(const char *path, struct ftrace_reading *reading, struct read_sum *sum)
{
	const struct read_options *options = reading->options;
	const struct ftrace_visitor visitor = { .events = take_events, .arg = reading };
	struct ftrace_reader reader;
	struct ftrace_format format;
	int error = read_ftrace_format(options, path, &format);

	reading->gaps = (struct gap_histogram){ .any = false };
	if (!error)
		error = ftrace_read_file(path, &format, &reader, &visitor);
	if (error)
		return error;
	if (!options->csv)
		print_summary(options->out, path, &reader.counts, &reading->gaps,
			      format.subbuf_bytes);
	reading->subbufs_before += reader.counts.subbufs;
	sum->events += reader.counts.events;
	gap_histogram_merge(&sum->gaps, &reading->gaps);
	read_report(sum, path, &reader.fault, &reader.backward, reader.counts.events,
		    reader.counts.subbufs, "sub-buffers");
	return 0;
}

int read_ftrace(const struct read_options *options, char **paths, unsigned int count,
		struct read_sum *sum)
{
	struct ftrace_reading reading = { .options = options };
	unsigned int i;
	int error = 0;

	if (options->csv)
		fprintf(options->out, "subbuffer,offset_bytes,payload_bytes,stamp_ns\n");
	for (i = 0; i < count && !error; i++)
		error = read_one(paths[i], &reading, sum);
	return error;
}
