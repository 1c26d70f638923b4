// SPDX-License-Identifier: MIT
#include "traces/clock_pairs.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"

#define NAME ".clock_pairs.csv"
#define HEADER "ticks,monotonic_ns,realtime_ns,error_ns\n"
#define LINE_BYTES 128

static bool behind(const struct clock_pair *pair, const struct clock_pair *before)
{
	return pair->ticks > before->ticks && pair->ns[WALL_MONOTONIC] > before->ns[WALL_MONOTONIC];
}

bool clock_pairs_add(struct clock_pairs *pairs, const struct clock_pair *pair)
{
	struct clock_pair *more;

	if (pairs->count && !behind(pair, &pairs->pair[pairs->count - 1]))
		return true;
	/* A power of two: there is no room for one more. */
	if (!(pairs->count & (pairs->count - 1))) {
		more = realloc(pairs->pair,
			       (pairs->count ? 2 * pairs->count : 1) * sizeof(*pairs->pair));
		if (!more)
			return false;
		pairs->pair = more;
	}
	pairs->pair[pairs->count++] = *pair;
	return true;
}

struct writing {
	const struct clock_pairs *pairs;
	unsigned int cut;
};

static int put_pairs(FILE *text, void *arg)
{
	const struct writing *writing = arg;
	const struct clock_pair *pair = writing->pairs->pair;
	uint64_t ticks, before = 0;
	size_t i;

	fputs(HEADER, text);
	for (i = 0; i < writing->pairs->count; i++) {
		ticks = pair[i].ticks >> writing->cut;
		/* In ticks as coarse as that it may not be behind the pair before it. */
		if (i && ticks <= before)
			continue;
		before = ticks;
		fprintf(text, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", ticks,
			pair[i].ns[WALL_MONOTONIC], pair[i].ns[WALL_REALTIME], pair[i].error_ns);
	}
	return 0;
}

int clock_pairs_write(int dirfd, const struct clock_pairs *pairs, unsigned int cut)
{
	struct writing writing = { pairs, cut };

	return -file_put_new(dirfd, NAME, put_pairs, &writing);
}

/* Four whole numbers with commas between them and nothing else. */
static bool take_line(const char *line, struct clock_pair *pair)
{
	uint64_t *const into[] = { &pair->ticks, &pair->ns[WALL_MONOTONIC],
				   &pair->ns[WALL_REALTIME], &pair->error_ns };
	char *end;
	int i;

	for (i = 0; i < 4; i++) {
		errno = 0;
		if (!isdigit((unsigned char)*line))
			return false;
		*into[i] = strtoull(line, &end, 10);
		if (errno || *end != (i < 3 ? ',' : '\n'))
			return false;
		line = end + 1;
	}
	return true;
}

static int read_pairs(FILE *text, const char *path, struct clock_pairs *pairs)
{
	struct clock_pair pair;
	char line[LINE_BYTES];
	unsigned int number = 1;

	if (!fgets(line, sizeof(line), text) || strcmp(line, HEADER) != 0)
		return fail_with(EXIT_USAGE, "%s, line 1: not " HEADER, path);
	while (fgets(line, sizeof(line), text)) {
		size_t before = pairs->count;

		number++;
		if (!take_line(line, &pair))
			return fail_with(EXIT_USAGE,
					 "%s, line %u: not four whole numbers with commas between "
					 "them",
					 path, number);
		if (!clock_pairs_add(pairs, &pair))
			return fail_memory("pairs of readings");
		if (pairs->count == before)
			return fail_with(EXIT_USAGE, "%s, line %u: not behind the pair before it",
					 path, number);
	}
	return 0;
}

int clock_pairs_read(const char *dir, struct clock_pairs *pairs)
{
	char path[PATH_MAX];
	FILE *text;
	int error;

	*pairs = (struct clock_pairs){ .count = 0 };
	if (snprintf(path, sizeof(path), "%s/" NAME, dir) >= (int)sizeof(path))
		return 0;
	text = fopen(path, "r");
	if (!text)
		return 0;
	error = read_pairs(text, path, pairs);
	fclose(text);
	if (error)
		clock_pairs_free(pairs);
	return error;
}

void clock_pairs_free(struct clock_pairs *pairs)
{
	free(pairs->pair);
	*pairs = (struct clock_pairs){ .count = 0 };
}

/* The last pair that is not behind `ticks` and has one behind it; or the first. */
static const struct clock_pair *pair_before(const struct clock_pairs *pairs, uint64_t ticks)
{
	size_t low = 0, high = pairs->count - 1, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (pairs->pair[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return &pairs->pair[low];
}

bool clock_pairs_realtime(const struct clock_pairs *pairs, uint64_t ticks, struct wall_time *time)
{
	const struct clock_pair *before;
	struct wall_time monotonic;
	uint64_t ns;

	if (pairs->count < 2)
		return false;
	before = pair_before(pairs, ticks);
	if (!wall_by_line(before, before + 1, WALL_MONOTONIC, ticks, &monotonic))
		return false;
	ns = monotonic.ns + (before->ns[WALL_REALTIME] - before->ns[WALL_MONOTONIC]);
	/* Realtime is ahead of monotonic by the date of the boot: a sum that is less went over. */
	if (before->ns[WALL_REALTIME] >= before->ns[WALL_MONOTONIC] && ns < monotonic.ns)
		return false;
	*time = (struct wall_time){ .ns = ns, .error_ns = monotonic.error_ns + before->error_ns };
	return true;
}
