// SPDX-License-Identifier: MIT
/* Each warning in each of its three states. */
#define _GNU_SOURCE
#include "tests/support/machine_fixture.h"

/* The warning's state must be as said, its cause hold a text, and a remedy be there if needed. */
static void assert_warning(const struct metadata_input *in, const char *name, const char *state,
			   const char *cause)
{
	json_t *warnings = warnings_collect(in);
	json_t *warning;
	size_t index;
	bool found = false;

	assert_int_equal(json_array_size(warnings), 7);
	json_array_foreach(warnings, index, warning) {
		const char *got_cause = json_string_value(json_object_get(warning, "cause"));

		if (strcmp(json_string_value(json_object_get(warning, "name")), name))
			continue;
		found = true;
		assert_string_equal(json_string_value(json_object_get(warning, "state")), state);
		if (!strstr(got_cause, cause))
			fail_msg("cause of %s: \"%s\" without \"%s\"", name, got_cause, cause);
		assert_int_equal(json_string_length(json_object_get(warning, "remedy")) > 0,
				 strcmp(state, "no") != 0);
	}
	assert_true(found);
	json_decref(warnings);
}

static void governor_has_three_states(void **state)
{
	const int both[] = { 0, 1 };
	struct metadata_input in = { .sysroot = *state };

	assert_warning(&in, "governor", "unknown", "cpufreq");
	put(*state, CPU "online", "0-2\n");
	assert_warning(&in, "governor", "unknown", "cpufreq");
	put(*state, CPU "cpu0/cpufreq/scaling_governor", "performance\n");
	put(*state, CPU "cpu1/cpufreq/scaling_governor", "performance\n");
	/* CPU 2 is silent: that spoils a "no" about all, and not one about the others. */
	assert_warning(&in, "governor", "unknown", "cpufreq");
	in.cpus = both;
	in.cpu_count = 2;
	assert_warning(&in, "governor", "no", "performance");
	in.cpu_count = 0;
	put(*state, CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	assert_warning(&in, "governor", "yes", "cpu1 runs governor 'powersave'");
	in.cpu_count = 1;
	assert_warning(&in, "governor", "no", "performance");
	put(*state, CPU "cpu0/cpufreq/scaling_governor", "\n");
	assert_warning(&in, "governor", "unknown", "cpufreq");
}

static void turbo_has_three_states(void **state)
{
	struct metadata_input in = { .sysroot = *state };

	put(*state, CPU "online", "0-1\n");
	assert_warning(&in, "turbo", "unknown", "no switch");
	put(*state, CPU "cpu0/cpufreq/boost", "0\n");
	assert_warning(&in, "turbo", "unknown", "no switch");
	put(*state, CPU "cpu1/cpufreq/boost", "0\n");
	assert_warning(&in, "turbo", "no", "off");
	put(*state, CPU "cpu1/cpufreq/boost", "1\n");
	assert_warning(&in, "turbo", "yes", "on");
	put(*state, CPU "cpufreq/boost", "0\n");
	assert_warning(&in, "turbo", "no", "off");
	put(*state, CPU "cpufreq/boost", "1\n");
	assert_warning(&in, "turbo", "yes", "on");
	/* Intel's switch says the opposite, and rules where it is. */
	put(*state, CPU "intel_pstate/no_turbo", "1\n");
	assert_warning(&in, "turbo", "no", "off");
	put(*state, CPU "intel_pstate/no_turbo", "0\n");
	put(*state, CPU "cpufreq/boost", "0\n");
	assert_warning(&in, "turbo", "yes", "on");
	put(*state, CPU "intel_pstate/no_turbo", "maybe\n");
	put(*state, CPU "cpufreq/boost", "\n");
	put(*state, CPU "cpu0/cpufreq/boost", "?\n");
	put(*state, CPU "cpu1/cpufreq/boost", "?\n");
	assert_warning(&in, "turbo", "unknown", "no switch");
}

static void smt_has_three_states(void **state)
{
	const int first[] = { 0 };
	struct metadata_input in = { .sysroot = *state };

	assert_warning(&in, "smt", "unknown", "not enough");
	put(*state, CPU "online", "0-2\n");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_METAL);
	put(*state, CPU "cpu0/topology/thread_siblings_list", "0\n");
	assert_warning(&in, "smt", "unknown", "not enough");
	put(*state, CPU "cpu1/topology/thread_siblings_list", "1-2\n");
	assert_warning(&in, "smt", "yes", "cpu1 shares its core: CPUs 1-2");
	in.cpus = first;
	in.cpu_count = 1;
	assert_warning(&in, "smt", "no", "no CPU shares");
	/* The same in a guest proves nothing: the host decides who runs beside us. */
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_GUEST);
	assert_warning(&in, "smt", "unknown", "guest");
	put(*state, CPU "cpu0/topology/thread_siblings_list", "0,4\n");
	assert_warning(&in, "smt", "yes", "cpu0 shares its core: CPUs 0,4");
	put(*state, CPU "cpu0/topology/thread_siblings_list", "nonsense\n");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_METAL);
	assert_warning(&in, "smt", "unknown", "not enough");
}

