/* SPDX-License-Identifier: MIT */
/* What place.c and place_plan.c share and nobody else needs. */
#ifndef STAMPEDE_RUNNER_PLACE_PLACE_INTERNAL_H
#define STAMPEDE_RUNNER_PLACE_PLACE_INTERNAL_H

#include "base/fail.h"
#include "runner/place/place.h"

/* Linux is built for at most 8192 CPUs; larger numbers in a list are typing errors. */
#define CPU_NUMBER_MAX 65535u

#endif
