// SPDX-License-Identifier: MIT
/* bench: the workloads that are checked and counted, but not timed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_phases.h"
#include "options.h"
#include "ticks.h"

#define REPLAY_EVENTS 50000

static int is_gaps(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".csv");
}

static int replay_file(struct bench *bench, const char *name)
{
	char path[4096];
	enum verdict verdict;
	struct gaps gaps;
	json_t *line;
	int i;

	snprintf(path, sizeof(path), "%s/%s", GAPS_DIR, name);
	if (gaps_read(path, &gaps))
		return EXIT_USAGE;
	for (i = 0; i < bench->rows; i++) {
		line = counts_replay(driver_find(drivers_counting, bench->row[i]->row), &gaps,
				     REPLAY_EVENTS, ticks_hz(), bench->seed, &verdict);
		if (!line)
			return EXIT_RESOURCE;
		json_array_append_new(bench->replay, line);
		if (verdict != VERDICT_BROKEN)
			continue;
		bench->broken = true;
		bench->verdict[i] = check_verdict_name(verdict);
		snprintf(bench->why[i], sizeof(bench->why[i]), "replay of %s", gaps.name);
	}
	return 0;
}

static int replay_all(struct bench *bench)
{
	struct dirent **names;
	int i, error = 0, count = scandir(GAPS_DIR, &names, is_gaps, alphasort);

	if (count <= 0) {
		fprintf(stderr, "stampede: cannot read the recorded gaps in %s: %s\n", GAPS_DIR,
			count ? strerror(errno) : "no csv file there");
		return EXIT_USAGE;
	}
	for (i = 0; i < count; i++) {
		if (!error)
			error = replay_file(bench, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return error;
}

int bench_run_workloads(struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	int error = 0;

	if (bench->workload[WORKLOAD_replay])
		error = replay_all(bench);
	if (!error && bench->workload[WORKLOAD_idle])
		error = bench_run_checked(bench, WORKLOAD_idle,
					  size->idle_seconds + size->rare_seconds,
					  size->rare_seconds, bench->idle);
	if (!error && bench->workload[WORKLOAD_stall])
		error = bench_run_checked(bench, WORKLOAD_stall, size->checked_seconds, 0,
					  bench->stress);
	if (error || !bench->workload[WORKLOAD_handoff])
		return error;
	if (bench->plan.count > 1)
		return bench_run_checked(bench, WORKLOAD_handoff, size->checked_seconds, 0,
					 bench->stress);
	printf("handoff skipped: it takes two CPUs, and there is one\n");
	return 0;
}
