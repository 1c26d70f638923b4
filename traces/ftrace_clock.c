// SPDX-License-Identifier: MIT
#include "traces/ftrace_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"

#define NAME "clock"
#define FIELDS 5

static const char *const names[FIELDS] = { "hz", "ticks", "monotonic_ns", "realtime_ns",
					   "error_ns" };

static int put_clock(FILE *text, void *arg)
{
	const struct ftrace_clock *clock = arg;
	const uint64_t values[FIELDS] = { clock->hz, clock->pair.ticks,
					  clock->pair.ns[WALL_MONOTONIC],
					  clock->pair.ns[WALL_REALTIME], clock->pair.error_ns };
	int i;

	fputs("# A stamp's time since 1970, ns: realtime_ns + (stamp - ticks) * 1e9 / hz\n", text);
	for (i = 0; i < FIELDS; i++)
		fprintf(text, "%s %" PRIu64 "\n", names[i], values[i]);
	return 0;
}

int ftrace_clock_write(int dirfd, const struct clock_pair *pair, uint64_t hz)
{
	struct ftrace_clock clock = { .hz = hz, .pair = *pair };

	return -file_put_new(dirfd, NAME, put_clock, &clock);
}

/* A line of the file; false: it is none. */
static bool take_line(const char *line, uint64_t values[FIELDS], unsigned int *seen)
{
	char name[20];
	uint64_t value;
	int end = 0, i;

	if (line[0] == '#' || line[0] == '\n')
		return true;
	/* A minus is none of scanf's faults. */
	if (strchr(line, '-') || sscanf(line, "%19s %" SCNu64 " %n", name, &value, &end) != 2 ||
	    line[end])
		return false;
	for (i = 0; i < FIELDS && strcmp(name, names[i]) != 0; i++)
		;
	if (i == FIELDS || *seen & 1u << i)
		return false;
	values[i] = value;
	*seen |= 1u << i;
	return true;
}

int ftrace_clock_read(const char *dir, struct ftrace_clock *clock)
{
	char path[PATH_MAX], line[200];
	uint64_t values[FIELDS] = { 0 };
	unsigned int seen = 0;
	bool good = true;
	FILE *text;

	*clock = (struct ftrace_clock){ .hz = 0 };
	if (snprintf(path, sizeof(path), "%s/" NAME, dir) >= (int)sizeof(path))
		return 0;
	text = fopen(path, "r");
	if (!text)
		return 0;
	while (good && fgets(line, sizeof(line), text))
		good = take_line(line, values, &seen);
	fclose(text);
	if (!good || seen != (1u << FIELDS) - 1 || !values[0])
		return fail_with(EXIT_USAGE,
				 "%s: not hz (above 0), ticks, monotonic_ns, realtime_ns and "
				 "error_ns, once each",
				 path);
	*clock = (struct ftrace_clock){
		.hz = values[0],
		.pair = { .ticks = values[1],
			  .ns = { [WALL_MONOTONIC] = values[2], [WALL_REALTIME] = values[3] },
			  .error_ns = values[4] },
	};
	return 0;
}
