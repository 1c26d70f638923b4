/* SPDX-License-Identifier: MIT */
/*
 * Google Benchmark from C: one repetition of one cell with a fixed number of iterations.
 *
 * The library calls a body again and again while it looks for an iteration count, exits 0 when a
 * benchmark fails, and takes settings from BENCHMARK_* environment variables. Here the count is
 * given, so the body runs exactly once; a failure is a return value; the variables are overruled.
 * Nothing is printed. No C++ in this file: C programs include it.
 *
 *	static void body(struct gbench_state *state, void *ctx)
 *	{
 *		while (gbench_keep_running(state, BATCH))
 *			run_batch(ctx, BATCH);
 *	}
 */
#ifndef STAMPEDE_RUNNER_TIMING_GBENCH_H
#define STAMPEDE_RUNNER_TIMING_GBENCH_H

#include <stdbool.h>
#include <stdint.h>

#define GBENCH_ERROR_BYTES 256

#ifdef __cplusplus
extern "C" {
#endif

/* Lives for one call of a body. */
struct gbench_state;

struct gbench_cell {
	const char *name; /* for error messages; not empty */
	int64_t iterations; /* events asked for, >= 1 */
	void (*body)(struct gbench_state *state, void *ctx);
	void *ctx; /* handed to the body; may be NULL */
};

struct gbench_result {
	int64_t iterations; /* events run: the next multiple of the batch */
	double real_ns; /* wall clock over the whole loop, not per event */
	double cpu_ns; /* CPU time of the thread over the whole loop */
	char error[GBENCH_ERROR_BYTES]; /* "" on success */
};

/*
 * Run the cell in the calling thread, keeping its pinning and signal mask. Returns 0, or -1 with
 * a line in result->error that names the cell: the body left its loop early or never entered it, or
 * the cell itself is not valid. On failure no other field means anything. Not for two threads at
 * once.
 */
int gbench_run(const struct gbench_cell *cell, struct gbench_result *result);

/*
 * For bodies. True: run `batch` (>= 1, the same in every call) more events. The first call starts
 * the clock, so set up before it; the one that returns false stops it. Up to batch - 1 events more
 * than asked for are run: size buffers for that.
 */
bool gbench_keep_running(struct gbench_state *state, int64_t batch);

/* The version of the library at build time, or "unknown": it does not tell at run time. */
const char *gbench_version(void);

#ifdef __cplusplus
}
#endif

#endif
