// SPDX-License-Identifier: MIT
/*
 * The reader of another CPU, for the explorer: the steps of judge/live.c, which stop at each point
 * of theirs (the counting build's points.hook). In a ring that discards it reads in place; its
 * looks at the ring are points, and between two of them it decodes.
 */
#include "explore/stops/row.h"
#include "judge/live_steps.h"

static void take(void *arg, struct ring *from)
{
	(void)arg;
	explore_take(from);
}

void explored_read(void *scheme, void *spare)
{
	struct handover reader = { .copied = 0 };

	live_steps(&reader, scheme, spare, take, NULL);
}
