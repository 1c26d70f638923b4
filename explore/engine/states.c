// SPDX-License-Identifier: MIT
#include "explore/engine/states.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/table.h"
#include "base/time.h"
#include "explore/engine/faults.h"
#include "explore/engine/frontier.h"
#include "explore/engine/outcomes.h"
#include "explore/engine/interned.h"
#include "explore/engine/shared.h"

/* In place of the number of a shared state: the writer did not come to an end. */
#define SHARED_CRASH (UINT32_MAX - FINDING_CRASH)
#define SHARED_HANG (UINT32_MAX - FINDING_HANG)
#define SHARED_NONE PIECES_NONE
#define SHARED_MOST (UINT32_MAX - FINDINGS)
#define STACK_CLEARED 512 /* below a new writer: what others left there is no part of a state */
#define STOPS_ABOUT 100 /* of a writer, for the time left */
#define FRAME_NONE UINT32_MAX /* between events */

/*
 * The writer's own part of the world: its events that are entered and not left, and its stack. A
 * writer that deferred others holds two events at once: its own, and that of the deferred one,
 * which runs before it leaves.
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

/* What a writer starts from: all that its ends depend on. */
struct launch {
	uint64_t pc; /* of its function in one of the copies */
	uint32_t shared;
	uint8_t depth;
	uint8_t in_beat; /* interrupts a beat, and no other beat may come */
	uint8_t zero[2];
};

/* All ends of a writer from one launch. */
struct summary {
	uint64_t stops; /* as in struct findings */
	uint64_t first_end;
	uint32_t ends;
};

struct state_engine {
	const struct search *search;
	struct findings *findings;
	volatile uint64_t progress;
	unsigned int hangs;
	struct interned shared;
	uint64_t memory; /* bytes that they may take */
	uint8_t buffer[PIECES_MAX * PIECE_BYTES]; /* for one of them */
	uint64_t frame[WORLD_STACK_BYTES / 2 / 8]; /* for a writer's own part */
	struct table firsts; /* shared states after a first action, for the search's part */
	uint32_t untouched; /* left_in() of a state without any action */
	struct table launches; /* numbers are those of summary[] */
	struct summary *summary;
	uint64_t summary_room;
	struct end *end;
	uint64_t ends, ends_room;
	struct action *action; /* of the ends' paths */
	uint64_t actions, actions_room;
	/* Of the writer at each depth; 0 is the time between events. */
	struct frontiers {
		struct frontier now; /* states at the stop that it stands at */
		struct frontier then; /* and at the next one */
		struct frontier ended;
	} at[WORLD_DEPTH_MAX + 1];
};

/* One writer on its way from its launch to all its ends; those that interrupt it have their own. */
struct walk {
	struct state_engine *engine;
	struct frontiers *at;
	unsigned int depth;
	uint32_t first_event; /* in the log, that may be its */
	uint64_t stops;
};

/* ---- the shared part of the world ---- */

/* `before`: what it was at the stop before, or else SHARED_NONE. */
static uint32_t save_shared(struct state_engine *engine, uint32_t before)
{
	size_t bytes = shared_save(engine->buffer, engine->search->budget.reads > 0);

	if (engine->shared.string.count >= SHARED_MOST ||
	    interned_memory(&engine->shared) > engine->memory) {
		end_with(EXIT_RESOURCE,
			 "%u states take more than %" PRIu64 " MiB: give a smaller budget, more "
			 "--memory, or --engine schedules",
			 engine->shared.string.count, engine->memory >> 20);
	}
	return interned_number(&engine->shared, engine->buffer, bytes, before);
}

static void restore_shared(struct state_engine *engine, uint32_t number)
{
	size_t bytes;
	const uint8_t *from = interned_get(&engine->shared, number, &bytes);

	shared_restore(from, bytes, engine->search->budget.reads > 0);
}

/* Each action takes one of these, so that states at one stop are gone on from in this order. */
static uint32_t left_in(const struct state_engine *engine, uint32_t shared)
{
	const struct budget *left;

	if (shared >= SHARED_MOST)
		return 0;
	left = interned_first(&engine->shared, shared);
	return (uint32_t)left->nested + left->jumps + left->backs + left->beats + left->reads +
	       left->discards + left->flushes;
}

/* ---- a writer's own part ---- */

