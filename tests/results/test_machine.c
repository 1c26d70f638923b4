// SPDX-License-Identifier: MIT
/* The machine as lscpu and a made-up /proc and /sys tell it, the record's context, and warnings. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/utsname.h>

#include "tests/support/test.h"

#include <jansson.h>

#include "results/metadata.h"
#include "results/record.h"
#include "tests/support/scratch.h"

#define CPU "sys/devices/system/cpu/"
#define METAL "fpu tsc constant_tsc nonstop_tsc sse2"

static int tree_setup(void **state)
{
	char *tree = malloc(PATH_MAX);

	assert_non_null(tree);
	scratch_make(tree);
	unsetenv("STAMPEDE_HOST_ALIAS");
	*state = tree;
	return 0;
}

static int tree_teardown(void **state)
{
	scratch_remove(*state);
	free(*state);
	return 0;
}

static void put(const char *tree, const char *path, const char *text)
{
	scratch_put(tree, path, text, strlen(text));
}

/* Four CPUs, of which lscpu finds `flags`. */
static void put_cpus(const char *tree, const char *flags)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 33\n"
		 "model name\t: AMD Ryzen 9\nstepping\t: 2\nmicrocode\t: 0xa20120a\nflags\t\t: %s\n"
		 "\nprocessor\t: 1\nvendor_id\t: Other\nmicrocode\t: 0x1\nflags\t\t: none\n",
		 flags);
	put(tree, "proc/cpuinfo", text);
	put(tree, CPU "possible", "0-3\n");
	put(tree, CPU "present", "0-3\n");
	put(tree, CPU "online", "0-3\n");
}

/* The kernel's release and architecture are this machine's. */
static void assert_machine(const char *tree, const unsigned int *cpus, size_t count,
			   const char *text)
{
	json_t *machine = machine_read(tree, cpus, count), *expected = json_loads(text, 0, NULL);
	json_t *kernel = json_object_get(machine, "kernel");
	struct utsname name;

	assert_int_equal(uname(&name), 0);
	assert_string_equal(json_string_value(json_object_get(kernel, "release")), name.release);
	assert_string_equal(json_string_value(json_object_get(kernel, "architecture")),
			    name.machine);
	json_object_del(kernel, "release");
	json_object_del(kernel, "architecture");
	assert_non_null(expected);
	if (!json_equal(machine, expected))
		fail_msg("expected %s\ngot %s", text, json_dumps(machine, 0));
	json_decref(machine);
	json_decref(expected);
}

static void what_is_not_there_is_unknown(void **state)
{
	assert_machine(
		*state, NULL, 0,
		"{\"kernel\": {\"clocksource\": \"unknown\", \"isolated_cpus\": \"unknown\"},"
		"\"cpu\": {\"vendor\": \"unknown\", \"model\": \"unknown\", \"family\": null,"
		"\"model_number\": null, \"stepping\": null, \"microcode\": \"unknown\","
		"\"online\": null, \"governor\": \"unknown\", \"turbo\": \"unknown\","
		"\"smt\": \"unknown\", \"shares_core\": null},"
		"\"tsc\": {\"constant\": null, \"nonstop\": null},"
		"\"hypervisor\": {\"name\": \"unknown\"}}");
}

static void what_is_there_is_read(void **state)
{
	static const unsigned int cpus[] = { 0, 1, 3 };
	const char *tree = *state;
	char path[128];

	put_cpus(tree, METAL);
	put(tree, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put(tree, CPU "isolated", "2-3\n");
	put(tree, CPU "smt/control", "forceoff\n");
	put(tree, CPU "cpufreq/boost", "1\n");
	put(tree, CPU "cpu0/cpufreq/scaling_governor", "performance\n");
	put(tree, CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	put(tree, CPU "cpu3/cpufreq/scaling_governor", "performance\n");
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), CPU "cpu%d/topology/thread_siblings_list", i);
		scratch_put(tree, path, &"0123"[i], 1);
	}
	assert_machine(tree, cpus, 3,
		       "{\"kernel\": {\"clocksource\": \"tsc\", \"isolated_cpus\": \"2-3\"},"
		       "\"cpu\": {\"vendor\": \"AuthenticAMD\", \"model\": \"AMD Ryzen 9\","
		       "\"family\": 25, \"model_number\": 33, \"stepping\": 2,"
		       "\"microcode\": \"0xa20120a\", \"online\": 4,"
		       "\"governor\": \"performance,powersave\", \"turbo\": \"on\","
		       "\"smt\": \"forceoff\", \"shares_core\": false},"
		       "\"tsc\": {\"constant\": true, \"nonstop\": true},"
		       "\"hypervisor\": {\"name\": \"none\"}}");
	/* Bytes that are no text do no harm. */
	put(tree, CPU "smt/control", "A\xc3(\xff\x01\n");
	json_t *machine = machine_read(tree, cpus, 3);

	assert_string_equal(
		json_string_value(json_object_get(json_object_get(machine, "cpu"), "smt")),
		"A?(??");
	json_decref(machine);
}

