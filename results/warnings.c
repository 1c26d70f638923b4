// SPDX-License-Identifier: MIT
/* What on this machine disturbs times, why, and what to do about it; see metadata.h. */
#define _GNU_SOURCE
#include "base/json.h"
#include "results/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CPU_DIR "/sys/devices/system/cpu"
/* Runnable tasks per CPU above which a pinned thread will meet one of them. */
#define LOAD_PER_CPU_MAX 0.5

/* Does the cause disturb times? */
enum disturbs { UNKNOWN, NO, YES };

/* One line; cause is owned, remedy is not. NULL: out of memory. */
static json_t *verdict(const char *name, enum disturbs state, json_t *cause, const char *remedy)
{
	static const char *const text[] = { METADATA_UNKNOWN, "no", "yes" };

	return json_pack("{s:s, s:s, s:o, s:s}", "name", name, "state", text[state], "cause", cause,
			 "remedy", state == NO ? "" : remedy);
}

/* Causes and remedies by state, where no figure is in them. */
static const struct {
	const char *cause[3], *remedy[3];
} turbo = { { ("no switch for it in " CPU_DIR " (usual in a VM)"), "turbo is off",
	      "turbo is on: the clock rate depends on heat and neighbours" },
	    { "ask the host's owner; trust ratios and cycles rather than ns", "",
	      ("write 0 to cpufreq/boost, or 1 to intel_pstate/no_turbo, in " CPU_DIR) } },
  smt = { { "nothing here tells who shares a core (usual in a VM)", "no CPU shares its core",
	    "a CPU shares its core with another" },
	  { "use a dedicated host; trust medians rather than means", "",
	    "write off to " CPU_DIR "/smt/control, or keep siblings idle" } };

static json_t *check_governor(const char *governor)
{
	if (!strcmp(governor, "performance"))
		return verdict("governor", NO, json_string("every CPU runs 'performance'"), "");
	/* One that is slow is enough; one that is silent spoils "no". */
	if (strcmp(governor, METADATA_UNKNOWN) && strcmp(governor, "performance,unknown") &&
	    strcmp(governor, "unknown,performance"))
		return verdict("governor", YES,
			       json_sprintf("governor is '%s', not 'performance' alone", governor),
			       "cpupower frequency-set -g performance");
	return verdict("governor", UNKNOWN,
		       json_string("not every CPU shows a cpufreq governor (usual in a VM)"),
		       turbo.remedy[UNKNOWN]);
}

static json_t *check_hypervisor(const char *name)
{
	if (!strcmp(name, METADATA_UNKNOWN))
		return verdict("hypervisor", UNKNOWN, json_string("lscpu does not tell"),
			       "if this is a virtual machine, use bare metal for times");
	if (!strcmp(name, "none"))
		return verdict("hypervisor", NO, json_string("no sign of a hypervisor"), "");
	return verdict("hypervisor", YES,
		       json_sprintf("a virtual machine (%s), whose CPUs can be stolen", name),
		       "use bare metal for times; counts, bytes and verdicts hold here too");
}

static json_t *check_tsc(const json_t *tsc)
{
	const json_t *constant = json_object_get(tsc, "constant");
	const json_t *nonstop = json_object_get(tsc, "nonstop");

	if (json_is_null(constant))
		return verdict("tsc", UNKNOWN, json_string("no x86 CPU flags"),
			       "check that the clock is constant and never stops");
	if (json_is_true(constant) && json_is_true(nonstop))
		return verdict("tsc", NO, json_string("constant_tsc and nonstop_tsc"), "");
	return verdict("tsc", YES,
		       json_sprintf("the TSC is not invariant: CPU flags lack%s%s",
				    json_is_true(constant) ? "" : " constant_tsc",
				    json_is_true(nonstop) ? "" : " nonstop_tsc"),
		       "use clock_gettime as the clock, or another machine");
}

static json_t *check_load(double cpus, const double *load)
{
	double limit = LOAD_PER_CPU_MAX * cpus;

	if (!load || cpus < 1)
		return verdict("load", UNKNOWN,
			       json_string(load ? "the number of CPUs is unknown" :
						  "no load average from before the run"),
			       "check with uptime that nothing else runs");
	return verdict("load", load[0] > limit ? YES : NO,
		       json_sprintf("load average %.2f at start on %.0f CPUs (limit %.1f)", load[0],
				    cpus, limit),
		       "stop other work, or wait a minute and run again");
}

static const char *perf_remedy(int error)
{
	if (error == EACCES || error == EPERM)
		return "sysctl kernel.perf_event_paranoid=1, or run as root";
	if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == ENODATA)
		return "no PMU here (usual in a VM): use bare metal, or a VM that passes it on";
	return "see perf_event_open(2); cycles and instructions stay n/a";
}

static json_t *check_perf(int error)
{
	if (!error)
		return verdict("perf", NO, json_string("hardware counters can be read"), "");
	return verdict(
		"perf", YES,
		json_sprintf("hardware counters refused: %s (perf_event_open)", strerror(error)),
		perf_remedy(error));
}

json_t *warnings_collect(const struct metadata_input *in)
{
	const json_t *cpu = json_object_get(in->machine, "cpu");
	const json_t *shares = json_object_get(cpu, "shares_core");
	enum disturbs boosts = !strcmp(json_text(cpu, "turbo"), "on")  ? YES :
			       !strcmp(json_text(cpu, "turbo"), "off") ? NO :
									 UNKNOWN;
	enum disturbs shared = json_is_true(shares) ? YES : json_is_false(shares) ? NO : UNKNOWN;

	return json_pack(
		"[o, o, o, o, o, o, o]", check_governor(json_text(cpu, "governor")),
		verdict("turbo", boosts, json_string(turbo.cause[boosts]), turbo.remedy[boosts]),
		verdict("smt", shared, json_string(smt.cause[shared]), smt.remedy[shared]),
		check_hypervisor(json_text(json_object_get(in->machine, "hypervisor"), "name")),
		check_tsc(json_object_get(in->machine, "tsc")),
		check_load(json_number(cpu, "online"), in->load_before),
		check_perf(in->perf_errno));
}

void warnings_print(const json_t *warnings, FILE *out)
{
	const json_t *one;
	size_t index;

	json_array_foreach(warnings, index, one) {
		const char *state = json_text(one, "state");

		if (strcmp(state, "no"))
			fprintf(out, "%-8s %-10s  %.78s\n%21s%.78s\n",
				strcmp(state, "yes") ? state : "warning", json_text(one, "name"),
				json_text(one, "cause"), "", json_text(one, "remedy"));
	}
}

void warnings_name(const json_t *warnings, FILE *out)
{
	const json_t *one;
	size_t index;
	bool named = false;

	json_array_foreach(warnings, index, one) {
		if (!strcmp(json_text(one, "state"), "no"))
			continue;
		fprintf(out, "%s%s", named ? ", " : "may disturb times: ", json_text(one, "name"));
		named = true;
	}
	if (named)
		fputs(" (--all says how)\n", out);
}
