// SPDX-License-Identifier: MIT
/* The machine, the build and the run as the record tells them. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/utsname.h>

#include "tests/support/machine_fixture.h"

#include "results/record.h"

static void cpu_lists_are_read(void **state)
{
	int cpus[4] = { -1, -1, -1, -1 };

	assert_int_equal(machine_cpu_list("0-2,8", cpus, 4), 4);
	assert_int_equal(cpus[0] + 10 * cpus[1] + 100 * cpus[2] + 1000 * cpus[3], 8210);
	assert_int_equal(machine_cpu_list("", cpus, 4), 0);
	cpus[1] = -1;
	assert_int_equal(machine_cpu_list("5-300", cpus, 1), 296);
	assert_int_equal(cpus[0], 5);
	assert_int_equal(cpus[1], -1);
	for (size_t i = 0; i < 7; i++) {
		static const char *const bad[] = {
			"x", "1-", "3-1", "0;1", "-1", "0-99999", "unknown",
		};

		assert_int_equal(machine_cpu_list(bad[i], cpus, 4), -1);
	}
}

static void hypervisors_by_name(void **state)
{
	char name[64];

	machine_hypervisor_name("KVMKVMKVM", name, sizeof(name));
	assert_string_equal(name, "KVM");
	machine_hypervisor_name("Microsoft Hv", name, sizeof(name));
	assert_string_equal(name, "Hyper-V");
	machine_hypervisor_name("OwnOwnOwn", name, sizeof(name));
	assert_string_equal(name, "OwnOwnOwn");
}

static void alias_comes_from_the_cpu(void **state)
{
	static const struct {
		const char *model;
		const char *alias;
	} models[] = {
		{ "AMD EPYC", "amd-epyc-2cpu" },
		{ "AMD EPYC 7763 64-Core Processor", "amd-epyc-7763-2cpu" },
		{ "Intel(R) Xeon(R) Platinum 8272CL CPU @ 2.60GHz",
		  "intel-xeon-platinum-8272cl-2cpu" },
		{ "AMD Ryzen 7 PRO 4750U with Radeon Graphics", "amd-ryzen-7-pro-4750u-2cpu" },
		{ "13th Gen Intel(R) Core(TM) i7-1365U", "13th-gen-intel-core-i7-1365u-2cpu" },
		{ "../../etc/passwd", "etc-passwd-2cpu" },
		{ "CPU", "2cpu" },
	};
	char alias[METADATA_ALIAS_BYTES];
	char text[256];
	struct utsname name;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		snprintf(text, sizeof(text),
			 "processor : 0\nmodel name : %s\n\nprocessor : 1\n"
			 "model name : another\n",
			 models[i].model);
		put(*state, "proc/cpuinfo", text);
		metadata_host_alias(*state, alias, sizeof(alias));
		assert_string_equal(alias, models[i].alias);
	}
	assert_int_equal(uname(&name), 0);
	put(*state, "proc/cpuinfo", "processor : 0\nFeatures : fp\n");
	metadata_host_alias(*state, alias, sizeof(alias));
	for (char *c = name.machine; *c; c++)
		if (*c == '-')
			*c = '_';
	assert_true(strstr(alias, "-1cpu") && strlen(alias) == strlen(name.machine) + 5);
}

static void alias_from_the_environment_is_sanitised(void **state)
{
	static const struct {
		const char *given;
		const char *alias;
	} aliases[] = {
		{ "Lab_7.b", "Lab_7.b" },  { "a/b c\n//d", "a-b-c-d" }, { "..-.x.-", "x." },
		{ "../up", "up" },	   { "caf\xc3\xa9", "caf" },	{ "", "unknown-1cpu" },
		{ "///", "unknown-1cpu" },
	};
	char alias[METADATA_ALIAS_BYTES];
	char many[200];

	put(*state, "proc/cpuinfo", "processor : 0\nmodel name : unknown CPU\n");
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		setenv("STAMPEDE_HOST_ALIAS", aliases[i].given, 1);
		metadata_host_alias(*state, alias, sizeof(alias));
		assert_string_equal(alias, aliases[i].alias);
	}
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	setenv("STAMPEDE_HOST_ALIAS", many, 1);
	metadata_host_alias(*state, alias, sizeof(alias));
	assert_int_equal(strlen(alias), METADATA_ALIAS_BYTES - 1);
	unsetenv("STAMPEDE_HOST_ALIAS");
}

static void git_state_is_taken_apart(void **state)
{
	static const struct {
		const char *state;
		const char *json;
	} states[] = {
		{ "1a2b3c", "{\"revision\": \"1a2b3c\", \"dirty\": false}" },
		{ "1a2b3c-dirty", "{\"revision\": \"1a2b3c\", \"dirty\": true}" },
		{ "v1-dirty-3-g1a2", "{\"revision\": \"v1-dirty-3-g1a2\", \"dirty\": false}" },
		{ "unknown", "{\"revision\": \"unknown\", \"dirty\": null}" },
		{ "", "{\"revision\": \"unknown\", \"dirty\": null}" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		json_t *expected = json_loads(states[i].json, 0, NULL);
		json_t *git = metadata_git(states[i].state);

		assert_non_null(expected);
		assert_true(json_equal(git, expected));
		json_decref(expected);
		json_decref(git);
	}
}

/* Takes out what is of this build and this machine, after a look at it. */
static void check_and_drop_local(json_t *metadata)
{
	struct utsname name;
	json_t *build = json_object_get(metadata, "build");
	json_t *kernel = json_object_get(metadata, "kernel");
	json_t *libraries = json_object_get(metadata, "libraries");

	assert_int_equal(uname(&name), 0);
	assert_true(json_is_string(json_object_get(json_object_get(metadata, "git"), "revision")));
#ifdef __clang__
	assert_non_null(strstr(json_string_value(json_object_get(build, "compiler")), "clang "));
#else
	assert_string_equal(json_string_value(json_object_get(build, "compiler")),
			    "gcc " __VERSION__);
#endif
	assert_true(json_is_boolean(json_object_get(build, "optimized")));
	assert_true(json_string_length(json_object_get(build, "flags")) > 0);
	assert_string_equal(json_string_value(json_object_get(kernel, "architecture")),
			    name.machine);
	assert_string_equal(json_string_value(json_object_get(libraries, "jansson")),
			    jansson_version_str());
	assert_true(json_string_length(json_object_get(libraries, "libc")) > 2);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(metadata, "memory"),
							    "page_bytes")),
			 sysconf(_SC_PAGESIZE));
	assert_int_equal(
		json_is_true(json_object_get(json_object_get(metadata, "run"), "user_is_root")),
		geteuid() == 0);
	json_object_del(metadata, "git");
	json_object_del(metadata, "build");
	json_object_del(kernel, "architecture");
	json_object_del(libraries, "jansson");
	json_object_del(libraries, "libc");
	json_object_del(json_object_get(metadata, "memory"), "page_bytes");
	json_object_del(json_object_get(metadata, "run"), "user_is_root");
}

