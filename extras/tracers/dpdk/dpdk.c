// SPDX-License-Identifier: MIT
/* DPDK's trace library, in its default mode; it writes CTF, which babeltrace2 reads. */
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_trace.h>

#include "extras/tracers/dpdk/stamp.h"
#include "extras/tracers/tracer.h"

static int open_eal(const char *folder)
{
	char folder_option[512];
	char *argv[] = { "dpdk",
			 "--no-huge",
			 "--no-shconf",
			 "--no-pci",
			 "-l",
			 "0",
			 "--log-level=1",
			 "--trace=stampede.stamp",
			 "--trace-bufsz=16M",
			 folder_option };

	snprintf(folder_option, sizeof(folder_option), "--trace-dir=%s", folder);
	return rte_eal_init(sizeof(argv) / sizeof(argv[0]), argv) < 0 ? 3 : 0;
}

static void record(unsigned int stream, uint64_t seq)
{
	stampede_stamp(stream, seq);
}

static uint64_t now(void)
{
	return rte_rdtsc();
}

static int save(const char *folder, FILE *decoded)
{
	(void)folder;
	(void)decoded;
	return rte_trace_save() ? 3 : 0;
}

const struct tracer_calls tracer = { open_eal, record, now, save };
