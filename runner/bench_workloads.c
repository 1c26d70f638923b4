// SPDX-License-Identifier: MIT
/* bench: the workloads that are checked and counted, but not timed. */
#include <stdio.h>

#include "runner/bench.h"
#include "layout/layout_experiments.h"
#include "base/options.h"
#include "workloads/seek_curve.h"
#include "place/ticks.h"

#define REPLAY_EVENTS 50000

/* Events per cell of compact events in a channel of their own. */
#define CHANNEL_EVENTS 20000
#define CHANNEL_EVENTS_FULL 200000

static int replay_gaps(void *arg, const struct gaps *gaps)
{
	struct bench *bench = arg;
	enum verdict verdict;
	json_t *line;
	int i;

	for (i = 0; i < bench->rows; i++) {
		line = counts_replay(driver_find(drivers_counting, bench->row[i]->row), gaps,
				     REPLAY_EVENTS, ticks_hz(), bench->seed, &verdict);
		if (!line)
			return EXIT_RESOURCE;
		json_array_append_new(bench->replay, line);
		if (verdict != VERDICT_BROKEN)
			continue;
		bench->broken = true;
		bench->verdict[i] = check_verdict_name(verdict);
		snprintf(bench->why[i], sizeof(bench->why[i]), "replay of %s", gaps->name);
	}
	return 0;
}

/* What the layouts do to order and bytes at the recorded gaps, whichever rows are run. */
static int run_layouts(struct bench *bench)
{
	int error = place_bind_self(&bench->place, bench->plan.pu[0]);

	if (!error)
		error = layout_precision(GAPS_DIR, bench->precision);
	if (!error)
		error = layout_channels(GAPS_DIR, bench->full ? CHANNEL_EVENTS_FULL :
							       CHANNEL_EVENTS, bench->channels);
	return error;
}

static int run_replay(struct bench *bench)
{
	int error = gaps_each(GAPS_DIR, replay_gaps, bench);

	if (error)
		return error < 0 ? EXIT_USAGE : error;
	return bench->quick ? 0 : run_layouts(bench);
}

int bench_run_workloads(struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	int error = 0;

	if (bench->workload[WORKLOAD_replay])
		error = run_replay(bench);
	if (!error && bench->workload[WORKLOAD_idle])
		error = bench_run_checked(bench, WORKLOAD_idle,
					  size->idle_seconds + size->rare_seconds,
					  size->rare_seconds, bench->idle);
	if (!error && bench->workload[WORKLOAD_stall])
		error = bench_run_checked(bench, WORKLOAD_stall, size->checked_seconds, 0,
					  bench->stress);
	if (!error && bench->workload[WORKLOAD_seek])
		error = seek_curve(bench->full ? SEEK_MIB_FULL : SEEK_MIB, bench->seed,
				   bench->seek);
	if (error || !bench->workload[WORKLOAD_handoff])
		return error;
	if (bench->plan.count > 1)
		return bench_run_checked(bench, WORKLOAD_handoff, size->checked_seconds, 0,
					 bench->stress);
	printf("handoff skipped: it takes two CPUs, and there is one\n");
	return 0;
}
