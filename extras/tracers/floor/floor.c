// SPDX-License-Identifier: MIT
/* What recording costs without a ring: the least that a price can be. It keeps the last 64 Ki
 * events. */
#include <x86intrin.h>

#include "extras/tracers/tracer.h"

#define KEPT 65536

static struct {
	uint64_t time, seq;
} last[2][KEPT];
static uint64_t count[2];

static int open_nothing(const char *folder)
{
	(void)folder;
	return 0;
}

static uint64_t now(void)
{
	return __rdtsc();
}

static void record(unsigned int stream, uint64_t seq)
{
	uint64_t at = count[stream]++ % KEPT;

	last[stream][at].time = now();
	last[stream][at].seq = seq;
}

static int say(const char *folder, FILE *decoded)
{
	uint64_t i;
	unsigned int of;

	(void)folder;
	for (of = 0; of < 2; of++) {
		i = count[of] > KEPT ? count[of] - KEPT : 0;
		fprintf(decoded, "lost %u %llu\n", of, (unsigned long long)i);
		for (; i < count[of]; i++)
			fprintf(decoded, "event %u %llu %llu\n", of,
				(unsigned long long)last[of][i % KEPT].seq,
				(unsigned long long)last[of][i % KEPT].time);
	}
	return 0;
}

const struct tracer_calls tracer = { open_nothing, record, now, say };
