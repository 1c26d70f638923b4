// SPDX-License-Identifier: MIT
#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	int printed = __builtin_ctz(800) - 1;
	unsigned int meant = layout_cut_low(800);

	(void)lab;
	claim_say(result, printed == 9 ? CLAIM_HOLDS : meant == 9 ? CLAIM_CONDITION : CLAIM_REFUTED,
		  "%d as printed, %u with the highest set bit for the first", printed, meant);
}

CLAIM(20070312_cut_low) = {
	.text = "low bits that can go for 800 cycles: find_first_bit(800) - 1 = 9",
	.where = NOTE_2007,
	.how = "the formula as printed, and with the highest bit",
	.test = test,
};
