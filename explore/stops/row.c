// SPDX-License-Identifier: MIT
/*
 * The writers of an explored row, compiled to assembly as core/seam.h says (with -DROW, -DSHAPE and
 * -DSCHEME_HEADER), then put through stops.py. Functions in section explore_plain get no stops:
 * they are the harness.
 */
#include "explore/stops/row.h"
#include "schemes/core/points.h"

#if __has_attribute(externally_visible) /* gcc's alone */
#define HARNESS_SEEN externally_visible
#else
#define HARNESS_SEEN used
#endif
#ifdef FOREIGN_SHIM
#define FOREIGN 1
#define HARNESS_DATA __attribute__((section("foreign_harness"), HARNESS_SEEN))
#else
#define FOREIGN 0
#define HARNESS_DATA
#endif

struct scheme_ring;
struct source {
	struct explore_source at;
#if FOREIGN
#elif SEAM_PAYLOAD_STAMP
	uint64_t image; /* what a restartable section copies */
#else
	struct check_payload image; /* what the writer copies */
#endif
};

#define EXPLORED_CPU 1 /* not 0, which a packet could name by mistake */
#if SEAM_PAYLOAD_STAMP
#define PAYLOAD_BYTES 8
#else
#define PAYLOAD_BYTES ((uint32_t)sizeof(struct check_payload))
#endif
/* Of what stops.py alone refers to. */
#define PLAIN __attribute__((noinline, used, section("explore_plain")))

#if FOREIGN
#include "explore/stops/foreign_row.h"
#else
static inline __attribute__((unused)) void payload_fill(const struct reservation *rsv,
							struct source *src, uint32_t len);
static __attribute__((unused)) void deferred_run(struct scheme_ring *s, unsigned int level);

#include SCHEME_HEADER

#include "schemes/parts/defaults.h"

#if SEAM_PAYLOAD_STAMP
#define PAYLOAD_INEXACT(src) explore_inexact(&(src)->at)
#include "judge/driver_timed.h"
#else
/* A record begins at any multiple of 4. */
typedef uint64_t __attribute__((aligned(4), may_alias)) payload_word;

/*
 * One word of the payload, stored by the writer itself: interrupts are tried before each. stops.py
 * leaves out the stops of the quiet ones in the copy for shared accesses.
 */
#if defined(__x86_64__) && !SEAM_POINTS_STOP
#define PAYLOAD_STORE(label, to, word) \
	__asm__ volatile(label "movq %1, %0" : "=m"(*(to)) : "r"(word))
#define QUIET ".Lexplore_quiet_%=: "
#else
#define PAYLOAD_STORE(label, to, word) (*(volatile payload_word *)(to) = (word))
#define QUIET
#endif

static inline __attribute__((always_inline, unused)) void
payload_store(uint8_t *payload, const struct check_payload *image)
{
	const payload_word *from = (const payload_word *)(const void *)image;
	payload_word *to = (payload_word *)(void *)payload;

	_Static_assert(sizeof(*image) == 4 * sizeof(*to), "these are all words of it");
	PAYLOAD_STORE(QUIET, &to[0], from[0]);
	PAYLOAD_STORE(QUIET, &to[1], from[1]);
	POINT("half of the payload");
	PAYLOAD_STORE("", &to[2], from[2]);
	PAYLOAD_STORE(QUIET, &to[3], from[3]);
}

static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	/* Between the claim and the payload. */
	POINT("payload");
	explore_fill(&src->image, rsv->payload, rsv->stamp, rsv->inexact, &src->at, len);
	payload_store(rsv->payload, &src->image);
}
#endif
#endif

#ifdef SCHEME_RESTARTS
struct rseq restart_rseq = { .cpu_id = EXPLORED_CPU };

#if SEAM_PAYLOAD_STAMP
#include "judge/driver_restart.h"
#else
static inline void payload_prepare(struct source *src, uint32_t len, struct payload *payload)
{
	explore_prepare(&src->at, len, &src->image);
	*payload = (struct payload){
		.head = { NULL, &src->image, sizeof(src->image) },
		.body = { NULL, check_filler_bytes_of(check_tag_sequence(src->image.tag)),
			  len - PAYLOAD_BYTES },
	};
}

static inline void payload_stamp(struct source *src, uint64_t stamp, struct payload *payload)
{
	payload_prepare(src, PAYLOAD_BYTES + check_tag_extra(src->image.tag), payload);
	src->image.stamp = stamp;
}

