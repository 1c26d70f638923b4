// SPDX-License-Identifier: MIT
#include "workloads/gaps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/wide.h"

#define HEADER "log2_bucket,lo_ns,hi_ns,count"
#define FIELDS 4
#define LINE_BYTES 128

struct reading {
	const char *path;
	unsigned int line;
	const char *text; /* of the line */
};

static int refuse(const struct reading *at, const char *reason)
{
	fail_line("%s, line %u: %s: '%s'", at->path, at->line, reason, at->text);
	return -EINVAL;
}

static bool read_fields(const char *text, uint64_t field[FIELDS])
{
	unsigned int i;
	char *end;

	for (i = 0; i < FIELDS; i++, text = end + 1) {
		errno = 0;
		field[i] = strtoull(text, &end, 10);
		if (!isdigit((unsigned char)*text) || errno ||
		    *end != (i + 1 < FIELDS ? ',' : '\0'))
			return false;
	}
	return true;
}

static int read_row(const struct reading *at, struct gaps *gaps)
{
	uint64_t field[FIELDS], lo, hi;
	unsigned int last = gaps->buckets;

	if (!read_fields(at->text, field))
		return refuse(at, "not four whole numbers of 64 bits with commas between them");
	if (field[0] >= GAPS_BUCKETS)
		return refuse(at, "a bucket of gaps longer than 13 days (2^50 ns)");
	lo = field[0] ? UINT64_C(1) << (field[0] - 1) : 0;
	hi = field[0] ? 2 * lo - 1 : 0;
	if (field[1] != lo || field[2] != hi)
		return refuse(at, "lo_ns and hi_ns are not those of the bucket");
	if (last && lo <= gaps->lo_ns[last - 1])
		return refuse(at, "buckets are not in ascending order");
	if (field[3] > UINT64_MAX - gaps->count)
		return refuse(at, "the counts together do not fit 64 bits");
	gaps->count += field[3];
	gaps->lo_ns[last] = lo;
	gaps->until[last] = gaps->count;
	gaps->buckets++;
	return 0;
}

static int read_lines(FILE *file, struct reading *at, struct gaps *gaps)
{
	char text[LINE_BYTES];
	size_t bytes;
	int error = 0;

	for (at->line = 1; !error && fgets(text, sizeof(text), file); at->line++) {
		bytes = strlen(text);
		at->text = text;
		if (bytes && text[bytes - 1] == '\n')
			text[bytes - 1] = '\0';
		else if (!feof(file))
			return refuse(at, "longer than a row can be");
		if (at->line > 1)
			error = read_row(at, gaps);
		else if (strcmp(text, HEADER))
			error = refuse(at, "the first line is to be " HEADER);
	}
	return error;
}

void gaps_name(const char *path, char name[GAPS_NAME_BYTES])
{
	const char *slash = strrchr(path, '/');
	char *dot;

	snprintf(name, GAPS_NAME_BYTES, "%s", slash ? slash + 1 : path);
	dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
}

int gaps_read(const char *path, struct gaps *gaps)
{
	struct reading at = { .path = path };
	FILE *file = fopen(path, "r");
	int error = errno;

	*gaps = (struct gaps){ .buckets = 0 };
	gaps_name(path, gaps->name);
	if (!file) {
		fail_line("cannot read gaps from %s: %s", path, strerror(error));
		return -error;
	}
	errno = 0;
	error = read_lines(file, &at, gaps);
	if (!error && ferror(file)) {
		error = errno ? -errno : -EIO;
		fail_line("cannot read gaps from %s: %s", path, strerror(-error));
	} else if (!error && !gaps->count) {
		error = -EINVAL;
		fail_line("%s, line %u: there is no gap in it", path,
			  at.line > 1 ? at.line - 1 : 1);
	}
	fclose(file);
	return error;
}

double gaps_sample_ns(const struct gaps *gaps, uint64_t *state)
{
	/* The high half of the product: uniform below count, without a division. */
	uint64_t pick = wide_high(rng_split(state), gaps->count);
	double part = (double)(rng_split(state) >> 11) * 0x1p-53;
	unsigned int i = 0;

	while (pick >= gaps->until[i])
		i++;
	if (!gaps->lo_ns[i])
		return 0;
	return (double)gaps->lo_ns[i] * exp2(part);
}

static int is_csv(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".csv");
}

int gaps_each(const char *directory, int (*one)(void *arg, const struct gaps *gaps), void *arg)
{
	struct dirent **entries;
	struct gaps gaps;
	char path[4096], usual[PATH_MAX];
	int i, error = 0, count;

	directory = directory ? directory : file_data("workloads/gaps", usual);
	count = scandir(directory, &entries, is_csv, alphasort);
	if (count < 0) {
		error = errno;
		fail_line("cannot read the gaps in %s: %s", directory, strerror(error));
		return -error;
	}
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		if (!error)
			error = gaps_read(path, &gaps);
		if (!error)
			error = one(arg, &gaps);
		free(entries[i]);
	}
	free(entries);
	if (count)
		return error;
	fail_line("no .csv of recorded gaps in %s", directory);
	return -ENOENT;
}
