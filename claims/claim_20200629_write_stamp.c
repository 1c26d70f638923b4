// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const char *budget = "--shape page --events 2 --nested 1 --before 1";
	struct explored printed, today;

	if (!lab_explore(lab, "seed_004", budget, &printed, result) ||
	    !lab_explore(lab, "nested_stamps", budget, &today, result))
		return;
	claim_say(result, claim_judge(!printed.objections[ORACLE_EXACT]),
		  "as printed %" PRIu64 " of %" PRIu64 " schedules of two events and one interrupt take "
		  "a delta from another time; in the form of Linux 6.8 with two repairs %" PRIu64
		  " of %" PRIu64, printed.objections[ORACLE_EXACT], printed.schedules,
		  today.objections[ORACLE_EXACT], today.schedules);
}

CLAIM(20200629_write_stamp) = {
	.text = "when an event is not interrupted, the write stamp is always the time of the last "
		"event written",
	.where = KERNEL_2020,
	.how = "as printed, in the explorer (history seed_004), and nested_stamps within the same "
		"budget",
	.test = test,
};
