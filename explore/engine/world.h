/* SPDX-License-Identifier: MIT */
/*
 * The world that is explored: a row's ring, the virtual clock, the writers on their stack, and what
 * the engine keeps of them. All that changes is in one block at one address, so that two
 * searches of one row, in two processes, can compare their final states byte by byte.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/check.h"
#include "judge/judge.h"
#include "explore/engine/budget.h"
#include "explore/stops/row.h"
#include "explore/engine/switch.h"

#define WORLD_EVENTS_MAX 48
#define WORLD_ACTIONS_MAX 24
#define WORLD_DEPTH_MAX 12
#define WORLD_BYTES (64 * 1024)
#define WORLD_STACK_BYTES (64 * 1024)
#define WORLD_WRITERS_MAX 4

/* One event from entry to exit. */
struct logged {
	uint64_t entry;
	uint64_t exit;
	uint64_t stamp; /* timed shapes: only of those that were read */
	uint16_t id;
	uint8_t extra_words; /* of filler, 4 bytes each */
	uint8_t context;
	uint8_t parent; /* index + 1 of the event that it came into; 0: none */
	uint8_t inexact : 1;
	uint8_t filled : 1; /* its record was claimed */
	uint8_t read : 1; /* timed shapes: a reader has had it, so `stamp` is known */
	uint8_t discarded : 1;
	uint8_t left : 2; /* 1: recorded, 2: refused, 3: taken back */
	uint8_t consumed; /* struct loss_look at its entry */
	uint8_t stuck;
};

/* What is done at a stop, or between two events. */
enum action_kind {
	ACTION_NONE,
	ACTION_NEST, /* an interrupt that records */
	ACTION_BEAT,
	ACTION_READ, /* a reader takes what is complete */
	ACTION_JUMP, /* time passes */
	ACTION_SWITCH, /* another CPU's writer goes on, or its reader */
	ACTION_DISCARD, /* an event that is taken back before it is committed */
	ACTION_FLUSH, /* the open sub-buffer is closed, as by a timer */
	ACTION_BACK, /* the clock goes back */
};

struct action {
	uint8_t kind;
	uint32_t stops; /* counted stops since the action before */
	uint64_t jump; /* ticks, also of ACTION_BACK; _SWITCH: a CPU */
};

/* A running writer. */
struct level {
	uintptr_t sp; /* what it came into: that writer's frame, or the empty stack's end */
	uint64_t begin; /* clock + back */
	uint64_t frame; /* what that writer's looked like: guard.h */
	uint8_t beat;
	uint8_t context;
	uint32_t steps; /* stops that it passed; kept for --worst alone */
};

/* A CPU whose writer does not run now. The engine runs one at a time: sequentially consistent. */
struct parked {
	uintptr_t sp;
	uint8_t depth;
	uint8_t events; /* left; of the reader: times that it comes */
	struct level level[WORLD_DEPTH_MAX];
};

/* The engine's part of a snapshot; of the arrays only what is used. */
struct book {
	/* How the schedule came here. */
	uint32_t stops; /* counted since the last action */
	uint8_t action_count;

	/* What is on the stack. */
	uint8_t depth; /* writers */
	uint8_t writer; /* which one runs */
	uintptr_t sp; /* of the stopped writer; the empty stack's end between events */

	/* What else the future depends on. */
	struct budget left;
	uint8_t events; /* entered, prefix included */
	uint8_t deferred; /* put off and not yet run */
	uint8_t interrupted; /* a writer came into another one */
	uint8_t stepped; /* times that the clock went back, or another CPU's was read */
	bool far; /* it jumped further than the row can tell */
	uint8_t tracing; /* the clock's own event is recorded now */
	uint64_t back; /* ticks that it went back, in all */
	uint8_t flushed; /* flushes in the middle */
	uint64_t beat_since; /* before the last beat began: clock + back, which never goes back */
	uint64_t beat_worst; /* most ticks without a finished beat */
	uint64_t entered_nested; /* of `events`, in contexts above the task's */
	uint64_t written[CHECK_CONTEXTS];
	uint32_t failed;
	uint32_t unexplained; /* of `failed`: the ring showed no reason */
	uint32_t identified; /* rows without stamps, timed shapes: how far the reader is */
	uint64_t discarded; /* events that were to be taken back */
	struct virtual_clock clock; /* in a snapshot */
	uint64_t blocked; /* in a snapshot */
	uint8_t stamps; /* how many are kept */

	struct level level[WORLD_DEPTH_MAX];
	struct action action[WORLD_ACTIONS_MAX];
	struct logged log[WORLD_EVENTS_MAX];
	struct parked parked[WORLD_WRITERS_MAX];
	/*
	 * Those that were recorded, where a gap between two may be more than the row can tell: of a
	 * writer that has ended the log is another path's.
	 */
	uint64_t stamp[WORLD_EVENTS_MAX];
};

