// SPDX-License-Identifier: MIT
#include "traces/ctf_trace.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/wall.h"
#include "base/wide.h"
#include "base/options.h"

static int read_metadata(struct ctf_trace *trace)
{
	struct trace_fault fault = { .set = false };
	struct trace_file file;
	char *path;
	bool good;
	int error;

	if (asprintf(&path, "%s/metadata", trace->dir) < 0)
		return EXIT_RESOURCE;
	error = trace_file_open(&file, path);
	free(path);
	if (error)
		return error;
	good = tsdl_parse(file.bytes, file.size, &trace->metadata, &fault);
	if (!good)
		fail_line("%s: offset %" PRIu64 ": %s; nothing was read", file.path, fault.offset,
			  fault.text);
	trace_file_close(&file);
	return good ? 0 : EXIT_USAGE;
}

static int add_file(struct ctf_trace *trace, const char *path)
{
	struct ctf_trace_file *more =
		realloc(trace->files, (trace->count + 1) * sizeof(*trace->files));
	int error;

	if (!more)
		return EXIT_RESOURCE;
	trace->files = more;
	more += trace->count;
	error = trace_file_open(&more->file, path);
	if (error)
		return error;
	trace->count++;
	more->reader.slots = NULL;
	memset(more->reader.plans, 0, sizeof(more->reader.plans));
	if (ctf_trace_rewind(trace, more))
		return 0;
	return fail_with(EXIT_RESOURCE, "%s: no memory, or more than %d kinds of streams", path,
			 CTF_STREAMS_MOST);
}

/* Files whose names begin with a dot, and directories (LTTng's index), are no streams. */
static int is_stream(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0;
}

static int add_files(struct ctf_trace *trace)
{
	struct dirent **entries = NULL;
	int count = scandir(trace->dir, &entries, is_stream, versionsort), i, error = 0;
	struct stat stat_now;
	char *path;

	if (count < 0) {
		return fail_with(EXIT_USAGE, "cannot read %s: %s", trace->dir, strerror(errno));
	}
	for (i = 0; i < count; i++) {
		if (!error && asprintf(&path, "%s/%s", trace->dir, entries[i]->d_name) < 0) {
			error = EXIT_RESOURCE;
		} else if (!error) {
			if (!stat(path, &stat_now) && S_ISREG(stat_now.st_mode))
				error = add_file(trace, path);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	if (!error && !trace->count) {
		return fail_with(EXIT_USAGE, "%s has metadata, but no stream files", trace->dir);
	}
	return error;
}

int ctf_trace_open(struct ctf_trace *trace, const char *dir)
{
	int error;

	*trace = (struct ctf_trace){ .dir = strdup(dir) };
	if (!trace->dir)
		return EXIT_RESOURCE;
	error = read_metadata(trace);
	if (!error)
		error = add_files(trace);
	if (!error)
		error = clock_pairs_read(trace->dir, &trace->pairs);
	if (error)
		ctf_trace_close(trace);
	return error;
}

void ctf_trace_close(struct ctf_trace *trace)
{
	unsigned int i;

	for (i = 0; i < trace->count; i++) {
		ctf_reader_close(&trace->files[i].reader);
		trace_file_close(&trace->files[i].file);
	}
	free(trace->files);
	clock_pairs_free(&trace->pairs);
	tsdl_free(&trace->metadata);
	free(trace->dir);
	*trace = (struct ctf_trace){ .dir = NULL };
}

uint32_t ctf_trace_batch(struct ctf_trace_file *file)
{
	struct ctf_reader *reader = &file->reader;

	file->taken = 0;
	for (;;) {
		file->count = reader->any ? ctf_batch(reader, file->batch) : 0;
		if (file->count || reader->fault.set || file->next >= file->file.size)
			return file->count;
		if (!ctf_packet_open(reader, file->next))
			return 0;
		trace_file_release(&file->file, file->next);
		file->next += reader->packet.bytes;
	}
}

bool ctf_trace_rewind(const struct ctf_trace *trace, struct ctf_trace_file *file)
{
	ctf_reader_close(&file->reader);
	file->next = 0;
	file->count = file->taken = 0;
	file->file.released = 0;
	return ctf_reader_open(&file->reader, &trace->metadata, file->file.bytes, file->file.size);
}

struct ctf_trace_file *ctf_trace_first(struct ctf_trace *trace, const struct trace_event **event)
{
	struct ctf_trace_file *first = NULL, *file;
	unsigned int i;

	for (i = 0; i < trace->count; i++) {
		file = &trace->files[i];
		if (file->taken == file->count && !ctf_trace_batch(file))
			continue;
		if (!first || file->batch[file->taken].time < first->batch[first->taken].time)
			first = file;
	}
	if (first)
		*event = &first->batch[first->taken++];
	return first;
}

uint64_t ctf_trace_ns(const struct ctf_trace *trace, uint64_t ticks)
{
	if (trace->metadata.clock.hz == 1000000000)
		return ticks;
	return wide_scale(ticks, 1000000000, trace->metadata.clock.hz);
}

bool ctf_trace_dated(const struct ctf_trace *trace)
{
	return trace->pairs.count > 1 || trace->metadata.clock.offset_s ||
	       trace->metadata.clock.offset;
}

bool ctf_trace_realtime(const struct ctf_trace *trace, uint64_t ticks, uint64_t *ns)
{
	const struct ctf_clock *clock = &trace->metadata.clock;
	uint64_t cycles = ticks + (uint64_t)clock->offset, seconds, rest;
	struct wall_time time;
	int64_t all;

	if (clock_pairs_realtime(&trace->pairs, ticks, &time)) {
		*ns = time.ns;
		return true;
	}
	/* A sum that went over the end on the side to which the offset points. */
	if ((clock->offset < 0) != (cycles < ticks) && clock->offset)
		return false;
	/* Seconds apart, so that the product of a fraction is exact. */
	seconds = cycles / clock->hz;
	rest = wide_scale(cycles % clock->hz, WALL_NS_PER_SECOND, clock->hz);
	if (seconds > INT64_MAX || __builtin_add_overflow((int64_t)seconds, clock->offset_s, &all))
		return false;
	if (all < 0 || (uint64_t)all > (UINT64_MAX - rest) / WALL_NS_PER_SECOND)
		return false;
	*ns = (uint64_t)all * WALL_NS_PER_SECOND + rest;
	return true;
}
