// SPDX-License-Identifier: MIT
#include "explore/engine/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "explore/engine/faults.h"
#include "explore/engine/guard.h"
#include "explore/engine/stamps.h"
#include "judge/identify.h"
#include "judge/live.h"

struct explored_row world_row;
uint64_t world_outcome;

static struct world_start started;
static bool reading; /* a reader may have come in the middle */
static bool keeps_stamps; /* the row cannot tell any gap, and there may be such a one */

#define READS_MOST (1u << 20) /* ticks of the clock reads of one schedule, by far */

uintptr_t world_stack_sp(unsigned int writer)
{
	const struct book *book = &world->book;

	return writer == book->writer ? book->sp : book->parked[writer].sp;
}

/* ---- what the row calls, on the writer's stack ---- */

void explore_enter(struct explore_source *src, unsigned int context, uint32_t id, uint32_t extra)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[book->events];

	src->index = book->events++;
	if (book->events > WORLD_EVENTS_MAX)
		faults_raise(); /* a budget beyond the log */
	*log = (struct logged){
		.entry = world_row.driver->desc->ages ? book->beat_since : world_row.clock->now,
		.id = (uint16_t)id,
		.extra_words = (uint8_t)(extra / 4),
		.context = (uint8_t)context,
		.consumed = (uint8_t)world_ring()->consumed,
		.stuck = (uint8_t)world_ring()->stuck,
	};
	book->entered_nested += context > CONTEXT_TASK;
}

static void keep_stamp(uint64_t stamp)
{
	struct book *book = &world->book;

	if (!keeps_stamps)
		return;
	if (book->stamps == WORLD_EVENTS_MAX)
		faults_raise();
	stamps_add(book->stamp, book->stamps++, stamp);
}

void explore_fill(struct check_payload *image, uint8_t *payload, uint64_t stamp, bool inexact,
		  const struct explore_source *src, uint32_t len)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];
	uint32_t extra = len - (uint32_t)sizeof(struct check_payload);
	uint64_t sequence = book->written[log->context]++;

	*image = (struct check_payload){
		.stamp = stamp,
		.entry = log->entry,
		.exit = world_row.clock->now,
		.tag = check_tag(log->context, inexact, extra, log->id, sequence),
	};

	log->stamp = stamp;
	log->inexact = inexact;
	log->filled = true;
	keep_stamp(stamp);
	memcpy(payload + sizeof(*image), check_filler_bytes_of(sequence), extra);
}

void explore_prepare(const struct explore_source *src, uint32_t len, struct check_payload *image)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];
	uint32_t extra = len - (uint32_t)sizeof(*image);

	/* A context does not nest in itself here: the number is its own until the record is out. */
	*image = (struct check_payload){
		.entry = log->entry,
		.exit = world_row.clock->now,
		.tag = check_tag(log->context, false, extra, log->id, book->written[log->context]),
	};
}

void explore_published(const struct explore_source *src, const struct check_payload *image)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];

	book->written[log->context]++;
	log->stamp = image->stamp;
	log->filled = true;
	keep_stamp(image->stamp);
}

void explore_inexact(const struct explore_source *src)
{
	world->book.log[src->index].inexact = true;
}

/* Did the event that was just lost have to be? */
static bool loss_explained(const struct logged *log)
{
	struct loss_look before = { .consumed = log->consumed, .stuck = log->stuck };
	enum loss_company company = world->book.left.writers > 1 ? LOSS_CONCURRENT :
				    log->context != CONTEXT_TASK ? LOSS_NESTED :
								   LOSS_ALONE;

	uint32_t known =
		(world_row.driver->desc->turns_away && world->book.depth > 1 ? LOSS_INSIDE : 0) |
		(bits_overflow(world_row.clock->now - log->entry, world_row.config.stamp_bits) ?
			 LOSS_SLOW :
			 0);

	return loss_reason(world_ring(), before,
			   world_row.config.fixed_bytes + 4u * log->extra_words, company,
			   known) != LOSS_UNEXPLAINED;
}

void explore_leave(const struct explore_source *src, bool recorded)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];

	if (world_row.timed && recorded && !log->discarded) {
		book->written[log->context]++;
		log->filled = true;
		if (world_row.foreign)
			keep_stamp(log->stamp);
	}
	log->exit = world_row.clock->now;
	log->left = log->discarded ? 3 : recorded ? 1 : 2;
	book->failed += !recorded;
	/* Why a foreign tracer loses one is not known. */
	book->unexplained += !recorded && !world_row.foreign && !loss_explained(log);
}

