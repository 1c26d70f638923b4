// SPDX-License-Identifier: MIT
#include "kernel/program/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "kernel/program/stall.h"
#include "traces/ctf_trace.h"

#define WRAP (UINT64_C(1) << 27)

static void add_part(struct traced *traced, const struct traced_part *part)
{
	const struct kernel_image *image = part->image;
	unsigned int i;

	traced->part[traced->parts++] = *part;
	traced->calls += part->count;
	traced->stalls += image->stalls;
	for (i = 0; i < CONTEXTS; i++) {
		traced->delivered[i] += image->delivered[i];
		traced->hits[i] += image->hits[i];
	}
	for (i = 0; i <= CONTEXTS; i++)
		traced->at_depth[i] += image->at_depth[i];
}

int traced_table(struct traced *traced, uint8_t *bytes, uint64_t size)
{
	const uint64_t head = sizeof(struct kernel_image) + sizeof(struct kernel_calls);
	uint64_t at = 0;
	unsigned int i;

	*traced = (struct traced){ .part = calloc(size / head + 1, sizeof(*traced->part)) };
	if (!traced->part)
		return fail_memory("the calls");
	while (size - at >= head) {
		struct traced_part part = {
			.image = (const struct kernel_image *)(bytes + at),
			.calls = (const struct kernel_calls *)(bytes + at +
							       sizeof(struct kernel_image)),
			.call = (struct kernel_call *)(bytes + at + head),
		};

		for (i = 0; i < CONTEXTS; i++)
			part.count += part.image->writer.written[i];
		at += head;
		if (part.count > (size - at) / sizeof(*part.call))
			break;
		at += part.count * sizeof(*part.call);
		add_part(traced, &part);
	}
	return at == size && size ? EXIT_FINE : fail_with(EXIT_USAGE, "no whole table of calls");
}

static struct traced_part *part_of(struct traced *traced, uint32_t mark)
{
	unsigned int i;

	if (traced->part[traced->last].calls->mark == mark)
		return &traced->part[traced->last];
	for (i = 0; i < traced->parts; i++)
		if (traced->part[i].calls->mark == mark) {
			traced->last = i;
			return &traced->part[i];
		}
	return NULL;
}

void traced_stream(struct traced *traced)
{
	traced->before = 0;
	traced->latest = 0;
}

static uint64_t exit_of(const struct kernel_call *call)
{
	return call->took == UINT32_MAX ? UINT64_MAX : call->entry + call->took;
}

static void judge_time(struct traced *traced, const struct traced_part *part,
		       const struct kernel_call *call, uint64_t time)
{
	uint64_t entry = call->entry, exit = exit_of(call), error = 0, fitting = time;

	if (time < entry) {
		error = entry - time;
		fitting = time + (error + WRAP - 1) / WRAP * WRAP;
		traced->early++;
	} else if (time > exit) {
		error = time - exit;
		fitting = time - (error + WRAP - 1) / WRAP * WRAP;
		traced->late++;
	}
	traced->wraps += error && fitting >= entry && fitting <= exit;
	traced->in_stall += is_in_stall(part->image, time);
	if (error > traced->worst_ns)
		traced->worst_ns = error;
}

void traced_record(struct traced *traced, uint64_t time, uint32_t number, uint32_t mark)
{
	struct traced_part *part = part_of(traced, mark);
	unsigned int context;
	struct kernel_call *call;
	uint32_t sequence;

	traced->events++;
	traced->equal += time == traced->before;
	traced->back += time < traced->before;
	traced->before = time;
	if (!part || number >= part->count) {
		traced->unknown++;
		return;
	}
	call = &part->call[number];
	context = call->tag & (KERNEL_CALL_FREE - 1);
	if (context >= CONTEXTS || call->tag & KERNEL_CALL_FREE) {
		traced->twice++;
		return;
	}
	call->tag |= KERNEL_CALL_FREE;
	traced->nested += context != CONTEXT_TASK;
	judge_time(traced, part, call, time);
	sequence = call->tag >> KERNEL_CALL_SEQUENCE_SHIFT;
	traced->disorder += sequence < part->next[context] || exit_of(call) < traced->latest;
	part->next[context] = sequence + 1;
	if (call->entry > traced->latest)
		traced->latest = call->entry;
}

bool traced_judge(struct traced *traced)
{
	traced->unaccounted = (int64_t)(traced->calls - traced->discarded -
					(traced->events - traced->unknown - traced->twice));
	return !traced->unknown && !traced->twice && !traced->early && !traced->late &&
	       !traced->in_stall && !traced->back && !traced->disorder && !traced->unaccounted;
}

/* The words of the two fields that LTTng's probe stores, state and cpu_id. */
static int read_stream(struct traced *traced, const struct ctf_trace *trace,
		       struct ctf_trace_file *file)
{
	const struct ctf_reader *reader = &file->reader;
	uint32_t words[2], i;

	traced_stream(traced);
	while (ctf_trace_batch(file))
		for (i = 0; i < file->count; i++) {
			const struct trace_event *event = &file->batch[i];

			if (event->payload_bytes != sizeof(words))
				return fail_with(EXIT_BROKEN, "%s: an event of %u bytes",
						 file->file.path, event->payload_bytes);
			memcpy(words, event->payload, sizeof(words));
			traced_record(traced, ctf_trace_ns(trace, event->time), words[0], words[1]);
		}
	traced->discarded += reader->counts.discarded;
	traced->packets += reader->counts.packets;
	traced->extended += reader->counts.extended;
	return reader->fault.set ?
		       fail_with(EXIT_BROKEN, "%s, offset %" PRIu64 ": %s", file->file.path,
				 reader->fault.offset, reader->fault.text) :
		       EXIT_FINE;
}

static int read_trace(struct traced *traced, const char *dir)
{
	struct ctf_trace trace;
	int status = ctf_trace_open(&trace, dir);
	unsigned int i;

	if (status != EXIT_FINE)
		return status;
	for (i = 0; i < trace.count && status == EXIT_FINE; i++)
		status = read_stream(traced, &trace, &trace.files[i]);
	ctf_trace_close(&trace);
	return status;
}

int traced_run(struct traced *traced, const char *dir, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), status;
	struct stat found;
	uint8_t *bytes;

	if (file < 0 || fstat(file, &found))
		return fail_file("read", path, errno);
	/* A copy of its own: what was seen is noted there. */
	bytes = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	close(file);
	if (bytes == MAP_FAILED)
		return fail_file("map", path, errno);
	status = traced_table(traced, bytes, (uint64_t)found.st_size);
	if (status == EXIT_FINE)
		status = read_trace(traced, dir);
	if (status == EXIT_FINE && !traced_judge(traced))
		status = EXIT_BROKEN;
	free(traced->part);
	traced->part = NULL;
	munmap(bytes, (size_t)found.st_size);
	return status;
}
