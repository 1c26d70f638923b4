// SPDX-License-Identifier: MIT
// See gbench.h. The only C++ of the project, and no scheme's header may be included here: C11
// atomics and C++ do not mix.
#include "runner/timing/gbench.h"
#include "base/exit.h"

#include <cmath>
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

json_t *fail(char *error, const char *name, const char *reason)
{
	snprintf(error, GBENCH_ERROR_BYTES, "%s: %s", name, reason);
	return nullptr;
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

void set(json_t *json, const char *key, double value)
{
	json_object_set_new(json, key, std::isfinite(value) ? json_real(value) : json_null());
}

// Times are sums over threads, divided by their number: the events of one thread are meant.
json_t *convert(const benchmark::BenchmarkReporter::Run &run)
{
	json_t *json = json_object();
	double events = static_cast<double>(run.iterations) / static_cast<double>(run.threads);

	json_object_set_new(json, "iterations", json_integer(run.iterations));
	set(json, "real_time", run.real_accumulated_time * 1e9 / events);
	set(json, "cpu_time", run.cpu_accumulated_time * 1e9 / static_cast<double>(run.iterations));
	for (const auto &counter : run.counters)
		set(json, counter.first.c_str(), counter.second.value);
	return json;
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

bool is_whole(const gbench_cell *cell)
{
	return cell->name && cell->name[0] && cell->body && cell->iterations >= 1 &&
	       cell->threads >= 1;
}

void add(const gbench_cell *cell)
{
	benchmark::RegisterBenchmark(
		cell->name,
		[cell](benchmark::State &library_state) {
			gbench_state state = { &library_state, false };

			cell->body(&state, static_cast<unsigned int>(library_state.thread_index()),
				   cell->ctx);
			// The library would abort, or report no time at all.
			if (!state.finished)
				library_state.SkipWithError(
					"the body left its loop before the end");
		})
		->Iterations(cell->iterations)
		->Threads(static_cast<int>(cell->threads))
		->UseManualTime();
}

json_t *run_cell(const gbench_cell *cell, char *error)
{
	static const bool understood = overrule_environment();
	Capture capture;

	if (!understood)
		return fail(error, cell->name, "this Google Benchmark lacks an option we need");
	benchmark::ClearRegisteredBenchmarks();
	add(cell);
	benchmark::RunSpecifiedBenchmarks(&capture);

	if (capture.runs.size() != 1)
		return fail(error, cell->name, "Google Benchmark did not report exactly one run");
	if (const char *reason = complaint(capture.runs[0], 0))
		return fail(error, cell->name, reason);
	return convert(capture.runs[0]);
}

} // namespace

json_t *gbench_run(const gbench_cell *cell, char error[GBENCH_ERROR_BYTES])
{
	if (!is_whole(cell))
		return fail(error, "benchmark cell",
			    "needs a name, a body, a thread and iterations >= 1");
	try {
		return run_cell(cell, error);
	} catch (const std::exception &caught) {
		return fail(error, cell->name, caught.what());
	}
}

int gbench_main(int argc, char **argv, const gbench_cell *cells, size_t count)
{
	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return EXIT_USAGE;
	for (size_t i = 0; i < count; i++)
		add(&cells[i]);
	return benchmark::RunSpecifiedBenchmarks() ? EXIT_FINE : EXIT_USAGE;
}

bool gbench_keep_running(gbench_state *state, int64_t batch)
{
	if (!state->finished && state->state->KeepRunningBatch(batch))
		return true;
	state->finished = true;
	return false;
}

void gbench_time(gbench_state *state, double ns)
{
	state->state->SetIterationTime(ns / 1e9);
}

void gbench_count(gbench_state *state, const char *key, double value)
{
	state->state->counters[key] = benchmark::Counter(value, benchmark::Counter::kAvgThreads);
}

void gbench_fail(gbench_state *state, const char *why)
{
	state->state->SkipWithError(why);
}

const char *gbench_version(void)
{
	return GBENCH_VERSION;
}
