// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extras/claims/claims.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"
#include "judge/judge.h"
#include "judge/player.h"
#include "results/samples.h"

#define POINTS_TRIED 40 /* more than any event here has */
#define DRAINED_EVENTS 128

/* At which point a nested writer interrupts. */
struct stage {
	const struct scene *scene;
	struct buffer *buffer;
	struct player player;
	struct played *seen;
	unsigned int at; /* call of the hook, from 1 */
	unsigned int calls;
	bool inside; /* a nested writer is at work */
};

static void on_point(void *arg, const char *label)
{
	struct stage *stage = arg;

	(void)label;
	if (stage->inside || ++stage->calls != stage->at)
		return;
	stage->inside = true;
	stage->seen->nested++;
	virtual_clock.now += stage->scene->jump;
	stage->buffer->driver->interrupt(stage->buffer->scheme, &stage->buffer->writer,
					 CONTEXT_LEVEL_1);
	virtual_clock.now += stage->scene->jump;
	stage->inside = false;
}

static void watch(struct stage *stage, uint64_t turn, enum scene_interrupts what)
{
	if (stage->scene->interrupts != what)
		return;
	stage->at = (unsigned int)(turn % POINTS_TRIED) + 1;
	stage->calls = 0;
	points.arg = stage;
	points.hook = on_point;
}

static void around_beat(void *arg, bool begins)
{
	struct stage *stage = arg;

	if (begins)
		watch(stage, stage->seen->beats++, SCENE_BEATS_INTERRUPTED);
	else
		points.hook = NULL;
}

static void one_event(struct stage *stage, uint64_t number)
{
	struct played *seen = stage->seen;
	uint64_t before = points.clock_reads;

	watch(stage, number, SCENE_INTERRUPTED);
	player_event(&stage->player);
	points.hook = NULL;
	if (points.clock_reads - before > seen->most_reads)
		seen->most_reads = points.clock_reads - before;
}

static void play(struct stage *stage, uint32_t bits)
{
	const struct scene *scene = stage->scene;
	uint64_t events = scene->events ? scene->events : 4096, every = scene->beat_every, i;

	if (!every)
		every = player_every(stage->buffer->driver, bits, 1e9);
	player_begin(&stage->player, stage->buffer, every == SCENE_NO_BEAT ? 0 : every);
	stage->player.around = around_beat;
	stage->player.arg = stage;
	for (i = 0; i < events; i++) {
		player_pass(&stage->player, scene->gap);
		one_event(stage, i);
		if (i % DRAINED_EVENTS == DRAINED_EVENTS - 1)
			buffer_drain(stage->buffer, &stage->seen->check);
	}
	buffer_drain(stage->buffer, &stage->seen->check);
}

bool lab_play(const struct scene *scene, struct played *seen)
{
	const struct driver *driver = driver_find(drivers_counting, scene->row);
	struct ring_config config;
	struct judge_given given = { .ample = true };
	struct judgement judgement;
	struct buffer buffer;
	struct stage stage = { .scene = scene, .buffer = &buffer, .seen = seen };

	memset(seen, 0, sizeof(*seen));
	if (!driver)
		return false;
	config = buffer_config(driver, 12, 5);
	if (buffer_open(&buffer, driver, &config))
		return false;
	if (scene->bits)
		config.stamp_bits = scene->bits;
	if (scene->bits && driver->counter_bits < 64)
		config.counter_bits = scene->bits;
	player_clock(scene->now ? scene->now : 1u << 20, scene->step ? scene->step : 1);
	if (buffer_reset(&buffer, &config)) {
		buffer_close(&buffer);
		return false;
	}
	points.clock_reads = 0;
	buffer_check(&buffer, &seen->check);
	play(&stage, config.stamp_bits);
	seen->clock_reads = points.clock_reads;
	seen->atomics = points.atomics;
	seen->cmpxchgs = points.cmpxchgs;
	seen->stuck = buffer_ring(&buffer)->stuck;
	given.nested = seen->nested;
	judge_buffer(&buffer, &seen->check, &given, &judgement);
	buffer_close(&buffer);
	return true;
}

static struct stats_interval ratio_in(const struct claims_lab *lab, const char *row,
				      const char *base, const char *workload)
{
	const struct samples_cell own = { row, workload }, other = { base, workload };
	const json_t *rows = json_object_get(lab->record, "benchmarks");
	struct stats_interval ratio = samples_median(rows, &own, "cycles", &other);

	return isnan(ratio.middle) ? samples_median(rows, &own, "ticks", &other) : ratio;
}

struct stats_interval lab_ratio(const struct claims_lab *lab, const char *row, const char *base)
{
	return ratio_in(lab, row, base, "steady");
}

struct stats_interval lab_cheap_ratio(const struct claims_lab *lab, const char *row,
				      const char *base)
{
	return ratio_in(lab, row, base, "cheap");
}

double lab_median(const struct claims_lab *lab, const char *row, const char *key)
{
	const struct samples_cell own = { row, "steady" };

	return samples_median(json_object_get(lab->record, "benchmarks"), &own, key, NULL).middle;
}

static bool is_text(const json_t *line, const char *key, const char *text)
{
	const char *its = json_string_value(json_object_get(line, key));

	return its && !strcmp(its, text);
}

double lab_line(const struct claims_lab *lab, const char *section, const char *row,
		const char *workload, const char *key)
{
	const json_t *line, *value;
	size_t i;

	json_array_foreach(json_object_get(lab->record, section), i, line) {
		value = json_object_get(line, key);
		if (is_text(line, "row", row) && json_is_number(value) &&
		    (is_text(line, "workload", workload) || is_text(line, "regime", workload)))
			return json_number_value(value);
	}
	return NAN;
}
