// SPDX-License-Identifier: MIT
#include "runner/where.h"

#include <limits.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/child.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "results/record.h"
#include "runner/place/ticks.h"
#include "runner/timing/counters.h"
#include "runner/timing/gbench.h"
#include "workloads/engine/interrupts.h"

/* The Makefile defines both. Without it the record says that they are unknown. */
#ifndef GIT_STATE
#define GIT_STATE "unknown"
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS "unknown"
#endif

#ifdef __clang__
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define COMPILER \
	"clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __OPTIMIZE__
#define OPTIMIZED true
#else
#define OPTIMIZED false
#endif

static unsigned int wanted_cpus(const struct place *place, const char *list)
{
	hwloc_bitmap_t asked = list ? hwloc_bitmap_alloc() : NULL;
	int count = hwloc_bitmap_weight(place->allowed);

	if (asked && !hwloc_bitmap_list_sscanf(asked, list))
		count = hwloc_bitmap_weight(asked);
	hwloc_bitmap_free(asked);
	return count > 0 ? (unsigned int)count : 1;
}

static void spin(void *arg)
{
	volatile unsigned int *turns = arg;

	while (*turns)
		--*turns;
}

/* 0, or why they cannot be had, an errno. */
static int try_counters(void)
{
	unsigned int turns = 10000;
	uint64_t count[2];

	return counters_count(NULL, spin, &turns, count);
}

/* It registers rseq, and signals and threads are its own. */
static const char *libc_version(void)
{
#ifdef __GLIBC__
	return gnu_get_libc_version();
#else
	return "unknown";
#endif
}

/* 1, 5, 15 minutes; null: it is not known. */
static json_t *load_now(void)
{
	double load[3];

	return getloadavg(load, 3) == 3 ? json_pack("[f,f,f]", load[0], load[1], load[2]) :
					  json_null();
}

/* What this program knows of itself and of the run. */
static json_t *facts_of(const struct where *where, uint64_t seed)
{
	json_t *cpus = json_array();
	unsigned int i;

	for (i = 0; i < where->cpus.count; i++)
		json_array_append_new(cpus, json_integer(where->cpus.pu[i]));
	return json_pack("{s:o, s:o, s:o, s:f, s:s, s:o, s:i, s:s, s:s, s:s, s:s, s:b, s:s, s:i}",
			 "executable", json_safe(where->program), "cpus", cpus, "seed",
			 json_sprintf("%llu", (unsigned long long)seed), "tsc_hz", ticks_hz(),
			 "tsc_hz_source", ticks_source(), "load_before", load_now(), "perf_errno",
			 try_counters(), "benchmark", gbench_version(), "git", GIT_STATE,
			 "compiler", COMPILER, "flags", BUILD_FLAGS, "optimized", OPTIMIZED, "libc",
			 libc_version(), "schema", RECORD_SCHEMA);
}

/* What results/machine.py makes of it. NULL after a line on stderr. */
static json_t *ask(json_t *facts)
{
	char path[PATH_MAX], *words = facts ? json_dumps(facts, JSON_COMPACT) : NULL, *text = NULL;
	const struct child_program program = {
		.argv = (const char *const[]){ "python3", "-B",
					       file_data("results/machine.py", path), words, NULL },
		.quiet = true,
	};
	int status = words ? child_run(&program, &text) : -1;
	json_t *told = status ? NULL : json_loads(text, 0, NULL);

	if (!told)
		fail_line("%s does not tell what machine this is: python3 3.9 or later runs it",
			  path);
	json_decref(facts);
	free(words);
	free(text);
	return told;
}

int where_open(struct where *where, const char *list, const char *program, uint64_t seed)
{
	int error = place_open(&where->place);

	if (!error)
		error = place_plan(&where->place, list, wanted_cpus(&where->place, list),
				   &where->cpus);
	if (error || interrupts_install())
		return error ? error : EXIT_RESOURCE;
	where->program = program;
	where->told = ask(facts_of(where, seed));
	return where->told ? EXIT_FINE : EXIT_RESOURCE;
}

void where_close(struct where *where)
{
	json_decref(where->told);
	place_plan_free(&where->cpus);
	place_close(&where->place);
}

const char *where_alias(const struct where *where)
{
	return json_text(where->told, "alias");
}

json_t *where_context(struct where *where)
{
	json_t *context = json_object_get(where->told, "context");
	json_t *run = json_object_get(json_object_get(context, "stampede"), "run");

	json_object_set_new(run, "load_after", load_now());
	return json_incref(context);
}
