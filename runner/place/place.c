// SPDX-License-Identifier: MIT
/* See place.h; the planner is in place_plan.c. */
#define _GNU_SOURCE
#include "runner/place/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/*
 * Disallowed CPUs stay in the topology, or the sibling of an allowed one would be invisible. The
 * caller is not moved around: discovery by cpuid visits every CPU, which takes 10 ms when another
 * one is busy and disturbs whoever is measuring there.
 */
#define DISCOVERY_FLAGS \
	(HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING)

static int no_memory(void)
{
	return fail_memory("the placement of threads");
}

/* A user who started us under taskset gets no thread outside of that mask. */
static int apply_affinity(struct place *place)
{
	hwloc_bitmap_t affinity = hwloc_bitmap_alloc();
	int status = EXIT_FINE;

	if (!affinity || hwloc_get_cpubind(place->topology, affinity, HWLOC_CPUBIND_THREAD))
		status = fail_with(EXIT_RESOURCE, "cannot read the CPU affinity of this thread: %s",
				   strerror(errno));
	else
		hwloc_bitmap_and(place->allowed, place->allowed, affinity);
	hwloc_bitmap_free(affinity);
	return status;
}

static int load(struct place *place)
{
	int status = EXIT_FINE;

	if (hwloc_topology_init(&place->topology))
		return no_memory();
	if (hwloc_topology_set_flags(place->topology, DISCOVERY_FLAGS) ||
	    hwloc_topology_load(place->topology))
		return fail_with(EXIT_RESOURCE, "cannot discover the CPU topology: %s",
				 strerror(errno));
	place->allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(place->topology));
	if (!place->allowed ||
	    hwloc_bitmap_and(place->allowed, place->allowed,
			     hwloc_topology_get_topology_cpuset(place->topology)))
		return no_memory();
	if (hwloc_topology_is_thissystem(place->topology))
		status = apply_affinity(place);
	if (!status && hwloc_bitmap_iszero(place->allowed))
		status = fail_with(EXIT_RESOURCE, "no CPU is allowed: widen the cpuset");
	if (!status && hwloc_bitmap_list_asprintf(&place->allowed_text, place->allowed) < 0)
		status = no_memory();
	return status;
}

int place_open(struct place *place)
{
	int status;

	memset(place, 0, sizeof(*place));
	status = load(place);
	if (status)
		place_close(place);
	return status;
}

void place_close(struct place *place)
{
	free(place->allowed_text);
	hwloc_bitmap_free(place->allowed);
	if (place->topology)
		hwloc_topology_destroy(place->topology);
	memset(place, 0, sizeof(*place));
}

/* ---- binding ---- */

int place_bind_self(const struct place *place, unsigned pu)
{
	hwloc_bitmap_t only = hwloc_bitmap_alloc();
	int status;

	if (!only || hwloc_bitmap_only(only, pu))
		status = no_memory();
	else if (!hwloc_topology_is_thissystem(place->topology))
		status = fail_with(EXIT_RESOURCE,
				   "cannot pin to CPU %u: the topology is not this system's; unset "
				   "HWLOC_SYNTHETIC, HWLOC_XMLFILE and HWLOC_FSROOT",
				   pu);
	else if (!hwloc_bitmap_isset(place->allowed, pu))
		status = fail_with(EXIT_RESOURCE, "cannot pin to CPU %u: the allowed CPUs are %s",
				   pu, place->allowed_text);
	else if (hwloc_set_cpubind(place->topology, only,
				   HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT))
		status = fail_with(EXIT_RESOURCE,
				   "cannot pin to CPU %u: %s; the allowed CPUs were %s", pu,
				   strerror(errno), place->allowed_text);
	else
		status = place_verify_self(place, pu);
	hwloc_bitmap_free(only);
	return status;
}

int place_unbind_self(const struct place *place)
{
	if (!hwloc_set_cpubind(place->topology, place->allowed, HWLOC_CPUBIND_THREAD))
		return EXIT_FINE;
	return fail_with(EXIT_RESOURCE, "cannot go back to the allowed CPUs %s: %s",
			 place->allowed_text, strerror(errno));
}

int place_verify_self(const struct place *place, unsigned pu)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc(), ran = hwloc_bitmap_alloc();
	char *text = NULL;
	int status = EXIT_FINE;

	if (!bound || !ran)
		status = no_memory();
	else if (hwloc_get_cpubind(place->topology, bound, HWLOC_CPUBIND_THREAD) ||
		 hwloc_get_last_cpu_location(place->topology, ran, HWLOC_CPUBIND_THREAD))
		status = fail_with(EXIT_RESOURCE, "cannot tell which CPU this thread ran on: %s",
				   strerror(errno));
	else if (hwloc_bitmap_weight(bound) != 1 || !hwloc_bitmap_isset(bound, pu) ||
		 !hwloc_bitmap_isset(ran, pu))
		status = fail_with(EXIT_RESOURCE,
				   "a thread pinned to CPU %u is bound to %s and ran on CPU %d: "
				   "what it measured is void; look for what changes affinities "
				   "here (a cpuset, a taskset)",
				   pu, hwloc_bitmap_list_asprintf(&text, bound) < 0 ? "?" : text,
				   hwloc_bitmap_first(ran));
	free(text);
	hwloc_bitmap_free(bound);
	hwloc_bitmap_free(ran);
	return status;
}