/* One file after the other, and what `cpu` then says. */
static void one_fact_after_the_other(void **state)
{
	static const unsigned int first[] = { 0 };
	static const struct {
		const char *file, *text, *key, *of_all, *of_first;
	} steps[] = {
#define SIBLINGS(cpu) CPU #cpu "/topology/thread_siblings_list"
#define GOVERNOR(cpu) CPU #cpu "/cpufreq/scaling_governor"
		{ GOVERNOR(cpu0), "performance\n", "governor", "performance,unknown",
		  "performance" },
		{ GOVERNOR(cpu1), "powersave\n", "governor", "performance,powersave,unknown",
		  "performance" },
		{ GOVERNOR(cpu0), "\n", "governor", "unknown,powersave", "unknown" },
		{ CPU "cpu0/cpufreq/boost", "0\n", "turbo", "off", "off" },
		{ CPU "cpu0/cpufreq/boost", "1\n", "turbo", "on", "on" },
		{ CPU "cpufreq/boost", "0\n", "turbo", "off", "off" },
		{ CPU "cpufreq/boost", "1\n", "turbo", "on", "on" },
		/* Intel's switch says the opposite, and rules where it is. */
		{ CPU "intel_pstate/no_turbo", "1\n", "turbo", "off", "off" },
		{ CPU "intel_pstate/no_turbo", "0\n", "turbo", "on", "on" },
		{ CPU "intel_pstate/no_turbo", "maybe\n", "turbo", "on", "on" },
		{ SIBLINGS(cpu0), "0\n", "shares_core", "null", "false" },
		{ SIBLINGS(cpu1), "1-2\n", "shares_core", "true", "false" },
		{ SIBLINGS(cpu0), "0,4\n", "shares_core", "true", "true" },
		{ SIBLINGS(cpu1), "\n", "shares_core", "true", "true" },
		{ SIBLINGS(cpu0), "nonsense\n", "shares_core", "null", "null" },
	};

	put_cpus(*state, METAL);
	for (size_t i = 0; i < COUNT(steps); i++) {
		put(*state, steps[i].file, steps[i].text);
		for (size_t count = 0; count < 2; count++) {
			json_t *machine = machine_read(*state, first, count);
			json_t *value =
				json_object_get(json_object_get(machine, "cpu"), steps[i].key);
			char *text = json_dumps(value, JSON_ENCODE_ANY);

			assert_string_equal(json_is_string(value) ? json_string_value(value) : text,
					    count ? steps[i].of_first : steps[i].of_all);
			free(text);
			json_decref(machine);
		}
	}
	/* The same in a guest proves nothing: the host decides who runs beside us. */
	put(*state, SIBLINGS(cpu0), "0\n");
	put_cpus(*state, METAL " hypervisor");
	json_t *machine = machine_read(*state, first, 1);

	assert_true(json_is_null(json_object_get(json_object_get(machine, "cpu"), "shares_core")));
	json_decref(machine);
}

