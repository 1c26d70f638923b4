// SPDX-License-Identifier: MIT
#include "states.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "frontier.h"
#include "intern.h"
#include "outcomes.h"

/* In place of the number of a shared state: the writer did not come to an end. */
#define SHARED_CRASH (UINT32_MAX - FINDING_CRASH)
#define SHARED_HANG (UINT32_MAX - FINDING_HANG)
#define SHARED_NONE UINT32_MAX
#define SHARED_MOST (UINT32_MAX - FINDINGS)
#define STACK_CLEARED 512 /* below a new writer: what others left there is no part of a state */
#define STOPS_ABOUT 100 /* of a writer, for the time left */
#define FRAME_NONE UINT32_MAX /* between events */

/*
 * The writer's own part of the world: its events that are entered and not left, and its stack. Who
 * had others wait has two at a time: those run before it leaves.
 */
#define FRAME_EVENTS_MAX 3
struct frame {
	uint32_t bytes; /* of the stack, which follows the events */
	uint32_t events;
	struct frame_event {
		uint64_t index; /* in the log */
		struct logged logged;
	} event[];
};

/* One way that a writer can end. */
struct end {
	uint64_t ways;
	uint32_t shared;
	struct path path;
};

/* A writer that was followed from where it was launched. */
struct followed {
	struct launch {
		uint64_t pc; /* of its function in one of the copies */
		uint32_t shared;
		uint8_t depth;
		uint8_t in_beat; /* came into a beat, and no other beat may come */
		uint8_t zero[2];
	} launch;
	uint64_t stops; /* as in struct findings */
	uint64_t first_end;
	uint32_t ends;
};

static struct {
	const struct search *search;
	struct findings *findings;
	volatile uint64_t progress;
	struct intern shared;
	uint64_t memory; /* bytes that they may take */
	uint8_t buffer[WORLD_BYTES]; /* for one of them */
	uint64_t frame[WORLD_STACK_BYTES / 2 / 8]; /* for a writer's own part */
	struct intern launches; /* numbers are those of followed[] */
	struct followed *followed;
	size_t followed_room;
	struct end *end;
	uint64_t ends, ends_room;
	/* By depth of the writer; 0 is the time between events. */
	struct frontiers {
		struct frontier now, then, ended;
	} at[WORLD_DEPTH_MAX + 1];
} engine;

/* ---- the shared part of the world ---- */

/* In this order: the book's shared part, the reader if there is one, memory. */
#define BOOK_BYTES (offsetof(struct book, level) - offsetof(struct book, left))

static size_t check_bytes(void)
{
	return engine.search->budget.reads ? sizeof(world->check) : 0;
}

/* Is it that one, still? */
static bool is_shared(uint32_t number, size_t bytes)
{
	size_t known;
	const void *string = intern_get(&engine.shared, number, &known);

	return known == bytes && !memcmp(string, engine.buffer, bytes);
}

/* `before`: what it was at the stop before, which most instructions leave alone. */
static uint32_t save_shared(uint32_t before)
{
	struct book *book = &world->book;
	uint8_t *to = engine.buffer;
	size_t memory = BOOK_BYTES + check_bytes(), used = world_memory_used();

	book->clock = *world_row.clock;
	book->blocked = *world_row.blocked;
	memcpy(to, &book->left, BOOK_BYTES);
	memcpy(to + BOOK_BYTES, &world->check, check_bytes());
	memcpy(to + memory, world_memory(), used);
	if (before < engine.shared.count && is_shared(before, memory + used))
		return before;
	if (engine.shared.count >= SHARED_MOST || engine.shared.total_bytes > engine.memory) {
		fprintf(stderr,
			"stampede: %u states take more than %" PRIu64 " MiB: a smaller budget, or "
			"--engine schedules\n",
			engine.shared.count, engine.memory >> 20);
		_exit(1);
	}
	return intern(&engine.shared, to, memory + used);
}

static void restore_shared(uint32_t number)
{
	struct book *book = &world->book;
	size_t bytes, memory = BOOK_BYTES + check_bytes();
	const uint8_t *from = intern_get(&engine.shared, number, &bytes);

	memcpy(&book->left, from, BOOK_BYTES);
	*world_row.clock = book->clock;
	*world_row.blocked = book->blocked;
	memcpy(&world->check, from + BOOK_BYTES, check_bytes());
	world_memory_restore(from + memory, bytes - memory);
}

