// SPDX-License-Identifier: MIT
/* Types of TSDL: specifiers, declarators, named types. */
#include <stdio.h>
#include <string.h>

#include "traces/tsdl_internal.h"

static struct ctf_type *new_type(struct tsdl_parser *parser, enum ctf_kind kind)
{
	struct ctf_type *type = tsdl_new(parser->arena, sizeof(*type));

	if (!type) {
		tsdl_fault(parser, parser->token.offset, "more metadata than is read");
		return NULL;
	}
	*type = (struct ctf_type){
		.kind = kind,
		.align = 1,
		.slot = CTF_NO_SLOT,
		.offset = (uint32_t)parser->token.offset,
	};
	return type;
}

static bool is_align(uint64_t align)
{
	return align && !(align & (align - 1)) && align <= 1u << 20;
}

/* A type of its own for every use: what its variants hang on differs by place. */
static struct ctf_type *copy_type(struct tsdl_parser *parser, const struct ctf_type *from,
				  unsigned int depth)
{
	struct ctf_type *type = new_type(parser, from->kind);
	uint32_t i;

	if (!type)
		return NULL;
	if (depth > TSDL_NESTING_MOST) {
		tsdl_fault(parser, from->offset, "types are nested too deeply");
		return NULL;
	}
	*type = *from;
	if (from->element) {
		type->element = copy_type(parser, from->element, depth + 1);
		if (!type->element)
			return NULL;
	}
	if (!from->count)
		return type;
	type->fields = tsdl_new(parser->arena, from->count * sizeof(*type->fields));
	if (!type->fields) {
		tsdl_fault(parser, from->offset, "more metadata than is read");
		return NULL;
	}
	for (i = 0; i < from->count; i++) {
		type->fields[i] = from->fields[i];
		type->fields[i].type = copy_type(parser, from->fields[i].type, depth + 1);
		if (!type->fields[i].type)
			return NULL;
	}
	return type;
}

/* ---- named types ---- */

static const struct tsdl_name *find_name(const struct tsdl_parser *parser, enum tsdl_space space,
					 const char *name)
{
	const struct tsdl_name *entry;

	for (entry = parser->names; entry; entry = entry->older)
		if (entry->space == space && !strcmp(entry->name, name))
			return entry;
	return NULL;
}

struct ctf_type *tsdl_lookup(struct tsdl_parser *parser, enum tsdl_space space, const char *name)
{
	const struct tsdl_name *entry = find_name(parser, space, name);
	char text[120];

	if (entry)
		return copy_type(parser, entry->type, 0);
	snprintf(text, sizeof(text), "no type is called '%.60s'", name);
	tsdl_fault(parser, parser->token.offset, text);
	return NULL;
}

static bool add_name(struct tsdl_parser *parser, enum tsdl_space space, const char *name,
		     struct ctf_type *type)
{
	struct tsdl_name *entry = tsdl_new(parser->arena, sizeof(*entry));

	if (!entry)
		return tsdl_fault(parser, parser->token.offset, "more metadata than is read");
	*entry = (struct tsdl_name){ space, name, type, parser->names };
	parser->names = entry;
	return true;
}

/* ---- integer, floating_point, string ---- */

static bool byte_order(struct tsdl_parser *parser, bool *big_endian)
{
	if (tsdl_at(parser, "be") || tsdl_at(parser, "network"))
		*big_endian = true;
	else if (tsdl_at(parser, "le") || tsdl_at(parser, "native"))
		*big_endian = false; /* no other trace is read */
	else
		return tsdl_expected(parser, "le, be, network or native");
	return tsdl_next(parser);
}

/* Steps over a value of no meaning here, up to its semicolon. */
static bool skip_value(struct tsdl_parser *parser)
{
	while (!tsdl_at(parser, ";") && parser->token.kind != TOKEN_END)
		if (!tsdl_next(parser))
			return false;
	return true;
}

static bool boolean(struct tsdl_parser *parser, bool *value)
{
	if (parser->token.kind == TOKEN_NUMBER)
		*value = parser->token.number;
	else
		*value = tsdl_at(parser, "true") || tsdl_at(parser, "TRUE");
	return tsdl_next(parser);
}

