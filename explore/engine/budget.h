/* SPDX-License-Identifier: MIT */
/* How many events, interrupts and so on one schedule of the explorer may have. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Discards are by interrupts, and as top-level events; `writers` of 0 is one. */
struct budget {
#define X(part, ...) uint8_t part;
#include "explore/engine/budget.def"
};

/* Its parts, in their order. */
extern const struct budget_part {
	const char *name; /* of the option, and in JSON */
	const char *shown; /* in a search's name */
	bool always; /* said even if there is none */
	size_t offset; /* in struct budget, of its uint8_t */
} budget_parts[];
enum {
#define X(part, ...) BUDGET_##part,
#include "explore/engine/budget.def"
	BUDGET_PARTS,
};

static inline unsigned int budget_of(const struct budget *budget, unsigned int part)
{
	return ((const uint8_t *)budget)[budget_parts[part].offset];
}

/* How a search starts; a WORD is the place of what was said among the option's words. */
typedef uint64_t start_NUMBER;
typedef int start_WORD;
struct start {
#define START(part, option, kind, ...) start_##kind part;
#include "explore/engine/budget.def"
};

/* The words, which NULL ends. */
extern const char *const start_modes[]; /* enum ring_mode */
extern const char *const start_sizes[]; /* of the events of interrupts */
extern const char *const start_clocks[];
enum {
	START_STRICT,
	START_COARSE, /* the clock only jumps */
	START_SLOW, /* a clock read takes a whole wrap */
};

/* Its parts, in their order. */
extern const struct start_part {
	const char *option; /* NULL ends them */
	const char *const *words; /* NULL: a number */
	const char *shown; /* in a search's name; NULL: not */
	size_t offset; /* in struct start */
} start_parts[];

extern const char *const stops_words[]; /* of --stops: enum explore_stops */

/* A part's value; 0 is the usual one. */
static inline uint64_t start_of(const struct start *start, const struct start_part *part)
{
	const char *at = (const char *)start + part->offset;

	return part->words ? (uint64_t) * (const start_WORD *)at : *(const start_NUMBER *)at;
}