void explore_discarded(const struct explore_source *src)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];

	/* No event of its context came since: the next one has its sequence number. */
	book->written[log->context]--;
	log->discarded = true;
	log->filled = false;
	if (keeps_stamps)
		stamps_remove(book->stamp, book->stamps--, log->stamp);
}

void explore_deferred(unsigned int context)
{
	(void)context;
	world->book.deferred++;
}

void explore_undeferred(unsigned int context)
{
	(void)context;
	world->book.deferred--;
}

/* ---- running ---- */

/* The contexts of nested writers, by depth. A soft mask has so many levels and no more. */
static unsigned int context_at(unsigned int depth)
{
	if (depth <= CONTEXT_LEVEL_3)
		return world->book.writer % CHECK_WRITERS_MAX * CONTEXTS + depth;
	return world_row.defers ? CONTEXT_LEVEL_3 : depth + 1;
}

/* Filler of an event that takes more than half of a sub-buffer, and fits any. */
static uint32_t large_extra(void)
{
	return (1u << world_row.config.subbuf_shift) / 2 - 8;
}

/* Of the uppermost writer's; between events there is none. */
static uintptr_t frame_end(void)
{
	const struct book *book = &world->book;

	return book->depth ? book->level[book->depth - 1].sp : book->sp;
}

static struct guard_view view_for_guard(void)
{
	return (struct guard_view){
		.shared = world_memory(),
		.shared_bytes = world_memory_used(),
		.stacks = world_stack_end(0) - WORLD_STACK_BYTES,
		.stacks_bytes = WORLD_WRITERS_MAX * (size_t)WORLD_STACK_BYTES,
		.site = world_site,
	};
}

/* What time went by, whatever the clock says of it. */
static uint64_t elapsed(void)
{
	return world_row.clock->now + world->book.back;
}

void world_launch(enum action_kind kind, enum explore_stops stops)
{
	struct book *book = &world->book;
	unsigned int context = kind == ACTION_BEAT ? CONTEXT_BEAT : context_at(book->depth);
	uint64_t frame = guard_frame(book->sp, frame_end(), view_for_guard);
	bool large = started.asked.large && book->depth;
	uintptr_t arguments[4] = { (uintptr_t)world_memory(), context, large ? large_extra() : 0 };
	void (*function)(void);

	if (stops == STOPS_POINTS)
		stops = STOPS_NONE;
	if (kind == ACTION_BEAT)
		function = (void (*)(void))world_row.beat[stops];
	else if (kind == ACTION_DISCARD)
		function = (void (*)(void))world_row.discard[stops];
	else if (world_reads())
		function = (void (*)(void))world_row.read;
	else if (book->depth)
		function = (void (*)(void))world_row.interrupt[stops];
	else
		function = (void (*)(void))world_row.event[stops];
	if (world_reads())
		arguments[1] = (uintptr_t)world_spare();
	book->interrupted |= book->depth > 0;
	book->discarded += kind == ACTION_DISCARD;
	book->level[book->depth++] = (struct level){
		.sp = book->sp,
		.begin = elapsed(),
		.frame = frame,
		.beat = kind == ACTION_BEAT,
		.context = (uint8_t)context,
	};
	book->sp = switch_launch(book->sp, function, arguments);
}

static struct switch_frame *world_frame(void)
{
	return (struct switch_frame *)world->book.sp;
}

const struct explore_site *world_site(void)
{
	unsigned int copy;

	return world_site_at(world_frame()->pc, &copy);
}

/* Between two bytes of a word that a string instruction copies: whole words are enough places. */
static bool within_word(void)
{
#ifdef __x86_64__
	const struct explore_site *site = world_has_rounds ? world_site() : NULL;

	return site && site->round && world_frame()->rcx & 7 &&
	       site->instruction[strlen(site->instruction) - 1] == 'b';
#else
	return false;
#endif
}

static void stop_at_point(void *arg, const char *label)
{
	(void)arg;
	point_stop(label);
}

/* Its copies are its own: nobody comes between. */
void explore_take(void *from)
{
	world_row.at_points->hook = from == world_spare() ? NULL : stop_at_point;
	world_row.driver->take(from, &world->check);
	world_row.at_points->hook = stop_at_point;
}

/* Until the next stop. Snapshots are taken of the memory behind the ring, so statics are there. */
static enum switch_event resume(void)
{
	uint8_t *statics = world_memory() + world_row.statics_at;
	enum switch_event event;