/* As util-linux 2.41 nests it. */
static void a_newer_lscpu_is_read(void **state)
{
	static const char fake[] =
		"#!/bin/sh\ncat <<'END'\n{\"lscpu\": [{\"field\": \"CPU(s):\", \"data\": \"3\", "
		"\"children\": [{\"field\": \"On-line CPU(s) list:\", \"data\": \"0-2\"}]},"
		"{\"field\": \"Vendor ID:\", \"data\": \"GenuineIntel\", \"children\": "
		"[{\"field\": "
		"\"Model name:\", \"data\": \"Xeon\", \"children\": [{\"field\": \"Stepping:\", "
		"\"data\": \"7\"}, {\"field\": \"Flags:\", \"data\": \"hypervisor "
		"constant_tsc2\"}]}]},"
		"{\"field\": \"Virtualization features:\", \"data\": null, \"children\": "
		"[{\"field\": \"Hypervisor vendor:\", \"data\": \"VMware\"}]}]}\nEND\n";
	char *path = strdup(getenv("PATH")), with[PATH_MAX + 4096];

	put(*state, "bin/lscpu", fake);
	assert_int_equal(chmod(path_in(*state, "bin/lscpu"), 0755), 0);
	snprintf(with, sizeof(with), "%s/bin:%s", (char *)*state, path);
	setenv("PATH", with, 1);
	assert_machine(
		*state, NULL, 0,
		"{\"kernel\": {\"clocksource\": \"unknown\", \"isolated_cpus\": \"unknown\"},"
		"\"cpu\": {\"vendor\": \"GenuineIntel\", \"model\": \"Xeon\", \"family\": null,"
		"\"model_number\": null, \"stepping\": 7, \"microcode\": \"unknown\","
		"\"online\": 3, \"governor\": \"unknown\", \"turbo\": \"unknown\","
		"\"smt\": \"unknown\", \"shares_core\": null},"
		"\"tsc\": {\"constant\": false, \"nonstop\": false},"
		"\"hypervisor\": {\"name\": \"VMware\"}}");
	setenv("PATH", path, 1);
	free(path);
}

static void aliases(void **state)
{
	static const struct {
		const char *given, *model, *alias;
	} cases[] = {
		{ NULL, "AMD EPYC", "amd-epyc-2cpu" },
		{ NULL, "AMD EPYC 7763 64-Core Processor", "amd-epyc-7763-2cpu" },
		{ NULL, "Intel(R) Xeon(R) Platinum 8272CL CPU @ 2.60GHz",
		  "intel-xeon-platinum-8272cl-2cpu" },
		{ NULL, "AMD Ryzen 7 PRO 4750U with Radeon Graphics",
		  "amd-ryzen-7-pro-4750u-2cpu" },
		{ NULL, "13th Gen Intel(R) Core(TM) i7-1365U",
		  "13th-gen-intel-core-i7-1365u-2cpu" },
		{ NULL, "../../etc/passwd", "etc-passwd-2cpu" },
		{ NULL, "CPU", "2cpu" },
		{ NULL, "unknown", "riscv64-2cpu" },
		{ "Lab_7.b", "x", "Lab_7.b" },
		{ "a/b c\n//d", "x", "a-b-c-d" },
		{ "..-.x.-", "x", "x." },
		{ "../up", "x", "up" },
		{ "caf\xc3\xa9", "x", "caf" },
		{ "", "x", "x-2cpu" },
		{ "///", "x", "x-2cpu" },
	};
	char alias[METADATA_ALIAS_BYTES], many[200] = "";

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *machine = json_pack("{s:{s:s}, s:{s:s, s:i}}", "kernel", "architecture",
					    "riscv64", "cpu", "model", cases[i].model, "online", 2);

		if (cases[i].given)
			setenv("STAMPEDE_HOST_ALIAS", cases[i].given, 1);
		metadata_host_alias(machine, alias);
		assert_string_equal(alias, cases[i].alias);
		json_decref(machine);
	}
	memset(many, 'x', sizeof(many) - 1);
	setenv("STAMPEDE_HOST_ALIAS", many, 1);
	metadata_host_alias(NULL, alias);
	assert_int_equal(strlen(alias), METADATA_ALIAS_BYTES - 1);
}

static void git_state_is_taken_apart(void **state)
{
	static const char *const states[][2] = {
		{ "1a2b3c", "{\"revision\": \"1a2b3c\", \"dirty\": false}" },
		{ "1a2b3c-dirty", "{\"revision\": \"1a2b3c\", \"dirty\": true}" },
		{ "v1-dirty-3-g1a2", "{\"revision\": \"v1-dirty-3-g1a2\", \"dirty\": false}" },
		{ "unknown", "{\"revision\": \"unknown\", \"dirty\": null}" },
		{ "", "{\"revision\": \"unknown\", \"dirty\": null}" },
	};

	for (size_t i = 0; i < COUNT(states); i++) {
		json_t *expected = json_loads(states[i][1], 0, NULL);
		json_t *git = metadata_git(states[i][0]);

		assert_true(json_equal(git, expected));
		json_decref(expected);
		json_decref(git);
	}
}