struct world {
	struct book book;
	struct check check; /* a reader's, which may come in the middle */
	struct writer writer; /* the driver wants one; nothing of it is used */
	/* the scheme, its slots and the ring's memory follow */
	uint8_t memory[];
};

/* Of book->stamp, what is used. */
static inline size_t book_stamps_bytes(const struct book *book)
{
	return book->stamps * sizeof(book->stamp[0]);
}

/* The one world of this process, at the same address in each. */
extern struct world *world;
extern struct explored_row world_row;

/* Where the run starts. */
struct world_start {
	struct start asked;
	uint64_t phase; /* the clock at the start, but for `room` */
	uint64_t room; /* whole wraps, so that it never goes back below 0 */
	uint64_t most; /* ticks that all jumps can add up to */
	uint64_t step; /* ticks of a clock read; 0: coarse */
	uint32_t extra; /* one more with so many bytes of filler; 0: none */
};

/* Maps the world. Negative errno, after a line on stderr. */
int world_map(void);

/* Has the loaded row restartable sections, in which every instruction is a stop? */
bool world_has_sections(void);

/* Loads an explored row from `path`. Negative errno, after a line on stderr. */
int world_load(const char *path);

/* Has the loaded row string instructions with stops between their rounds? */
extern bool world_has_rounds;

/* The site whose stop returns to `pc`, and in which copy it is; NULL: none. */
const struct explore_site *world_site_at(uint64_t pc, unsigned int *copy);

/* Bytes of scheme, slots and ring; and with the spare of a reader on another CPU, if one comes. */
size_t world_ring_bytes(void);
size_t world_memory_bytes(void);

/* An empty ring, then the events that come before; check_init() for a reader. */
void world_begin(const struct world_start *start, const struct budget *budget);

/* Starts one writer on top of whatever runs. `stops` chooses the copy of its code. */
void world_launch(enum action_kind kind, enum explore_stops stops);

/* Lets the uppermost writer go on. */
enum switch_event world_resume(void);

/* After SWITCH_DONE: takes it off. */
void world_finished(void);

/* The site that the uppermost writer is stopped at; NULL for labelled points. */
const struct explore_site *world_site(void);
/* And the label there; NULL if it is not a labelled point. */
const char *world_label(void);

/* Lets the uppermost, stopped writer go on in the plain copy. */
void world_without_stops(void);

/* A restartable section that is interrupted here starts again, or is given up. */
void world_abort_section(void);

/* CPUs of the writers, and behind them that of the reader, if there is one. */
static inline unsigned int world_cpus(const struct budget *budget)
{
	return (budget->writers ? budget->writers : 1u) + (budget->live > 0);
}

/* Does the reader's CPU run? */
static inline bool world_reads(void)
{
	const struct book *book = &world->book;

	return book->left.live && book->writer + 1u == world_cpus(&book->left);
}

/* Parks the running writer's CPU, and lets `writer` go on. */
void world_switch(unsigned int writer);

/* Is there anything left to do for `writer`? */
static inline bool world_unfinished(unsigned int writer)
{
	const struct book *book = &world->book;

	if (writer == book->writer)
		return book->depth || book->left.events;
	return book->parked[writer].depth || book->parked[writer].events;
}

/* Ends of the writers' stacks, and where the live part of each begins. */
uintptr_t world_stack_end(unsigned int writer);
uintptr_t world_stack_sp(unsigned int writer);

void world_jump(uint64_t ticks);

/* The clock goes back. */
void world_back(uint64_t ticks);
void world_read(void);
void world_flush(void);

/*
 * What writers share: scheme, slots and ring. Behind its used part the ring is as it was at first,
 * so that a copy of that part is a copy of all.
 */
uint8_t *world_memory(void);
size_t world_memory_used(void);
void world_memory_restore(const uint8_t *used, size_t bytes);
/* As at first, and where all is in it. `spare` NULL: no reader comes from another CPU. */
struct world_ring_memory {
	void *scheme;
	struct subbuf *slots;
	uint8_t *base;
};
void world_memory_clear(struct world_ring_memory *ring, struct world_ring_memory *spare);
/* Where that reader copies to; NULL: there is none. */
uint8_t *world_spare(void);

/* Drains and judges everything; the world is spoilt after it. */
void world_judge(struct judgement *judgement);

/* What was shared by the writers, after world_judge(): a hash of scheme, slots and memory; or what
 * a foreign program says came out, which is not 0. */
extern uint64_t world_outcome;
uint64_t world_hash(void);

struct ring *world_ring(void);
