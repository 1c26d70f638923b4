// SPDX-License-Identifier: MIT
/* Reading /proc and /sys; see machine.h. */
#define _GNU_SOURCE
#include "results/machine.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CPU_DIR "/sys/devices/system/cpu"

const char *tristate_text(enum tristate state)
{
	static const char *const text[] = { MACHINE_UNKNOWN, "no", "yes" };

	return text[state];
}

/*
 * Cuts what does not fit: these are texts for people, and sysfs words are short. Firmware may hold
 * any byte; JSON takes UTF-8 only.
 */
static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	for (; *to; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static FILE *open_below(const char *sysroot, const char *path)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", sysroot, path) >= (int)sizeof(full))
		return NULL;
	return fopen(full, "re");
}

bool machine_read_text(const char *sysroot, char *text, size_t size, const char *path, ...)
{
	char below[256];
	char line[4096];
	bool read;
	va_list args;
	FILE *in;

	va_start(args, path);
	vsnprintf(below, sizeof(below), path, args);
	va_end(args);
	copy_text(text, size, MACHINE_UNKNOWN);
	in = open_below(sysroot, below);
	if (!in)
		return false;
	line[0] = '\0';
	read = fgets(line, sizeof(line), in) || !ferror(in);
	fclose(in);
	if (read)
		copy_text(text, size, trim(line));
	return read;
}

/* False unless text is one whole decimal number. */
static bool parse_long(const char *text, long *number)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		return false;
	*number = value;
	return true;
}

static bool read_long(const char *sysroot, const char *path, long *number)
{
	char text[64];

	return machine_read_text(sysroot, text, sizeof(text), "%s", path) &&
	       parse_long(text, number);
}

long machine_cpu_list(const char *list, int *cpus, size_t max)
{
	long count = 0;

	while (*list) {
		char *end;
		long first = strtol(list, &end, 10);
		long last = first;

		if (end == list)
			return -1;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list)
				return -1;
		}
		if (first < 0 || last < first || last >= MACHINE_CPUS_MAX)
			return -1;
		for (long cpu = first; cpu <= last; cpu++, count++)
			if ((size_t)count < max)
				cpus[count] = (int)cpu;
		if (*end && *end != ',')
			return -1;
		list = *end ? end + 1 : end;
	}
	return count;
}

/* has_word("tsc constant_tsc", "tsc") is true, has_word("constant_tsc", "tsc") is not. */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* One "key : value" of the first processor. */
static void take_cpuinfo(struct machine *m, const char *key, const char *value)
{
	if (!strcmp(key, "vendor_id"))
		copy_text(m->cpu_vendor, sizeof(m->cpu_vendor), value);
	else if (!strcmp(key, "model name"))
		copy_text(m->cpu_model, sizeof(m->cpu_model), value);
	else if (!strcmp(key, "microcode"))
		copy_text(m->microcode, sizeof(m->microcode), value);
	else if (!strcmp(key, "cpu family"))
		parse_long(value, &m->cpu_family);
	else if (!strcmp(key, "model"))
		parse_long(value, &m->cpu_model_number);
	else if (!strcmp(key, "stepping"))
		parse_long(value, &m->cpu_stepping);
	else if (!strcmp(key, "cpu MHz"))
		m->cpu_mhz = atof(value) > 0 ? atof(value) : -1;
	if (strcmp(key, "flags"))
		return;
	m->constant_tsc = has_word(value, "constant_tsc") ? TRI_YES : TRI_NO;
	m->nonstop_tsc = has_word(value, "nonstop_tsc") ? TRI_YES : TRI_NO;
	m->hypervisor = has_word(value, "hypervisor") ? TRI_YES : TRI_NO;
}

static void read_cpuinfo(const char *sysroot, struct machine *m)
{
	FILE *in = open_below(sysroot, "/proc/cpuinfo");
	char *line = NULL;
	size_t size = 0;
	long processors = 0;

	if (!in)
		return;
	while (getline(&line, &size, in) > 0) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (!strcmp(trim(line), "processor"))
			processors++;
		if (processors <= 1)
			take_cpuinfo(m, trim(line), trim(colon + 1));
	}
	if (processors)
		m->cpu_count = processors;
	free(line);
	fclose(in);
}

static void read_memory(const char *sysroot, struct machine *m)
{
	FILE *in = open_below(sysroot, "/proc/meminfo");
	char line[256];
	long long kib;

	if (!in)
		return;
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "MemTotal: %lld kB", &kib) == 1)
			m->memory_bytes = kib * 1024;
	fclose(in);
}

