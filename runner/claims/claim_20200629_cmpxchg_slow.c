// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct stats_interval ratio = lab_ratio(lab, "nested_stamps_cmpxchg", "nested_stamps");

	if (isfinite(ratio.low))
		claim_say(result, ratio.low > 1.02 ? CLAIM_HOLDS :
			  ratio.high < 1.02 ? CLAIM_REFUTED : CLAIM_NOISY,
			  "%.3f times the time (95 %%: %.3f to %.3f) on this machine, in user space",
			  ratio.middle, ratio.low, ratio.high);
}

CLAIM(20200629_cmpxchg_slow) = {
	.text = "cmpxchg in the fast path would be detrimental to performance",
	.where = KERNEL_2020,
	.how = "nested_stamps_cmpxchg by nested_stamps in the steady cells of this run, "
		"CPU-local (no LOCK)",
	.test = test,
};
