/* SPDX-License-Identifier: MIT */
/* For tests that record: this machine, two CPUs of it or one, and handlers of signals. */
#pragma once

#include "tests/support/test.h"
#include "runner/place/place.h"
#include "workloads/engine/interrupts.h"

static struct place place;
static struct place_plan plan;

static inline int placed_set_up(void **state)
{
	/* Beats are signals, and one that nobody handles ends the process. */
	if (interrupts_install() || place_open(&place))
		return -1;
	return place_plan(&place, NULL, hwloc_bitmap_weight(place.allowed) > 1 ? 2 : 1, &plan);
}

static inline int placed_tear_down(void **state)
{
	place_plan_free(&plan);
	place_close(&place);
	return 0;
}
