// SPDX-License-Identifier: MIT
/*
 * The planner of place.h: reads place->topology and place->allowed, and asks the system nothing.
 */
#include "runner/place/place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/*
 * Moves CPUs from `candidates` to the plan: in each round, the first one left of every core. Cores
 * are walked in hwloc's logical order, in which neighbours are close, and not by OS index, which
 * may alternate between packages.
 */
static void take_by_core(const struct place *place, hwloc_bitmap_t candidates, unsigned threads,
			 struct place_plan *plan)
{
	hwloc_bitmap_t round = hwloc_bitmap_alloc();
	hwloc_obj_t pu;

	while (plan->count < threads && !hwloc_bitmap_iszero(candidates)) {
		hwloc_bitmap_copy(round, candidates);
		hwloc_bitmap_singlify_per_core(place->topology, round, 0);
		pu = NULL;
		while (plan->count < threads &&
		       (pu = hwloc_get_next_obj_by_type(place->topology, HWLOC_OBJ_PU, pu))) {
			if (!hwloc_bitmap_isset(round, pu->os_index))
				continue;
			plan->pu[plan->count++] = pu->os_index;
			hwloc_bitmap_clr(candidates, pu->os_index);
		}
	}
	hwloc_bitmap_free(round);
}

/* hwloc sorts kinds from efficient to fast; CPUs of no known kind come last. */
static void choose(const struct place *place, unsigned threads, struct place_plan *plan)
{
	hwloc_bitmap_t left = hwloc_bitmap_dup(place->allowed), of_kind = hwloc_bitmap_alloc();
	int kind = hwloc_cpukinds_get_nr(place->topology, 0);

	while (--kind >= 0) {
		if (hwloc_cpukinds_get_info(place->topology, (unsigned)kind, of_kind, NULL, NULL,
					    NULL, 0))
			continue;
		hwloc_bitmap_and(of_kind, of_kind, place->allowed);
		hwloc_bitmap_andnot(left, left, of_kind);
		take_by_core(place, of_kind, threads, plan);
	}
	take_by_core(place, left, threads, plan);
	hwloc_bitmap_free(left);
	hwloc_bitmap_free(of_kind);
}

/* Reads a CPU number at *cursor and moves past it. */
static bool parse_cpu(const char **cursor, unsigned *cpu)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**cursor))
		return false;
	value = strtoul(*cursor, &end, 10);
	*cpu = (unsigned)value;
	*cursor = end;
	return value <= CPU_NUMBER_MAX;
}

/*
 * Reads "4" or "2-5" at *cursor, and the comma after it unless nothing follows the comma. Whatever
 * else stands there is no number, and stops the next call.
 */
static bool parse_range(const char **cursor, unsigned *first, unsigned *last)
{
	if (!parse_cpu(cursor, first))
		return false;
	*last = *first;
	if (**cursor == '-') {
		(*cursor)++;
		if (!parse_cpu(cursor, last) || *last < *first)
			return false;
	}
	if (**cursor == ',' && (*cursor)[1])
		(*cursor)++;
	return true;
}

/*
 * hwloc's own list parser loses the order and takes "3-" for all CPUs there may ever be. The whole
 * list is checked, also what is beyond `threads`: a wrong number is a wrong number.
 */
static int choose_from_list(const struct place *place, const char *list, unsigned threads,
			    struct place_plan *plan)
{
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	const char *cursor = list;
	unsigned cpu, last, listed = 0;
	int status = EXIT_FINE;

	while (!status && (*cursor || !listed)) {
		if (!parse_range(&cursor, &cpu, &last)) {
			status = fail_with(EXIT_USAGE,
					   "cannot parse CPU list '%s' at '%s': give numbers and "
					   "ranges such as 0,2-3",
					   list, cursor);
			break;
		}
		for (; !status && cpu <= last; cpu++, listed++) {
			if (!hwloc_bitmap_isset(place->allowed, cpu))
				status = fail_with(
					EXIT_USAGE,
					"CPU %u of list '%s' is not among the allowed CPUs %s", cpu,
					list, place->allowed_text);
			else if (hwloc_bitmap_isset(seen, cpu))
				status = fail_with(EXIT_USAGE, "CPU %u is twice in list '%s'", cpu,
						   list);
			else if (plan->count < threads)
				plan->pu[plan->count++] = cpu;
			hwloc_bitmap_set(seen, cpu);
		}
	}
	hwloc_bitmap_free(seen);
	if (!status && listed < threads)
		status = fail_with(EXIT_USAGE,
				   "%u threads need as many CPUs, but list '%s' has %u: name "
				   "more or run fewer threads",
				   threads, list, listed);
	return status;
}

int place_plan(const struct place *place, const char *list, unsigned threads,
	       struct place_plan *plan)
{
	unsigned allowed = (unsigned)hwloc_bitmap_weight(place->allowed);
	int status = EXIT_FINE;

	memset(plan, 0, sizeof(*plan));
	if (!threads)
		return fail_with(EXIT_USAGE, "no thread to place: ask for 1 or more");
	if (threads > allowed)
		return fail_with(EXIT_RESOURCE,
				 "%u threads need as many CPUs, but only %u are allowed (%s): "
				 "run fewer threads or widen the cpuset",
				 threads, allowed, place->allowed_text);
	plan->pu = calloc(threads, sizeof(*plan->pu));
	if (!plan->pu)
		return fail_memory("the placement of threads");
	if (list)
		status = choose_from_list(place, list, threads, plan);
	else
		choose(place, threads, plan);
	if (status)
		place_plan_free(plan);
	return status;
}

void place_plan_free(struct place_plan *plan)
{
	free(plan->pu);
	memset(plan, 0, sizeof(*plan));
}
