// SPDX-License-Identifier: MIT
/* spdlog as most programs have it: one asynchronous logger, a file, a full queue blocks. */
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

#include <spdlog/async.h>
#include <spdlog/spdlog.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "extras/tracers/tracer.h"

static std::shared_ptr<spdlog::logger> logger;

static int open_log(const char *folder)
{
	logger = spdlog::basic_logger_mt<spdlog::async_factory>("stampede",
								std::string(folder) + "/log");
	logger->set_pattern("%E%F %v");
	return 0;
}

static void record(unsigned int stream, uint64_t seq)
{
	logger->info("{} {}", stream, seq);
}

static uint64_t now(void)
{
	return (uint64_t)std::chrono::duration_cast<std::chrono::nanoseconds>(
		       std::chrono::system_clock::now().time_since_epoch())
		.count();
}

static int read_back(const char *folder, FILE *decoded)
{
	uint64_t time, seq;
	unsigned int stream;
	FILE *log;

	logger.reset();
	spdlog::shutdown();
	log = fopen((std::string(folder) + "/log").c_str(), "r");
	while (log && fscanf(log, "%" SCNu64 " %u %" SCNu64 "\n", &time, &stream, &seq) == 3)
		fprintf(decoded, "event %u %" PRIu64 " %" PRIu64 "\n", stream, seq, time);
	return log && !fclose(log) ? 0 : 3;
}

extern "C" const struct tracer_calls tracer = { open_log, record, now, read_back };