	switch_writer_sp = world->book.sp;
	world_row.at_points->hook = world_reads() ? stop_at_point : NULL;
	if (world_row.foreign)
		memcpy(world_row.statics, statics, world_row.statics_bytes);
	event = switch_resume();
	if (world_row.foreign)
		memcpy(statics, world_row.statics, world_row.statics_bytes);
	world_row.at_points->hook = NULL;
	world->book.sp = switch_writer_sp;
	return event;
}

/*
 * The clock that was just read is traced: its event is recorded before the reader has the value.
 * Its own read is not, as a tracer's recursion guard has it, nor is one where a row keeps
 * interrupts out; and nothing comes into it.
 */
static void record_read(void)
{
	struct book *book = &world->book;

	if (!book->left.traced || book->tracing || !book->depth || *world_row.blocked ||
	    book->level[book->depth - 1].beat || book->depth > WORLD_DEPTH_MAX - 2)
		return;
	book->left.traced--;
	book->tracing = true;
	world_abort_section();
	world_launch(ACTION_NEST, STOPS_NONE);
	while (resume() != SWITCH_DONE)
		continue;
	world_finished();
	book->tracing = false;
}

enum switch_event world_resume(void)
{
	enum switch_event event;
	uint64_t before;

	do {
		before = world_row.clock->now;
		event = resume();
		if (event == SWITCH_STOP && world_row.clock->now != before)
			record_read();
	} while (event == SWITCH_STOP && within_word());
	return event;
}

void world_finished(void)
{
	struct book *book = &world->book;
	const struct level *level = &book->level[--book->depth];
	uint64_t since = elapsed() - book->beat_since;

	book->sp = level->sp;
	guard_same_frame(book->sp, frame_end(), level->frame);
	if (!level->beat)
		return;
	/* Bounds what the scheme can have seen: from before one beat to after the next. */
	book->beat_worst = since > book->beat_worst ? since : book->beat_worst;
	book->beat_since = level->begin;
}

const char *world_label(void)
{
	if (!world_row.points && !world_reads())
		return NULL;
#ifdef __x86_64__
	return (const char *)world_frame()->rdi;
#else
	return world_frame()->label;
#endif
}

void world_without_stops(void)
{
	const struct explore_site *site = world_site();

	if (site)
		world_frame()->pc = site->plain;
}

void world_abort_section(void)
{
	unsigned int copy;
	const struct explore_site *site = world_site_at(world_frame()->pc, &copy);

	if (site && site->abort[copy])
		world_frame()->pc = site->abort[copy];
}

void world_jump(uint64_t ticks)
{
	world_row.clock->now += ticks;
	/* Reads of the clock on both sides are in the gap between two stamps. */
	world->book.far |= judge_gap_beyond(world_row.driver->desc, world_row.config.stamp_bits,
					    ticks + READS_MOST);
}

void world_back(uint64_t ticks)
{
	world_row.clock->now -= ticks;
	world->book.back += ticks;
	world->book.stepped++;
}

void world_switch(unsigned int writer)
{
	struct book *book = &world->book;
	struct parked *from = &book->parked[book->writer], *to = &book->parked[writer];

	from->sp = book->sp;
	from->depth = book->depth;
	from->events = book->left.events;
	memcpy(from->level, book->level, book->depth * sizeof(from->level[0]));
	if (started.asked.skew) {
		world_row.clock->now -= (writer - (uint64_t)book->writer) * started.asked.skew;
		book->back += (writer - (uint64_t)book->writer) * started.asked.skew;
		book->stepped++;
	}
	book->writer = (uint8_t)writer;
	book->sp = to->sp;
	book->depth = to->depth;
	book->left.events = to->events;
	memcpy(book->level, to->level, to->depth * sizeof(to->level[0]));
}

/* ---- beginning and judging ---- */

/* With several writers a row owes what it promises for them. */
static struct scheme_desc judged;

/* A reader that has read nothing yet. */
static void check_begin(void)
{
	check_init(&world->check, &judged, world_row.config.stamp_bits);
	world->check.contexts = CHECK_CONTEXTS;
	world->check.cpu = world_row.config.cpu;
	if (started.asked.large)
		world->check.payload_most = world_row.config.fixed_bytes + large_extra();
	identify_begin();
}

/* A whole event, with so many bytes of filler. */
static void record_before(uint32_t extra)
{
	uintptr_t arguments[4] = { (uintptr_t)world_memory(), CONTEXT_TASK, extra };
	struct book *book = &world->book;

	book->level[book->depth++] = (struct level){ .sp = book->sp };
	book->sp = switch_launch(book->sp, (void (*)(void))world_row.event[STOPS_NONE], arguments);
	while (world_resume() != SWITCH_DONE)
		continue;
	world_finished();
}

