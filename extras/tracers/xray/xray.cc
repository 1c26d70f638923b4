// SPDX-License-Identifier: MIT
/*
 * LLVM XRay's flight data recorder. usage: PROGRAM FOLDER steady|blocks EVENTS EVERY
 *
 *	steady	a function that records a custom event, EVENTS times
 *	blocks	a few of them, each of which ends in a call of a short function (a tail call); every
 *		fourth one sleeps before for longer than 2^31 ticks, as one that waits for input
 *does
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <x86intrin.h>
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#include "extras/tracers/truth.h"

#define BLOCK_US 1700000
#define BLOCKS_MOST 16

static struct truth truth;
static volatile uint64_t sink;
static bool blocks;

static inline uint64_t ticks(void)
{
	unsigned int cpu;

	return __rdtscp(&cpu);
}

[[clang::xray_always_instrument]] static __attribute__((noinline)) uint64_t after(uint64_t seq)
{
	sink = seq;
	return seq + 1;
}

[[clang::xray_always_instrument]] static __attribute__((noinline)) uint64_t work(uint64_t seq)
{
	if (blocks && seq % 4 == 3)
		usleep(BLOCK_US);
	return after(seq);
}

/* The event is the custom event of its body. */
[[clang::xray_always_instrument]] static __attribute__((noinline)) void event(unsigned int stream,
									      uint64_t seq)
{
	char text[24];

	(void)stream;
	__xray_customevent(text, (size_t)snprintf(text, sizeof(text), "n%lu", (unsigned long)seq));
}

int main(int argc, char **argv)
{
	uint64_t events = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;

	blocks = argc == 5 && !strcmp(argv[2], "blocks");
	if (blocks && events > BLOCKS_MOST)
		events = BLOCKS_MOST;
	if (argc != 5 || chdir(argv[1]) ||
	    truth_open(&truth, 0, events, (unsigned int)atoi(argv[4])))
		return 1;
	if (__xray_log_select_mode("xray-fdr") != XRAY_REGISTRATION_OK ||
	    __xray_log_init_mode("xray-fdr",
				 "buffer_size=65536:buffer_max=4096:"
				 "func_duration_threshold_us=5") != XRAY_LOG_INITIALIZED ||
	    __xray_patch() != XRayPatchingStatus::SUCCESS)
		return 3;
	while (truth.next < truth.most)
		work(truth_event(&truth, ticks, event));
	__xray_log_finalize();
	usleep(100000);
	__xray_log_flushLog();
	FILE *out = fopen("truth", "w");
	if (!out)
		return 3;
	truth_write(&truth, out);
	return fclose(out) ? 3 : 0;
}
