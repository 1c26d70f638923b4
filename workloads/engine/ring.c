// SPDX-License-Identifier: MIT
/*
 * Rings of the engine: their geometry, what a round puts into them, and what their oracles found.
 */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "judge/known.h"
#include "workloads/engine/thread.h"

#define RING_BYTES_SHIFT 20

/* The width that the user or the workload asks for; 0: the row's own. */
static uint32_t asked_bits(const struct engine_config *config)
{
	const struct workload_engine *ops = config->workload->engine;

	if (config->bits || config->driver->timed)
		return config->bits;
	return config->driver->desc->needs & NEED_BEAT ? ops->beaten_bits : ops->bits;
}

uint32_t engine_width(const struct engine_config *config)
{
	return driver_bits(config->driver, asked_bits(config));
}

struct ring_config engine_geometry(const struct engine_config *config, unsigned int pu,
				   uint64_t *state)
{
	const struct workload_engine *ops = config->workload->engine;
	struct ring_config ring = buffer_config(config->driver, 12, 8);
	uint32_t asked = asked_bits(config), most;
	uint64_t random;

	if (config->driver->timed) {
		ring = engine_timed_geometry(config, state);
		ring.cpu = pu;
		return ring;
	}
	random = rng_next(state);
	ring.stamp_bits = engine_width(config);
	if (asked && asked < config->driver->counter_bits && config->driver->counter_bits < 64)
		ring.counter_bits = ring.stamp_bits;
	ring.subbuf_shift = 9 + random % 8;
	/* Half of the epochs leave sub-buffers that are too small for large payloads. */
	while (config->extra_bytes + 128u > 1u << ring.subbuf_shift && random >> 40 & 1 &&
	       ring.subbuf_shift < RING_MAX_SUBBUF_SHIFT)
		ring.subbuf_shift++;
	most = RING_BYTES_SHIFT - ring.subbuf_shift;
	ring.count_shift = random >> 8 & 3 ? most : 1 + (random >> 16) % most;
	if (ring.count_shift > 12)
		ring.count_shift = 12;
	ring.mode = random >> 32 & 1 || ops->overwrites ? RING_OVERWRITE : RING_DISCARD;
	ring.cpu = pu;
	return ring;
}

uint64_t engine_round_events(const struct engine_config *config, const struct ring *ring,
			     uint64_t *state)
{
	uint64_t fill =
		ring_bytes(ring) / (config->driver->payload_bytes + 16u + config->extra_bytes);
	uint64_t random = rng_next(state);

	if (random % 8 == 0)
		fill += fill / 4 + random % (2 * fill + 1);
	else
		fill -= fill / 4;
	return fill ? fill : 1;
}

void engine_choices(const struct engine_config *config, uint64_t *state, struct writer *writer)
{
	writer->extra_bytes = config->extra_bytes;
	writer->random_extra = config->random_extra;
	writer->high_every = 16;
	writer->random = rng_next(state) | 1;
}

int engine_ring_open(struct engine_thread *thread, struct engine_ring *ring, unsigned int pu)
{
	const struct engine_config *config = thread->config;
	struct ring_config geometry = engine_geometry(config, pu, &thread->random);

	geometry.subbuf_shift = config->extra_bytes > 100000 ? RING_MAX_SUBBUF_SHIFT : 12;
	geometry.count_shift = config->driver->timed ? RING_TIMED_COUNT_SHIFT :
						       RING_BYTES_SHIFT - geometry.subbuf_shift;
	_Static_assert(RING_TIMED_SUBBUF_SHIFT == 12, "the timed geometry");
	if (buffer_open(&ring->buffer, config->driver, &geometry))
		return EXIT_RESOURCE;
	engine_choices(config, &thread->random, &ring->buffer.writer);
	ring->tap.export = config->export;
	ring->buffer.tap = config->export ? engine_export_tap : NULL;
	ring->buffer.tap_arg = &ring->tap;
	return buffer_reset(&ring->buffer, &geometry) ? EXIT_USAGE : 0;
}

int engine_ring_reset(struct engine_thread *thread, struct engine_ring *ring,
		      const struct ring_config *geometry)
{
	if (buffer_reset(&ring->buffer, geometry))
		return fail_with(EXIT_USAGE, "ring geometry larger than its memory");
	buffer_check(&ring->buffer, &ring->check);
	ring->check.desc = thread->group->desc;
	ring->tap.epoch = thread->result.epochs;
	ring->lost = 0;
	return 0;
}

