// SPDX-License-Identifier: MIT
/* See counters.h. */
#define _GNU_SOURCE
#include "runner/timing/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wide.h"

static const struct counters_event cycles_and_instructions[2] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};

/* glibc has no wrapper. `leader` is -1 for the event that opens the group. */
static int open_event(const struct counters_event *event, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0, /* the other follows its leader */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int counters_evaluate(const struct counters_read *group, uint64_t count[2])
{
	/* Other users of the PMU (the NMI watchdog) may have left it no room. */
	if (!group->running_ns)
		return ENODATA;
	count[0] = wide_scale(group->count[0], group->enabled_ns, group->running_ns);
	count[1] = wide_scale(group->count[1], group->enabled_ns, group->running_ns);
	/* Some hypervisors accept the events and never count. */
	return count[0] && count[1] ? 0 : ENODATA;
}

int counters_count(const struct counters_event event[2], void (*work)(void *arg), void *arg,
		   uint64_t count[2])
{
	struct counters_read group = { .events = 0 };
	int fd[2], error = 0;

	event = event ? event : cycles_and_instructions;
	errno = ENOENT;
	fd[0] = open_event(&event[0], -1);
	fd[1] = fd[0] < 0 ? -1 : open_event(&event[1], fd[0]);
	if (fd[1] < 0 || ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		error = errno;
	else
		work(arg);
	/* Stop first, or the read would be counted. */
	if (!error && (ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) ||
		       read(fd[0], &group, sizeof(group)) != (ssize_t)sizeof(group)))
		error = errno;
	/* The member before its leader, or the kernel makes it a leader first. */
	if (fd[1] >= 0)
		close(fd[1]);
	if (fd[0] >= 0)
		close(fd[0]);
	return error ? error : counters_evaluate(&group, count);
}
