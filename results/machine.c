// SPDX-License-Identifier: MIT
/* The machine, as lscpu, /proc and /sys tell it; see metadata.h. */
#define _GNU_SOURCE
#include "results/metadata.h"

#include <ctype.h>
#include <hwloc.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/child.h"
#include "base/json.h"

#define CPU_DIR "/sys/devices/system/cpu"

/*
 * First line of sysroot + path (a printf format), without its newline; "unknown" if unreadable.
 * Firmware may hold any byte; JSON takes UTF-8 only.
 */
__attribute__((format(printf, 3, 4))) static const char *
read_text(const char *sysroot, char text[256], const char *path, ...)
{
	char full[PATH_MAX];
	size_t root = strlen(sysroot);
	va_list args;
	FILE *in;

	snprintf(full, sizeof(full), "%s", sysroot);
	va_start(args, path);
	vsnprintf(full + root, sizeof(full) - root, path, args);
	va_end(args);
	in = fopen(full, "re");
	if (!in || (!fgets(text, 256, in) && ferror(in)))
		snprintf(text, 256, METADATA_UNKNOWN);
	else if (feof(in) && !ftell(in))
		text[0] = '\0';
	if (in)
		fclose(in);
	text[strcspn(text, "\n")] = '\0';
	for (char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return text;
}

/* What lscpu says, an array; NULL where there is no lscpu, or it finds no CPU. */
static json_t *lscpu(const char *sysroot)
{
	const struct child_program program = {
		.argv = (const char *const[]){ "env", "LC_ALL=C", "lscpu", "-J",
					       *sysroot ? "-s" : NULL, sysroot, NULL },
		.errors = "/dev/null",
		.quiet = true,
	};
	char *text = NULL;
	int status = child_run(&program, &text);
	json_t *said = status ? NULL : json_loads(text, 0, NULL), *fields = NULL;

	if (said)
		fields = json_incref(json_object_get(said, "lscpu"));
	json_decref(said);
	free(text);
	return fields;
}

/* Newer versions have fields within fields. NULL: there is none of that name. */
static const char *field(const json_t *fields, const char *name)
{
	const json_t *one;
	const char *text;
	size_t i;

	json_array_foreach(fields, i, one) {
		if (!strcmp(json_text(one, "field"), name))
			return json_text(one, "data");
		text = field(json_object_get(one, "children"), name);
		if (text)
			return text;
	}
	return NULL;
}

static json_t *text_of(const json_t *fields, const char *name)
{
	const char *text = field(fields, name);

	return json_string(text && *text ? text : METADATA_UNKNOWN);
}

static json_t *number_of(const json_t *fields, const char *name)
{
	const char *text = field(fields, name);

	return text && isdigit((unsigned char)*text) ? json_integer(atoll(text)) : json_null();
}

/* has_word("tsc constant_tsc", "tsc", " ") is true, of "constant_tsc" it is not. */
static bool has_word(const char *text, const char *word, char between)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == between) && (at[len] == between || !at[len]))
			return true;
	return false;
}

static json_t *flag(const char *flags, const char *name)
{
	return flags ? json_boolean(has_word(flags, name, ' ')) : json_null();
}

static const char *microcode(const char *sysroot, char text[256])
{
	char path[PATH_MAX], line[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", sysroot);
	in = fopen(path, "re");
	snprintf(text, 256, METADATA_UNKNOWN);
	while (in && fgets(line, sizeof(line), in) && sscanf(line, "microcode : %31s", text) != 1)
		;
	if (in)
		fclose(in);
	return text;
}

/* All that occur, comma between them; a CPU that is silent counts as "unknown". */
static json_t *governors(const char *sysroot, hwloc_const_bitmap_t cpus)
{
	char all[256] = "", text[256];
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, cpus)
	{
		read_text(sysroot, text, CPU_DIR "/cpu%d/cpufreq/scaling_governor", cpu);
		if (!*text)
			snprintf(text, sizeof(text), METADATA_UNKNOWN);
		if (!has_word(all, text, ',') && strlen(all) + strlen(text) + 2 < sizeof(all))
			sprintf(all + strlen(all), "%s%s", *all ? "," : "", text);
	}
	hwloc_bitmap_foreach_end();
	return json_string(*all ? all : METADATA_UNKNOWN);
}

