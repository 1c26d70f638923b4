// SPDX-License-Identifier: MIT
#include "explore/family/coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/child.h"

#define PARTS_MAX 64

static const char *const path_names[PATHS] = { "plain", "switch", "slow" };

/* By which all events of a schedule are recorded. */
static bool has_to_be(const struct explore_site *site)
{
	return !strcmp(site->function, "explored_record");
}

/*
 * A row that turns away whoever comes into a writer does so to nested ones alone, and those record
 * by a copy of their own: was its instruction of that line reached?
 */
static bool reached_nested(const struct coverage *coverage, const struct explore_site *site)
{
	const struct explore_site *other;
	uint64_t i;

	for (i = 0; world_row.driver->desc->turns_away && i < world_row.site_count; i++) {
		other = &world_row.sites[i];
		if (coverage->covered[i] && other->line == site->line &&
		    !strcmp(other->function, "explored_record_nested") &&
		    !strcmp(other->file, site->file))
			return true;
	}
	return false;
}

static bool is_missing(const struct coverage *coverage, uint64_t i)
{
	const struct explore_site *site = &world_row.sites[i];

	return !coverage->covered[i] && has_to_be(site) && !reached_nested(coverage, site);
}

static bool is_path(const struct explore_site *site, enum explore_path path)
{
	return site->paths >> path & 1 && (path != PATH_PLAIN || has_to_be(site));
}

static bool is_round(const struct explore_site *site)
{
	return site->paths == 1 << PATH_ROUND;
}

static void count(struct coverage *coverage)
{
	const uint8_t *covered = coverage->covered;
	const struct explore_site *site;
	enum explore_path path;
	uint64_t i;

	for (i = 0; i < world_row.site_count; i++) {
		site = &world_row.sites[i];
		if (is_round(site))
			continue;
		coverage->sites++;
		coverage->reached += covered[i];
		coverage->missing += is_missing(coverage, i);
		for (path = 0; path < PATHS; path++) {
			coverage->of_path[path] += is_path(site, path);
			coverage->reached_of_path[path] += is_path(site, path) && covered[i];
		}
	}
}

static bool complete(const struct coverage *coverage)
{
	enum explore_path path;

	for (path = 0; path < PATHS; path++)
		if (!coverage->reached_of_path[path])
			return false;
	return true;
}

static uint8_t one_of(uint8_t value)
{
	return value > 0;
}

/* Part of the family: with an interrupt, or with what else can happen. */
static struct family part_of(const struct family *family, bool interrupted)
{
	struct family part = *family;
	struct budget *budget = &part.budget;

	part.tier = TIER_QUICK;
	part.what = NULL;
	part.main_rows = false;
	part.sections = SECTIONS_ALIKE;
	part.stops = STOPS_SHARED; /* every instruction is seen, whatever can be interrupted */
	budget->nested = interrupted ? one_of(budget->nested) : 0;
	budget->jumps = interrupted ? 0 : one_of(budget->jumps);
	budget->backs = interrupted ? 0 : one_of(budget->backs);
	budget->traced = interrupted ? budget->traced : 0;
	budget->reads = interrupted ? 0 : one_of(budget->reads);
	budget->beats = interrupted ? 0 : budget->beats;
	budget->depth = one_of(budget->nested + budget->beats);
	if (budget->jumps || budget->backs)
		part.offsets = part.phases = RANGE_ONE;
	return part;
}

static struct family done[PARTS_MAX];
static unsigned int parts;

/* Once, and not for each family that it is a part of. */
static int run_part(const struct family *part, unsigned int processes)
{
	const struct search search = { .engine = ENGINE_SCHEDULES };
	struct findings findings = { .schedules = 0 };
	struct search first;
	unsigned int i;

	for (i = 0; i < parts; i++)
		if (!memcmp(&done[i], part, sizeof(*part)))
			return 0;
	if (parts < PARTS_MAX)
		done[parts++] = *part;
	return family_run(part, &search, processes, &findings, &first);
}

static int run(bool (*wanted)(const void *arg, const struct family *family), const void *arg,
	       unsigned int processes)
{
	const struct family *family;
	struct family part;
	int error = 0, interrupted;

	parts = 0;
	for (family = families; family->shape && error >= 0; family++) {
		/* What is there for sections alone is part of another, which is as quick here. */
		if (strcmp(family->shape, world_row.shape) || world_cpus(&family->budget) > 1 ||
		    family->sections == SECTIONS_ALONE || !wanted(arg, family))
			continue;
		for (interrupted = 0; interrupted < 2 && error >= 0; interrupted++) {
			part = part_of(family, interrupted);
			error = run_part(&part, processes);
		}
	}
	return error < 0 ? error : 0;
}

int coverage_row(bool (*wanted)(const void *arg, const struct family *family), const void *arg,
		 unsigned int processes, struct coverage *coverage)
{
	int error;

	/* Searches are processes of their own. */
	*coverage = (struct coverage){ .covered = child_share(world_row.site_count) };
	if (!coverage->covered)
		return -ENOMEM;
	world_covered = coverage->covered;
	error = run(wanted, arg, processes);
	world_covered = NULL;
	count(coverage);
	return error ? error : !complete(coverage);
}

void coverage_end(struct coverage *coverage)
{
	child_unshare(coverage->covered, world_row.site_count);
	coverage->covered = NULL;
}

void coverage_print(const struct coverage *coverage, bool all)
{
	const struct explore_site *site;
	enum explore_path path;
	uint64_t i;

	printf("%-26s %-8s %4" PRIu64 " of %4" PRIu64 " instructions", world_row.row,
	       world_row.shape, coverage->reached, coverage->sites);
	for (path = 0; path < PATHS; path++)
		printf("  %s %" PRIu64 "/%" PRIu64, path_names[path],
		       coverage->reached_of_path[path], coverage->of_path[path]);
	printf("  %" PRIu64 " missing  %s\n", coverage->missing,
	       complete(coverage) ? "covered" : "NOT COVERED");
	for (i = 0; i < world_row.site_count; i++) {
		site = &world_row.sites[i];
		if (!coverage->covered[i] && !is_round(site) && (all || is_missing(coverage, i)))
			printf("    %s  %s: %s (%s:%" PRIu64 ")\n",
			       is_missing(coverage, i) ? "MISSING" : "not here", site->function,
			       site->instruction, site->file, site->line);
	}
}

json_t *coverage_json(const struct coverage *coverage)
{
	json_t *paths = json_object(), *not_reached = json_array();
	const struct explore_site *site;
	enum explore_path path;
	uint64_t i;

	for (path = 0; path < PATHS; path++)
		json_object_set_new(paths, path_names[path],
				    json_pack("{s:I, s:I}", "reached",
					      (json_int_t)coverage->reached_of_path[path], "of",
					      (json_int_t)coverage->of_path[path]));
	for (i = 0; i < world_row.site_count; i++) {
		site = &world_row.sites[i];
		if (!coverage->covered[i] && !is_round(site))
			json_array_append_new(not_reached,
					      json_pack("{s:b, s:s, s:s, s:s, s:I}", "missing",
							is_missing(coverage, i), "function",
							site->function, "instruction",
							site->instruction, "file", site->file,
							"line", (json_int_t)site->line));
	}
	return json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:b, s:o, s:o}", "row", world_row.row,
			 "shape", world_row.shape, "defers", (int)world_row.defers, "instructions",
			 (json_int_t)coverage->sites, "reached", (json_int_t)coverage->reached,
			 "missing", (json_int_t)coverage->missing, "covered", complete(coverage),
			 "paths", paths, "not_reached", not_reached);
}
