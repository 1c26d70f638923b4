// SPDX-License-Identifier: MIT
/* The machine, the build and the run as JSON; see metadata.h. */
#define _GNU_SOURCE
#include "results/metadata.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "results/machine.h"
#include "results/record.h"

/* The Makefile gives both; a build without it says so. */
#ifndef GIT_STATE
#define GIT_STATE MACHINE_UNKNOWN
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS MACHINE_UNKNOWN
#endif

#if defined(__clang__)
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define COMPILER \
	"clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER MACHINE_UNKNOWN
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
static void shorten_model(char *to, size_t size, const char *model)
{
	static const char *const marks[] = { "(r)", "(tm)", " @ ", " with " };
	char text[128];
	char *save = NULL;
	size_t len = 0;

	snprintf(text, sizeof(text), "%s", model);
	for (char *c = text; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		for (char *at; (at = strstr(text, marks[i]));) {
			if (marks[i][0] == ' ')
				*at = '\0';
			else
				memset(at, ' ', strlen(marks[i]));
		}
	}
	to[0] = '\0';
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(word);

		if (!strcmp(word, "cpu") || !strcmp(word, "processor") ||
		    (n > 5 && !strcmp(word + n - 5, "-core")) || len + n + 2 > size)
			continue;
		len += (size_t)snprintf(to + len, size - len, "%s ", word);
	}
}

void metadata_host_alias(const char *sysroot, char *alias, size_t size)
{
	const char *chosen = getenv("STAMPEDE_HOST_ALIAS");
	char model[49];
	char text[sizeof(model) + 32];
	struct machine machine;
	struct utsname name;

	if (chosen) {
		sanitise(alias, size < METADATA_ALIAS_BYTES ? size : METADATA_ALIAS_BYTES, chosen);
		if (alias[0])
			return;
	}
	machine_read(sysroot ? sysroot : "", NULL, 0, &machine);
	shorten_model(model, sizeof(model), machine.cpu_model);
	/* Some architectures name no model: their own name, then. */
	if (!strcmp(machine.cpu_model, MACHINE_UNKNOWN) && !uname(&name))
		snprintf(model, sizeof(model), "%.47s ", name.machine);
	if (machine.cpu_count > 0)
		snprintf(text, sizeof(text), "%s%ldcpu", model, machine.cpu_count);
	else
		snprintf(text, sizeof(text), "%scpu", model);
	sanitise(alias, size, text);
}

json_t *metadata_git(const char *state)
{
	static const char suffix[] = "-dirty";
	size_t len = strlen(state);
	size_t tail = sizeof(suffix) - 1;
	bool dirty = len > tail && !strcmp(state + len - tail, suffix);

	if (!len || !strcmp(state, MACHINE_UNKNOWN))
		return json_pack("{s:s, s:n}", "revision", MACHINE_UNKNOWN, "dirty");
	return json_pack("{s:s%, s:b}", "revision", state, dirty ? len - tail : len, "dirty",
			 dirty);
}

/* New references all; null for what is not known. */
static json_t *text_or_unknown(const char *text)
{
	json_t *json = text ? json_string(text) : NULL;

	/* NULL as well for what is not UTF-8, which a file name need not be. */
	return json ? json : json_string(MACHINE_UNKNOWN);
}

static json_t *count_or_null(long long count)
{
	return count >= 0 ? json_integer(count) : json_null();
}

static json_t *bool_or_null(enum tristate state)
{
	return state == TRI_UNKNOWN ? json_null() : json_boolean(state == TRI_YES);
}

static json_t *positive_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *load_or_null(const double *load)
{
	return load ? json_pack("[f,f,f]", load[0], load[1], load[2]) : json_null();
}

/* A string: JSON readers keep 53 bits of a number, and a seed has 64. */
static json_t *seed_or_null(const uint64_t *seed)
{
	return seed ? json_sprintf("%llu", (unsigned long long)*seed) : json_null();
}

static json_t *cpus_or_null(const struct metadata_input *in)
{
	json_t *cpus = in->cpu_count ? json_array() : json_null();

	for (size_t i = 0; i < in->cpu_count; i++)
		json_array_append_new(cpus, json_integer(in->cpus[i]));
	return cpus;
}

static json_t *build_json(void)
{
	return json_pack("{s:s, s:s, s:b}", "compiler", COMPILER, "flags", BUILD_FLAGS, "optimized",
			 OPTIMIZED);
}

static json_t *kernel_json(const struct machine *m)
{
	struct utsname name;
	bool known = !uname(&name);

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "release", m->kernel, "architecture",
			 known ? name.machine : MACHINE_UNKNOWN, "clocksource", m->clocksource,
			 "isolated_cpus", m->isolated_cpus, "nohz_full_cpus", m->nohz_full_cpus,
			 "perf_event_paranoid",
			 m->perf_event_paranoid_known ? json_integer(m->perf_event_paranoid) :
							json_null());
}

static json_t *cpu_json(const struct machine *m)
{
	static const char *const turbo[] = { MACHINE_UNKNOWN, "off", "on" };

	return json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:s, s:s, s:s, s:o}", "vendor", m->cpu_vendor,
		"model", m->cpu_model, "family", count_or_null(m->cpu_family), "model_number",
		count_or_null(m->cpu_model_number), "stepping", count_or_null(m->cpu_stepping),
		"microcode", m->microcode, "online", count_or_null(m->cpu_count), "governor",
		m->governor, "turbo", turbo[m->turbo], "smt", m->smt_control, "shares_core",
		bool_or_null(m->sibling));
}

