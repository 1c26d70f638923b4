// SPDX-License-Identifier: MIT
#include "judge/judge.h"

#define TIMES (1u << ORACLE_EXACT | 1u << ORACLE_WINDOW | 1u << ORACLE_MONOTONIC)

uint64_t judge_gap_bound(const struct scheme_desc *desc, uint32_t stamp_bits)
{
	uint64_t wrap = bits_mask(stamp_bits) + 1, most = wrap << desc->gap_bits;

	if (!desc->gap_bits)
		return 0;
	return desc->extension == EXTEND_ON_CARRY ? most - wrap : most;
}

bool judge_gap_beyond(const struct scheme_desc *desc, uint32_t stamp_bits, uint64_t ticks)
{
	uint64_t bound = judge_gap_bound(desc, stamp_bits);

	return bound && ticks >= bound;
}

uint32_t judge_unmet(const struct scheme_desc *desc, uint32_t stamp_bits,
		     const struct judge_given *given)
{
	uint32_t unmet = 0;

	if (given->beat_worst_ticks > scheme_reach_ticks(desc, stamp_bits))
		unmet |= NEED_BEAT;
	if (given->nested)
		unmet |= NEED_MASKED_INTERRUPTS;
	if (given->equal_stamps)
		unmet |= NEED_STRICT_CLOCK;
	unmet &= desc->needs;
	if (judge_gap_beyond(desc, stamp_bits, given->gap_ticks))
		unmet |= NEED_SHORT_GAPS;
	/* Times cannot go on when the clock does not: no row says that it needs this. */
	return given->steps ? unmet | NEED_FORWARD_CLOCK : unmet;
}

uint32_t judge_excused(const struct scheme_desc *desc, uint32_t unmet)
{
	if (unmet & NEED_MASKED_INTERRUPTS)
		return desc->turns_away ? TIMES | 1u << ORACLE_COUNTS : (1u << ORACLES) - 1;
	if (!unmet)
		return 0;
	if (!(unmet & NEED_FORWARD_CLOCK))
		return TIMES;
	/* A row that measures from the newest stamp extends until the clock has caught up. */
	if (!(desc->promises & PROMISE_STEP_PROOF))
		return TIMES | 1u << ORACLE_COUNTS;
	return unmet == NEED_FORWARD_CLOCK ? TIMES & ~(1u << ORACLE_EXACT) : TIMES;
}

/*
 * Of a timed ring without commit counters: what its overwritten sub-buffers held, by the fullest of
 * those that are left. All were filled to the end by events of one size, except that each wrap of
 * the short field may bring an extension, which takes the room of an event or two.
 */
static void overwritten_bounds(const struct check *check, uint64_t began,
			       struct check_totals *totals)
{
	uint64_t gone = check->fill.gone, wraps;

	wraps = (check->last_stamp >> check->stamp_bits) - (began >> check->stamp_bits);
	totals->overwritten[1] = gone * check->fill.most;
	if (totals->overwritten[1] > 2 * wraps + 2)
		totals->overwritten[0] = totals->overwritten[1] - 2 * wraps - 2;
}

/* The ring's own counts. */
static void ring_totals(const struct ring *ring, struct check_totals *totals)
{
	totals->lost = ring->lost + ring->refused + ring->stuck;
	totals->refused = ring->refused;
	/* Without commit counters only sequences and decoded events are known. */
	totals->counted = ring_has_commits(ring);
	if (totals->counted)
		totals->committed = ring_total_records(ring);
}

void judge_totals(const struct buffer *buffer, const struct check *check,
		  const struct judge_given *given, struct check_totals *totals)
{
	const struct ring *ring = buffer_ring(buffer);
	const struct writer *writer = &buffer->writer;
	bool timed = buffer->driver->timed;
	unsigned int context;

	*totals = (struct check_totals){
		.losses = writer->losses,
		.reasons = !timed,
		.sequenced = !timed,
	};
	ring_totals(ring, totals);
	for (context = 0; context < CONTEXTS; context++) {
		totals->written[context] =
			timed ? writer->entered[context] : writer->written[context];
		totals->failed += writer->failed[context];
		if (context != CONTEXT_TASK)
			totals->nested += writer->entered[context];
	}
	if (!timed)
		return;
	/* The timed loop does not count: what was asked for and not lost was written. */
	totals->failed = totals->lost;
	totals->written[CONTEXT_TASK] -= totals->failed;
	if (!ring_has_commits(ring))
		overwritten_bounds(check, given->began, totals);
}

void judge_ring(const struct ring *ring, struct check *check, struct check_totals *totals,
		const struct judge_given *given, struct judgement *judgement)
{
	ring_totals(ring, totals);
	totals->ample = given->ample;
	totals->steps = given->steps;
	check_finish(check, totals);
	judgement->unmet = judge_unmet(check->desc, check->stamp_bits, given);
	judge_again(check, ring->stuck, judgement);
}

void judge_buffer(struct buffer *buffer, struct check *check, const struct judge_given *given,
		  struct judgement *judgement)
{
	struct check_totals totals;

	buffer_drain(buffer, check);
	judge_totals(buffer, check, given, &totals);
	judge_ring(buffer_ring(buffer), check, &totals, given, judgement);
}

void judge_full(const struct ring *ring, uint64_t lost_before, struct check *check)
{
	if (ring->mode == RING_DISCARD && ring->lost != lost_before && !loss_ring_full(ring))
		check_violate(check, ORACLE_LOSSES, "event lost though the ring is not full", 0, 0,
			      0, NULL);
}

void judge_again(const struct check *check, uint64_t stuck, struct judgement *judgement)
{
	unsigned int oracle;

	judgement->excused = 0;
	judgement->text = NULL;
	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (!check->violations[oracle])
			continue;
		if (judge_excused(check->desc, judgement->unmet) >> oracle & 1)
			judgement->excused |= 1u << oracle;
		else if (!judgement->text)
			judgement->text = check->first[oracle].text;
	}
	judgement->verdict = check_verdict(check, stuck, judgement->unmet);
}
