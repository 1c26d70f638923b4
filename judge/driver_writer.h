/* SPDX-License-Identifier: MIT */
/*
 * The writers' half of a driver: what a row records with, in the build and the row that the command
 * line names. driver.c has this half and reader.c the other; where only writers are, as in a
 * kernel, it is alone. Include it after judge/driver.h.
 */
#pragma once

#include "base/rng.h"

#ifndef SEAM_BUILD
#error "a driver is timed, cheap, injected, checked or counting: see schemes/core/seam.h"
#endif

struct source;
struct scheme_ring;
static inline __attribute__((unused)) void payload_fill(const struct reservation *rsv,
							struct source *src, uint32_t len);
#if SEAM_PAYLOAD_STAMP
#define PAYLOAD_BYTES 8
#else
#define PAYLOAD_BYTES ((uint32_t)sizeof(struct check_payload))
#endif
static __attribute__((unused)) void deferred_run(struct scheme_ring *s, unsigned int level);

#include SCHEME_HEADER

#include "schemes/parts/defaults.h"

#ifndef SCHEME_FORMAT
#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#endif

#define DRIVER_OF_(build, row) driver_##build##_##row
#define DRIVER_OF(build, row) DRIVER_OF_(build, row)
#define DRIVER_NAME DRIVER_OF(SEAM_BUILD, ROW)
#define READER_OF_(what, row) reader_##what##_##row
#define READER_OF(what, row) READER_OF_(what, row)
#define READER(what) READER_OF(what, ROW)

/* driver.h's drain, take, walk and show: of reader.c. Those that judge need check->payload. */
uint64_t READER(drain)(void *scheme, struct check *check, bool consume);
void READER(take)(void *scheme, struct check *check);
void READER(walk)(void *scheme, void (*each)(void *arg, const struct event *event), void *arg);
void READER(show)(FILE *text, void *scheme, const struct violation *violation, unsigned int around);

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The clock, for the entry of rows that age. */
#if SEAM_PAYLOAD_STAMP
#define DRIVER_NOW() 0
#else
#define DRIVER_NOW() (scheme_desc.ages ? clock_fenced() : 0)
#endif

#if SEAM_PAYLOAD_STAMP
struct source {
	struct writer *writer;
#ifdef SCHEME_RESTARTS
	uint64_t image;
#endif
};

#ifdef SCHEME_RESTARTS
#include "judge/driver_restart.h"
#endif

#include "judge/driver_timed.h"

#if !SEAM_INTERRUPTS_AT_CLOCK
static void driver_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct scheme_ring *s = scheme;
	struct source src = { .writer = writer };
	uint64_t i;
	CHEAP_COUNT;

	for (i = 0; i < events; i++) {
		CHEAP_TICK();
		record(s, EVENT_FIXED, PAYLOAD_BYTES, &src);
	}
	writer->entered[CONTEXT_TASK] += events;
}
#endif

#if !SEAM_CLOCK_CHEAP
static void driver_run_fenced(void *scheme, struct writer *writer, uint64_t events,
			      struct fenced_block *block)
{
	struct source src = { .writer = writer };
	uint64_t i, begin, end, interrupted;

	for (i = 0; i < events; i++) {
		interrupted = *block->interrupted;
		begin = clock_real_fenced();
		record(scheme, EVENT_FIXED, PAYLOAD_BYTES, &src);
		end = clock_real_fenced();
		/* 32 bits are 1.9 s at 2.25 GHz; longer times count as that. */
		block->ticks[i] = end - begin > UINT32_MAX ? UINT32_MAX : (uint32_t)(end - begin);
		block->hit[i] = *block->interrupted != interrupted;
	}
	writer->entered[CONTEXT_TASK] += events;
}
#endif

/* One event from an interrupt. */
static __attribute__((noinline)) void driver_one(struct scheme_ring *s, struct writer *writer,
						 unsigned int context, uint32_t id)
{
	struct source src = { .writer = writer };

	writer->entered[context]++;
	record(s, id, PAYLOAD_BYTES, &src);
}
#else
struct source {
	struct writer *writer;
	unsigned int context;
	uint32_t id;
	uint64_t entry;
#ifdef SCHEME_RESTARTS
	struct check_payload image;
#endif
};

