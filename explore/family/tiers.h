/* SPDX-License-Identifier: MIT */
/*
 * The budgets that are searched of every row, by tier. A tier contains the previous ones.
 */
#pragma once

#include "explore/engine/search.h"

enum tier {
	TIER_QUICK, /* in make test */
	TIER_LONG, /* in make test-long */
	TIER_EXHAUSTIVE,
	TIERS,
};

/* Rows with restartable sections, where a search takes far longer (family_too_large()). */
enum sections {
	SECTIONS_ALIKE, /* as all others */
	SECTIONS_LATER, /* not in the quick tier, but in those that have it too */
	SECTIONS_ALONE, /* quick tier, rows with sections only: replaces the family above */
};

enum range {
	RANGE_ONE, /* the first only */
	RANGE_ALL,
};

/* One family of searches: all phases, offsets and modes that it names. */
struct family {
	enum tier tier;
	const char *shape;
	enum explore_stops stops;
	struct budget budget;
	bool main_rows; /* not for variants */
	enum sections sections;
	enum range phases; /* clock values at the start */
	enum range offsets; /* where in the sub-buffer the first event begins */
	union {
		struct start start;
		struct { /* the same, for a table without one more brace */
#define START(part, option, kind, ...) start_##kind part;
#include "explore/engine/budget.def"
		};
	};
	const char *what;
};

/* Ends with shape NULL. */
extern const struct family families[];

unsigned int families_count(void);

/*
 * In restartable sections every instruction is a shared stop: a search of the loaded row's shared
 * stops takes as long there as one of all, and is left to the tier that has as many interrupts
 * there. What takes longest of the rest has less in the quick tier, and all of it in the others.
 */
bool family_too_large(const struct family *family, int tier);

/* The family as a search of the loaded row, at its first phase and offset. */
void family_search(const struct family *family, struct search *search);

/*
 * Runs the family on the loaded row and adds to `findings`; `first` becomes the search in which the
 * first schedule failed. Returns the number of searches, or a negative errno.
 */
int family_run(const struct family *family, const struct search *options, unsigned int processes,
	       struct findings *findings, struct search *first);

/* "ends2, shared, M=4 NB=2 D=2, ..." */
void family_format(const struct family *family, char *text, size_t bytes);

/* The same for a record: what are columns on a terminal is one blank here. */
void family_words(const struct family *family, char *text, size_t bytes);
