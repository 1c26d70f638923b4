// SPDX-License-Identifier: MIT
#include "runner/where.h"

#include <stdlib.h>

#include "runner/place/ticks.h"
#include "runner/timing/counters.h"
#include "runner/timing/gbench.h"
#include "workloads/engine/interrupts.h"

static unsigned int wanted_cpus(const struct place *place, const char *list)
{
	hwloc_bitmap_t asked = list ? hwloc_bitmap_alloc() : NULL;
	int count = hwloc_bitmap_weight(place->allowed);

	if (asked && !hwloc_bitmap_list_sscanf(asked, list))
		count = hwloc_bitmap_weight(asked);
	hwloc_bitmap_free(asked);
	return count > 0 ? (unsigned int)count : 1;
}

static void spin(void *arg)
{
	volatile unsigned int *turns = arg;

	while (*turns)
		--*turns;
}

/* 0, or why they cannot be had, an errno. */
static int try_counters(void)
{
	unsigned int turns = 10000;
	uint64_t count[2];

	return counters_count(NULL, spin, &turns, count);
}

int where_open(struct where *where, const char *list, const char *program, uint64_t seed)
{
	int error = place_open(&where->place);

	if (!error)
		error = place_plan(&where->place, list, wanted_cpus(&where->place, list),
				   &where->cpus);
	if (error || interrupts_install())
		return error ? error : EXIT_RESOURCE;
	where->program = program;
	where->load_known = getloadavg(where->load_before, 3) == 3;
	where->machine = machine_read("", where->cpus.pu, where->cpus.count);
	metadata_host_alias(where->machine, where->alias);
	where->run = (struct metadata_input){
		.machine = where->machine,
		.host_alias = where->alias,
		.executable = program,
		.cpus = where->cpus.pu,
		.cpu_count = where->cpus.count,
		.tsc_hz = ticks_hz(),
		.tsc_hz_source = ticks_source(),
		.seed = seed,
		.load_before = where->load_known ? where->load_before : NULL,
		.perf_errno = try_counters(),
		.benchmark_version = gbench_version(),
	};
	return 0;
}

void where_close(struct where *where)
{
	json_decref(where->machine);
	place_plan_free(&where->cpus);
	place_close(&where->place);
}

json_t *where_context(struct where *where)
{
	if (where->load_known && getloadavg(where->load_after, 3) == 3)
		where->run.load_after = where->load_after;
	return metadata_context(&where->run);
}