struct attributes {
	uint64_t size, align, exponent, mantissa;
};

static bool attribute(struct tsdl_parser *parser, struct ctf_type *type, struct attributes *found)
{
	const char *name;

	if (!tsdl_name(parser, &name) || !tsdl_need(parser, "="))
		return false;
	if (!strcmp(name, "size"))
		return tsdl_number(parser, &found->size);
	if (!strcmp(name, "align"))
		return tsdl_number(parser, &found->align);
	if (!strcmp(name, "exp_dig"))
		return tsdl_number(parser, &found->exponent);
	if (!strcmp(name, "mant_dig"))
		return tsdl_number(parser, &found->mantissa);
	if (!strcmp(name, "signed"))
		return boolean(parser, &type->is_signed);
	if (!strcmp(name, "byte_order"))
		return byte_order(parser, &type->big_endian);
	if (!strcmp(name, "encoding"))
		type->is_text = !tsdl_at(parser, "none");
	if (!strcmp(name, "map"))
		type->clock = tsdl_at(parser, "clock");
	return skip_value(parser);
}

static bool scalar_type(struct tsdl_parser *parser, enum ctf_kind kind, struct ctf_type **type)
{
	struct attributes found = { .align = 0 };
	size_t offset = parser->token.offset;
	bool braces;

	*type = new_type(parser, kind);
	if (!*type || !tsdl_take(parser, "{", &braces))
		return false;
	while (braces && !tsdl_at(parser, "}"))
		if (!attribute(parser, *type, &found) || !tsdl_need(parser, ";"))
			return false;
	if (braces && !tsdl_next(parser))
		return false;
	if (kind == CTF_STRING) {
		(*type)->align = (*type)->size = 8;
		return true;
	}
	if (kind == CTF_FLOAT)
		found.size = found.exponent + found.mantissa;
	if (!found.size || found.size > 64 || (kind == CTF_FLOAT && found.size % 32))
		return tsdl_fault(parser, offset, "size is not 1 to 64 bits");
	if (!found.align)
		found.align = found.size % 8 ? 1 : 8;
	if (!is_align(found.align))
		return tsdl_fault(parser, offset, "align is no power of two");
	(*type)->size = (uint32_t)found.size;
	(*type)->align = (uint32_t)found.align;
	if ((*type)->big_endian && (found.size % 8 || found.align % 8))
		return tsdl_fault(parser, offset, "big-endian bit fields are not read");
	return true;
}

/* ---- enum ---- */

static bool label(struct tsdl_parser *parser, struct ctf_label *entry, uint64_t *value)
{
	bool taken;

	if (!tsdl_name(parser, &entry->name) || !tsdl_take(parser, "=", &taken))
		return false;
	if (taken && !tsdl_number(parser, value))
		return false;
	entry->low = entry->high = *value;
	if (!tsdl_take(parser, "...", &taken))
		return false;
	if (taken && !tsdl_number(parser, &entry->high))
		return false;
	*value = entry->high + 1;
	return true;
}

static bool labels(struct tsdl_parser *parser, struct ctf_type *type)
{
	struct ctf_label *list = NULL, *more;
	uint32_t count = 0, room = 0;
	uint64_t value = 0;
	bool comma = true;

	while (comma && !tsdl_at(parser, "}")) {
		if (count == room) {
			room = room ? 2 * room : 8;
			more = tsdl_new(parser->arena, room * sizeof(*more));
			if (!more)
				return tsdl_fault(parser, parser->token.offset,
						  "more metadata than is read");
			if (count)
				memcpy(more, list, count * sizeof(*more));
			list = more;
		}
		if (!label(parser, &list[count++], &value) || !tsdl_take(parser, ",", &comma))
			return false;
	}
	type->labels = list;
	type->label_count = count;
	return tsdl_need(parser, "}");
}

