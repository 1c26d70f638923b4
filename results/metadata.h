/* SPDX-License-Identifier: MIT */
/*
 * Where a run came from: the metadata of the record, and warnings about a machine that disturbs
 * its times. SCHEMA.md lists the fields. What cannot be known is the text "unknown" or JSON null,
 * never a guess; the real host name appears nowhere.
 */
#ifndef STAMPEDE_RESULTS_METADATA_H
#define STAMPEDE_RESULTS_METADATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#define METADATA_ALIAS_BYTES 65

/* Whether perf_event_open() worked; only the runner can know. */
enum perf_access { PERF_UNTRIED, PERF_OPENED, PERF_REFUSED };

/* All zero is "nothing known", and fine: each field left out is recorded as unknown. */
struct metadata_input {
	const char *sysroot; /* put before /proc and /sys; NULL or "" in real life */
	const char *host_alias; /* of metadata_host_alias(); NULL: made here */
	const char *executable; /* argv[0]; only its last component is kept */
	const int *cpus; /* OS numbers of the CPUs used; checks are about these, */
	size_t cpu_count; /* and with 0, about all that are online */
	double tsc_hz; /* 0: unknown */
	const char *tsc_hz_source; /* "cpuid", "clock_gettime 100 ms", ... */
	const uint64_t *seed;
	const char *order; /* of the cells, as text */
	const double *load_before; /* three each, of machine_read_load() */
	const double *load_after;
	enum perf_access perf_access;
	int perf_errno; /* with PERF_REFUSED */
	const char *hwloc_version;
	const char *benchmark_version; /* of Google Benchmark */
	const char *library_build_type; /* "debug" or "release", as that library says of itself */
};

/*
 * A name for this machine that may be published: $STAMPEDE_HOST_ALIAS if that holds anything
 * usable, else CPU model and number of CPUs, such as "amd-epyc-2cpu". Fit for record_create().
 * size >= METADATA_ALIAS_BYTES.
 */
void metadata_host_alias(const char *sysroot, char *alias, size_t size);

/*
 * {"revision", "dirty"} of a GIT_STATE such as "1a2b3c4d5e6f" or "1a2b3c4d5e6f-dirty", as
 * `git describe --always --dirty --abbrev=12 --exclude='*'` prints it. "unknown" or "": unknown.
 */
json_t *metadata_git(const char *state);

/* The context of bench.json: Google Benchmark's keys, and "stampede". A new reference, or NULL. */
json_t *metadata_context(const struct metadata_input *in);

/*
 * What disturbs times here: an array of {"name", "state", "cause", "remedy"}, always all of
 * governor, turbo, smt, hypervisor, tsc, load, perf. state: "yes" disturbs, "no" does not,
 * "unknown". load is judged by load_before: more than 0.5 per online CPU. A new reference; NULL if
 * out of memory.
 */
json_t *warnings_collect(const struct metadata_input *in);

/*
 * Prints every warning that is not "no", two lines of at most 100 columns each. Returns how many
 * are "yes".
 */
size_t warnings_print(const json_t *warnings, FILE *out);

/* Names them on one line. Returns how many. */
size_t warnings_name(const json_t *warnings, FILE *out);

#endif /* STAMPEDE_RESULTS_METADATA_H */
