// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	uint64_t last = 1ull << 20, now, wraps;

	(void)lab;
	for (wraps = 1; wraps < 1 << 20; wraps++) {
		now = last + (wraps << 27);
		if ((uint32_t)(now >> (64 - 27)) - (uint32_t)(last >> (64 - 27)))
			break;
	}
	claim_say(result, claim_judge(wraps == 1),
		  "%llu wraps go by unseen, %.1f s at 4 GHz; >> 27 is meant",
		  (unsigned long long)(wraps - 1), (double)(wraps - 1) * 0x1p27 / 4e9);
}

CLAIM(20080925_shift) = {
	.text = "timestamp >> (64 - 27) finds an overflow of 27 bits",
	.where = LKML_2008,
	.how = "the test as printed on stamps that are more and more wraps of 27 bits apart",
	.test = test,
};