static void assert_metadata(const struct metadata_input *in, const char *expected_text)
{
	json_error_t error;
	json_t *expected = json_loads(expected_text, 0, &error);
	json_t *context = metadata_context(in);
	json_t *metadata = json_incref(json_object_get(context, "stampede"));

	if (!expected)
		fail_msg("expected text: column %d: %s", error.position, error.text);
	assert_non_null(metadata);
	check_and_drop_local(metadata);
	if (!json_equal(metadata, expected)) {
		char *got = json_dumps(metadata, 0);

		fail_msg("expected %s\ngot %s", expected_text, got);
	}
	json_decref(metadata);
	json_decref(context);
	json_decref(expected);
}

static void what_is_not_there_is_unknown(void **state)
{
	const struct metadata_input in = { .sysroot = *state, .tsc_hz_source = "nowhere" };

	assert_metadata(
		&in, "{\"schema\": 3, \"kernel\": {\"release\": \"unknown\","
		     "\"clocksource\": \"unknown\", \"isolated_cpus\": \"unknown\","
		     "\"nohz_full_cpus\": \"unknown\", \"perf_event_paranoid\": null},"
		     "\"cpu\": {\"vendor\": \"unknown\", \"model\": \"unknown\", \"family\": null,"
		     "\"model_number\": null, \"stepping\": null, \"microcode\": \"unknown\","
		     "\"online\": null, \"governor\": \"unknown\", \"turbo\": \"unknown\","
		     "\"smt\": \"unknown\", \"shares_core\": null},"
		     "\"tsc\": {\"constant\": null, \"nonstop\": null, \"hz\": null,"
		     "\"hz_source\": \"unknown\"},"
		     "\"hypervisor\": {\"present\": \"unknown\", \"name\": \"unknown\"},"
		     "\"memory\": {\"total_bytes\": null},"
		     "\"run\": {\"seed\": null, \"order\": \"unknown\", \"cpus\": null,"
		     "\"load_before\": null, \"load_after\": null},"
		     "\"libraries\": {\"hwloc\": \"unknown\", \"benchmark\": \"unknown\"}}");
}