/* Each action takes one of these, so that states at one stop are gone on from in this order. */
static uint32_t left_in(uint32_t shared)
{
	const struct budget *left;

	if (shared >= SHARED_MOST)
		return 0;
	left = intern_get(&engine.shared, shared, NULL);
	return (uint32_t)left->nested + left->jumps + left->beats + left->reads + left->discards +
	       left->flushes;
}

/* ---- a writer's own part ---- */

/*
 * The number in `to` of the `depth`th writer from below, as it is stopped. `first`: the first event
 * that may be its.
 */
static uint32_t keep_frame(struct frontier *to, unsigned int depth, uint32_t first)
{
	const struct book *book = &world->book;
	struct frame *frame = (struct frame *)(void *)engine.frame;
	uintptr_t sp;
	uint32_t i, bytes;

	if (!depth)
		return FRAME_NONE;
	sp = book->depth > depth ? book->level[depth].sp : book->sp;
	*frame = (struct frame){.bytes = (uint32_t)(book->level[depth - 1].sp - sp)};
	for (i = first; i < book->events; i++) {
		if (book->log[i].left)
			continue;
		if (frame->events == FRAME_EVENTS_MAX)
			abort();
		frame->event[frame->events].index = i;
		memcpy(&frame->event[frame->events++].logged, &book->log[i], sizeof(book->log[i]));
	}
	bytes = (uint32_t)((const uint8_t *)&frame->event[frame->events] - (uint8_t *)frame);
	if (bytes + frame->bytes > sizeof(engine.frame))
		abort();
	memcpy(&frame->event[frame->events], (const void *)sp, frame->bytes);
	return intern(&to->frames, frame, bytes + frame->bytes);
}

static void restore_frame(const struct frontier *from, uint32_t number, unsigned int depth)
{
	const struct frame *frame = intern_get(&from->frames, number, NULL);
	struct book *book = &world->book;
	uint32_t i;

	book->sp = book->level[depth - 1].sp - frame->bytes;
	memcpy((void *)book->sp, &frame->event[frame->events], frame->bytes);
	for (i = 0; i < frame->events; i++)
		book->log[frame->event[i].index] = frame->event[i].logged;
}

/* The world in this state of the `depth`th writer; those below are in place. */
static void restore(const struct frontier *from, const struct state *state, unsigned int depth,
		    uint32_t first)
{
	struct book *book = &world->book;
	uint32_t i;

	restore_shared(state->shared);
	book->depth = (uint8_t)depth;
	book->sp = world_stack_end(0);
	/* The log has other ways' events: all that are not the writer's own have ended. */
	for (i = first; i < book->events; i++)
		book->log[i].left = 1;
	if (depth)
		restore_frame(from, state->frame, depth);
}

/* ---- following ---- */

/* What is known of the writer that is being followed; deeper ones have their own. */
struct follow {
	struct frontiers *at;
	unsigned int depth;
	uint32_t first_event;
	uint64_t stops;
};

static void add(struct frontier *to, const struct state *state, uint32_t shared,
		uint32_t frame)
{
	struct state added;

	state_copy(&added, state);
	added.shared = shared;
	added.left = left_in(shared);
	added.frame = frame;
	frontier_add(to, &added);
}

static void add_fault(struct follow *follow, const struct state *state, int signal)
{
	add(&follow->at->ended, state, signal == SIGALRM ? SHARED_HANG : SHARED_CRASH, FRAME_NONE);
}

/* The writer goes on from the state that is in place, to its next stop or its end. */
static void advance(struct follow *follow, const struct state *state)
{
	uint32_t frame;
	int signal;

	engine.progress++;
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(!signal);
	if (signal) {
		add_fault(follow, state, signal);
		return;
	}
	if (world_resume() == SWITCH_DONE) {
		faults_arm(false);
		world_finished();
		add(&follow->at->ended, state, save_shared(state->shared), FRAME_NONE);
		return;
	}
	faults_arm(false);
	frame = keep_frame(&follow->at->then, follow->depth, follow->first_event);
	add(&follow->at->then, state, save_shared(state->shared), frame);
}

