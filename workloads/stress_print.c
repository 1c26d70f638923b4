// SPDX-License-Identifier: MIT
#include "workloads/stress_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "place/ticks.h"

void stress_print_head(const struct stress_config *config)
{
	unsigned int i;

	printf("%s: %s\n%u writer%s on CPU", workload_name(config->workload),
	       workload_text(config->workload), config->threads, config->threads == 1 ? "" : "s");
	for (i = 0; i < (config->workload == WORKLOAD_migrate ? config->cpus : config->threads); i++)
		printf("%s%u", i ? "," : " ", config->pu[i]);
	if (config->has_sender)
		printf(", sender on CPU %u", config->pu[config->threads]);
	else if (stress_has_storm(config->workload))
		printf(", no CPU left for a sender: timers only");
	if (config->shared)
		printf(", all in one ring");
	printf(", clock %.3f MHz\n", ticks_hz() / 1e6);
}

static void print_storm(const struct stress_config *config, const struct stress_result *result)
{
	double seconds = result->recording_seconds;
	uint64_t all = 0;
	unsigned int i, deepest = 0;

	for (i = 1; i < INTERRUPT_SOURCES; i++)
		all += result->delivered[i];
	for (i = 1; i <= INTERRUPT_SOURCES; i++)
		if (result->at_depth[i])
			deepest = i;
	printf("  signals %.0f/s while recording (level 1 %.0f, 2 %.0f, 3 %.0f, beat %.0f), "
	       "%" PRIu64 " in all\n",
	       (double)all / seconds, (double)result->delivered[1] / seconds,
	       (double)result->delivered[2] / seconds, (double)result->delivered[3] / seconds,
	       (double)result->delivered[INTERRUPT_BEAT] / seconds, all);
	printf("  hits inside reserve %" PRIu64 ", deepest nesting %u (", result->hits, deepest);
	for (i = 1; i <= deepest; i++)
		printf("%s%" PRIu64, i > 1 ? " " : "", result->at_depth[i]);
	if (result->writer_share > 0)
		printf("), writer's share %.0f %%\n", 100 * result->writer_share);
	else
		puts(")");
	if (config->driver->restarts)
		printf("  sections made to start over %" PRIu64 "\n", result->restarts);
	if (result->deferred)
		printf("  deferred %" PRIu64 " nested writers, the longest by %.1f us\n",
		       result->deferred, (double)result->deferred_worst_ticks / ticks_hz() * 1e6);
}

static void print_late(const struct stress_result *result)
{
	const struct late_beat_step *step;
	double wrap = (double)(UINT64_C(1) << result->late_bits);
	unsigned int i;

	printf("  median gap in wraps: wraps lost by it (wrong, of repetitions)\n");
	for (i = 0; i < result->late_steps; i++) {
		step = &result->late[i];
		printf("%s %.2f: %" PRIu64 " (%" PRIu64 "/%" PRIu64 ")%s", i % 4 ? "" : " ",
		       (double)step->gap_ticks / wrap, step->wraps_lost, step->wrong,
		       step->repetitions, i % 4 == 3 || i + 1 == result->late_steps ? "\n" : ",");
	}
}

static void print_promises(const struct stress_result *result)
{
	const struct check *check = &result->check;
	unsigned int bit;

	printf("  promises:");
	for (bit = 1; bit & PROMISE_ALL; bit <<= 1)
		printf(" %s %s%s", check_promise_name((enum scheme_promise)bit),
		       check_verdict_name(check_promise(check, (enum scheme_promise)bit,
							result->stuck, result->unmet)),
		       bit << 1 & PROMISE_ALL ? "," : "\n");
}

