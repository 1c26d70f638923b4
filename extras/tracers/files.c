// SPDX-License-Identifier: MIT
#include "extras/tracers/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* A line's first word, and its numbers; words that are none end it. */
struct line {
	char *word;
	uint64_t number[7];
	unsigned int count, none; /* none: bits of those that are `-` */
	const char *rest; /* behind the numbers */
};

static struct line split(char *text)
{
	struct line line = { .word = text };
	char *at = text + strcspn(text, " \t\n"), *end;

	if (*at)
		*at++ = 0;
	for (;;) {
		at += strspn(at, " \t\n");
		if (*at == '-' && line.count < 7 && strchr(" \t\n", at[1])) {
			line.none |= 1u << line.count;
			line.number[line.count++] = NO_PARENT;
			at++;
			continue;
		}
		if (*at < '0' || *at > '9' || line.count == 7)
			break;
		errno = 0;
		line.number[line.count] = strtoull(at, &end, 10);
		if (errno || !strchr(" \t\n", *end))
			break;
		line.count++;
		at = end;
	}
	line.rest = at;
	at[strcspn(at, "\n")] = 0;
	return line;
}

/* Lines to `take`, which says what is wrong with one, or NULL. An exit code. */
static int each_line(const char *path, const char *(*take)(const struct line *line, void *arg),
		     void *arg)
{
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	char *text = NULL;
	size_t room = 0;
	uint64_t number = 0;
	struct line line;
	ssize_t length;

	if (!file)
		return fail_with(EXIT_USAGE, "cannot read %s: %s; the adapter writes it", path,
				 strerror(errno));
	while (!wrong && (length = getline(&text, &room, file)) > 0) {
		number++;
		if (text[length - 1] != '\n') {
			wrong = "the line has no end: was its writer killed";
			break;
		}
		line = split(text);
		wrong = take(&line, arg);
	}
	free(text);
	fclose(file);
	return wrong ? fail_with(EXIT_USAGE, "%s:%" PRIu64 ": %s", path, number, wrong) : EXIT_FINE;
}

static bool is(const struct line *line, const char *word, unsigned int numbers)
{
	/* Only a span's parent and the stream of a loss may be none. */
	unsigned int may = numbers == 7 ? 1u << 2 : !strcmp(word, "lost") ? 1u << 0 : 0;

	return !strcmp(line->word, word) && line->count == numbers && !(line->none & ~may);
}

static void *one_more(void *array, size_t count, size_t bytes)
{
	/* Doubled at each power of two. */
	return count & (count - 1) ? array : realloc(array, (count ? 2 * count : 1) * bytes);
}

static const char *take_truth(const struct line *line, void *arg)
{
	const uint64_t *number = line->number;
	struct truths *truths = arg;
	struct happened *one;
	struct pair *pair;

	if (*line->rest)
		return "a truth is: event|span|after and whole numbers of 64 bits";
	if (is(line, "after", 4)) {
		pair = one_more(truths->after, truths->afters, sizeof(*pair));
		if (!pair)
			return "out of memory";
		truths->after = pair;
		truths->after[truths->afters++] =
			(struct pair){ { number[0], number[2] }, { number[1], number[3] } };
		return NULL;
	}
	if (!is(line, "event", 4) && !is(line, "span", 7))
		return "a truth is: event STREAM SEQ ENTRY EXIT, span STREAM SEQ PARENT ENTRY EXIT "
		       "ENTRY EXIT, or after STREAM SEQ STREAM SEQ";
	one = one_more(truths->one, truths->count, sizeof(*one));
	if (!one)
		return "out of memory";
	truths->one = one;
	one += truths->count++;
	*one = (struct happened){
		.stream = number[0], .seq = number[1], .span = line->count == 7, .parent = NO_PARENT
	};
	if (one->span) {
		one->parent = number[2];
		one->start = (struct window){ number[3], number[4] };
		one->end = (struct window){ number[5], number[6] };
	} else {
		one->start = (struct window){ number[2], number[3] };
	}
	return one->start.exit < one->start.entry || one->end.exit < one->end.entry ?
		       "EXIT is before ENTRY" :
		       NULL;
}

static int by_stream(const void *a, const void *b)
{
	const uint64_t *stream = a;
	const struct happened *other = b;

	return (*stream > other->stream) - (*stream < other->stream);
}

static int by_name(const void *a, const void *b)
{
	const struct happened *one = a, *other = b;
	int streams = by_stream(&one->stream, other);

	return streams ? streams : (one->seq > other->seq) - (one->seq < other->seq);
}

int truths_read(struct truths *truths, const char *path)
{
	size_t i;
	int error;

	*truths = (struct truths){ 0 };
	error = each_line(path, take_truth, truths);
	if (error)
		return error;
	if (!truths->count)
		return fail_with(EXIT_USAGE, "%s: no event", path);
	qsort(truths->one, truths->count, sizeof(*truths->one), by_name);
	for (i = 1; i < truths->count; i++)
		if (!by_name(&truths->one[i - 1], &truths->one[i]))
			return fail_with(EXIT_USAGE,
					 "%s: stream %" PRIu64 " has two of number %" PRIu64, path,
					 truths->one[i].stream, truths->one[i].seq);
	return EXIT_FINE;
}

void truths_free(struct truths *truths)
{
	free(truths->one);
	free(truths->after);
}

struct happened *truths_find(const struct truths *truths, uint64_t stream, uint64_t seq)
{
	const struct happened name = { .stream = stream, .seq = seq };

	if (!truths->count)
		return NULL;
	return bsearch(&name, truths->one, truths->count, sizeof(name), by_name);
}

bool truths_has(const struct truths *truths, uint64_t stream)
{
	return bsearch(&stream, truths->one, truths->count, sizeof(*truths->one), by_stream);
}

struct decoding {
	void (*take)(const struct decoded_line *decoded, void *arg);
	void *arg;
};

static const char *take_decoded(const struct line *line, void *arg)
{
	static const struct {
		const char *word;
		unsigned int numbers;
	} kinds[] = { { "event", 3 }, { "span", 4 }, { "other", 2 }, { "lost", 2 }, { "torn", 1 } };
	const struct decoding *decoding = arg;
	struct decoded_line decoded = { .stream = line->number[0] };
	unsigned int kind;

	for (kind = 0; kind <= DECODED_TORN; kind++)
		if (!strcmp(line->word, kinds[kind].word) &&
		    (kind == DECODED_TORN ? line->count && !(line->none & 1) :
					    is(line, line->word, kinds[kind].numbers)))
			break;
	if (kind > DECODED_TORN || (*line->rest && kind != DECODED_TORN))
		return "what is decoded is: event STREAM SEQ TIME, span STREAM SEQ START END, "
		       "other "
		       "STREAM TIME, lost "
		       "STREAM|- COUNT, or torn STREAM WORDS";
	decoded.kind = kind;
	decoded.seq = kind == DECODED_OTHER ? 0 : line->number[1];
	decoded.start = line->number[kind == DECODED_OTHER || kind == DECODED_LOST ? 1 : 2];
	decoded.end = line->number[3];
	snprintf(decoded.words, sizeof(decoded.words), "%s", line->rest);
	decoding->take(&decoded, decoding->arg);
	return NULL;
}

int decoded_read(const char *path, void (*take)(const struct decoded_line *decoded, void *arg),
		 void *arg)
{
	struct decoding decoding = { take, arg };

	return each_line(path, take_decoded, &decoding);
}
