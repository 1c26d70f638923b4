/* SPDX-License-Identifier: MIT */
/*
 * What /proc and /sys say about this machine, read once without root and never guessed: text that
 * cannot be read is "unknown", a number -1, a yes-or-no TRI_UNKNOWN. metadata.c turns this into the
 * record's fields, warnings.c into advice.
 */
#ifndef STAMPEDE_RESULTS_MACHINE_H
#define STAMPEDE_RESULTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_UNKNOWN "unknown"
#define MACHINE_CPUS_MAX 8192

/* Zero is "unknown", so that what nobody filled in claims nothing. */
enum tristate { TRI_UNKNOWN, TRI_NO, TRI_YES };

const char *tristate_text(enum tristate state);

struct machine {
	char kernel[128];
	char cpu_vendor[64];
	char cpu_model[128];
	char microcode[32];
	long cpu_family;
	long cpu_model_number;
	long cpu_stepping;
	double cpu_mhz; /* highest the CPU may run at, else what it runs at now */
	long cpu_count; /* online */
	long long memory_bytes;

	enum tristate constant_tsc;
	enum tristate nonstop_tsc;
	enum tristate hypervisor;
	char hypervisor_name[64]; /* "none" without one */

	/* Of the CPUs asked for; the first one to blame is named. */
	char governor[64]; /* all that occur, comma between them */
	enum tristate governor_slow; /* some governor is not "performance" */
	int governor_cpu;
	char governor_of_cpu[32];
	enum tristate sibling; /* some CPU shares its core with another */
	int sibling_cpu;
	char sibling_list[64];

	enum tristate turbo;
	char smt_control[32]; /* the kernel's word: on, off, notsupported, ... */
	char isolated_cpus[512]; /* "" is none */
	char nohz_full_cpus[512]; /* "" is none */
	char clocksource[64];
	bool perf_event_paranoid_known;
	long perf_event_paranoid; /* may be -1, hence the flag */
};

/*
 * sysroot: put in front of /proc and /sys, "" in real life. cpus: OS numbers of the CPUs that the
 * per-CPU facts are about; with cpu_count 0, all that are online.
 */
void machine_read(const char *sysroot, const int *cpus, size_t cpu_count, struct machine *m);

/* What people call the hypervisor of that CPUID signature: "KVM" for "KVMKVMKVM"; else as it is. */
void machine_hypervisor_name(const char *signature, char *name, size_t size);

/* The three load averages, unit: runnable tasks. False, and load untouched, if unreadable. */
__attribute__((nonnull, warn_unused_result)) bool machine_read_load(const char *sysroot,
								    double load[3]);

/*
 * First line of sysroot + path (a printf format), without space at its ends. False if unreadable,
 * and text is then "unknown".
 */
__attribute__((format(printf, 4, 5))) bool machine_read_text(const char *sysroot, char *text,
							     size_t size, const char *path, ...);

/*
 * The CPUs in a kernel list; returns how many, and stores the first max. -1 if malformed.
 * "0-2,8" gives 4: 0 1 2 8; "" gives 0.
 */
long machine_cpu_list(const char *list, int *cpus, size_t max);

#endif /* STAMPEDE_RESULTS_MACHINE_H */
