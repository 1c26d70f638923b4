/* SPDX-License-Identifier: MIT */
/* What a search has found: how schedules were judged, and one that was not kept. */
#pragma once

#include <stdint.h>

#include "explore/engine/world.h"

/* In place of an oracle: no buffer was left to judge. */
#define FINDING_CRASH ORACLES
#define FINDING_STEPS ORACLES /* of what is not asked: whether STEP_PROOF is kept */
#define FINDING_HANG (ORACLES + 1)
#define FINDING_STUCK (ORACLES + 2) /* a writer gave up */
#define FINDINGS (ORACLES + 3)

/* Each takes seconds to be noticed: a search with so many ends early. */
#define FINDINGS_HANGS 3

#define FINDINGS_OUTCOMES 64 /* that are told one by one */

/* One schedule that was not kept; or, where all were, the one that went furthest (`score`). */
struct failure {
	struct action action[WORLD_ACTIONS_MAX];
	uint8_t actions;
	uint8_t verdict;
	uint64_t score; /* kept: inexact stamps before extended ones before reads of the clock */
};

struct findings {
	uint64_t schedules;
	uint64_t
		stops; /* of all schedules, shared beginnings once, with something left to happen */
	uint64_t states; /* distinct states; 0: every schedule was run */
	uint64_t verdicts[4]; /* schedules by enum verdict */
	uint64_t objections[FINDINGS]; /* broken schedules by what objected */
	uint64_t inexact; /* stamps declared so, over all schedules */
	uint64_t extended;
	uint64_t decoded;
	/* Times that were read wrong: damage to any schedule at most, and how many had some. */
	struct findings_damage {
		uint64_t schedules;
		uint64_t wrong; /* events */
		uint64_t worst; /* ticks */
		enum damage_end until;
	} damage;
	uint64_t stuck; /* schedules in which a writer gave up: it could not finish */
	uint64_t outcomes;
	uint64_t outcome[FINDINGS_OUTCOMES]; /* said by a foreign program; 0: there are fewer */
	uint64_t outcomes_hash; /* order-free, of the distinct ones */
	struct findings_worst {
		uint32_t steps; /* most instructions that one event executed itself */
		uint8_t actions;
		struct action action[WORLD_ACTIONS_MAX]; /* of a schedule in which it did */
	} worst;
	double seconds; /* of CPU time, of all processes */
	struct failure first; /* broken, with the fewest actions; or not met; or kept */
	double done; /* 0..1, while it runs */
	char refused[240]; /* why it cannot be searched so; empty: it can */
};

/* Broken before not met, and then the shorter one; of kept ones the one that went further. */
bool findings_better(const struct failure *one, const struct failure *than);

/* Of an oracle, or of one of the above. */
const char *findings_name(unsigned int objection);

void findings_add(struct findings *sum, const struct findings *one);

/*
 * `times` schedules, of which `action` is one, ended with a fault of the writer: its signal,
 * SIGALRM if it does not end.
 */
void findings_fault(struct findings *findings, const struct action *action, unsigned int actions,
		    int signal, uint64_t times);

/* The same for the state that the world is in, which is spoilt. `without`: oracles not asked. */
void findings_judge(struct findings *findings, const struct action *action, unsigned int actions,
		    unsigned int without, uint64_t times);