static uint32_t follow_launched(uint32_t shared);

/* The ends of the writer that was just launched out of `state`, added to `to`. */
static void add_ends(struct follow *follow, struct frontier *to, const struct state *state,
		     uint32_t frame)
{
	uint32_t number = follow_launched(save_shared(SHARED_NONE)), i;
	struct state added;

	follow->stops += state->ways * engine.followed[number].stops;
	for (i = 0; i < engine.followed[number].ends; i++) {
		const struct end *end = &engine.end[engine.followed[number].first_end + i];

		state_copy(&added, state);
		added.ways *= end->ways;
		path_append(&added.path, &end->path);
		if (end->shared >= SHARED_MOST)
			add(&follow->at->ended, &added, end->shared, FRAME_NONE);
		else
			add(to, &added, end->shared, frame);
	}
}

/* One thing that can happen in `state`, which is in place. */
static void happen(struct follow *follow, const struct state *state, const struct action *action)
{
	struct state after;
	uint32_t frame;
	bool launched;
	int signal;

	state_copy(&after, state);
	after.path.action[after.path.actions++] = *action;
	after.path.stops = 0;
	world->book.action_count = 0;
	engine.progress++;
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(!signal);
	if (signal) {
		add_fault(follow, &after, signal);
		return;
	}
	launched = search_take(engine.search, action);
	faults_arm(false);
	/* A section that was interrupted starts over: only now is the frame what it will be. */
	frame = keep_frame(&follow->at->now, follow->depth, follow->first_event);
	if (launched)
		add_ends(follow, &follow->at->now, &after, frame);
	else
		add(&follow->at->now, &after, save_shared(SHARED_NONE), frame);
}

/* Between events: the next one, or the end of all. */
static void go_on_idle(struct follow *follow, const struct state *state)
{
	if (search_next(engine.search))
		add_ends(follow, &follow->at->then, state, FRAME_NONE);
	else
		add(&follow->at->ended, state, state->shared, FRAME_NONE);
}

/* All that can come of one state, of which this is a copy. */
static void visit(struct follow *follow, struct state *state)
{
	struct action action;
	unsigned int n = 0;

	restore(&follow->at->now, state, follow->depth, follow->first_event);
	if (search_alternative(engine.search, !follow->depth, 0, &action)) {
		follow->stops += state->ways;
		state->path.stops++;
		for (;; n++) {
			world->book.stops = state->path.stops;
			if (!search_alternative(engine.search, !follow->depth, n, &action))
				break;
			happen(follow, state, &action);
			restore(&follow->at->now, state, follow->depth, follow->first_event);
		}
	} else if (follow->depth && !search_open()) {
		world_without_stops();
	}
	if (follow->depth)
		advance(follow, state);
	else
		go_on_idle(follow, state);
}

/* From the states in `then` to the writer's ends. */
static void follow_all(struct follow *follow)
{
	struct frontiers *at = follow->at;
	struct frontier swap;
	struct state state;
	uint32_t i, stops = 0;
	int left;

	while (at->then.count) {
		swap = at->now;
		at->now = at->then;
		at->then = swap;
		frontier_clear(&at->then);
		stops++;
		if (follow->depth == 1 && engine.search->budget.events)
			engine.findings->done =
				(engine.search->budget.events - world->book.left.events - 1 +
				 (double)stops / (STOPS_ABOUT + stops)) /
				engine.search->budget.events;
		/* What happens in a state leads to states with less left, at the same stop. */
		for (left = (int)at->now.lefts - 1; left >= 0; left--)
			for (i = at->now.first[left]; i != FRONTIER_NONE;
			     i = at->now.state[i].next) {
				state_copy(&state, &at->now.state[i]);
				engine.findings->states++;
				visit(follow, &state);
			}
	}
}

static void keep_ends(struct followed *followed, const struct frontier *ended)
{
	uint32_t i;

	followed->first_end = engine.ends;
	followed->ends = ended->count;
	if (engine.ends + ended->count > engine.ends_room) {
		engine.ends_room = 2 * (engine.ends + ended->count);
		engine.end = realloc(engine.end, engine.ends_room * sizeof(*engine.end));
		if (!engine.end)
			abort();
	}
	for (i = 0; i < ended->count; i++)
		engine.end[engine.ends++] = (struct end){
			.ways = ended->state[i].ways,
			.shared = ended->state[i].shared,
			.path = ended->state[i].path,
		};
}