/*
 * Vendors that build virtual machines only. "Amazon EC2", "Google" or "Microsoft Corporation"
 * alone prove nothing: they build metal too.
 */
static bool dmi_says_virtual(const char *sysroot, char *vendor, size_t size)
{
	static const char *const virtual[] = {
		"QEMU",
		"Bochs",
		"VMware, Inc.",
		"innotek GmbH",
		"Xen",
		"BHYVE",
		"Parallels Software International Inc.",
		"Parallels International GmbH.",
	};
	char product[64];

	machine_read_text(sysroot, vendor, size, "/sys/class/dmi/id/sys_vendor");
	for (size_t i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++)
		if (!strcmp(vendor, virtual[i]))
			return true;
	machine_read_text(sysroot, product, sizeof(product), "/sys/class/dmi/id/product_name");
	return !strcmp(vendor, "Microsoft Corporation") && !strcmp(product, "Virtual Machine");
}

void machine_hypervisor_name(const char *signature, char *name, size_t size)
{
	static const char *const known[][2] = {
		{ "KVMKVMKVM", "KVM" },		  { "TCGTCGTCGTCG", "QEMU TCG" },
		{ "Microsoft Hv", "Hyper-V" },	  { "VMwareVMware", "VMware" },
		{ "XenVMMXenVMM", "Xen" },	  { "bhyve bhyve ", "bhyve" },
		{ "VBoxVBoxVBox", "VirtualBox" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(signature, known[i][0]))
			signature = known[i][1];
	copy_text(name, size, signature);
}

/* By the signature in CPUID leaf 0x40000000. False if there is none to read. */
static bool cpuid_signature(char *name, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int regs[4] = { 0 };
	char text[13] = "";

	__cpuid(0x40000000, regs[0], regs[1], regs[2], regs[3]);
	memcpy(text, &regs[1], 12);
	for (const char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			return false;
	if (text[0])
		machine_hypervisor_name(text, name, size);
	return text[0];
#else
	(void)name;
	(void)size;
	return false;
#endif
}

/* On entry, m->hypervisor is what the CPU flag said. */
static void read_hypervisor(const char *sysroot, struct machine *m)
{
	char type[64];
	char vendor[64];
	bool typed =
		machine_read_text(sysroot, type, sizeof(type), "/sys/hypervisor/type") && type[0];
	bool dmi = dmi_says_virtual(sysroot, vendor, sizeof(vendor));

	if (typed || dmi)
		m->hypervisor = TRI_YES;
	if (m->hypervisor == TRI_NO)
		copy_text(m->hypervisor_name, sizeof(m->hypervisor_name), "none");
	if (m->hypervisor != TRI_YES)
		return;
	if (typed)
		copy_text(m->hypervisor_name, sizeof(m->hypervisor_name), type);
	/* This CPU's signature says nothing about the machine of a test's tree. */
	else if (*sysroot || !cpuid_signature(m->hypervisor_name, sizeof(m->hypervisor_name)))
		copy_text(m->hypervisor_name, sizeof(m->hypervisor_name), vendor);
}

static void add_governor(struct machine *m, const char *governor)
{
	size_t used = strlen(m->governor);

	for (const char *at = m->governor; (at = strstr(at, governor)); at++) {
		char end = at[strlen(governor)];

		if ((at == m->governor || at[-1] == ',') && (end == ',' || !end))
			return;
	}
	snprintf(m->governor + used, sizeof(m->governor) - used, "%s%s", used ? "," : "", governor);
}

/* "no" needs every CPU to say so; one that says "yes" is enough, one that is silent spoils "no". */
static void read_governors(const char *sysroot, const int *cpus, size_t count, struct machine *m)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		char text[32];

		if (!machine_read_text(sysroot, text, sizeof(text),
				       CPU_DIR "/cpu%d/cpufreq/scaling_governor", cpus[i]) ||
		    !text[0])
			continue;
		known++;
		add_governor(m, text);
		if (!strcmp(text, "performance") || m->governor_slow == TRI_YES)
			continue;
		m->governor_slow = TRI_YES;
		m->governor_cpu = cpus[i];
		copy_text(m->governor_of_cpu, sizeof(m->governor_of_cpu), text);
	}
	if (known && known == count && m->governor_slow != TRI_YES)
		m->governor_slow = TRI_NO;
	if (!known)
		copy_text(m->governor, sizeof(m->governor), MACHINE_UNKNOWN);
}