/* Counts the leaves of json, and fails on one whose path the text does not hold in backquotes. */
static int assert_documented(const json_t *json, const char *path, const char *text)
{
	const char *key;
	json_t *value;
	char quoted[256];
	int leaves = 0;

	if (!json_is_object(json)) {
		snprintf(quoted, sizeof(quoted), "| `%s` |", path);
		if (!strstr(text, quoted))
			fail_msg("%s is not in results/SCHEMA.md", path);
		return 1;
	}
	json_object_foreach((json_t *)json, key, value) {
		snprintf(quoted, sizeof(quoted), "%s.%s", path, key);
		leaves += assert_documented(value, quoted, text);
	}
	return leaves;
}

/*
 * As record_finish() takes it, with neither a field without a line in SCHEMA.md nor a line without
 * a field, nor the host's name: as root, this process gets one that is nowhere by chance.
 */
static void context_is_documented_and_names_no_host(void **state)
{
	static const char canary[] = "canary-host-name";
	static const double load[] = { 0.5, 0.25, 0.125 };
	static const unsigned int cpus[] = { 1, 0 };
	bool renamed = !unshare(CLONE_NEWUTS) && !sethostname(canary, strlen(canary));
	struct metadata_input in = {
		.machine = machine_read("", cpus, 2),
		.host_alias = "desk",
		.executable = "/home/jane/build/bench",
		.cpus = cpus,
		.cpu_count = 2,
		.tsc_hz = 3.4e9,
		.tsc_hz_source = "cpuid",
		.seed = UINT64_MAX,
		.load_before = load,
	};
	json_t *context = metadata_context(&in), *stampede = json_object_get(context, "stampede");
	json_t *run = json_object_get(stampede, "run");
	char *schema = file_text("results/SCHEMA.md", NULL), *text = json_dumps(context, 0);
	const char *at = strstr(schema, "\n### context\n");
	int y, mo, d, h, mi, s, end = 0, documented = 0;

	assert_non_null(at);
	while ((at = strstr(at + 1, "\n| `context.")))
		documented++;
	assert_int_equal(assert_documented(context, "context", schema), documented);
	assert_int_equal(sscanf(json_string_value(json_object_get(context, "date")),
				"%4d-%2d-%2dT%2d:%2d:%2d+00:00%n", &y, &mo, &d, &h, &mi, &s, &end),
			 6);
	assert_int_equal(end, 25);
	assert_int_equal(json_integer_value(json_object_get(context, "num_cpus")),
			 sysconf(_SC_NPROCESSORS_ONLN));
	assert_string_equal(json_string_value(json_object_get(run, "seed")),
			    "18446744073709551615");
	assert_non_null(strstr(text, "\"executable\": \"bench\""));
	assert_non_null(strstr(text, "\"cpus\": [1, 0], \"load_before\": [0.5, 0.25, 0.125], "
				     "\"load_after\": null"));
	json_decref(context);
	if (renamed)
		assert_null(strstr(text, canary));
	else
		print_message("a host name of our own needs root: %s\n", strerror(errno));
	free(text);
	free(schema);
	json_decref((json_t *)(uintptr_t)in.machine);
}

/* ---- warnings ---- */