static void print_violations(const struct stress_result *result)
{
	const struct check *check = &result->check;
	unsigned int i;
	bool any = false;

	for (i = 0; i < ORACLES; i++) {
		if (!check->violations[i])
			continue;
		printf("%s %s %" PRIu64, any ? "," : "  objections:",
		       check_oracle_name((enum oracle)i), check->violations[i]);
		any = true;
	}
	if (check->worst_error)
		printf("%sworst error %" PRIu64 " ticks (%.1f us), whole wraps lost %" PRIu64
		       "\n", any ? "; " : "  ", check->worst_error,
		       (double)check->worst_error / ticks_hz() * 1e6, check->wraps_lost);
	else if (any)
		putchar('\n');
	if (result->shown[0])
		printf("%s", result->shown);
}

static void print_idle(const struct idle_phase *phase, const char *name)
{
	if (phase->seconds > 0)
		printf("  %s, per second: beats %.1f, wake-ups %.1f, CPU %.1f us, bytes %.1f "
		       "(%" PRIu64 " events in %.1f s)\n", name,
		       (double)phase->beats / phase->seconds,
		       (double)phase->wakeups / phase->seconds,
		       (double)phase->cpu_ns / phase->seconds / 1e3,
		       (double)phase->bytes / phase->seconds, phase->events, phase->seconds);
}

/* What single workloads count. */
static void print_workload(const struct stress_config *config, const struct stress_result *result)
{
	const struct handoff_result *handoff = &result->handoff;

	if (config->workload == WORKLOAD_stall)
		printf("  reserves kept waiting for more than two wraps: %" PRIu64 "\n",
		       result->stalls);
	if (result->waits)
		printf("  gaps waited for %" PRIu64 ", over before the writer was ready %" PRIu64
		       "\n", result->waits, result->waits_late);
	print_idle(&result->idle[0], "no event");
	print_idle(&result->idle[1], "one event per second");
	if (config->workload == WORKLOAD_migrate)
		printf("  threads moved %" PRIu64 " times, writers found themselves on another CPU "
		       "%" PRIu64 " times, sections made to start over %" PRIu64 "\n", result->hops,
		       result->moves, result->restarts);
	if (config->workload == WORKLOAD_handoff)
		printf("  pairs %" PRIu64 ", effects before their cause %" PRIu64 " (and %" PRIu64
		       " declared inexact), by up to %.1f us; soonest %.1f us, unpaired %" PRIu64
		       "\n", handoff->pairs, handoff->early, handoff->early_inexact,
		       (double)handoff->most_early_ticks / ticks_hz() * 1e6,
		       (double)handoff->least_ticks / ticks_hz() * 1e6, handoff->unpaired);
}

/* By what the rings showed when they were lost. */
static void print_losses(const struct loss_counts *losses)
{
	static const char *const texts[LOSSES] = { "to a full ring", "to a slot that an interrupted "
						   "writer held", "too large for a sub-buffer",
						   "about as large as a sub-buffer",
						   "given up at a slow clock", "for no reason" };
	unsigned int loss;

	printf("  lost %" PRIu64, loss_total(losses));
	for (loss = 0; loss < LOSSES; loss++)
		if (losses->of[loss])
			printf(", %s %" PRIu64, texts[loss], losses->of[loss]);
	putchar('\n');
}

