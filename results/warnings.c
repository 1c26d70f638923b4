// SPDX-License-Identifier: MIT
/* What on this machine disturbs times, why, and what to do about it; see metadata.h. */
#define _GNU_SOURCE
#include "base/json.h"
#include "results/metadata.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "results/machine.h"

#define CPU_DIR "/sys/devices/system/cpu"
/* Runnable tasks per CPU above which a pinned thread will meet one of them. */
#define LOAD_PER_CPU_MAX 0.5

/* One verdict; cause is owned, remedy is not. NULL: out of memory. */
static json_t *verdict(const char *name, enum tristate state, json_t *cause, const char *remedy)
{
	return json_pack("{s:s, s:s, s:o, s:s}", "name", name, "state", tristate_text(state),
			 "cause", cause, "remedy", state == TRI_NO ? "" : remedy);
}

static json_t *check_governor(const struct machine *m)
{
	switch (m->governor_slow) {
	case TRI_YES:
		return verdict("governor", TRI_YES,
			       json_sprintf("cpu%d runs governor '%s', not 'performance'",
					    m->governor_cpu, m->governor_of_cpu),
			       "cpupower frequency-set -g performance");
	case TRI_NO:
		return verdict("governor", TRI_NO, json_string("every CPU runs 'performance'"), "");
	default:
		return verdict("governor", TRI_UNKNOWN,
			       json_string("not every CPU shows a cpufreq governor (usual in a "
					   "VM)"),
			       "ask the host's owner; trust ratios and cycles rather than ns");
	}
}

static json_t *check_turbo(const struct machine *m)
{
	static const char *const causes[] = {
		("no switch for it in " CPU_DIR " (usual in a VM)"),
		"turbo is off",
		"turbo is on: the clock rate depends on heat and neighbours",
	};
	static const char *const remedies[] = {
		"ask the host's owner; trust ratios and cycles rather than ns",
		"",
		("write 0 to cpufreq/boost, or 1 to intel_pstate/no_turbo, in " CPU_DIR),
	};

	return verdict("turbo", m->turbo, json_string(causes[m->turbo]), remedies[m->turbo]);
}

static json_t *check_smt(const struct machine *m)
{
	switch (m->sibling) {
	case TRI_YES:
		return verdict("smt", TRI_YES,
			       json_sprintf("cpu%d shares its core: CPUs %s", m->sibling_cpu,
					    m->sibling_list),
			       "write off to " CPU_DIR "/smt/control, or keep siblings idle");
	case TRI_NO:
		return verdict("smt", TRI_NO, json_string("no CPU shares its core"), "");
	default:
		return verdict(
			"smt", TRI_UNKNOWN,
			json_string(m->hypervisor == TRI_YES ?
					    "a guest cannot see who shares its host's cores" :
					    "not enough in " CPU_DIR " to tell who shares a core"),
			"use a dedicated host; trust medians rather than means");
	}
}

static json_t *check_hypervisor(const struct machine *m)
{
	switch (m->hypervisor) {
	case TRI_YES:
		return verdict("hypervisor", TRI_YES,
			       json_sprintf("a virtual machine (%s), whose CPUs can be stolen",
					    m->hypervisor_name),
			       "use bare metal for times; counts, bytes and verdicts hold here "
			       "too");
	case TRI_NO:
		return verdict("hypervisor", TRI_NO, json_string("no sign of a hypervisor"), "");
	default:
		return verdict("hypervisor", TRI_UNKNOWN,
			       json_string("neither CPU flags nor firmware tell"),
			       "if this is a virtual machine, use bare metal for times");
	}
}

static json_t *check_tsc(const struct machine *m)
{
	static const char remedy[] = "use clock_gettime as the clock, or another machine";

	if (m->constant_tsc == TRI_UNKNOWN || m->nonstop_tsc == TRI_UNKNOWN)
		return verdict("tsc", TRI_UNKNOWN, json_string("no x86 CPU flags in /proc/cpuinfo"),
			       "check that the clock is constant and never stops");
	if (m->constant_tsc == TRI_YES && m->nonstop_tsc == TRI_YES)
		return verdict("tsc", TRI_NO, json_string("constant_tsc and nonstop_tsc"), "");
	return verdict("tsc", TRI_YES,
		       json_sprintf("the TSC is not invariant: CPU flags lack%s%s",
				    m->constant_tsc == TRI_NO ? " constant_tsc" : "",
				    m->nonstop_tsc == TRI_NO ? " nonstop_tsc" : ""),
		       remedy);
}

