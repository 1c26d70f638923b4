// SPDX-License-Identifier: MIT
/*
 * perf.data (tools/perf/Documentation/perf.data-file-format.txt). Its records are those of the
 * rings, one ring after another, and FINISHED_ROUND after each time that all rings were read: what
 * comes then is not before the newest time of the round before that one.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "traces/lint_formats.h"

/* Of perf itself, not the kernel. */
#define RECORD_USER 64
#define RECORD_FINISHED_ROUND 68
#define RECORD_AUXTRACE 71
#define RECORD_COMPRESSED 81
#define RECORD_COMPRESSED2 83
#define RECORD_USER_LAST 83

/* What an interrupt writes comes before the record that it interrupts, which has its time already.
 */
#define INTERRUPTED_NS 1000000
#define ATTRS_MOST 64
#define LOST_MOST (UINT64_C(1) << 40)

struct perf_section {
	uint64_t offset, size;
};

struct perf_header {
	uint64_t magic, size, attr_size;
	struct perf_section attrs, data;
};

struct perf_reading {
	struct lint *lint;
	const struct trace_file *file;
	struct trace_fault *fault;
	struct perf_kind {
		uint64_t sample_type; /* which fields a sample has */
		struct perf_section ids;
		bool sample_id_all;
	} kinds[ATTRS_MOST];
	unsigned int count;
	uint64_t newest, round, floor; /* times: of all, at the end of the last round, before it */
	unsigned int late; /* how many records in a row are before the floor */
};

/* `bytes` at the offset; false: the file has not so much. */
static bool get(struct perf_reading *perf, uint64_t offset, void *to, uint64_t bytes)
{
	if (offset > perf->file->size || bytes > perf->file->size - offset)
		return trace_fault(perf->fault, offset,
				   "truncated: fewer than %" PRIu64 " bytes left", bytes);
	memcpy(to, perf->file->bytes + offset, bytes);
	return true;
}

static bool read_kinds(struct perf_reading *perf, const struct perf_header *header)
{
	uint64_t stride = header->attr_size, at = header->attrs.offset, count;
	struct perf_event_attr attr;
	struct perf_kind *kind;

	count = stride ? header->attrs.size / stride : 0;
	if (stride < PERF_ATTR_SIZE_VER0 + sizeof(kind->ids) || !count || count > ATTRS_MOST)
		return trace_fault(perf->fault, 16, "no list of 1 to %d events", ATTRS_MOST);
	for (; perf->count < count; at += stride) {
		kind = &perf->kinds[perf->count++];
		if (!get(perf, at, &attr, PERF_ATTR_SIZE_VER0) ||
		    !get(perf, at + stride - sizeof(kind->ids), &kind->ids, sizeof(kind->ids)))
			return false;
		kind->sample_type = attr.sample_type;
		kind->sample_id_all = attr.sample_id_all;
		if (!(kind->sample_type & PERF_SAMPLE_TIME))
			return trace_fault(perf->fault, at,
					   "its events have no time: perf record --timestamp");
		if ((kind->sample_type ^ perf->kinds[0].sample_type) & PERF_SAMPLE_IDENTIFIER)
			return trace_fault(perf->fault, at, "events cannot be told apart");
	}
	return true;
}

/* Of which kind is a record that has its identifier there? */
static const struct perf_kind *kind_of(struct perf_reading *perf, uint64_t at)
{
	uint64_t id = 0, one = 0, i, n;

	if (perf->count == 1 || !(perf->kinds[0].sample_type & PERF_SAMPLE_IDENTIFIER) ||
	    !get(perf, at, &id, sizeof(id)))
		return perf->kinds;
	for (n = 0; n < perf->count; n++)
		for (i = 0; i < perf->kinds[n].ids.size / sizeof(one); i++)
			if (!get(perf, perf->kinds[n].ids.offset + i * sizeof(one), &one,
				 sizeof(one)) ||
			    one == id)
				return &perf->kinds[n];
	return perf->kinds;
}

static uint64_t field_bytes(uint64_t fields)
{
	return 8 * (uint64_t)__builtin_popcountll(fields);
}

/* The record's time, in the stream of its CPU, or of its thread if it does not say its CPU. */
static void emit(struct perf_reading *perf, uint64_t place, uint64_t time, uint64_t key)
{
	struct lint_event event = { .time = (int64_t)time,
				    .place = place,
				    .least = (int64_t)perf->floor };
	bool by_cpu = !(key >> 32);

	event.stream = lint_stream(perf->lint, key, "%s: %s %" PRIu32, perf->file->path,
				   by_cpu ? "cpu" : "thread", (uint32_t)key);
	/* A thread that moves is in several rings, which are read in any order. */
	event.order = by_cpu ? LINT_ORDERED : LINT_UNORDERED;
	lint_event(perf->lint, &event);
	/* If two records in a row are late, the newest time is wrong, and the records are right. */
	perf->late = time < perf->floor ? perf->late + 1 : 0;
	if (perf->late == 2)
		perf->floor = perf->round = perf->newest = time;
	if (time > perf->newest && (int64_t)time > 0)
		perf->newest = time;
}

