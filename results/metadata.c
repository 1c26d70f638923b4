// SPDX-License-Identifier: MIT
/* The machine, the build and the run as JSON; see metadata.h. */
#define _GNU_SOURCE
#include "results/metadata.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/json.h"
#include "results/record.h"

/* The Makefile gives both; a build without it says so. */
#ifndef GIT_STATE
#define GIT_STATE METADATA_UNKNOWN
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS METADATA_UNKNOWN
#endif

#if defined(__clang__)
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define COMPILER \
	"clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER METADATA_UNKNOWN
#endif

#ifdef __OPTIMIZE__
#define OPTIMIZED true
#else
#define OPTIMIZED false
#endif

/*
 * Keeps [A-Za-z0-9._], turns every run of anything else into one '-', and cuts to size. Nothing
 * but letters, digits and '_' may start it: it becomes part of a directory's name.
 */
static void sanitise(char *to, size_t size, const char *from)
{
	size_t len = 0;

	for (; *from && len + 1 < size; from++) {
		unsigned char c = (unsigned char)*from;
		bool kept = c < 128 && (isalnum(c) || c == '_' || (c == '.' && len));

		if (kept)
			to[len++] = (char)c;
		else if (len && to[len - 1] != '-')
			to[len++] = '-';
	}
	while (len && to[len - 1] == '-')
		len--;
	to[len] = '\0';
}

/*
 * The part of a CPU's name that tells it from others:
 * "Intel(R) Xeon(R) Platinum 8272CL CPU @ 2.60GHz" gives "intel xeon platinum 8272cl ",
 * "AMD EPYC 7763 64-Core Processor" gives "amd epyc 7763 ".
 */
static void shorten_model(char to[128], const char *model)
{
	char text[128], *save = NULL;

	snprintf(text, sizeof(text), "%s", model);
	to[0] = '\0';
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t len;

		if (!strcmp(word, "@") || !strcmp(word, "with"))
			break;
		word[strcspn(word, "(")] = '\0'; /* (R), (TM) */
		len = strlen(word);
		if (!len || !strcmp(word, "CPU") || !strcmp(word, "Processor") ||
		    (len > 5 && !strcmp(word + len - 5, "-Core")))
			continue;
		strncat(to, word, 47 - strlen(to));
		strncat(to, " ", 48 - strlen(to));
	}
	for (char *c = to; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

void metadata_host_alias(const json_t *machine, char alias[METADATA_ALIAS_BYTES])
{
	const json_t *cpu = json_object_get(machine, "cpu");
	const char *chosen = getenv("STAMPEDE_HOST_ALIAS"), *model = json_text(cpu, "model");
	const json_t *online = json_object_get(cpu, "online");
	char name[128], text[160];

	sanitise(alias, METADATA_ALIAS_BYTES, chosen ? chosen : "");
	if (alias[0])
		return;
	/* Some architectures name no model: their own name, then. */
	if (!strcmp(model, METADATA_UNKNOWN) || !strcmp(model, "-"))
		model = json_text(json_object_get(machine, "kernel"), "architecture");
	shorten_model(name, model);
	if (json_is_integer(online))
		snprintf(text, sizeof(text), "%s%lldcpu", name,
			 (long long)json_integer_value(online));
	else
		snprintf(text, sizeof(text), "%scpu", name);
	sanitise(alias, METADATA_ALIAS_BYTES, text);
}

json_t *metadata_git(const char *state)
{
	static const char suffix[] = "-dirty";
	size_t len = strlen(state);
	size_t tail = sizeof(suffix) - 1;
	bool dirty = len > tail && !strcmp(state + len - tail, suffix);

	if (!len || !strcmp(state, METADATA_UNKNOWN))
		return json_pack("{s:s, s:n}", "revision", METADATA_UNKNOWN, "dirty");
	return json_pack("{s:s%, s:b}", "revision", state, dirty ? len - tail : len, "dirty",
			 dirty);
}

/* NULL as well for what is not UTF-8, which a file name need not be. */
static json_t *text_or_unknown(const char *text)
{
	json_t *json = text ? json_string(text) : NULL;

	return json ? json : json_string(METADATA_UNKNOWN);
}

static json_t *load_or_null(const double *load)
{
	return load ? json_pack("[f,f,f]", load[0], load[1], load[2]) : json_null();
}

static json_t *run_json(const struct metadata_input *in)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < in->cpu_count; i++)
		json_array_append_new(cpus, json_integer(in->cpus[i]));
	/* The seed as text: JSON readers keep 53 bits of a number. */
	return json_pack("{s:o, s:o, s:o, s:o, s:b}", "seed",
			 json_sprintf("%llu", (unsigned long long)in->seed), "cpus", cpus,
			 "load_before", load_or_null(in->load_before), "load_after",
			 load_or_null(in->load_after), "user_is_root", geteuid() == 0);
}

/* It registers rseq, and signals and threads are its own. */
static const char *libc_version(void)
{
#ifdef __GLIBC__
	return gnu_get_libc_version();
#else
	return METADATA_UNKNOWN;
#endif
}

static json_t *collect(const struct metadata_input *in)
{
	json_t *json = json_pack("{s:i, s:o, s:{s:s, s:s, s:b}, s:o, s:{s:s, s:o}}", "schema",
				 RECORD_SCHEMA, "git", metadata_git(GIT_STATE), "build", "compiler",
				 COMPILER, "flags", BUILD_FLAGS, "optimized", OPTIMIZED, "run",
				 run_json(in), "libraries", "libc", libc_version(), "benchmark",
				 text_or_unknown(in->benchmark_version));
	json_t *machine = json_deep_copy(in->machine), *tsc = json_object_get(machine, "tsc");

	json_object_set_new(tsc, "hz", in->tsc_hz > 0 ? json_real(in->tsc_hz) : json_null());
	json_object_set_new(tsc, "hz_source",
			    text_or_unknown(in->tsc_hz > 0 ? in->tsc_hz_source : NULL));
	json_object_update(json, machine);
	json_decref(machine);
	return json;
}

json_t *metadata_context(const struct metadata_input *in)
{
	const char *slash = in->executable ? strrchr(in->executable, '/') : NULL;
	time_t now_s = time(NULL);
	struct tm utc;
	char date[40];

	if (!gmtime_r(&now_s, &utc) || !strftime(date, sizeof(date), "%FT%T+00:00", &utc))
		snprintf(date, sizeof(date), METADATA_UNKNOWN);
	return json_pack("{s:s, s:s, s:o, s:O, s:o, s:o}", "date", date, "host_name",
			 in->host_alias, "executable",
			 /* The path before it may name a user. */
			 text_or_unknown(slash ? slash + 1 : in->executable), "num_cpus",
			 json_object_get(json_object_get(in->machine, "cpu"), "online"), "load_avg",
			 load_or_null(in->load_before), "stampede", collect(in));
}
