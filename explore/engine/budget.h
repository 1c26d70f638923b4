/* SPDX-License-Identifier: MIT */
/* How many events, interrupts and so on one schedule of the explorer may have. */
#ifndef STAMPEDE_EXPLORE_ENGINE_BUDGET_H
#define STAMPEDE_EXPLORE_ENGINE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Discards are by interrupts, and as top-level events; `writers` of 0 is one. */
struct budget {
#define X(part, shown, argument, always, most, help) uint8_t part;
#include "explore/engine/budget.def"
#undef X
};

/* Its parts, in their order. */
extern const struct budget_part {
	const char *name; /* of the option, and in JSON */
	const char *shown; /* in a search's name */
	bool always; /* said even if there is none */
	size_t offset; /* in struct budget, of its uint8_t */
} budget_parts[];
enum {
#define X(part, shown, argument, always, most, help) BUDGET_##part,
#include "explore/engine/budget.def"
#undef X
	BUDGET_PARTS,
};

static inline unsigned int budget_of(const struct budget *budget, unsigned int part)
{
	return ((const uint8_t *)budget)[budget_parts[part].offset];
}

#endif
