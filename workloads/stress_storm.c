// SPDX-License-Identifier: MIT
/* steady, threads, storm and stall: events back to back, with or without a storm of signals. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "schemes/core/clock.h"
#include "base/options.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define SHARE_LEAST 0.23 /* of the thread's CPU time, what the pace must leave the writer */
#define SHARE_MUCH 0.28
#define STRETCH_LEAST 0.3
#define ADAPT_LEAST_NS 30000000u
#define STALL_BITS 20 /* a wrap of 0.4 ms: hundreds of holds in a run */
#define STALL_BEATEN_BITS 26 /* where beats have to come meanwhile, on a CPU that may be stolen */
#define STALL_WRAPS 2.5 /* between two signals of a level: most of the time is held */

static void run(struct stress_thread *thread, uint64_t events)
{
	struct buffer *buffer = &thread->buffer;

	local_add_raw(&thread->asked, events);
	buffer->driver->run(buffer->scheme, &buffer->writer, events);
}

static void run_storm(struct stress_thread *thread, uint64_t events)
{
	interrupts_unblock_storm();
	run(thread, events);
	interrupts_block_storm();
}

static void handle_storm(struct stress_thread *thread, unsigned int level)
{
	const struct driver *driver = thread->buffer.driver;
	uint64_t events = storm_events(thread->interrupts.delivered[level]);

	local_add_raw(&thread->asked, events);
	for (; events; events--)
		driver->interrupt(thread->buffer.scheme, &thread->buffer.writer,
				  CONTEXT_LEVEL_1 + level - 1);
}

/* More than a wrap of the short field goes by; higher levels and the beat may come meanwhile. */
static void hold(struct stress_thread *thread)
{
	uint32_t bits = stress_width(thread->config);
	uint64_t begin = clock_real(), wrap = UINT64_C(1) << (bits > 32 ? STALL_BITS : bits);

	while (clock_real() - begin < wrap + wrap / 8 && !stress_stop)
		;
}

/*
 * Whoever interrupts a reserve of the task keeps it waiting for a wrap, records, and keeps it for
 * another. Not that of a beat: the next one could not come in time.
 */
static void handle_stall(struct stress_thread *thread, unsigned int level)
{
	bool hit = thread->interrupts.hit && thread->interrupts.depth == 1;

	if (hit) {
		hold(thread);
		local_add_raw(&thread->result.stalls, 1);
	}
	handle_storm(thread, level);
	if (hit)
		hold(thread);
}

double stall_stretch(const struct stress_config *config)
{
	uint32_t bits = stress_width(config);
	double wrap = (double)(UINT64_C(1) << (bits > 32 ? STALL_BITS : bits));
	double wrap_ns = 1e9 * wrap / ticks_hz();

	return STALL_WRAPS * wrap_ns / STORM_LEVEL_1_NS;
}

int storm_timers(struct stress_thread *thread)
{
	const struct stress_config *config = thread->config;
	uint64_t period = config->has_sender ? STORM_LEVEL_3_NS : STORM_TIMER_ONLY_NS;
	/* A timer below its least period would starve the thread on a virtual machine. */
	double slower = thread->stretch > 1 ? thread->stretch : 1;
	unsigned int level = config->has_sender ? 3 : 1;
	uint64_t own;

	if (!thread->ops->storm)
		return 0;
	thread->sender.period_ns[1] = (uint64_t)(STORM_LEVEL_1_NS * thread->stretch);
	thread->sender.period_ns[2] =
		config->levels < 2 ? 0 : (uint64_t)(STORM_LEVEL_2_NS * thread->stretch);
	for (; level <= config->levels; level++) {
		/* Unequal periods, so that the levels drift through each other. */
		own = (uint64_t)((double)(period + 7000u * (level - 1)) * slower);
		if (interrupts_timer(&thread->interrupts, level, own, false))
			return EXIT_RESOURCE;
	}
	return 0;
}

int storm_adapt(struct stress_thread *thread, uint64_t events, uint64_t cpu_ns)
{
	double share;

	if (!thread->ops->adapt || cpu_ns < ADAPT_LEAST_NS)
		return 0;
	share = (double)events * thread->calm_ns / (double)cpu_ns;
	if (share < SHARE_LEAST)
		thread->stretch *= 1.15;
	else if (share > SHARE_MUCH && thread->stretch > STRETCH_LEAST)
		thread->stretch /= 1.1;
	else
		return 0;
	return storm_timers(thread);
}

int storm_send(const struct stress_config *config, struct stress_thread *thread)
{
	pid_t target;

	if (place_bind_self(config->place, config->pu[config->threads]))
		return EXIT_RESOURCE;
	do
		target = __atomic_load_n(&thread->sender.target, __ATOMIC_ACQUIRE);
	while (!target && !__atomic_load_n(&thread->sender.stop, __ATOMIC_ACQUIRE));
	if (target)
		interrupt_sender_run(&thread->sender, (uint64_t)((config->seconds + 5) * 1e9));
	if (thread->sender.error && thread->sender.error != ESRCH) {
		fprintf(stderr, "stampede: cannot send a signal: %s\n",
			strerror(thread->sender.error));
		return EXIT_RESOURCE;
	}
	return 0;
}

const struct stress_ops stress_ops_steady = {
	.record = run,
	.interrupt = handle_storm,
};

const struct stress_ops stress_ops_storm = {
	.storm = true,
	.adapt = true,
	.record = run_storm,
	.interrupt = handle_storm,
};

const struct stress_ops stress_ops_stall = {
	.storm = true,
	.bits = STALL_BITS,
	.beaten_bits = STALL_BEATEN_BITS,
	.record = run_storm,
	.interrupt = handle_stall,
};
