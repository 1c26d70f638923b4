/* SPDX-License-Identifier: MIT */
/*
 * The seven oracles. They know nothing of a scheme's own state: only the decoded records, the
 * payload that each record carries, the ring's commit counters and what the writers counted.
 *
 *   exact         decoded time == the stamp in the payload (not for stamps declared inexact),
 *                 without the low bits that the row declares to cut
 *   window        entry <= decoded time <= exit, clock reads of the caller around its reserve,
 *                 entry without these bits
 *   monotonic     decoded times never go back in buffer order, begin and end stamps of
 *                 sub-buffers included
 *   conservation  written == decoded + lost; sequences without a gap in every context
 *   structure     headers parse to the exact end; payload, filler and event id intact; the packet
 *                 names the CPU of the ring (a format that stores no id or CPU is not asked)
 *   counts        no more extensions and inexact stamps than stamps and nesting need; no
 *                 sub-buffer closed while the next record had room in it
 *   losses        each lost event had a reason that the ring itself shows (loss.h)
 *
 * The timed build's payload is the stamp alone: there the window is not known, conservation is by
 * totals, and identity by the number of events of each id. The injected build is a timed one that
 * stores CHECK_INEXACT for a stamp declared so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemes/core/scheme.h"
#include "judge/loss.h"

enum oracle {
	ORACLE_EXACT,
	ORACLE_WINDOW,
	ORACLE_MONOTONIC,
	ORACLE_CONSERVATION,
	ORACLE_STRUCTURE,
	ORACLE_COUNTS,
	ORACLE_LOSSES,
	ORACLES,
};

/* The writers of a ring: the interrupted task, the three levels of the storm, the beat. */
enum context {
	CONTEXT_TASK,
	CONTEXT_LEVEL_1,
	CONTEXT_LEVEL_2,
	CONTEXT_LEVEL_3,
	CONTEXT_BEAT,
	CONTEXTS,
};

/* Writers on different CPUs that share a ring have contexts of their own, CONTEXTS each. */
#define CHECK_WRITERS_MAX 3
#define CHECK_CONTEXTS (CONTEXTS * CHECK_WRITERS_MAX)
_Static_assert(CHECK_CONTEXTS <= 16, "the tag has 4 bits for the context");

/* Payload of the checked and counting builds; filler of `extra` bytes may follow. */
struct check_payload {
	uint64_t stamp;
	uint64_t entry;
	uint64_t exit;
	uint64_t tag; /* see check_tag() */
};

#define CHECK_INEXACT UINT64_MAX /* in place of a stamp; no clock gets there */

/* Two events of a context that are seen in turn are less than 2^29 sequence numbers apart. */
#define CHECK_SEQUENCE_BITS 30
#define CHECK_ID_BITS 10
#define CHECK_EXTRA_BITS 19
#define CHECK_EXTRA_MAX ((1u << CHECK_EXTRA_BITS) - 1)
#define CHECK_EXTRA_SHIFT (CHECK_SEQUENCE_BITS + CHECK_ID_BITS)
_Static_assert(EVENT_IDS <= 1 << CHECK_ID_BITS, "the tag has 10 bits for the id");

/* {context : 4 | inexact : 1 | extra bytes : 19 | id : 10 | sequence : 30} */
static inline uint64_t check_tag(unsigned int context, bool inexact, uint32_t extra, uint32_t id,
				 uint64_t sequence)
{
	return (uint64_t)context << 60 | (uint64_t)inexact << 59 |
	       (uint64_t)extra << CHECK_EXTRA_SHIFT | (uint64_t)id << CHECK_SEQUENCE_BITS |
	       (sequence & bits_mask(CHECK_SEQUENCE_BITS));
}

static inline unsigned int check_tag_context(uint64_t tag)
{
	return (unsigned int)(tag >> 60);
}

static inline bool check_tag_inexact(uint64_t tag)
{
	return tag >> 59 & 1;
}

static inline uint32_t check_tag_extra(uint64_t tag)
{
	return (uint32_t)(tag >> CHECK_EXTRA_SHIFT) & CHECK_EXTRA_MAX;
}

static inline uint32_t check_tag_id(uint64_t tag)
{
	return (uint32_t)(tag >> CHECK_SEQUENCE_BITS) & bits_mask(CHECK_ID_BITS);
}

/* The low CHECK_SEQUENCE_BITS of it. */
static inline uint64_t check_tag_sequence(uint64_t tag)
{
	return tag & bits_mask(CHECK_SEQUENCE_BITS);
}

