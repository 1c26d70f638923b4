// SPDX-License-Identifier: MIT
/* See place.h; the planner is in place_plan.c. */
#define _GNU_SOURCE
#include "runner/place/place.h"

#include <errno.h>
#include <sched.h>
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
#define XML_FLAGS \
	(HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES)

static int no_memory(void)
{
	return fail_memory("the placement of threads");
}

/*
 * A user who started us under taskset gets no thread outside of that mask. The kernel is asked
 * directly: hwloc_get_cpubind() leaves out CPUs the topology does not have, and those are what
 * gives a file from another machine away.
 */
static int apply_affinity(struct place *place, const char *path)
{
	hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(place->topology);
	unsigned long mask[(CPU_NUMBER_MAX + 1) / (8 * sizeof(unsigned long))] = { 0 };
	hwloc_bitmap_t affinity = hwloc_bitmap_alloc();
	int status = EXIT_FINE;

	if (sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask))
		status = fail_with(EXIT_RESOURCE, "cannot read the CPU affinity of this thread: %s",
				   strerror(errno));
	else if (!affinity ||
		 hwloc_bitmap_from_ulongs(affinity, sizeof(mask) / sizeof(mask[0]), mask))
		status = no_memory();
	else if (path && !hwloc_bitmap_isincluded(affinity, complete))
		status = fail_with(EXIT_USAGE,
				   "topology file %s is of another machine: it lacks CPUs of "
				   "this one; delete it",
				   path);
	else
		hwloc_bitmap_and(place->allowed, place->allowed, affinity);
	hwloc_bitmap_free(affinity);
	return status;
}

/* path: a topology file, or NULL. */
static int load(struct place *place, const char *path)
{
	int status = EXIT_FINE;

	if (hwloc_topology_init(&place->topology))
		return no_memory();
	if (path && hwloc_topology_set_xml(place->topology, path))
		return fail_with(EXIT_USAGE, "cannot read topology file %s: %s", path,
				 strerror(errno));
	if (hwloc_topology_set_flags(place->topology, DISCOVERY_FLAGS | (path ? XML_FLAGS : 0)) ||
	    hwloc_topology_load(place->topology))
		return path ? fail_with(EXIT_USAGE, "cannot load topology file %s: %s; delete it",
					path, strerror(errno)) :
			      fail_with(EXIT_RESOURCE, "cannot discover the CPU topology: %s",
					strerror(errno));
	place->allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(place->topology));
	if (!place->allowed ||
	    hwloc_bitmap_and(place->allowed, place->allowed,
			     hwloc_topology_get_topology_cpuset(place->topology)))
		return no_memory();
	if (hwloc_topology_is_thissystem(place->topology))
		status = apply_affinity(place, path);
	if (!status && hwloc_bitmap_iszero(place->allowed))
		status = fail_with(EXIT_RESOURCE, "no CPU is allowed: widen the cpuset");
	if (!status && hwloc_bitmap_list_asprintf(&place->allowed_text, place->allowed) < 0)
		status = no_memory();
	return status;
}

int place_open_xml(struct place *place, const char *path)
{
	int status;

	memset(place, 0, sizeof(*place));
	status = load(place, path);
	if (status)
		place_close(place);
	return status;
}

int place_open(struct place *place)
{
	return place_open_xml(place, NULL);
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

/* ---- the record ---- */

/*
 * What may be told about a machine. A list of what to keep, not of what to drop: a later hwloc
 * may export identifying facts that are not known here.
 */
static const char *const kept_infos[] = {
	"Architecture", "Backend",	    "CPUFamilyNumber", "CPUModel",  "CPUModelNumber",
	"CPURevision",	"CPUStepping",	    "CPUType",	       "CPUVendor", "ClusterMode",
	"CoreType",	"FrequencyBaseMHz", "FrequencyMaxMHz", "Inclusive", "LinuxCapacity",
	"MemoryMode",	"OSName",	    "OSRelease",       "OSVersion", "SyntheticDescription",
	"hwlocVersion",
};

static bool kept(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kept_infos) / sizeof(kept_infos[0]); i++)
		if (!strcmp(kept_infos[i], name))
			return true;
	return false;
}

/* hwloc has no call for it; what is public of an object, it frees as it was made, by free(3). */
static void strip_object(hwloc_obj_t object)
{
	unsigned int i, count = 0;

	for (i = 0; i < object->infos_count; i++) {
		if (kept(object->infos[i].name)) {
			object->infos[count++] = object->infos[i];
			continue;
		}
		free(object->infos[i].name);
		free(object->infos[i].value);
	}
	object->infos_count = count;
}

/* And all below it. */
static void strip_infos(hwloc_obj_t object)
{
	hwloc_obj_t const children[] = { object->first_child, object->memory_first_child,
					 object->io_first_child, object->misc_first_child };
	hwloc_obj_t child;
	unsigned int i;

	strip_object(object);
	for (i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		for (child = children[i]; child; child = child->next_sibling)
			strip_infos(child);
}

int place_write_xml(FILE *out, void *arg)
{
	const struct place *place = arg;
	hwloc_topology_t copy;
	int length, failed = -1;
	char *exported;

	if (hwloc_topology_dup(&copy, place->topology))
		return -1;
	strip_infos(hwloc_get_root_obj(copy));
	if (!hwloc_topology_export_xmlbuffer(copy, &exported, &length, 0)) {
		failed = fputs(exported, out) == EOF;
		hwloc_free_xmlbuffer(copy, exported);
	}
	hwloc_topology_destroy(copy);
	return failed;
}
