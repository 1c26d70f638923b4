// SPDX-License-Identifier: MIT
#include "judge/check.h"

#include <string.h>

#include "base/bytes.h"
#include "base/rng.h"

void check_init(struct check *check, const struct scheme_desc *desc, uint32_t stamp_bits)
{
	bytes_clear(check, sizeof(*check));
	check->desc = desc;
	check->stamp_bits = stamp_bits;
	check->far_bits = stamp_bits < CHECK_FAR_BITS ? stamp_bits : CHECK_FAR_BITS;
	check->contexts = CONTEXTS;
	check->cpu = CHECK_ANY_CPU;
	check->open_number = UINT64_MAX;
	check->rounds = desc && desc->rounds ? desc->rounds - 1 : 0;
	check->kept = ~bits_mask(desc ? scheme_cut_bits(desc, stamp_bits) : 0);
}

void check_drain_begin(struct check *check, uint64_t first, uint64_t start)
{
	uint64_t expected = check->next_number ? check->next_number : start;

	/* A context that is not seen in this drain may still have lost events before it. */
	if (first > expected) {
		memset(check->resync, true, sizeof(check->resync));
		check->fill.gone += first - expected;
	}
	memcpy(check->drained, check->by_context, sizeof(check->drained));
	check->next_number = first;
	check->fill = (struct check_fill){ .first = first, .gone = check->fill.gone };
}

void check_subbuf_begin(struct check *check, uint64_t number, uint64_t begin)
{
	if (check->subbufs && (int64_t)(begin - check->last_time) < 0)
		check_violate(check, ORACLE_MONOTONIC,
			      "sub-buffer begins before its predecessor ends", number, 0, begin,
			      NULL);
	check->damage.told = DAMAGE_SUBBUF;
	check->last_time = begin;
	/* The reader knows all bits of the first event's stamp from it: no extension is needed. */
	check->last_stamp = begin;
}

void check_cpu(struct check *check, uint64_t number, uint32_t cpu)
{
	if (check->cpu != CHECK_ANY_CPU && cpu != check->cpu)
		check_violate(check, ORACLE_STRUCTURE, "sub-buffer of another CPU's ring", number,
			      0, check->last_time, NULL);
}

/*
 * Bytes that the largest form of a record adds to its plain form: a full header, or a stamp
 * event.
 */
#define CHECK_RECORD_SPARE 16

void check_opening(struct check *check, const struct event *event)
{
	uint64_t size =
		(uint64_t)event->header_bytes + event->payload_bytes + event->alignment_bytes;
	uint64_t most = check->payload_most ? check->payload_most + event->header_bytes : size;
	uint64_t padding = 2 * (uint64_t)check->desc->alignment;
	uint64_t gap =
		check_gap(check->desc, event->time & check->kept, check->open_stamp & check->kept);

	check->open_number = UINT64_MAX;
	if (check->open_unused >= (most > size ? most : size) + CHECK_RECORD_SPARE + padding)
		check->closed_wasting++;
	/* If payloads have all sizes, another, larger one may have found no room. */
	else if (check->open_unused >= size + padding && most <= size &&
		 !bits_overflow(gap, check->stamp_bits))
		check->closed_early++;
}

void check_subbuf_end(struct check *check, uint64_t number, uint64_t end)
{
	end &= check->kept;
	if (check->desc->untimed)
		return;
	if ((int64_t)(end - check->last_time) < 0)
		check_violate(check, ORACLE_MONOTONIC, "sub-buffer ends before its last event",
			      number, 0, end, NULL);
	check->last_time = end;
}

void check_violate(struct check *check, enum oracle oracle, const char *text, uint64_t number,
		   uint32_t offset, uint64_t time, const struct check_payload *payload)
{
	if (check->violations[oracle]++)
		return;
	check->first[oracle] = (struct violation){
		.number = number,
		.offset = offset,
		.time = time,
		.previous = check->last_time,
		.payload = payload ? *payload : (struct check_payload){ .stamp = 0 },
		.text = text,
	};
}

static void damaged(struct check_damage *damage, uint64_t error)
{
	damage->spells += !damage->length;
	damage->wrong++;
	if (error > damage->worst)
		damage->worst = error;
	if (++damage->length > damage->longest)
		damage->longest = damage->length;
	damage->told = DAMAGE_EVENT;
}

