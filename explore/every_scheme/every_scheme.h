/* SPDX-License-Identifier: MIT */
/*
 * The language of reserves: what a writer can do to the words that it shares with its interrupts. A
 * program is a list of operations, a test that says when its record is short, and perhaps a slow
 * path. Words: the tail (places, counted in records; packed: also the upper bits of the newest
 * stamp), S (a stamp), and B (a stamp or a place). Registers: what each load, the clock and the
 * claim gave.
 *
 * A claim by cmpxchg that fails, one that becomes padding, and a section that was interrupted
 * before its commit start the program over. SLOW_FAR: where the test fails, the slow path claims a
 * record of the whole stamp alone, and the program starts over. SLOW_LONG: where the test fails,
 * what follows the claim is the slow path. SLOW_LOST: the same where an xadd gave another place
 * than the tail that was read; if the slow path's own test then holds, the record is the difference
 * to what it found, else it has the time of the record before, and is declared inexact.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PROGRAM_MOST 16 /* operations, slow path included */
#define SET(operation) (1u << OP_##operation)
#define HAS(group) (1u << GROUP_##group)
#define REL(relation) (1u << RELATION_##relation)
#define OWES(promise) (1u << PROMISE_##promise)
#define CLAIMS (SET(XA) | SET(XP) | SET(CX) | SET(ST) | SET(RC))

/* Where an operation may be: around the claim, in SLOW_FAR around its own, in another slow path. */
enum { BEFORE = 1, AFTER = 2, FAR = 4, FAR_AFTER = 8, LONG = 16, LOST = 32 };
#define MAIN (BEFORE | AFTER)
#define STORES (MAIN | FAR | FAR_AFTER | LONG | LOST)

/*
 * X(operation, name, groups that it takes, how often in the main part, where, what has to be before
 * it, and in the main part before a slow one, kind, the register, and the word)
 */
#define LANGUAGE_OPERATIONS(X) \
	X(LT, "load tail", HAS(LOAD), 1, BEFORE | FAR | LOST, 0, 0, KIND_LOAD, REG_T, TAIL) \
	X(LS, "load S", HAS(LOAD), 1, MAIN | LOST, 0, SET(LS), KIND_LOAD, REG_S, WORD_S) \
	X(LB, "load B", HAS(LOAD), 1, BEFORE | LOST, 0, SET(LB), KIND_LOAD, REG_B, WORD_B) \
	X(CK, "clock", HAS(CLOCK), 2, STORES & ~LONG, 0, 0, KIND_CLOCK, REG_C, 0) \
	X(SS, "store S", HAS(STORE), 2, STORES, SET(CK), SET(LS), KIND_STORE, REG_C, WORD_S) \
	X(SB, "store B", HAS(STORE), 2, STORES, SET(CK), SET(LB), KIND_STORE, REG_C, WORD_B) \
	X(SP, "store place in B", HAS(STORE) | HAS(PLACE), 1, AFTER | FAR_AFTER | LONG | LOST, 0, \
	  SET(LB), KIND_STORE, REG_END, WORD_B) \
	X(LT2, "load tail again", HAS(LOAD), 1, BEFORE, SET(LT), 0, KIND_LOAD, REG_T2, TAIL) \
	X(LS2, "load S again", HAS(LOAD), 1, BEFORE, SET(LS), 0, KIND_LOAD, REG_S2, WORD_S) \
	X(XA, "xadd tail", HAS(XADD), 1, BEFORE | FAR, 0, 0, KIND_CLAIM, 0, 0) \
	X(XP, "xadd tail or pad", HAS(XADD) | HAS(PAD), 1, BEFORE, SET(LT), 0, KIND_CLAIM, 0, 0) \
	X(CX, "cmpxchg tail", HAS(CMPXCHG), 1, BEFORE | FAR, SET(LT), SET(LT), KIND_CLAIM, 0, 0) \
	X(ST, "store tail", HAS(STORE), 1, BEFORE | FAR, SET(LT), SET(LT), KIND_CLAIM, 0, 0) \
	X(RC, "commit tail", HAS(RESTART), 1, BEFORE | FAR, SET(LT), SET(LT), KIND_CLAIM, 0, 0) \
	X(MK, "mask", HAS(MASK), 1, MAIN, 0, 0, KIND_MASK, 0, 0) \
	X(UM, "unmask", HAS(MASK), 1, AFTER, SET(MK), 0, KIND_MASK, 0, 0)