/* True: some CPU shares its core; false needs every CPU to say so, and metal: a guest sees what its
 * host shows. */
static json_t *shares_core(const char *sysroot, hwloc_const_bitmap_t cpus, bool metal)
{
	hwloc_bitmap_t siblings = hwloc_bitmap_alloc();
	bool shares = false, silent = !metal || hwloc_bitmap_iszero(cpus);
	char text[256];
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, cpus)
	{
		read_text(sysroot, text, CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu);
		if (hwloc_bitmap_list_sscanf(siblings, text) || hwloc_bitmap_iszero(siblings))
			silent = true;
		else
			shares |= hwloc_bitmap_weight(siblings) > 1;
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(siblings);
	return shares || !silent ? json_boolean(shares) : json_null();
}

/* Three drivers, three switches: intel_pstate's says the opposite, amd_pstate's is per CPU. */
static const char *turbo(const char *sysroot, int cpu)
{
	char text[256];

	read_text(sysroot, text, CPU_DIR "/intel_pstate/no_turbo");
	if (!strcmp(text, "0") || !strcmp(text, "1"))
		return *text == '0' ? "on" : "off";
	read_text(sysroot, text, CPU_DIR "/cpufreq/boost");
	if (strcmp(text, "0") && strcmp(text, "1"))
		read_text(sysroot, text, CPU_DIR "/cpu%d/cpufreq/boost", cpu);
	return !strcmp(text, "1") ? "on" : !strcmp(text, "0") ? "off" : METADATA_UNKNOWN;
}

static json_t *kernel_json(const char *sysroot)
{
	char clock[256], isolated[256];
	struct utsname name;

	if (uname(&name))
		return json_object();
	return json_pack("{s:s, s:s, s:s, s:s}", "release", name.release, "architecture",
			 name.machine, "clocksource",
			 read_text(sysroot, clock,
				   "/sys/devices/system/clocksource/clocksource0/"
				   "current_clocksource"),
			 "isolated_cpus", read_text(sysroot, isolated, CPU_DIR "/isolated"));
}

json_t *machine_read(const char *sysroot, const unsigned int *cpus, size_t count)
{
	json_t *fields = lscpu(sysroot), *machine;
	const char *online = field(fields, "On-line CPU(s) list:");
	const char *flags = field(fields, "Flags:");
	const char *hypervisor = field(fields, "Hypervisor vendor:");
	hwloc_bitmap_t all = hwloc_bitmap_alloc(), used;
	char code[256], smt[256];

	hwloc_bitmap_list_sscanf(all, online ? online : "");
	used = hwloc_bitmap_dup(all);
	if (count)
		hwloc_bitmap_zero(used);
	for (size_t i = 0; i < count; i++)
		hwloc_bitmap_set(used, cpus[i]);
	/* Where no flag tells, lscpu's silence is no "none". */
	if (!hypervisor)
		hypervisor =
			flags && !has_word(flags, "hypervisor", ' ') ? "none" : METADATA_UNKNOWN;
	machine = json_pack(
		"{s:o, s:{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:o}, s:{s:o, s:o},"
		" s:{s:s}}",
		"kernel", kernel_json(sysroot), "cpu", "vendor", text_of(fields, "Vendor ID:"),
		"model", text_of(fields, "Model name:"), "family", number_of(fields, "CPU family:"),
		"model_number", number_of(fields, "Model:"), "stepping",
		number_of(fields, "Stepping:"), "microcode", microcode(sysroot, code), "online",
		online ? json_integer(hwloc_bitmap_weight(all)) : json_null(), "governor",
		governors(sysroot, used), "turbo", turbo(sysroot, hwloc_bitmap_first(used)), "smt",
		read_text(sysroot, smt, CPU_DIR "/smt/control"), "shares_core",
		shares_core(sysroot, used, !strcmp(hypervisor, "none")), "tsc", "constant",
		flag(flags, "constant_tsc"), "nonstop", flag(flags, "nonstop_tsc"), "hypervisor",
		"name", hypervisor);
	hwloc_bitmap_free(used);
	hwloc_bitmap_free(all);
	json_decref(fields);
	return machine;
}
