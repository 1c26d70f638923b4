// SPDX-License-Identifier: MIT
/* The blocks of TSDL, and the whole of either metadata. */
#include "traces/tsdl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/tsdl_internal.h"

/* ---- blocks ---- */

static bool skip_block(struct tsdl_parser *parser)
{
	unsigned int depth = 0;

	do {
		if (tsdl_at(parser, "{"))
			depth++;
		else if (tsdl_at(parser, "}"))
			depth--;
		else if (parser->token.kind == TOKEN_END || !depth)
			return tsdl_expected(parser, "a block in braces");
		if (!tsdl_next(parser))
			return false;
	} while (depth);
	return tsdl_need(parser, ";");
}

/* One statement `path = value;` or `path := type;` of a block. */
struct statement {
	char path[64];
	struct ctf_type *type; /* of := */
	uint64_t number;
	bool is_number;
	char text[64]; /* of a name or string, cut */
};

static bool statement_path(struct tsdl_parser *parser, struct statement *statement)
{
	const struct tsdl_token *token = &parser->token;
	size_t length = 0;

	while (token->kind == TOKEN_NAME || tsdl_at(parser, ".")) {
		if (length + token->length >= sizeof(statement->path))
			return tsdl_expected(parser, "a shorter path");
		memcpy(statement->path + length, parser->text + token->offset, token->length);
		length += token->length;
		if (!tsdl_next(parser))
			return false;
	}
	statement->path[length] = '\0';
	return length || tsdl_expected(parser, "an attribute");
}

static bool read_statement(struct tsdl_parser *parser, struct statement *statement)
{
	const struct tsdl_token *token = &parser->token;
	size_t quote, length;
	bool taken;

	*statement = (struct statement){ .type = NULL };
	if (!statement_path(parser, statement) || !tsdl_take(parser, ":=", &taken))
		return false;
	if (taken)
		return tsdl_type(parser, &statement->type) && tsdl_need(parser, ";");
	if (!tsdl_need(parser, "="))
		return false;
	if (token->kind == TOKEN_NUMBER || tsdl_at(parser, "-")) {
		statement->is_number = true;
		return tsdl_number(parser, &statement->number) && tsdl_need(parser, ";");
	}
	quote = token->kind == TOKEN_TEXT;
	length = token->length - 2 * quote;
	if (length >= sizeof(statement->text))
		length = sizeof(statement->text) - 1;
	memcpy(statement->text, parser->text + token->offset + quote, length);
	/* A value of several tokens, such as clock.x.value, says nothing here. */
	while (!tsdl_at(parser, ";")) {
		if (token->kind == TOKEN_END)
			return tsdl_expected(parser, "';'");
		if (!tsdl_next(parser))
			return false;
	}
	return tsdl_next(parser);
}

/* Calls `each` for all statements in the braces; names declared in there are gone afterwards. */
static bool read_block(struct tsdl_parser *parser, void *to,
		       bool (*each)(struct tsdl_parser *parser, const struct statement *statement,
				    void *to))
{
	struct tsdl_name *names = parser->names;
	struct statement statement;
	size_t offset;

	if (!tsdl_need(parser, "{"))
		return false;
	while (!tsdl_at(parser, "}")) {
		offset = parser->token.offset;
		if (tsdl_is_declaration(parser)) {
			if (!tsdl_declaration(parser))
				return false;
			continue;
		}
		if (!read_statement(parser, &statement))
			return false;
		if (!each(parser, &statement, to))
			return tsdl_fault(parser, offset, "attribute of a wrong kind");
	}
	parser->names = names;
	return tsdl_next(parser) && tsdl_need(parser, ";");
}

/* `path` with a struct, into *type. */
static bool struct_of(const struct statement *statement, struct ctf_type **type)
{
	if (!statement->type || statement->type->kind != CTF_STRUCT)
		return false;
	*type = statement->type;
	return true;
}

static bool parse_uuid(const char *text, uint8_t uuid[16])
{
	unsigned int i, byte;

	for (i = 0; i < 16; i++, text += 2) {
		text += *text == '-';
		if (sscanf(text, "%2x", &byte) != 1 || strlen(text) < 2)
			return false;
		uuid[i] = (uint8_t)byte;
	}
	return !*text;
}

