// SPDX-License-Identifier: MIT
// See gbench.h. The only C++ of the project, and no scheme's header may be included here: C11
// atomics and C++ do not mix.
#include "runner/timing/gbench.h"

#include <cstdio>
#include <exception>
#include <vector>

#include <benchmark/benchmark.h>

// The library has no version at run time; pass -DGBENCH_VERSION='"1.7.1"' from pkg-config.
#ifndef GBENCH_VERSION
#define GBENCH_VERSION "unknown"
#endif

struct gbench_state {
	benchmark::State *state;
	bool finished; // the loop ended, so the clock was stopped
};

namespace
{

// Every environment variable that changes what is run or printed, set back to its default.
const char *const overrules[] = {
	"stampede",
	"--benchmark_list_tests=false",
	"--benchmark_filter=.",
	"--benchmark_repetitions=1",
	"--benchmark_min_warmup_time=0",
	"--benchmark_perf_counters=",
	"--benchmark_time_unit=ns",
	"--benchmark_color=no",
	"--benchmark_format=console",
	"--benchmark_out=",
	"--benchmark_out_format=json",
	"--v=0", // its variable is V, which "make V=1" exports
};

int fail(gbench_result *result, const char *name, const char *reason)
{
	snprintf(result->error, sizeof(result->error), "%s: %s", name, reason);
	return -1;
}

// Keeps the one run, prints nothing.
class Capture : public benchmark::BenchmarkReporter
{
      public:
	std::vector<Run> runs;

	bool ReportContext(const Context &) override
	{
		return true;
	}

	void ReportRuns(const std::vector<Run> &reported) override
	{
		runs.insert(runs.end(), reported.begin(), reported.end());
	}
};

// Why a run was given up, or null. The library says so by two fields up to 1.7, by two others from
// 1.8 on; that they are there decides, since the headers tell no version. The first fits better.
template <typename Run> auto complaint(const Run &run, int) -> decltype(run.skip_message.c_str())
{
	return run.skipped ? run.skip_message.c_str() : nullptr;
}

template <typename Run> auto complaint(const Run &run, long) -> decltype(run.error_message.c_str())
{
	return run.error_occurred ? run.error_message.c_str() : nullptr;
}

// That 1.8 also wants a unit behind its least time, which 1.7 does not take.
template <typename Run>
auto least_time(int) -> decltype(static_cast<void>(&Run::skip_message), (const char *)nullptr)
{
	return "--benchmark_min_time=0.5s";
}

template <typename Run> const char *least_time(long)
{
	return "--benchmark_min_time=0.5";
}

void convert(const benchmark::BenchmarkReporter::Run &run, gbench_result *result)
{
	result->iterations = run.iterations;
	result->real_ns = run.real_accumulated_time * 1e9;
	result->cpu_ns = run.cpu_accumulated_time * 1e9;
}

bool overrule_environment()
{
	std::vector<char *> argv;
	int arguments;

	for (const char *overrule : overrules)
		argv.push_back(const_cast<char *>(overrule));
	argv.push_back(const_cast<char *>(least_time<Capture::Run>(0)));
	arguments = static_cast<int>(argv.size());
	argv.push_back(nullptr);
	benchmark::Initialize(&arguments, argv.data());
	return arguments == 1;
}

int run_cell(const gbench_cell *cell, gbench_result *result)
{
	static const bool understood = overrule_environment();
	Capture capture;

	if (!understood)
		return fail(result, cell->name, "this Google Benchmark lacks an option we need");
	benchmark::ClearRegisteredBenchmarks();
	benchmark::RegisterBenchmark(
		cell->name,
		[cell](benchmark::State &library_state) {
			gbench_state state = { &library_state, false };

			cell->body(&state, cell->ctx);
			// The library would abort, or report no time at all.
			if (!state.finished && !library_state.error_occurred())
				library_state.SkipWithError(
					"the body left its loop before the end");
		})
		->Iterations(cell->iterations)
		->UseRealTime();
	benchmark::RunSpecifiedBenchmarks(&capture);

	if (capture.runs.size() != 1)
		return fail(result, cell->name, "Google Benchmark did not report exactly one run");
	if (const char *reason = complaint(capture.runs[0], 0))
		return fail(result, cell->name, reason);
	convert(capture.runs[0], result);
	return 0;
}

} // namespace

int gbench_run(const gbench_cell *cell, gbench_result *result)
{
	*result = gbench_result();
	if (!cell->name || !cell->name[0] || !cell->body || cell->iterations < 1)
		return fail(result, "benchmark cell", "needs a name, a body and iterations >= 1");
	try {
		return run_cell(cell, result);
	} catch (const std::exception &error) {
		return fail(result, cell->name, error.what());
	}
}

bool gbench_keep_running(gbench_state *state, int64_t batch)
{
	if (!state->finished && state->state->KeepRunningBatch(batch))
		return true;
	state->finished = true;
	return false;
}

const char *gbench_version(void)
{
	return GBENCH_VERSION;
}
