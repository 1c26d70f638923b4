// SPDX-License-Identifier: MIT
#include "gap_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_CODE_USAGE 1
#define HIGHEST_NS (UINT64_MAX / 4)

/* One field; NULL and a reason if it is no whole number. */
static const char *field(const char *text, char end, uint64_t *value, const char **why)
{
	char *rest;

	if (*text == '-') {
		*why = "a negative number";
		return NULL;
	}
	if (!isdigit((unsigned char)*text)) {
		*why = "four whole numbers are wanted: log2_bucket,lo_ns,hi_ns,count";
		return NULL;
	}
	errno = 0;
	*value = strtoull(text, &rest, 10);
	if (errno) {
		*why = "a number too large for 64 bits";
		return NULL;
	}
	if (*rest == '\r' && end == '\n')
		rest++;
	if (*rest != end && !(end == '\n' && !*rest)) {
		*why = "four whole numbers are wanted: log2_bucket,lo_ns,hi_ns,count";
		return NULL;
	}
	return rest + 1;
}

static const char *read_row(const char *text, struct gap_file *file)
{
	struct gap_bucket *bucket = &file->bucket[file->buckets];
	const char *why = NULL;
	uint64_t index, count;

	text = field(text, ',', &index, &why);
	if (text)
		text = field(text, ',', &bucket->low_ns, &why);
	if (text)
		text = field(text, ',', &bucket->high_ns, &why);
	if (text)
		text = field(text, '\n', &count, &why);
	if (!text)
		return why;
	if (bucket->low_ns > bucket->high_ns)
		return "lo_ns above hi_ns";
	if (bucket->high_ns > HIGHEST_NS)
		return "a gap of more than 146 years";
	if (file->buckets && bucket->low_ns <= bucket[-1].high_ns)
		return "buckets overlap or go back";
	if (count > UINT64_MAX - file->gaps)
		return "counts overflow 64 bits";
	bucket->below = file->gaps;
	file->gaps += count;
	file->buckets++;
	return NULL;
}

int gap_file_read(const char *path, struct gap_file *file)
{
	FILE *stream = fopen(path, "r");
	const char *why = NULL;
	unsigned int line = 0;
	char text[256];

	*file = (struct gap_file){ .buckets = 0 };
	if (!stream) {
		fprintf(stderr, "stampede: cannot read %s: %s\n", path, strerror(errno));
		return EXIT_CODE_USAGE;
	}
	while (!why && fgets(text, sizeof(text), stream)) {
		line++;
		if (line == 1 && !strncmp(text, "log2_bucket", 11))
			continue;
		if (file->buckets == GAP_BUCKETS)
			why = "more than 65 buckets";
		else
			why = read_row(text, file);
	}
	if (!why && ferror(stream))
		why = strerror(errno);
	if (!why && !file->gaps)
		why = "no gaps in it";
	fclose(stream);
	if (!why)
		return 0;
	fprintf(stderr, "stampede: %s:%u: %s\n", path, line, why);
	return EXIT_CODE_USAGE;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

uint64_t gap_file_draw(const struct gap_file *file, uint64_t *random)
{
	uint64_t pick = next_random(random) % file->gaps;
	const struct gap_bucket *bucket = &file->bucket[file->buckets - 1];

	while (bucket->below > pick)
		bucket--;
	return bucket->low_ns + next_random(random) % (bucket->high_ns - bucket->low_ns + 1);
}
