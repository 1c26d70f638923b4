/* SPDX-License-Identifier: MIT */
/* Epochs of a row in the kernel, each on emptied rings, and what the judge says of all. */
#pragma once

#include "judge/judge.h"
#include "extras/kernel/run.h"

struct kernel_device {
	int file;
	uint8_t *area[KERNEL_CPUS_MAX]; /* as they are mapped */
};

struct epochs {
	/* asked for */
	uint32_t bits; /* the short field */
	uint32_t asked; /* for it; 0: the row's own */
	bool with_nmi;
	uint32_t cpus;
	uint64_t nested_least;
	uint64_t seconds;

	/* found, over all CPUs and epochs */
	enum verdict verdict; /* the worst */
	uint32_t unmet;
	const char *text; /* the first objection that nothing excuses, or NULL */
	unsigned int count;
	uint64_t events;
	uint64_t nested;
	uint64_t wrong;
	uint64_t inexact;
	uint64_t lost;
	uint64_t waits; /* for a task that interrupts left nothing */
	uint64_t delivered[CONTEXTS];
	uint64_t hits[CONTEXTS];
	uint64_t at_depth[CONTEXTS + 1];
	uint64_t violations[ORACLES];
	uint64_t ticks;
	uint64_t calm_ticks; /* as much as the task's events would have taken alone */
	uint64_t period_ns; /* of the last */
};

/* An exit code, after a line on stderr. */
int kernel_open(struct kernel_device *device);
void kernel_close(struct kernel_device *device);

/*
 * Epochs of `driver` until there were as many nested events as asked for, and all four levels at
 * once, or the time is over; an exit code.
 */
int epochs_run(struct kernel_device *device, const struct driver *driver, struct epochs *epochs);
