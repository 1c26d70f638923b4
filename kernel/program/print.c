// SPDX-License-Identifier: MIT
#include "kernel/program/print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static double share(const struct epochs *epochs)
{
	return epochs->ticks ? (double)epochs->calm_ticks / (double)epochs->ticks : 0;
}

void print_head(void)
{
	printf("%-30s %-12s %4s %12s %9s %8s %7s %7s %7s %5s\n", "row", "verdict", "bits",
	       "interrupting", "softirqs", "hardirqs", "NMIs", "hits", "depth 4", "task");
}

void print_row(const struct driver *driver, const struct epochs *epochs)
{
	uint64_t hits = 0;
	unsigned int context;

	for (context = 0; context < CONTEXTS; context++)
		hits += epochs->hits[context];
	printf("%-30s %-12s %4u %12" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %7" PRIu64
	       " %7" PRIu64 " %4.0f%%%s%s%s\n",
	       driver->row, check_verdict_name(epochs->verdict), epochs->bits, epochs->nested,
	       epochs->delivered[KERNEL_SOFTIRQ], epochs->delivered[KERNEL_HARDIRQ],
	       epochs->delivered[KERNEL_NMI], hits, epochs->at_depth[4], share(epochs) * 100,
	       driver->blocks && epochs->with_nmi ? " (NMIs are not masked)" : "",
	       epochs->verdict == VERDICT_BROKEN ? ": " : "",
	       epochs->verdict == VERDICT_BROKEN && epochs->text ? epochs->text : "");
	fflush(stdout);
}

static json_t *counts_json(const uint64_t *counts, unsigned int count)
{
	json_t *json = json_array();
	unsigned int i;

	for (i = 0; i < count; i++)
		json_array_append_new(json, json_integer((json_int_t)counts[i]));
	return json;
}

static void print_line(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	if (text)
		puts(text);
	fflush(stdout);
	free(text);
	json_decref(json);
}

void print_json(const struct driver *driver, const struct epochs *epochs)
{
	json_t *violations = json_object(), *json;
	unsigned int i;

	for (i = 0; i < ORACLES; i++)
		json_object_set_new(violations, check_oracle_name((enum oracle)i),
				    json_integer((json_int_t)epochs->violations[i]));
	json = json_pack("{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "row",
			 driver->row, "verdict", check_verdict_name(epochs->verdict), "bits",
			 (json_int_t)epochs->bits, "with_nmi", epochs->with_nmi, "events",
			 (json_int_t)epochs->events, "interrupting", (json_int_t)epochs->nested,
			 "wrong", (json_int_t)epochs->wrong, "inexact", (json_int_t)epochs->inexact,
			 "lost", (json_int_t)epochs->lost, "task_share", share(epochs), "period_ns",
			 (json_int_t)epochs->period_ns, "epochs", (json_int_t)epochs->count);
	json_object_set_new(json, "delivered", counts_json(epochs->delivered, CONTEXTS));
	json_object_set_new(json, "hits", counts_json(epochs->hits, CONTEXTS));
	json_object_set_new(json, "at_depth", counts_json(epochs->at_depth, CONTEXTS + 1));
	json_object_set_new(json, "violations", violations);
	json_object_set_new(json, "waits", json_integer((json_int_t)epochs->waits));
	json_object_set_new(json, "masked", json_boolean(driver->blocks));
	if (epochs->text)
		json_object_set_new(json, "text", json_string(epochs->text));
	print_line(json);
}

void print_left_out(const struct driver *driver, const char *why, bool json)
{
	if (json)
		print_line(json_pack("{s:s, s:s, s:s}", "row", driver->row, "verdict", "left out",
				     "text", why));
	else
		printf("%-30s %-12s %s\n", driver->row, "left out", why);
}

static void print_own_json(const struct own *own)
{
	const struct epochs *epochs = &own->epochs;
	json_t *json;

	json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "own", KERNEL_BUFFER_ROW, "stall_ns", (json_int_t)own->stall_ns, "events",
			 (json_int_t)epochs->events, "interrupting", (json_int_t)epochs->nested,
			 "zero_deltas", (json_int_t)own->zero_deltas, "early",
			 (json_int_t)own->early, "late", (json_int_t)own->late, "back",
			 (json_int_t)own->back, "by_wrap", (json_int_t)own->wraps, "worst_ns",
			 (json_int_t)own->worst_ns, "lost", (json_int_t)epochs->lost, "overrun",
			 (json_int_t)own->overrun, "unaccounted", (json_int_t)own->unaccounted,
			 "stalls", (json_int_t)own->stalls);
	json_object_set_new(json, "delivered", counts_json(epochs->delivered, CONTEXTS));
	json_object_set_new(json, "hits", counts_json(epochs->hits, CONTEXTS));
	json_object_set_new(json, "at_depth", counts_json(epochs->at_depth, CONTEXTS + 1));
	print_line(json);
}

void print_own(const struct own *own, bool json)
{
	if (json) {
		print_own_json(own);
		return;
	}
	printf("the kernel's own ring buffer: %" PRIu64 " events, %" PRIu64
	       " of interrupts; %" PRIu64 " with the time of the one before, %" PRIu64
	       " before their reserve began (%" PRIu64 " by a wrap of 2^27 ns), %" PRIu64
	       " behind its end, %" PRIu64 " that go back; at worst %" PRIu64 " ns; %" PRIu64
	       " not accounted for\n",
	       own->epochs.events, own->epochs.nested, own->zero_deltas, own->early, own->wraps,
	       own->late, own->back, own->worst_ns, own->unaccounted);
	fflush(stdout);
}
