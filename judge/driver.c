// SPDX-License-Identifier: MIT
/*
 * Compiled once per row and build (core/seam.h), with -DROW=... and -DSCHEME_HEADER='"..."'. The
 * symbol is driver_<build>_<row>.
 */
#include "judge/driver.h"

#include <inttypes.h>
#include <stdio.h>

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
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_OWN \
	}
#endif

#if SEAM_IDENTIFIES
#include "judge/identify.h"
/* A reader of timed payloads, which finds the rest of each in a log. */
static enum decode_result decode_identified(struct cursor *cursor, struct event *event)
{
	enum decode_result result = decode_next(cursor, event);

	if (result == DECODE_EVENT)
		identify_event(event);
	return result;
}
#define decode_next decode_identified
#endif

#define DRIVER_OF_(build, row) driver_##build##_##row
#define DRIVER_OF(build, row) DRIVER_OF_(build, row)
#define DRIVER_NAME DRIVER_OF(SEAM_BUILD, ROW)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

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

/* Counts a lost event by its reason, which the ring shows now and not later. */
static __attribute__((noinline, cold)) void driver_lost(const struct scheme_ring *s,
							struct writer *writer, unsigned int context,
							uint32_t len, struct loss_look before)
{
	enum loss_company company = writer->concurrent	    ? LOSS_CONCURRENT :
				    context != CONTEXT_TASK ? LOSS_NESTED :
							      LOSS_ALONE;

	local_add_raw(&writer->failed[context], 1);
	local_add_raw(
		&writer->losses.of[loss_reason(&s->ring, before, len, company, scheme_busy(s))], 1);
}

