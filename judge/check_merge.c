// SPDX-License-Identifier: MIT
#include "judge/check.h"

void check_merge_objections(struct check *sum, const struct check *one, uint32_t excused)
{
	unsigned int i;

	for (i = 0; i < ORACLES; i++) {
		if (excused >> i & 1 || !one->violations[i])
			continue;
		if (!sum->violations[i])
			sum->first[i] = one->first[i];
		sum->violations[i] += one->violations[i];
	}
	sum->tries.slow += one->tries.slow;
	if (excused >> ORACLE_EXACT & 1)
		return;
	sum->tries.gaps += one->tries.gaps;
	sum->tries.gap_sizes |= one->tries.gap_sizes;
	sum->tries.backs += one->tries.backs;
}

void check_merge(struct check *sum, const struct check *one)
{
	unsigned int i;

	sum->desc = one->desc;
	sum->stamp_bits = one->stamp_bits;
	sum->windowless |= one->windowless;
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
	check_damage_add(&sum->damage, &one->damage);
	sum->skipped += one->skipped;
	if (one->worst_error > sum->worst_error)
		sum->worst_error = one->worst_error;
	for (i = 0; i < CHECK_CONTEXTS; i++)
		sum->by_context[i] += one->by_context[i];
	for (i = 0; i < 65; i++)
		sum->error_log2[i] += one->error_log2[i];
	check_merge_objections(sum, one, 0);
}
