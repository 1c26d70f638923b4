// SPDX-License-Identifier: MIT
/* The words behind the seams of the counting build. */
#define STAMPEDE_COUNTING
#include "core/clock.h"
#include "core/point.h"

struct points points;
struct virtual_clock virtual_clock = { .step = 1 };
