// SPDX-License-Identifier: MIT
/* Field classes of CTF 2, as the types that the reader walks. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "traces/ctf2_internal.h"

#define ALIGN_MOST (1u << 20)
#define CHOICES_MOST 4096

typedef bool class_fn(struct ctf2_parser *parser, const json_t *json,
		      const struct ctf2_scope *scope, struct ctf_field *field,
		      struct ctf_type *type);

static struct ctf_type *new_type(struct ctf2_parser *parser, enum ctf_kind kind, uint32_t size)
{
	struct ctf_type *type = ctf2_new(parser, sizeof(*type));

	if (type)
		*type = (struct ctf_type){
			.kind = kind, .align = 1, .size = size, .slot = CTF_NO_SLOT
		};
	return type;
}

static bool is(const json_t *json, const char *text)
{
	return json_is_string(json) && !strcmp(json_string_value(json), text);
}

/* ---- roles ---- */

struct role {
	const char *name;
	enum ctf2_root root; /* where it may be */
	enum ctf_role role;
	bool clock;
};

static const struct role roles[] = {
	{ "packet-magic-number", CTF2_PACKET_HEADER, CTF_ROLE_MAGIC, false },
	{ "data-stream-class-id", CTF2_PACKET_HEADER, CTF_ROLE_STREAM_ID, false },
	{ "data-stream-id", CTF2_PACKET_HEADER, CTF_ROLE_NONE, false },
	{ "metadata-stream-uuid", CTF2_PACKET_HEADER, CTF_ROLE_UUID, false },
	{ "default-clock-timestamp", CTF2_PACKET_CONTEXT, CTF_ROLE_BEGIN, true },
	{ "packet-end-default-clock-timestamp", CTF2_PACKET_CONTEXT, CTF_ROLE_END, true },
	{ "packet-content-length", CTF2_PACKET_CONTEXT, CTF_ROLE_CONTENT_SIZE, false },
	{ "packet-total-length", CTF2_PACKET_CONTEXT, CTF_ROLE_PACKET_SIZE, false },
	{ "packet-sequence-number", CTF2_PACKET_CONTEXT, CTF_ROLE_SEQUENCE, false },
	{ "discarded-event-record-counter-snapshot", CTF2_PACKET_CONTEXT, CTF_ROLE_DISCARDED,
	  false },
	{ "event-record-class-id", CTF2_EVENT_HEADER, CTF_ROLE_ID, false },
	{ "default-clock-timestamp", CTF2_EVENT_HEADER, CTF_ROLE_NONE, true },
};