static bool in_beat(const struct book *book)
{
	unsigned int i;

	for (i = 0; i + 1 < book->depth; i++)
		if (book->level[i].beat)
			return true;
	return false;
}

/* The number in followed[] of the writer that was just launched; `shared` is in place. */
static uint32_t follow_launched(uint32_t shared)
{
	struct book *book = &world->book;
	const struct switch_frame *frame = (const struct switch_frame *)book->sp;
	struct launch launch = {
		.pc = frame->pc, .shared = shared, .depth = book->depth, .in_beat = in_beat(book)};
	uint32_t before = engine.launches.count;
	uint32_t number = intern(&engine.launches, &launch, sizeof(launch));
	struct follow follow = {
		.at = &engine.at[book->depth], .depth = book->depth, .first_event = book->events};
	struct state begin = {.ways = 1, .shared = shared};

	if (engine.launches.count == before)
		return number;
	if (number >= engine.followed_room) {
		engine.followed_room = engine.followed_room ? 2 * engine.followed_room : 1024;
		engine.followed =
			realloc(engine.followed, engine.followed_room * sizeof(*engine.followed));
		if (!engine.followed)
			abort();
	}
	memset((uint8_t *)book->sp - STACK_CLEARED, 0, STACK_CLEARED);
	frontier_clear(&follow.at->then);
	frontier_clear(&follow.at->ended);
	advance(&follow, &begin);
	follow_all(&follow);
	engine.followed[number] = (struct followed){.launch = launch, .stops = follow.stops};
	keep_ends(&engine.followed[number], &follow.at->ended);
	return number;
}

/* ---- the search ---- */

static void judge(const struct state *state)
{
	struct findings *findings = engine.findings;
	const struct path *path = &state->path;
	unsigned int kind;

	if (state->shared >= SHARED_MOST) {
		kind = UINT32_MAX - state->shared;
		findings->objections[kind] += state->ways;
		findings_count(findings, path->action, path->actions, VERDICT_BROKEN, kind,
			       state->ways);
		return;
	}
	restore(NULL, state, 0, 0);
	findings_judge(findings, path->action, path->actions, engine.search->without_oracle,
		       state->ways);
	if (engine.search->outcomes)
		outcomes_add(world_hash());
}

static void judge_all(const struct frontier *ended)
{
	volatile uint32_t i;
	int signal;

	for (i = 0; i < ended->count; i++) {
		engine.progress++;
		signal = sigsetjmp(faults_escape, 0);
		faults_arm(true);
		if (!signal)
			judge(&ended->state[i]);
	}
	faults_arm(false);
}

/* A quarter of the machine's: another search may run beside this one. */
static uint64_t memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void free_all(void)
{
	unsigned int i;

	for (i = 0; i <= WORLD_DEPTH_MAX; i++) {
		frontier_free(&engine.at[i].now);
		frontier_free(&engine.at[i].then);
		frontier_free(&engine.at[i].ended);
	}
	intern_end(&engine.shared);
	intern_end(&engine.launches);
	free(engine.followed);
	free(engine.end);
	memset(&engine, 0, sizeof(engine));
}

void states_run(const struct search *search, struct findings *findings)
{
	struct state begin = {.ways = 1, .frame = FRAME_NONE};
	struct follow follow = {.at = &engine.at[0]};
	double began = now_seconds();

	*findings = (struct findings){.schedules = 0};
	engine.search = search;
	engine.findings = findings;
	engine.memory = memory();
	if (search->outcomes)
		outcomes_begin();
	world_begin(&search->start, &search->budget);
	faults_catch(&engine.progress);
	frontier_clear(&follow.at->then);
	frontier_clear(&follow.at->ended);
	add(&follow.at->then, &begin, save_shared(SHARED_NONE), FRAME_NONE);
	follow_all(&follow);
	findings->stops = follow.stops;
	judge_all(&follow.at->ended);
	faults_end();
	if (search->outcomes)
		outcomes_end(&findings->outcomes, &findings->outcomes_hash);
	free_all();
	findings->seconds = now_seconds() - began;
	findings->done = 1;
}
