/* SPDX-License-Identifier: MIT */
/* What the explorer said of the very source that a row was compiled from. */
#pragma once

#include <stdint.h>

#include "judge/check.h"

/* Of the quick tier: every interrupt of some hundred small budgets. */
struct known {
	enum verdict
		verdict; /* kept, broken, not explored; kept too where no machine can say more */
	uint64_t schedules;
	char compiler[64]; /* whose code was searched, "gcc 12.2.0"; "": none was */
};

/*
 * Of the row of that name, by a hash of its source as the preprocessor leaves it: recorded in
 * judge/explored.def, or found by make bench on this machine (explored/known next to the program).
 */
const struct known *known_of(const char *row);