static void hypervisor_has_three_states(void **state)
{
	struct metadata_input in = { .sysroot = *state };

	assert_warning(&in, "hypervisor", "unknown", "neither");
	put(*state, "proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
	assert_warning(&in, "hypervisor", "unknown", "neither");
	put(*state, "sys/class/dmi/id/sys_vendor", "QEMU\n");
	assert_warning(&in, "hypervisor", "yes", "QEMU");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_METAL);
	put(*state, "sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
	assert_warning(&in, "hypervisor", "no", "no sign");
	/* These vendors sell metal as well. */
	put(*state, "sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	assert_warning(&in, "hypervisor", "no", "no sign");
	put(*state, "sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
	put(*state, "sys/class/dmi/id/product_name", "Surface\n");
	assert_warning(&in, "hypervisor", "no", "no sign");
	put(*state, "sys/class/dmi/id/product_name", "Virtual Machine\n");
	assert_warning(&in, "hypervisor", "yes", "Microsoft");
	put(*state, "sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_GUEST);
	assert_warning(&in, "hypervisor", "yes", "virtual machine");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_METAL);
	put(*state, "sys/hypervisor/type", "xen\n");
	assert_warning(&in, "hypervisor", "yes", "xen");
}

static void tsc_has_three_states(void **state)
{
	struct metadata_input in = { .sysroot = *state };

	assert_warning(&in, "tsc", "unknown", "no x86 CPU flags");
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_METAL);
	assert_warning(&in, "tsc", "no", "constant_tsc and nonstop_tsc");
	put(*state, "proc/cpuinfo", "processor\t: 0\nflags\t\t: tsc constant_tsc\n");
	assert_warning(&in, "tsc", "yes", "lack nonstop_tsc");
	put(*state, "proc/cpuinfo", "processor\t: 0\nflags\t\t: nonstop_tsc tsc\n");
	assert_warning(&in, "tsc", "yes", "lack constant_tsc");
	/* Whole words only. */
	put(*state, "proc/cpuinfo",
	    "processor\t: 0\nflags\t\t: xconstant_tsc constant_tsc2 nonstop_tsc\n");
	assert_warning(&in, "tsc", "yes", "lack constant_tsc");
}

static void load_has_three_states(void **state)
{
	double load[3] = { 1.0, 0, 0 };
	struct metadata_input in = { .sysroot = *state };

	put(*state, CPU "online", "0-1\n");
	assert_warning(&in, "load", "unknown", "before the run");
	in.load_before = load;
	assert_warning(&in, "load", "no", "1.00 at start on 2 CPUs (limit 1.0)");
	load[0] = 1.01;
	assert_warning(&in, "load", "yes", "1.01 at start");
	put(*state, CPU "online", "0-3\n");
	assert_warning(&in, "load", "no", "4 CPUs");
	put(*state, CPU "online", "what\n");
	assert_warning(&in, "load", "unknown", "number of CPUs");
}

static void perf_has_three_states(void **state)
{
	static const struct {
		int error;
		const char *remedy;
	} refused[] = {
		{ EACCES, "perf_event_paranoid" }, { ENOENT, "no PMU" },
		{ ENOSYS, "container" },	   { EMFILE, "ulimit" },
		{ E2BIG, "perf_event_open(2)" },
	};
	struct metadata_input in = { .sysroot = *state };

	assert_warning(&in, "perf", "unknown", "not tried");
	in.perf_access = PERF_OPENED;
	assert_warning(&in, "perf", "no", "can be read");
	in.perf_access = PERF_REFUSED;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		json_t *warnings;

		in.perf_errno = refused[i].error;
		assert_warning(&in, "perf", "yes", strerror(refused[i].error));
		warnings = warnings_collect(&in);
		assert_non_null(strstr(
			json_string_value(json_object_get(json_array_get(warnings, 6), "remedy")),
			refused[i].remedy));
		json_decref(warnings);
	}
	in.perf_access = PERF_UNTRIED;
	put(*state, "proc/sys/kernel/perf_event_paranoid", "2\n");
	assert_warning(&in, "perf", "unknown", "not tried");
	put(*state, "proc/sys/kernel/perf_event_paranoid", "3\n");
	if (!geteuid()) {
		assert_warning(&in, "perf", "unknown", "not tried");
		if (seteuid(65534)) {
			print_message("skipped: there is no other user in this namespace\n");
			skip();
		}
	}
	assert_warning(&in, "perf", "yes", "perf_event_paranoid is 3");
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
}

/* Prints in's warnings to a text, which lasts until the next call; returns how many disturb. */
static size_t print_to(const struct metadata_input *in, char text[16384])
{
	json_t *warnings = warnings_collect(in);
	FILE *out = fmemopen(text, 16384, "w");
	size_t disturbed;

	assert_non_null(out);
	text[0] = '\0';
	disturbed = warnings_print(warnings, out);
	fclose(out);
	json_decref(warnings);
	return disturbed;
}

static void warnings_fit_a_terminal(void **state)
{
	double load[3] = { 123456.78, 0, 0 };
	struct metadata_input in = { .sysroot = *state };
	static char text[16384];
	int lines = 0;

	assert_int_equal(print_to(&in, text), 0);
	assert_null(strstr(text, "warning"));
	for (char *c = text; (c = strstr(c, "unknown  ")); c++)
		lines++;
	assert_int_equal(lines, 7);

	put(*state, CPU "online", "0-8191\n");
	put(*state, "proc/cpuinfo", "processor\t: 0\nflags\t\t: hypervisor\n");
	put(*state, "sys/hypervisor/type",
	    "a hypervisor that has a very long name of its own, "
	    "longer than a line is wide, and then some\n");
	put(*state, CPU "cpu8191/cpufreq/scaling_governor", "conservative_and_long_governor\n");
	put(*state, CPU "cpu8191/topology/thread_siblings_list", "8100-8150,8160-8170,8180-8191\n");
	put(*state, CPU "cpufreq/boost", "1\n");
	in.load_before = load;
	in.perf_access = PERF_REFUSED;
	in.perf_errno = EILSEQ;
	assert_int_equal(print_to(&in, text), 7);
	assert_null(strstr(text, "unknown  "));
	lines = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		assert_true(strlen(line) <= 100);
	assert_int_equal(lines, 14);

	/* What is fine is not printed. */
	put(*state, "proc/cpuinfo", "processor\t: 0\n" FLAGS_GUEST);
	in.perf_access = PERF_OPENED;
	load[0] = 0;
	assert_int_equal(print_to(&in, text), 4);
	assert_null(strstr(text, " tsc "));
	assert_null(strstr(text, " perf "));
	assert_null(strstr(text, " load "));
}

TESTS_OF(NULL, NULL, tree_setup, tree_teardown, governor_has_three_states, turbo_has_three_states,
	 smt_has_three_states, hypervisor_has_three_states, tsc_has_three_states,
	 load_has_three_states, perf_has_three_states, warnings_fit_a_terminal)
