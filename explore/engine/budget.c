// SPDX-License-Identifier: MIT
#include "explore/engine/budget.h"

const struct budget_part budget_parts[] = {
#define X(part, shown, argument, always, most, help) \
	{ #part, shown, always, offsetof(struct budget, part) },
#include "explore/engine/budget.def"
#undef X
};
