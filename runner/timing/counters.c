// SPDX-License-Identifier: MIT
/* See counters.h. */
#define _GNU_SOURCE
#include "runner/timing/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wide.h"

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"

static const struct counters_event cycles_and_instructions[2] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
};

/* What read(2) gives for a group of two with PERF_FORMAT_GROUP and both times. */
struct group_read {
	uint64_t events;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t count[2];
};

void counters_explain(int error, const char *name, enum counters_scope scope, const char *paranoid,
		      char why[COUNTERS_WHY_BYTES])
{
	int enough = scope == COUNTERS_USER ? 2 : 1;

	switch (error) {
	case EACCES:
	case EPERM:
		snprintf(why, COUNTERS_WHY_BYTES,
			 "%s: %s; kernel.perf_event_paranoid is %s and must be %d or less (sysctl, "
			 "or CAP_PERFMON); a container's seccomp profile may refuse as well",
			 name, strerror(error), paranoid, enough);
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		snprintf(why, COUNTERS_WHY_BYTES,
			 "%s: %s; this machine has no such counter: in a virtual machine, the host "
			 "has to give it a PMU",
			 name, strerror(error));
		break;
	case ENOSYS:
		snprintf(why, COUNTERS_WHY_BYTES, "%s: %s; this kernel has no perf events", name,
			 strerror(error));
		break;
	case EMFILE:
	case ENFILE:
		snprintf(why, COUNTERS_WHY_BYTES, "%s: %s; raise the limit with ulimit -n", name,
			 strerror(error));
		break;
	default:
		snprintf(why, COUNTERS_WHY_BYTES, "%s: perf_event_open: %s", name, strerror(error));
	}
}

static void read_paranoid(char *text, size_t bytes)
{
	FILE *file = fopen(PARANOID_FILE, "re");

	if (!file || !fgets(text, (int)bytes, file))
		snprintf(text, bytes, "unknown");
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* glibc has no wrapper. `leader` is -1 for the event that opens the group. */
static int open_event(const struct counters_event *event, enum counters_scope scope, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0, /* the others follow their leader */
		.exclude_kernel = scope == COUNTERS_USER,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int counters_open_events(struct counters *counters, const struct counters_event events[2],
			 enum counters_scope scope)
{
	char paranoid[16];
	int error, i;

	memset(counters, 0, sizeof(*counters));
	counters->fd[0] = counters->fd[1] = -1;
	for (i = 0; i < 2; i++) {
		counters->fd[i] = open_event(&events[i], scope, i ? counters->fd[0] : -1);
		if (counters->fd[i] >= 0)
			continue;
		error = errno;
		read_paranoid(paranoid, sizeof(paranoid));
		counters_close(counters);
		counters_explain(error, events[i].name, scope, paranoid, counters->why);
		return -1;
	}
	return 0;
}

int counters_open(struct counters *counters, enum counters_scope scope)
{
	return counters_open_events(counters, cycles_and_instructions, scope);
}

static int take_snapshot(struct counters *counters, struct counters_snapshot *snapshot)
{
	struct group_read group;
	ssize_t bytes = read(counters->fd[0], &group, sizeof(group));

	if (bytes != (ssize_t)sizeof(group) || group.events != 2) {
		snprintf(counters->why, sizeof(counters->why), "reading the counters: %s",
			 bytes < 0 ? strerror(errno) : "the kernel gave an incomplete group");
		return -1;
	}
	snapshot->enabled_ns = group.enabled_ns;
	snapshot->running_ns = group.running_ns;
	memcpy(snapshot->count, group.count, sizeof(group.count));
	return 0;
}

static int control(struct counters *counters, unsigned long request)
{
	if (!ioctl(counters->fd[0], request, PERF_IOC_FLAG_GROUP))
		return 0;
	snprintf(counters->why, sizeof(counters->why), "switching the counters: %s",
		 strerror(errno));
	return -1;
}

/*
 * No PERF_EVENT_IOC_RESET: it sets the counts to zero and not the two times, which would then be
 * of another stretch. The totals run on, and the difference of two snapshots is what counts.
 */
int counters_start(struct counters *counters)
{
	if (counters->fd[0] < 0)
		return -1;
	counters->why[0] = '\0';
	if (take_snapshot(counters, &counters->start))
		return -1;
	return control(counters, PERF_EVENT_IOC_ENABLE);
}

int counters_stop(struct counters *counters, struct counters_values *values)
{
	struct counters_snapshot stop;

	memset(values, 0, sizeof(*values));
	/* Stop first, or the read would be counted; and stop also after a failed start. */
	if (counters->fd[0] >= 0 && !control(counters, PERF_EVENT_IOC_DISABLE) &&
	    !counters->why[0] && !take_snapshot(counters, &stop))
		counters_evaluate(&counters->start, &stop, values);
	else
		memcpy(values->why, counters->why, sizeof(values->why));
	return values->state == COUNTERS_NO ? -1 : 0;
}

/* A difference of the events' totals, extrapolated from running to enabled time. */
static uint64_t scaled(uint64_t start, uint64_t stop, const struct counters_values *values)
{
	return wide_scale(stop - start, values->enabled_ns, values->running_ns);
}

void counters_evaluate(const struct counters_snapshot *start, const struct counters_snapshot *stop,
		       struct counters_values *values)
{
	memset(values, 0, sizeof(*values));
	values->enabled_ns = stop->enabled_ns - start->enabled_ns;
	values->running_ns = stop->running_ns - start->running_ns;
	if (!values->enabled_ns) {
		snprintf(values->why, sizeof(values->why), "the counters were never started");
		return;
	}
	if (!values->running_ns) {
		snprintf(values->why, sizeof(values->why),
			 "the PMU never had room: stop other users (perf, the NMI watchdog); on a "
			 "hybrid CPU pin to the fast cores");
		return;
	}
	values->cycles = scaled(start->count[0], stop->count[0], values);
	values->instructions = scaled(start->count[1], stop->count[1], values);
	/* Some hypervisors accept the events and never count. */
	if (!values->cycles || !values->instructions) {
		snprintf(values->why, sizeof(values->why),
			 "a counter stayed at 0: the PMU of this virtual machine does not count");
		return;
	}
	values->state = values->running_ns < values->enabled_ns ? COUNTERS_SCALED : COUNTERS_YES;
}

void counters_close(struct counters *counters)
{
	int i;

	/* Members before their leader, or the kernel makes them leaders first. */
	for (i = 1; i >= 0; i--) {
		if (counters->fd[i] >= 0)
			close(counters->fd[i]);
		counters->fd[i] = -1;
	}
	if (!counters->why[0])
		snprintf(counters->why, sizeof(counters->why), "the counters were closed");
}
