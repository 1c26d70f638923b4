// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const json_t *rates = json_object_get(lab->record, "bytes_by_rate");
	double hz = json_number_value(json_object_get(json_array_get(rates, 0), "tsc_hz"));

	if (hz > 0)
		claim_say(result, claim_judge(layout_wrap_seconds(hz, 32, 0) > 6) == CLAIM_HOLDS ?
			  CLAIM_HOLDS : CLAIM_CONDITION,
			  "%.2f s with this clock of %.3f GHz; 8 s take one of %.0f MHz",
			  layout_wrap_seconds(hz, 32, 0), hz / 1e9, ldexp(1, 32) / 8 / 1e6);
}

CLAIM(20060301_8_seconds) = {
	.text = "a 32-bit TSC wraps around every 8 seconds or so",
	.where = NOTE_2006,
	.how = "arithmetic, and the clock of this run",
	.test = test,
};
