/* SPDX-License-Identifier: MIT */
/*
 * Reads a CTF stream file by its metadata: packet by packet, event by event.
 *
 * Events with a short header (an id, the low bits of the clock, nothing that a variant would add)
 * and a payload of constant size are decoded by a plan that is made of the metadata once; all
 * others field by field. A header is short if its id, and what else a variant in it hangs on (the
 * size of the large headers), chooses options of no bits.
 */
#ifndef STAMPEDE_TRACES_CTF_READ_H
#define STAMPEDE_TRACES_CTF_READ_H

#include "traces/trace_file.h"
#include "traces/tsdl.h"

/* An integer field of a record, or a text (value NULL bytes); see ctf_event_fields(). */
typedef void ctf_integer_fn(void *arg, const struct ctf_field *field, uint64_t value);

/*
 * How short headers of a stream look, and how many bytes each of their ids makes. Two words of 8
 * bytes are loaded: one has the id and what else has to be right, the other the time.
 */
struct ctf_plan {
	uint32_t id_byte; /* of the first word in the header */
	uint32_t id_shift;
	uint32_t id_mask;
	uint32_t guard_shift; /* in the first word */
	uint64_t guard_mask; /* 0: nothing else */
	uint64_t guard_low; /* the field is in [low, low + span], or the header is not short */
	uint64_t guard_span;
	uint32_t time_byte; /* of the second word */
	uint32_t time_shift;
	uint32_t time_bits;
	bool varlen; /* the time is a LEB128 behind the id, and header_bytes without it */
	bool one_word; /* the first word has the time, too, from its beginning the id, no guard */
	uint32_t header_bytes; /* 0: there is no plan */
	uint32_t align_bytes; /* of the records */
	uint32_t ids;
	const uint32_t *record_bytes; /* by id; 0: field by field */
};

/* Makes the plan of `stream`; record_bytes is to be freed. False: no memory. */
bool ctf_plan_make(const struct ctf_stream *stream, struct ctf_plan *plan);

/* The bytes of `type` if it is whole bytes, always as many, and needs no more alignment than
 * `align_bytes`; -1 otherwise. */
int64_t ctf_fixed_bytes(const struct ctf_type *type, uint32_t align_bytes);

struct ctf_packet {
	uint64_t offset; /* in the file, bytes */
	uint64_t bytes; /* padding at the end included */
	uint64_t content_bits;
	uint64_t begin; /* clock; 0 if the trace says nothing */
	uint64_t end;
	bool has_begin, has_end;
	uint64_t sequence;
	bool has_sequence;
	uint64_t discarded; /* up to its end */
	uint64_t cpu;
	uint64_t first_bit; /* of the first event, from the packet's start */
	const struct ctf_stream *stream;
};

struct ctf_counts {
	uint64_t packets;
	uint64_t empty_packets;
	uint64_t content_bits; /* of the packets, headers included, padding at their ends not */
	uint64_t missing_packets; /* by their sequence numbers */
	uint64_t discarded; /* events, by the last packet of each stream */
	uint64_t events;
	uint64_t payload_bytes;
	uint64_t extended; /* events that carry the whole clock or more of it than the short ones */
	uint64_t backward; /* times that go back, packets that begin too early */
};

#define CTF_STREAMS_MOST 64

struct ctf_reader {
	const struct ctf_metadata *metadata;
	const uint8_t *bytes; /* of the file */
	uint64_t size;
	uint64_t *slots;
	struct ctf_plan plans[CTF_STREAMS_MOST]; /* in the order of the metadata's streams */
	const struct ctf_plan *plan; /* of the packet's stream */
	bool no_plan; /* field by field always: to check the plans */

	/* where it stands */
	struct ctf_packet packet;
	uint64_t bit; /* in the packet */
	uint64_t time;
	uint64_t id; /* of the event whose header was just read */
	uint32_t clock_bits; /* of the widest clock field in it */
	uint64_t budget; /* of steps that the current record may still take */
	bool any;
	uint64_t packet_end; /* end stamp of the packet before */
	uint64_t next_sequence;
	ctf_integer_fn *integer; /* who wants to see integers; NULL: nobody */
	void *arg;
	struct ctf_counts counts;
	struct trace_fault fault; /* ends the reading */
	struct trace_fault backward; /* the first time that cannot be right, which does not */
};

/* False: no memory, or too many streams; a line on stderr says so. */
bool ctf_reader_open(struct ctf_reader *reader, const struct ctf_metadata *metadata,
		     const uint8_t *bytes, uint64_t size);
void ctf_reader_close(struct ctf_reader *reader);

/* Reads the packet header at `offset` into reader->packet. False: a fault. */
bool ctf_packet_read(struct ctf_reader *reader, uint64_t offset);

/* Stands on the first event of the packet at `offset`, as the next of the stream. */
bool ctf_packet_open(struct ctf_reader *reader, uint64_t offset);

/* The next events of the packet; 0 at its end, or at a fault. `batch` has TRACE_BATCH places. */
uint32_t ctf_batch(struct ctf_reader *reader, struct trace_event *batch);

/*
 * Shows all integers of the context and fields of `event`, which is out of the last batch, to
 * `integer`. False: a fault.
 */
bool ctf_event_fields(struct ctf_reader *reader, const struct trace_event *event,
		      ctf_integer_fn *integer, void *arg);

/* ---- of the field by field reader, shared by its files ---- */

/* Reads a field of `type` at reader->bit. False: a fault. */
bool ctf_walk(struct ctf_reader *reader, const struct ctf_type *type,
	      const struct ctf_field *field);

/* A fault at the bit where the reader stands. */
bool ctf_fault_here(struct ctf_reader *reader, const char *what);

#endif