void engine_show(struct engine_thread *thread, struct engine_ring *ring, uint32_t excused)
{
	const struct check *check = &ring->check;
	enum oracle oracle, first = ORACLES;
	char *shown = thread->result.shown;
	FILE *text;

	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (!check->violations[oracle] || excused >> oracle & 1)
			continue;
		if (first == ORACLES || check->first[oracle].number < check->first[first].number)
			first = oracle;
	}
	if (first == ORACLES || shown[0])
		return;
	text = fmemopen(shown, sizeof(thread->result.shown), "w");
	if (!text)
		return;
	fprintf(text, "  %s: %s\n", check_oracle_name(first), check->first[first].text);
	thread->driver->show(text, ring->buffer.scheme, &check->first[first], 3);
	fclose(text);
	shown[sizeof(thread->result.shown) - 1] = 0;
}

/* `check` with no other objections than those of the oracles in `asked`. */
static struct check objections_of(const struct check *check, uint32_t asked)
{
	struct check part = *check;
	unsigned int oracle;

	for (oracle = 0; oracle < ORACLES; oracle++)
		if (!(asked >> oracle & 1))
			part.violations[oracle] = 0;
	if (!(asked >> ORACLE_EXACT & 1))
		part.wraps_lost = 0;
	return part;
}

void engine_merge_excused(struct engine_result *result, const struct check *check, uint32_t excused)
{
	struct check part = objections_of(check, excused);

	check_merge(&result->voided, &part);
	check_merge_objections(&result->check, check, excused);
}

void engine_book(struct engine_result *result, const struct check *check,
		 const struct judgement *judgement)
{
	if (!judgement->excused) {
		check_merge(&result->check, check);
		return;
	}
	result->unmet |= judgement->unmet;
	result->void_epochs++;
	engine_merge_excused(result, check, judgement->excused);
}

void engine_book_losses(struct engine_result *result, const struct ring *ring,
			const struct loss_counts *losses)
{
	loss_add(&result->losses, losses);
	result->lost += ring->lost;
	result->refused += ring->refused;
	result->stuck += ring->stuck;
}

static void keep_most(uint64_t *most, uint64_t one)
{
	if (one > *most)
		*most = one;
}

void engine_merge(struct engine_result *sum, const struct engine_result *one, unsigned int threads)
{
	unsigned int i;

	check_merge(&sum->check, &one->check);
	check_merge(&sum->voided, &one->voided);
	for (i = 0; i < INTERRUPT_SOURCES; i++)
		sum->delivered[i] += one->delivered[i];
	for (i = 0; i <= INTERRUPT_SOURCES; i++)
		sum->at_depth[i] += one->at_depth[i];
	sum->hits += one->hits;
	loss_add(&sum->losses, &one->losses);
	sum->lost += one->lost;
	sum->refused += one->refused;
	sum->stuck += one->stuck;
	sum->restarts += one->restarts;
	sum->moves += one->moves;
	sum->deferred += one->deferred;
	sum->pauses += one->pauses;
	sum->epochs += one->epochs;
	sum->void_epochs += one->void_epochs;
	sum->unmet |= one->unmet;
	sum->bits = one->bits;
	sum->traced.events += one->traced.events;
	sum->traced.let_go += one->traced.let_go;
	keep_most(&sum->traced.most, one->traced.most);
	keep_most(&sum->deferred_worst_ticks, one->deferred_worst_ticks);
	keep_most(&sum->beat_worst_ticks, one->beat_worst_ticks);
	if (one->seconds > sum->seconds)
		sum->seconds = one->seconds;
	sum->recording_seconds += one->recording_seconds / threads;
	if (!(sum->writer_share > 0) || one->writer_share < sum->writer_share)
		sum->writer_share = one->writer_share;
	for (i = 0; i < sizeof(sum->own) / sizeof(sum->own[0]); i++)
		sum->own[i] += one->own[i];
	if (!sum->shown[0])
		memcpy(sum->shown, one->shown, sizeof(sum->shown));
}

struct evidence engine_evidence(const struct engine_config *config,
				const struct engine_result *result)
{
	return (struct evidence){ .check = &result->check,
				  .stuck = result->stuck,
				  .unmet = result->unmet,
				  .trial = trial_of(config->driver),
				  .explored = known_of(config->driver->row)->verdict };
}

enum verdict engine_verdict(const struct engine_config *config, const struct engine_result *result)
{
	const struct workload_engine *ops = config->workload->engine;
	struct evidence evidence = engine_evidence(config, result);
	struct judgement judgement = { .unmet = 0 };

	judge_again(&result->check, result->stuck, &judgement);
	if (ops->broken && ops->broken(result))
		return VERDICT_BROKEN;
	/*
	 * Nothing judged, or little of it, or kept only because the clock stopped recording: the
	 * run says no more than that the need was not met.
	 */
	if (judgement.verdict == VERDICT_KEPT &&
	    (result->void_epochs * 2 > result->epochs || result->traced.let_go))
		judgement.verdict = VERDICT_NEED_NOT_MET;
	return verdict_of_row(&evidence, judgement.verdict);
}
