// SPDX-License-Identifier: MIT
#include "base/json_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"

static int fail(const char *path, int error)
{
	fprintf(stderr, "stampede: cannot write %s: %s\n", path, strerror(error));
	return EXIT_RESOURCE;
}

int json_out_as(const char *path, const json_t *json, size_t flags)
{
	char temporary[4096];
	int error = 0;

	errno = 0;
	if (!strcmp(path, "-"))
		return json_dumpf(json, stdout, JSON_INDENT(1) | flags) || putchar('\n') == EOF ||
		       fflush(stdout) ? fail("standard output", errno ? errno : EIO) : EXIT_FINE;
	if (snprintf(temporary, sizeof(temporary), "%s.tmp.%d", path, (int)getpid()) >=
	    (int)sizeof(temporary)) {
		fprintf(stderr, "stampede: '%s' is too long a name\n", path);
		return EXIT_USAGE;
	}
	if (json_dump_file(json, temporary, JSON_INDENT(1) | flags) || rename(temporary, path))
		error = errno ? errno : EIO;
	if (!error)
		return EXIT_FINE;
	unlink(temporary);
	return fail(path, error);
}

int json_out(const char *path, const json_t *json)
{
	return json_out_as(path, json, 0);
}
