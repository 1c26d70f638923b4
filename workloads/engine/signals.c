// SPDX-License-Identifier: MIT
#include "workloads/engine/signals.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "runner/place/ticks.h"

#define LEVEL_2_NS 18000u
#define LEVEL_3_NS 60000u
#define TIMER_ONLY_NS 90000u
#define DRIFT_NS 7000u /* more for each level, so that they drift through each other */

int signals_storm(struct signals *signals)
{
	uint64_t period = signals->sent ? LEVEL_3_NS : TIMER_ONLY_NS, own;
	/* A timer below its least period would starve the thread on a virtual machine. */
	double slower = signals->stretch > 1 ? signals->stretch : 1;
	unsigned int level = signals->sent ? 3 : 1;

	signals->sender.period_ns[1] = (uint64_t)(STORM_LEVEL_1_NS * signals->stretch);
	signals->sender.period_ns[2] =
		signals->levels < 2 ? 0 : (uint64_t)(LEVEL_2_NS * signals->stretch);
	for (; level <= signals->levels; level++) {
		own = (uint64_t)((double)(period + DRIFT_NS * (level - 1)) * slower);
		if (interrupts_timer(&signals->interrupts, level, own, false))
			return EXIT_RESOURCE;
	}
	return 0;
}

int signals_beat(struct signals *signals, const struct driver *driver, uint32_t stamp_bits)
{
	double period_ns;

	if (!(driver->desc->needs & NEED_BEAT))
		return 0;
	period_ns = driver_beat_ns(driver, stamp_bits, ticks_hz());
	if (period_ns < INTERRUPT_TIMER_LEAST_NS)
		period_ns = INTERRUPT_TIMER_LEAST_NS;
	if (interrupts_timer(&signals->interrupts, INTERRUPT_BEAT, (uint64_t)period_ns, false))
		return EXIT_RESOURCE;
	return 0;
}

void signals_target(struct signals *signals)
{
	__atomic_store_n(&signals->sender.target, signals->interrupts.tid, __ATOMIC_RELEASE);
}

void signals_end(struct signals *signals)
{
	__atomic_store_n(&signals->sender.stop, true, __ATOMIC_RELEASE);
}

int signals_send(struct signals *signals, const struct place *place, unsigned int pu,
		 double seconds)
{
	struct interrupt_sender *sender = &signals->sender;
	pid_t target;

	if (place_bind_self(place, pu))
		return EXIT_RESOURCE;
	do
		target = __atomic_load_n(&sender->target, __ATOMIC_ACQUIRE);
	while (!target && !__atomic_load_n(&sender->stop, __ATOMIC_ACQUIRE));
	if (target)
		interrupt_sender_run(sender, (uint64_t)((seconds + 5) * 1e9));
	if (sender->error && sender->error != ESRCH)
		return fail_with(EXIT_RESOURCE, "cannot send a signal: %s",
				 strerror(sender->error));
	return 0;
}
