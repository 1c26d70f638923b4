// SPDX-License-Identifier: MIT
#include "runner/where.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner/place/ticks.h"
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
	unsigned int i;
	int error = place_open(&where->place);

	where->program = program;
	where->seed = seed;
	if (!error)
		error = place_plan(&where->place, list, wanted_cpus(&where->place, list),
				   &where->cpus);
	if (error || interrupts_install())
		return error ? error : EXIT_RESOURCE;
	where->count = where->cpus.count < CELL_THREADS_MAX ? where->cpus.count : CELL_THREADS_MAX;
	for (i = 0; i < where->count; i++)
		where->cpu[i] = (int)where->cpus.pu[i];
	where->load_known = getloadavg(where->load_before, 3) == 3;
	where->machine = machine_read("", where->cpu, where->count);
	metadata_host_alias(where->machine, where->alias);
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
	json_decref(where->machine);
	place_plan_free(&where->cpus);
	place_close(&where->place);
}

/* Pointers into `where`, valid as long as it is. */
static struct metadata_input describe(struct where *where)
{
	where->load_known &= getloadavg(where->load_after, 3) == 3;
	return (struct metadata_input){
		.machine = where->machine,
		.host_alias = where->alias,
		.executable = where->program,
		.cpus = where->cpu,
		.cpu_count = where->count,
		.tsc_hz = ticks_hz(),
		.tsc_hz_source = ticks_source(),
		.seed = where->seed,
		.load_before = where->load_known ? where->load_before : NULL,
		.load_after = where->load_known ? where->load_after : NULL,
		.perf_errno = where->perf_errno,
		.benchmark_version = gbench_version(),
	};
}

json_t *where_warnings(struct where *where)
{
	struct metadata_input input = describe(where);

	return warnings_collect(&input);
}

json_t *where_context(struct where *where)
{
	struct metadata_input input = describe(where);

	return metadata_context(&input);
}