/* Filler byte `index` of the event with `sequence`. */
static inline uint8_t check_filler(uint64_t sequence, uint32_t index)
{
	return (uint8_t)(sequence * 31 + index);
}

/* CHECK_EXTRA_MAX of these bytes. */
const uint8_t *check_filler_bytes_of(uint64_t sequence);

/* The first event that an oracle refused. */
struct violation {
	uint64_t number; /* sub-buffer */
	uint32_t offset; /* of the record in it, bytes */
	uint64_t time; /* decoded, ticks */
	uint64_t previous; /* time decoded before it */
	struct check_payload payload;
	const char *text;
};

/* The record after which a reader has the right time again. */
enum damage_end {
	DAMAGE_NONE,
	DAMAGE_EVENT, /* the next event, as it is */
	DAMAGE_STAMP, /* a whole stamp, in an event or as one of the scheme's own */
	DAMAGE_SUBBUF, /* the next sub-buffer */
	DAMAGE_NEVER, /* nothing before the end of what was read */
	DAMAGE_ENDS,
};

/*
 * The damage of a misbehaving clock to the times that are read, whatever the row promises: events
 * whose decoded time is not the stamp taken (without those declared inexact), in stretches.
 */
struct check_damage {
	uint64_t wrong; /* events */
	uint64_t worst; /* ticks */
	uint64_t spells; /* stretches of them */
	uint64_t longest; /* events in a stretch */
	uint64_t ended[DAMAGE_ENDS]; /* stretches, by what ended them */
	uint64_t length; /* events of the stretch that goes on; 0: the last event was right */
	enum damage_end told; /* since its last event, what a reader has been told */
};

/* Of one drain. */
struct check_fill {
	uint64_t first; /* number of its first sub-buffer */
	uint64_t most; /* events in the fullest of them but the newest, which a flush cut short */
	uint64_t gone; /* sub-buffers overwritten before they were read, in all drains */
};

#define CHECK_ANY_CPU UINT32_MAX

/* Which sequences of a context were read: how many, and a sum that tells any two sets apart. */
struct check_sequences {
	uint64_t events;
	uint64_t sum; /* of check_mix_sequence() */
};

uint64_t check_mix_sequence(uint64_t sequence);

/*
 * What was judged of the things that promises are about and that few runs meet: of wraps at a field
 * of CHECK_FAR_BITS at most, so that rows which store whole stamps are asked the same.
 */
struct check_tries {
	uint64_t gaps; /* events a wrap or more after the record before them */
	uint64_t gap_sizes; /* bit k: one of 2^k ticks or more, and less than 2^(k+1) */
	uint64_t backs; /* events with an older stamp than the record before them */
	uint64_t slow; /* events at a clock of which each read took a wrap: the player says so */
};

#define CHECK_FAR_BITS 27

/* The payload that the row's build puts into an event, as its driver says. */
enum check_payload_kind {
	PAYLOAD_WHOLE, /* a struct check_payload */
	PAYLOAD_STAMP, /* the stamp alone */
	PAYLOAD_STAMP_OR_INEXACT, /* or CHECK_INEXACT in its place */
};

struct check {
	const struct scheme_desc *desc;
	enum check_payload_kind payload;
	uint32_t stamp_bits;
	uint32_t far_bits; /* of a wrap, for check_tries */
	bool windowless; /* its contexts were counted, not read: the payload is the stamp */
	bool scattered; /* a context's events lie in several rings: sequences need only increase */
	uint32_t contexts; /* that may occur: CONTEXTS for each writer */
	uint32_t cpu; /* that the packets have to name; CHECK_ANY_CPU: it is not known */
	uint32_t payload_most; /* bytes of the largest payload; 0: not known */
	uint64_t rounds; /* ticks that times may be early by */
	uint64_t kept; /* mask of the stamp's bits that the row stores or its reader knows */