void check_error_of(struct check *check, uint64_t error)
{
	if (error > check->worst_error)
		check->worst_error = error;
	check->error_log2[error ? 64 - __builtin_clzll(error) : 0]++;
}

void check_error(struct check *check, uint64_t number, uint32_t offset, uint64_t time,
		 const struct check_payload *payload)
{
	uint64_t stamp = payload->stamp & check->kept;
	bool early = (int64_t)(time - stamp) < 0;
	uint64_t error = early ? stamp - time : time - stamp;

	if (check->desc->untimed)
		return;
	check_error_of(check, error);
	if (check_tag_inexact(payload->tag))
		return;
	damaged(&check->damage, error);
	if (early && check->stamp_bits < 64)
		check->wraps_lost += error >> check->stamp_bits;
	check_violate(check, ORACLE_EXACT,
		      error & bits_mask(check->stamp_bits) ? "decoded is not the stamp taken" :
							     "decoded is off by whole wraps",
		      number, offset, time, payload);
}

void check_damage_ends(struct check_damage *damage, const struct event *event)
{
	if (event->flags & EVENT_EXTENDED && damage->told == DAMAGE_EVENT)
		damage->told = DAMAGE_STAMP;
	damage->ended[damage->told]++;
	damage->length = 0;
}

void check_far(struct check_tries *tries, uint32_t far_bits, uint64_t stamp, uint64_t before)
{
	uint64_t gap = stamp - before;

	if ((int64_t)gap < 0) {
		tries->backs++;
	} else if (gap >> far_bits) {
		tries->gaps++;
		tries->gap_sizes |= UINT64_C(1) << (63 - __builtin_clzll(gap));
	}
}

void check_damage_add(struct check_damage *sum, const struct check_damage *one)
{
	unsigned int end;

	sum->wrong += one->wrong;
	sum->spells += one->spells;
	if (one->worst > sum->worst)
		sum->worst = one->worst;
	if (one->longest > sum->longest)
		sum->longest = one->longest;
	for (end = 0; end < DAMAGE_ENDS; end++)
		sum->ended[end] += one->ended[end];
	sum->ended[DAMAGE_NEVER] += one->length > 0;
}

enum damage_end check_damage_until(const struct check_damage *damage)
{
	unsigned int end;

	if (damage->length)
		return DAMAGE_NEVER;
	for (end = DAMAGE_NEVER; end > DAMAGE_NONE; end--)
		if (damage->ended[end])
			break;
	return (enum damage_end)end;
}

const char *check_damage_end_name(enum damage_end end)
{
	static const char *const names[] = { "-", "next event", "whole stamp", "sub-buffer's end",
					     "never" };

	return names[end];
}

uint64_t check_mix_sequence(uint64_t sequence)
{
	return rng_mix(sequence + 1);
}

void check_sequence(struct check *check, uint64_t number, uint32_t offset, uint64_t time,
		    const struct check_payload *payload)
{
	unsigned int context = check_tag_context(payload->tag), spare = 64 - CHECK_SEQUENCE_BITS;
	uint64_t sequence;

	if (context >= check->contexts) {
		check_violate(check, ORACLE_STRUCTURE, "payload of no known context", number,
			      offset, time, payload);
		return;
	}
	/* The nearest one with these low bits. */
	sequence = check->next_sequence[context];
	sequence += (uint64_t)((int64_t)((payload->tag - sequence) << spare) >> spare);
	if (check->scattered && sequence >= check->next_sequence[context])
		;
	else if (check->resync[context] && sequence >= check->next_sequence[context])
		check->skipped += sequence - check->next_sequence[context];
	else
		check_violate(check, ORACLE_CONSERVATION,
			      sequence < check->next_sequence[context] ?
				      "event seen twice or out of order" :
				      "events missing before this one",
			      number, offset, time, payload);
	check->resync[context] = false;
	check->next_sequence[context] = sequence + 1;
}

