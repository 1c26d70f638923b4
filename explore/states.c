// SPDX-License-Identifier: MIT
#include "explore/states.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "explore/faults.h"
#include "explore/frontier.h"
#include "explore/intern.h"
#include "explore/outcomes.h"
#include "explore/pieces.h"

/* In place of the number of a shared state: the writer did not come to an end. */
#define SHARED_CRASH (UINT32_MAX - FINDING_CRASH)
#define SHARED_HANG (UINT32_MAX - FINDING_HANG)
#define SHARED_NONE PIECES_NONE
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
	uint64_t first_action; /* of its path */
	uint32_t stops;
	uint32_t shared;
	uint8_t left;
	uint8_t actions;
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
	struct pieces shared;
	uint64_t memory; /* bytes that they may take */
	uint8_t buffer[PIECES_MAX * PIECE_BYTES]; /* for one of them */
	uint64_t frame[WORLD_STACK_BYTES / 2 / 8]; /* for a writer's own part */
	struct intern launches; /* numbers are those of followed[] */
	struct followed *followed;
	uint64_t followed_room;
	struct end *end;
	uint64_t ends, ends_room;
	struct action *action; /* of the ends' paths */
	uint64_t actions, actions_room;
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

/* `before`: what it was at the stop before, or else SHARED_NONE. */
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
	if (engine.shared.string.count >= SHARED_MOST ||
	    pieces_memory(&engine.shared) > engine.memory) {
		fprintf(stderr,
			"stampede: %u states take more than %" PRIu64 " MiB: a smaller budget, or "
			"--engine schedules\n",
			engine.shared.string.count, engine.memory >> 20);
		_exit(1);
	}
	return pieces_number(&engine.shared, to, memory + used, before);
}

static void restore_shared(uint32_t number)
{
	struct book *book = &world->book;
	const uint8_t *from = engine.buffer;
	size_t memory = BOOK_BYTES + check_bytes();
	size_t bytes = pieces_get(&engine.shared, number, engine.buffer);

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
	left = pieces_first(&engine.shared, shared);
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

	restore_shared(state->at.shared);
	book->depth = (uint8_t)depth;
	book->sp = world_stack_end(0);
	/* The log has other ways' events: all that are not the writer's own have ended. */
	for (i = first; i < book->events; i++)
		book->log[i].left = 1;
	if (depth)
		restore_frame(from, state->at.frame, depth);
}

/* ---- following ---- */

/* What is known of the writer that is being followed; deeper ones have their own. */
struct follow {
	struct frontiers *at;
	unsigned int depth;
	uint32_t first_event;
	uint64_t stops;
};

static void add(struct frontier *to, const struct state *state, uint32_t shared, uint32_t frame)
{
	frontier_add(to,
		     &(struct place){.shared = shared, .frame = frame, .left = left_in(shared)},
		     state->ways, &state->path, NULL);
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
		add(&follow->at->ended, state, save_shared(state->at.shared), FRAME_NONE);
		return;
	}
	faults_arm(false);
	frame = keep_frame(&follow->at->then, follow->depth, follow->first_event);
	add(&follow->at->then, state, save_shared(state->at.shared), frame);
}

static uint32_t follow_launched(uint32_t shared);

/* The ends of the writer that was just launched out of `state`, added to `to`. */
static void add_ends(struct follow *follow, struct frontier *to, const struct state *state,
		     uint32_t frame)
{
	uint32_t number = follow_launched(save_shared(state->at.shared)), i;
	const struct followed *followed = &engine.followed[number];

	follow->stops += state->ways * followed->stops;
	for (i = 0; i < followed->ends; i++) {
		const struct end *end = &engine.end[followed->first_end + i];
		struct place at = {.shared = end->shared, .frame = frame, .left = end->left};
		struct steps then = {.stops = end->stops,
				     .actions = end->actions,
				     .action = &engine.action[end->first_action]};

		if (end->shared >= SHARED_MOST) {
			at.frame = FRAME_NONE;
			frontier_add(&follow->at->ended, &at, state->ways * end->ways,
				     &state->path, &then);
			continue;
		}
		frontier_add(to, &at, state->ways * end->ways, &state->path, &then);
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
		add(&follow->at->now, &after, save_shared(state->at.shared), frame);
}

/* Between events: the next one, or the end of all. */
static void go_on_idle(struct follow *follow, const struct state *state)
{
	if (search_next(engine.search))
		add_ends(follow, &follow->at->then, state, FRAME_NONE);
	else
		add(&follow->at->ended, state, state->at.shared, FRAME_NONE);
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

/* Room for `more` elements behind `count`; never NULL. */
static void *with_room(void *array, uint64_t count, uint64_t more, uint64_t *room, size_t bytes)
{
	if (array && count + more <= *room)
		return array;
	*room = 2 * (count + more) + 1;
	array = realloc(array, *room * bytes);
	if (!array)
		abort();
	return array;
}

static void keep_end(const struct state *state)
{
	const struct path *path = &state->path;

	engine.action = with_room(engine.action, engine.actions, path->actions,
				  &engine.actions_room, sizeof(*engine.action));
	memcpy(&engine.action[engine.actions], path->action,
	       path->actions * sizeof(path->action[0]));
	engine.end[engine.ends++] = (struct end){
		.ways = state->ways,
		.first_action = engine.actions,
		.stops = path->stops,
		.shared = state->at.shared,
		.left = (uint8_t)state->at.left,
		.actions = path->actions,
	};
	engine.actions += path->actions;
}

static void keep_ends(struct followed *followed, const struct frontier *ended)
{
	uint32_t i;

	followed->first_end = engine.ends;
	followed->ends = ended->count;
	engine.end = with_room(engine.end, engine.ends, ended->count, &engine.ends_room,
			       sizeof(*engine.end));
	for (i = 0; i < ended->count; i++)
		keep_end(&ended->state[i]);
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
	struct state begin = {.ways = 1, .at = {.shared = shared}};

	if (engine.launches.count == before)
		return number;
	engine.followed = with_room(engine.followed, number, 1, &engine.followed_room,
				    sizeof(*engine.followed));
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

	if (state->at.shared >= SHARED_MOST) {
		kind = UINT32_MAX - state->at.shared;
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
	pieces_end(&engine.shared);
	intern_end(&engine.launches);
	free(engine.followed);
	free(engine.end);
	free(engine.action);
	memset(&engine, 0, sizeof(engine));
}

void states_run(const struct search *search, struct findings *findings)
{
	struct state begin = {.ways = 1};
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
