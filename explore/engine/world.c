// SPDX-License-Identifier: MIT
#include "explore/engine/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "base/table.h"
#include "explore/engine/guard.h"
#include "judge/identify.h"

#if UINTPTR_MAX > UINT32_MAX
#define WORLD_ADDRESS ((void *)UINT64_C(0x200000000000)) /* below it ASan has its shadow */
/* Neither half is like a number that a row has use for: see guard.c. */
#define STACK_ADDRESS ((void *)UINT64_C(0x2a5c7b000000))
#else
#define WORLD_ADDRESS ((void *)0x40000000)
#define STACK_ADDRESS ((void *)0x4a5c0000)
#endif
#define FILL_BYTE 0xa5
#define FILL_WORD UINT64_C(0xa5a5a5a5a5a5a5a5)

struct world *world;
struct explored_row world_row;
uint8_t *world_covered;

static uint8_t *stack_begin;
static struct world_start started;
static bool reading; /* a reader may have come in the middle */

uintptr_t world_stack_end(unsigned int writer)
{
	return (uintptr_t)stack_begin + (writer + 1) * (uintptr_t)WORLD_STACK_BYTES;
}

uintptr_t world_stack_sp(unsigned int writer)
{
	const struct book *book = &world->book;

	return writer == book->writer ? book->sp : book->parked[writer].sp;
}

/* ---- layout of memory: scheme, slots, ring ---- */

static size_t scheme_bytes(void)
{
	return bits_align(world_row.driver->scheme_bytes, 64);
}

static size_t slots_bytes(void)
{
	return sizeof(struct subbuf) << world_row.config.count_shift;
}

size_t world_memory_bytes(void)
{
	return scheme_bytes() + slots_bytes() +
	       ((size_t)1 << (world_row.config.subbuf_shift + world_row.config.count_shift));
}

uint8_t *world_memory(void)
{
	return (uint8_t *)(uintptr_t)bits_align((uintptr_t)world->memory, 64);
}

size_t world_memory_used(void)
{
	const uint8_t *ring = world_memory() + scheme_bytes() + slots_bytes();
	const uint8_t *end = world_memory() + world_memory_bytes();
	uint64_t last[2];

	while (end > ring) {
		memcpy(last, end - sizeof(last), sizeof(last));
		if (last[0] != FILL_WORD || last[1] != FILL_WORD)
			break;
		end -= sizeof(last);
	}
	return (size_t)(end - world_memory());
}

void world_memory_restore(const uint8_t *used, size_t bytes)
{
	memcpy(world_memory(), used, bytes);
	memset(world_memory() + bytes, FILL_BYTE, world_memory_bytes() - bytes);
}

static void *world_scheme(void)
{
	return world_memory();
}

struct ring *world_ring(void)
{
	return world_scheme();
}

static void *map(void *address, size_t bytes)
{
	void *at = mmap(address, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != MAP_FAILED && at == address)
		return at;
	fail_line("no memory at %p for the world to explore: %s", address, strerror(errno));
	return NULL;
}

int world_map(void)
{
	world = map(WORLD_ADDRESS, WORLD_BYTES);
	stack_begin = map(STACK_ADDRESS, WORLD_WRITERS_MAX * WORLD_STACK_BYTES);
	return world && stack_begin ? 0 : -ENOMEM;
}

/* ---- what the row calls, on the writer's stack ---- */

void explore_enter(struct explore_source *src, unsigned int context, uint32_t id, uint32_t extra)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[book->events];

	src->index = book->events++;
	if (book->events > WORLD_EVENTS_MAX)
		abort(); /* caught by the search: a budget beyond the log */
	*log = (struct logged){
		.entry = world_row.clock->now,
		.id = (uint16_t)id,
		.extra_words = (uint8_t)(extra / 4),
		.context = (uint8_t)context,
		.consumed = (uint8_t)world_ring()->consumed,
		.stuck = (uint8_t)world_ring()->stuck,
	};
	book->entered_nested += context > CONTEXT_TASK;
}

