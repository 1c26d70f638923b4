/* SPDX-License-Identifier: MIT */
/*
 * Google Benchmark from C. A cell is one of its benchmarks: it starts the threads, lets them begin
 * together, and carries all figures: the time that a body states (manual time), and its counters.
 *
 * The library exits 0 when a benchmark fails, and takes settings from BENCHMARK_* environment
 * variables. gbench_run(), for one repetition of a cell, prints nothing, returns failures, and
 * overrules the variables; gbench_main() is the library's own command line, table and files. No C++
 * in this file: C programs include it.
 *
 *	static void body(struct gbench_state *state, unsigned int thread, void *ctx)
 *	{
 *		while (gbench_keep_running(state, BATCH))
 *			run_batch(ctx, BATCH);
 *		gbench_time(state, ns);
 *		gbench_count(state, "bytes", bytes);
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define GBENCH_ERROR_BYTES 256

#ifdef __cplusplus
extern "C" {
#endif

/* Lives for one call of a body. */
struct gbench_state;

struct gbench_cell {
	const char *name; /* not empty */
	int64_t iterations; /* events asked for of each thread, >= 1 */
	unsigned int threads; /* >= 1; the first is the one that calls */
	void (*body)(struct gbench_state *state, unsigned int thread, void *ctx);
	void *ctx; /* handed to the body; may be NULL */
};

/*
 * One repetition: {"iterations": of all threads, "real_time" and "cpu_time": ns per event of a
 * thread, and each counter as its mean over threads; null where it is not finite}. NULL, with a
 * line in `error` that names the cell: a body failed, left its loop early or never entered it, or
 * the cell itself is not valid. Not for two threads at once.
 */
json_t *gbench_run(const struct gbench_cell *cell, char error[GBENCH_ERROR_BYTES]);

/*
 * The library's command line (--benchmark_filter, --benchmark_list_tests, ...; --help is the
 * caller's) for these cells. An exit code, after a line on stderr.
 */
int gbench_main(int argc, char **argv, const struct gbench_cell *cells, size_t count);

/*
 * For bodies. True: run `batch` (>= 1, the same in every call) more events. The first call waits
 * for all threads, so set up before it. Up to batch - 1 events more than asked for are run. After
 * gbench_fail() it has to be called all the same, and answers false.
 */
bool gbench_keep_running(struct gbench_state *state, int64_t batch);
void gbench_time(struct gbench_state *state, double ns); /* of all this thread's events */
void gbench_count(struct gbench_state *state, const char *key, double value);
void gbench_fail(struct gbench_state *state, const char *why);

/* The version of the library at build time, or "unknown": it does not tell at run time. */
const char *gbench_version(void);

#ifdef __cplusplus
}
#endif
