// SPDX-License-Identifier: MIT
/*
 * The fragments of CTF 2 metadata: JSON texts with a separator before each. What is not known is
 * refused by the name of its fragment and property, but for `attributes`, which say nothing that
 * decoding needs.
 */
#include <stdio.h>
#include <string.h>

#include "traces/ctf2_internal.h"

bool ctf2_fault(struct ctf2_parser *parser, const char *property, const char *what)
{
	char text[180];

	snprintf(text, sizeof(text), "fragment %u (%.20s): %.60s%s%.36s: %s", parser->number,
		 parser->kind, parser->where, parser->where[0] ? ": " : "", property, what);
	return tsdl_fault(parser->tsdl, parser->offset, text);
}

void *ctf2_new(struct ctf2_parser *parser, size_t bytes)
{
	void *memory = tsdl_new(parser->tsdl->arena, bytes);

	if (!memory)
		ctf2_fault(parser, "all", "more metadata than is read");
	return memory;
}

bool ctf2_known(struct ctf2_parser *parser, const json_t *object, const char *known)
{
	const json_t *value;
	const char *key;
	char word[64];

	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		snprintf(word, sizeof(word), " %.60s ", key);
		if (strlen(key) > 60 || (!strstr(known, word) && strcmp(key, "type") != 0 &&
					 strcmp(key, "attributes") != 0))
			return ctf2_fault(parser, key, "not known here");
	}
	return true;
}

bool ctf2_number(struct ctf2_parser *parser, const json_t *object, const char *property,
		 uint64_t least, uint64_t most, uint64_t *value)
{
	const json_t *number = json_object_get(object, property);
	json_int_t all = json_integer_value(number);

	if (!number)
		return true;
	if (!json_is_integer(number) || all < 0 || (uint64_t)all < least || (uint64_t)all > most)
		return ctf2_fault(parser, property, "no number that it can be");
	*value = (uint64_t)all;
	return true;
}

bool ctf2_text(struct ctf2_parser *parser, const json_t *object, const char *property,
	       const char **text)
{
	const json_t *value = json_object_get(object, property);
	size_t length = json_string_length(value);
	char *copy;

	if (value && !json_is_string(value))
		return ctf2_fault(parser, property, "no text");
	copy = ctf2_new(parser, length + 1);
	if (!copy)
		return false;
	if (length)
		memcpy(copy, json_string_value(value), length);
	*text = copy;
	return true;
}

/* ---- fragments ---- */

/* The structure that `property` has; *type is NULL if it has none. */
static bool root_class(struct ctf2_parser *parser, const json_t *fragment, const char *property,
		       enum ctf2_root root, struct ctf_type **type)
{
	const json_t *class = json_object_get(fragment, property);

	parser->root = root;
	parser->roots[root] = NULL;
	*type = NULL;
	if (!class)
		return true;
	snprintf(parser->where, sizeof(parser->where), "%s", property);
	if (!ctf2_class(parser, class, NULL, NULL, &parser->roots[root]))
		return false;
	parser->where[0] = '\0';
	*type = parser->roots[root];
	return (*type)->kind == CTF_STRUCT || ctf2_fault(parser, property, "no structure");
}

static bool preamble(struct ctf2_parser *parser, const json_t *fragment)
{
	struct ctf_metadata *metadata = parser->tsdl->metadata;
	const json_t *uuid = json_object_get(fragment, "uuid"), *byte;
	uint64_t version = 0;
	size_t i;

	if (parser->number != 1)
		return ctf2_fault(parser, "type", "not the first fragment");
	if (!ctf2_known(parser, fragment, " version uuid extensions ") ||
	    !ctf2_number(parser, fragment, "version", 0, UINT64_MAX, &version))
		return false;
	if (version != 2)
		return ctf2_fault(parser, "version", "not 2");
	if (json_object_size(json_object_get(fragment, "extensions")))
		return ctf2_fault(parser, "extensions", "none is known");
	if (!uuid)
		return true;
	if (json_array_size(uuid) != 16)
		return ctf2_fault(parser, "uuid", "not 16 numbers");
	json_array_foreach(uuid, i, byte)
		metadata->uuid[i] = (uint8_t)json_integer_value(byte);
	return metadata->has_uuid = true;
}