static bool trace_statement(struct tsdl_parser *parser, const struct statement *statement, void *to)
{
	struct ctf_metadata *metadata = to;

	if (!strcmp(statement->path, "packet.header"))
		return struct_of(statement, &metadata->packet_header);
	if (!strcmp(statement->path, "byte_order") && strcmp(statement->text, "le") != 0)
		return tsdl_fault(parser, parser->token.offset,
				  "the byte order is not le: traces of big-endian machines are not "
				  "read");
	if ((!strcmp(statement->path, "major") && statement->number != 1) ||
	    (!strcmp(statement->path, "minor") && statement->number != 8))
		return tsdl_fault(parser, parser->token.offset, "a CTF version other than 1.8");
	if (!strcmp(statement->path, "uuid"))
		return metadata->has_uuid = parse_uuid(statement->text, metadata->uuid);
	return true;
}

static bool clock_statement(struct tsdl_parser *parser, const struct statement *statement, void *to)
{
	struct ctf_clock *clock = to;

	(void)parser;
	if (!strcmp(statement->path, "freq")) {
		clock->hz = statement->number;
		return statement->is_number && clock->hz;
	}
	if (!strcmp(statement->path, "offset")) {
		clock->offset = (int64_t)statement->number;
		return statement->is_number;
	}
	if (!strcmp(statement->path, "offset_s")) {
		clock->offset_s = (int64_t)statement->number;
		return statement->is_number;
	}
	return true;
}

static bool stream_statement(struct tsdl_parser *parser, const struct statement *statement,
			     void *to)
{
	struct ctf_stream *stream = to;

	(void)parser;
	if (!strcmp(statement->path, "id")) {
		stream->id = statement->number;
		return statement->is_number;
	}
	if (!strcmp(statement->path, "packet.context"))
		return struct_of(statement, &stream->packet_context);
	if (!strcmp(statement->path, "event.header"))
		return struct_of(statement, &stream->event_header);
	if (!strcmp(statement->path, "event.context"))
		return struct_of(statement, &stream->event_context);
	return true;
}

static bool event_statement(struct tsdl_parser *parser, const struct statement *statement, void *to)
{
	struct ctf_event *event = to;
	char *name;

	if (!strcmp(statement->path, "id")) {
		event->id = statement->number;
		return statement->is_number;
	}
	if (!strcmp(statement->path, "stream_id")) {
		event->stream_id = statement->number;
		return statement->is_number;
	}
	if (!strcmp(statement->path, "name")) {
		name = tsdl_new(parser->arena, strlen(statement->text) + 1);
		if (!name)
			return false;
		event->name = strcpy(name, statement->text);
		return true;
	}
	if (!strcmp(statement->path, "context"))
		return struct_of(statement, &event->context);
	if (!strcmp(statement->path, "fields"))
		return struct_of(statement, &event->fields);
	return true;
}

static bool stream_block(struct tsdl_parser *parser)
{
	struct ctf_stream *stream = tsdl_new(parser->arena, sizeof(*stream));
	size_t offset = parser->token.offset;

	if (!stream)
		return tsdl_fault(parser, offset, "more metadata than is read");
	if (!read_block(parser, stream, stream_statement))
		return false;
	if (tsdl_stream(parser->metadata, stream->id))
		return tsdl_fault(parser, offset, "a second stream with this id");
	if (!stream->event_header)
		return tsdl_fault(parser, offset, "a stream without event.header");
	stream->next = parser->metadata->streams;
	parser->metadata->streams = stream;
	return true;
}

static bool event_block(struct tsdl_parser *parser)
{
	struct ctf_event *event = tsdl_new(parser->arena, sizeof(*event));

	if (!event)
		return tsdl_fault(parser, parser->token.offset, "more metadata than is read");
	event->name = "";
	if (!read_block(parser, event, event_statement))
		return false;
	event->next = parser->events;
	parser->events = event;
	return true;
}

static bool clock_block(struct tsdl_parser *parser)
{
	struct ctf_clock clock = { .hz = 1000000000 };

	if (!read_block(parser, &clock, clock_statement))
		return false;
	/* One clock is all that tracers declare. */
	if (!parser->metadata->clocks++)
		parser->metadata->clock = clock;
	return true;
}

