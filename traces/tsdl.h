/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a CTF trace, parsed: which fields packets and events consist of. Of CTF 1.8
 * (TSDL), or of CTF 2 (JSON: traces/ctf2.c), which is known by its first byte; the tree is the
 * same.
 *
 * Of TSDL are read all types (integer, floating_point, string, enum, struct, variant, array,
 * sequence), aliases and scopes; trace, clock, stream and event blocks; env and callsite blocks are
 * skipped. As text or in metadata packets; little endian (single byte-aligned integers may be big
 * endian).
 */
#ifndef STAMPEDE_TRACES_TSDL_H
#define STAMPEDE_TRACES_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/trace_file.h"

enum ctf_kind {
	CTF_INTEGER, /* with labels: an enum */
	CTF_VARLEN, /* LEB128 */
	CTF_FLOAT,
	CTF_STRING,
	CTF_STRUCT,
	CTF_VARIANT,
	CTF_ARRAY,
	CTF_SEQUENCE,
};

struct ctf_label {
	const char *name;
	uint64_t low, high; /* both included; of a signed enum as int64_t */
};

/* Values of its tag for which a variant is one of its options. */
struct ctf_choice {
	uint64_t low, high; /* both included */
	uint32_t option;
};

#define CTF_NO_SLOT UINT32_MAX

/*
 * What a field means, by its name in CTF 1.8 and by its role in CTF 2, in packet headers, packet
 * contexts and event headers.
 */
enum ctf_role {
	CTF_ROLE_NONE,
	CTF_ROLE_ID,
	CTF_ROLE_MAGIC,
	CTF_ROLE_STREAM_ID,
	CTF_ROLE_CONTENT_SIZE,
	CTF_ROLE_PACKET_SIZE,
	CTF_ROLE_BEGIN,
	CTF_ROLE_END,
	CTF_ROLE_SEQUENCE,
	CTF_ROLE_DISCARDED,
	CTF_ROLE_UUID,
	CTF_ROLE_CPU,
};

struct ctf_field {
	const char *name;
	struct ctf_type *type;
	uint32_t slot; /* where its value goes because a variant or sequence hangs on it */
	enum ctf_role role;
};

struct ctf_type {
	enum ctf_kind kind;
	uint32_t align; /* bits, a power of two */
	/* integer, float; string: of a character */
	uint32_t size; /* bits, 1..64 */
	bool is_signed;
	bool is_text; /* elements of it make a string */
	bool big_endian;
	bool is_truth; /* a boolean */
	bool clock; /* the low bits of the clock */
	const struct ctf_label *labels;
	uint32_t label_count;
	/* struct, variant */
	struct ctf_field *fields; /* a variant's options */
	uint32_t count;
	/* variant */
	const struct ctf_choice *choices; /* the first that fits counts */
	uint32_t choice_count;
	bool tag_is_signed;
	bool optional; /* for all other values it is nothing, and no fault */
	/* variant, sequence */
	const char *tag; /* path of the field that chooses or counts */
	uint32_t slot; /* that field's */
	/* array, sequence */
	struct ctf_type *element;
	uint64_t length; /* of an array */
	uint32_t offset; /* in the text, where it is declared */
};

struct ctf_event {
	uint64_t id;
	uint64_t stream_id;
	const char *name;
	struct ctf_type *context; /* NULL: none */
	struct ctf_type *fields;
	struct ctf_event *next;
};

struct ctf_stream {
	uint64_t id;
	struct ctf_type *packet_context; /* NULL: none */
	struct ctf_type *event_header;
	struct ctf_type *event_context;
	struct ctf_event **events; /* by id */
	uint32_t event_count;
	struct ctf_stream *next;
};

struct ctf_clock {
	const char *name;
	uint64_t hz;
	int64_t offset_s;
	int64_t offset; /* ticks */
};

struct tsdl_arena;

struct ctf_metadata {
	struct ctf_type *packet_header; /* NULL: none */
	struct ctf_stream *streams;
	struct ctf_clock clock; /* the first */
	unsigned int clocks;
	bool has_uuid;
	uint8_t uuid[16];
	uint32_t slots;
	struct tsdl_arena *arena;
};

/*
 * Parses `bytes` of metadata. False: `fault` has the offset in the file and the reason. Free in
 * both cases.
 */
bool tsdl_parse(const uint8_t *bytes, size_t size, struct ctf_metadata *metadata,
		struct trace_fault *fault);

void tsdl_free(struct ctf_metadata *metadata);

/* The stream or event class with this id, or NULL. */
const struct ctf_stream *tsdl_stream(const struct ctf_metadata *metadata, uint64_t id);
const struct ctf_event *tsdl_event(const struct ctf_stream *stream, uint64_t id);

/* The option that `value` of the variant's tag chooses, or NULL. */
const struct ctf_field *tsdl_option(const struct ctf_type *variant, uint64_t value);

#endif