/* A made-up desktop with everything there is to know. */
static void put_desktop(const char *tree)
{
	put(tree, "proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
	    "cpu family\t: 25\nmodel\t\t: 33\nmodel name\t: AMD Ryzen 9\nstepping\t: 2\n"
	    "microcode\t: 0xa20120a\ncpu MHz\t\t: 2200.000\n" FLAGS_METAL
	    "\nprocessor\t: 1\nvendor_id\t: Other\nstepping\t: 9\nflags\t\t: none\n");
	put(tree, "proc/meminfo", "MemTotal:       16384 kB\nMemFree:          100 kB\n");
	put(tree, "proc/sys/kernel/osrelease", "6.1.0-test\n");
	put(tree, "proc/sys/kernel/perf_event_paranoid", "-1\n");
	put(tree, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put(tree, CPU "online", "0-3\n");
	put(tree, CPU "isolated", "2-3\n");
	put(tree, CPU "nohz_full", "(null)\n");
	put(tree, CPU "smt/control", "forceoff\n");
	put(tree, CPU "cpufreq/boost", "1\n");
	put(tree, CPU "cpu0/cpufreq/cpuinfo_max_freq", "4950195\n");
	put(tree, CPU "cpu0/cpufreq/scaling_governor", "performance\n");
	put(tree, CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	put(tree, CPU "cpu3/cpufreq/scaling_governor", "performance\n");
	for (int i = 0; i < 4; i++) {
		char path[128];

		snprintf(path, sizeof(path), CPU "cpu%d/topology/thread_siblings_list", i);
		scratch_put(tree, path, &"0123"[i], 1);
	}
	put(tree, CPU "cpu0/cache/index0/type", "Data\n");
	put(tree, CPU "cpu0/cache/index0/level", "1\n");
	put(tree, CPU "cpu0/cache/index0/size", "32K\n");
	put(tree, CPU "cpu0/cache/index0/shared_cpu_list", "0\n");
	put(tree, CPU "cpu0/cache/index1/type", "Unified\n");
	put(tree, CPU "cpu0/cache/index1/level", "3\n");
	put(tree, CPU "cpu0/cache/index1/size", "64M\n");
	put(tree, CPU "cpu0/cache/index1/shared_cpu_list", "0-3\n");
}

/* Everything a caller can know about a run on it. */
static struct metadata_input desktop_input(const char *tree)
{
	static const int cpus[] = { 0, 1, 3 };
	static const double before[] = { 0.5, 0.25, 0.125 }, after[] = { 2, 1, 0.5 };
	static const uint64_t seed = UINT64_MAX;

	return (struct metadata_input){
		.sysroot = tree,
		.host_alias = "desk",
		.executable = "/home/jane/build/bench",
		.cpus = cpus,
		.cpu_count = 3,
		.tsc_hz = 3.4e9,
		.tsc_hz_source = "cpuid",
		.seed = &seed,
		.order = "shuffled",
		.load_before = before,
		.load_after = after,
		.hwloc_version = "2.9.0",
		.benchmark_version = "1.7.1",
		.library_build_type = "debug",
	};
}

static void what_is_there_is_recorded(void **state)
{
	const struct metadata_input in = desktop_input(*state);

	put_desktop(*state);
	assert_metadata(&in,
			"{\"schema\": 3, \"kernel\": {\"release\": \"6.1.0-test\","
			"\"clocksource\": \"tsc\", \"isolated_cpus\": \"2-3\","
			"\"nohz_full_cpus\": \"\", \"perf_event_paranoid\": -1},"
			"\"cpu\": {\"vendor\": \"AuthenticAMD\", \"model\": \"AMD Ryzen 9\","
			"\"family\": 25, \"model_number\": 33, \"stepping\": 2,"
			"\"microcode\": \"0xa20120a\", \"online\": 4,"
			"\"governor\": \"performance,powersave\", \"turbo\": \"on\","
			"\"smt\": \"forceoff\", \"shares_core\": false},"
			"\"tsc\": {\"constant\": true, \"nonstop\": true, \"hz\": 3.4e9,"
			"\"hz_source\": \"cpuid\"},"
			"\"hypervisor\": {\"present\": \"no\", \"name\": \"none\"},"
			"\"memory\": {\"total_bytes\": 16777216},"
			"\"run\": {\"seed\": \"18446744073709551615\", \"order\": \"shuffled\","
			"\"cpus\": [0, 1, 3], \"load_before\": [0.5, 0.25, 0.125],"
			"\"load_after\": [2.0, 1.0, 0.5]},"
			"\"libraries\": {\"hwloc\": \"2.9.0\", \"benchmark\": \"1.7.1\"}}");
}

static void context_has_google_benchmarks_keys(void **state)
{
	const struct metadata_input in = desktop_input(*state);
	json_t *expected =
		json_loads("{\"host_name\": \"desk\", \"executable\": \"bench\","
			   "\"num_cpus\": 4, \"mhz_per_cpu\": 4950, \"cpu_scaling_enabled\": true,"
			   "\"caches\": [{\"type\": \"Data\", \"level\": 1, \"size\": 32768,"
			   "\"num_sharing\": 1}, {\"type\": \"Unified\", \"level\": 3,"
			   "\"size\": 67108864, \"num_sharing\": 4}],"
			   "\"load_avg\": [0.5, 0.25, 0.125], \"library_build_type\": \"debug\"}",
			   0, NULL);
	json_t *context;
	char why[256];
	int y, mo, d, h, mi, s, end = 0;

	put_desktop(*state);
	context = metadata_context(&in);
	assert_non_null(context);
	assert_int_equal(sscanf(json_string_value(json_object_get(context, "date")),
				"%4d-%2d-%2dT%2d:%2d:%2d+00:00%n", &y, &mo, &d, &h, &mi, &s, &end),
			 6);
	assert_int_equal(end, 25);
	json_object_del(context, "date");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(context, "stampede"), "schema")),
		RECORD_SCHEMA);
	/* As record_finish() will see it: only rows are missing. */
	json_t *document = json_pack("{s:O, s:[]}", "context", context, "benchmarks");

	assert_false(record_check(document, why, sizeof(why)));
	assert_non_null(strstr(why, "at least one row"));
	json_decref(document);
	json_object_del(context, "stampede");
	assert_true(json_equal(context, expected));
	json_decref(context);
	json_decref(expected);
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
	struct metadata_input in = { .sysroot = *state, .executable = "b\xff", .order = "\xfe" };
	json_t *context;

	put(*state, "proc/cpuinfo", "processor : 0\nmodel name : A\xc3(\xff\x01 CPU\n");
	context = metadata_context(&in);
	assert_non_null(context);
	assert_string_equal(json_string_value(json_object_get(context, "executable")), "unknown");
	assert_string_equal(json_string_value(json_object_get(context, "host_name")), "a-1cpu");
	json_decref(context);
}

