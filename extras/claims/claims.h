/* SPDX-License-Identifier: MIT */
/*
 * What the mails and notes claim that the schemes are from, and what a run says of it. claims.def
 * has an entry for each claim: where it stands, how it is tested, and the test, which computes
 * figure and verdict. No figure is written down.
 */
#ifndef STAMPEDE_EXTRAS_CLAIMS_CLAIMS_H
#define STAMPEDE_EXTRAS_CLAIMS_CLAIMS_H

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/check.h"
#include "base/stats.h"

#define NOTE_2006 "LTTng synthetic TSC MSB, 2006-03-01"
#define NOTE_2007 "LTTng compact events, 2007-03-12"
#define LKML_2008 "LKML 2008-09-25, Unified trace buffer 1/3"
#define LTT_2008 "ltt-dev 2008-10-09, LTTng specialized probes"
#define KERNEL_2020 "Linux commit of 2020-06-29, nested time stamps"
#define LKML_2024 "LKML 2024-01-18 to 02-20, simplify reservation"
#define TRACY_MANUAL "Tracy, user's manual"
#define STAMPEDE_2026 "Stampede, README"

enum claim_verdict {
	CLAIM_UNTESTED, /* this run lacks what the test takes */
	CLAIM_HOLDS,
	CLAIM_CONDITION, /* the figure says which */
	CLAIM_REFUTED,
	CLAIM_NOISY,
};

/* What claims are tested with, beside the virtual clock. */
struct claims_lab {
	const json_t *record; /* of the run: "benchmarks", "stress", "tails", ...; may lack any */
	const char *build; /* where explorer and explored rows are; NULL: beside this program */
};

struct claim_statement;

/* A claim under test, and what came of it. */
struct trial {
	const struct claims_lab *lab;
	const struct claim_statement *statement;
	enum claim_verdict verdict;
	char figure[600];
};

/* Sets both; the figure is as of printf(). */
__attribute__((format(printf, 3, 4))) void
claim_say(struct trial *trial, enum claim_verdict verdict, const char *format, ...);

/* Adds to the figure. */
__attribute__((format(printf, 2, 3))) void claim_add(struct trial *trial, const char *format, ...);

/* `good` is what the author claims. */
static inline enum claim_verdict claim_judge(bool good)
{
	return good ? CLAIM_HOLDS : CLAIM_REFUTED;
}

/* ---- the virtual clock ---- */

enum scene_interrupts {
	SCENE_CALM,
	SCENE_INTERRUPTED, /* each event by a nested writer, at each of its points in turn */
	SCENE_BEATS_INTERRUPTED, /* each beat, in the same way */
};

#define SCENE_NO_BEAT UINT64_MAX

/* Events of a row of the counting build, on the virtual clock. What is 0 has a default. */
struct scene {
	const char *row;
	uint32_t bits; /* of the short field; the row's own */
	uint64_t now; /* the clock at first; 2^20 */
	uint64_t step; /* ticks per clock read; 1 */
	uint64_t events; /* 4096 */
	uint64_t gap; /* ticks that pass before each event */
	uint64_t beat_every; /* ticks; as often as the row needs */
	enum scene_interrupts interrupts;
	uint64_t jump; /* ticks that pass before and after a nested writer */
};

struct played {
	struct check check;
	uint64_t clock_reads;
	uint64_t atomics;
	uint64_t cmpxchgs;
	uint64_t stuck;
	uint64_t nested;
	uint64_t beats;
	uint64_t most_reads; /* of a single event */
};

/* False without memory or such a row; the claim then stays untested. */
bool lab_play(const struct scene *scene, struct played *played);

/* Wrong stamps, without those that are declared inexact. */
static inline uint64_t played_wrong(const struct played *played)
{
	return played->check.violations[ORACLE_EXACT];
}

/* ---- the explorer ---- */

struct explored {
	uint64_t schedules;
	uint64_t broken;
	uint64_t objections[ORACLES]; /* broken schedules that this oracle objects to */
};

/*
 * Explores a row of today, or a case of schemes/history, within `budget`, as the options of
 * build/explore; NULL: the one that the case is pinned to. False: there is no object of it, and
 * the figure says who builds one.
 */
bool lab_explore(struct trial *trial, const char *name, const char *budget,
		 struct explored *explored);

/* ---- the record ---- */

/* Ratio of two rows within rounds, in cycles, or ticks without a PMU; NAN if not timed. */
struct stats_interval lab_ratio(const struct claims_lab *lab, const char *row, const char *base);

/* The same with the cheap clock (core/clock.h). */
struct stats_interval lab_cheap_ratio(const struct claims_lab *lab, const char *row,
				      const char *base);

/* Median of a counter per event under steady; NAN if there is none. */
double lab_median(const struct claims_lab *lab, const char *row, const char *key);

/* `key` of the section's line about row and workload (or regime); NAN if there is none. */
double lab_line(const struct claims_lab *lab, const char *section, const char *row,
		const char *workload, const char *key);

/* ---- all of them ---- */

/*
 * [{"name", "claim", "where", "how", "verdict", "figure"}]; takes a second or two. `build` as in
 * struct claims_lab.
 */
json_t *claims_test(const json_t *record, const char *build);

#endif