static bool alias(struct ctf2_parser *parser, const json_t *fragment)
{
	json_t *class = json_object_get(fragment, "field-class");
	const char *name = json_string_value(json_object_get(fragment, "name"));

	if (!ctf2_known(parser, fragment, " name field-class extensions "))
		return false;
	if (!name || json_object_get(parser->aliases, name))
		return ctf2_fault(parser, "name", "missing, or of an alias before");
	if (json_is_string(class))
		class = json_object_get(parser->aliases, json_string_value(class));
	if (!json_is_object(class))
		return ctf2_fault(parser, "field-class", "no class, nor an alias of one before");
	return !json_object_set(parser->aliases, name, class) ||
	       ctf2_fault(parser, "name", "no memory");
}

static bool trace_class(struct ctf2_parser *parser, const json_t *fragment)
{
	struct ctf_metadata *metadata = parser->tsdl->metadata;

	if (metadata->streams || metadata->packet_header)
		return ctf2_fault(parser, "type", "too late, or a second one");
	return ctf2_known(
		       parser, fragment,
		       " namespace name uid environment packet-header-field-class extensions ") &&
	       root_class(parser, fragment, "packet-header-field-class", CTF2_PACKET_HEADER,
			  &metadata->packet_header);
}

static bool clock_offset(struct ctf2_parser *parser, const json_t *fragment,
			 struct ctf_clock *clock)
{
	const json_t *offset = json_object_get(fragment, "offset-from-origin");
	const json_t *seconds = json_object_get(offset, "seconds");
	uint64_t cycles = 0;

	if (!offset)
		return true;
	if (!json_is_object(offset) || (seconds && !json_is_integer(seconds)))
		return ctf2_fault(parser, "offset-from-origin", "no seconds and cycles");
	if (!ctf2_known(parser, offset, " seconds cycles ") ||
	    !ctf2_number(parser, offset, "cycles", 0, clock->hz - 1, &cycles))
		return false;
	clock->offset_s = json_integer_value(seconds);
	clock->offset = (int64_t)cycles;
	return true;
}

static bool clock_class(struct ctf2_parser *parser, const json_t *fragment)
{
	struct ctf_metadata *metadata = parser->tsdl->metadata;
	const char *id = json_string_value(json_object_get(fragment, "id"));
	struct ctf_clock clock = { .hz = 0 };

	if (!ctf2_known(parser, fragment,
			" id namespace name uid frequency origin offset-from-origin precision "
			"accuracy description extensions ") ||
	    !ctf2_text(parser, fragment, "id", &clock.name) ||
	    !ctf2_number(parser, fragment, "frequency", 1, INT64_MAX, &clock.hz))
		return false;
	if (!clock.hz)
		return ctf2_fault(parser, "frequency", "missing");
	if (!id || json_object_get(parser->clock_ids, id))
		return ctf2_fault(parser, "id", "missing, or of a clock before");
	if (!clock_offset(parser, fragment, &clock))
		return false;
	/* One clock is all that tracers declare; a second one has to say the same. */
	if (!metadata->clocks++)
		metadata->clock = clock;
	else if (clock.hz != metadata->clock.hz || clock.offset != metadata->clock.offset ||
		 clock.offset_s != metadata->clock.offset_s)
		return ctf2_fault(parser, "frequency", "another clock than the first is not read");
	return !json_object_set_new(parser->clock_ids, id, json_true()) ||
	       ctf2_fault(parser, "id", "no memory");
}

static bool stream_class(struct ctf2_parser *parser, const json_t *fragment)
{
	struct ctf_metadata *metadata = parser->tsdl->metadata;
	const json_t *clock = json_object_get(fragment, "default-clock-class-id");
	struct ctf_stream *stream = ctf2_new(parser, sizeof(*stream));

	if (!stream ||
	    !ctf2_known(parser, fragment,
			" id namespace name uid default-clock-class-id packet-context-field-class "
			"event-record-header-field-class event-record-common-context-field-class "
			"extensions ") ||
	    !ctf2_number(parser, fragment, "id", 0, INT64_MAX, &stream->id))
		return false;
	if (tsdl_stream(metadata, stream->id))
		return ctf2_fault(parser, "id", "that of a data stream class before");
	parser->has_clock = clock;
	if (clock && (!json_is_string(clock) ||
		      !json_object_get(parser->clock_ids, json_string_value(clock))))
		return ctf2_fault(parser, "default-clock-class-id", "no clock class before it");
	parser->roots[CTF2_PACKET_HEADER] = metadata->packet_header;
	if (!root_class(parser, fragment, "packet-context-field-class", CTF2_PACKET_CONTEXT,
			&stream->packet_context) ||
	    !root_class(parser, fragment, "event-record-header-field-class", CTF2_EVENT_HEADER,
			&stream->event_header) ||
	    !root_class(parser, fragment, "event-record-common-context-field-class",
			CTF2_COMMON_CONTEXT, &stream->event_context))
		return false;
	if (!stream->event_header) {
		stream->event_header = ctf2_new(parser, sizeof(*stream->event_header));
		if (!stream->event_header)
			return false;
		*stream->event_header = (struct ctf_type){ .kind = CTF_STRUCT, .align = 1 };
	}
	stream->next = metadata->streams;
	metadata->streams = stream;
	return true;
}

