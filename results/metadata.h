/* SPDX-License-Identifier: MIT */
/*
 * Where a run came from: the machine, the metadata of the record, and warnings about what disturbs
 * its times. SCHEMA.md lists the fields. What cannot be known is the text "unknown" or JSON null,
 * never a guess; the real host name appears nowhere.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#define METADATA_ALIAS_BYTES 65
#define METADATA_UNKNOWN "unknown"

/*
 * What lscpu, /proc and /sys say of this machine, without root: "kernel", "cpu", "tsc" and
 * "hypervisor" of context.stampede. sysroot: put before /proc and /sys, "" in real life. cpus: OS
 * numbers of the `count` CPUs that governor and shares_core are about; with 0, all that are online.
 * A new reference.
 */
json_t *machine_read(const char *sysroot, const unsigned int *cpus, size_t count);

/* A run on it. */
struct metadata_input {
	const json_t *machine;
	const char *host_alias; /* of metadata_host_alias() */
	const char *executable; /* argv[0]; only its last component is kept */
	const unsigned int *cpus; /* OS numbers of the CPUs used */
	size_t cpu_count;
	double tsc_hz; /* 0: unknown */
	const char *tsc_hz_source; /* "cpuid", "clock_gettime 100 ms", ... */
	uint64_t seed;
	const double *load_before; /* three each, of getloadavg(); NULL: unknown */
	const double *load_after;
	int perf_errno; /* of perf_event_open(); 0: hardware counters can be read */
	const char *benchmark_version; /* of Google Benchmark; NULL: unknown */
};

/*
 * A name for this machine that may be published: $STAMPEDE_HOST_ALIAS if that holds anything
 * usable, else CPU model and number of CPUs, such as "amd-epyc-2cpu". Fit for record_create().
 */
void metadata_host_alias(const json_t *machine, char alias[METADATA_ALIAS_BYTES]);

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

/* Prints every warning that is not "no", two lines of at most 100 columns each. */
void warnings_print(const json_t *warnings, FILE *out);

/* Names them on one line. */
void warnings_name(const json_t *warnings, FILE *out);
