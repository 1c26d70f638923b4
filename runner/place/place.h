/* SPDX-License-Identifier: MIT */
/*
 * Where threads go: on CPUs by their OS index, the number in /proc/cpuinfo and in taskset.
 *
 * "Allowed" is what the control group permits, intersected with the affinity mask of the thread
 * that opened the topology: open it before pinning that thread, or only its own CPU is left.
 * The planner only reads a topology, so tests give it machines that they do not have; binding
 * refuses each topology that is not this system's, since hwloc then pretends to succeed.
 *
 * Functions that return int have printed one line on stderr when it is not EXIT_FINE. All but the
 * open and close functions may be called by several threads at once on the same struct place.
 */
#pragma once

#include <hwloc.h>

#include "base/exit.h"

/* Linux is built for at most 8192 CPUs; larger numbers in a list are typing errors. */
#define CPU_NUMBER_MAX 65535u

struct place {
	hwloc_topology_t topology; /* all CPUs, allowed or not, so that siblings are seen */
	hwloc_bitmap_t allowed;
	char *allowed_text; /* such as "0-3,8" */
};

struct place_plan {
	unsigned *pu; /* OS indexes in the order chosen: thread i goes to pu[i] */
	unsigned count; /* as many as were asked for */
};

/*
 * Discover this machine: 1 to 2 ms on a small one, growing with its CPUs. Never moves the calling
 * thread. EXIT_RESOURCE if discovery fails or no CPU is allowed.
 */
int place_open(struct place *place);

/* Safe on a zeroed struct and on one whose opening failed. */
void place_close(struct place *place);

/*
 * Choose CPUs for `threads` threads (>= 1): of the fastest kind of CPU first, one per core, in the
 * order in which cores are laid out, then their SMT siblings.
 *
 * `list` is NULL, or the user's CPUs ("0,2-3"): used in the order given, each at most once, and
 * at least as many as threads.
 *
 * EXIT_USAGE: no threads; a list that cannot be parsed, is too short, repeats a CPU or names one
 * that is not allowed. EXIT_RESOURCE: fewer allowed CPUs than threads, or no memory.
 * On success the plan is to be freed with place_plan_free().
 */
int place_plan(const struct place *place, const char *list, unsigned threads,
	       struct place_plan *plan);
void place_plan_free(struct place_plan *plan);

/*
 * Pin the calling thread to the allowed CPU `pu` and read the binding back. Threads created
 * afterwards inherit it. EXIT_RESOURCE if the system refuses or reports another binding.
 */
int place_bind_self(const struct place *place, unsigned pu);

/* Let the calling thread run on all allowed CPUs again, for processes that it will start. */
int place_unbind_self(const struct place *place);

/*
 * At the end of a measurement: the calling thread is still bound to `pu` alone and last ran on
 * it. EXIT_RESOURCE if something moved it, which voids what was measured.
 */
int place_verify_self(const struct place *place, unsigned pu);
