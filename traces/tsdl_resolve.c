// SPDX-License-Identifier: MIT
/* Which field is a variant's tag or a sequence's length: found once, then read from a slot. */
#include <stdio.h>
#include <string.h>

#include "traces/tsdl_internal.h"

/* A struct whose first `seen` fields lie before the place that is resolved. */
struct scope {
	struct ctf_type *type;
	uint32_t seen;
	const struct scope *outer;
};

struct roots {
	struct ctf_type *packet_header, *packet_context, *event_header, *stream_event_context,
		*event_context, *event_fields;
};

struct resolver {
	struct tsdl_parser *parser;
	const struct roots *roots;
};

static bool is_part(const char *path, size_t length, const char *name)
{
	return strlen(name) == length && !strncmp(path, name, length);
}

/* The field at `path` below `type`, of which `seen` fields count. NULL: none. */
static struct ctf_field *find_below(const struct ctf_type *type, uint32_t seen, const char *path)
{
	size_t length = strcspn(path, ".");
	uint32_t i;

	if (!type || type->kind != CTF_STRUCT)
		return NULL;
	for (i = seen; i-- > 0;) {
		if (!is_part(path, length, type->fields[i].name))
			continue;
		if (!path[length])
			return &type->fields[i];
		return find_below(type->fields[i].type, type->fields[i].type->count,
				  path + length + 1);
	}
	return NULL;
}

static struct ctf_field *find_absolute(const struct roots *roots, const char *path)
{
	const struct {
		const char *prefix;
		struct ctf_type *type;
	} places[] = {
		{ "trace.packet.header.", roots->packet_header },
		{ "stream.packet.context.", roots->packet_context },
		{ "stream.event.header.", roots->event_header },
		{ "stream.event.context.", roots->stream_event_context },
		{ "event.context.", roots->event_context },
		{ "event.fields.", roots->event_fields },
	};
	unsigned int i;
	size_t length;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		length = strlen(places[i].prefix);
		if (!strncmp(path, places[i].prefix, length) && places[i].type)
			return find_below(places[i].type, places[i].type->count, path + length);
	}
	return NULL;
}

static uint32_t option_of(const struct ctf_type *variant, const char *name)
{
	uint32_t i;

	for (i = 0; i < variant->count && strcmp(variant->fields[i].name, name) != 0; i++)
		;
	return i;
}

/* A variant is the option that has the name of the value's label. */
static bool choose_by_labels(struct tsdl_parser *parser, struct ctf_type *variant,
			     const struct ctf_type *tag)
{
	struct ctf_choice *choices = tsdl_new(parser->arena, tag->label_count * sizeof(*choices));
	uint32_t option, i;

	if (!choices)
		return tsdl_fault(parser, variant->offset, "more metadata than is read");
	variant->choices = choices;
	variant->tag_is_signed = tag->is_signed;
	for (i = 0; i < tag->label_count; i++) {
		option = option_of(variant, tag->labels[i].name);
		if (option < variant->count)
			choices[variant->choice_count++] =
				(struct ctf_choice){ tag->labels[i].low, tag->labels[i].high,
						     option };
	}
	return true;
}

static bool resolve_tag(const struct resolver *resolver, struct ctf_type *type,
			const struct scope *scope)
{
	struct tsdl_parser *parser = resolver->parser;
	struct ctf_field *field = NULL;
	char text[120];

	if (!type->tag)
		return tsdl_fault(parser, type->offset, "a variant without a tag");
	for (; scope && !field; scope = scope->outer)
		field = find_below(scope->type, scope->seen, type->tag);
	if (!field)
		field = find_absolute(resolver->roots, type->tag);
	snprintf(text, sizeof(text), "'%.60s' is no integer field that comes before", type->tag);
	if (!field || field->type->kind != CTF_INTEGER)
		return tsdl_fault(parser, type->offset, text);
	if (type->kind == CTF_VARIANT && !field->type->label_count)
		return tsdl_fault(parser, type->offset, "a variant's tag is an enum");
	if (field->slot == CTF_NO_SLOT)
		field->slot = parser->metadata->slots++;
	type->slot = field->slot;
	return type->kind != CTF_VARIANT || choose_by_labels(parser, type, field->type);
}

static bool resolve(const struct resolver *resolver, struct ctf_type *type,
		    const struct scope *scope, unsigned int depth)
{
	struct scope inner = { .type = type, .outer = scope };
	uint32_t i;

	if (depth > TSDL_NESTING_MOST)
		return tsdl_fault(resolver->parser, type->offset, "types are nested too deeply");
	if ((type->kind == CTF_VARIANT || type->kind == CTF_SEQUENCE) &&
	    type->slot == CTF_NO_SLOT && !resolve_tag(resolver, type, scope))
		return false;
	if (type->element)
		return resolve(resolver, type->element, scope, depth + 1);
	for (i = 0; i < type->count; i++) {
		inner.seen = i;
		if (!resolve(resolver, type->fields[i].type,
			     type->kind == CTF_STRUCT ? &inner : scope, depth + 1))
			return false;
	}
	return true;
}

static bool resolve_root(const struct resolver *resolver, struct ctf_type *type)
{
	return !type || resolve(resolver, type, NULL, 0);
}

static bool resolve_stream(struct tsdl_parser *parser, const struct ctf_stream *stream)
{
	struct roots roots = {
		.packet_header = parser->metadata->packet_header,
		.packet_context = stream->packet_context,
		.event_header = stream->event_header,
		.stream_event_context = stream->event_context,
	};
	const struct resolver resolver = { parser, &roots };
	uint32_t i;

	if (!resolve_root(&resolver, roots.packet_context) ||
	    !resolve_root(&resolver, roots.event_header) ||
	    !resolve_root(&resolver, roots.stream_event_context))
		return false;
	for (i = 0; i < stream->event_count; i++) {
		roots.event_context = stream->events[i]->context;
		roots.event_fields = stream->events[i]->fields;
		if (!resolve_root(&resolver, roots.event_context) ||
		    !resolve_root(&resolver, roots.event_fields))
			return false;
	}
	return true;
}

bool tsdl_resolve(struct tsdl_parser *parser)
{
	const struct roots roots = { .packet_header = parser->metadata->packet_header };
	const struct resolver resolver = { parser, &roots };
	const struct ctf_stream *stream;

	if (!resolve_root(&resolver, roots.packet_header))
		return false;
	for (stream = parser->metadata->streams; stream; stream = stream->next)
		if (!resolve_stream(parser, stream))
			return false;
	return true;
}

/* Values of a signed tag are compared as such. */
static bool is_chosen(const struct ctf_choice *choice, uint64_t value, bool is_signed)
{
	if (is_signed)
		return (int64_t)value >= (int64_t)choice->low &&
		       (int64_t)value <= (int64_t)choice->high;
	return value >= choice->low && value <= choice->high;
}

const struct ctf_field *tsdl_option(const struct ctf_type *variant, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < variant->choice_count; i++)
		if (is_chosen(&variant->choices[i], value, variant->tag_is_signed))
			return &variant->fields[variant->choices[i].option];
	return NULL;
}
