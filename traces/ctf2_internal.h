/* SPDX-License-Identifier: MIT */
/* Inside the parser of CTF 2 metadata. */
#ifndef STAMPEDE_TRACES_CTF2_INTERNAL_H
#define STAMPEDE_TRACES_CTF2_INTERNAL_H

#include <jansson.h>

#include "traces/tsdl_internal.h"

/* The structures that a packet and an event consist of, in their order. */
enum ctf2_root {
	CTF2_PACKET_HEADER,
	CTF2_PACKET_CONTEXT,
	CTF2_EVENT_HEADER,
	CTF2_COMMON_CONTEXT,
	CTF2_SPECIFIC_CONTEXT,
	CTF2_PAYLOAD,
	CTF2_ROOTS,
};

/* The structures around the place that is read, from the inside. */
struct ctf2_scope {
	const struct ctf_type *type;
	const struct ctf2_scope *outer;
};

struct ctf2_parser {
	struct tsdl_parser *tsdl; /* memory, faults, and the events so far */
	size_t offset; /* of the fragment in the text */
	unsigned int number; /* of the fragment, counted from 1 */
	const char *kind; /* its type */
	char where[80]; /* names of members down to where it reads */
	json_t *aliases; /* field classes by name */
	json_t *clock_ids; /* of clock classes */
	bool has_clock; /* the data stream class that is read */
	enum ctf2_root root; /* that is read */
	struct ctf_type *roots[CTF2_ROOTS]; /* those that lie before, and itself */
	unsigned int nesting;
};

/* A fault in `property` of what is read, and always false. */
bool ctf2_fault(struct ctf2_parser *parser, const char *property, const char *what);

/* A fault if `object` has a property that is none of `known`, words with blanks around each. */
bool ctf2_known(struct ctf2_parser *parser, const json_t *object, const char *known);

/* Memory; NULL after a fault. */
void *ctf2_new(struct ctf2_parser *parser, size_t bytes);

/* A property that may be missing, which leaves *value as it is. False: a fault. */
bool ctf2_number(struct ctf2_parser *parser, const json_t *object, const char *property,
		 uint64_t least, uint64_t most, uint64_t *value);
/* Text that is kept; its default is "". */
bool ctf2_text(struct ctf2_parser *parser, const json_t *object, const char *property,
	       const char **text);

/*
 * Reads the field class `json`, or the alias that it names, into *place, which is set before what
 * is inside of it is read. `field` is what holds it, or NULL: an element.
 */
bool ctf2_class(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		struct ctf_field *field, struct ctf_type **place);

/*
 * Finds the fields that `property` of `object` leads to, gives them a slot and `type` the same.
 * *selector is one of them; all of them are integers of its signedness.
 */
bool ctf2_locate(struct ctf2_parser *parser, const json_t *object, const char *property,
		 const struct ctf2_scope *scope, struct ctf_type *type,
		 const struct ctf_type **selector);

#endif
