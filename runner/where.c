// SPDX-License-Identifier: MIT
#include "runner/where.h"

#include <errno.h>
#include <stdio.h>

#include "runner/place/ticks.h"
#include "results/machine.h"
#include "runner/timing/counters.h"
#include "runner/timing/gbench.h"
#include "workloads/engine/interrupts.h"
#include "results/record.h"

static unsigned int wanted_cpus(const struct place *place, const char *list)
{
	hwloc_bitmap_t asked = list ? hwloc_bitmap_alloc() : NULL;
	int count = hwloc_bitmap_weight(place->allowed);

	if (asked && !hwloc_bitmap_list_sscanf(asked, list))
		count = hwloc_bitmap_weight(asked);
	hwloc_bitmap_free(asked);
	return count > 0 ? (unsigned int)count : 1;
}

static void try_counters(struct where *where)
{
	struct counters counters;
	int refused;

	errno = 0;
	refused = counters_open(&counters, COUNTERS_USER);
	where->perf_errno = refused ? errno ? errno : ENOENT : 0;
	counters_close(&counters);
}

int where_open(struct where *where, const char *list, const char *program, uint64_t seed)
{
	unsigned int i, version = hwloc_get_api_version();
	int error = place_open(&where->place);

	where->program = program;
	where->seed = seed;
	if (!error)
		error = place_plan(&where->place, list, wanted_cpus(&where->place, list),
				   &where->cpus);
	if (error || interrupts_install())
		return error ? error : EXIT_RESOURCE;
	snprintf(where->hwloc_version, sizeof(where->hwloc_version), "%u.%u.%u", version >> 16,
		 version >> 8 & 255, version & 255);
	for (i = 0; i < where->cpus.count && i < CELL_THREADS_MAX; i++)
		where->cpu[i] = (int)where->cpus.pu[i];
	where->load_known = machine_read_load("", where->load_before);
	metadata_host_alias(NULL, where->alias, sizeof(where->alias));
	try_counters(where);
	return 0;
}

int where_export(struct where *where, struct record *record)
{
	snprintf(where->topology, sizeof(where->topology), "%s/topology.xml", record_dir(record));
	return record_write_file(record, "topology.xml", place_write_xml, &where->place);
}

void where_close(struct where *where)
{
	place_plan_free(&where->cpus);
	place_close(&where->place);
}

/* Pointers into `where`, valid as long as it is. */
static struct metadata_input describe(const struct where *where)
{
	unsigned int count = where->cpus.count;

	return (struct metadata_input){
		.host_alias = where->alias,
		.executable = where->program,
		.cpus = where->cpu,
		.cpu_count = count < CELL_THREADS_MAX ? count : CELL_THREADS_MAX,
		.tsc_hz = ticks_hz(),
		.tsc_hz_source = ticks_source(),
		.seed = &where->seed,
		.order = "rounds, shuffled by splitmix64 of seed and round",
		.load_before = where->load_known ? where->load_before : NULL,
		.load_after = where->load_known ? where->load_after : NULL,
		.perf_access = where->perf_errno ? PERF_REFUSED : PERF_OPENED,
		.perf_errno = where->perf_errno,
		.hwloc_version = where->hwloc_version,
		.benchmark_version = gbench_version(),
		.library_build_type = "unknown",
	};
}

json_t *where_warnings(struct where *where)
{
	struct metadata_input input = describe(where);

	return warnings_collect(&input);
}

json_t *where_context(struct where *where)
{
	struct metadata_input input;

	where->load_known &= machine_read_load("", where->load_after);
	input = describe(where);
	return metadata_context(&input);
}