/* `struct`, `variant` and `enum` may have a name; then a body, or refer to one that had. */
static bool optional_name(struct tsdl_parser *parser, const char **name)
{
	*name = NULL;
	return parser->token.kind != TOKEN_NAME || tsdl_at(parser, "align") ||
	       tsdl_name(parser, name);
}

static bool refer(struct tsdl_parser *parser, enum tsdl_space space, const char *name,
		  struct ctf_type **type)
{
	if (!name)
		return tsdl_expected(parser, "'{'");
	*type = tsdl_lookup(parser, space, name);
	return *type;
}

static bool enum_type(struct tsdl_parser *parser, struct ctf_type **type)
{
	size_t offset = parser->token.offset;
	const char *name;
	bool taken;

	if (!optional_name(parser, &name) || !tsdl_take(parser, ":", &taken))
		return false;
	if (!taken && !tsdl_at(parser, "{"))
		return refer(parser, SPACE_ENUM, name, type);
	if (taken && !tsdl_type(parser, type))
		return false;
	if (!taken) {
		*type = tsdl_lookup(parser, SPACE_ALIAS, "int");
		if (!*type)
			return false;
	}
	if ((*type)->kind != CTF_INTEGER)
		return tsdl_fault(parser, offset, "an enum is an integer");
	return tsdl_need(parser, "{") && labels(parser, *type) &&
	       (!name || add_name(parser, SPACE_ENUM, name, *type));
}

/* ---- struct and variant ---- */

/* The dotted path up to `close`, and the step over that. */
static bool path_until(struct tsdl_parser *parser, const char *close, const char **path)
{
	const struct tsdl_token *token = &parser->token;
	char text[200];
	size_t length = 0;
	char *copy;

	while (!tsdl_at(parser, close)) {
		if (token->kind == TOKEN_END || token->kind == TOKEN_TEXT ||
		    length + token->length >= sizeof(text))
			return tsdl_expected(parser, "the path of a field");
		memcpy(text + length, parser->text + token->offset, token->length);
		length += token->length;
		if (!tsdl_next(parser))
			return false;
	}
	copy = tsdl_new(parser->arena, length + 1);
	if (!copy)
		return tsdl_fault(parser, token->offset, "more metadata than is read");
	memcpy(copy, text, length);
	*path = copy;
	return tsdl_next(parser);
}

/* The [length]s behind a field's name: an array of arrays from the outside. */
static bool lengths(struct tsdl_parser *parser, struct ctf_type **place)
{
	struct ctf_type *array, *element = *place;
	unsigned int depth = 0;
	bool more;

	for (;;) {
		if (!tsdl_take(parser, "[", &more))
			return false;
		if (!more)
			return true;
		if (++depth > TSDL_NESTING_MOST)
			return tsdl_fault(parser, element->offset, "types are nested too deeply");
		array = new_type(parser,
				 parser->token.kind == TOKEN_NUMBER ? CTF_ARRAY : CTF_SEQUENCE);
		if (!array)
			return false;
		array->element = element;
		array->align = element->align;
		*place = array;
		place = &array->element;
		if (array->kind == CTF_SEQUENCE) {
			if (!path_until(parser, "]", &array->tag))
				return false;
		} else if (!tsdl_number(parser, &array->length) || !tsdl_need(parser, "]")) {
			return false;
		}
	}
}

/* Names one after the other with blanks between; the last one apart if `last` is wanted. */
static bool several_names(struct tsdl_parser *parser, char *names, size_t room, const char **last)
{
	size_t length = 0;
	const char *name = NULL;

	names[0] = '\0';
	while (parser->token.kind == TOKEN_NAME) {
		if (name && length + strlen(name) + 2 > room)
			return tsdl_expected(parser, "a shorter name");
		if (name)
			length += (size_t)sprintf(names + length, "%s%s", length ? " " : "", name);
		if (!tsdl_name(parser, &name))
			return false;
	}
	if (last) {
		*last = name;
		return true;
	}
	if (name && length + strlen(name) + 2 > room)
		return tsdl_expected(parser, "a shorter name");
	if (name)
		sprintf(names + length, "%s%s", length ? " " : "", name);
	return true;
}