static bool top_level(struct tsdl_parser *parser)
{
	struct ctf_type *type;
	bool taken;

	if (tsdl_is_declaration(parser))
		return tsdl_declaration(parser);
	if (tsdl_at(parser, "struct") || tsdl_at(parser, "variant") || tsdl_at(parser, "enum"))
		return tsdl_type(parser, &type) && tsdl_need(parser, ";");
	if (!tsdl_take(parser, "trace", &taken) || taken)
		return taken && read_block(parser, parser->metadata, trace_statement);
	if (!tsdl_take(parser, "stream", &taken) || taken)
		return taken && stream_block(parser);
	if (!tsdl_take(parser, "event", &taken) || taken)
		return taken && event_block(parser);
	if (!tsdl_take(parser, "clock", &taken) || taken)
		return taken && clock_block(parser);
	if (tsdl_at(parser, "env") || tsdl_at(parser, "callsite"))
		return tsdl_next(parser) && skip_block(parser);
	if (!tsdl_take(parser, ";", &taken) || taken)
		return taken;
	return tsdl_expected(parser, "a block or a declaration");
}

/* ---- lookups ---- */

const struct ctf_stream *tsdl_stream(const struct ctf_metadata *metadata, uint64_t id)
{
	const struct ctf_stream *stream;

	for (stream = metadata->streams; stream && stream->id != id; stream = stream->next)
		;
	return stream;
}

const struct ctf_event *tsdl_event(const struct ctf_stream *stream, uint64_t id)
{
	uint32_t low = 0, high = stream->event_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (stream->events[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < stream->event_count && stream->events[low]->id == id ? stream->events[low] :
									    NULL;
}

static int by_id(const void *a, const void *b)
{
	const struct ctf_event *one = *(struct ctf_event *const *)a;
	const struct ctf_event *other = *(struct ctf_event *const *)b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Gives each stream the events that are its own. */
static bool sort_events(struct tsdl_parser *parser)
{
	struct ctf_stream *stream;
	struct ctf_event *event;
	uint32_t i;

	for (event = parser->events; event; event = event->next)
		if (!tsdl_stream(parser->metadata, event->stream_id))
			return tsdl_fault(parser, parser->size,
					  "an event of a stream there is not");
	for (stream = parser->metadata->streams; stream; stream = stream->next) {
		for (event = parser->events; event; event = event->next)
			stream->event_count += event->stream_id == stream->id;
		stream->events = tsdl_new(parser->arena,
					  (stream->event_count + 1) * sizeof(*stream->events));
		if (!stream->events)
			return tsdl_fault(parser, 0, "more metadata than is read");
		for (i = 0, event = parser->events; event; event = event->next)
			if (event->stream_id == stream->id)
				stream->events[i++] = event;
		qsort(stream->events, stream->event_count, sizeof(*stream->events), by_id);
		for (i = 1; i < stream->event_count; i++)
			if (stream->events[i]->id == stream->events[i - 1]->id)
				return tsdl_fault(parser, parser->size, "two events with one id");
	}
	return true;
}

/* ---- the whole ---- */

static bool parse(struct tsdl_parser *parser, const uint8_t *bytes, size_t size)
{
	if (!tsdl_text(parser, bytes, size))
		return false;
	if (parser->size && parser->text[0] == TSDL_SEPARATOR)
		return ctf2_parse(parser) && sort_events(parser);
	if (!tsdl_next(parser))
		return false;
	while (parser->token.kind != TOKEN_END)
		if (!top_level(parser))
			return false;
	if (!parser->metadata->streams)
		return tsdl_fault(parser, parser->size, "no stream is declared");
	return sort_events(parser) && tsdl_resolve(parser);
}

bool tsdl_parse(const uint8_t *bytes, size_t size, struct ctf_metadata *metadata,
		struct trace_fault *fault)
{
	struct tsdl_parser parser = { .metadata = metadata, .fault = fault };

	*metadata = (struct ctf_metadata){ .clock.hz = 1000000000 };
	metadata->arena = parser.arena = tsdl_arena_open();
	if (!parser.arena)
		return trace_fault(fault, 0, "no memory");
	return parse(&parser, bytes, size);
}

void tsdl_free(struct ctf_metadata *metadata)
{
	tsdl_arena_close(metadata->arena);
	*metadata = (struct ctf_metadata){ .packet_header = NULL };
}
