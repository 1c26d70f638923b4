// SPDX-License-Identifier: MIT
#include "explore/engine/search.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/time.h"
#include "explore/engine/faults.h"
#include "explore/engine/outcomes.h"

struct snapshot {
	unsigned int next; /* alternative to be tried next */
	bool idle;
	struct book book;
	struct check check;
	uint8_t stack[WORLD_STACK_BYTES / 2]; /* of all writers */
	size_t memory_bytes;
	uint8_t memory[WORLD_BYTES];
};

struct schedule_engine {
	const struct search *search;
	struct findings *findings;
	unsigned int part, parts;
	uint64_t first_count; /* alternatives for a first action so far */
	uint64_t first_total;
	struct snapshot *snapshots;
	unsigned int depth;
};

/* ---- alternatives ---- */

static bool beating(const struct book *book)
{
	unsigned int i;

	for (i = 0; i < book->depth; i++)
		if (book->level[i].beat)
			return true;
	return false;
}

bool search_open(void)
{
	const struct book *book = &world->book;
	const struct budget *left = &book->left;

	if (left->jumps || left->backs || left->traced || left->reads || left->preemptions ||
	    left->flushes)
		return true;
	return (left->nested || left->beats || left->discards) && book->depth <= left->depth;
}

/* The n-th CPU that the running one can be left for; WORLD_WRITERS_MAX: there are fewer. */
static unsigned int other_writer(bool idle, unsigned int n)
{
	const struct book *book = &world->book;
	unsigned int i;

	if (world_cpus(&book->left) < 2 || (!idle && !book->left.preemptions))
		return WORLD_WRITERS_MAX;
	for (i = 0; i < world_cpus(&book->left); i++)
		if (i != book->writer && world_unfinished(i) && !n--)
			return i;
	return WORLD_WRITERS_MAX;
}

/* What else several CPUs can do: another goes on. */
static bool cpu_alternative(bool idle, unsigned int n, struct action *action)
{
	unsigned int writer;

	/* When the running one has ended, another follows anyway: the first unfinished. */
	if (idle && !world->book.left.events)
		n++;
	writer = other_writer(idle, n);
	action->jump = writer;
	action->kind = writer < WORLD_WRITERS_MAX ? ACTION_SWITCH : ACTION_NONE;
	return action->kind != ACTION_NONE;
}

bool search_alternative(const struct search *search, bool idle, unsigned int n,
			struct action *action)
{
	const struct book *book = &world->book;
	const struct budget *left = &book->left;
	bool room = !idle && book->depth <= left->depth && !*world_row.blocked;
	bool ended = idle && !left->events;
	unsigned int jumps = left->jumps && !ended ? search->jumps : 0;
	unsigned int backs = left->backs && !ended ? search->jumps : 0;

	*action = (struct action){ .stops = book->stops };
	/* What else happens there may as well happen before the reader goes on. */
	if (world_reads())
		return cpu_alternative(idle, n, action);
	if (left->nested && room && !n--) {
		action->kind = ACTION_NEST;
	} else if (left->beats && !ended && (idle || room) && !beating(book) && !n--) {
		action->kind = ACTION_BEAT;
	} else if (left->discards && !ended && (idle || room) && !n--) {
		action->kind = ACTION_DISCARD;
	} else if (left->flushes && !ended &&
		   (idle || !(*world_row.blocked || world_row.defers ||
			      world_row.driver->busy(world_memory()))) &&
		   !n--) {
		action->kind = ACTION_FLUSH;
	} else if (left->reads && !ended && !n--) {
		action->kind = ACTION_READ;
	} else if (n < jumps) {
		action->kind = ACTION_JUMP;
		action->jump = search->jump[n];
	} else if (n - jumps < backs) {
		action->kind = ACTION_BACK;
		action->jump = search->jump[n - jumps];
	} else {
		return cpu_alternative(idle, n - jumps - backs, action);
	}
	return true;
}

/* In the copy with stops only if something can still happen to it. */
static void launch(const struct search *search, enum action_kind kind)
{
	struct book *book = &world->book;
	bool open;

	book->depth++;
	open = search->worst || search_open();
	book->depth--;
	world_launch(kind, open ? search->stops : STOPS_NONE);
}