static bool event_class(struct ctf2_parser *parser, const json_t *fragment)
{
	struct ctf_metadata *metadata = parser->tsdl->metadata;
	struct ctf_event *event = ctf2_new(parser, sizeof(*event));
	const struct ctf_stream *stream;

	if (!event ||
	    !ctf2_known(parser, fragment,
			" id data-stream-class-id namespace name uid specific-context-field-class "
			"payload-field-class extensions ") ||
	    !ctf2_number(parser, fragment, "id", 0, INT64_MAX, &event->id) ||
	    !ctf2_number(parser, fragment, "data-stream-class-id", 0, INT64_MAX,
			 &event->stream_id) ||
	    !ctf2_text(parser, fragment, "name", &event->name))
		return false;
	stream = tsdl_stream(metadata, event->stream_id);
	if (!stream)
		return ctf2_fault(parser, "data-stream-class-id", "no such class before it");
	parser->roots[CTF2_PACKET_HEADER] = metadata->packet_header;
	parser->roots[CTF2_PACKET_CONTEXT] = stream->packet_context;
	parser->roots[CTF2_EVENT_HEADER] = stream->event_header;
	parser->roots[CTF2_COMMON_CONTEXT] = stream->event_context;
	if (!root_class(parser, fragment, "specific-context-field-class", CTF2_SPECIFIC_CONTEXT,
			&event->context) ||
	    !root_class(parser, fragment, "payload-field-class", CTF2_PAYLOAD, &event->fields))
		return false;
	event->next = parser->tsdl->events;
	parser->tsdl->events = event;
	return true;
}

static bool read_fragment(struct ctf2_parser *parser, const json_t *fragment)
{
	static const struct {
		const char *type;
		bool (*read)(struct ctf2_parser *parser, const json_t *fragment);
	} kinds[] = {
		{ "preamble", preamble },
		{ "field-class-alias", alias },
		{ "trace-class", trace_class },
		{ "clock-class", clock_class },
		{ "data-stream-class", stream_class },
		{ "event-record-class", event_class },
	};
	const char *type = json_string_value(json_object_get(fragment, "type"));
	unsigned int i;

	parser->kind = type ? type : "no type";
	parser->where[0] = '\0';
	memset(parser->roots, 0, sizeof(parser->roots));
	if (parser->number == 1 && strcmp(parser->kind, "preamble") != 0)
		return ctf2_fault(parser, "type", "the first fragment is no preamble");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(parser->kind, kinds[i].type))
			return kinds[i].read(parser, fragment);
	return ctf2_fault(parser, "type", "no fragment that is known");
}

/* ---- the whole ---- */

static bool read_all(struct ctf2_parser *parser)
{
	const char *text = parser->tsdl->text, *end = text + parser->tsdl->size, *at, *next;
	json_error_t error;
	json_t *fragment;
	char what[120];
	bool good;

	for (at = text; at < end; at = next) {
		at++; /* the separator */
		next = memchr(at, TSDL_SEPARATOR, (size_t)(end - at));
		if (!next)
			next = end;
		parser->offset = (size_t)(at - text);
		parser->number++;
		fragment = json_loadb(at, (size_t)(next - at), JSON_REJECT_DUPLICATES, &error);
		if (!fragment) {
			snprintf(what, sizeof(what), "fragment %u: no whole JSON: %.70s",
				 parser->number, error.text);
			return tsdl_fault(parser->tsdl,
					  parser->offset +
						  (error.position > 0 ? (size_t)error.position : 0),
					  what);
		}
		good = read_fragment(parser, fragment);
		json_decref(fragment);
		if (!good)
			return false;
	}
	if (!parser->tsdl->metadata->streams)
		return tsdl_fault(parser->tsdl, parser->tsdl->size,
				  "no data stream class is declared");
	return true;
}

bool ctf2_parse(struct tsdl_parser *tsdl)
{
	struct ctf2_parser parser = { .tsdl = tsdl,
				      .aliases = json_object(),
				      .clock_ids = json_object() };
	bool good = parser.aliases && parser.clock_ids ? read_all(&parser) :
							 tsdl_fault(tsdl, 0, "no memory");

	json_decref(parser.aliases);
	json_decref(parser.clock_ids);
	return good;
}
