/* SPDX-License-Identifier: MIT */
/*
 * Core cycles and instructions of the calling thread in user mode, by perf_event_open(2).
 *
 * Both are one group: the kernel schedules them together or not at all, so their ratio is always
 * of the same stretch of code. Many machines refuse them (virtual machines without a PMU,
 * containers, perf_event_paranoid); that is a fact for the record and not an error, so nothing
 * here prints.
 */
#pragma once

#include <stdint.h>

/* An event in perf_event_open's numbers (attr.type, attr.config). */
struct counters_event {
	uint32_t type;
	uint64_t config;
};

struct counters_read {
	uint64_t events; /* 2 */
	uint64_t enabled_ns;
	uint64_t running_ns; /* the part of it in which the PMU counted */
	uint64_t count[2];
};

/*
 * Runs `work` and counts both events in this thread meanwhile; NULL: cycles and instructions. Its
 * system calls take microseconds, so let the work be long. 0, or an errno: what refuses to count,
 * or ENODATA where a counter stays at 0.
 */
int counters_count(const struct counters_event event[2], void (*work)(void *arg), void *arg,
		   uint64_t count[2]);

/* Pure: the counts of a group, extrapolated from running to enabled time. 0 or ENODATA. */
int counters_evaluate(const struct counters_read *group, uint64_t count[2]);
