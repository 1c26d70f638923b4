// SPDX-License-Identifier: MIT
/* Text and tokens of TSDL. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/format/format_ctf.h"
#include "traces/tsdl_internal.h"

#define BLOCK_BYTES 8192
#define METADATA_MAGIC 0x75D11D57u
#define METADATA_HEADER_BYTES 37

/* ---- memory ---- */

struct tsdl_block {
	struct tsdl_block *older;
	size_t used, size;
	_Alignas(16) uint8_t bytes[];
};

struct tsdl_arena {
	struct tsdl_block *newest;
	uint64_t total;
};

struct tsdl_arena *tsdl_arena_open(void)
{
	return calloc(1, sizeof(struct tsdl_arena));
}

void *tsdl_new(struct tsdl_arena *arena, size_t bytes)
{
	struct tsdl_block *block = arena->newest;
	size_t size;
	void *memory;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!block || block->size - block->used < bytes) {
		size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
		if (bytes > TSDL_BYTES_MOST || arena->total + size > TSDL_BYTES_MOST)
			return NULL;
		block = calloc(1, sizeof(*block) + size);
		if (!block)
			return NULL;
		block->size = size;
		block->older = arena->newest;
		arena->newest = block;
		arena->total += size;
	}
	memory = block->bytes + block->used;
	block->used += bytes;
	return memory;
}

void tsdl_arena_close(struct tsdl_arena *arena)
{
	struct tsdl_block *block, *older;

	for (block = arena ? arena->newest : NULL; block; block = older) {
		older = block->older;
		free(block);
	}
	free(arena);
}

/* ---- text ---- */

static bool text_packet(struct tsdl_parser *parser, const uint8_t *bytes, size_t size, size_t at,
			struct tsdl_part ***end, char *text)
{
	struct tsdl_part *part;
	uint64_t content, packet;

	if (size - at < METADATA_HEADER_BYTES || get_u32(bytes + at) != METADATA_MAGIC)
		return trace_fault(parser->fault, at, "no metadata packet");
	content = get_u32(bytes + at + 24) / 8;
	packet = get_u32(bytes + at + 28) / 8;
	if (content < METADATA_HEADER_BYTES || content > packet || packet > size - at)
		return trace_fault(parser->fault, at + 24,
				   "metadata packet of %llu bytes with %llu of content in a file "
				   "with %zu left",
				   (unsigned long long)packet, (unsigned long long)content,
				   size - at);
	if (bytes[at + 32] || bytes[at + 33])
		return trace_fault(parser->fault, at + 32,
				   "compressed or encrypted metadata is not read");
	part = tsdl_new(parser->arena, sizeof(*part));
	if (!part)
		return trace_fault(parser->fault, at, "no memory");
	content -= METADATA_HEADER_BYTES;
	*part = (struct tsdl_part){ parser->size, at + METADATA_HEADER_BYTES, NULL };
	memcpy(text + parser->size, bytes + at + METADATA_HEADER_BYTES, content);
	parser->size += content;
	**end = part;
	*end = &part->next;
	return true;
}

bool tsdl_text(struct tsdl_parser *parser, const uint8_t *bytes, size_t size)
{
	struct tsdl_part **end = &parser->parts;
	char *text = tsdl_new(parser->arena, size + 1);
	size_t at;

	if (!text)
		return trace_fault(parser->fault, 0, "metadata of %zu bytes is too large", size);
	parser->text = text;
	if (size < 4 || (get_u32(bytes) != METADATA_MAGIC &&
			 get_u32(bytes) != __builtin_bswap32(METADATA_MAGIC))) {
		memcpy(text, bytes, size);
		parser->size = size;
		return true;
	}
	if (get_u32(bytes) != METADATA_MAGIC)
		return trace_fault(parser->fault, 0,
				   "metadata packets of a big-endian machine are not read");
	for (at = 0; at < size; at += get_u32(bytes + at + 28) / 8)
		if (!text_packet(parser, bytes, size, at, &end, text))
			return false;
	return true;
}

bool tsdl_fault(struct tsdl_parser *parser, size_t offset, const char *what)
{
	const struct tsdl_part *part;
	size_t file_offset = offset;

	for (part = parser->parts; part && part->text_offset <= offset; part = part->next)
		file_offset = part->file_offset + (offset - part->text_offset);
	return trace_fault(parser->fault, file_offset, "metadata: %s", what);
}

