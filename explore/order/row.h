/* SPDX-License-Identifier: MIT */
/* What a row's object for executions under C11's memory order shows: order_row (row.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct check;
struct driver;
struct live;

struct order_row {
	const struct driver *driver;
	uint64_t (*take)(struct live *live, struct check *check);
	/* Of a litmus test, which has no driver: what each CPU does, and what came out. */
	unsigned int cpus;
	void (*thread)(unsigned int cpu);
	uint64_t (*outcome)(void);
	void *memory; /* the places that its CPUs share */
	size_t bytes;
};
