/* SPDX-License-Identifier: MIT */
/* Cycles and instructions of this task, in the kernel too, by the kernel's own counters. */
#ifndef STAMPEDE_EXTRAS_KERNEL_COUNT_H
#define STAMPEDE_EXTRAS_KERNEL_COUNT_H

#include "extras/kernel/run.h"

struct perf_event;

struct task_counters {
	struct perf_event *events[KERNEL_COUNTS];
};

/*
 * Counters of `current` from now on, which nobody else's take away. None if none are asked for;
 * negative errno, and none, if one is not to be had: -ENOENT where there is no PMU.
 */
int counters_open(struct task_counters *counters, uint32_t kind);
void counters_close(struct task_counters *counters);

/*
 * What each has counted so far, with preemption off. False: one does not count, as it lost its
 * place in the PMU.
 */
bool counters_read(const struct task_counters *counters, uint64_t *values);

#endif