bool search_take(const struct search *search, const struct action *action)
{
	struct book *book = &world->book;

	book->action[book->action_count++] = *action;
	book->stops = 0;
	switch (action->kind) {
	case ACTION_NEST:
		book->left.nested--;
		break;
	case ACTION_BEAT:
		book->left.beats--;
		break;
	case ACTION_DISCARD:
		book->left.discards--;
		break;
	case ACTION_FLUSH:
		book->left.flushes--;
		if (book->depth)
			world_abort_section();
		world_flush();
		return false;
	case ACTION_READ:
		book->left.reads--;
		world_read();
		return false;
	case ACTION_JUMP:
		book->left.jumps--;
		world_jump(action->jump);
		return false;
	case ACTION_BACK:
		book->left.backs--;
		world_back(action->jump);
		return false;
	case ACTION_SWITCH:
		book->left.preemptions -= book->depth > 0;
		world_switch((unsigned int)action->jump);
		return true;
	}
	if (book->depth)
		world_abort_section();
	launch(search, (enum action_kind)action->kind);
	return true;
}

bool search_next(const struct search *search)
{
	struct book *book = &world->book;
	unsigned int i;

	if (book->left.events) {
		book->left.events--;
		launch(search, ACTION_NEST);
		return true;
	}
	for (i = 0; i < world_cpus(&book->left); i++)
		if (i != book->writer && world_unfinished(i)) {
			world_switch(i);
			/* One that was left in the middle goes on; another one begins. */
			return book->depth || search_next(search);
		}
	return false;
}

static void add_jump(struct search *search, uint64_t ticks)
{
	if (!search->jumps || search->jump[search->jumps - 1] < ticks)
		search->jump[search->jumps++] = ticks;
}

/* Around each multiple of what the stored stamp can tell apart: between two, all are alike. */
static void all_jumps(struct search *search, uint64_t unit, uint64_t most)
{
	uint64_t at;

	add_jump(search, 1);
	for (at = unit; at <= most; at += unit) {
		add_jump(search, at - 1);
		add_jump(search, at);
		add_jump(search, at + 1);
	}
}

void search_jumps(struct search *search, bool coarse)
{
	uint32_t bits = world_row.config.stamp_bits, i;
	uint64_t wrap = bits < 63 ? UINT64_C(1) << bits : UINT64_C(1) << 32, wraps;
	uint64_t unit = UINT64_C(1) << scheme_cut_bits(world_row.driver->desc, bits);
	static const int64_t near[] = { -2, -1, 0, 1, 2 };
	static const uint64_t far[] = { UINT64_C(1) << 14, UINT64_C(1) << 21, UINT64_C(1) << 32,
					UINT64_C(1) << 48 };
	unsigned int units = search->budget.jumps > 1 ? SEARCH_UNITS_PAIRS : SEARCH_UNITS_MAX;

	search->jumps = 0;
	if (coarse) {
		add_jump(search, 1);
		add_jump(search, 2);
		return;
	}
	if (search->budget.backs && wrap > 4 && 2 * wrap / unit > SEARCH_UNITS_MAX) {
		add_jump(search, 1);
		add_jump(search, wrap / 2);
		add_jump(search, wrap - 1);
		add_jump(search, wrap);
		add_jump(search, wrap + 1);
		return;
	}
	if (2 * wrap / unit <= units) {
		all_jumps(search, unit, 2 * wrap);
		return;
	}
	add_jump(search, 1);
	for (wraps = 1; wraps <= 2; wraps++)
		for (i = 0; i < sizeof(near) / sizeof(near[0]); i++)
			add_jump(search, wraps * wrap + (uint64_t)near[i]);
	/* And those that a distance or a stamp of fewer bits than the row says would not tell. */
	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		if (far[i] > 2 * wrap + 2) {
			add_jump(search, far[i] - (bits < 14));
			add_jump(search, far[i]);
		}
}

/* ---- snapshots ---- */

static void copy_book(struct book *to, const struct book *from)
{
	bytes_copy(to, from, offsetof(struct book, level));
	bytes_copy(to->level, from->level, from->depth * sizeof(from->level[0]));
	bytes_copy(to->action, from->action, from->action_count * sizeof(from->action[0]));
	bytes_copy(to->log, from->log, from->events * sizeof(from->log[0]));
	bytes_copy(to->stamp, from->stamp, book_stamps_bytes(from));
	if (world_cpus(&from->left) > 1)
		bytes_copy(to->parked, from->parked, sizeof(from->parked));
}