/* The number in `to` of the walk's writer, as it is stopped. */
static uint32_t keep_frame(struct walk *walk, struct frontier *to)
{
	struct frame *frame = (struct frame *)(void *)walk->engine->frame;
	const struct book *book = &world->book;
	unsigned int depth = walk->depth;
	uintptr_t sp;
	uint32_t i, bytes;

	if (!depth)
		return FRAME_NONE;
	sp = book->depth > depth ? book->level[depth].sp : book->sp;
	*frame = (struct frame){ .bytes = (uint32_t)(book->level[depth - 1].sp - sp) };
	for (i = walk->first_event; i < book->events; i++) {
		if (book->log[i].left)
			continue;
		if (frame->events == FRAME_EVENTS_MAX)
			END_FAULT("a frame of too many events");
		frame->event[frame->events].index = i;
		memcpy(&frame->event[frame->events++].logged, &book->log[i], sizeof(book->log[i]));
	}
	bytes = (uint32_t)((const uint8_t *)&frame->event[frame->events] - (uint8_t *)frame);
	if (bytes + frame->bytes > sizeof(walk->engine->frame))
		END_FAULT("a frame that is too large");
	memcpy(&frame->event[frame->events], (const void *)sp, frame->bytes);
	return table_number(&to->frames, frame, bytes + frame->bytes);
}

static void restore_frame(const struct frontier *from, uint32_t number, unsigned int depth)
{
	const struct frame *frame = table_get(&from->frames, number, NULL);
	struct book *book = &world->book;
	uint32_t i;

	book->sp = book->level[depth - 1].sp - frame->bytes;
	memcpy((void *)book->sp, &frame->event[frame->events], frame->bytes);
	for (i = 0; i < frame->events; i++)
		book->log[frame->event[i].index] = frame->event[i].logged;
}

/* The world in this state of the walk's writer, out of `from`; those below are in place. */
static void restore(struct walk *walk, const struct frontier *from, const struct state *state)
{
	struct book *book = &world->book;
	uint32_t i;

	restore_shared(walk->engine, state->key.shared);
	book->depth = (uint8_t)walk->depth;
	book->sp = world_stack_end(0);
	/* The log has other paths' events: all that are not the writer's own have ended. */
	for (i = walk->first_event; i < book->events; i++)
		book->log[i].left = 1;
	if (walk->depth)
		restore_frame(from, state->key.frame, walk->depth);
}

/* ---- from stop to stop ---- */

static void add(struct walk *walk, struct frontier *to, const struct state *state, uint32_t shared,
		uint32_t frame)
{
	frontier_add(to, &(struct state_key){ .shared = shared, .frame = frame },
		     left_in(walk->engine, shared), state->ways, &state->path, NULL);
}

/*
 * Of a search in parts each has the schedules that begin with its first actions. Before those all
 * parts go the same way: what is counted there, and the schedule without any action, is the first
 * part's.
 */
static bool is_counted(const struct state_engine *engine, const struct state *state)
{
	return !engine->search->part || state->left != engine->untouched;
}

/*
 * Is what comes of this first action in the search's part? Those that leave the same shared state
 * stay together, as the writers that they interrupt with have their ends in common.
 */
static bool is_ours(struct state_engine *engine, const struct state *state, uint32_t shared)
{
	uint32_t parts = engine->search->parts;

	if (!parts || state->left != engine->untouched)
		return true;
	return table_number(&engine->firsts, &shared, sizeof(shared)) % parts ==
	       engine->search->part;
}

/* The writer faulted in `state`, or after it did something there. */
static void add_fault(struct walk *walk, const struct state *state, const struct state *after,
		      int signal)
{
	walk->engine->hangs += signal == SIGALRM;
	if (!is_counted(walk->engine, state))
		return;
	add(walk, &walk->at->ended, after, signal == SIGALRM ? SHARED_HANG : SHARED_CRASH,
	    FRAME_NONE);
}

/* The writer goes on from the state that is in place, to its next stop or its end. */
static void advance(struct walk *walk, const struct state *state)
{
	uint32_t frame;
	int signal;

	walk->engine->progress++;
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(!signal);
	if (signal) {
		add_fault(walk, state, state, signal);
		return;
	}
	if (world_resume() == SWITCH_DONE) {
		faults_arm(false);
		world_finished();
		add(walk, &walk->at->ended, state, save_shared(walk->engine, state->key.shared),
		    FRAME_NONE);
		return;
	}
	faults_arm(false);
	frame = keep_frame(walk, &walk->at->then);
	add(walk, &walk->at->then, state, save_shared(walk->engine, state->key.shared), frame);
}

static uint32_t summarize(struct state_engine *engine, uint32_t shared);