void explore_fill(struct check_payload *image, uint8_t *payload, uint64_t stamp, bool inexact,
		  const struct explore_source *src, uint32_t len)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];
	uint32_t extra = len - (uint32_t)sizeof(struct check_payload), i;
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
	for (i = 0; i < extra; i++)
		payload[sizeof(*image) + i] = check_filler(sequence, i);
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

	return loss_reason(world_ring(), before,
			   world_row.config.fixed_bytes + 4u * log->extra_words,
			   company) != LOSS_UNEXPLAINED;
}

void explore_leave(const struct explore_source *src, bool recorded)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];

	if (world_row.timed && recorded && !log->discarded) {
		book->written[log->context]++;
		log->filled = true;
	}
	log->exit = world_row.clock->now;
	log->left = log->discarded ? 3 : recorded ? 1 : 2;
	book->failed += !recorded;
	book->unexplained += !recorded && !loss_explained(log);
}

void explore_discarded(const struct explore_source *src)
{
	struct book *book = &world->book;
	struct logged *log = &book->log[src->index];

	/* No event of its context came since: the next one has its sequence number. */
	book->written[log->context]--;
	log->discarded = true;
	log->filled = false;
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
		return world->book.writer * CONTEXTS + depth;
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
		.stacks = (uintptr_t)stack_begin,
		.stacks_bytes = WORLD_WRITERS_MAX * (size_t)WORLD_STACK_BYTES,
		.site = world_site(),
	};
}

