// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "claims/claims.h"
#include "timing/cell.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double least = INFINITY;
	const json_t *one;
	const char *row;
	size_t i;

	json_array_foreach(json_object_get(lab->record, "benchmarks"), i, one) {
		row = json_string_value(json_object_get(one, "row"));
		if (row && strcmp(row, CELL_EMPTY) && json_is_number(json_object_get(one, "ticks")))
			least = fmin(least, json_number_value(json_object_get(one, "ticks")));
	}
	if (isfinite(least))
		claim_say(result, claim_judge(least > 1), "%.1f ticks, with no stamp at all", least);
}

CLAIM(20070312_probe_1_cycle) = {
	.text = "a probe never takes 1 cycle",
	.where = NOTE_2007,
	.how = "the fastest repetition of any row in this run, per event",
	.test = test,
};