static json_t *check_load(const struct machine *m, const double *load)
{
	double limit = LOAD_PER_CPU_MAX * (double)m->cpu_count;

	if (!load || m->cpu_count < 1)
		return verdict("load", TRI_UNKNOWN,
			       json_string(load ? "the number of CPUs is unknown" :
						  "no load average from before the run"),
			       "check with uptime that nothing else runs");
	return verdict("load", load[0] > limit ? TRI_YES : TRI_NO,
		       json_sprintf("load average %.2f at start on %ld CPUs (limit %.1f)", load[0],
				    m->cpu_count, limit),
		       "stop other work, or wait a minute and run again");
}

/* What perf_event_open(2) means by its errno, as far as a user can do something about it. */
static const char *perf_remedy(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "sysctl kernel.perf_event_paranoid=1, or run as root";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "no PMU here (usual in a VM): use bare metal, or a VM that passes it on";
	case ENOSYS:
		return "use a kernel or container that allows perf_event_open";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files (ulimit -n)";
	default:
		return "see perf_event_open(2); cycles and instructions stay n/a";
	}
}

static json_t *check_perf(const struct metadata_input *in, const struct machine *m)
{
	if (in->perf_access == PERF_OPENED)
		return verdict("perf", TRI_NO, json_string("hardware counters can be read"), "");
	if (in->perf_access == PERF_REFUSED)
		return verdict("perf", TRI_YES,
			       json_sprintf("hardware counters refused: %s (perf_event_open)",
					    strerror(in->perf_errno)),
			       perf_remedy(in->perf_errno));
	/* Above 2 is Debian's patch: nothing at all for users. */
	if (m->perf_event_paranoid_known && m->perf_event_paranoid > 2 && geteuid())
		return verdict("perf", TRI_YES,
			       json_sprintf("hardware counters refused: perf_event_paranoid is %ld",
					    m->perf_event_paranoid),
			       perf_remedy(EACCES));
	return verdict("perf", TRI_UNKNOWN, json_string("hardware counters were not tried"),
		       "see whether cycles per event are n/a in the table");
}

json_t *warnings_collect(const struct metadata_input *in)
{
	struct machine m;

	machine_read(in->sysroot ? in->sysroot : "", in->cpus, in->cpu_count, &m);
	return json_pack("[o, o, o, o, o, o, o]", check_governor(&m), check_turbo(&m),
			 check_smt(&m), check_hypervisor(&m), check_tsc(&m),
			 check_load(&m, in->load_before), check_perf(in, &m));
}

size_t warnings_print(const json_t *warnings, FILE *out)
{
	const json_t *warning;
	size_t index;
	size_t disturbed = 0;

	json_array_foreach(warnings, index, warning) {
		const char *state = json_string_value(json_object_get(warning, "state"));
		bool yes = !strcmp(state, "yes");

		disturbed += yes;
		if (!strcmp(state, "no"))
			continue;
		fprintf(out, "%-8s %-10s  %.78s\n", yes ? "warning" : "unknown",
			json_string_value(json_object_get(warning, "name")),
			json_string_value(json_object_get(warning, "cause")));
		fprintf(out, "%21s%.78s\n", "",
			json_string_value(json_object_get(warning, "remedy")));
	}
	return disturbed;
}

size_t warnings_name(const json_t *warnings, FILE *out)
{
	const json_t *warning;
	size_t index, named = 0;

	json_array_foreach(warnings, index, warning) {
		if (!strcmp(json_text(warning, "state"), "no"))
			continue;
		fprintf(out, "%s%s",
			named++ ? ", " : "may disturb times: ", json_text(warning, "name"));
	}
	if (named)
		fputs(" (--all says how)\n", out);
	return named;
}
