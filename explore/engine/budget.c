// SPDX-License-Identifier: MIT
#include "explore/engine/budget.h"

const struct budget_part budget_parts[] = {
#define X(part, shown, argument, always, ...) \
	{ #part, shown, always, offsetof(struct budget, part) },
#include "explore/engine/budget.def"
};

const char *const start_modes[] = { "overwrite", "discard", NULL };
const char *const start_sizes[] = { "small", "large", NULL };
const char *const start_clocks[] = { "strict", "coarse", "slow", NULL };

const char *const stops_words[] = { "all", "shared", "none", "points", NULL };

const struct start_part start_parts[] = {
#define START(part, option, kind, argument, most, words, shown, ...) \
	{ option, words, shown, offsetof(struct start, part) },
#include "explore/engine/budget.def"
	{ .option = NULL },
};