void stress_print(const struct stress_config *config, const struct stress_result *result)
{
	const struct check *check = &result->check;
	enum verdict verdict = stress_verdict(result);
	uint64_t nested = stress_nested(check);

	printf("\n%s (%u bits, %.1f s): %s\n", config->driver->row, result->bits, result->seconds,
	       config->driver->desc->promises & ~(uint32_t)PROMISE_BOUNDED || result->unmet ?
		       check_verdict_name(verdict) :
		       "no promise");
	printf("  events %" PRIu64 " checked (%" PRIu64 " nested), overwritten %" PRIu64
	       ", epochs %" PRIu64 "\n", check->events, nested, check->skipped, result->epochs);
	print_losses(&result->losses);
	printf("  extended %" PRIu64 " (called for %" PRIu64 "), inexact by declaration %" PRIu64
	       "%s\n", check->extended, check->needed, check->inexact,
	       result->stuck ? ", gave up at a slow clock" : "");
	if (stress_has_storm(config->workload))
		print_storm(config, result);
	print_workload(config, result);
	if (config->driver->desc->needs & NEED_BEAT && !result->late_steps)
		printf("  beats: worst gap %.3f wraps\n",
		       (double)result->beat_worst_ticks /
			       (double)(UINT64_C(1) << result->bits));
	if (result->late_steps)
		print_late(result);
	else if (result->void_epochs)
		printf("  need not met, and so void: %" PRIu64 " of %" PRIu64 " epochs (%s); there "
		       "%" PRIu64 " of %" PRIu64 " stamps were wrong\n",
		       result->void_epochs, result->epochs,
		       result->unmet & NEED_BEAT ? "a beat came later than a wrap" :
						   "a nested writer came",
		       result->voided.violations[ORACLE_EXACT], result->voided.events);
	if (config->driver->desc->cut_bits)
		printf("  by declaration the low %u bits of all stamps are cut: times are exact to "
		       "%" PRIu64 " ticks\n", config->driver->desc->cut_bits,
		       UINT64_C(1) << config->driver->desc->cut_bits);
	print_promises(result);
	print_violations(result);
}

/* A row without stamps has no wrap to lose. */
static json_t *late_json(const struct stress_result *result, bool untimed)
{
	double wrap = (double)(UINT64_C(1) << result->late_bits);
	json_t *steps = json_array();
	unsigned int i;

	for (i = 0; i < result->late_steps; i++) {
		const struct late_beat_step *step = &result->late[i];

		json_array_append_new(
			steps,
			json_pack("{s:f, s:f, s:o, s:I, s:I, s:I, s:I}", "asked_wraps",
				  step->asked_wraps, "gap_wraps", (double)step->gap_ticks / wrap,
				  "wraps_lost",
				  untimed ? json_null() : json_real((double)step->wraps_lost),
				  "wrong",
				  (json_int_t)step->wrong, "unexplained",
				  (json_int_t)step->unexplained, "repetitions",
				  (json_int_t)step->repetitions, "error_ticks",
				  (json_int_t)step->error_ticks));
	}
	return steps;
}

static json_t *idle_json(const struct idle_phase *phase)
{
	return json_pack("{s:f, s:I, s:f, s:f, s:f, s:f}", "seconds", phase->seconds, "events",
			 (json_int_t)phase->events, "beats_per_second",
			 (double)phase->beats / phase->seconds, "wakeups_per_second",
			 (double)phase->wakeups / phase->seconds, "cpu_ns_per_second",
			 (double)phase->cpu_ns / phase->seconds, "bytes_per_second",
			 (double)phase->bytes / phase->seconds);
}

/* What single workloads count. */
static void workload_json(json_t *json, const struct stress_config *config,
			  const struct stress_result *result)
{
	const struct handoff_result *handoff = &result->handoff;

	if (config->workload == WORKLOAD_stall)
		json_object_set_new(json, "stalls", json_integer((json_int_t)result->stalls));
	if (config->gaps)
		json_object_set_new(json, "gaps", json_string(config->gaps->name));
	if (result->waits)
		json_object_set_new(json, "waits", json_integer((json_int_t)result->waits));
	if (result->waits)
		json_object_set_new(json, "waits_late",
				    json_integer((json_int_t)result->waits_late));
	if (result->idle[0].seconds > 0)
		json_object_set_new(json, "idle_none", idle_json(&result->idle[0]));
	if (result->idle[1].seconds > 0)
		json_object_set_new(json, "idle_rare", idle_json(&result->idle[1]));
	if (config->workload == WORKLOAD_handoff)
		json_object_set_new(
			json, "handoff",
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "pairs",
				  (json_int_t)handoff->pairs, "early", (json_int_t)handoff->early,
				  "early_inexact", (json_int_t)handoff->early_inexact, "unpaired",
				  (json_int_t)handoff->unpaired, "least_ticks",
				  (json_int_t)handoff->least_ticks, "most_early_ticks",
				  (json_int_t)handoff->most_early_ticks));
}

