// SPDX-License-Identifier: MIT
/*
 * seek: how long it takes to find a time in a trace file, against the file's size: by the begin
 * stamps of sub-buffers, and by reading from the start.
 *
 * Rows of the timed build (one that writes packets, one that writes ftrace sub-buffers, one with a
 * beat) record files that grow by four, below $TMPDIR or /tmp; they are gone afterwards.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/rng.h"
#include "base/time.h"
#include "judge/export.h"
#include "traces/ctf_trace.h"
#include "traces/ftrace_trace.h"
#include "workloads/workload.h"

#define MOST_MIB_FULL 1024 /* the largest file of a full bench */
#define MOST_MIB 64
/* Most of them to write the files. */
#define SECONDS_FULL 40
#define SECONDS 3
#define SEEKS 2000
#define EVENTS_PER_DRAIN 30000 /* of at most 24 bytes, in a ring of 1 MiB */

static bool writes_packets(const struct driver *driver)
{
	return driver->format.kind == FORMAT_CTF_WORD && !driver->desc->needs &&
	       (driver->desc->promises & PROMISE_ALL) == PROMISE_ALL;
}

static bool writes_ftrace(const struct driver *driver)
{
	return driver->format.kind == FORMAT_FTRACE && !driver->defers && !driver->blocks &&
	       (driver->desc->promises & PROMISE_ALL) == PROMISE_ALL;
}

static bool has_beats(const struct driver *driver)
{
	return driver->desc->needs & NEED_BEAT;
}

/* A trace file of one row, seen up to some size. */
struct curve {
	const struct driver *driver;
	char dir[256];
	char path[300];
	struct export export;
	int error;
	struct trace_file file;
	struct ctf_trace ctf;
	struct seek_index index;
};

static void tap(void *arg, const struct buffer *buffer, uint64_t first, uint64_t last)
{
	struct curve *curve = arg;

	if (!curve->error)
		curve->error = export_subbufs(&curve->export, buffer, first, last);
}

/* Records until the file has `mib` MiB. */
static int make_file(struct curve *curve, uint64_t mib)
{
	struct ring_config config =
		buffer_config(curve->driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct buffer buffer;
	struct check check;

	if (buffer_open(&buffer, curve->driver, &config))
		return EXIT_RESOURCE;
	buffer.tap = tap;
	buffer.tap_arg = curve;
	check_init(&check, curve->driver->desc, config.stamp_bits);
	curve->error = export_begin(&curve->export, curve->dir, &buffer);
	while (!curve->error && curve->export.bytes < mib << 20) {
		if (curve->driver->desc->needs & NEED_BEAT)
			curve->driver->beat(buffer.scheme, &buffer.writer);
		curve->driver->run(buffer.scheme, &buffer.writer, EVENTS_PER_DRAIN);
		buffer_drain(&buffer, &check);
	}
	buffer_close(&buffer);
	if (!curve->error)
		return export_end(&curve->export);
	if (curve->export.dir)
		export_abort(&curve->export);
	return curve->error;
}

static int open_file(struct curve *curve)
{
	if (curve->driver->format.kind != FORMAT_FTRACE)
		return ctf_trace_open(&curve->ctf, curve->dir);
	snprintf(curve->path, sizeof(curve->path), "%s/cpu0.raw", curve->dir);
	return trace_file_open(&curve->file, curve->path);
}

/* The first `bytes` of the file, as if there were no more. */
static bool seek_once(struct curve *curve, uint64_t bytes, uint64_t time, struct seek_found *found)
{
	struct trace_fault fault = { .set = false };
	struct trace_file part = curve->file;

	part.size = bytes;
	if (part.bytes)
		return seek_ftrace(&part, 1u << RING_TIMED_SUBBUF_SHIFT, curve->driver->stamp_bits,
				   time, found, &fault);
	curve->ctf.files[0].reader.size = bytes;
	return seek_ctf(&curve->ctf.files[0].reader, &curve->index, time, found);
}

/* By reading from the start: the time of the first event at or after `time`, or 0. */
static uint64_t read_until(struct curve *curve, uint64_t bytes, uint64_t time)
{
	struct trace_event batch[TRACE_BATCH];
	struct ctf_trace_file *ctf = curve->ctf.files;
	struct ftrace_reader reader;
	uint64_t offset;
	uint32_t count, i;

	ftrace_reader_init(&reader, 1u << RING_TIMED_SUBBUF_SHIFT, curve->driver->stamp_bits);
	for (offset = 0; curve->file.bytes && offset < bytes; offset += reader.subbuf_bytes) {
		ftrace_subbuf_open(&reader, curve->file.bytes + offset, offset);
		while ((count = ftrace_batch(&reader, batch)))
			for (i = 0; i < count; i++)
				if (batch[i].time >= time)
					return batch[i].time;
	}
	if (!ctf || !ctf_trace_rewind(&curve->ctf, ctf))
		return 0;
	while (ctf_trace_batch(ctf))
		for (i = 0; i < ctf->count; i++)
			if (ctf->batch[i].time >= time)
				return ctf->batch[i].time;
	return 0;
}

/* The times of the first event, and of one in the last sub-buffer of `bytes`. */
static bool span(struct curve *curve, uint64_t bytes, uint64_t *first, uint64_t *last)
{
	struct ctf_reader *reader = curve->ctf.files ? &curve->ctf.files[0].reader : NULL;
	struct seek_found found;

	if (!seek_once(curve, bytes, 0, &found) || !found.found)
		return false;
	*first = found.time;
	if (curve->file.bytes) {
		*last = ftrace_subbuf_begin(curve->file.bytes + bytes -
					    (1u << RING_TIMED_SUBBUF_SHIFT));
		return true;
	}
	if (!ctf_packet_read(reader, bytes - (1u << RING_TIMED_SUBBUF_SHIFT)))
		return false;
	*last = reader->packet.begin;
	return true;
}

static int one_size(struct curve *curve, uint64_t mib, uint64_t *random, json_t *into)
{
	uint64_t bytes = mib << 20, first = 0, last = 0, begin, sought, probes = 0, most = 0;
	uint64_t decoded = 0, seek_ns = 0, read_ns, i;
	struct seek_found found = { .found = false };
	json_t *line;

	curve->index = (struct seek_index){ .count = 0 };
	if (!span(curve, bytes, &first, &last))
		return EXIT_USAGE;
	for (i = 0; i < SEEKS; i++) {
		sought = first + rng_next(random) % (last - first);
		begin = time_ns();
		if (!seek_once(curve, bytes, sought, &found) || !found.found)
			return EXIT_USAGE;
		seek_ns += time_ns() - begin;
		probes += found.probes;
		decoded += found.decoded;
		most = found.probes > most ? found.probes : most;
	}
	/* Reading has to find the same, close to the end, so that it reads nearly all. */
	if (!seek_once(curve, bytes, last, &found))
		return EXIT_USAGE;
	begin = time_ns();
	if (read_until(curve, bytes, last) != found.time)
		return EXIT_USAGE;
	read_ns = time_ns() - begin;
	seek_index_free(&curve->index);
	line = json_pack("{s:s, s:I, s:I, s:I, s:f, s:I, s:f, s:f, s:f}", "row", curve->driver->row,
			 "mib", (json_int_t)mib, "subbufs",
			 (json_int_t)(bytes >> RING_TIMED_SUBBUF_SHIFT), "seeks", (json_int_t)SEEKS,
			 "probes", (double)probes / SEEKS, "probes_most", (json_int_t)most,
			 "decoded", (double)decoded / SEEKS, "seek_ns", (double)seek_ns / SEEKS,
			 "read_ns", (double)read_ns);
	return line && !json_array_append_new(into, line) ? 0 : EXIT_RESOURCE;
}

static void remove_trace(const struct curve *curve)
{
	static const char *const names[] = { "cpu0", "cpu0.raw", "metadata", "header_page",
					     "header_event" };
	char path[300];
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", curve->dir, names[i]);
		unlink(path);
	}
	rmdir(curve->dir);
}

