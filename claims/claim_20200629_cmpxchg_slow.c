// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"

/* So much more is detrimental. */
#define SLOWER 1.02

static enum claim_verdict verdict_of(const struct stats_interval *ratio)
{
	return ratio->low > SLOWER ? CLAIM_HOLDS : ratio->high < SLOWER ? CLAIM_REFUTED : CLAIM_NOISY;
}

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const char *row = "nested_stamps_cmpxchg", *base = "nested_stamps";
	struct stats_interval ratio = lab_ratio(lab, row, base);
	struct stats_interval cheap = lab_cheap_ratio(lab, row, base);
	enum claim_verdict by_real, by_cheap;

	if (!isfinite(ratio.low))
		return;
	by_real = by_cheap = verdict_of(&ratio);
	if (isfinite(cheap.low))
		by_cheap = verdict_of(&cheap);
	claim_say(result, by_real == by_cheap ? by_real : CLAIM_CONDITION,
		  "%.3f times the time (95 %%: %.3f to %.3f) on this machine, in user space; ", ratio.middle,
		  ratio.low, ratio.high);
	if (isfinite(cheap.low))
		claim_add(result, "with a clock that hides nothing %.3f (%.3f to %.3f)%s", cheap.middle,
			  cheap.low, cheap.high, by_real == by_cheap ? "" :
			  by_cheap == CLAIM_HOLDS ? ": it holds where the clock is cheap" :
			  ": only one of the two says so");
	else
		claim_add(result, "not timed with a cheap clock in this run");
}

CLAIM(20200629_cmpxchg_slow) = {
	.text = "cmpxchg in the fast path would be detrimental to performance",
	.where = KERNEL_2020,
	.how = "nested_stamps_cmpxchg by nested_stamps in the cells steady and cheap of this run, "
		"CPU-local (no LOCK): by this machine's clock, and by one that costs next to nothing",
	.test = test,
};