void check_identity(struct check *check, uint64_t number, uint32_t offset,
		    const struct event *event, const struct check_payload *payload)
{
	unsigned int context = CONTEXTS;

	if (event->id == EVENT_ID_UNKNOWN)
		return;
	/*
	 * The timed payload does not say which context wrote it; the id does, and the totals are
	 * judged.
	 */
	if (!payload && event->id == EVENT_BEAT)
		context = CONTEXT_BEAT;
	else if (!payload && event->id - EVENT_NESTED <= CONTEXT_LEVEL_3 - CONTEXT_LEVEL_1)
		context = CONTEXT_LEVEL_1 + event->id - EVENT_NESTED;
	if (context < CONTEXTS)
		check->by_context[context]++;
	else
		check_violate(check, ORACLE_STRUCTURE, "event id is not the one recorded", number,
			      offset, event->time, payload);
}

static uint8_t filler[CHECK_EXTRA_MAX + 256];

static __attribute__((constructor)) void filler_fill(void)
{
	uint32_t i;

	for (i = 0; i < sizeof(filler); i++)
		filler[i] = (uint8_t)i;
}

const uint8_t *check_filler_bytes_of(uint64_t sequence)
{
	return filler + check_filler(sequence, 0);
}

void check_filler_bytes(struct check *check, uint64_t number, uint32_t offset,
			const struct event *event, const struct check_payload *payload)
{
	uint32_t extra = check_tag_extra(payload->tag);
	const uint8_t *written = check_filler_bytes_of(check_tag_sequence(payload->tag));
	uint32_t unit = check->desc->alignment ? check->desc->alignment : 4;

	if (event->payload_bytes < sizeof(*payload) + extra ||
	    event->payload_bytes - sizeof(*payload) - extra >= unit) {
		check_violate(check, ORACLE_STRUCTURE, "payload size is not what was written",
			      number, offset, event->time, payload);
		return;
	}
	check->rounding_bytes += event->payload_bytes - sizeof(*payload) - extra;
	if (memcmp(event->payload + sizeof(*payload), written, extra) != 0)
		check_violate(check, ORACLE_STRUCTURE, "payload torn or overwritten", number,
			      offset, event->time, payload);
}

void check_subbuf(struct check *check, uint64_t number, uint64_t decoded, uint64_t counted,
		  uint64_t header_bytes, uint64_t unused_bytes)
{
	struct check_fill *fill = &check->fill;

	check->subbufs++;
	check->subbuf_bytes += header_bytes + unused_bytes;
	/* A context that was seen was in step: nothing of it was overwritten. */
	for (unsigned int context = 0; context < check->contexts; context++)
		if (check->by_context[context] != check->drained[context])
			check->resync[context] = false;
	/* The one before this was whole. */
	if (number > fill->first && check->last_events > fill->most)
		fill->most = check->last_events;
	check->last_events = decoded;
	check->next_number = number + 1;
	check->open_number = number + 1;
	check->open_unused = unused_bytes;
	check->open_stamp = check->last_stamp;
	if (decoded != counted)
		check_violate(check, ORACLE_CONSERVATION,
			      "sub-buffer holds another number of events than were committed",
			      number, 0, check->last_time, NULL);
}

void check_flushed(struct check *check)
{
	check->open_number = UINT64_MAX;
}

static void object(struct check *check, enum oracle oracle, const char *text)
{
	check_violate(check, oracle, text, 0, 0, 0, NULL);
}

/* Every event that was asked for was decoded, overwritten or lost. */
static void finish_conservation(struct check *check, const struct check_totals *totals)
{
	uint64_t written = 0, missing;
	unsigned int context;

	for (context = 0; context < check->contexts; context++)
		written += totals->written[context];
	if (totals->counted && written != totals->committed)
		object(check, ORACLE_CONSERVATION, "committed records are not those written");
	if (totals->failed != totals->lost)
		object(check, ORACLE_CONSERVATION, "lost events are not those refused");
	for (context = 0; totals->sequenced && context < check->contexts; context++) {
		missing = totals->written[context] - check->next_sequence[context];
		if (missing && !check->resync[context])
			object(check, ORACLE_CONSERVATION, "newest events missing");
		check->skipped += missing;
	}
	if (check->events > written ||
	    (totals->sequenced && check->events + check->skipped != written))
		object(check, ORACLE_CONSERVATION, "written is not decoded + overwritten");
	missing = written - check->events;
	if (!totals->sequenced && !totals->counted &&
	    (missing < totals->overwritten[0] || missing > totals->overwritten[1]))
		object(check, ORACLE_CONSERVATION,
		       "asked for is not decoded + what overwritten sub-buffers held");
}