/* What a CPU, a ring or a format has: words of --ops. */
#define LANGUAGE_GROUPS(X) \
	X(LOAD, "load") \
	X(STORE, "store") \
	X(CLOCK, "clock") \
	X(XADD, "xadd") \
	X(CMPXCHG, "cmpxchg") \
	X(PAD, "pad") \
	X(PACKED, "packed") \
	X(MASK, "mask") \
	X(RESTART, "restart") \
	X(PLACE, "place") \
	X(EVENT, "event") \
	X(WHOLE, "whole") \
	X(LONG, "long") \
	X(NARROW, "narrow")

/* X(relation, name, operations whose registers it takes): what a test can ask. */
#define LANGUAGE_RELATIONS(X) \
	X(WORDS, "words", SET(LS) | SET(LB)) /* S is B */ \
	X(TWICE, "twice", SET(LS2)) /* S is what it was */ \
	X(TAILS, "tails", SET(LT2)) /* the tail is where it was */ \
	X(NEAR, "near", SET(LS) | SET(CK)) /* the clock is less than 2^T after S */ \
	X(UPPER, "upper", SET(LS) | SET(CK)) /* the bits above T are those of S */ \
	X(PLACE, "place", SET(LT) | SET(LB) | SET(SP)) /* the tail is the place in B */ \
	X(PACKED, "packed", SET(LT) | SET(CK)) /* those bits are the tail's word's */ \
	X(END, "end", SET(LT)) /* slow path: the tail is the end of the claim */

/* Words of --promises, and the row's own. EXPLORER: the schedules of build/explore are counted. */
#define LANGUAGE_PROMISES(X) \
	X(ORDER, "order", "MONOTONIC") /* stamps do not go back in the order of places */ \
	X(EXACT, "exact", \
	  "EXACT | PROMISE_WINDOW") /* decoded is the stamp; else a record may be inexact */ \
	X(WINDOW, "window", "EXACT | PROMISE_WINDOW") /* decoded lies within its own reserve */ \
	X(GAPS, "gaps", NULL) /* after gaps that a word of few bits tells */ \
	X(WRAP, "wrap", "WRAP_PROOF") /* after any gap */ \
	X(BOUNDED, "bounded", "BOUNDED") /* it ends though each read of the clock takes a wrap */ \
	X(COARSE, "coarse", NULL) /* and where the clock gives a value twice */ \
	X(STEP, "step", "STEP_PROOF") /* and where it goes back: right, in any order */ \
	X(EXPLORER, "explorer", NULL)

#define AS_OPERATION(item, ...) OP_##item,
#define AS_GROUP(item, ...) GROUP_##item,
#define AS_RELATION(item, ...) RELATION_##item,
#define AS_PROMISE(item, ...) PROMISE_##item,
enum operation { LANGUAGE_OPERATIONS(AS_OPERATION) OPERATIONS };
enum { LANGUAGE_GROUPS(AS_GROUP) GROUPS };
enum { LANGUAGE_RELATIONS(AS_RELATION) RELATIONS };
enum { LANGUAGE_PROMISES(AS_PROMISE) PROMISES };
enum operation_kind { KIND_LOAD, KIND_CLOCK, KIND_STORE, KIND_CLAIM, KIND_MASK };
enum { REG_T, REG_T2, REG_S, REG_S2, REG_B, REG_C, REG_U, REG_PLACE, REG_END, REGISTERS };
enum { TAIL, WORD_S, WORD_B, UPPER, CLOCK, WORDS };
enum program_form { FORM_WHOLE, FORM_LOW, FORM_DELTA, FORM_PACKED, FORMS };
enum program_slow { SLOW_NONE, SLOW_FAR, SLOW_LONG, SLOW_LOST, SLOWS };

