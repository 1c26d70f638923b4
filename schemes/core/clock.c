// SPDX-License-Identifier: MIT
/* The words behind the clocks of all builds. */
#include "schemes/core/clock.h"
#include "schemes/core/inject.h"

const struct clock_replacement *clock_replacement;
struct virtual_clock virtual_clock = { .step = 1 };
/* Above any short field, and far from its next wrap. */
struct cheap_clock cheap_clock = { .now = UINT64_C(1) << 32 };
struct injection injection = { .due = UINT64_MAX };