/*
 * No more extensions, inexact stamps, padding and sub-buffers than stamps, sizes and nesting
 * explain.
 */
static void finish_counts(struct check *check, const struct check_totals *totals)
{
	const struct scheme_desc *desc = check->desc;
	uint64_t caused = totals->nested * desc->extra_per_nested;

	/* Each writer that was at work may have seen the clock before and after. */
	caused += totals->steps * (1 + totals->nested);

	if (check->extended >
	    (desc->extension == EXTEND_ALWAYS ? check->events : check->needed) + caused)
		object(check, ORACLE_COUNTS, "more extended records than anything explains");
	if (check->inexact > totals->nested * desc->zeros_per_nested)
		object(check, ORACLE_COUNTS, "more inexact stamps than nested writers");
	if (check->closed_wasting > check->closed_by_flush ||
	    check->closed_wasting + check->closed_early > check->closed_by_flush + caused)
		object(check, ORACLE_COUNTS, "sub-buffer closed while the next record had room");
	if (check->alignment_bytes >
	    2 * (uint64_t)desc->alignment * (check->events + check->stamp_events))
		object(check, ORACLE_COUNTS, "more padding in records than alignment calls for");
}

static void finish_losses(struct check *check, const struct check_totals *totals)
{
	/* Of timed writers only how many were nested is known. */
	uint64_t away = totals->reasons		? totals->losses.of[LOSS_BUSY] :
			check->desc->turns_away ? totals->nested :
						  0;

	if (totals->losses.of[LOSS_UNEXPLAINED])
		object(check, ORACLE_LOSSES, "event lost without a reason that the ring shows");
	if (totals->ample && totals->lost > away)
		object(check, ORACLE_LOSSES, "event lost though nothing filled the ring");
	if (totals->reasons &&
	    (totals->refused < totals->losses.of[LOSS_LARGE] ||
	     totals->refused > totals->losses.of[LOSS_LARGE] + totals->losses.of[LOSS_LARGEST]))
		object(check, ORACLE_LOSSES, "events counted as too large are not those that were");
	if (totals->sequenced && loss_total(&totals->losses) != totals->failed)
		object(check, ORACLE_LOSSES, "lost events are not those that have a reason");
}

/* Timed payloads do not say which context wrote them: how many there are of each id is judged. */
static void finish_identity(struct check *check, const struct check_totals *totals)
{
	unsigned int context;

	for (context = CONTEXT_TASK + 1; !totals->sequenced && context < CONTEXTS; context++)
		if (check->by_context[context] > totals->written[context])
			object(check, ORACLE_STRUCTURE, "more events of an id than were recorded");
}

void check_finish(struct check *check, const struct check_totals *totals)
{
	if (!check->scattered)
		finish_conservation(check, totals);
	finish_counts(check, totals);
	finish_losses(check, totals);
	finish_identity(check, totals);
}

uint64_t check_nested(const struct check *check)
{
	uint64_t nested = check->events;
	unsigned int context;

	for (context = 0; context < CHECK_CONTEXTS; context += CONTEXTS)
		nested -= check->by_context[context + CONTEXT_TASK];
	return nested;
}

unsigned int check_typical_error_log2(const struct check *check)
{
	uint64_t wrong = 0, seen = 0;
	unsigned int bits;

	for (bits = 1; bits < 65; bits++)
		wrong += check->error_log2[bits];
	if (wrong * 2 <= check->events)
		return 0;
	for (bits = 1; bits < 64; bits++) {
		seen += check->error_log2[bits];
		if ((check->events - wrong + seen) * 2 >= check->events)
			break;
	}
	return bits;
}

static enum verdict judge(bool kept, bool promised, uint32_t unmet)
{
	if (!promised)
		return VERDICT_NOT_PROMISED;
	if (kept)
		return VERDICT_KEPT;
	return unmet ? VERDICT_NEED_NOT_MET : VERDICT_BROKEN;
}

