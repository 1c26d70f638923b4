// SPDX-License-Identifier: MIT
/* glog into a file: its prefix has microseconds of the day. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <glog/logging.h>

#include "extras/tracers/tracer.h"

static int open_log(const char *folder)
{
	setenv("TZ", "UTC", 1);
	google::InitGoogleLogging("stampede");
	google::SetLogDestination(google::INFO, (std::string(folder) + "/log.").c_str());
	google::SetLogSymlink(google::INFO, "");
	FLAGS_stderrthreshold = google::FATAL;
	FLAGS_timestamp_in_logfile_name = false;
	FLAGS_max_log_size = 4000;
	return 0;
}

static void record(unsigned int stream, uint64_t seq)
{
	LOG(INFO) << "stamp " << stream << ' ' << seq;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* I20261124 12:34:56.123456 TID FILE:LINE] stamp STREAM SEQ */
static int read_back(const char *folder, FILE *decoded)
{
	char line[512];
	const char *text;
	struct tm day;
	unsigned int stream;
	uint64_t micros, seq;
	FILE *log;

	google::ShutdownGoogleLogging();
	log = fopen((std::string(folder) + "/log.").c_str(), "r");
	while (log && fgets(line, sizeof(line), log)) {
		day = {};
		text = strstr(line, "] stamp ");
		if (!text ||
		    sscanf(line, "I%4d%2d%2d %d:%d:%d.%6" SCNu64, &day.tm_year, &day.tm_mon,
			   &day.tm_mday, &day.tm_hour, &day.tm_min, &day.tm_sec, &micros) != 7 ||
		    sscanf(text, "] stamp %u %" SCNu64, &stream, &seq) != 2)
			continue;
		day.tm_year -= 1900;
		day.tm_mon--;
		fprintf(decoded, "event %u %" PRIu64 " %" PRIu64 "\n", stream, seq,
			((uint64_t)timegm(&day) * 1000000 + micros) * 1000);
	}
	return log && !fclose(log) ? 0 : 3;
}

extern "C" const struct tracer_calls tracer = { open_log, record, now, read_back };