static void save(struct schedule_engine *engine, struct snapshot *snapshot)
{
	struct book *book = &world->book;
	size_t used = 0, bytes;
	unsigned int i;

	book->clock = *world_row.clock;
	book->blocked = *world_row.blocked;
	copy_book(&snapshot->book, book);
	for (i = 0; i < world_cpus(&book->left); i++) {
		bytes = world_stack_end(i) - world_stack_sp(i);
		if (bytes > sizeof(snapshot->stack) - used)
			END_FAULT("writers' stacks too deep for a snapshot");
		memcpy(snapshot->stack + used, (void *)world_stack_sp(i), bytes);
		used += bytes;
	}
	snapshot->memory_bytes = world_memory_used();
	memcpy(snapshot->memory, world_memory(), snapshot->memory_bytes);
	if (engine->search->budget.reads || engine->search->budget.live)
		bytes_copy(&snapshot->check, &world->check, sizeof(world->check));
}

static void restore(struct schedule_engine *engine, const struct snapshot *snapshot)
{
	struct book *book = &world->book;
	size_t used = 0, bytes;
	unsigned int i;

	copy_book(book, &snapshot->book);
	*world_row.clock = book->clock;
	*world_row.blocked = book->blocked;
	for (i = 0; i < world_cpus(&book->left); i++) {
		bytes = world_stack_end(i) - world_stack_sp(i);
		memcpy((void *)world_stack_sp(i), snapshot->stack + used, bytes);
		used += bytes;
	}
	world_memory_restore(snapshot->memory, snapshot->memory_bytes);
	if (engine->search->budget.reads || engine->search->budget.live)
		bytes_copy(&world->check, &snapshot->check, sizeof(world->check));
}

/* ---- the search ---- */

/*
 * Is this one ours? Only the first action of a schedule is shared out, by multiples of the golden
 * ratio: evenly however few there are, and whatever comes at every so many of them. Every seventh
 * would be a beat of each stop where a stop has 35 alternatives.
 */
static bool ours(struct schedule_engine *engine)
{
	uint64_t at; /* in a whole of 2^32 */

	if (world->book.action_count)
		return true;
	engine->findings->done =
		engine->first_total ? (double)engine->first_count / (double)engine->first_total : 0;
	at = (uint32_t)(engine->first_count++ * UINT32_C(0x9e3779b9));
	return at * engine->parts >> 32 == engine->part;
}

enum chosen {
	CHOSE_NOTHING, /* the writer goes on from here */
	CHOSE_TIME, /* something happened, and more can at the same place */
	CHOSE_WRITER, /* a writer came, which goes on first */
};

/* Takes the next alternative of the newest snapshot, which is in place. */
static enum chosen branch(struct schedule_engine *engine)
{
	struct snapshot *snapshot = &engine->snapshots[engine->depth - 1];
	struct action action;

	while (search_alternative(engine->search, snapshot->idle, snapshot->next, &action)) {
		snapshot->next++;
		if (ours(engine))
			return search_take(engine->search, &action) ? CHOSE_WRITER : CHOSE_TIME;
	}
	engine->depth--;
	return CHOSE_NOTHING;
}

/* A stop, or the time between events. */
static enum chosen choose(struct schedule_engine *engine, bool idle)
{
	struct snapshot *snapshot = &engine->snapshots[engine->depth];
	struct action action;

	if (!search_alternative(engine->search, idle, 0, &action)) {
		if (!idle && !engine->search->worst && !search_open())
			world_without_stops();
		return CHOSE_NOTHING;
	}
	/* Those before the first action belong to all parts. */
	engine->findings->stops += world->book.action_count || !engine->part;
	world->book.stops++;
	save(engine, snapshot);
	snapshot->next = 0;
	snapshot->idle = idle;
	engine->depth++;
	return branch(engine);
}

static void judge(struct schedule_engine *engine)
{
	const struct book *book = &world->book;

	/* The schedule without any action belongs to all parts. */
	if (!book->action_count && engine->part)
		return;
	findings_judge(engine->findings, book->action, book->action_count,
		       engine->search->without_oracle, 1);
	if (engine->search->outcomes)
		outcomes_add(world_hash());
}

/* A beat is no event. */
static void take_worst(struct schedule_engine *engine, const struct level *level)
{
	struct findings_worst *worst = &engine->findings->worst;
	const struct book *book = &world->book;

	if (!engine->search->worst || level->beat || level->steps <= worst->steps + 1)
		return;
	worst->steps = level->steps - 1; /* the last one ends behind its last stop */
	worst->actions = book->action_count;
	bytes_copy(worst->action, book->action, book->action_count * sizeof(book->action[0]));
}