	/* what was read */
	uint64_t events;
	uint64_t stamp_events; /* records of the scheme's own */
	uint64_t extended; /* records that carry more than the short field */
	uint64_t inexact;
	uint64_t needed; /* extensions that the stamps themselves call for */
	struct check_tries tries;
	uint64_t by_context[CHECK_CONTEXTS];
	uint64_t header_bytes;
	uint64_t payload_bytes;
	uint64_t rounding_bytes; /* payload rounded up by the format */
	uint64_t alignment_bytes; /* padding that aligned rows report */
	uint64_t subbufs;
	uint64_t subbuf_bytes; /* sub-buffer headers and unused ends */
	uint64_t last_events; /* in the newest sub-buffer, which a flush may have cut short */
	uint64_t closed_by_flush; /* that nested writers may have gone on behind, or interrupted */
	uint64_t closed_early; /* sub-buffers in which the next record had room as it is */
	uint64_t closed_wasting; /* and in which it had room in any form that it could take */
	struct check_fill fill; /* of the last drain */

	/* what the oracles say */
	uint64_t violations[ORACLES];
	struct violation first[ORACLES];
	uint64_t wraps_lost; /* whole wraps that decoded times are short of, summed over events */
	uint64_t worst_error; /* ticks, those declared inexact included */
	uint64_t error_log2[65]; /* events by bit length of |decoded - stamp| */
	struct check_damage damage;

	/* where the reader stands */
	uint64_t last_time;
	uint64_t last_stamp;
	uint64_t next_number;
	uint64_t next_sequence[CHECK_CONTEXTS];
	struct check_sequences scatter[CHECK_CONTEXTS]; /* where scattered */
	bool resync[CHECK_CONTEXTS]; /* an overwritten stretch lies before the next event */
	uint64_t drained[CHECK_CONTEXTS]; /* by_context when this drain began */
	uint64_t skipped; /* events that sequences say were overwritten */
	uint64_t open_number; /* behind the sub-buffer read last, if that was closed by a writer */
	uint64_t open_unused; /* bytes that it left unused at its end */
	uint64_t open_stamp; /* of its last event */
};

void check_init(struct check *check, const struct scheme_desc *desc, uint32_t stamp_bits);

/* A reader is about to take the sub-buffers from `first` on; the ring's first one is `start`. */
void check_drain_begin(struct check *check, uint64_t first, uint64_t start);

/* A reader is about to read the records of sub-buffer `number`, which begins at `begin`. */
void check_subbuf_begin(struct check *check, uint64_t number, uint64_t begin);

/* Its header names `cpu`. */
void check_cpu(struct check *check, uint64_t number, uint32_t cpu);

/*
 * `event` is the first of its sub-buffer, and not yet judged: was there room for it in the
 * sub-buffer before, which was read last? A stamp event counts as a record like any other.
 */
void check_opening(struct check *check, const struct event *event);

/* All records of sub-buffer `number` are read, which ends at `end` by its own account. */
void check_subbuf_end(struct check *check, uint64_t number, uint64_t end);

/* One more violation; the first of its oracle is kept. `payload` may be NULL. */
void check_violate(struct check *check, enum oracle oracle, const char *text, uint64_t number,
		   uint32_t offset, uint64_t time, const struct check_payload *payload);

/* Cold halves of check_event(). A time is `error` ticks off, which may be declared. */
void check_error_of(struct check *check, uint64_t error);
void check_far(struct check_tries *tries, uint32_t far_bits, uint64_t stamp, uint64_t before);
void check_error(struct check *check, uint64_t number, uint32_t offset, uint64_t time,
		 const struct check_payload *payload);
void check_damage_ends(struct check_damage *damage, const struct event *event);
void check_sequence(struct check *check, uint64_t number, uint32_t offset, uint64_t time,
		    const struct check_payload *payload);
void check_identity(struct check *check, uint64_t number, uint32_t offset,
		    const struct event *event, const struct check_payload *payload);
void check_filler_bytes(struct check *check, uint64_t number, uint32_t offset,
			const struct event *event, const struct check_payload *payload);

/*
 * One sub-buffer is read: `decoded` events against `counted` by its commit counter, `unused_bytes`
 * at its end and `header_bytes` before its first record.
 */
void check_subbuf(struct check *check, uint64_t number, uint64_t decoded, uint64_t counted,
		  uint64_t header_bytes, uint64_t unused_bytes);

/* The sub-buffer that was read last was closed by the reader's flush, not by a writer. */
void check_flushed(struct check *check);