/* Fields of 8 bytes each, in this order: thread, time, `between`, CPU. Emits those of a time. */
static void read_fields(struct perf_reading *perf, uint64_t place, uint64_t at, uint64_t fields,
			uint64_t between, bool is_sample)
{
	uint64_t thread = 0, time = 0, cpu = 0, key;

	if (fields & PERF_SAMPLE_TID && get(perf, at, &thread, 8))
		at += 8;
	get(perf, at, &time, 8);
	at += 8 + field_bytes(fields & between);
	if (fields & PERF_SAMPLE_CPU)
		get(perf, at, &cpu, 8);
	key = fields & PERF_SAMPLE_CPU ? (uint32_t)cpu : UINT64_C(1) << 32 | thread >> 32;
	/* What perf itself writes, of processes that are there before it, has the time zero. */
	if (!perf->fault->set && (time || is_sample))
		emit(perf, place, time, key);
}

static void sample(struct perf_reading *perf, uint64_t place, uint64_t bytes)
{
	const uint64_t at = place + sizeof(struct perf_event_header);
	const uint64_t fields = kind_of(perf, at)->sample_type;
	const uint64_t first = fields & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	const uint64_t between = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

	if (bytes < sizeof(struct perf_event_header) +
			    field_bytes(first | (fields & (between | PERF_SAMPLE_TID |
							   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU))))
		trace_fault(perf->fault, place, "a sample is shorter than its fields");
	else
		read_fields(perf, place, at + field_bytes(first), fields, between, true);
}

/* A record that is no sample has these fields at its end, and then the identifier. */
static void other(struct perf_reading *perf, uint64_t at, const struct perf_event_header *header)
{
	const struct perf_kind *kind = kind_of(perf, at + header->size - 8);
	const uint64_t between = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	uint64_t bytes =
		field_bytes(kind->sample_type & (between | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	uint64_t lost = 0;
	bool is_whole;

	bytes *= kind->sample_id_all;
	if (bytes && bytes + sizeof(*header) <= header->size)
		read_fields(perf, at, at + header->size - bytes, kind->sample_type, between, false);
	if (header->type != PERF_RECORD_LOST)
		return;
	is_whole = header->size == sizeof(*header) + 16 || /* and none of those fields */
		   header->size >= sizeof(*header) + 16 + bytes;
	if (is_whole && !get(perf, at + sizeof(*header) + 8, &lost, sizeof(lost)))
		return;
	lint_loss(perf->lint, perf->lint->newest, at, lost,
		  !is_whole ? "a record of lost events, though there is no room for a count" :
		  !lost || lost > LOST_MOST ? "lost events cannot be as many as" :
					      NULL);
}

/* The bytes of the record; 0: a fault. */
static uint64_t record(struct perf_reading *perf, uint64_t at, uint64_t end)
{
	struct perf_event_header header;
	uint64_t more = 0;

	if (!get(perf, at, &header, sizeof(header)))
		return 0;
	if (header.type == RECORD_AUXTRACE && !get(perf, at + sizeof(header), &more, sizeof(more)))
		return 0;
	if (header.size < sizeof(header) || header.size > end - at || more > end - at - header.size)
		return trace_fault(perf->fault, at, "a record of %u bytes does not fit",
				   header.size);
	if (header.type == RECORD_COMPRESSED || header.type == RECORD_COMPRESSED2)
		return trace_fault(perf->fault, at,
				   "compressed records (COMPRESSED%s, type %u) are not read: perf "
				   "inject -i FILE -o NEW, or perf record without -z",
				   header.type == RECORD_COMPRESSED2 ? "2" : "", header.type);
	if (header.type > RECORD_USER_LAST && !*perf->lint->skipped)
		snprintf(perf->lint->skipped, sizeof(perf->lint->skipped),
			 ": records of type %u are unknown here", header.type);
	if (header.type == PERF_RECORD_SAMPLE) {
		sample(perf, at, header.size);
	} else if (header.type == RECORD_FINISHED_ROUND) {
		perf->floor = perf->round;
		perf->round = perf->newest;
	} else if (header.type < RECORD_USER) {
		other(perf, at, &header);
	}
	return perf->fault->set ? 0 : header.size + more;
}

void lint_perf(struct lint *lint, struct trace_file *file, struct trace_fault *fault)
{
	struct perf_reading perf = { .lint = lint, .file = file, .fault = fault };
	struct perf_header header;
	uint64_t at, end, bytes = 1;

	lint->bits = 0;
	lint->back_most = INTERRUPTED_NS;
	if (!get(&perf, 0, &header, sizeof(header)))
		return;
	if (header.size == 16) {
		trace_fault(fault, 8, "perf wrote this into a pipe: perf record -o FILE");
		return;
	}
	if (!read_kinds(&perf, &header))
		return;
	at = header.data.offset;
	end = at + header.data.size;
	if (end < at || end > file->size || !header.data.size) {
		trace_fault(fault, 40,
			    "truncated, or perf record was killed: its header counts %" PRIu64
			    " bytes of records",
			    header.data.size);
		end = at < file->size ? file->size : at;
	}
	for (; at < end && bytes; at += bytes)
		bytes = record(&perf, at, end);
}
