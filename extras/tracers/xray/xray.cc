// SPDX-License-Identifier: MIT
/*
 * LLVM XRay's flight data recorder. An event is a function that records a custom event, and one
 * that ends in a call of a short function (a tail call). With $BLOCKS every fourth one sleeps
 * before that for longer than 2^31 ticks, as one that waits for input does.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <x86intrin.h>
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#include "extras/tracers/tracer.h"

#define BLOCK_US 1700000

static volatile uint64_t sink;
static bool blocks;

static uint64_t ticks(void)
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
	char text[48];

	__xray_customevent(
		text, (size_t)snprintf(text, sizeof(text), "n%u.%lu", stream, (unsigned long)seq));
}

static int open_recorder(const char *folder)
{
	blocks = getenv("BLOCKS");
	if (chdir(folder))
		return 3;
	return __xray_log_select_mode("xray-fdr") != XRAY_REGISTRATION_OK ||
			       __xray_log_init_mode("xray-fdr", "buffer_size=65536:buffer_max=4096:"
								"func_duration_threshold_us=5") !=
				       XRAY_LOG_INITIALIZED ||
			       __xray_patch() != XRayPatchingStatus::SUCCESS ?
		       3 :
		       0;
}

static void record(unsigned int stream, uint64_t seq)
{
	event(stream, seq);
	work(seq);
}

static int flush(const char *folder, FILE *decoded)
{
	(void)folder;
	(void)decoded;
	__xray_log_finalize();
	usleep(100000);
	return __xray_log_flushLog() == XRAY_LOG_FLUSHED ? 0 : 3;
}

extern "C" const struct tracer_calls tracer = { open_recorder, record, ticks, flush };