static const double one = 1.0, more = 1.01;
static const struct {
	const char *machine;
	const double *load;
	int perf;
	const char *name, *state, *cause, *remedy;
} warned[] = {
#define GOVERNED(governor) "{\"cpu\": {\"governor\": \"" governor "\"}}", NULL, 0, "governor"
#define TURBO(turbo) "{\"cpu\": {\"turbo\": \"" turbo "\"}}", NULL, 0, "turbo"
#define SHARED(shares) "{\"cpu\": {\"shares_core\": " shares "}}", NULL, 0, "smt"
#define UNDER(name) "{\"hypervisor\": {\"name\": \"" name "\"}}", NULL, 0, "hypervisor"
#define TSC(a, b) "{\"tsc\": {\"constant\": " a ", \"nonstop\": " b "}}", NULL, 0, "tsc"
	{ GOVERNED("unknown"), "unknown", "cpufreq", "ask the host" },
	{ GOVERNED("performance,unknown"), "unknown", "cpufreq", "ask the host" },
	{ GOVERNED("performance"), "no", "performance", "" },
	{ GOVERNED("unknown,powersave"), "yes", "'unknown,powersave'", "cpupower" },
	{ TURBO("unknown"), "unknown", "no switch", "ask the host" },
	{ TURBO("off"), "no", "off", "" },
	{ TURBO("on"), "yes", "heat", "no_turbo" },
	{ SHARED("null"), "unknown", "tells", "dedicated" },
	{ SHARED("false"), "no", "no CPU shares", "" },
	{ SHARED("true"), "yes", "shares its core", "smt/control" },
	{ UNDER("unknown"), "unknown", "not tell", "bare metal" },
	{ UNDER("none"), "no", "no sign", "" },
	{ UNDER("KVM"), "yes", "(KVM)", "bare metal" },
	{ TSC("null", "null"), "unknown", "no x86", "constant" },
	{ TSC("true", "true"), "no", "constant_tsc and nonstop_tsc", "" },
	{ TSC("true", "false"), "yes", "lack nonstop_tsc", "clock_gettime" },
	{ TSC("false", "true"), "yes", "lack constant_tsc", "clock_gettime" },
	{ "{\"cpu\": {\"online\": 2}}", NULL, 0, "load", "unknown", "before the run", "uptime" },
	{ "{\"cpu\": {\"online\": 2}}", &one, 0, "load", "no",
	  "1.00 at start on 2 CPUs (limit 1.0)", "" },
	{ "{\"cpu\": {\"online\": 2}}", &more, 0, "load", "yes", "1.01 at start", "stop other" },
	{ "{}", &one, 0, "load", "unknown", "number of CPUs", "uptime" },
	{ "{}", NULL, 0, "perf", "no", "can be read", "" },
	{ "{}", NULL, EACCES, "perf", "yes", "Permission", "perf_event_paranoid" },
	{ "{}", NULL, ENOENT, "perf", "yes", "No such file", "no PMU" },
	{ "{}", NULL, E2BIG, "perf", "yes", "too long", "perf_event_open(2)" },
};

static void warnings_have_three_states(void **state)
{
	for (size_t i = 0; i < COUNT(warned); i++) {
		json_t *machine = json_loads(warned[i].machine, 0, NULL), *warning, *of = NULL;
		const struct metadata_input in = { .machine = machine,
						   .load_before = warned[i].load,
						   .perf_errno = warned[i].perf };
		json_t *warnings = warnings_collect(&in);
		size_t index;

		assert_int_equal(json_array_size(warnings), 7);
		json_array_foreach(warnings, index, warning)
			if (!strcmp(json_string_value(json_object_get(warning, "name")),
				    warned[i].name))
				of = warning;
		assert_string_equal(json_string_value(json_object_get(of, "state")),
				    warned[i].state);
		assert_non_null(
			strstr(json_string_value(json_object_get(of, "cause")), warned[i].cause));
		assert_non_null(
			strstr(json_string_value(json_object_get(of, "remedy")), warned[i].remedy));
		assert_int_equal(!*warned[i].remedy,
				 !json_string_length(json_object_get(of, "remedy")));
		json_decref(warnings);
		json_decref(machine);
	}
}

static void warnings_fit_a_terminal(void **state)
{
	static const double load = 123456.78;
	json_t *machine = json_pack(
		"{s:{s:i, s:s, s:s, s:b}, s:{s:b, s:b}, s:{s:s}}", "cpu", "online", 2, "governor",
		"conservative,and,many,more,governors,of,long,names,than,fit", "turbo", "on",
		"shares_core", 1, "tsc", "constant", 1, "nonstop", 1, "hypervisor", "name",
		"a hypervisor that has a very long name, longer than a line is "
		"wide, and then some");
	const struct metadata_input in = { .machine = machine,
					   .load_before = &load,
					   .perf_errno = EILSEQ };
	json_t *warnings = warnings_collect(&in);
	static char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");
	int lines = 0;

	warnings_print(warnings, out);
	fclose(out);
	assert_null(strstr(text, " tsc ")); /* what is fine is not printed */
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		assert_true(strlen(line) <= 100);
	assert_int_equal(lines, 12);
	out = fmemopen(text, sizeof(text), "w");
	warnings_name(warnings, out);
	fclose(out);
	assert_string_equal(text, "may disturb times: governor, turbo, smt, hypervisor, load, perf "
				  "(--all says how)\n");
	json_decref(warnings);
	json_decref(machine);
}

TESTS_OF(NULL, NULL, tree_setup, tree_teardown, what_is_not_there_is_unknown, what_is_there_is_read,
	 one_fact_after_the_other, a_newer_lscpu_is_read, aliases, git_state_is_taken_apart,
	 context_is_documented_and_names_no_host, warnings_have_three_states,
	 warnings_fit_a_terminal)
