// SPDX-License-Identifier: MIT
#include "judge/verdict.h"

/* Times that were judged: of events, where interrupts came or must not come. */
static uint64_t tried_times(const struct check *check, bool windows)
{
	const struct scheme_desc *desc = check->desc;
	uint64_t interrupts = 0, tasks = 0;
	unsigned int context, level;

	for (context = 0; context < CHECK_CONTEXTS; context += CONTEXTS) {
		tasks += check->by_context[context + CONTEXT_TASK];
		for (level = CONTEXT_LEVEL_1; level <= CONTEXT_LEVEL_3; level++)
			interrupts += check->by_context[context + level];
	}
	if (desc->untimed || (!interrupts && !(desc->needs & NEED_MASKED_INTERRUPTS)))
		return 0;
	/* The timed payload has no window, and does not say who wrote it. */
	if (windows)
		return check->windowless ? 0 : tasks;
	return check->events;
}

/* Bits of check_tries.gap_sizes that the row tells apart; the last is below 2^63. */
static uint64_t sizes_promised(const struct scheme_desc *desc, const struct check *check)
{
	uint32_t end = 63;

	if (desc->gap_bits && check->stamp_bits + desc->gap_bits < end)
		end = check->stamp_bits + desc->gap_bits;
	return bits_mask(end) & ~bits_mask(check->far_bits);
}

/* Were there gaps of all sizes that the row tells apart? */
static bool all_sizes(const struct check *check)
{
	uint64_t wanted = sizes_promised(check->desc, check);

	return (check->tries.gap_sizes & wanted) == wanted;
}

static uint64_t tries_of(const struct check *check, enum scheme_promise promise)
{
	switch (promise) {
	case PROMISE_MONOTONIC:
	case PROMISE_EXACT:
		return tried_times(check, false);
	case PROMISE_WINDOW:
		return tried_times(check, true);
	case PROMISE_WRAP_PROOF:
		return all_sizes(check) ? check->tries.gaps : 0;
	case PROMISE_BOUNDED:
		return check->tries.slow;
	case PROMISE_STEP_PROOF:
		return check->tries.backs;
	case PROMISE_ALL:
	case PROMISES:
		break;
	}
	return 0;
}

#define CHECKS_MOST 3

/* All that was judged, each apart: what one tried does not count for what another read. */
static unsigned int checks_of(const struct evidence *evidence,
			      const struct check *checks[CHECKS_MOST])
{
	unsigned int count = 0;

	if (evidence->check)
		checks[count++] = evidence->check;
	if (evidence->trial) {
		checks[count++] = &evidence->trial->check;
		checks[count++] = &evidence->trial->timed;
	}
	return count;
}

uint64_t verdict_tries(const struct evidence *evidence, enum scheme_promise promise)
{
	const struct check *checks[CHECKS_MOST];
	unsigned int i, count = checks_of(evidence, checks);
	uint64_t tries = 0;

	for (i = 0; i < count; i++)
		tries += tries_of(checks[i], promise);
	return tries;
}

/* The row gave up in the run, or in its trial; which of the checks says so is all one. */
static uint64_t stuck(const struct evidence *evidence)
{
	return evidence->stuck + (evidence->trial ? evidence->trial->stuck : 0);
}

/* The row's promises: with writers on several CPUs they may be fewer than in its trial. */
static uint32_t promises_of(const struct evidence *evidence)
{
	const struct check *check = evidence->check ? evidence->check : &evidence->trial->check;

	return check->desc->promises;
}

static enum verdict oracles_of(const struct evidence *evidence, enum scheme_promise promise)
{
	const struct check *checks[CHECKS_MOST];
	unsigned int i, count = checks_of(evidence, checks);
	enum verdict worst = VERDICT_NOT_PROMISED;

	if (!(promises_of(evidence) & promise))
		return worst;
	for (i = 0; i < count; i++)
		worst = verdict_worse(worst, check_promise(checks[i], promise, stuck(evidence), 0));
	return worst;
}

static uint64_t inexact(const struct evidence *evidence)
{
	const struct check *checks[CHECKS_MOST];
	unsigned int i, count = checks_of(evidence, checks);
	uint64_t sum = 0;

	for (i = 0; i < count; i++)
		sum += checks[i]->inexact;
	return sum;
}

enum verdict verdict_of_promise(const struct evidence *evidence, enum scheme_promise promise)
{
	enum verdict verdict = oracles_of(evidence, promise);

	if (verdict != VERDICT_KEPT)
		return verdict;
	/* Nothing counted that the run recorded: its trial does not stand in for that. */
	if (evidence->check && evidence->unmet && !evidence->check->events)
		return VERDICT_NEED_NOT_MET;
	if (!verdict_tries(evidence, promise))
		return VERDICT_NOT_TRIED;
	return promise == PROMISE_EXACT && inexact(evidence) ? VERDICT_INEXACT : VERDICT_KEPT;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
	static const unsigned int rank[VERDICTS] = {
		[VERDICT_BROKEN] = 7,	   [VERDICT_NEED_NOT_MET] = 6, [VERDICT_NOT_TRIED] = 5,
		[VERDICT_NOT_STORMED] = 4, [VERDICT_NOT_EXPLORED] = 3, [VERDICT_INEXACT] = 2,
		[VERDICT_KEPT] = 1,	   [VERDICT_NOT_PROMISED] = 0, [VERDICT_NO_PROMISE] = 0,
	};

	return rank[b] > rank[a] ? b : a;
}

enum verdict verdict_of_row(const struct evidence *evidence, enum verdict oracles)
{
	const struct check *checks[CHECKS_MOST];
	unsigned int i, bit, count = checks_of(evidence, checks);
	enum verdict worst = oracles;
	uint32_t promises = promises_of(evidence);

	/* Beside the promises what all owe: nothing lost, torn, invented or wasted. */
	for (i = 0; i < count; i++)
		if (checks[i] != evidence->check)
			worst = verdict_worse(worst, check_verdict(checks[i], stuck(evidence), 0));
	if (worst == VERDICT_BROKEN || evidence->explored == VERDICT_BROKEN)
		return VERDICT_BROKEN;
	if (!(promises & PROMISES_OF_TIME))
		return VERDICT_NO_PROMISE;
	for (bit = 1; bit & PROMISES; bit <<= 1)
		if (promises & bit)
			worst = verdict_worse(
				worst, verdict_of_promise(evidence, (enum scheme_promise)bit));
	if (worst == VERDICT_KEPT && inexact(evidence))
		worst = VERDICT_INEXACT;
	if (evidence->check && !evidence->check->events)
		worst = verdict_worse(worst, VERDICT_NOT_STORMED); /* by its trial alone */
	return verdict_worse(worst, evidence->explored);
}