#ifdef SCHEME_RESTARTS
#include "judge/driver_restart.h"
#endif

/*
 * Runs between reserve and commit: `exit` bounds the reserve, not the copying. The record is
 * certain here and its place known, so it is counted here: a context can nest in itself where a
 * soft mask runs late writers, but not between reserve and commit.
 */
static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	uint64_t sequence = src->writer->written[src->context]++;
	uint32_t extra = len - PAYLOAD_BYTES;
	struct check_payload payload = {
		.stamp = rsv->stamp,
		.entry = src->entry,
		.exit = clock_fenced(),
		.tag = check_tag(src->writer->first_context + src->context, rsv->inexact, extra,
				 src->id, sequence),
	};

	memcpy(rsv->payload, &payload, sizeof(payload));
	if (unlikely(extra))
		memcpy(rsv->payload + sizeof(payload), check_filler_bytes_of(sequence), extra);
}

static uint32_t driver_random_extra(struct writer *writer)
{
	return (uint32_t)(rng_next(&writer->random) % (writer->extra_bytes + 1));
}

/* How often writers of the ring found themselves on another CPU, and went to that one's. */
static inline uint64_t driver_moved(const struct scheme_ring *s)
{
#ifdef SCHEME_JOIN
	return __atomic_load_n(&s->moves, __ATOMIC_RELAXED);
#else
	(void)s;
	return 0;
#endif
}

/* The state that a writer saw before its event. */
struct driver_look {
	struct loss_look ring;
	uint64_t moved;
};

/* Counts a lost event by its reason, which the ring shows now and not later. */
static __attribute__((noinline, cold)) void driver_lost(const struct scheme_ring *s,
							struct writer *writer, unsigned int context,
							uint32_t len, struct driver_look before,
							uint64_t ticks)
{
	enum loss_company company = driver_moved(s) != before.moved ? LOSS_ELSEWHERE :
				    writer->concurrent		    ? LOSS_CONCURRENT :
				    context != CONTEXT_TASK	    ? LOSS_NESTED :
								      LOSS_ALONE;
	uint32_t known = (scheme_desc.turns_away && writer->inside > 1 ? LOSS_INSIDE : 0) |
			 (bits_overflow(ticks, ring_stamp_bits(&s->ring)) ? LOSS_SLOW : 0);
	enum loss reason = loss_reason(&s->ring, before.ring, len, company, known);

	local_add_raw(&writer->failed[context], 1);
	local_add_raw(&writer->losses.of[reason], 1);
}

static inline void driver_one(struct scheme_ring *s, struct writer *writer, unsigned int context,
			      uint32_t id)
{
	struct source src = { .writer = writer, .context = context };
	struct driver_look before = { loss_look(&s->ring), driver_moved(s) };
	uint32_t extra = writer->extra_bytes;

	local_add_raw(&writer->entered[context], 1);
	if (unlikely(writer->random_extra)) {
		extra = driver_random_extra(writer);
		id += EVENT_SIZED - EVENT_FIXED;
	} else if (unlikely(writer->high_every) &&
		   !(writer->entered[context] % writer->high_every)) {
		id += EVENT_FIXED_HIGH - EVENT_FIXED;
	}
	src.id = id;
	local_add_raw(&writer->inside, 1);
	src.entry = scheme_desc.ages ? writer->beaten : clock_fenced();
	if (unlikely(!record(s, id, PAYLOAD_BYTES + extra, &src)))
		driver_lost(s, writer, context, PAYLOAD_BYTES + extra, before,
			    clock_fenced() - src.entry);
	local_add_raw(&writer->inside, -UINT64_C(1));
}

static void driver_run(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		driver_one(scheme, writer, CONTEXT_TASK, EVENT_FIXED);
}
#endif

static void driver_run_empty(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t i;

	(void)scheme;
	for (i = 0; i < events; i++)
		__asm__ volatile("" : : "r"(writer) : "memory");
}