static int one_row(const struct driver *driver, uint64_t most_mib, uint64_t seed, json_t *into)
{
	const char *tmp = getenv("TMPDIR");
	struct curve curve = { .driver = driver };
	uint64_t mib, random = rng_seed(seed, 0);
	int error;

	snprintf(curve.dir, sizeof(curve.dir), "%s/stampede-seek-%d-%s", tmp && *tmp ? tmp : "/tmp",
		 (int)getpid(), driver->row);
	error = make_file(&curve, most_mib);
	if (error)
		return error;
	error = open_file(&curve);
	for (mib = 1; !error && mib <= most_mib; mib *= 4) {
		error = one_size(&curve, mib, &random, into);
		if (error)
			fail_line("seeking in %s: %s", driver->row,
				  error == EXIT_USAGE ? "not the event that reading finds" :
							"no memory");
	}
	trace_file_close(&curve.file);
	if (curve.ctf.dir)
		ctf_trace_close(&curve.ctf);
	remove_trace(&curve);
	return error;
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	static bool (*const kinds[])(const struct driver *) = { writes_packets, writes_ftrace,
								has_beats };
	uint64_t most_mib = bench->size == SIZE_FULL ? MOST_MIB_FULL : MOST_MIB;
	const struct driver *const *driver;
	size_t i;
	int error = 0;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !error; i++) {
		for (driver = drivers_timed; *driver; driver++)
			if (!(*driver)->variant && !(*driver)->unsupported() && kinds[i](*driver))
				break;
		if (!*driver)
			continue;
		bench->step(bench->arg, workload_seek.name, (*driver)->row);
		error = one_row(*driver, most_mib, bench->seed, into);
	}
	return error;
}

static double seconds(const struct workload_bench *bench)
{
	return bench->size == SIZE_FULL ? SECONDS_FULL : SECONDS;
}

static void print(FILE *out, const json_t *seek, enum workload_size size)
{
	const json_t *line;
	size_t i;

	(void)size;
	if (!json_array_size(seek))
		return;
	fprintf(out, "%-18s %6s %9s %7s %5s %10s %12s\n", "seek", "MiB", "subbufs", "probes",
		"most", "us", "us, reading");
	json_array_foreach(seek, i, line)
		fprintf(out, "%-18s %6lld %9lld %7.1f %5lld %10.2f %12.0f\n",
			json_string_value(json_object_get(line, "row")),
			(long long)json_integer_value(json_object_get(line, "mib")),
			(long long)json_integer_value(json_object_get(line, "subbufs")),
			json_real_value(json_object_get(line, "probes")),
			(long long)json_integer_value(json_object_get(line, "probes_most")),
			json_real_value(json_object_get(line, "seek_ns")) / 1e3,
			json_real_value(json_object_get(line, "read_ns")) / 1e3);
}

static const struct workload_section sections[] = {
	{ .name = "seek", .measure = measure, .seconds = seconds, .print = print },
	{ .name = NULL },
};

const struct workload workload_seek = {
	.name = "seek",
	.text = "a time is sought in trace files of up to 1 GiB, by begin stamps",
	.least = SIZE_FULL,
	.plot = "seek",
	.instead = "seek is measured by bench: make bench WORKLOADS=seek",
	.sections = sections,
};