static bool is_type_word(const struct tsdl_parser *parser)
{
	return tsdl_at(parser, "struct") || tsdl_at(parser, "variant") || tsdl_at(parser, "enum") ||
	       tsdl_at(parser, "integer") || tsdl_at(parser, "floating_point") ||
	       tsdl_at(parser, "string");
}

/* A type and the name behind it; *name may be NULL: a type was only declared. */
static bool type_and_name(struct tsdl_parser *parser, struct ctf_type **type, const char **name)
{
	char alias[200];

	*name = NULL;
	if (!is_type_word(parser)) {
		if (!several_names(parser, alias, sizeof(alias), name))
			return false;
		if (!*name || !alias[0])
			return tsdl_expected(parser, "a type and a name");
		*type = tsdl_lookup(parser, SPACE_ALIAS, alias);
	} else if (!tsdl_type(parser, type) ||
		   (parser->token.kind == TOKEN_NAME && !tsdl_name(parser, name))) {
		return false;
	}
	return *type && (!*name || lengths(parser, type));
}

static enum ctf_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum ctf_role role;
	} roles[] = {
		{ "id", CTF_ROLE_ID },
		{ "magic", CTF_ROLE_MAGIC },
		{ "uuid", CTF_ROLE_UUID },
		{ "stream_id", CTF_ROLE_STREAM_ID },
		{ "content_size", CTF_ROLE_CONTENT_SIZE },
		{ "packet_size", CTF_ROLE_PACKET_SIZE },
		{ "timestamp_begin", CTF_ROLE_BEGIN },
		{ "timestamp_end", CTF_ROLE_END },
		{ "packet_seq_num", CTF_ROLE_SEQUENCE },
		{ "events_discarded", CTF_ROLE_DISCARDED },
		{ "cpu_id", CTF_ROLE_CPU },
	};
	unsigned int i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].role;
	return CTF_ROLE_NONE;
}

/* One field more; a variant's or a struct's. */
static bool add_field(struct tsdl_parser *parser, struct ctf_type *type, uint32_t *room,
		      const char *name, struct ctf_type *field)
{
	struct ctf_field *more;

	if (type->count == *room) {
		*room = *room ? 2 * *room : 4;
		more = tsdl_new(parser->arena, *room * sizeof(*more));
		if (!more)
			return tsdl_fault(parser, type->offset, "more metadata than is read");
		if (type->count)
			memcpy(more, type->fields, type->count * sizeof(*more));
		type->fields = more;
	}
	type->fields[type->count++] = (struct ctf_field){ name, field, CTF_NO_SLOT, role_of(name) };
	if (type->kind == CTF_STRUCT && field->align > type->align)
		type->align = field->align;
	return true;
}

static bool one_field(struct tsdl_parser *parser, struct ctf_type *type, uint32_t *room)
{
	struct ctf_type *field = NULL;
	const char *name;
	bool more;

	if (tsdl_is_declaration(parser))
		return tsdl_declaration(parser);
	if (!type_and_name(parser, &field, &name))
		return false;
	if (name && !add_field(parser, type, room, name, field))
		return false;
	for (;;) {
		if (!tsdl_take(parser, ",", &more))
			return false;
		if (!more)
			return tsdl_need(parser, ";");
		field = copy_type(parser, field, 0);
		if (!field || !tsdl_name(parser, &name) || !lengths(parser, &field) ||
		    !add_field(parser, type, room, name, field))
			return false;
	}
}

/* { fields } of a struct or variant, with names of their own. */
static bool body(struct tsdl_parser *parser, struct ctf_type *type)
{
	struct tsdl_name *names = parser->names;
	uint32_t room = 0;

	if (!tsdl_need(parser, "{"))
		return false;
	while (!tsdl_at(parser, "}"))
		if (!one_field(parser, type, &room))
			return false;
	parser->names = names;
	return tsdl_next(parser);
}

