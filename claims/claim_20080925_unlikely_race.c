// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double events = lab_line(lab, "stress", "extended_header", "storm", "events");
	double extended = lab_line(lab, "stress", "extended_header", "storm", "extended");
	double needed = lab_line(lab, "stress", "extended_header", "storm", "needed");

	if (events > 0)
		claim_say(result, claim_judge((extended - needed) / events < 1e-3),
			  "%.1f per million of %.0f events under signals on three levels",
			  1e6 * (extended - needed) / events, events);
}

CLAIM(20080925_unlikely_race) = {
	.text = "given the unlikeliness of the race, its space does not matter",
	.where = LKML_2008,
	.how = "extended_header under the storm of this run: full stamps beyond the needed "
		"ones",
	.test = test,
};