static void read_siblings(const char *sysroot, const int *cpus, size_t count, struct machine *m)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		char list[64];
		int ignored;
		long siblings = -1;

		if (machine_read_text(sysroot, list, sizeof(list),
				      CPU_DIR "/cpu%d/topology/thread_siblings_list", cpus[i]))
			siblings = machine_cpu_list(list, &ignored, 1);
		known += siblings >= 1;
		if (siblings < 2 || m->sibling == TRI_YES)
			continue;
		m->sibling = TRI_YES;
		m->sibling_cpu = cpus[i];
		copy_text(m->sibling_list, sizeof(m->sibling_list), list);
	}
	if (m->sibling == TRI_YES || !known || known < count)
		return;
	/* A guest sees what its host shows: only metal can say that a core is not shared. */
	m->sibling = m->hypervisor == TRI_NO ? TRI_NO : TRI_UNKNOWN;
}

/* Three drivers, three switches: intel_pstate's says the opposite, amd_pstate's is per CPU. */
static void read_turbo(const char *sysroot, const int *cpus, size_t count, struct machine *m)
{
	long on;
	size_t known = 0;

	if (read_long(sysroot, CPU_DIR "/intel_pstate/no_turbo", &on)) {
		m->turbo = on ? TRI_NO : TRI_YES;
		return;
	}
	if (read_long(sysroot, CPU_DIR "/cpufreq/boost", &on)) {
		m->turbo = on ? TRI_YES : TRI_NO;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		char path[128];

		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cpufreq/boost", cpus[i]);
		if (!read_long(sysroot, path, &on))
			continue;
		known++;
		if (on)
			m->turbo = TRI_YES;
	}
	if (known && known == count && m->turbo != TRI_YES)
		m->turbo = TRI_NO;
}

static void read_cpu_facts(const char *sysroot, const int *cpus, size_t cpu_count,
			   struct machine *m)
{
	int online[MACHINE_CPUS_MAX];
	char list[4096];
	long count = -1;
	long khz;

	if (machine_read_text(sysroot, list, sizeof(list), CPU_DIR "/online"))
		count = machine_cpu_list(list, online, MACHINE_CPUS_MAX);
	if (count > 0)
		m->cpu_count = count;
	if (!cpu_count) {
		cpus = online;
		cpu_count = count > 0 ? (size_t)count : 0;
	}
	if (read_long(sysroot, CPU_DIR "/cpu0/cpufreq/cpuinfo_max_freq", &khz) && khz > 0)
		m->cpu_mhz = (double)khz / 1000;
	read_governors(sysroot, cpus, cpu_count, m);
	read_siblings(sysroot, cpus, cpu_count, m);
	read_turbo(sysroot, cpus, cpu_count, m);
}

void machine_read(const char *sysroot, const int *cpus, size_t cpu_count, struct machine *m)
{
	*m = (struct machine){
		.cpu_vendor = MACHINE_UNKNOWN,
		.cpu_model = MACHINE_UNKNOWN,
		.microcode = MACHINE_UNKNOWN,
		.hypervisor_name = MACHINE_UNKNOWN,
		.cpu_family = -1,
		.cpu_model_number = -1,
		.cpu_stepping = -1,
		.cpu_mhz = -1,
		.cpu_count = -1,
		.memory_bytes = -1,
		.governor_cpu = -1,
		.sibling_cpu = -1,
	};
	read_cpuinfo(sysroot, m);
	read_memory(sysroot, m);
	read_hypervisor(sysroot, m);
	read_cpu_facts(sysroot, cpus, cpu_count, m);
	machine_read_text(sysroot, m->kernel, sizeof(m->kernel), "/proc/sys/kernel/osrelease");
	machine_read_text(sysroot, m->smt_control, sizeof(m->smt_control), CPU_DIR "/smt/control");
	machine_read_text(sysroot, m->isolated_cpus, sizeof(m->isolated_cpus), CPU_DIR "/isolated");
	machine_read_text(sysroot, m->nohz_full_cpus, sizeof(m->nohz_full_cpus),
			  CPU_DIR "/nohz_full");
	/* Kernels that have the file but were not given the option print a NULL pointer. */
	if (!strcmp(m->nohz_full_cpus, "(null)"))
		m->nohz_full_cpus[0] = '\0';
	machine_read_text(sysroot, m->clocksource, sizeof(m->clocksource),
			  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	m->perf_event_paranoid_known =
		read_long(sysroot, "/proc/sys/kernel/perf_event_paranoid", &m->perf_event_paranoid);
}

bool machine_read_load(const char *sysroot, double load[3])
{
	char text[128];
	double now[3];

	if (!machine_read_text(sysroot, text, sizeof(text), "/proc/loadavg") ||
	    sscanf(text, "%lf %lf %lf", &now[0], &now[1], &now[2]) != 3)
		return false;
	memcpy(load, now, sizeof(now));
	return true;
}