static bool struct_type(struct tsdl_parser *parser, struct ctf_type **type)
{
	const char *name;
	uint64_t align;
	bool taken;

	if (!optional_name(parser, &name))
		return false;
	if (!tsdl_at(parser, "{"))
		return refer(parser, SPACE_STRUCT, name, type);
	*type = new_type(parser, CTF_STRUCT);
	if (!*type || !body(parser, *type) || !tsdl_take(parser, "align", &taken))
		return false;
	if (taken) {
		if (!tsdl_need(parser, "(") || !tsdl_number(parser, &align) ||
		    !tsdl_need(parser, ")"))
			return false;
		if (!is_align(align))
			return tsdl_fault(parser, (*type)->offset, "align is no power of two");
		if (align > (*type)->align)
			(*type)->align = (uint32_t)align;
	}
	return !name || add_name(parser, SPACE_STRUCT, name, *type);
}

static bool variant_type(struct tsdl_parser *parser, struct ctf_type **type)
{
	const char *name, *tag = NULL;
	bool taken;

	if (!optional_name(parser, &name) || !tsdl_take(parser, "<", &taken) ||
	    (taken && !path_until(parser, ">", &tag)))
		return false;
	if (tsdl_at(parser, "{")) {
		*type = new_type(parser, CTF_VARIANT);
		if (!*type || !body(parser, *type) ||
		    (name && !add_name(parser, SPACE_VARIANT, name, *type)))
			return false;
	} else if (!refer(parser, SPACE_VARIANT, name, type)) {
		return false;
	}
	if (tag)
		(*type)->tag = tag;
	return true;
}

static bool any_type(struct tsdl_parser *parser, struct ctf_type **type)
{
	char alias[200];
	bool taken;

	if (!tsdl_take(parser, "struct", &taken) || taken)
		return taken && struct_type(parser, type);
	if (!tsdl_take(parser, "variant", &taken) || taken)
		return taken && variant_type(parser, type);
	if (!tsdl_take(parser, "enum", &taken) || taken)
		return taken && enum_type(parser, type);
	if (!tsdl_take(parser, "integer", &taken) || taken)
		return taken && scalar_type(parser, CTF_INTEGER, type);
	if (!tsdl_take(parser, "floating_point", &taken) || taken)
		return taken && scalar_type(parser, CTF_FLOAT, type);
	if (!tsdl_take(parser, "string", &taken) || taken)
		return taken && scalar_type(parser, CTF_STRING, type);
	if (!several_names(parser, alias, sizeof(alias), NULL))
		return false;
	if (!alias[0])
		return tsdl_expected(parser, "a type");
	*type = tsdl_lookup(parser, SPACE_ALIAS, alias);
	return *type;
}

bool tsdl_type(struct tsdl_parser *parser, struct ctf_type **type)
{
	bool good;

	*type = NULL;
	if (parser->nesting == TSDL_NESTING_MOST)
		return tsdl_fault(parser, parser->token.offset, "types are nested too deeply");
	parser->nesting++;
	good = any_type(parser, type);
	parser->nesting--;
	return good;
}

/* ---- declarations ---- */

bool tsdl_is_declaration(const struct tsdl_parser *parser)
{
	return tsdl_at(parser, "typealias") || tsdl_at(parser, "typedef");
}

bool tsdl_declaration(struct tsdl_parser *parser)
{
	struct ctf_type *type = NULL;
	char alias[200];
	const char *name;
	char *copy;
	bool taken;

	if (!tsdl_take(parser, "typedef", &taken))
		return false;
	if (taken) {
		if (!type_and_name(parser, &type, &name))
			return false;
		return name ? add_name(parser, SPACE_ALIAS, name, type) && tsdl_need(parser, ";") :
			      tsdl_expected(parser, "a name");
	}
	if (!tsdl_need(parser, "typealias") || !tsdl_type(parser, &type) ||
	    !tsdl_need(parser, ":=") || !several_names(parser, alias, sizeof(alias), NULL))
		return false;
	copy = tsdl_new(parser->arena, strlen(alias) + 1);
	if (!alias[0] || !copy)
		return tsdl_expected(parser, "a name");
	strcpy(copy, alias);
	return add_name(parser, SPACE_ALIAS, copy, type) && tsdl_need(parser, ";");
}