/* The writer's counts, for the totals at the end of a run. */
struct check_totals {
	uint64_t written[CHECK_CONTEXTS];
	uint64_t failed; /* record() returned false */
	uint64_t lost; /* by the ring's count, refused and stuck ones included */
	uint64_t refused; /* of these, too large */
	uint64_t committed; /* records by all commit counters; of rings that have them */
	uint64_t nested; /* nested writers that ran, whether they recorded or not */
	uint64_t steps; /* times that the clock went back */
	struct loss_counts losses; /* why events were lost */
	bool reasons; /* losses and refused are of the same events */
	bool sequenced; /* payloads carry sequences: not in the timed build */
	bool counted; /* the ring has commit counters */
	bool ample; /* nothing that the run did can fill the ring: no event may be lost */
	uint64_t overwritten[2]; /* timed, without commit counters: least and most there can be */
};

/* Judges the totals; call once, with everything drained and no writer active. */
void check_finish(struct check *check, const struct check_totals *totals);

/* Adds what another run of the row found; the first violation of each oracle stays. */
void check_merge(struct check *sum, const struct check *one);

/*
 * Adds only the objections that `excused` (mask of oracles) does not put aside, and those tries
 * that were judged all the same.
 */
void check_merge_objections(struct check *sum, const struct check *one, uint32_t excused);

/* Events that a nested writer recorded, beats among them. */
uint64_t check_nested(const struct check *check);

/* Adds what another run found; stretches do not go on from one into the other. */
void check_damage_add(struct check_damage *sum, const struct check_damage *one);

/* The longest that wrong times lasted. */
enum damage_end check_damage_until(const struct check_damage *damage);
const char *check_damage_end_name(enum damage_end end);

/* Bit length of the error that half of all events stay at or below; 0: exact. */
unsigned int check_typical_error_log2(const struct check *check);

#define PROMISES_OF_TIME (PROMISES & ~(uint32_t)PROMISE_BOUNDED)

enum verdict {
	VERDICT_KEPT,
	VERDICT_BROKEN,
	VERDICT_NEED_NOT_MET,
	VERDICT_NOT_PROMISED,
	VERDICTS_OF_ORACLES, /* the others are words of verdict.h */
	VERDICT_INEXACT = VERDICTS_OF_ORACLES,
	VERDICT_NOT_TRIED,
	VERDICT_NOT_STORMED,
	VERDICT_NOT_EXPLORED,
	VERDICT_NO_PROMISE,
	VERDICTS,
};

/*
 * The oracles' verdict on one promise, with `unmet` the needs that the run did not give the scheme.
 * KEPT is no more than that none objected: what a run says of a row is verdict.h's.
 */
enum verdict check_promise(const struct check *check, enum scheme_promise promise, uint64_t stuck,
			   uint32_t unmet);

/* All promises, and the four oracles that every scheme owes, in one word. */
enum verdict check_verdict(const struct check *check, uint64_t stuck, uint32_t unmet);

const char *check_oracle_name(enum oracle oracle);
const char *check_promise_name(enum scheme_promise promise);
const char *check_verdict_name(enum verdict verdict);

/*
 * What has to fit the short field of a record with `stamp` behind one with `before`. Who is proof
 * against steps may extend where the clock went back, though no bits above the field differ.
 */
static inline uint64_t check_gap(const struct scheme_desc *desc, uint64_t stamp, uint64_t before)
{
	bool back = desc->promises & PROMISE_STEP_PROOF && (int64_t)(stamp - before) < 0;

	return (desc->extension == EXTEND_ON_CARRY || desc->carries) && !back ? stamp ^ before :
										stamp - before;
}

/*
 * Judges what every record has: bytes of its header, and a place in time. True: it is an event;
 * false: a stamp event, which has no payload.
 */
static inline __attribute__((always_inline)) bool
check_record(struct check *check, uint64_t number, uint32_t offset, const struct event *event)
{
	uint64_t time = event->time;

	check->header_bytes += event->header_bytes;
	check->alignment_bytes += event->alignment_bytes;
	check->extended += event->flags & EVENT_EXTENDED;
	if (unlikely((int64_t)(time - check->last_time) < 0))
		check_violate(check, ORACLE_MONOTONIC, "time goes back", number, offset, time,
			      NULL);
	if (likely(!(event->flags & EVENT_STAMP_ONLY)))
		return true;
	/* It has the whole stamp, so it stands for the stamp taken; the next is measured to it. */
	check->stamp_events++;
	check->damage.told = DAMAGE_STAMP;
	check->needed += bits_overflow(time - check->last_stamp, check->stamp_bits);
	check_far(&check->tries, check->far_bits, time, check->last_stamp);
	check->last_time = time;
	check->last_stamp = time;
	return false;
}