static inline void driver_one(struct scheme_ring *s, struct writer *writer, unsigned int context,
			      uint32_t id)
{
	struct source src = { .writer = writer, .context = context };
	struct loss_look before = loss_look(&s->ring);
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
	src.entry = clock_fenced();
	if (unlikely(!record(s, id, PAYLOAD_BYTES + extra, &src)))
		driver_lost(s, writer, context, PAYLOAD_BYTES + extra, before);
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
	driver_interrupts();
	if (driver_deferred(scheme, writer, CONTEXT_BEAT))
		return;
	beat(scheme);
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
	scheme_init(s, config, base, subbufs);
#ifdef SCHEME_DEFER
	s->mask.owner = writer;
#else
	(void)writer;
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

static void drain_one(struct scheme_ring *s, struct check *check, uint64_t number)
{
	const struct ring *ring = &s->ring;
	const uint8_t *base = ring_subbuf_base(ring, number);
	uint32_t content = ring_content(ring, number);
	enum decode_result result = DECODE_BAD;
	uint64_t before = check->events;
	struct event event = { .alignment_bytes = 0 };
	struct cursor cursor;
	uint32_t offset = 0;

	if (content && decode_begin(ring, number, content, &cursor)) {
		if (FORMAT_STAMPED(content))
			check_subbuf_begin(check, number, cursor.time);
		if (FORMAT_NAMES_CPU)
			check_cpu(check, number, FORMAT_CPU(ring, number));
		for (;;) {
			offset = (uint32_t)(cursor.at - base);
			result = decode_next(&cursor, &event);
			if (unlikely(result != DECODE_EVENT))
				break;
			if (unlikely(check->open_number == number))
				check_opening(check, &event);
			check_event(check, number, offset, &event);
		}
	}
	if (result == DECODE_END)
		check_subbuf_end(check, number, decode_end(ring, number, check->last_time));
	if (result == DECODE_BAD)
		check_violate(check, ORACLE_STRUCTURE,
			      content ? "not a record, or one that runs over the end" :
					"sub-buffer never completed",
			      number, offset, check->last_time, NULL);
	check_subbuf(check, number, check->events - before,
		     ring_has_commits(ring) ? ring_record_count(ring, number) :
					      check->events - before,
		     ring->header_bytes, ring_subbuf_bytes(ring) - content);
	/* How much was unused is not known of a sub-buffer that cannot be read to its end. */
	if (result != DECODE_END)
		check_flushed(check);
}

static void drain_range(struct scheme_ring *s, struct check *check, uint64_t first, uint64_t last)
{
	uint64_t number;

	if (s->ring.mode == RING_DISCARD && first > s->ring.consumed)
		check_violate(check, ORACLE_CONSERVATION,
			      "sub-buffer overwritten before it was read, in discard mode",
			      s->ring.consumed, 0, check->last_time, NULL);
	check_drain_begin(check, first, ring_start_number(&s->ring));
	for (number = first; number < last; number++)
		drain_one(s, check, number);
}

static uint64_t driver_drain(void *scheme, struct check *check, bool consume)
{
	struct scheme_ring *s = scheme;
	uint64_t first, last;

	ring_readable(&s->ring, &first, &last);
	drain_range(s, check, first, last);
	check_flushed(check);
	if (consume)
		ring_consume(&s->ring, last);
	return last;
}

static void driver_take(void *scheme, struct check *check)
{
	struct scheme_ring *s = scheme;
	uint64_t first, last, complete;

	ring_readable(&s->ring, &first, &last);
	/* Closed is not complete: its writers, or the one that pads its end, may be interrupted. */
	for (complete = first; complete < last && ring_content(&s->ring, complete);)
		complete++;
	drain_range(s, check, first, complete);
	ring_consume(&s->ring, complete);
}

static void driver_walk(void *scheme, void (*each)(void *arg, const struct event *event), void *arg)
{
	struct scheme_ring *s = scheme;
	uint64_t first, last, number;
	struct cursor cursor;
	struct event event = { .alignment_bytes = 0 };
	uint32_t content;

	ring_readable(&s->ring, &first, &last);
	for (number = first; number < last; number++) {
		content = ring_content(&s->ring, number);
		/* Its writer may be at work still: see driver_take(). */
		if (!content)
			break;
		if (!decode_begin(&s->ring, number, content, &cursor))
			continue;
		while (decode_next(&cursor, &event) == DECODE_EVENT)
			if (!(event.flags & EVENT_STAMP_ONLY))
				each(arg, &event);
	}
	ring_consume(&s->ring, number);
}

/* The begin stamp that the row's own reader starts from. */
struct seek_ring {
	struct ring *ring;
	uint64_t first;
};

static bool seek_begin(void *arg, uint64_t index, uint64_t *stamp)
{
	const struct seek_ring *place = arg;
	uint64_t number = place->first + index;
	uint32_t content = ring_content(place->ring, number);
	struct cursor cursor;

	if (!content || !decode_begin(place->ring, number, content, &cursor))
		return false;
	*stamp = cursor.time;
	return true;
}

static bool driver_seek(void *scheme, uint64_t time, struct seek_found *found)
{
	struct scheme_ring *s = scheme;
	struct seek_ring place = { .ring = &s->ring };
	struct seek seek = { .begin = seek_begin, .arg = &place };
	uint64_t last, number;
	struct cursor cursor;
	struct event event;

	*found = (struct seek_found){ .found = false };
	ring_readable(&s->ring, &place.first, &last);
	seek.count = last - place.first;
	if (!seek_before(&seek, time, &number))
		return false;
	found->probes = seek.probes;
	for (number = place.first + number - (number > 0); number < last; number++) {
		if (!decode_begin(&s->ring, number, ring_content(&s->ring, number), &cursor))
			return false;
		while (decode_next(&cursor, &event) == DECODE_EVENT) {
			found->decoded++;
			if (event.flags & EVENT_STAMP_ONLY || event.time < time)
				continue;
			found->found = true;
			found->time = event.time;
			found->index = number;
			found->offset =
				(uint64_t)(event.payload - ring_subbuf_base(&s->ring, number));
			return true;
		}
	}
	return true;
}

static void show_one(FILE *text, const struct event *event, uint32_t offset, bool marked)
{
	struct check_payload payload = { .stamp = 0 };

	memcpy(&payload, event->payload,
	       event->payload_bytes < sizeof(payload) ? event->payload_bytes : sizeof(payload));
	fprintf(text,
		"  %c +%-6" PRIu32 " decoded %" PRIu64 " stamp %" PRIu64 " off by %" PRId64
		" header %" PRIu32 "%s",
		marked ? '>' : ' ', offset, event->time, payload.stamp,
		(int64_t)(event->time - payload.stamp), event->header_bytes,
		event->flags & EVENT_STAMP_ONLY ? " stamp event" :
		event->flags & EVENT_EXTENDED	? " extended" :
						  "");
	if (event->payload_bytes >= sizeof(payload))
		fprintf(text, " entry %+" PRId64 " exit %+" PRId64 " context %u seq %" PRIu64 "%s",
			(int64_t)(payload.entry - payload.stamp),
			(int64_t)(payload.exit - payload.stamp), check_tag_context(payload.tag),
			check_tag_sequence(payload.tag),
			check_tag_inexact(payload.tag) ? " inexact" : "");
	fputc('\n', text);
}

static void driver_show(FILE *text, void *scheme, const struct violation *violation,
			unsigned int around)
{
	struct scheme_ring *s = scheme;
	const uint8_t *base = ring_subbuf_base(&s->ring, violation->number);
	uint32_t content = ring_content(&s->ring, violation->number), offset;
	struct cursor cursor, ahead;
	struct event event;
	unsigned int i, before = 0, after = 0;

	if (!content || !decode_begin(&s->ring, violation->number, content, &cursor)) {
		fprintf(text, "  sub-buffer %" PRIu64 " is not there any more\n",
			violation->number);
		return;
	}
	fprintf(text, "  sub-buffer %" PRIu64 " begins at %" PRIu64 "\n", violation->number,
		cursor.time);
	ahead = cursor;
	while (ahead.at < base + violation->offset && decode_next(&ahead, &event) == DECODE_EVENT)
		before++;
	for (i = 0; after <= around; i++) {
		offset = (uint32_t)(cursor.at - base);
		if (decode_next(&cursor, &event) != DECODE_EVENT)
			break;
		if (i + around >= before)
			show_one(text, &event, offset, i == before);
		after += i >= before;
	}
}

#ifdef SCHEME_RESTARTS
static uint64_t driver_restarts(const void *scheme)
{
	return ((const struct scheme_ring *)scheme)->restarts;
}
#endif

#ifdef SCHEME_JOIN
static void driver_join(void *scheme, void *const *by_cpu)
{
	((struct scheme_ring *)scheme)->by_cpu = by_cpu;
}

static uint64_t driver_moves(const void *scheme)
{
	return ((const struct scheme_ring *)scheme)->moves;
}
#endif

extern const struct driver DRIVER_NAME;
const struct driver DRIVER_NAME = {
	.row = TEXT(ROW),
	.desc = &scheme_desc,
	.stamp_bits = STAMP_BITS,
	.counter_bits = COUNTER_BITS,
	.scheme_bytes = sizeof(struct scheme_ring),
	.payload_bytes = PAYLOAD_BYTES,
	.format = SCHEME_FORMAT,
#ifdef CTF_COMPACT_IDS
	.compact_ids = CTF_COMPACT_IDS,
#endif
#if defined(SCHEME_RESTARTS) || defined(FLOOR_PUBLISHED)
	.publishes = true,
#endif
#if SEAM_PAYLOAD_STAMP
	.timed = true,
#if !SEAM_INTERRUPTS_AT_CLOCK
	.run_fenced = driver_run_fenced,
#endif
#endif
#ifdef VARIANT
	.variant = true,
#endif
#ifdef SCHEME_DEFER
	.defers = true,
#endif
	.blocks = SCHEME_BLOCKS,
	.unsupported = scheme_unsupported,
	.init = driver_init,
	.run = driver_run,
	.run_empty = driver_run_empty,
	.run_clock = driver_run_clock,
	.interrupt = driver_interrupt,
	.beat = driver_beat,
#ifdef SCHEME_JOIN
	.join = driver_join,
	.moves = driver_moves,
#endif
#ifdef SCHEME_RESTARTS
	.restarts = driver_restarts,
#endif
	.busy = driver_busy,
	.flush = driver_flush,
	.drain = driver_drain,
	.take = driver_take,
	.walk = driver_walk,
	.seek = driver_seek,
	.show = driver_show,
};
