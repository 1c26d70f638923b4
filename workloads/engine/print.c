// SPDX-License-Identifier: MIT
#include "workloads/engine/engine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "judge/known.h"
#include "runner/place/ticks.h"

void engine_print_head(const struct engine_config *config)
{
	const struct workload *workload = config->workload;
	unsigned int i, cpus = config->threads;

	if (workload->engine->spread == SPREAD_MOVING)
		cpus = config->cpus;
	printf("%s: %s\n%u writer%s on CPU", workload->name, workload->text, config->threads,
	       config->threads == 1 ? "" : "s");
	for (i = 0; i < cpus; i++)
		printf("%s%u", i ? "," : " ", config->pu[i]);
	if (config->has_sender)
		printf(", sender on CPU %u", config->pu[config->threads]);
	else if (engine_has_storm(workload))
		printf(", no CPU left for a sender: timers only");
	if (config->shared)
		printf(", all in one ring");
	printf(", clock %.3f MHz\n", ticks_hz() / 1e6);
	if (config->clock.skew_ticks)
		printf("each CPU's clock is %" PRIu64
		       " ticks (%.3f us) behind the previous CPU's\n",
		       config->clock.skew_ticks,
		       (double)config->clock.skew_ticks / ticks_hz() * 1e6);
	if (config->clock.traced)
		puts("each read of the clock by a writer records an event");
}