static json_t *tsc_json(const struct metadata_input *in, const struct machine *m)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "constant", bool_or_null(m->constant_tsc),
			 "nonstop", bool_or_null(m->nonstop_tsc), "hz",
			 positive_or_null(in->tsc_hz), "hz_source",
			 text_or_unknown(in->tsc_hz > 0 ? in->tsc_hz_source : NULL));
}

static json_t *run_json(const struct metadata_input *in)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "seed", seed_or_null(in->seed), "order",
			 text_or_unknown(in->order), "cpus", cpus_or_null(in), "load_before",
			 load_or_null(in->load_before), "load_after", load_or_null(in->load_after),
			 "user_is_root", geteuid() == 0);
}

/* It registers rseq, and signals and threads are its own. */
static const char *libc_version(void)
{
#ifdef __GLIBC__
	return gnu_get_libc_version();
#else
	return MACHINE_UNKNOWN;
#endif
}

static json_t *collect(const struct metadata_input *in, const struct machine *m)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:s}, s:{s:o, s:o},"
			 " s:o, s:{s:s, s:s, s:o, s:o}}",
			 "schema", RECORD_SCHEMA, "git", metadata_git(GIT_STATE), "build",
			 build_json(), "kernel", kernel_json(m), "cpu", cpu_json(m), "tsc",
			 tsc_json(in, m), "hypervisor", "present", tristate_text(m->hypervisor),
			 "name", m->hypervisor_name, "memory", "total_bytes",
			 count_or_null(m->memory_bytes), "page_bytes",
			 count_or_null(sysconf(_SC_PAGESIZE)), "run", run_json(in), "libraries",
			 "libc", libc_version(), "jansson", jansson_version_str(), "hwloc",
			 text_or_unknown(in->hwloc_version), "benchmark",
			 text_or_unknown(in->benchmark_version));
}

static const char *sysroot_of(const struct metadata_input *in)
{
	return in->sysroot ? in->sysroot : "";
}

/* "32K" is 32768; -1 for what is no size. */
static long long cache_bytes(const char *text)
{
	char *end;
	long long size = strtoll(text, &end, 10);

	if (end == text || size < 0)
		return -1;
	switch (*end) {
	case 'K':
		return size << 10;
	case 'M':
		return size << 20;
	case 'G':
		return size << 30;
	default:
		return *end ? -1 : size;
	}
}

/* CPU 0's, as Google Benchmark lists them. */
static json_t *caches_json(const char *sysroot)
{
	json_t *caches = json_array();

	for (int i = 0; i < 16; i++) {
		const char *dir = "/sys/devices/system/cpu/cpu0/cache/index";
		char type[32], level[16], size[32], list[64];
		long sharing;
		int ignored;

		if (!machine_read_text(sysroot, type, sizeof(type), "%s%d/type", dir, i))
			break;
		machine_read_text(sysroot, level, sizeof(level), "%s%d/level", dir, i);
		machine_read_text(sysroot, size, sizeof(size), "%s%d/size", dir, i);
		machine_read_text(sysroot, list, sizeof(list), "%s%d/shared_cpu_list", dir, i);
		sharing = machine_cpu_list(list, &ignored, 1);
		json_array_append_new(caches,
				      json_pack("{s:s, s:o, s:o, s:o}", "type", type, "level",
						count_or_null(cache_bytes(level)), "size",
						count_or_null(cache_bytes(size)), "num_sharing",
						sharing > 0 ? json_integer(sharing) : json_null()));
	}
	return caches;
}

static json_t *date_json(void)
{
	time_t now_s = time(NULL);
	struct tm utc;
	char text[40];

	if (!gmtime_r(&now_s, &utc) || !strftime(text, sizeof(text), "%FT%T+00:00", &utc))
		return json_string(MACHINE_UNKNOWN);
	return json_string(text);
}

json_t *metadata_context(const struct metadata_input *in)
{
	const char *slash = in->executable ? strrchr(in->executable, '/') : NULL;
	/* The path before it may name a user. */
	const char *executable = slash ? slash + 1 : in->executable;
	char alias[METADATA_ALIAS_BYTES];
	struct machine m;

	machine_read(sysroot_of(in), in->cpus, in->cpu_count, &m);
	if (!in->host_alias)
		metadata_host_alias(sysroot_of(in), alias, sizeof(alias));
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "date", date_json(),
			 "host_name", in->host_alias ? in->host_alias : alias, "executable",
			 text_or_unknown(executable), "num_cpus", count_or_null(m.cpu_count),
			 "mhz_per_cpu",
			 count_or_null(m.cpu_mhz > 0 ? (long long)(m.cpu_mhz + 0.5) : -1),
			 "cpu_scaling_enabled", bool_or_null(m.governor_slow), "caches",
			 caches_json(sysroot_of(in)), "load_avg", load_or_null(in->load_before),
			 "library_build_type", text_or_unknown(in->library_build_type), "stampede",
			 collect(in, &m));
}