static inline void payload_published(struct source *src)
{
	explore_published(&src->at, &src->image);
}
#endif
#endif

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

struct virtual_clock virtual_clock HARNESS_DATA;
struct points points HARNESS_DATA;
uint64_t seam_constant_step HARNESS_DATA;
uint8_t *seam_constant_base HARNESS_DATA;
struct subbuf *seam_constant_subbufs HARNESS_DATA;
uint32_t seam_constant_header_bytes HARNESS_DATA;
enum ring_mode seam_constant_mode HARNESS_DATA;
uint64_t mask_blocked HARNESS_DATA;

/*
 * What comes after the last access is a place of its own; for stops.py the return is. The asm keeps
 * clang from leaving out a call without effect: an interrupt can come there too.
 */
#define AFTER_LAST() \
	do { \
		POINT("return"); \
		__asm__ volatile(""); \
	} while (0)

/* As the timed loop has it: id and length are constants. */
static __attribute__((noinline)) bool explored_record(struct scheme_ring *s, struct source *src)
{
	bool done = record(s, EVENT_FIXED, PAYLOAD_BYTES, src);

	AFTER_LAST();
	return done;
}

static __attribute__((noinline)) bool explored_record_nested(struct scheme_ring *s,
							     struct source *src)
{
	bool done = record(s, EVENT_NESTED, PAYLOAD_BYTES, src);

	AFTER_LAST();
	return done;
}

static __attribute__((noinline)) bool explored_record_beat(struct scheme_ring *s,
							   struct source *src)
{
	bool done = record(s, EVENT_BEAT, PAYLOAD_BYTES, src);

	AFTER_LAST();
	return done;
}

static __attribute__((noinline)) bool explored_record_sized(struct scheme_ring *s, uint32_t len,
							    struct source *src)
{
	bool done = record(s, EVENT_SIZED, len, src);

	AFTER_LAST();
	return done;
}

/* Reserve, fill, and take it back. */
static __attribute__((noinline)) bool explored_record_discard(struct scheme_ring *s,
							      struct source *src)
{
#ifdef SCHEME_DISCARD
	struct reservation rsv = reserve(s, EVENT_FIXED, PAYLOAD_BYTES);

	if (!rsv.payload)
		return false;
	payload_fill(&rsv, src, PAYLOAD_BYTES);
	if (discard(s, &rsv, PAYLOAD_BYTES))
		explore_discarded(&src->at);
	else
		commit(s, &rsv);
	return true;
#else
	return record(s, EVENT_FIXED, PAYLOAD_BYTES, src);
#endif
}

static __attribute__((noinline)) bool explored_defer(struct scheme_ring *s, unsigned int level)
{
	bool done = defer(s, level);

	AFTER_LAST();
	return done;
}

static __attribute__((noinline)) void explored_beat_work(struct scheme_ring *s)
{
	beat(s);
	AFTER_LAST();
}

/* stops.py makes three of each of these. */
PLAIN void explored_event(void *scheme, unsigned int context, uint32_t extra);
PLAIN void explored_interrupt(void *scheme, unsigned int context, uint32_t extra);
PLAIN void explored_beat(void *scheme);
PLAIN void explored_discard(void *scheme, unsigned int context);

PLAIN void explored_event(void *scheme, unsigned int context, uint32_t extra)
{
	struct source src;
	bool recorded;

	explore_enter(&src.at, context,
		      extra		      ? EVENT_SIZED :
		      context == CONTEXT_BEAT ? EVENT_BEAT :
						EVENT_FIXED,
		      extra);
	if (extra)
		recorded = explored_record_sized(scheme, PAYLOAD_BYTES + extra, &src);
	else if (context == CONTEXT_BEAT)
		recorded = explored_record_beat(scheme, &src);
	else
		recorded = explored_record(scheme, &src);
	explore_leave(&src.at, recorded);
}

/* Its id is not that of the event that it came into; but for large ones. */
static PLAIN void explored_nested(void *scheme, unsigned int context)
{
	struct source src;
	bool recorded;

	explore_enter(&src.at, context, EVENT_NESTED, 0);
	recorded = explored_record_nested(scheme, &src);
	explore_leave(&src.at, recorded);
}

/* What had to wait is no larger than others. */
PLAIN void explored_interrupt(void *scheme, unsigned int context, uint32_t extra)
{
	if (explored_defer(scheme, context))
		explore_deferred(context);
	else if (extra)
		explored_event(scheme, context, extra);
	else
		explored_nested(scheme, context);
}

