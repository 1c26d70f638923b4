// SPDX-License-Identifier: MIT
/* The words behind the seams of the counting and the injected build. */
#define STAMPEDE_COUNTING
#include "core/clock.h"
#include "core/inject.h"
#include "core/point.h"

struct points points;
struct virtual_clock virtual_clock = { .step = 1 };
struct injection injection = { .due = UINT64_MAX };