static const struct role *find_role(const struct ctf2_parser *parser, const char *name)
{
	unsigned int i;

	for (i = 0; name && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (roles[i].root == parser->root && !strcmp(roles[i].name, name))
			return &roles[i];
	return NULL;
}

static bool read_roles(struct ctf2_parser *parser, const json_t *json, struct ctf_field *field,
		       struct ctf_type *type)
{
	const json_t *list = json_object_get(json, "roles"), *name;
	const struct role *role;
	size_t i;

	if (list && (!json_is_array(list) || type->is_signed))
		return ctf2_fault(parser, "roles", "not of such a class");
	json_array_foreach(list, i, name) {
		role = find_role(parser, json_string_value(name));
		if (!role || !field)
			return ctf2_fault(parser, "roles", "one that is not known here");
		if (role->clock && !parser->has_clock)
			return ctf2_fault(parser, "roles", "a time without a default clock");
		if ((role->role == CTF_ROLE_UUID) != (type->kind == CTF_ARRAY) ||
		    (role->role == CTF_ROLE_MAGIC &&
		     (type->kind != CTF_INTEGER || type->size != 32)))
			return ctf2_fault(parser, "roles", "not of such a class");
		if (field->role != CTF_ROLE_NONE && role->role != CTF_ROLE_NONE)
			return ctf2_fault(parser, "roles", "two for one field");
		if (role->role != CTF_ROLE_NONE)
			field->role = role->role;
		/* A packet's begin and end are not the low bits of something before them. */
		if (role->clock && parser->root == CTF2_EVENT_HEADER)
			type->clock = true;
	}
	return true;
}

/* ---- scalars ---- */

static bool alignment(struct ctf2_parser *parser, const json_t *json, const char *property,
		      struct ctf_type *type)
{
	uint64_t align = type->align;

	if (!ctf2_number(parser, json, property, 1, ALIGN_MOST, &align))
		return false;
	if (align & (align - 1))
		return ctf2_fault(parser, property, "no power of two");
	type->align = (uint32_t)align;
	return true;
}

/* What more than 64 bits have in common: nobody is shown them. */
static bool wide(struct ctf2_parser *parser, struct ctf_type *type, uint64_t bits)
{
	type->kind = CTF_ARRAY;
	type->size = 0;
	type->length = bits;
	type->element = new_type(parser, CTF_INTEGER, 1);
	return type->element;
}

/* Length, alignment and order of bits. */
static bool fixed(struct ctf2_parser *parser, const json_t *json, struct ctf_type *type)
{
	const json_t *order = json_object_get(json, "byte-order");
	const json_t *bits = json_object_get(json, "bit-order");
	bool integer = strstr(json_string_value(json_object_get(json, "type")), "integer");
	uint64_t length = 0;

	if (!ctf2_number(parser, json, "length", 1, integer ? 64 : UINT32_MAX / 64, &length) ||
	    !alignment(parser, json, "alignment", type))
		return false;
	if (!length)
		return ctf2_fault(parser, "length", "missing");
	if (!is(order, "little-endian") && !is(order, "big-endian"))
		return ctf2_fault(parser, "byte-order", "missing, or none");
	type->big_endian = is(order, "big-endian");
	if (bits && !is(bits, type->big_endian ? "last-to-first" : "first-to-last"))
		return ctf2_fault(parser, "bit-order", "another than that of the byte order");
	if (type->big_endian && length % 8)
		return ctf2_fault(parser, "byte-order", "big-endian bit fields are not read");
	type->size = (uint32_t)length;
	return length <= 64 || wide(parser, type, length);
}

static bool fixed_integer(struct ctf2_parser *parser, const json_t *json,
			  const struct ctf2_scope *scope, struct ctf_field *field,
			  struct ctf_type *type)
{
	(void)scope;
	type->is_signed = is(json_object_get(json, "type"), "fixed-length-signed-integer");
	return fixed(parser, json, type) && read_roles(parser, json, field, type);
}

static bool bit_array(struct ctf2_parser *parser, const json_t *json,
		      const struct ctf2_scope *scope, struct ctf_field *field,
		      struct ctf_type *type)
{
	(void)scope;
	(void)field;
	type->is_truth = is(json_object_get(json, "type"), "fixed-length-boolean");
	return fixed(parser, json, type);
}

static bool floating(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		     struct ctf_field *field, struct ctf_type *type)
{
	(void)scope;
	(void)field;
	type->kind = CTF_FLOAT;
	if (!fixed(parser, json, type))
		return false;
	return json_number(json, "length") == 16 || !((uint64_t)json_number(json, "length") % 32) ||
	       ctf2_fault(parser, "length", "none of a floating point number");
}

static bool varlen(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		   struct ctf_field *field, struct ctf_type *type)
{
	(void)scope;
	type->kind = CTF_VARLEN;
	type->align = 8;
	type->is_signed = is(json_object_get(json, "type"), "variable-length-signed-integer");
	return read_roles(parser, json, field, type);
}

/* ---- texts and blobs: of bytes ---- */

/* Bits of a character. */
static bool encoding(struct ctf2_parser *parser, const json_t *json, uint32_t *bits)
{
	const json_t *name = json_object_get(json, "encoding");

	if (!name || is(name, "utf-8"))
		*bits = 8;
	else if (is(name, "utf-16be") || is(name, "utf-16le"))
		*bits = 16;
	else if (is(name, "utf-32be") || is(name, "utf-32le"))
		*bits = 32;
	else
		return ctf2_fault(parser, "encoding", "not known");
	return true;
}

static bool string(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		   struct ctf_field *field, struct ctf_type *type)
{
	(void)scope;
	(void)field;
	type->kind = CTF_STRING;
	type->align = 8;
	return encoding(parser, json, &type->size);
}

static bool some_bytes(struct ctf2_parser *parser, struct ctf_type *type)
{
	type->element = new_type(parser, CTF_INTEGER, 8);
	if (!type->element)
		return false;
	type->align = type->element->align = 8;
	return true;
}

static bool static_length(struct ctf2_parser *parser, const json_t *json, struct ctf_type *type)
{
	type->kind = CTF_ARRAY;
	type->length = UINT64_MAX;
	if (!ctf2_number(parser, json, "length", 0, INT64_MAX, &type->length))
		return false;
	return type->length != UINT64_MAX || ctf2_fault(parser, "length", "missing");
}

static bool static_bytes(struct ctf2_parser *parser, const json_t *json,
			 const struct ctf2_scope *scope, struct ctf_field *field,
			 struct ctf_type *type)
{
	uint32_t bits;

	(void)scope;
	return encoding(parser, json, &bits) && static_length(parser, json, type) &&
	       some_bytes(parser, type) && read_roles(parser, json, field, type);
}

static bool dynamic_length(struct ctf2_parser *parser, const json_t *json,
			   const struct ctf2_scope *scope, struct ctf_type *type)
{
	const struct ctf_type *length;

	type->kind = CTF_SEQUENCE;
	if (!ctf2_locate(parser, json, "length-field-location", scope, type, &length))
		return false;
	return (!length->is_signed && !length->is_truth) ||
	       ctf2_fault(parser, "length-field-location", "no unsigned integer");
}

static bool dynamic_bytes(struct ctf2_parser *parser, const json_t *json,
			  const struct ctf2_scope *scope, struct ctf_field *field,
			  struct ctf_type *type)
{
	uint32_t bits;

	(void)field;
	return encoding(parser, json, &bits) && dynamic_length(parser, json, scope, type) &&
	       some_bytes(parser, type);
}

/* ---- arrays and structures ---- */

static bool elements(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		     struct ctf_type *type)
{
	if (!ctf2_class(parser, json_object_get(json, "element-field-class"), scope, NULL,
			&type->element) ||
	    !alignment(parser, json, "minimum-alignment", type))
		return false;
	if (type->element->align > type->align)
		type->align = type->element->align;
	return true;
}

static bool static_array(struct ctf2_parser *parser, const json_t *json,
			 const struct ctf2_scope *scope, struct ctf_field *field,
			 struct ctf_type *type)
{
	(void)field;
	return static_length(parser, json, type) && elements(parser, json, scope, type);
}

static bool dynamic_array(struct ctf2_parser *parser, const json_t *json,
			  const struct ctf2_scope *scope, struct ctf_field *field,
			  struct ctf_type *type)
{
	(void)field;
	return dynamic_length(parser, json, scope, type) && elements(parser, json, scope, type);
}

/* One field more, which `type` has before what is in it is read. NULL: a fault. */
static bool add_field(struct ctf2_parser *parser, const json_t *json, const char *name,
		      const struct ctf2_scope *scope, struct ctf_type *type)
{
	struct ctf_field *field = &type->fields[type->count++];
	size_t length = strlen(parser->where);

	*field = (struct ctf_field){ .name = name, .slot = CTF_NO_SLOT };
	/* The one number of a packet that CTF 2 has no role for. */
	if (parser->root == CTF2_PACKET_CONTEXT && !strcmp(name, "cpu_id"))
		field->role = CTF_ROLE_CPU;
	snprintf(parser->where + length, sizeof(parser->where) - length, ".%s", name);
	if (!ctf2_class(parser, json_object_get(json, "field-class"), scope, field, &field->type))
		return false;
	parser->where[length] = '\0';
	return true;
}

static bool structure(struct ctf2_parser *parser, const json_t *json,
		      const struct ctf2_scope *scope, struct ctf_field *field,
		      struct ctf_type *type)
{
	const json_t *members = json_object_get(json, "member-classes"), *member;
	struct ctf2_scope inner = { type, scope };
	const char *name;
	uint32_t j;
	size_t i;

	(void)field;
	type->kind = CTF_STRUCT;
	type->fields = ctf2_new(parser, (json_array_size(members) + 1) * sizeof(*type->fields));
	if (!type->fields || !alignment(parser, json, "minimum-alignment", type))
		return false;
	if (members && !json_is_array(members))
		return ctf2_fault(parser, "member-classes", "no list");
	json_array_foreach(members, i, member) {
		if (!json_string_value(json_object_get(member, "name")))
			return ctf2_fault(parser, "member-classes", "a member without a name");
		if (!ctf2_known(parser, member, " name field-class extensions ") ||
		    !ctf2_text(parser, member, "name", &name))
			return false;
		for (j = 0; j < type->count && type->count < CHOICES_MOST; j++)
			if (!strcmp(type->fields[j].name, name))
				return ctf2_fault(parser, name, "a second member of this name");
		if (!add_field(parser, member, name, &inner, type))
			return false;
		if (type->fields[i].type->align > type->align)
			type->align = type->fields[i].type->align;
	}
	return true;
}

/* ---- variants and optional fields ---- */

/* Adds the ranges that `object` has for an option. */
static bool add_ranges(struct ctf2_parser *parser, const json_t *object, struct ctf_type *type,
		       struct ctf_choice *choices, uint32_t option)
{
	const json_t *ranges = json_object_get(object, "selector-field-ranges"), *range;
	json_int_t low, high;
	uint32_t j;
	size_t i;

	if (!json_array_size(ranges))
		return ctf2_fault(parser, "selector-field-ranges", "none");
	json_array_foreach(ranges, i, range) {
		low = json_integer_value(json_array_get(range, 0));
		high = json_integer_value(json_array_get(range, 1));
		if (json_array_size(range) != 2 || low > high ||
		    !json_is_integer(json_array_get(range, 0)) ||
		    !json_is_integer(json_array_get(range, 1)) || (low < 0 && !type->tag_is_signed))
			return ctf2_fault(parser, "selector-field-ranges", "no range");
		for (j = 0; j < type->choice_count; j++)
			if (choices[j].option != option && (int64_t)choices[j].low <= high &&
			    (int64_t)choices[j].high >= low)
				return ctf2_fault(parser, "selector-field-ranges",
						  "of two options at once");
		if (type->choice_count == CHOICES_MOST)
			return ctf2_fault(parser, "selector-field-ranges", "too many");
		choices[type->choice_count++] =
			(struct ctf_choice){ (uint64_t)low, (uint64_t)high, option };
	}
	return true;
}

/* How many ranges all options have. */
static size_t count_ranges(const json_t *options)
{
	const json_t *option;
	size_t count = 0, i;

	json_array_foreach(options, i, option)
		count += json_array_size(json_object_get(option, "selector-field-ranges"));
	return count < CHOICES_MOST ? count : CHOICES_MOST;
}

static bool variant(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		    struct ctf_field *field, struct ctf_type *type)
{
	const json_t *options = json_object_get(json, "options"), *option;
	const struct ctf_type *tag;
	struct ctf_choice *choices;
	const char *name;
	size_t i;

	type->kind = CTF_VARIANT;
	type->tag = "selector";
	if (!json_array_size(options))
		return ctf2_fault(parser, "options", "none");
	choices = ctf2_new(parser, (count_ranges(options) + 1) * sizeof(*choices));
	type->choices = choices;
	type->fields = ctf2_new(parser, json_array_size(options) * sizeof(*type->fields));
	if (!choices || !type->fields ||
	    !ctf2_locate(parser, json, "selector-field-location", scope, type, &tag))
		return false;
	if (tag->is_truth)
		return ctf2_fault(parser, "selector-field-location", "no integer field");
	type->tag_is_signed = tag->is_signed;
	json_array_foreach(options, i, option) {
		/* Without a name of its own it has that of the variant. */
		name = field ? field->name : "";
		if (!ctf2_known(parser, option,
				" name field-class selector-field-ranges extensions ") ||
		    (json_object_get(option, "name") &&
		     !ctf2_text(parser, option, "name", &name)) ||
		    !add_ranges(parser, option, type, choices, (uint32_t)i) ||
		    !add_field(parser, option, name, scope, type))
			return false;
	}
	return true;
}

static bool optional(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		     struct ctf_field *field, struct ctf_type *type)
{
	size_t count = json_array_size(json_object_get(json, "selector-field-ranges"));
	struct ctf_choice *choices;
	const struct ctf_type *tag;

	type->kind = CTF_VARIANT;
	type->optional = true;
	choices = ctf2_new(parser, (count + 1) * sizeof(*choices));
	type->choices = choices;
	type->fields = ctf2_new(parser, sizeof(*type->fields));
	if (!choices || !type->fields ||
	    !ctf2_locate(parser, json, "selector-field-location", scope, type, &tag))
		return false;
	type->tag_is_signed = tag->is_signed;
	if (tag->is_truth != !json_object_get(json, "selector-field-ranges"))
		return ctf2_fault(parser, "selector-field-ranges",
				  "of a boolean, or missing for a number");
	if (!tag->is_truth && !add_ranges(parser, json, type, choices, 0))
		return false;
	if (tag->is_truth)
		choices[type->choice_count++] = (struct ctf_choice){ 1, UINT64_MAX, 0 };
	return add_field(parser, json, field ? field->name : "", scope, type);
}

/* ---- all of them ---- */

#define FIXED " length byte-order bit-order alignment extensions "
#define INTEGER "preferred-display-base mappings roles "

static const struct {
	const char *type;
	const char *known;
	class_fn *read;
} kinds[] = {
	{ "fixed-length-unsigned-integer", FIXED INTEGER, fixed_integer },
	{ "fixed-length-signed-integer", FIXED INTEGER, fixed_integer },
	{ "fixed-length-bit-array", FIXED, bit_array },
	{ "fixed-length-bit-map", FIXED "flags ", bit_array },
	{ "fixed-length-boolean", FIXED, bit_array },
	{ "fixed-length-floating-point-number", FIXED, floating },
	{ "variable-length-unsigned-integer", " extensions " INTEGER, varlen },
	{ "variable-length-signed-integer", " extensions " INTEGER, varlen },
	{ "null-terminated-string", " encoding extensions ", string },
	{ "static-length-string", " length encoding extensions ", static_bytes },
	{ "static-length-blob", " length media-type roles extensions ", static_bytes },
	{ "dynamic-length-string", " length-field-location encoding extensions ", dynamic_bytes },
	{ "dynamic-length-blob", " length-field-location media-type extensions ", dynamic_bytes },
	{ "structure", " member-classes minimum-alignment extensions ", structure },
	{ "static-length-array", " element-field-class minimum-alignment length extensions ",
	  static_array },
	{ "dynamic-length-array",
	  " element-field-class minimum-alignment length-field-location extensions ",
	  dynamic_array },
	{ "optional", " field-class selector-field-location selector-field-ranges extensions ",
	  optional },
	{ "variant", " options selector-field-location extensions ", variant },
};

bool ctf2_class(struct ctf2_parser *parser, const json_t *json, const struct ctf2_scope *scope,
		struct ctf_field *field, struct ctf_type **place)
{
	const char *name;
	unsigned int i;
	bool good;

	if (json_is_string(json))
		json = json_object_get(parser->aliases, json_string_value(json));
	if (!json_is_object(json))
		return ctf2_fault(parser, "field-class", "missing, or of no alias before it");
	name = json_string_value(json_object_get(json, "type"));
	for (i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].type))
			break;
	if (!name || i == sizeof(kinds) / sizeof(kinds[0]))
		return ctf2_fault(parser, "type", "no field class that is known");
	if (parser->nesting == TSDL_NESTING_MOST)
		return ctf2_fault(parser, "field-class", "nested too deeply");
	*place = new_type(parser, CTF_INTEGER, 0);
	if (!*place || !ctf2_known(parser, json, kinds[i].known))
		return false;
	parser->nesting++;
	good = kinds[i].read(parser, json, scope, field, *place);
	parser->nesting--;
	return good;
}