/* The id of the events of `context`. */
static inline uint32_t driver_id(unsigned int context)
{
	if (context == CONTEXT_BEAT)
		return EVENT_BEAT;
	return context == CONTEXT_TASK ? EVENT_FIXED : EVENT_NESTED + context - CONTEXT_LEVEL_1;
}

static void driver_run_clock(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t i, stamp;
	CHEAP_COUNT;

	(void)scheme;
	for (i = 0; i < events; i++) {
		CHEAP_TICK();
		stamp = clock_now();
		__asm__ volatile("" : : "r"(stamp), "r"(writer) : "memory");
	}
}

static void deferred_run(struct scheme_ring *s, unsigned int level)
{
#ifdef SCHEME_DEFER
	struct writer *writer = s->mask.owner;
	uint64_t since = writer->deferred_since[level], waited = since ? clock_now() - since : 0;

	/* Later ones of the same level waited less than the first. */
	writer->deferred_since[level] = 0;
	if (waited > writer->deferred_worst_ticks)
		writer->deferred_worst_ticks = waited;
	driver_one(s, writer, level, driver_id(level));
#else
	(void)s;
	(void)level;
#endif
}

static bool driver_deferred(struct scheme_ring *s, struct writer *writer, unsigned int context)
{
	if (!defer(s, context))
		return false;
	local_add_raw(&writer->deferred, 1);
	if (!writer->deferred_since[context])
		writer->deferred_since[context] = clock_now();
	return true;
}

/* An interrupt inside a modelled section makes it start over. */
static inline void driver_interrupts(void)
{
#if defined(SCHEME_RESTARTS) && defined(RESTART_MODEL)
	restart_epoch++;
#endif
}

static void driver_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	driver_interrupts();
	if (!driver_deferred(scheme, writer, context))
		driver_one(scheme, writer, context, driver_id(context));
}

static void driver_beat(void *scheme, struct writer *writer)
{
	uint64_t begin = DRIVER_NOW();

	driver_interrupts();
	if (driver_deferred(scheme, writer, CONTEXT_BEAT))
		return;
	beat(scheme);
	if (scheme_desc.ages)
		writer->beaten = begin;
	driver_one(scheme, writer, CONTEXT_BEAT, driver_id(CONTEXT_BEAT));
}

#if SEAM_INTERRUPTS_AT_CLOCK
#include "judge/driver_inject.h"
#endif

static void driver_init(void *scheme, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs, struct writer *writer)
{
	struct scheme_ring *s = scheme;

	memset(s, 0, sizeof(*s));
	if (scheme_desc.ages)
		writer->beaten = DRIVER_NOW();
	scheme_init(s, config, base, subbufs);
#ifdef SCHEME_DEFER
	s->mask.owner = writer;
#endif
}

static bool driver_busy(const void *scheme)
{
	return scheme_busy(scheme);
}

static void driver_flush(void *scheme)
{
	flush(scheme);
}

#if SEAM_PAYLOAD_STAMP && !SEAM_CLOCK_CHEAP
#define DRIVER_RUN_FENCED driver_run_fenced
#else
#define DRIVER_RUN_FENCED NULL
#endif

/* Of the driver itself, what there is without a reader. */
#define DRIVER_WRITES \
	.row = TEXT(ROW), .desc = &scheme_desc, .stamp_bits = STAMP_BITS, \
	.counter_bits = COUNTER_BITS, .scheme_bytes = sizeof(struct scheme_ring), \
	.payload_bytes = PAYLOAD_BYTES, .claim_bits = SCHEME_CLAIM_BITS, .blocks = SCHEME_BLOCKS, \
	.unsupported = scheme_unsupported, .init = driver_init, .run = driver_run, \
	.run_fenced = DRIVER_RUN_FENCED, .run_empty = driver_run_empty, \
	.run_clock = driver_run_clock, .interrupt = driver_interrupt, .beat = driver_beat, \
	.busy = driver_busy, .flush = driver_flush
