// SPDX-License-Identifier: MIT
/* Merging and showing what the oracles of several rounds and threads found. */
#include <string.h>

#include "workloads/stress.h"

void stress_merge_check(struct check *sum, const struct check *one)
{
	unsigned int i;

	sum->desc = one->desc;
	sum->stamp_bits = one->stamp_bits;
	sum->events += one->events;
	sum->stamp_events += one->stamp_events;
	sum->extended += one->extended;
	sum->inexact += one->inexact;
	sum->needed += one->needed;
	sum->header_bytes += one->header_bytes;
	sum->payload_bytes += one->payload_bytes;
	sum->rounding_bytes += one->rounding_bytes;
	sum->alignment_bytes += one->alignment_bytes;
	sum->subbufs += one->subbufs;
	sum->subbuf_bytes += one->subbuf_bytes;
	sum->closed_by_flush += one->closed_by_flush;
	sum->closed_early += one->closed_early;
	sum->closed_wasting += one->closed_wasting;
	sum->wraps_lost += one->wraps_lost;
	sum->skipped += one->skipped;
	if (one->worst_error > sum->worst_error)
		sum->worst_error = one->worst_error;
	for (i = 0; i < CHECK_CONTEXTS; i++)
		sum->by_context[i] += one->by_context[i];
	for (i = 0; i < 65; i++)
		sum->error_log2[i] += one->error_log2[i];
	for (i = 0; i < ORACLES; i++) {
		if (!sum->violations[i])
			sum->first[i] = one->first[i];
		sum->violations[i] += one->violations[i];
	}
}

/* `check` with no other objections than those of the oracles in `asked`. */
static struct check objections_of(const struct check *check, uint32_t asked)
{
	struct check part = *check;
	unsigned int oracle;

	for (oracle = 0; oracle < ORACLES; oracle++)
		if (!(asked >> oracle & 1))
			part.violations[oracle] = 0;
	if (!(asked >> ORACLE_EXACT & 1))
		part.wraps_lost = 0;
	return part;
}

void stress_merge_excused(struct stress_result *result, const struct check *check,
			  uint32_t excused)
{
	struct check part = objections_of(check, excused);
	unsigned int oracle;

	stress_merge_check(&result->voided, &part);
	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (excused >> oracle & 1 || !check->violations[oracle])
			continue;
		if (!result->check.violations[oracle])
			result->check.first[oracle] = check->first[oracle];
		result->check.violations[oracle] += check->violations[oracle];
	}
}

void stress_book(struct stress_result *result, const struct check *check,
		 const struct judgement *judgement)
{
	if (!judgement->excused) {
		stress_merge_check(&result->check, check);
		return;
	}
	result->unmet |= judgement->unmet;
	result->void_epochs++;
	stress_merge_excused(result, check, judgement->excused);
}

uint64_t stress_nested(const struct check *check)
{
	uint64_t nested = check->events;
	unsigned int writer;

	for (writer = 0; writer < CHECK_WRITERS_MAX; writer++)
		nested -= check->by_context[writer * CONTEXTS + CONTEXT_TASK];
	return nested;
}

enum verdict stress_verdict(const struct stress_result *result)
{
	struct judgement judgement = { .unmet = 0 };
	enum verdict verdict;

	judge_again(&result->check, result->stuck, &judgement);
	verdict = judgement.verdict;
	/* One clock, two rings: who promises exact stamps keeps cause before effect. */
	if (result->handoff.early && result->check.desc->promises & PROMISE_EXACT)
		return VERDICT_BROKEN;

	/* Nothing judged, or little of it: the run says no more than that the need was not met. */
	if (verdict == VERDICT_KEPT && result->void_epochs * 2 > result->epochs)
		return VERDICT_NEED_NOT_MET;
	return verdict;
}

void stress_show(struct buffer *buffer, const struct check *check, uint32_t excused, char *shown,
		 size_t bytes)
{
	enum oracle oracle, first = ORACLES;
	FILE *text;

	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (!check->violations[oracle] || excused >> oracle & 1)
			continue;
		if (first == ORACLES || check->first[oracle].number < check->first[first].number)
			first = oracle;
	}
	if (first == ORACLES)
		return;
	text = fmemopen(shown, bytes, "w");
	if (!text)
		return;
	fprintf(text, "  %s: %s\n", check_oracle_name(first), check->first[first].text);
	buffer->driver->show(text, buffer->scheme, &check->first[first], 3);
	fclose(text);
	shown[bytes - 1] = 0;
}
