// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/format/format_ctf.h"
#include "traces/ctf_trace.h"
#include "base/fail.h"
#include "base/options.h"
#include "base/wall.h"
#include "traces/read_trace.h"

#define COLUMNS_MOST 256

/* ---- CSV: one column per name of an integer field that occurs ---- */

struct columns {
	const char *names[COLUMNS_MOST];
	uint64_t values[COLUMNS_MOST];
	bool is_signed[COLUMNS_MOST];
	bool has[COLUMNS_MOST];
	unsigned int count;
	bool too_many;
};

static unsigned int column_of(const struct columns *columns, const char *name)
{
	unsigned int i;

	for (i = 0; i < columns->count && strcmp(columns->names[i], name) != 0; i++)
		;
	return i;
}

static void find_column(void *arg, const struct ctf_field *field, uint64_t value)
{
	struct columns *columns = arg;

	(void)value;
	if (column_of(columns, field->name) < columns->count)
		return;
	if (columns->count == COLUMNS_MOST)
		columns->too_many = true;
	else
		columns->names[columns->count++] = field->name;
}

static void fill_column(void *arg, const struct ctf_field *field, uint64_t value)
{
	struct columns *columns = arg;
	unsigned int i = column_of(columns, field->name);

	if (i == columns->count)
		return;
	columns->values[i] = value;
	columns->is_signed[i] = field->type->is_signed;
	columns->has[i] = true;
}

/* A first pass, up to each file's end or fault: the header line needs all names. */
static bool find_columns(struct ctf_trace *trace, struct columns *columns)
{
	unsigned int file, i;

	for (file = 0; file < trace->count; file++) {
		struct ctf_trace_file *one = &trace->files[file];
		struct ctf_reader *reader = &one->reader;

		while (ctf_trace_batch(one))
			for (i = 0; i < one->count; i++)
				ctf_event_fields(reader, &one->batch[i], find_column, columns);
		if (!ctf_trace_rewind(trace, one))
			return false;
	}
	return true;
}

static void print_date(FILE *out, const struct ctf_trace *trace, uint64_t ticks)
{
	char text[WALL_DATE_BYTES];
	uint64_t ns;

	fprintf(out, ",%s", ctf_trace_realtime(trace, ticks, &ns) ? wall_date(ns, text) : "");
}

static void print_event(const struct read_options *options, const struct ctf_trace *trace,
			struct ctf_trace_file *file, const struct trace_event *event,
			struct columns *columns)
{
	FILE *out = options->out;
	unsigned int i;

	memset(columns->has, 0, sizeof(columns->has));
	ctf_event_fields(&file->reader, event, fill_column, columns);
	fprintf(out, "%" PRIu64 ",%" PRIu64, file->reader.packet.cpu,
		ctf_trace_ns(trace, event->time));
	if (options->dates)
		print_date(out, trace, event->time);
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

static int print_csv(const struct read_options *options, struct ctf_trace *trace)
{
	FILE *out = options->out;
	struct columns columns = { .count = 0 };
	const struct trace_event *event;
	struct ctf_trace_file *file;
	unsigned int i;

	if (options->dates && !ctf_trace_dated(trace))
		return read_dates_refused(trace->dir);
	if (!find_columns(trace, &columns))
		return EXIT_RESOURCE;
	if (columns.too_many)
		fail_line("%s: more than %d integer fields; the rest has no column", trace->dir,
			  COLUMNS_MOST);
	fprintf(out, "cpu,stamp_ns%s", options->dates ? ",date" : "");
	for (i = 0; i < columns.count; i++)
		fprintf(out, ",payload_%s", columns.names[i] + (columns.names[i][0] == '_'));
	fputc('\n', out);
	while ((file = ctf_trace_first(trace, &event)))
		print_event(options, trace, file, event, &columns);
	return 0;
}

/* ---- summary ---- */

static void print_summary(FILE *out, const struct ctf_trace_file *file,
			  const struct gap_histogram *gaps)
{
	const struct ctf_counts *counts = &file->reader.counts;
	double events = counts->events ? (double)counts->events : 1;

	fprintf(out,
		"%s: %" PRIu64 " events in %" PRIu64 " packets, %.2f bytes per event, %.2f of them "
		"payload\n",
		file->file.path, counts->events, counts->packets, (double)file->next / events,
		(double)counts->payload_bytes / events);
	fprintf(out,
		"  extended %" PRIu64 ", zero gaps %" PRIu64 ", backward steps %" PRIu64
		", empty packets %" PRIu64 "\n",
		counts->extended, gaps->bucket[0], counts->backward, counts->empty_packets);
	if (counts->discarded || counts->missing_packets)
		fprintf(out, "  discarded %" PRIu64 " events, missing %" PRIu64 " packets\n",
			counts->discarded, counts->missing_packets);
}

static void read_file(const struct ctf_trace *trace, struct ctf_trace_file *file,
		      struct gap_histogram *gaps, struct read_dates *dates)
{
	bool dated = ctf_trace_dated(trace);
	uint64_t ns;
	uint32_t i;

	while (ctf_trace_batch(file))
		for (i = 0; i < file->count; i++) {
			gap_histogram_add(gaps, ctf_trace_ns(trace, file->batch[i].time));
			if (dated && ctf_trace_realtime(trace, file->batch[i].time, &ns))
				read_dates_add(dates, ns);
		}
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

int read_ctf(const struct read_options *options, const char *dir, struct read_sum *sum)
{
	struct read_dates dates;
	struct gap_histogram gaps;
	struct ctf_trace trace;
	unsigned int i;
	int error = ctf_trace_open(&trace, dir);

	if (error)
		return error;
	if (options->csv)
		error = print_csv(options, &trace);
	for (i = 0; i < trace.count && !error; i++) {
		struct ctf_trace_file *file = &trace.files[i];
		const struct ctf_reader *reader = &file->reader;

		gaps = (struct gap_histogram){ .any = false };
		dates = (struct read_dates){ .any = false };
		if (!options->csv) {
			read_file(&trace, file, &gaps, &dates);
			print_summary(options->out, file, &gaps);
			read_dates_print(options->out, &dates);
			gap_histogram_merge(&sum->gaps, &gaps);
		}
		sum->events += reader->counts.events;
		read_report(sum, file->file.path, &reader->fault, &reader->backward,
			    reader->counts.events, reader->counts.packets, "packets");
	}
	ctf_trace_close(&trace);
	return error;
}
