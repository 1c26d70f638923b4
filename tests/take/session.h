/* SPDX-License-Identifier: MIT */
/* Traces of session.c: begun, with some events, and ended. */
#pragma once

#include "tests/take/taken.h"

#define WORK(F) F(u64, number) F(u32, who)
E(EVENT)(work, 1, WORK);
E(EVENT)(fill, 2, WORK);

static struct T(event_type) types[2];
static struct T(trace_options) options = { NULL, types, 2, 0, 0, 0, 0, false, 0 };
static struct T(trace_counts) counts;
static const char *folder;

static int begin(const char *name)
{
	types[0] = work_type;
	types[1] = fill_type;
	options.folder = name;
	return T(trace_start)(&options);
}

static void some(uint32_t who, int many)
{
	int i;

	for (i = 0; i < many; i++)
		CHECK(!work_write(T(here)(), (uint64_t)i, who));
}

/* So many events, and nothing that is missing. */
static void end(uint64_t events)
{
	CHECK(!T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(counts.events == events && !counts.lost && !counts.unwritten && !counts.strays &&
	      !counts.error);
	printf("%s %" PRIu64 "\n", options.folder, events);
}

static void *thread(void *many)
{
	some(7, (int)(intptr_t)many);
	return NULL;
}

static void threads(int together, int many)
{
	pthread_t all[128];
	int i;

	for (i = 0; i < together; i++)
		CHECK(!pthread_create(&all[i], NULL, thread, (void *)(intptr_t)many));
	for (i = 0; i < together; i++)
		pthread_join(all[i], NULL);
}

static const char *numbered(int number)
{
	static char names[64][4096];

	snprintf(names[number], sizeof(names[number]), "%s/%d", folder, number);
	return names[number];
}