json_t *stress_json(const struct stress_config *config, const struct stress_result *result)
{
	const struct check *check = &result->check;
	json_t *json = json_object(), *promises = json_object(), *oracles = json_object();
	json_t *delivered = json_array(), *depth = json_array(), *losses = json_object();
	unsigned int i, bit;

	if (result->late_steps)
		json_object_set_new(json, "steps",
				    late_json(result, config->driver->desc->untimed));
	workload_json(json, config, result);
	for (bit = 1; bit & PROMISE_ALL; bit <<= 1)
		json_object_set_new(
			promises, check_promise_name((enum scheme_promise)bit),
			json_string(check_verdict_name(check_promise(
				check, (enum scheme_promise)bit, result->stuck, 0))));
	for (i = 0; i < ORACLES; i++)
		json_object_set_new(oracles, check_oracle_name((enum oracle)i),
				    json_integer((json_int_t)check->violations[i]));
	for (i = 0; i < LOSSES; i++)
		json_object_set_new(losses, loss_name((enum loss)i),
				    json_integer((json_int_t)result->losses.of[i]));
	for (i = 1; i < INTERRUPT_SOURCES; i++)
		json_array_append_new(delivered, json_integer((json_int_t)result->delivered[i]));
	for (i = 1; i <= INTERRUPT_SOURCES; i++)
		json_array_append_new(depth, json_integer((json_int_t)result->at_depth[i]));
#define SET(key, value) json_object_set_new(json, key, json_integer((json_int_t)(value)))
	json_object_set_new(json, "row", json_string(config->driver->row));
	json_object_set_new(json, "workload", json_string(workload_name(config->workload)));
	json_object_set_new(json, "build", json_string(config->driver->timed ? "timed" : "checked"));
	json_object_set_new(json, "verdict",
			    json_string(check_verdict_name(stress_verdict(result))));
	json_object_set_new(json, "promises", promises);
	json_object_set_new(json, "violations", oracles);
	json_object_set_new(json, "losses", losses);
	json_object_set_new(json, "delivered_by_source", delivered);
	json_object_set_new(json, "delivered_by_depth", depth);
	json_object_set_new(json, "seconds", json_real(result->seconds));
	json_object_set_new(json, "recording_seconds", json_real(result->recording_seconds));
	json_object_set_new(json, "writer_share", json_real(result->writer_share));
	json_object_set_new(json, "first_violation", json_string(result->shown));
	SET("threads", config->threads);
	json_object_set_new(json, "shared", json_boolean(config->shared));
	SET("bits", result->bits);
	SET("cut_bits", config->driver->desc->cut_bits);
	SET("seed", config->seed);
	SET("events", check->events);
	SET("nested", stress_nested(check));
	SET("overwritten", check->skipped);
	SET("lost", result->lost);
	SET("refused", result->refused);
	SET("stuck", result->stuck);
	SET("extended", check->extended);
	SET("needed", check->needed);
	SET("inexact", check->inexact);
	SET("hits", result->hits);
	if (config->driver->restarts)
		SET("restarts", result->restarts);
	if (config->workload == WORKLOAD_migrate) {
		SET("hops", result->hops);
		SET("moves", result->moves);
	}
	SET("deferred", result->deferred);
	SET("deferred_worst_ticks", result->deferred_worst_ticks);
	SET("beat_worst_ticks", result->beat_worst_ticks);
	SET("worst_error_ticks", check->worst_error);
	SET("typical_error_log2", check_typical_error_log2(check));
	SET("wraps_lost", check->wraps_lost);
	SET("unmet_needs", result->unmet);
	SET("epochs", result->epochs);
	SET("void_epochs", result->void_epochs);
	SET("void_events", result->voided.events);
	SET("void_wrong", result->voided.violations[ORACLE_EXACT]);
	SET("void_worst_error_ticks", result->voided.worst_error);
#undef SET
	return json;
}
