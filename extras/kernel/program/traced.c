// SPDX-License-Identifier: MIT
#include "extras/kernel/program/traced.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "extras/kernel/program/stall.h"
#include "schemes/core/bits.h"
#include "schemes/core/bytes.h"
#include "traces/trace_file.h"

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

/*
 * Packets as lttng-modules 2.13 writes them on x86, packed, in a channel whose one event is the
 * probe's: a header of 84 bytes, then for each event 5 bits of id and the low 27 of the time, or
 * the id 31, 4 bytes of id and the whole time; then the two words that the probe stores, state and
 * cpu_id.
 */
enum lttng_packet {
	LTTNG_CONTENT_BITS = 48,
	LTTNG_PACKET_BITS = 56,
	LTTNG_BEGIN = 32,
	LTTNG_DISCARDED = 72,
	LTTNG_HEADER = 84,
};

#define LTTNG_MAGIC 0xc1fc1fc1u
#define LTTNG_ID_EXTENDED 31u
#define LTTNG_TIME_BITS 27

static int bad_packet(const char *path, uint64_t offset, const char *why)
{
	return fail_with(EXIT_BROKEN, "%s, offset %" PRIu64 ": %s", path, offset, why);
}

/* The events of one packet, `bytes` of content; NULL, or what is wrong with it. */
static const char *take_packet(struct traced *traced, const uint8_t *packet, uint64_t bytes)
{
	uint64_t time = get_u64(packet + LTTNG_BEGIN), at = LTTNG_HEADER, low;
	uint32_t id;

	while (at < bytes) {
		if ((packet[at] & LTTNG_ID_EXTENDED) == LTTNG_ID_EXTENDED) {
			if (bytes - at < 1 + 4 + 8 + 8)
				return "half an extended event";
			id = get_u32(packet + at + 1);
			time = get_u64(packet + at + 1 + 4);
			traced->extended++;
			at += 1 + 4 + 8;
		} else {
			if (bytes - at < 4 + 8)
				return "half an event";
			low = get_u32(packet + at);
			id = low & LTTNG_ID_EXTENDED;
			time += ((low >> 5) - time) & bits_mask(LTTNG_TIME_BITS);
			at += 4;
		}
		if (id)
			return "an event that was not asked for";
		traced_record(traced, time, get_u32(packet + at), get_u32(packet + at + 4));
		at += 8;
	}
	return NULL;
}

int traced_packets(struct traced *traced, const char *path, const uint8_t *bytes, uint64_t size)
{
	uint64_t at, packet = 0, content, discarded = 0;
	const char *wrong = NULL;

	traced_stream(traced);
	for (at = 0; at < size; at += packet) {
		if (size - at < LTTNG_HEADER || get_u32(bytes + at) != LTTNG_MAGIC)
			return bad_packet(path, at, "no packet");
		content = get_u64(bytes + at + LTTNG_CONTENT_BITS) / 8;
		packet = get_u64(bytes + at + LTTNG_PACKET_BITS) / 8;
		if (packet > size - at || content > packet || content < LTTNG_HEADER)
			return bad_packet(path, at,
					  "a packet larger than its file, or its content "
					  "larger than it");
		wrong = take_packet(traced, bytes + at, content);
		if (wrong)
			return bad_packet(path, at, wrong);
		discarded = get_u64(bytes + at + LTTNG_DISCARDED);
		traced->packets++;
	}
	traced->discarded += discarded;
	return EXIT_FINE;
}

/* Directories (LTTng's index) are no streams. */
static int is_stream(const struct dirent *entry)
{
	return entry->d_type == DT_REG && strcmp(entry->d_name, "metadata") != 0;
}

static int read_trace(struct traced *traced, const char *dir)
{
	int status = EXIT_FINE, i, count;
	struct dirent **entries = NULL;
	struct trace_file file;
	char *path;

	count = scandir(dir, &entries, is_stream, versionsort);
	if (count <= 0)
		return fail_with(EXIT_USAGE, "%s has no stream of a trace", dir);
	for (i = 0; i < count; i++) {
		if (status == EXIT_FINE && asprintf(&path, "%s/%s", dir, entries[i]->d_name) >= 0) {
			status = trace_file_open(&file, path);
			if (status == EXIT_FINE) {
				status = traced_packets(traced, path, file.bytes, file.size);
				trace_file_close(&file);
			}
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
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