void world_begin(const struct world_start *start, const struct budget *budget)
{
	struct ring_config config = world_row.config;
	uint64_t begin = start->room + start->phase;
	struct world_ring_memory ring, spare;
	uint32_t i;

	started = *start;
	world_outcome = 0;
	config.mode = (enum ring_mode)start->asked.mode;
	memset(&world->book, 0, sizeof(world->book));
	world->book.sp = world_stack_end(0);
	world_row.clock->now = begin;
	world_row.clock->step = start->step;
	*world_row.blocked = 0;
	world_memory_clear(&ring, budget->live ? &spare : NULL);
	world_row.driver->init(ring.scheme, &config, ring.base, ring.slots, &world->writer);
	if (budget->live)
		world_row.driver->init(spare.scheme, &config, spare.base, spare.slots,
				       &world->writer);
	*world_row.constants.clock_step = start->step;
	*world_row.constants.base = world_ring()->base;
	*world_row.constants.subbufs = world_ring()->subbufs;
	*world_row.constants.header_bytes = world_ring()->header_bytes;
	*world_row.constants.mode = (enum ring_mode)start->asked.mode;
	judged = *world_row.driver->desc;
	if (budget->writers > 1)
		judged.promises = judged.shared_promises;
	check_begin();
	world->book.beat_since = judged.ages ? begin : elapsed();
	keeps_stamps = (!world_row.timed || world_row.foreign) &&
		       judge_gap_beyond(world_row.driver->desc, world_row.config.stamp_bits,
					start->most + READS_MOST);
	if (world_row.foreign) /* it may count from where tracing began */
		keep_stamp(begin);
	for (i = 0; i < start->asked.full; i++)
		record_before(large_extra());
	for (i = 0; i < start->asked.before; i++)
		record_before(0);
	if (start->extra)
		record_before(start->extra);
	reading = budget->reads || budget->live;
	world->book.left = *budget;
	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		world->book.parked[i] = (struct parked){
			.sp = world_stack_end(i),
			.events = i < budget->writers ? budget->events : 0,
		};
	if (budget->live)
		world->book.parked[world_cpus(budget) - 1].events = budget->live;
}

void world_read(void)
{
	world_row.driver->take(world_memory(), &world->check);
}

void world_flush(void)
{
	world->book.interrupted |= world->book.depth > 0;
	world->book.flushed++;
	world_row.driver->flush(world_memory());
}

static struct judge_given world_given(void)
{
	const struct book *book = &world->book;
	uint64_t since = elapsed() - book->beat_since;

	return (struct judge_given){
		.beat_worst_ticks = since > book->beat_worst ? since : book->beat_worst,
		.nested = book->interrupted,
		.equal_stamps = !started.step || book->stepped,
		.steps = book->stepped,
		/* With the timed payload stamps are not known: there a jump is one gap. */
		.gap_ticks = book->stamps ? stamps_widest(book->stamp, book->stamps) :
			     book->far	  ? UINT64_MAX :
					    0,
	};
}

void world_judge(struct judgement *judgement)
{
	const struct book *book = &world->book;
	struct judge_given given = world_given();
	struct check_totals totals = {
		.sequenced = true,
		.failed = book->failed,
		.losses.of[LOSS_UNEXPLAINED] = book->unexplained,
		.losses.of[LOSS_FULL] = book->failed - book->unexplained,
	};

	if (!reading)
		check_begin();
	live_check_given_back(world_ring(), &world->check);
	world_row.driver->flush(world_memory());
	world_row.driver->drain(world_memory(), &world->check, true);
	memcpy(totals.written, book->written, sizeof(totals.written));
	/* Any event of another CPU may have come into any other's reserve. */
	totals.nested = book->left.writers > 1 ? book->events : book->entered_nested;
	/* What comes after an event that was taken back may have to be whole. */
	totals.nested += book->discarded;
	world->check.closed_by_flush = book->flushed;
	if (*world_row.blocked)
		check_violate(&world->check, ORACLE_STRUCTURE, "interrupts are left blocked", 0, 0,
			      0, NULL);
	if (book->deferred)
		check_violate(&world->check, ORACLE_CONSERVATION, "a deferred event never ran", 0,
			      0, 0, NULL);
	judge_ring(world_ring(), &world->check, &totals, &given, judgement);
}

uint64_t world_hash(void)
{
	return world_outcome ? world_outcome : table_hash(world_memory(), world_ring_bytes(), 0);
}
