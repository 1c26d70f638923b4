// SPDX-License-Identifier: MIT
/*
 * Field locations of CTF 2. A path can lead through a variant, and then to a field of each of its
 * options: all of them have one slot, and what was read last is in it.
 */
#include <stdio.h>
#include <string.h>

#include "traces/ctf2_internal.h"

#define FOUND_MOST 64

struct found {
	struct ctf_field *fields[FOUND_MOST];
	unsigned int count;
	bool too_many;
};

static const struct ctf_type *origin_root(struct ctf2_parser *parser, const char *origin)
{
	static const char *const origins[CTF2_ROOTS] = {
		"packet-header",
		"packet-context",
		"event-record-header",
		"event-record-common-context",
		"event-record-specific-context",
		"event-record-payload",
	};
	unsigned int i;

	for (i = 0; i <= parser->root; i++)
		if (!strcmp(origin, origins[i]))
			return parser->roots[i];
	return NULL;
}

static void land(struct ctf_field *field, const json_t *path, size_t at, struct found *found);

/* From a structure on to the member that path[at] names. */
static void follow(const struct ctf_type *type, const json_t *path, size_t at, struct found *found)
{
	const char *name = json_string_value(json_array_get(path, at));
	uint32_t i;

	for (i = 0; name && i < type->count; i++)
		if (!strcmp(type->fields[i].name, name)) {
			land(&type->fields[i], path, at + 1, found);
			return;
		}
}

static void land(struct ctf_field *field, const json_t *path, size_t at, struct found *found)
{
	const struct ctf_type *type = field->type;
	bool last = at == json_array_size(path);
	uint32_t i;

	/* The element that is just read. */
	for (; type && (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE);
	     type = type->element)
		if (last)
			return;
	if (!type)
		return;
	if (type->kind == CTF_STRUCT && !last)
		follow(type, path, at, found);
	for (i = 0; type->kind == CTF_VARIANT && i < type->count; i++)
		land(&type->fields[i], path, at, found);
	if ((type->kind != CTF_INTEGER && type->kind != CTF_VARLEN) || !last || type != field->type)
		return;
	if (found->count == FOUND_MOST)
		found->too_many = true;
	else
		found->fields[found->count++] = field;
}

/* Where the path begins, and how many of its elements that takes. NULL: nowhere. */
static const struct ctf_type *path_begin(struct ctf2_parser *parser, const json_t *location,
					 const struct ctf2_scope *scope, size_t *at)
{
	const json_t *path = json_object_get(location, "path");
	const json_t *origin = json_object_get(location, "origin");

	*at = 0;
	if (origin)
		return json_is_string(origin) ? origin_root(parser, json_string_value(origin)) :
						NULL;
	for (; scope && json_is_null(json_array_get(path, *at)); ++*at)
		scope = scope->outer;
	return scope ? scope->type : NULL;
}

/* One slot for all; false if they have several already, or differ in kind. */
static bool share_slot(struct ctf2_parser *parser, const struct found *found, uint32_t *slot)
{
	const struct ctf_type *first = found->fields[0]->type, *type;
	unsigned int i;

	*slot = CTF_NO_SLOT;
	for (i = 0; i < found->count; i++) {
		type = found->fields[i]->type;
		if (type->is_signed != first->is_signed || type->is_truth != first->is_truth)
			return false;
		if (found->fields[i]->slot == CTF_NO_SLOT)
			continue;
		if (*slot != CTF_NO_SLOT && *slot != found->fields[i]->slot)
			return false;
		*slot = found->fields[i]->slot;
	}
	if (*slot == CTF_NO_SLOT)
		*slot = parser->tsdl->metadata->slots++;
	for (i = 0; i < found->count; i++)
		found->fields[i]->slot = *slot;
	return true;
}

bool ctf2_locate(struct ctf2_parser *parser, const json_t *object, const char *property,
		 const struct ctf2_scope *scope, struct ctf_type *type,
		 const struct ctf_type **selector)
{
	const json_t *location = json_object_get(object, property);
	struct found found = { .count = 0 };
	const struct ctf_type *begin;
	size_t at;

	if (!json_is_object(location) || !json_array_size(json_object_get(location, "path")))
		return ctf2_fault(parser, property, "no location with a path");
	if (!ctf2_known(parser, location, " origin path "))
		return false;
	begin = path_begin(parser, location, scope, &at);
	if (begin && begin->kind == CTF_STRUCT)
		follow(begin, json_object_get(location, "path"), at, &found);
	if (!found.count)
		return ctf2_fault(parser, property, "no integer field that comes before");
	if (found.too_many || !share_slot(parser, &found, &type->slot))
		return ctf2_fault(parser, property, "fields of several kinds, or too many");
	*selector = found.fields[0]->type;
	return true;
}
