// SPDX-License-Identifier: MIT
#include "extras/kernel/program/print.h"

#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json.h"
#include "judge/known.h"
#include "judge/verdict.h"

static struct {
	const char *path;
	FILE *lines;
} to;

bool print_emulated(void)
{
	unsigned int a, name[3];
	char text[13] = "";

	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	memcpy(text, name, sizeof(name));
	return !strcmp(text, "TCGTCGTCGTCG");
}

static const char *cpu_model(void)
{
	static unsigned int words[13];
	unsigned int i, top = __get_cpuid_max(0x80000000, NULL);

	for (i = 0; i < 3 && top >= 0x80000004; i++)
		__cpuid(0x80000002 + i, words[4 * i], words[4 * i + 1], words[4 * i + 2],
			words[4 * i + 3]);
	return (const char *)words;
}

/* A line where lines are wanted; `json` is used up. */
static void print_line(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (text && to.lines) {
		fprintf(to.lines, "%s\n", text);
		fflush(to.lines);
	}
	free(text);
	json_decref(json);
}

int print_begin(const char *path)
{
	struct utsname name;

	to.path = path;
	if (path) {
		to.lines = strcmp(path, "-") ? fopen(path, "ae") : stdout;
		if (!to.lines)
			return fail_file("append to", path, errno);
	}
	if (!uname(&name))
		print_line(json_pack("{s:s, s:s, s:s, s:I, s:b}", "kernel", name.release, "version",
				     name.version, "cpu", cpu_model(), "cpus",
				     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "emulated",
				     print_emulated()));
	return EXIT_FINE;
}

int print_end(void)
{
	bool failed = to.lines && ferror(to.lines);

	if (to.lines && fclose(to.lines))
		failed = true;
	to.lines = NULL;
	if (failed)
		return fail_file("append to", to.path, errno);
	return EXIT_FINE;
}

static double share(const struct epochs *epochs)
{
	return epochs->ticks ? (double)epochs->calm_ticks / (double)epochs->ticks : 0;
}

void print_head(void)
{
	printf("%-30s %-16s %4s %12s %9s %8s %7s %7s %7s %5s\n", "row", "verdict", "bits",
	       "interrupting", "softirqs", "hardirqs", "NMIs", "hits", "depth 4", "task");
}

/* What was judged here objects or not; what it tried is completed by the row's trial. */
static const char *word(const struct driver *driver, const struct epochs *epochs)
{
	struct evidence evidence = {
		.trial = trial_of(driver),
		.explored = known_of(driver->row)->verdict,
	};

	return check_verdict_name(evidence.trial ? verdict_of_row(&evidence, epochs->verdict) :
						   epochs->verdict);
}

static void row_text(const struct driver *driver, const struct epochs *epochs)
{
	uint64_t hits = 0;
	unsigned int context;

	for (context = 0; context < CONTEXTS; context++)
		hits += epochs->hits[context];
	printf("%-30s %-16s %4u %12" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %7" PRIu64
	       " %7" PRIu64 " %4.0f%%%s%s%s\n",
	       driver->row, word(driver, epochs), epochs->bits, epochs->nested,
	       epochs->delivered[KERNEL_SOFTIRQ], epochs->delivered[KERNEL_HARDIRQ],
	       epochs->delivered[KERNEL_NMI], hits, epochs->at_depth[4], share(epochs) * 100,
	       driver->blocks && epochs->with_nmi ? " (NMIs are not masked)" : "",
	       epochs->verdict == VERDICT_BROKEN ? ": " : "",
	       epochs->verdict == VERDICT_BROKEN && epochs->text ? epochs->text : "");
	fflush(stdout);
}

/* By the context that comes in. */
static json_t *by_context(const uint64_t *counts)
{
	return json_pack("{s:I, s:I, s:I}", "softirq", (json_int_t)counts[KERNEL_SOFTIRQ],
			 "hardirq", (json_int_t)counts[KERNEL_HARDIRQ], "nmi",
			 (json_int_t)counts[KERNEL_NMI]);
}

static void row_line(const struct driver *driver, const struct epochs *epochs)
{
	json_t *json = json_pack(
		"{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "row", driver->row,
		"verdict", word(driver, epochs), "bits", (json_int_t)epochs->bits, "with_nmi",
		epochs->with_nmi, "events", (json_int_t)epochs->events, "interrupting",
		(json_int_t)epochs->nested, "wrong", (json_int_t)epochs->wrong, "inexact",
		(json_int_t)epochs->inexact, "lost", (json_int_t)epochs->lost, "task_share",
		share(epochs), "period_ns", (json_int_t)epochs->period_ns, "epochs",
		(json_int_t)epochs->count);

	/* What came, by whom, where, and how many contexts were then in work. */
	json_object_set_new(json, "delivered", by_context(epochs->delivered));
	json_object_set_new(json, "hits", by_context(epochs->hits));
	json_object_set_new(json, "depth",
			    json_pack("{s:I, s:I, s:I}", "two", (json_int_t)epochs->at_depth[2],
				      "three", (json_int_t)epochs->at_depth[3], "four",
				      (json_int_t)epochs->at_depth[4]));
	json_object_set_new(json, "violations",
			    json_counts(epochs->violations, ORACLES, check_oracle_name));
	json_object_set_new(json, "waits", json_integer((json_int_t)epochs->waits));
	json_object_set_new(json, "masked", json_boolean(driver->blocks));
	if (epochs->text)
		json_object_set_new(json, "text", json_string(epochs->text));
	print_line(json);
}

void print_row(const struct driver *driver, const struct epochs *epochs)
{
	row_line(driver, epochs);
	row_text(driver, epochs);
}

void print_left_out(const struct driver *driver, const char *why)
{
	print_line(json_pack("{s:s, s:s, s:s}", "row", driver->row, "verdict", "left out", "text",
			     why));
	printf("%-30s %-16s %s\n", driver->row, "left out", why);
}

void print_price_head(const char *unit, int batch)
{
	printf("%s an event, in batches of %d and single\n%-34s %8s %8s\n", unit, batch, "",
	       "batch", "single");
}

void print_price(const struct price *price)
{
	print_line(json_pack("{s:s, s:s, s:f, s:f}", "price", price->name, "unit", price->unit,
			     "batch", price->batch, "single", price->single));
	printf("%-34s %8.1f %8.1f\n", price->name, price->batch, price->single);
	fflush(stdout);
}