static void print_storm(const struct engine_config *config, const struct engine_result *result)
{
	/* A run that recorded nothing has no rates: 0. */
	double seconds = result->recording_seconds > 0 ? result->recording_seconds : INFINITY;
	uint64_t all = 0;
	unsigned int i, deepest = 0;

	for (i = 1; i < INTERRUPT_SOURCES; i++)
		all += result->delivered[i];
	for (i = 1; i <= INTERRUPT_SOURCES; i++)
		if (result->at_depth[i])
			deepest = i;
	printf("  signals %.0f/s (level 1 %.0f, 2 %.0f, 3 %.0f, beat %.0f), "
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
		printf("  sections restarted %" PRIu64 "\n", result->restarts);
	if (result->deferred)
		printf("  nested writers deferred %" PRIu64 ", the longest by %.1f us\n",
		       result->deferred, (double)result->deferred_worst_ticks / ticks_hz() * 1e6);
	if (result->pauses)
		printf("  rounds that ended without a storm, since the writer starved: "
		       "%" PRIu64 "\n",
		       result->pauses);
}

static void print_promises(const struct engine_config *config, const struct engine_result *result)
{
	struct evidence evidence = engine_evidence(config, result);
	const struct row_trial *trial = evidence.trial;
	unsigned int bit;

	printf("  promises:");
	for (bit = 1; bit & PROMISES; bit <<= 1) {
		enum scheme_promise promise = (enum scheme_promise)bit;
		enum verdict verdict = verdict_of_promise(&evidence, promise);

		printf(" %s %s", check_promise_name(promise), check_verdict_name(verdict));
		if (verdict == VERDICT_KEPT || verdict == VERDICT_INEXACT)
			printf(" (tried %" PRIu64 ")", verdict_tries(&evidence, promise));
		/* Two on a line, which ends before column 80. */
		fputs(!(bit << 1 & PROMISES)			 ? "\n" :
		      bit & (PROMISE_EXACT | PROMISE_WRAP_PROOF) ? ",\n           " :
								   ",",
		      stdout);
	}
	if (trial && trial->why[0])
		printf("  on the virtual clock: %s\n", trial->why);
	if (!trial || !trial->events[TRIAL_TIMED])
		puts("  not tried: the timed code on the virtual clock");
}

static void print_violations(const struct engine_result *result)
{
	const struct check *check = &result->check;
	unsigned int i;
	bool any = false;

	for (i = 0; i < ORACLES; i++) {
		if (!check->violations[i])
			continue;
		printf("%s %s %" PRIu64,
		       any ? "," : "  objections:", check_oracle_name((enum oracle)i),
		       check->violations[i]);
		any = true;
	}
	if (check->worst_error)
		printf("%sworst error %" PRIu64 " ticks (%.1f us), whole wraps lost %" PRIu64 "\n",
		       any ? "; " : "  ", check->worst_error,
		       (double)check->worst_error / ticks_hz() * 1e6, check->wraps_lost);
	else if (any)
		putchar('\n');
	if (result->shown[0])
		printf("%s", result->shown);
}

/* Of all times that were read, whether they count or are void. */
static struct check_damage damage_of(const struct engine_result *result)
{
	struct check_damage damage = result->check.damage;

	check_damage_add(&damage, &result->voided.damage);
	return damage;
}

/* The damage of a clock that misbehaves. */
static void print_clock(const struct engine_config *config, const struct engine_result *result)
{
	struct check_damage damage = damage_of(result);

	if (config->clock.skew_ticks)
		printf("  times read wrong %" PRIu64 " of %" PRIu64 ", by up to %" PRIu64
		       " ticks, until %s\n",
		       damage.wrong, result->check.events + result->voided.events, damage.worst,
		       check_damage_end_name(check_damage_until(&damage)));
	if (config->clock.traced)
		printf("  the clock recorded %" PRIu64 " events, %" PRIu64
		       " at most in one; released %" PRIu64 " that would not have ended\n",
		       result->traced.events, result->traced.most, result->traced.let_go);
}

/* By what the rings showed when they were lost. */
static void print_losses(const struct loss_counts *losses)
{
	static const char *const texts[LOSSES] = { "to a full ring",
						   "to a slot that an interrupted writer held",
						   "too large for a sub-buffer",
						   "about as large as a sub-buffer",
						   "given up at a slow clock",
						   "rejected by the interrupted writer",
						   "unexplained" };
	unsigned int loss;

	printf("  lost %" PRIu64, loss_total(losses));
	for (loss = 0; loss < LOSSES; loss++)
		if (losses->of[loss])
			printf(", %s %" PRIu64, texts[loss], losses->of[loss]);
	putchar('\n');
}

/* Epochs in which the row was not given what it needs. */
static void print_void(const struct engine_result *result)
{
	if (!result->void_epochs)
		return;
	printf("  need not met in %" PRIu64 " of %" PRIu64 " epochs (%s), which do not count: "
	       "%" PRIu64 " of %" PRIu64 " stamps were wrong\n",
	       result->void_epochs, result->epochs,
	       result->unmet & NEED_BEAT	  ? "a beat came later than a wrap" :
	       result->unmet & NEED_FORWARD_CLOCK ? "the clock went back" :
						    "a nested writer came",
	       result->voided.violations[ORACLE_EXACT], result->voided.events);
}

static void print_known(const struct known *known)
{
	if (*known->compiler)
		printf("  explored: %s in %" PRIu64 " schedules of the quick tier, by %s\n",
		       check_verdict_name(known->verdict), known->schedules, known->compiler);
}

void engine_print(const struct engine_config *config, const struct engine_result *result)
{
	const struct workload *workload = config->workload;
	const struct scheme_desc *desc = config->driver->desc;
	const struct check *check = &result->check;

	printf("\n%s (%u bits, %.1f s): %s\n", config->driver->row, result->bits, result->seconds,
	       check_verdict_name(engine_verdict(config, result)));
	printf("  events %" PRIu64 " checked (%" PRIu64 " nested), overwritten %" PRIu64
	       ", epochs %" PRIu64 "\n",
	       check->events, check_nested(check), check->skipped, result->epochs);
	print_losses(&result->losses);
	printf("  extended %" PRIu64 " (needed %" PRIu64 "), declared inexact %" PRIu64 "%s\n",
	       check->extended, check->needed, check->inexact,
	       result->stuck ? ", gave up at a slow clock" : "");
	if (engine_has_storm(workload))
		print_storm(config, result);
	if (workload->engine->print)
		workload->engine->print(stdout, result);
	print_clock(config, result);
	if (desc->ages)
		printf("  the row declares that times are those of the last beat: here up to "
		       "%.0f us early\n",
		       (double)result->beat_worst_ticks / ticks_hz() * 1e6);
	else if (desc->needs & NEED_BEAT && !(result->unmet_by_plan & NEED_BEAT))
		printf("  beats: worst gap %.3f wraps\n",
		       (double)result->beat_worst_ticks / (double)(UINT64_C(1) << result->bits));
	if (!(result->unmet_by_plan & NEED_BEAT))
		print_void(result);
	if (desc->cut_bits)
		printf("  the row declares that it cuts the low %u bits: times are exact to "
		       "%" PRIu64 " ticks\n",
		       desc->cut_bits, UINT64_C(1) << desc->cut_bits);
	print_promises(config, result);
	print_known(known_of(config->driver->row));
	print_violations(result);
}

void engine_evidence_json(json_t *into, const struct evidence *evidence)
{
	json_t *promises = json_object(), *tries = json_object();
	unsigned int bit;

	for (bit = 1; bit & PROMISES; bit <<= 1) {
		enum scheme_promise promise = (enum scheme_promise)bit;
		const char *name = check_promise_name(promise);

		json_object_set_new(
			promises, name,
			json_string(check_verdict_name(verdict_of_promise(evidence, promise))));
		json_object_set_new(tries, name,
				    json_integer((json_int_t)verdict_tries(evidence, promise)));
	}
	json_object_set_new(into, "promises", promises);
	json_object_set_new(into, "tries", tries);
}

/* The first `count` but for the very first. */
static json_t *counts_json(const uint64_t *count, unsigned int counts)
{
	json_t *json = json_array();
	unsigned int i;

	for (i = 1; i < counts; i++)
		json_array_append_new(json, json_integer((json_int_t)count[i]));
	return json;
}

/* Counts of the oracles and of the signals, by their keys in the record. */
static void numbers_json(json_t *json, const struct engine_result *result)
{
	const struct check *check = &result->check, *voided = &result->voided;
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "bits", result->bits },
		{ "events", check->events },
		{ "nested", check_nested(check) },
		{ "overwritten", check->skipped },
		{ "lost", result->lost },
		{ "refused", result->refused },
		{ "stuck", result->stuck },
		{ "extended", check->extended },
		{ "needed", check->needed },
		{ "inexact", check->inexact },
		{ "hits", result->hits },
		{ "deferred", result->deferred },
		{ "deferred_worst_ticks", result->deferred_worst_ticks },
		{ "pauses", result->pauses },
		{ "beat_worst_ticks", result->beat_worst_ticks },
		{ "worst_error_ticks", check->worst_error },
		{ "typical_error_log2", check_typical_error_log2(check) },
		{ "wraps_lost", check->wraps_lost },
		{ "unmet_needs", result->unmet },
		{ "epochs", result->epochs },
		{ "void_epochs", result->void_epochs },
		{ "void_events", voided->events },
		{ "void_wrong", voided->violations[ORACLE_EXACT] },
		{ "void_worst_error_ticks", voided->worst_error },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(json, numbers[i].key,
				    json_integer((json_int_t)numbers[i].value));
}