void world_launch(enum action_kind kind, enum explore_stops stops)
{
	struct book *book = &world->book;
	unsigned int context = kind == ACTION_BEAT ? CONTEXT_BEAT : context_at(book->depth);
	uint64_t frame = guard_frame(book->sp, frame_end(), view_for_guard);
	bool large = started.large && book->depth;
	uintptr_t arguments[4] = { (uintptr_t)world_scheme(), context, large ? large_extra() : 0 };
	void (*function)(void);

	if (stops == STOPS_POINTS)
		stops = STOPS_NONE;
	else if (world_covered)
		stops = STOPS_ALL;
	if (kind == ACTION_BEAT)
		function = (void (*)(void))world_row.beat[stops];
	else if (kind == ACTION_DISCARD)
		function = (void (*)(void))world_row.discard[stops];
	else if (book->depth)
		function = (void (*)(void))world_row.interrupt[stops];
	else
		function = (void (*)(void))world_row.event[stops];
	book->interrupted |= book->depth > 0;
	book->discarded += kind == ACTION_DISCARD;
	book->level[book->depth++] = (struct level){
		.sp = book->sp,
		.begin = world_row.clock->now,
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

	return site && site->paths & 1 << PATH_ROUND && world_frame()->rcx & 7 &&
	       site->instruction[strlen(site->instruction) - 1] == 'b';
#else
	return false;
#endif
}

/* Marks the instruction. True: no interrupt is tried before it. */
static bool only_covered(void)
{
	const struct explore_site *site = world_covered ? world_site() : NULL;

	if (!site)
		return false;
	world_covered[site - world_row.sites] = 1;
	return !site->stop[STOPS_SHARED];
}

/* Until the next stop. */
static enum switch_event resume(void)
{
	enum switch_event event;

	switch_writer_sp = world->book.sp;
	event = switch_resume();
	world->book.sp = switch_writer_sp;
	return event;
}

enum switch_event world_resume(void)
{
	enum switch_event event;

	do
		event = resume();
	while (event == SWITCH_STOP && (within_word() || only_covered()));
	return event;
}

void world_finished(void)
{
	struct book *book = &world->book;
	const struct level *level = &book->level[--book->depth];
	uint64_t since = world_row.clock->now - book->beat_since;

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
	const char *label;
	uintptr_t argument = 0;

	if (!world_row.points)
		return NULL;
#if defined(__x86_64__)
	argument = world_frame()->rdi;
#elif defined(__i386__)
	argument = *(const uintptr_t *)(world_frame() + 1);
#elif defined(__aarch64__)
	argument = world_frame()->x[0];
#elif defined(__arm__)
	argument = world_frame()->r[0];
#elif defined(__riscv)
	argument = world_frame()->a[0];
#endif
	memcpy(&label, &argument, sizeof(label));
	return label;
}

void world_without_stops(void)
{
	const struct explore_site *site = world_site();

	if (site && !world_covered)
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
}

bool world_unfinished(unsigned int writer)
{
	const struct book *book = &world->book;

	if (writer == book->writer)
		return book->depth || book->left.events;
	return book->parked[writer].depth || book->parked[writer].events;
}

void world_switch(unsigned int writer)
{
	struct book *book = &world->book;
	struct parked *from = &book->parked[book->writer], *to = &book->parked[writer];

	from->sp = book->sp;
	from->depth = book->depth;
	from->events = book->left.events;
	memcpy(from->level, book->level, book->depth * sizeof(from->level[0]));
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
	if (started.large)
		world->check.payload_most = world_row.config.fixed_bytes + large_extra();
	identify_begin();
}

/* A whole event, with so many bytes of filler. */
static void record_before(uint32_t extra)
{
	enum explore_stops stops = world_covered ? STOPS_ALL : STOPS_NONE;
	uintptr_t arguments[4] = { (uintptr_t)world_scheme(), CONTEXT_TASK, extra };
	struct book *book = &world->book;

	book->level[book->depth++] = (struct level){ .sp = book->sp };
	book->sp = switch_launch(book->sp, (void (*)(void))world_row.event[stops], arguments);
	while (world_resume() != SWITCH_DONE)
		continue;
	world_finished();
}

void world_begin(const struct world_start *start, const struct budget *budget)
{
	struct ring_config config = world_row.config;
	uint8_t *slots = world_memory() + scheme_bytes(), *base = slots + slots_bytes();
	uint32_t i;

	started = *start;
	config.mode = start->mode;
	memset(&world->book, 0, sizeof(world->book));
	world->book.sp = world_stack_end(0);
	world_row.clock->now = start->phase;
	world_row.clock->step = start->step;
	*world_row.blocked = 0;
	memset(world_memory(), 0, scheme_bytes() + slots_bytes());
	memset(base, FILL_BYTE,
	       ring_bytes(&(struct ring){ .subbuf_shift = config.subbuf_shift,
					  .count_shift = config.count_shift }));
	world_row.driver->init(world_scheme(), &config, base, (struct subbuf *)(void *)slots,
			       &world->writer);
	*world_row.constants.clock_step = start->step;
	*world_row.constants.base = world_ring()->base;
	*world_row.constants.subbufs = world_ring()->subbufs;
	*world_row.constants.header_bytes = world_ring()->header_bytes;
	*world_row.constants.mode = start->mode;
	judged = *world_row.driver->desc;
	if (budget->writers > 1)
		judged.promises = judged.shared_promises;
	check_begin();
	world->book.beat_since = world_row.clock->now;
	for (i = 0; i < start->full; i++)
		record_before(large_extra());
	for (i = 0; i < start->before; i++)
		record_before(0);
	if (start->extra)
		record_before(start->extra);
	reading = budget->reads;
	world->book.left = *budget;
	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		world->book.parked[i] = (struct parked){
			.sp = world_stack_end(i),
			.events = i < budget->writers ? budget->events : 0,
		};
}

void world_read(void)
{
	world_row.driver->take(world_scheme(), &world->check);
}

void world_flush(void)
{
	world->book.interrupted |= world->book.depth > 0;
	world->book.flushed++;
	world_row.driver->flush(world_scheme());
}

static struct judge_given world_given(void)
{
	const struct book *book = &world->book;
	uint64_t since = world_row.clock->now - book->beat_since;

	return (struct judge_given){
		.beat_worst_ticks = since > book->beat_worst ? since : book->beat_worst,
		.nested = book->interrupted,
		.equal_stamps = !started.step,
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
	world_row.driver->flush(world_scheme());
	world_row.driver->drain(world_scheme(), &world->check, true);
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
	return table_hash(world_memory(), world_memory_bytes(), 0);
}
