// SPDX-License-Identifier: MIT
/* replay and wraps: the writer waits for its next event on the real clock. */
#include "schemes/core/clock.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define WRAPS_BITS 20 /* a wrap of 0.4 ms: thousands of them */
#define WRAPS_BEATEN_BITS 26 /* slow enough for beats, also where CPU time is stolen */

/* Waits until `due` ticks; false: the round ended before. */
static bool wait_until(struct stress_thread *thread, uint64_t due, uint64_t round_end)
{
	uint64_t now = clock_real();

	thread->result.waits++;
	thread->result.waits_late += (int64_t)(now - due) > 0;
	while ((int64_t)(now - due) < 0) {
		if (stress_stop || (int64_t)(now - round_end) >= 0)
			return false;
		now = clock_real();
	}
	return true;
}

static uint64_t round_end_ticks(const struct stress_thread *thread)
{
	uint64_t now_ns = time_ns(), now = clock_real();

	if (now_ns >= thread->round_end_ns)
		return now;
	return now + (uint64_t)((double)(thread->round_end_ns - now_ns) * 1e-9 * ticks_hz());
}

/* Each event a recorded gap behind the one before. */
static void record_replay(struct stress_thread *thread, uint64_t events)
{
	struct buffer *buffer = &thread->buffer;
	uint64_t end = round_end_ticks(thread), last = clock_real(), gap;
	double ticks_per_ns = ticks_hz() * 1e-9;

	for (; events; events--) {
		gap = (uint64_t)(gaps_sample_ns(thread->config->gaps, &thread->random) *
				 ticks_per_ns);
		if (!wait_until(thread, last + gap, end))
			return;
		last = clock_real();
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	}
}

/* A share of the events, another in each round, comes a wrap and some more after the one before. */
static void record_wraps(struct stress_thread *thread, uint64_t events)
{
	static const uint64_t one_in[] = { 1, 10, 100, 1000, 100000 };
	struct buffer *buffer = &thread->buffer;
	uint32_t bits = stress_width(thread->config);
	uint64_t wrap = UINT64_C(1) << (bits > 32 ? WRAPS_BITS : bits);
	uint64_t every = one_in[stress_random(&thread->random) % 5];
	uint64_t end = round_end_ticks(thread), random;

	for (; events && (int64_t)(clock_real() - end) < 0 && !stress_stop; events--) {
		random = stress_random(&thread->random);
		if (random % every == 0 &&
		    !wait_until(thread, clock_real() + wrap + (random >> 32) % wrap, end))
			return;
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	}
}

static void no_interrupt(struct stress_thread *thread, unsigned int level)
{
	(void)thread;
	(void)level;
}

const struct stress_ops stress_ops_replay = {
	.record = record_replay,
	.interrupt = no_interrupt,
};

const struct stress_ops stress_ops_wraps = {
	.bits = WRAPS_BITS,
	.beaten_bits = WRAPS_BEATEN_BITS,
	.record = record_wraps,
	.interrupt = no_interrupt,
};