bool tsdl_expected(struct tsdl_parser *parser, const char *what)
{
	char text[120], *at;

	snprintf(text, sizeof(text), "%s expected, not '%.*s'", what,
		 parser->token.length > 40 ? 40 : (int)parser->token.length,
		 parser->text + parser->token.offset);
	for (at = text; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
	return tsdl_fault(parser, parser->token.offset, text);
}

/* ---- tokens ---- */

/* Steps over blanks and comments. False: a comment without an end. */
static bool skip_blanks(struct tsdl_parser *parser, size_t *at)
{
	const char *text = parser->text, *end;
	size_t size = parser->size;

	for (;;) {
		while (*at < size && isspace((unsigned char)text[*at]))
			++*at;
		if (size - *at < 2 || text[*at] != '/' ||
		    (text[*at + 1] != '*' && text[*at + 1] != '/'))
			return true;
		if (text[*at + 1] == '/') {
			end = memchr(text + *at, '\n', size - *at);
			*at = end ? (size_t)(end - text) : size;
			continue;
		}
		end = memmem(text + *at + 2, size - *at - 2, "*/", 2);
		if (!end)
			return tsdl_fault(parser, *at, "comment without an end");
		*at = (size_t)(end - text) + 2;
	}
}

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool text_token(struct tsdl_parser *parser, struct tsdl_token *token)
{
	size_t at = token->offset + 1;

	while (at < parser->size && parser->text[at] != '"')
		at += parser->text[at] == '\\' ? 2 : 1;
	if (at >= parser->size)
		return tsdl_fault(parser, token->offset, "string without an end");
	token->kind = TOKEN_TEXT;
	token->length = at + 1 - token->offset;
	return true;
}

static bool number_token(struct tsdl_parser *parser, struct tsdl_token *token)
{
	const char *begin = parser->text + token->offset;
	char digits[48], *end;

	token->kind = TOKEN_NUMBER;
	while (token->offset + token->length < parser->size && is_name_part(begin[token->length]))
		token->length++;
	if (token->length >= sizeof(digits))
		return tsdl_fault(parser, token->offset, "number with too many digits");
	memcpy(digits, begin, token->length);
	digits[token->length] = '\0';
	errno = 0;
	token->number = strtoull(digits, &end, 0);
	end += strspn(end, "uUlL");
	if (errno || *end)
		return tsdl_fault(parser, token->offset, "not a number of 64 bits");
	return true;
}

bool tsdl_next(struct tsdl_parser *parser)
{
	struct tsdl_token *token = &parser->token;
	const char *at;

	token->offset += token->length;
	token->length = 0;
	if (!skip_blanks(parser, &token->offset))
		return false;
	at = parser->text + token->offset;
	token->kind = TOKEN_END;
	if (token->offset == parser->size)
		return true;
	if (isdigit((unsigned char)*at))
		return number_token(parser, token);
	if (*at == '"')
		return text_token(parser, token);
	token->kind = TOKEN_SIGN;
	token->length = 1;
	if (parser->size - token->offset >= 3 && !memcmp(at, "...", 3)) {
		token->length = 3;
	} else if (parser->size - token->offset >= 2 && !memcmp(at, ":=", 2)) {
		token->length = 2;
	} else if (is_name_part(*at)) {
		token->kind = TOKEN_NAME;
		while (token->offset + token->length < parser->size &&
		       is_name_part(at[token->length]))
			token->length++;
	}
	return true;
}

bool tsdl_at(const struct tsdl_parser *parser, const char *text)
{
	const struct tsdl_token *token = &parser->token;

	return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) &&
	       token->length == strlen(text) &&
	       !memcmp(parser->text + token->offset, text, token->length);
}

bool tsdl_take(struct tsdl_parser *parser, const char *text, bool *taken)
{
	*taken = tsdl_at(parser, text);
	return !*taken || tsdl_next(parser);
}

bool tsdl_need(struct tsdl_parser *parser, const char *text)
{
	char quoted[40];

	if (tsdl_at(parser, text))
		return tsdl_next(parser);
	snprintf(quoted, sizeof(quoted), "'%s'", text);
	return tsdl_expected(parser, quoted);
}

bool tsdl_name(struct tsdl_parser *parser, const char **name)
{
	const struct tsdl_token *token = &parser->token;
	size_t quote = token->kind == TOKEN_TEXT, length = token->length - 2 * quote;
	char *copy;

	if (token->kind != TOKEN_NAME && token->kind != TOKEN_TEXT)
		return tsdl_expected(parser, "a name");
	copy = tsdl_new(parser->arena, length + 1);
	if (!copy)
		return tsdl_fault(parser, token->offset, "more metadata than is read");
	memcpy(copy, parser->text + token->offset + quote, length);
	*name = copy;
	return tsdl_next(parser);
}

bool tsdl_number(struct tsdl_parser *parser, uint64_t *value)
{
	bool minus;

	if (!tsdl_take(parser, "-", &minus))
		return false;
	if (parser->token.kind != TOKEN_NUMBER)
		return tsdl_expected(parser, "a number");
	*value = minus ? -parser->token.number : parser->token.number;
	return tsdl_next(parser);
}