/* This very machine, as far as another way of asking exists. */
static void this_machine_is_described(void **state)
{
	double load[3] = { -1, -1, -1 };
	struct metadata_input in = { .load_before = load };
	json_t *context;
	json_t *stampede;
	struct utsname name;

	assert_true(machine_read_load("", load));
	assert_true(load[0] >= 0 && load[1] >= 0 && load[2] >= 0);
	context = metadata_context(&in);
	stampede = json_object_get(context, "stampede");
	assert_int_equal(uname(&name), 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(stampede, "kernel"), "release")),
		name.release);
	assert_int_equal(json_integer_value(json_object_get(context, "num_cpus")),
			 sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(json_integer_value(json_object_get(json_object_get(stampede, "memory"),
						       "total_bytes")) > 1 << 20);
	assert_false(machine_read_load(*state, load));
	json_decref(context);
}

/* Needs root: this process gets a host name that cannot be anything else by chance. */
static void host_name_appears_nowhere(void **state)
{
	static const char canary[] = "canary-host-name";
	const struct metadata_input in = { .executable = "bench" };
	char hostname[64];
	json_t *context, *warnings;
	char *text;

	if (unshare(CLONE_NEWUTS) || sethostname(canary, strlen(canary))) {
		print_message("skipped: a host name of our own needs root: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(gethostname(hostname, sizeof(hostname)), 0);
	assert_string_equal(hostname, canary);
	context = metadata_context(&in);
	warnings = warnings_collect(&in);
	text = json_dumps(context, 0);
	assert_non_null(strstr(text, "\"host_name\""));
	assert_null(strstr(text, canary));
	free(text);
	text = json_dumps(warnings, 0);
	assert_null(strstr(text, canary));
	free(text);
	json_decref(context);
	json_decref(warnings);
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

/* Neither a field without a line in SCHEMA.md nor a line without a field. */
static void schema_is_documented(void **state)
{
	const struct metadata_input in = { .sysroot = *state };
	json_t *context = metadata_context(&in);
	json_t *warnings = warnings_collect(&in);
	static char text[65536];
	const char *section;
	int documented = 0;
	json_t *warning;
	char quoted[64];
	size_t index;
	FILE *schema = fopen("results/SCHEMA.md", "r");

	if (!schema)
		fail_msg("results/SCHEMA.md: %s; run this from the project's root",
			 strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, schema)] = '\0';
	fclose(schema);
	section = strstr(text, "\n### context\n");
	assert_non_null(section);
	for (const char *at = section; (at = strstr(at, "\n| `context.")); at++)
		documented++;
	assert_int_equal(assert_documented(context, "context", text), documented);
	json_array_foreach(warnings, index, warning) {
		snprintf(quoted, sizeof(quoted), "`%s`",
			 json_string_value(json_object_get(warning, "name")));
		assert_non_null(strstr(text, quoted));
	}
	json_decref(context);
	json_decref(warnings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hypervisors_by_name),
		TREE_TEST(cpu_lists_are_read),
		TREE_TEST(alias_comes_from_the_cpu),
		TREE_TEST(alias_from_the_environment_is_sanitised),
		TREE_TEST(git_state_is_taken_apart),
		TREE_TEST(what_is_not_there_is_unknown),
		TREE_TEST(what_is_there_is_recorded),
		TREE_TEST(context_has_google_benchmarks_keys),
		TREE_TEST(bytes_that_are_no_text_do_no_harm),
		TREE_TEST(this_machine_is_described),
		TREE_TEST(host_name_appears_nowhere),
		TREE_TEST(schema_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
