// SPDX-License-Identifier: MIT
/*
 * The guest of retry.py: a function tracer with one clock for some seconds of system calls, on a
 * kernel whose ring buffer counts the attempts at its claim (retry_reserve.inc). Everything that
 * the host shall know goes out as text.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/guest.h"

#define COUNTERS "/sys/module/ring_buffer/parameters/stampede_"
#define KLOG_READ_ALL 3

static char text[1 << 19];

static void say_file(const char *name, const char *path)
{
	size_t used = load(path, text, sizeof(text) - 1);

	text[used] = 0;
	text[strcspn(text, "\n")] = 0;
	say("%s %s\n", name, text);
}

/* Which functions of clocks can be traced at all; "clock NAME" for each. */
static void say_clocks(void)
{
	FILE *file = fopen(TRACING "available_filter_functions", "r");
	char name[256];

	if (!file)
		die("available_filter_functions");
	while (fscanf(file, "%255s%*[^\n]", name) == 1)
		if (strstr(name, "_clock") || strstr(name, "ktime_get") || strstr(name, "read_tsc"))
			say("clock %s\n", name);
	fclose(file);
}

static void set_up(void)
{
	const char *notrace = setting("stampede_notrace", "");

	put(TRACING "tracing_on", "0");
	put(TRACING "buffer_size_kb", setting("stampede_buffer_kb", "1408"));
	put(TRACING "trace_clock", setting("stampede_clock", "local"));
	if (*notrace)
		put(TRACING "set_ftrace_notrace", notrace);
	if (atoi(setting("stampede_events", "0")))
		put(TRACING "events/raw_syscalls/enable", "1");
	put(TRACING "current_tracer", setting("stampede_tracer", "function_graph"));
}

/* What a process does: system calls, a child, a wait. */
static void work(double seconds)
{
	uint64_t until = now_ns() + (uint64_t)(seconds * 1e9);
	const struct timespec moment = { .tv_nsec = 1000000 };
	unsigned long rounds = 0;
	int child, n, file;

	for (; now_ns() < until; rounds++) {
		for (n = 0; n < 20; n++)
			syscall(SYS_getppid);
		file = open("/proc/uptime", O_RDONLY);
		if (file < 0 || read(file, text, 64) <= 0)
			die("/proc/uptime");
		close(file);
		nanosleep(&moment, NULL);
		child = fork();
		if (child < 0)
			die("fork");
		if (!child)
			_exit(0);
		if (waitpid(child, NULL, 0) != child)
			die("waitpid");
	}
	say("rounds %lu\n", rounds);
}

/* Events in the buffer in all, and those that are a function of the clock's. */
static void say_events(void)
{
	FILE *file = fopen(TRACING "trace", "r");
	unsigned long all = 0, clocks = 0;
	static char line[4096];

	if (!file)
		die("trace");
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		all++;
		clocks += strstr(line, "local_clock") || strstr(line, "sched_clock");
	}
	fclose(file);
	say("lines %lu\nlines_clock %lu\n", all, clocks);
}

static void say_log(void)
{
	int used = klogctl(KLOG_READ_ALL, text, sizeof(text) - 1);

	if (used < 0)
		die("klogctl");
	say("log %d\n", used);
	send_bytes(text, (size_t)used);
	say("\n");
}

void retry_run(void)
{
	static const char *const counters[] = { "form",	  "attempts", "attempts_max",
						"failed", "pages",    "pages_max" };
	char path[128];
	size_t n;

	say_clocks();
	set_up();
	say_file("trace_clock", TRACING "trace_clock");
	say_file("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	say("ready\n");
	put(TRACING "tracing_on", "1");
	work(atof(setting("stampede_seconds", "5")));
	say_file("tracing_on", TRACING "tracing_on");
	put(TRACING "tracing_on", "0");
	for (n = 0; n < sizeof(counters) / sizeof(*counters); n++) {
		snprintf(path, sizeof(path), COUNTERS "%s", counters[n]);
		say("count_");
		say_file(counters[n], path);
	}
	say_events();
	say_log();
}
