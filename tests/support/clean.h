/* SPDX-License-Identifier: MIT */
#pragma once

#include "judge/check.h"

/* No oracle objected. */
static inline bool check_clean(const struct check *judged)
{
	unsigned int oracle;

	for (oracle = 0; oracle < ORACLES; oracle++)
		if (judged->violations[oracle])
			return false;
	return true;
}
