// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/wall.h"
#include "schemes/format/format_ctf.h"
#include "traces/ctf_trace.h"
#include "traces/read_trace.h"

#define COLUMNS_MOST 256
#define STREAMS_MOST 4096

/* One column of the CSV for each name of an integer field that occurs. */
struct columns {
	char *names[COLUMNS_MOST];
	uint64_t values[COLUMNS_MOST];
	bool is_signed[COLUMNS_MOST];
	bool has[COLUMNS_MOST];
	unsigned int count;
	bool too_many;
};

struct ctf_reading {
	const struct read_options *options;
	struct columns columns;
	struct gap_histogram *gaps; /* by stream */
	struct read_dates *read_dates;
};

static unsigned int column_of(const struct columns *columns, const char *name)
{
	unsigned int i;

	for (i = 0; i < columns->count && strcmp(columns->names[i], name) != 0; i++)
		;
	return i;
}

static void find_column(void *arg, const char *name, bool is_signed, uint64_t value)
{
	struct columns *columns = arg;

	(void)is_signed;
	(void)value;
	if (column_of(columns, name) < columns->count)
		return;
	if (columns->count == COLUMNS_MOST)
		columns->too_many = true;
	else if (!(columns->names[columns->count++] = strdup(name)))
		end_memory("a column");
}

/* A first pass, to the end or the damage: the header line needs all names. */
static void find_columns(void *arg, const struct ctf_event *event)
{
	struct ctf_reading *reading = arg;

	ctf_event_integers(event, find_column, &reading->columns);
}

static void fill_column(void *arg, const char *name, bool is_signed, uint64_t value)
{
	struct columns *columns = arg;
	unsigned int i = column_of(columns, name);

	if (i == columns->count)
		return;
	columns->values[i] = value;
	columns->is_signed[i] = is_signed;
	columns->has[i] = true;
}

static void print_event(void *arg, const struct ctf_event *event)
{
	struct ctf_reading *reading = arg;
	struct columns *columns = &reading->columns;
	FILE *out = reading->options->out;
	char date[WALL_DATE_BYTES];
	unsigned int i;

	memset(columns->has, 0, sizeof(columns->has));
	ctf_event_integers(event, fill_column, columns);
	fprintf(out, "%" PRIu64 ",%" PRIu64, event->stream->cpu, event->ns);
	if (reading->options->dates)
		fprintf(out, ",%s", event->dated ? wall_date(event->realtime_ns, date) : "");
	for (i = 0; i < columns->count; i++) {
		if (!columns->has[i])
			fputc(',', out);
		else if (columns->is_signed[i])
			fprintf(out, ",%" PRId64, (int64_t)columns->values[i]);
		else
			fprintf(out, ",%" PRIu64, columns->values[i]);
	}
	fputc('\n', out);
}

static int print_header(struct ctf_reading *reading, const struct ctf_trace *trace, const char *dir)
{
	const struct read_options *options = reading->options;
	unsigned int i;

	if (options->dates && !trace->dated)
		return fail_with(EXIT_USAGE,
				 "%s: its clock has no date (no offset in the metadata); leave out "
				 "--dates",
				 dir);
	if (reading->columns.too_many)
		fail_line("%s: more than %d integer fields; further fields have no column", dir,
			  COLUMNS_MOST);
	fprintf(options->out, "cpu,stamp_ns%s", options->dates ? ",date" : "");
	for (i = 0; i < reading->columns.count; i++)
		fprintf(options->out, ",payload_%s", reading->columns.names[i]);
	fputc('\n', options->out);
	return EXIT_FINE;
}

static void take_gap(void *arg, const struct ctf_event *event)
{
	struct ctf_reading *reading = arg;

	if (reading->options->csv)
		find_columns(arg, event);
	if (event->index >= STREAMS_MOST)
		return;
	gap_histogram_add(&reading->gaps[event->index], event->ns);
	if (event->dated)
		read_dates_add(&reading->read_dates[event->index], event->realtime_ns);
}

static void print_summary(FILE *out, const struct ctf_stream *stream,
			  const struct gap_histogram *gaps)
{
	struct stat file;

	fprintf(out, "%s: %" PRIu64 " events in %" PRIu64 " packets", stream->path, stream->events,
		stream->packets);
	if (stream->events && !stat(stream->path, &file))
		fprintf(out, ", %.2f bytes per event",
			(double)file.st_size / (double)stream->events);
	fprintf(out, "\n  zero gaps %" PRIu64 ", empty packets %" PRIu64 "\n", gaps->bucket[0],
		stream->empty_packets);
	if (stream->discarded || stream->missing_packets)
		fprintf(out, "  discarded %" PRIu64 " events, missing %" PRIu64 " packets\n",
			stream->discarded, stream->missing_packets);
}

bool read_is_ctf_stream(const char *path)
{
	uint32_t magic = 0;
	FILE *file = fopen(path, "rb");

	if (file && fread(&magic, sizeof(magic), 1, file) != 1)
		magic = 0;
	if (file)
		fclose(file);
	return magic == CTF_MAGIC;
}

static void take_streams(const struct ctf_reading *reading, const struct ctf_trace *trace,
			 struct read_sum *sum)
{
	unsigned int i;

	for (i = 0; i < trace->count && i < STREAMS_MOST; i++) {
		gap_histogram_merge(&sum->gaps, &reading->gaps[i]);
		if (reading->options->csv)
			continue;
		print_summary(reading->options->out, &trace->streams[i], &reading->gaps[i]);
		read_dates_print(reading->options->out, &reading->read_dates[i]);
	}
}

static void report(const struct ctf_trace *trace, const char *dir, struct read_sum *sum)
{
	uint64_t events = 0, packets = 0;
	unsigned int i;

	for (i = 0; i < trace->count; i++) {
		events += trace->streams[i].events;
		packets += trace->streams[i].packets;
	}
	sum->events += events;
	sum->faulty |= trace->damaged;
	sum->stopped |= trace->stopped;
	if (trace->damaged)
		fail_line("%s: %s; read before it: %" PRIu64 " events in %" PRIu64 " packets", dir,
			  trace->why, events, packets);
}

int read_ctf(const struct read_options *options, const char *dir, struct read_sum *sum)
{
	struct ctf_reading reading = { .options = options };
	struct ctf_trace trace = { .count = 0 };
	int error;

	reading.gaps = calloc(STREAMS_MOST, sizeof(*reading.gaps));
	reading.read_dates = calloc(STREAMS_MOST, sizeof(*reading.read_dates));
	if (!reading.gaps || !reading.read_dates)
		error = fail_memory("the gaps of a trace");
	else
		error = ctf_trace_read(&trace, dir, BT_LOGGING_LEVEL_NONE, take_gap, &reading);
	if (!error)
		take_streams(&reading, &trace, sum);
	if (!error && options->csv) {
		error = print_header(&reading, &trace, dir);
		if (!error && !trace.stopped) {
			ctf_trace_free(&trace);
			error = ctf_trace_read(&trace, dir, BT_LOGGING_LEVEL_NONE, print_event,
					       &reading);
		}
	}
	if (!error)
		report(&trace, dir, sum);
	ctf_trace_free(&trace);
	while (reading.columns.count)
		free(reading.columns.names[--reading.columns.count]);
	free(reading.gaps);
	free(reading.read_dates);
	return error;
}