PLAIN void explored_beat(void *scheme)
{
	if (explored_defer(scheme, CONTEXT_BEAT)) {
		explore_deferred(CONTEXT_BEAT);
		return;
	}
	explored_beat_work(scheme);
#ifndef SCHEME_BEAT_SILENT
	explored_event(scheme, CONTEXT_BEAT, 0);
#endif
}

PLAIN void explored_discard(void *scheme, unsigned int context)
{
	struct source src;
	bool recorded;

	explore_enter(&src.at, context, EVENT_FIXED, 0);
	recorded = explored_record_discard(scheme, &src);
	explore_leave(&src.at, recorded);
}

static PLAIN void deferred_run(struct scheme_ring *s, unsigned int level)
{
	explore_undeferred(level);
	if (level == CONTEXT_BEAT)
		explored_event(s, level, 0);
	else
		explored_nested(s, level);
}

typedef void event_call(void *scheme, unsigned int context, uint32_t extra);
typedef void discard_call(void *scheme, unsigned int context);
typedef void beat_call(void *scheme);

#pragma GCC visibility push(hidden)
#if SEAM_POINTS_STOP
static event_call *const explored_entry_explored_event[3] = { [STOPS_NONE] = explored_event };
static event_call *const explored_entry_explored_interrupt[3] = { [STOPS_NONE] =
									  explored_interrupt };
static beat_call *const explored_entry_explored_beat[3] = { [STOPS_NONE] = explored_beat };
static discard_call *const explored_entry_explored_discard[3] = { [STOPS_NONE] = explored_discard };
#define explored_sites NULL
#define explored_site_count 0
#else
extern event_call *const explored_entry_explored_event[3];
extern event_call *const explored_entry_explored_interrupt[3];
extern beat_call *const explored_entry_explored_beat[3];
extern discard_call *const explored_entry_explored_discard[3];
extern const struct explore_site explored_sites[];
extern const uint64_t explored_site_count;
#endif
#if FOREIGN
#define EXPLORED_DRIVER NULL
#else
extern const struct driver DRIVER_NAME;
#define EXPLORED_DRIVER (&DRIVER_NAME)
#endif
#pragma GCC visibility pop

extern __attribute__((visibility("default"))) void explored_row(struct explored_row *row);
__attribute__((visibility("default"), noinline, used, HARNESS_SEEN, section("explore_plain"))) void
explored_row(struct explored_row *row)
{
	*row = (struct explored_row)
	{
		.layout = EXPLORED_LAYOUT,
		.row = TEXT(ROW),
		.shape = TEXT(SHAPE),
		.driver = EXPLORED_DRIVER,
		.config = {
			.mode = RING_OVERWRITE,
			.subbuf_shift = SEAM_SUBBUF_SHIFT,
			.count_shift = SEAM_COUNT_SHIFT,
			.stamp_bits = STAMP_BITS,
			.counter_bits = COUNTER_BITS,
			.fixed_bytes = PAYLOAD_BYTES,
			.cpu = EXPLORED_CPU,
		},
		.clock = &virtual_clock,
		.constants = {
			.clock_step = &seam_constant_step,
			.base = &seam_constant_base,
			.subbufs = &seam_constant_subbufs,
			.header_bytes = &seam_constant_header_bytes,
			.mode = &seam_constant_mode,
		},
		.blocked = &mask_blocked,
		.timed = SEAM_PAYLOAD_STAMP || FOREIGN,
#if SEAM_POINTS_STOP
		.points = true,
#endif
#ifdef SCHEME_DEFER
		.defers = true,
#endif
#ifdef SCHEME_DISCARD
		.discards = true,
#endif
		.event = { explored_entry_explored_event[0], explored_entry_explored_event[1],
			   explored_entry_explored_event[2] },
		.interrupt = { explored_entry_explored_interrupt[0],
			       explored_entry_explored_interrupt[1],
			       explored_entry_explored_interrupt[2] },
		.beat = { explored_entry_explored_beat[0], explored_entry_explored_beat[1],
			  explored_entry_explored_beat[2] },
		.discard = { explored_entry_explored_discard[0],
			     explored_entry_explored_discard[1],
			     explored_entry_explored_discard[2] },
		.read = explored_read,
		.at_points = &points,
		.sites = explored_sites,
		.site_count = explored_site_count,
	};
#if FOREIGN
	foreign_load(row);
#endif
}
