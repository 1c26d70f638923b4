// SPDX-License-Identifier: MIT
/*
 * backstep: the clock goes back, and misbehaves in other ways. What is read wrong then, by how much
 * and until when is asked of every row, whatever it promises.
 *
 * On the virtual clock all of it is played, from random places (a section of its own). On the real
 * one the injected build, whose clock is the CPU's plus a bias, steps back between events, inside
 * one, and inside one that interrupts another.
 */
#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "base/time.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "schemes/core/inject.h"
#include "workloads/engine/thread.h"
#include "workloads/misclock.h"

/* ---- on the virtual clock ---- */

#define PLAYS 24 /* of each case, in a bench of standard size */
#define WRAP_BITS_MOST 32 /* of rows that have no wrap: steps are those of a field of 27 bits */

/* Steps back. */
#define STEPS 5
static const char *const step_names[STEPS] = { "1 tick", "100", "half", "wrap + 1", "1 s" };

static uint64_t step_ticks(unsigned int step, const struct driver *driver, double hz)
{
	uint32_t bits = driver->stamp_bits <= WRAP_BITS_MOST ? driver->stamp_bits : 27;
	const uint64_t ticks[STEPS] = { 1, 100, UINT64_C(1) << (bits - 1),
					(UINT64_C(1) << bits) + 1, (uint64_t)hz };

	return ticks[step];
}

/* How far ahead: hours, and beyond what fields of 32 and 59 bits tell. */
static const struct {
	const char *name;
	double seconds; /* or */
	uint64_t ticks;
} ahead[] = { { "10 h", 36000, 0 },
	      { "2^32 + 1", 0, (UINT64_C(1) << 32) + 1 },
	      { "2^59 + 1", 0, (UINT64_C(1) << 59) + 1 } };

static json_t *case_json(const char *row, enum verdict verdict, enum misclock kind,
			 const char *step, uint64_t ticks, const struct misclock_result *result)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:I, "
			 "s:I}",
			 "row", row, "clock", misclock_words[kind].name, "step", step, "step_ticks",
			 (json_int_t)ticks, "verdict", check_verdict_name(verdict), "events",
			 (json_int_t)result->events, "steps", (json_int_t)result->steps, "wrong",
			 (json_int_t)result->damage.wrong, "inexact", (json_int_t)result->inexact,
			 "worst_ticks", (json_int_t)result->damage.worst, "longest",
			 (json_int_t)result->damage.longest, "until",
			 check_damage_end_name(check_damage_until(&result->damage)), "extended",
			 (json_int_t)result->extended, "lost", (json_int_t)result->lost,
			 "reads_most", (json_int_t)result->reads_most);
}

struct plays {
	const struct workload_bench *bench;
	json_t *into;
	unsigned int plays;
	double hz;
};

static int play_case(const struct plays *table, int row, enum misclock kind, const char *step,
		     uint64_t ticks)
{
	const struct workload_bench *bench = table->bench;
	const struct driver *driver = driver_find(drivers_counting, bench->rows[row]->row);
	struct evidence evidence = { .trial = trial_of(driver) };
	struct misclock_result result;
	char why[160];

	if (misclock_play(driver, kind, ticks, table->hz, table->plays, bench->seed, &result))
		return EXIT_RESOURCE;
	if (result.verdict == VERDICT_BROKEN) {
		snprintf(why, sizeof(why), "a clock that goes %s (%s): %s",
			 misclock_words[kind].text, step,
			 result.objection ? result.objection : "a writer gave up");
		bench->broke(bench->arg, row, why);
	}
	return json_array_append_new(table->into,
				     case_json(driver->row,
					       verdict_of_row(&evidence, result.verdict), kind,
					       step, ticks, &result)) ?
		       EXIT_RESOURCE :
		       0;
}

static int play_row(const struct plays *table, int row)
{
	const struct driver *driver = table->bench->rows[row];
	enum misclock kind;
	unsigned int i;
	int error = 0;

	for (kind = MISCLOCK_BETWEEN; kind <= MISCLOCK_OLDER && !error; kind++)
		for (i = 0; i < STEPS && !error; i++)
			error = play_case(table, row, kind, step_names[i],
					  step_ticks(i, driver, table->hz));
	for (i = 0; i < sizeof(ahead) / sizeof(ahead[0]) && !error; i++)
		error = play_case(table, row, MISCLOCK_AHEAD, ahead[i].name,
				  ahead[i].ticks ? ahead[i].ticks :
						   (uint64_t)(ahead[i].seconds * table->hz));
	if (!error)
		error = play_case(table, row, MISCLOCK_STOPPED, "", 0);
	if (!error)
		error = play_case(table, row, MISCLOCK_RATE, "", 0);
	return error ? error : play_case(table, row, MISCLOCK_TRACED, "", 0);
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	const struct plays table = {
		.bench = bench,
		.into = into,
		.plays = bench->size == SIZE_QUICK ? PLAYS / 4 : PLAYS,
		.hz = ticks_hz(),
	};
	int row, error = 0;

	for (row = 0; row < bench->count && !error; row++) {
		bench->step(bench->arg, "backstep", bench->rows[row]->row);
		error = play_row(&table, row);
	}
	return error;
}

/* ---- on the real clock ---- */

#define CHUNK_MOST 400 /* events from step to step */