extern const struct language_operation {
	const char *name;
	uint16_t groups;
	uint8_t often, where;
	uint16_t needs, slow_needs;
	uint8_t kind, reg, word;
} language[OPERATIONS];

struct program {
	uint8_t op[PROGRAM_MOST]; /* the slow path's are after the main part's; then 0 */
	uint8_t mains, length; /* length: with the slow path's */
	uint8_t form, trigger; /* enum program_form, program_slow */
	uint8_t test; /* relations that all hold where a record is short */
	uint8_t late; /* the same, of SLOW_LOST */
};

unsigned int program_claim(const struct program *program); /* its place; `mains`: none */
/* Operations in [begin, end), as a set. */
unsigned int program_set(const struct program *program, unsigned int begin, unsigned int end);
/* Relations whose registers are all there when the claim is made; after the slow path of LOST. */
unsigned int program_relations(const struct program *program);
unsigned int program_late(const struct program *program);
/* May its last operation be there? */
bool program_may_go_on(const struct program *program, unsigned int groups);
/* One claim, each load of use, each word loaded and stored, B not a renamed S: is it counted? */
bool program_is_formed(const struct program *program);

/* What an event that nothing disturbs costs; of the slow path, operations alone. */
enum { COST_OPERATIONS, COST_ACCESSES, COST_ATOMICS, COST_CLOCKS, COST_WORDS, COSTS };
struct program_cost {
	unsigned int of[COSTS];
};
struct program_cost program_cost(const struct program *program);

void program_print(const struct program *program, FILE *out);
/* The same, read; false after a line that names what the language or the program lacks. */
bool program_parse(const char *text, struct program *program);
/* The rest of the row, which schemes/parts/found.h makes; an exit code. */
int program_header(const struct program *program, unsigned int promises, const char *path);
/* Words between blanks, as a set of places in `names`; false after a line that names another. */
bool language_set(const char *option, const char *text, const char *const *names,
		  unsigned int *set);
extern const char *const language_groups[], *const language_promises[];

struct judge_task {
	unsigned int promises, groups;
};
enum judge_depth { JUDGE_FIRST = 1, JUDGE_QUICK = 6, JUDGE_ALL = 99 }; /* the last budget */

/*
 * Runs a program in every schedule that the promises call for, the cheapest first. What breaks it,
 * or NULL; `out`: the schedule is printed there, or the counts that the explorer has as well.
 */
const char *judge_all(const struct program *program, const struct judge_task *task,
		      enum judge_depth depth, FILE *out);
/* Relations that hold at the claim of an event that nothing disturbs, one event before it. */
unsigned int judge_plain(const struct program *program, const struct judge_task *task);

extern uint64_t judge_steps; /* of all schedules so far */

#define SEARCH_FOUND_MOST 4096 /* right programs that are kept; all are counted */
struct search_task {
	struct judge_task judge;
	uint64_t length, words, processes;
	unsigned int part, parts;
};
struct search_result {
	/* By length; CUT: claim and clock are out of order; SPARE: right with fewer operations. */
	enum search_class { ALL, CUT, WRONG, SPARE, LATE, RIGHT, CLASSES } of;
	uint64_t count[CLASSES][PROGRAM_MOST + 1];
	uint64_t nanoseconds; /* of CPU time */
	unsigned int found_count;
	struct program found[SEARCH_FOUND_MOST]; /* the shortest first */
};

/* Every program up to a length, once each. An exit code; `result` is child_share()d. */
int search_every(const struct search_task *task, struct search_result *result);
/* Programs and CPU seconds, by random paths for `limit` seconds; relative error of the seconds. */
struct search_estimate {
	double programs, seconds, error;
};
struct search_estimate search_estimate(const struct search_task *task, struct search_result *result,
				       double limit);
/* Prints each program, and whether the first budgets break it. */
void search_list(const struct search_task *task, struct search_result *result);