static json_t *clock_json(const struct engine_config *config, const struct engine_result *result)
{
	struct check_damage damage = damage_of(result);

	return json_pack("{s:I, s:b, s:I, s:I, s:s, s:I, s:I, s:I}", "skew_ticks",
			 (json_int_t)config->clock.skew_ticks, "traced", config->clock.traced,
			 "wrong", (json_int_t)damage.wrong, "worst_ticks", (json_int_t)damage.worst,
			 "until", check_damage_end_name(check_damage_until(&damage)), "recorded",
			 (json_int_t)result->traced.events, "recorded_most",
			 (json_int_t)result->traced.most, "let_go",
			 (json_int_t)result->traced.let_go);
}

json_t *engine_json(const struct engine_config *config, const struct engine_result *result)
{
	struct evidence evidence = engine_evidence(config, result);
	json_t *json = json_object();

#define SET(key, value) json_object_set_new(json, key, value)
	SET("row", json_string(config->driver->row));
	SET("workload", json_string(config->workload->name));
	SET("build", json_string(config->driver->timed ? "timed" : "checked"));
	SET("verdict", json_string(check_verdict_name(engine_verdict(config, result))));
	engine_evidence_json(json, &evidence);
	SET("violations", json_counts(result->check.violations, ORACLES, check_oracle_name));
	SET("losses", json_counts(result->losses.of, LOSSES, loss_name));
	SET("delivered_by_source", counts_json(result->delivered, INTERRUPT_SOURCES));
	SET("delivered_by_depth", counts_json(result->at_depth, INTERRUPT_SOURCES + 1));
	SET("seconds", json_real(result->seconds));
	SET("recording_seconds", json_real(result->recording_seconds));
	SET("writer_share", json_real(result->writer_share));
	SET("first_violation", json_string(result->shown));
	SET("threads", json_integer(config->threads));
	SET("shared", json_boolean(config->shared));
	SET("cut_bits", json_integer(config->driver->desc->cut_bits));
	SET("seed", json_integer((json_int_t)config->seed));
	if (config->driver->restarts)
		SET("restarts", json_integer((json_int_t)result->restarts));
#undef SET
	numbers_json(json, result);
	if (config->clock.skew_ticks || config->clock.traced)
		json_object_set_new(json, "clock", clock_json(config, result));
	if (config->workload->engine->json)
		config->workload->engine->json(json, config, result);
	return json;
}
