/* SPDX-License-Identifier: MIT */
/* Inside the parsers of metadata: memory, tokens and scopes of TSDL. */
#ifndef STAMPEDE_TRACES_TSDL_INTERNAL_H
#define STAMPEDE_TRACES_TSDL_INTERNAL_H

#include "traces/tsdl.h"

#define TSDL_BYTES_MOST (UINT64_C(16) << 20) /* of memory for one metadata */
#define TSDL_NESTING_MOST 32

/* All that is parsed lives as long as the metadata. NULL: more than TSDL_BYTES_MOST. */
void *tsdl_new(struct tsdl_arena *arena, size_t bytes);
struct tsdl_arena *tsdl_arena_open(void);
void tsdl_arena_close(struct tsdl_arena *arena);

enum tsdl_token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_TEXT,
	TOKEN_SIGN, /* one or several characters that are none of these */
};

struct tsdl_token {
	enum tsdl_token_kind kind;
	size_t offset; /* in the text */
	size_t length;
	uint64_t number;
};

enum tsdl_space {
	SPACE_ALIAS,
	SPACE_STRUCT,
	SPACE_VARIANT,
	SPACE_ENUM,
};

/* A named type; newer ones hide older ones. */
struct tsdl_name {
	enum tsdl_space space;
	const char *name;
	struct ctf_type *type;
	struct tsdl_name *older;
};

/* A packet of the metadata file: where its text went. */
struct tsdl_part {
	size_t text_offset;
	size_t file_offset;
	struct tsdl_part *next;
};

struct tsdl_parser {
	const char *text;
	size_t size;
	struct tsdl_part *parts;
	struct tsdl_token token; /* the next one */
	struct tsdl_arena *arena;
	struct tsdl_name *names;
	struct ctf_metadata *metadata;
	struct trace_fault *fault;
	struct ctf_event *events; /* in the order of their blocks, last first */
	unsigned int nesting;
};

/* The text of the metadata, out of its packets if it has them. False: a fault. */
bool tsdl_text(struct tsdl_parser *parser, const uint8_t *bytes, size_t size);

/* A fault at `offset` of the text, and always false. */
bool tsdl_fault(struct tsdl_parser *parser, size_t offset, const char *what);
/* A fault at the next token: `what` was expected. */
bool tsdl_expected(struct tsdl_parser *parser, const char *what);

/* Steps to the next token. False: a fault. */
bool tsdl_next(struct tsdl_parser *parser);
bool tsdl_at(const struct tsdl_parser *parser, const char *text);
/* Steps over `text` if it is next. *taken says so; false: a fault. */
bool tsdl_take(struct tsdl_parser *parser, const char *text, bool *taken);
/* Steps over `text`, or faults. */
bool tsdl_need(struct tsdl_parser *parser, const char *text);
/* The name, or the text of a string, as a string. */
bool tsdl_name(struct tsdl_parser *parser, const char **name);
/* A whole number with an optional sign. */
bool tsdl_number(struct tsdl_parser *parser, uint64_t *value);

/* A type specifier with no name behind it: an alias takes all names that follow. */
bool tsdl_type(struct tsdl_parser *parser, struct ctf_type **type);
/* A typealias or typedef statement, or a declaration of a named type. */
bool tsdl_declaration(struct tsdl_parser *parser);
bool tsdl_is_declaration(const struct tsdl_parser *parser);
struct ctf_type *tsdl_lookup(struct tsdl_parser *parser, enum tsdl_space space, const char *name);

/*
 * The classes of CTF 2 metadata, whose text begins with the separator of its fragments. False: a
 * fault.
 */
#define TSDL_SEPARATOR '\x1e'
bool ctf2_parse(struct tsdl_parser *parser);

/* Gives every variant and sequence the slot of its tag. False: a fault. */
bool tsdl_resolve(struct tsdl_parser *parser);

#endif