/* Judges the payload and copies it; of the timed build's, all that there is. False: too short. */
static inline __attribute__((always_inline)) bool check_take_stamp(struct check *check,
								   uint64_t number, uint32_t offset,
								   const struct event *event,
								   struct check_payload *copy)
{
	if (unlikely(event->payload_bytes < sizeof(copy->stamp))) {
		check_violate(check, ORACLE_STRUCTURE, "payload too short", number, offset,
			      event->time, NULL);
		return false;
	}
	*copy = (struct check_payload){ .entry = 0 };
	memcpy(&copy->stamp, event->payload, sizeof(copy->stamp));
	check->payload_bytes += event->payload_bytes;
	if (unlikely(event->id != EVENT_FIXED))
		check_identity(check, number, offset, event, NULL);
	if (check->payload == PAYLOAD_STAMP_OR_INEXACT && copy->stamp == CHECK_INEXACT) {
		check->inexact++;
		copy->stamp = event->time;
	}
	return true;
}

/* Judges who wrote the event with the payload `copy`, and whether it comes next. */
static inline __attribute__((always_inline)) void check_writer(struct check *check, uint64_t number,
							       uint32_t offset,
							       const struct event *event,
							       const struct check_payload *copy)
{
	uint64_t tag = copy->tag;
	unsigned int context = check_tag_context(tag);

	if (unlikely(context >= check->contexts ||
		     (tag ^ check->next_sequence[context]) & bits_mask(CHECK_SEQUENCE_BITS)))
		check_sequence(check, number, offset, event->time, copy);
	else
		check->next_sequence[context]++;
	if (likely(context < check->contexts)) {
		check->by_context[context]++;
		if (unlikely(check->scattered)) {
			check->scatter[context].events++;
			check->scatter[context].sum += check_mix_sequence(check_tag_sequence(tag));
		}
	}
	if (unlikely(event->id != check_tag_id(tag)))
		check_identity(check, number, offset, event, copy);
}

/* Judges the payload and copies it. False: it is too short. */
static inline __attribute__((always_inline)) bool check_take(struct check *check, uint64_t number,
							     uint32_t offset,
							     const struct event *event,
							     struct check_payload *copy)
{
	uint64_t time = event->time, entry;

	if (check->payload != PAYLOAD_WHOLE)
		return check_take_stamp(check, number, offset, event, copy);
	if (unlikely(event->payload_bytes < sizeof(*copy))) {
		check_violate(check, ORACLE_STRUCTURE, "payload too short", number, offset, time,
			      NULL);
		return false;
	}
	memcpy(copy, event->payload, sizeof(*copy));
	check->payload_bytes += event->payload_bytes;
	check_writer(check, number, offset, event, copy);
	if (unlikely(event->payload_bytes != sizeof(*copy) || check_tag_extra(copy->tag)))
		check_filler_bytes(check, number, offset, event, copy);
	entry = (copy->entry & check->kept) - check->rounds;
	if (unlikely(time - entry > copy->exit - entry || (int64_t)(copy->exit - copy->entry) < 0))
		check_violate(check, ORACLE_WINDOW, "decoded outside its own reserve", number,
			      offset, time, copy);
	check->inexact += check_tag_inexact(copy->tag);
	return true;
}

/*
 * Judges one decoded event. Inlined into each reader's drain: a run checks some hundred million
 * events, and a slow oracle would be run on fewer.
 */
static inline void check_event(struct check *check, uint64_t number, uint32_t offset,
			       const struct event *event)
{
	struct check_payload copy;
	uint64_t time = event->time, stamp;

	if (unlikely(!check_record(check, number, offset, event)) ||
	    unlikely(!check_take(check, number, offset, event, &copy)))
		return;
	stamp = copy.stamp & check->kept;
	if (unlikely(stamp - time > check->rounds))
		check_error(check, number, offset, time, &copy);
	else if (unlikely(check->rounds))
		check_error_of(check, stamp - time);
	else if (unlikely(check->desc->ages && copy.exit)) /* not of the stamp alone */
		check_error_of(check, copy.exit - time);
	else if (unlikely(check->damage.length))
		check_damage_ends(&check->damage, event);
	check->needed +=
		bits_overflow(check_gap(check->desc, stamp, check->last_stamp), check->stamp_bits);
	if (unlikely((stamp ^ check->last_stamp) >> check->far_bits))
		check_far(&check->tries, check->far_bits, stamp, check->last_stamp);
	check->events++;
	check->last_time = time;
	check->last_stamp = stamp;
}