/* The ends of the writer that was just launched out of `state`, with this in place, to `to`. */
static void add_ends(struct walk *walk, struct frontier *to, const struct state *state,
		     uint32_t shared, uint32_t frame)
{
	struct state_engine *engine = walk->engine;
	uint32_t number = summarize(engine, shared), i;
	const struct summary *summary = &engine->summary[number];

	walk->stops += state->ways * summary->stops;
	for (i = 0; i < summary->ends; i++) {
		const struct end *end = &engine->end[summary->first_end + i];
		struct state_key key = { .shared = end->shared, .frame = frame };
		struct steps then = { .stops = end->stops,
				      .actions = end->actions,
				      .action = &engine->action[end->first_action] };
		bool faulted = end->shared >= SHARED_MOST;

		if (faulted)
			key.frame = FRAME_NONE;
		frontier_add(faulted ? &walk->at->ended : to, &key, end->left,
			     state->ways * end->ways, &state->path, &then);
	}
}

/* One action in `state`, which is in place. */
static void act(struct walk *walk, const struct state *state, const struct action *action)
{
	struct state after;
	uint32_t frame, shared;
	bool launched;
	int signal;

	state_copy(&after, state);
	after.path.action[after.path.actions++] = *action;
	after.path.stops = 0;
	world->book.action_count = 0;
	walk->engine->progress++;
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(!signal);
	if (signal) {
		add_fault(walk, state, &after, signal);
		return;
	}
	launched = search_take(walk->engine->search, action);
	faults_arm(false);
	shared = save_shared(walk->engine, state->key.shared);
	if (!is_ours(walk->engine, state, shared))
		return;
	/* A section that was interrupted starts over: only now is the frame what it will be. */
	frame = keep_frame(walk, &walk->at->now);
	if (launched)
		add_ends(walk, &walk->at->now, &after, shared, frame);
	else
		add(walk, &walk->at->now, &after, shared, frame);
}

/* Between events: the next one, or the end of all. */
static void advance_idle(struct walk *walk, const struct state *state)
{
	if (search_next(walk->engine->search))
		add_ends(walk, &walk->at->then, state, save_shared(walk->engine, state->key.shared),
			 FRAME_NONE);
	else
		add(walk, &walk->at->ended, state, state->key.shared, FRAME_NONE);
}

/* All successors of one state, of which this is a copy. */
static void expand(struct walk *walk, struct state *state)
{
	const struct search *search = walk->engine->search;
	struct action action;
	unsigned int n = 0;

	if (walk->engine->hangs >= FINDINGS_HANGS)
		return;
	restore(walk, &walk->at->now, state);
	if (search_alternative(search, !walk->depth, 0, &action)) {
		walk->stops += is_counted(walk->engine, state) ? state->ways : 0;
		state->path.stops++;
		for (;; n++) {
			world->book.stops = state->path.stops;
			if (!search_alternative(search, !walk->depth, n, &action))
				break;
			act(walk, state, &action);
			restore(walk, &walk->at->now, state);
		}
	} else if (walk->depth && !search_open()) {
		world_without_stops();
	}
	if (walk->depth)
		advance(walk, state);
	else
		advance_idle(walk, state);
}

/* Of the outermost writer: how far the search is, about. */
static void note_progress(struct walk *walk, uint32_t stops)
{
	uint8_t events = walk->engine->search->budget.events;

	if (walk->depth == 1 && events)
		walk->engine->findings->done = (events - world->book.left.events - 1 +
						(double)stops / (STOPS_ABOUT + stops)) /
					       events;
}

