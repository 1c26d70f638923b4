// SPDX-License-Identifier: MIT
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "extras/kernel/allocation.h"
#include "extras/kernel/count.h"

struct what {
	uint32_t type;
	uint64_t config[KERNEL_COUNTS];
};

static const struct what kinds[KERNEL_COUNTERS] = {
	[KERNEL_COUNTERS_PMU] = {
		PERF_TYPE_HARDWARE,
		{ [KERNEL_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
		  [KERNEL_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS },
	},
	[KERNEL_COUNTERS_CLOCK] = {
		PERF_TYPE_SOFTWARE,
		{ [KERNEL_CYCLES] = PERF_COUNT_SW_CPU_CLOCK,
		  [KERNEL_INSTRUCTIONS] = PERF_COUNT_SW_TASK_CLOCK },
	},
};

int counters_open(struct task_counters *counters, uint32_t kind)
{
	struct perf_event_attr attr = {
		.type = kinds[kind].type,
		.size = sizeof(attr),
		.pinned = 1, /* whole, or not at all: none is scaled up from a part of the time */
	};
	struct perf_event *event;
	unsigned int i;

	memset(counters, 0, sizeof(*counters));
	for (i = 0; kind && i < KERNEL_COUNTS; i++) {
		attr.config = kinds[kind].config[i];
		event = allocation_fails() ?
				ERR_PTR(-ENOMEM) :
				perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
		if (IS_ERR(event)) {
			counters_close(counters);
			return (int)PTR_ERR(event);
		}
		counters->events[i] = event;
	}
	return 0;
}

void counters_close(struct task_counters *counters)
{
	unsigned int i;

	for (i = 0; i < KERNEL_COUNTS && counters->events[i]; i++)
		perf_event_release_kernel(counters->events[i]);
	memset(counters, 0, sizeof(*counters));
}

/* As perf_event_read_local(), which modules do not get; what they get may sleep. */
bool counters_read(const struct task_counters *counters, uint64_t *values)
{
	bool counting = true;
	struct perf_event *event;
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < KERNEL_COUNTS && counters->events[i]; i++) {
		event = counters->events[i];
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			event->pmu->read(event);
		else
			counting = false;
		values[i] = local64_read(&event->count);
	}
	local_irq_restore(flags);
	return counting;
}