/* Runs the current schedule to its end. `chosen`: what happens first is settled. */
static void run_schedule(struct schedule_engine *engine, bool chosen)
{
	struct book *book = &world->book;

	for (;;) {
		if (!chosen && choose(engine, !book->depth) == CHOSE_TIME)
			continue;
		chosen = false;
		if (book->depth) {
			book->level[book->depth - 1].steps++;
			if (world_resume() == SWITCH_DONE) {
				take_worst(engine, &book->level[book->depth - 1]);
				world_finished();
			}
			continue;
		}
		if (!search_next(engine->search))
			return;
		chosen = true;
	}
}

/* Puts back the newest snapshot and takes what is left to try. False: the search is over. */
static bool backtrack(struct schedule_engine *engine, bool *chosen)
{
	if (!engine->depth)
		return false;
	restore(engine, &engine->snapshots[engine->depth - 1]);
	/* With all alternatives tried the writer goes on from here without any. */
	*chosen = branch(engine) != CHOSE_TIME;
	return true;
}

static void faulted(struct schedule_engine *engine, int signal)
{
	const struct book *book = &world->book;

	/* The schedule without any action belongs to all parts. */
	if (book->action_count || !engine->part)
		findings_fault(engine->findings, book->action, book->action_count, signal, 1);
}

void search_begin(const struct search *search)
{
	world_begin(&search->start, &search->budget);
}

/* How many first actions there are, for the time left. */
static uint64_t count_first(struct schedule_engine *engine)
{
	const struct search *search = engine->search;
	struct book *book = &world->book;
	struct action action;
	unsigned int n;
	uint64_t total = 0;

	search_begin(search);
	for (;;) {
		for (n = 0; search_alternative(search, !book->depth, n, &action); n++)
			total++;
		if (book->depth) {
			if (world_resume() == SWITCH_DONE)
				world_finished();
		} else if (!search_next(search)) {
			return total;
		}
	}
}

unsigned int search_actions(const struct budget *budget)
{
	unsigned int most = (unsigned int)budget->nested + budget->jumps + budget->backs +
			    budget->beats + budget->reads + budget->discards + budget->flushes +
			    budget->preemptions;

	/* Between events one CPU can be left for another at no cost, each event of each once; */
	most += (unsigned int)budget->events * budget->writers;
	/* and for a reader that comes, or was left; it is left again behind its end. */
	if (budget->live)
		most += 2u * budget->live + budget->preemptions;
	return most;
}

void search_run(const struct search *search, unsigned int part, unsigned int parts,
		struct findings *findings)
{
	const struct budget *budget = &search->budget;
	size_t most = search_actions(budget) + 1u;
	static struct schedule_engine engine; /* survives siglongjmp() */
	uint64_t began = cpu_time_ns();
	bool chosen = false;
	int signal;

	engine = (struct schedule_engine){
		.search = search, .findings = findings, .part = part, .parts = parts
	};
	*findings = (struct findings){ .schedules = 0 };
	if (most > WORLD_ACTIONS_MAX + 1u)
		END_FAULT("a budget of too many actions");
	engine.snapshots = malloc(most * sizeof(*engine.snapshots));
	if (!engine.snapshots)
		end_memory("a search");
	if (search->outcomes)
		outcomes_begin();
	faults_catch(&findings->schedules);
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(true);
	if (signal) {
		faulted(&engine, signal);
	} else {
		engine.first_total = count_first(&engine);
		search_begin(search);
		run_schedule(&engine, chosen);
		judge(&engine);
	}
	while (!(search->first_only && findings->verdicts[VERDICT_BROKEN]) &&
	       findings->objections[FINDING_HANG] < FINDINGS_HANGS && backtrack(&engine, &chosen)) {
		run_schedule(&engine, chosen);
		judge(&engine);
	}
	faults_end();
	free(engine.snapshots);
	if (search->outcomes && world_outcome)
		outcomes_copy(findings->outcome, FINDINGS_OUTCOMES);
	if (search->outcomes)
		outcomes_end(&findings->outcomes, &findings->outcomes_hash);
	findings->seconds = (double)(cpu_time_ns() - began) / 1e9;
	findings->done = 1;
}