/* From the states in `then` to the writer's ends. */
static void walk_to_ends(struct walk *walk)
{
	struct frontiers *at = walk->at;
	struct frontier swap;
	struct state state;
	uint32_t i, stops = 0;
	int left;

	while (at->then.count) {
		swap = at->now;
		at->now = at->then;
		at->then = swap;
		frontier_clear(&at->then);
		note_progress(walk, ++stops);
		/* An action in a state leads to states with less left, at the same stop. */
		for (left = (int)at->now.lefts - 1; left >= 0; left--)
			for (i = at->now.first[left]; i != FRONTIER_NONE;
			     i = at->now.state[i].next) {
				state_copy(&state, &at->now.state[i]);
				walk->engine->findings->states++;
				expand(walk, &state);
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
		end_memory("states");
	return array;
}

static void keep_end(struct state_engine *engine, const struct state *state)
{
	const struct path *path = &state->path;

	engine->action = with_room(engine->action, engine->actions, path->actions,
				   &engine->actions_room, sizeof(*engine->action));
	memcpy(&engine->action[engine->actions], path->action,
	       path->actions * sizeof(path->action[0]));
	engine->end[engine->ends++] = (struct end){
		.ways = state->ways,
		.first_action = engine->actions,
		.stops = path->stops,
		.shared = state->key.shared,
		.left = (uint8_t)state->left,
		.actions = path->actions,
	};
	engine->actions += path->actions;
}

static void keep_ends(struct state_engine *engine, struct summary *summary,
		      const struct frontier *ended)
{
	uint32_t i;

	summary->first_end = engine->ends;
	summary->ends = ended->count;
	engine->end = with_room(engine->end, engine->ends, ended->count, &engine->ends_room,
				sizeof(*engine->end));
	for (i = 0; i < ended->count; i++)
		keep_end(engine, &ended->state[i]);
}

static bool in_beat(const struct book *book)
{
	unsigned int i;

	for (i = 0; i + 1 < book->depth; i++)
		if (book->level[i].beat)
			return true;
	return false;
}

/* The number in summary[] of the writer that was just launched; `shared` is in place. */
static uint32_t summarize(struct state_engine *engine, uint32_t shared)
{
	struct book *book = &world->book;
	const struct switch_frame *frame = (const struct switch_frame *)book->sp;
	struct launch launch = {
		.pc = frame->pc, .shared = shared, .depth = book->depth, .in_beat = in_beat(book)
	};
	uint32_t before = engine->launches.count;
	uint32_t number = table_number(&engine->launches, &launch, sizeof(launch));
	struct walk walk = { .engine = engine,
			     .at = &engine->at[book->depth],
			     .depth = book->depth,
			     .first_event = book->events };
	struct state begin = { .ways = 1,
			       .key = { .shared = shared },
			       .left = left_in(engine, shared) };

	if (engine->launches.count == before)
		return number;
	engine->summary = with_room(engine->summary, number, 1, &engine->summary_room,
				    sizeof(*engine->summary));
	bytes_clear((uint8_t *)book->sp - STACK_CLEARED, STACK_CLEARED);
	frontier_clear(&walk.at->then);
	frontier_clear(&walk.at->ended);
	advance(&walk, &begin);
	walk_to_ends(&walk);
	engine->summary[number] = (struct summary){ .stops = walk.stops };
	keep_ends(engine, &engine->summary[number], &walk.at->ended);
	return number;
}

/* ---- the search ---- */

static void judge(struct walk *walk, const struct state *state)
{
	const struct search *search = walk->engine->search;
	struct findings *findings = walk->engine->findings;
	const struct path *path = &state->path;

	if (!is_counted(walk->engine, state))
		return;
	if (state->key.shared >= SHARED_MOST) {
		findings_fault(findings, path->action, path->actions,
			       state->key.shared == SHARED_HANG ? SIGALRM : SIGSEGV, state->ways);
		return;
	}
	restore(walk, NULL, state);
	findings_judge(findings, path->action, path->actions, search->without_oracle, state->ways);
	if (search->outcomes)
		outcomes_add(world_hash());
}

static void judge_all(struct walk *walk)
{
	const struct frontier *ended = &walk->at->ended;
	volatile uint32_t i;
	int signal;

	for (i = 0; i < ended->count; i++) {
		walk->engine->progress++;
		signal = sigsetjmp(faults_escape, 0);
		faults_arm(true);
		if (!signal)
			judge(walk, &ended->state[i]);
	}
	faults_arm(false);
}

/* A quarter of the machine's: another search may run beside this one. */
static uint64_t memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
}

static void free_all(struct state_engine *engine)
{
	unsigned int i;

	for (i = 0; i <= WORLD_DEPTH_MAX; i++) {
		frontier_free(&engine->at[i].now);
		frontier_free(&engine->at[i].then);
		frontier_free(&engine->at[i].ended);
	}
	interned_end(&engine->shared);
	table_free(&engine->firsts);
	table_free(&engine->launches);
	free(engine->summary);
	free(engine->end);
	free(engine->action);
	free(engine);
}

void states_run(const struct search *search, struct findings *findings)
{
	struct state_engine *engine = calloc(1, sizeof(*engine));
	struct walk walk = { .engine = engine };
	struct state begin = { .ways = 1 };
	uint64_t began = cpu_time_ns();
	uint32_t start;

	if (!engine)
		end_memory("states");
	*findings = (struct findings){ .schedules = 0 };
	engine->search = search;
	engine->findings = findings;
	engine->memory = search->memory ? search->memory : memory();
	walk.at = &engine->at[0];
	if (search->outcomes)
		outcomes_begin();
	world_begin(&search->start, &search->budget);
	faults_catch(&engine->progress);
	start = save_shared(engine, SHARED_NONE);
	engine->untouched = left_in(engine, start);
	add(&walk, &walk.at->then, &begin, start, FRAME_NONE);
	walk_to_ends(&walk);
	findings->stops = walk.stops;
	judge_all(&walk);
	faults_end();
	if (search->outcomes)
		outcomes_end(&findings->outcomes, &findings->outcomes_hash);
	free_all(engine);
	findings->seconds = (double)(cpu_time_ns() - began) / 1e9;
	findings->done = 1;
}