enum verdict check_promise(const struct check *check, enum scheme_promise promise, uint64_t stuck,
			   uint32_t unmet)
{
	bool kept = true;

	switch (promise) {
	case PROMISE_MONOTONIC:
		kept = !check->violations[ORACLE_MONOTONIC];
		break;
	case PROMISE_EXACT:
		kept = !check->violations[ORACLE_EXACT];
		break;
	case PROMISE_WINDOW:
		kept = !check->violations[ORACLE_WINDOW];
		break;
	case PROMISE_WRAP_PROOF:
		kept = !check->wraps_lost;
		break;
	case PROMISE_BOUNDED:
		kept = !stuck;
		unmet &= ~(uint32_t)NEED_FORWARD_CLOCK;
		break;
	case PROMISE_STEP_PROOF:
		kept = !check->violations[ORACLE_EXACT];
		unmet &= ~(uint32_t)NEED_FORWARD_CLOCK;
		break;
	case PROMISE_ALL:
	case PROMISES:
		break;
	}
	return judge(kept, check->desc->promises & promise, unmet);
}

enum verdict check_verdict(const struct check *check, uint64_t stuck, uint32_t unmet)
{
	bool owed = check->violations[ORACLE_CONSERVATION] || check->violations[ORACLE_STRUCTURE] ||
		    check->violations[ORACLE_LOSSES];
	/* One that turns nested writers away owes its records even to them. */
	bool torn = unmet & NEED_MASKED_INTERRUPTS && !check->desc->turns_away;
	bool extends = unmet & NEED_FORWARD_CLOCK && !(check->desc->promises & PROMISE_STEP_PROOF);
	enum verdict worst = VERDICT_KEPT, one;
	unsigned int bit;

	/*
	 * No scheme may lose, tear or invent records, except one that needs masked interrupts and
	 * did not get them.
	 */
	if (owed)
		worst = torn ? VERDICT_NEED_NOT_MET : VERDICT_BROKEN;
	/* Count extensions too, but those that a backward clock causes without STEP_PROOF. */
	if (check->violations[ORACLE_COUNTS])
		worst = unmet & NEED_MASKED_INTERRUPTS || extends ?
				(worst == VERDICT_KEPT ? VERDICT_NEED_NOT_MET : worst) :
				VERDICT_BROKEN;
	/* A row that declares how far its times are off has to keep to that. */
	if (scheme_declares(check->desc) && worst == VERDICT_KEPT &&
	    (check->violations[ORACLE_EXACT] || check->violations[ORACLE_WINDOW]))
		worst = unmet ? VERDICT_NEED_NOT_MET : VERDICT_BROKEN;
	for (bit = 1; bit & PROMISES; bit <<= 1) {
		one = check_promise(check, (enum scheme_promise)bit, stuck, unmet);
		if (one == VERDICT_BROKEN)
			worst = VERDICT_BROKEN;
		else if (one == VERDICT_NEED_NOT_MET && worst == VERDICT_KEPT)
			worst = VERDICT_NEED_NOT_MET;
	}
	return worst;
}

const char *check_oracle_name(enum oracle oracle)
{
	static const char *const names[ORACLES] = { "exact",	    "window",	 "monotonic",
						    "conservation", "structure", "counts",
						    "losses" };

	return names[oracle];
}

const char *check_promise_name(enum scheme_promise promise)
{
	switch (promise) {
	case PROMISE_MONOTONIC:
		return "monotonic";
	case PROMISE_EXACT:
		return "exact";
	case PROMISE_WINDOW:
		return "window";
	case PROMISE_WRAP_PROOF:
		return "wrap_proof";
	case PROMISE_BOUNDED:
		return "bounded";
	case PROMISE_STEP_PROOF:
		return "step_proof";
	case PROMISE_ALL:
	case PROMISES:
		break;
	}
	return "all";
}

const char *check_verdict_name(enum verdict verdict)
{
	static const char *const names[VERDICTS] = {
		"kept",	     "broken",	    "need not met", "not promised", "declared inexact",
		"not tried", "not stormed", "not explored", "no promise"
	};

	return names[verdict];
}