struct stepped {
	uint64_t steps[3]; /* between events, inside one, inside one that interrupts another */
	struct check_damage damage;
};

static void step_real(struct buffer *buffer, uint64_t *random, struct stepped *stepped)
{
	uint64_t ticks =
		step_ticks((unsigned int)(rng_next(random) % STEPS), buffer->driver, ticks_hz());
	unsigned int place = (unsigned int)(rng_next(random) % 3);

	stepped->steps[place]++;
	if (!place) {
		injection.bias_ticks -= ticks;
		return;
	}
	/* What nobody can interrupt is interrupted behind it. */
	if (place == 2 &&
	    (buffer->driver->blocks || buffer->driver->desc->needs & NEED_MASKED_INTERRUPTS)) {
		injection.bias_ticks -= ticks;
		buffer->driver->interrupt(buffer->scheme, &buffer->writer, CONTEXT_LEVEL_1);
		return;
	}
	injection.back_ticks = ticks;
	injection.nest_depth = place - 1;
	injection.armed = 1;
	buffer->driver->run(buffer->scheme, &buffer->writer, 1);
}

/* A ring full of events and steps, judged. */
static void round_real(struct buffer *buffer, uint64_t *random, struct check *check,
		       struct engine_result *result)
{
	struct stepped *stepped = engine_own(struct stepped, result);
	struct judge_given given = { .nested = true, .equal_stamps = true };
	struct judgement judgement;
	uint64_t began = clock_real();
	unsigned int i;

	buffer_reset(buffer, &buffer->config);
	buffer_check(buffer, check);
	/* Room to go back; and a beat's field begins somewhere. */
	injection.bias_ticks = (UINT64_C(1) << 44) + (rng_next(random) & bits_mask(40));
	given.began = clock_real() + injection.bias_ticks;
	for (i = 0; i < 16; i++) {
		buffer->driver->run(buffer->scheme, &buffer->writer,
				    1 + rng_next(random) % CHUNK_MOST);
		step_real(buffer, random, stepped);
		given.steps++;
	}
	buffer->driver->run(buffer->scheme, &buffer->writer, CHUNK_MOST);
	given.beat_worst_ticks = clock_real() - began;
	judge_buffer(buffer, check, &given, &judgement);
	check_damage_add(&stepped->damage, &check->damage);
	engine_book(result, check, &judgement);
	engine_book_losses(result, buffer_ring(buffer), &buffer->writer.losses);
	result->epochs++;
}

static int run(const struct engine_config *config, struct engine_result *result)
{
	const struct driver *driver = driver_find(drivers_injected, config->driver->row);
	struct ring_config ring =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	uint64_t begin = time_ns(), random = rng_seed(config->seed, 0);
	struct buffer buffer;
	struct check check;

	if (place_bind_self(config->place, config->pu[0]) || buffer_open(&buffer, driver, &ring))
		return EXIT_RESOURCE;
	result->bits = driver->stamp_bits;
	result->unmet_by_plan = NEED_STRICT_CLOCK | NEED_FORWARD_CLOCK;
	injection = (struct injection){ .due = UINT64_MAX };
	do /* once at least, however long others had the CPU */
		round_real(&buffer, &random, &check, result);
	while (!workload_stop && (double)(time_ns() - begin) < config->seconds * 1e9);
	injection = (struct injection){ .due = UINT64_MAX };
	buffer_close(&buffer);
	result->seconds = result->recording_seconds = (double)(time_ns() - begin) / 1e9;
	return 0;
}

static void print_real(FILE *out, const struct engine_result *result)
{
	const struct stepped *stepped = engine_own(struct stepped, result);

	fprintf(out,
		"  steps back %" PRIu64 " between events, %" PRIu64 " inside one, %" PRIu64
		" inside an interrupting one\n"
		"  wrong times %" PRIu64 ", by %" PRIu64 " ticks at most, for %" PRIu64
		" events at most, until: %s\n",
		stepped->steps[0], stepped->steps[1], stepped->steps[2], stepped->damage.wrong,
		stepped->damage.worst, stepped->damage.longest,
		check_damage_end_name(check_damage_until(&stepped->damage)));
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct stepped *stepped = engine_own(struct stepped, result);

	(void)config;
	json_object_set_new(into, "damage",
			    json_pack("{s:[I, I, I], s:I, s:I, s:I, s:s}", "steps",
				      (json_int_t)stepped->steps[0], (json_int_t)stepped->steps[1],
				      (json_int_t)stepped->steps[2], "wrong",
				      (json_int_t)stepped->damage.wrong, "worst_ticks",
				      (json_int_t)stepped->damage.worst, "longest",
				      (json_int_t)stepped->damage.longest, "until",
				      check_damage_end_name(check_damage_until(&stepped->damage))));
}

static const struct workload_engine engine = {
	.no_export =
		"backstep starts its ring anew for each round; --export is for other workloads",
	.run = run,
	.print = print_real,
	.json = json,
};

const struct workload workload_backstep = {
	.name = "backstep",
	.text = "the clock goes back, stops, jumps, or records an event itself",
	.least = SIZE_FULL,
	.plot = "backstep",
	.engine = &engine,
	.measure = measure,
	.forms = { { .section = "stress", .seconds = { 0.02, 0.1, 1 } } },
};
