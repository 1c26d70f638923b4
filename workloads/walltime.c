// SPDX-License-Identifier: MIT
/*
 * walltime: the ring's ticks as ns of CLOCK_MONOTONIC and CLOCK_REALTIME, and by how much each way
 * to convert them is off as time goes on. No row takes part: it is the clock that is measured.
 *
 * Pairs of readings are taken as at switches of sub-buffers, some ms apart, and each later one's
 * ticks are converted by what earlier ones say; what its own reading says is the truth, within the
 * error that it has.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/fail.h"
#include "base/stats.h"
#include "base/time.h"
#include "place/clock_pair.h"
#include "place/ticks.h"
#include "workloads/workload.h"

#define SHIFT_SECONDS 600 /* range of mult and shift, as kernels choose it */
#define COSTS 1000 /* pairs, taken one after the other */
#define WINDOWS 10 /* rates of these parts of the run are compared */

static const struct walltime_size {
	double seconds;
	uint64_t apart_ns;
} sizes[SIZES] = {
	{ 0.5, 10000000 },
	{ 3, 20000000 },
	{ 120, 100000000 },
};

struct series {
	struct clock_pair *pair;
	size_t count, room;
	uint64_t hz; /* as known before the first pair */
	struct wall_rate rate;
	double slew_ppm, slew_error_ppm; /* of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW */
};

/* ---- ways to convert: ticks of pair `at` by other pairs ---- */

static bool by_first(const struct series *s, size_t at, enum wall_clock clock,
		     struct wall_time *time)
{
	return wall_by_rate(&s->pair[0], clock, s->hz, s->pair[at].ticks, time);
}

static bool by_first_shift(const struct series *s, size_t at, enum wall_clock clock,
			   struct wall_time *time)
{
	return wall_by_shift(&s->pair[0], clock, &s->rate, s->pair[at].ticks, time);
}

/* The second of two pairs is the one a tenth of the run later. */
static size_t second_of(const struct series *s)
{
	return s->count > 20 ? s->count / 10 : 1;
}

static bool by_two(const struct series *s, size_t at, enum wall_clock clock, struct wall_time *time)
{
	return wall_by_line(&s->pair[0], &s->pair[second_of(s)], clock, s->pair[at].ticks, time);
}

static bool by_before(const struct series *s, size_t at, enum wall_clock clock,
		      struct wall_time *time)
{
	return wall_by_rate(&s->pair[at - 1], clock, s->hz, s->pair[at].ticks, time);
}

static bool by_around(const struct series *s, size_t at, enum wall_clock clock,
		      struct wall_time *time)
{
	return wall_by_line(&s->pair[at - 1], &s->pair[at + 1], clock, s->pair[at].ticks, time);
}

static const struct way {
	const char *name;
	bool (*convert)(const struct series *s, size_t at, enum wall_clock clock,
			struct wall_time *time);
} ways[] = {
	{ "first pair, rate", by_first },	 { "first pair, mult and shift", by_first_shift },
	{ "first two pairs", by_two },		 { "pair before, rate", by_before },
	{ "pairs before and after", by_around },
};

/* ---- taking pairs ---- */

static void sleep_until(uint64_t ns)
{
	const struct timespec until = { .tv_sec = (time_t)(ns / WALL_NS_PER_SECOND),
					.tv_nsec = (long)(ns % WALL_NS_PER_SECOND) };

	while (!workload_stop &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static double raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* CLOCK_MONOTONIC_RAW between two readings of time_ns(), the closest of some. */
struct raw {
	double ns;
	uint64_t monotonic_ns;
	uint64_t error_ns;
};

static struct raw raw_take(void)
{
	struct raw best = { .error_ns = UINT64_MAX };
	uint64_t before, half;
	double ns;
	int i;

	for (i = 0; i < 8; i++) {
		before = time_ns();
		ns = raw_ns();
		half = (time_ns() - before) / 2 + 1;
		if (half < best.error_ns)
			best = (struct raw){ ns, before + half, half };
	}
	return best;
}

static void slew_of(struct series *s, const struct raw *begin, const struct raw *end)
{
	double raw = end->ns - begin->ns, ns = (double)(end->monotonic_ns - begin->monotonic_ns);

	s->slew_ppm = (ns - raw) / raw * 1e6;
	s->slew_error_ppm = (double)(begin->error_ns + end->error_ns) / raw * 1e6;
}

static bool take_series(struct series *s, const struct walltime_size *size)
{
	struct raw begin, end;
	uint64_t due;

	if (!clock_pair_take(&s->pair[0]))
		return false;
	begin = raw_take();
	due = begin.monotonic_ns;
	for (s->count = 1; s->count < s->room && !workload_stop; s->count++) {
		due += size->apart_ns;
		sleep_until(due);
		if (!clock_pair_take(&s->pair[s->count]))
			return false;
	}
	end = raw_take();
	slew_of(s, &begin, &end);
	return true;
}

/* ---- what they say ---- */

static double apart_ns(uint64_t a, uint64_t b)
{
	return a > b ? (double)(a - b) : (double)(b - a);
}

static json_t *way_json(const struct series *s, const struct way *way, enum wall_clock clock,
			double *room)
{
	bool around = way->convert == by_around;
	size_t first = way->convert == by_two ? second_of(s) + 1 : 1, count = 0, at, refused = 0;
	double beyond = 0, worst = 0, worst_s = 0, more;
	struct wall_time time;

	for (at = first; at + around < s->count; at++) {
		const struct clock_pair *pair = &s->pair[at];

		if (!way->convert(s, at, clock, &time)) {
			refused++;
			continue;
		}
		room[count] = apart_ns(time.ns, pair->ns[clock]);
		more = room[count] - (double)(time.error_ns + pair->error_ns);
		beyond = more > beyond ? more : beyond;
		if (room[count++] < worst)
			continue;
		worst = room[count - 1];
		worst_s = (double)(pair->ns[WALL_MONOTONIC] - s->pair[0].ns[WALL_MONOTONIC]) / 1e9;
	}
	stats_sort(room, count);
	return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:f}", "way", way->name, "clock",
			 clock == WALL_MONOTONIC ? "monotonic" : "realtime", "converted",
			 (json_int_t)count, "refused", (json_int_t)refused, "median_ns",
			 count ? stats_quantile(room, count, 0.5) : 0.0, "worst_ns", worst,
			 "worst_at_seconds", worst_s, "beyond_ns", beyond);
}

/* By how much the rates of parts of the run differ from that of all, at most; and what of it the
 * pairs' errors make, ppm. */
static void wander_of(const struct series *s, double *ppm, double *known_ppm)
{
	const struct clock_pair *last = &s->pair[s->count - 1];
	double all = (double)(last->ticks - s->pair[0].ticks) /
		     (double)(last->ns[WALL_MONOTONIC] - s->pair[0].ns[WALL_MONOTONIC]);
	size_t i;

	*ppm = *known_ppm = 0;
	for (i = 0; i < WINDOWS && s->count > 2 * WINDOWS; i++) {
		const struct clock_pair *a = &s->pair[i * (s->count - 1) / WINDOWS];
		const struct clock_pair *b = &s->pair[(i + 1) * (s->count - 1) / WINDOWS];
		double ns = (double)(b->ns[WALL_MONOTONIC] - a->ns[WALL_MONOTONIC]);
		double off = fabs((double)(b->ticks - a->ticks) / ns / all - 1) * 1e6;
		double known = (double)(a->error_ns + b->error_ns) / ns * 1e6;

		*ppm = off > *ppm ? off : *ppm;
		*known_ppm = known > *known_ppm ? known : *known_ppm;
	}
}

/* What taking a pair costs: median of many, ns. */
static double cost_ns(double *room)
{
	struct clock_pair pair;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < COSTS; i++) {
		before = time_ns();
		clock_pair_take(&pair);
		room[i] = (double)(time_ns() - before);
	}
	stats_sort(room, COSTS);
	return stats_quantile(room, COSTS, 0.5);
}

static json_t *series_json(const struct series *s, double *room)
{
	const struct clock_pair *first = s->pair, *last = &s->pair[s->count - 1];
	double ns = (double)(last->ns[WALL_MONOTONIC] - first->ns[WALL_MONOTONIC]);
	double wander_ppm, known_ppm, error, worst;
	double hz = (double)(last->ticks - first->ticks) * 1e9 / ns;
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < WALL_CLOCKS * sizeof(ways) / sizeof(ways[0]); i++)
		json_array_append_new(list, way_json(s, &ways[i / WALL_CLOCKS],
						     (enum wall_clock)(i % WALL_CLOCKS), room));
	for (i = 0; i < s->count; i++)
		room[i] = (double)s->pair[i].error_ns;
	stats_sort(room, s->count);
	error = stats_quantile(room, s->count, 0.5);
	worst = room[s->count - 1];
	wander_of(s, &wander_ppm, &known_ppm);
	return json_pack(
		"{s:I, s:f, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:f,"
		" s:f, s:I, s:I, s:I, s:I, s:o}",
		"pairs", (json_int_t)s->count, "seconds", ns / 1e9, "pair_ns", cost_ns(room),
		"pair_error_ns", error, "pair_error_worst_ns", worst, "hz", (json_int_t)s->hz,
		"hz_measured", hz, "hz_ppm", ((double)s->hz / hz - 1) * 1e6, "wander_ppm",
		wander_ppm, "wander_error_ppm", known_ppm, "realtime_ppm",
		(double)(int64_t)(last->ns[WALL_REALTIME] - first->ns[WALL_REALTIME] -
				  (last->ns[WALL_MONOTONIC] - first->ns[WALL_MONOTONIC])) /
			ns * 1e6,
		"realtime_set_ns", (json_int_t)clock_pair_set(first, last), "slew_ppm", s->slew_ppm,
		"slew_error_ppm", s->slew_error_ppm, "mult", (json_int_t)s->rate.mult, "shift",
		(json_int_t)s->rate.shift, "shift_seconds", (json_int_t)SHIFT_SECONDS,
		"shift_error_ns", (json_int_t)s->rate.error_ns, "ways", list);
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	const struct walltime_size *size = &sizes[bench->size];
	struct series s = { .room = 1 + (size_t)(size->seconds * 1e9 / (double)size->apart_ns) };
	size_t room = s.room > COSTS ? s.room : COSTS;
	double *values = malloc(room * sizeof(*values));
	int error = EXIT_FINE;
	json_t *line;

	s.pair = calloc(s.room, sizeof(*s.pair));
	s.hz = (uint64_t)llround(ticks_hz());
	bench->step(bench->arg, workload_walltime.name, "pairs of readings");
	if (!values || !s.pair) {
		error = fail_memory("pairs of readings");
	} else if (!wall_rate_for(s.hz, s.hz * SHIFT_SECONDS, &s.rate)) {
		error = fail_with(EXIT_RESOURCE, "walltime: a counter of %.0f Hz is none",
				  ticks_hz());
	} else if (!take_series(&s, size)) {
		error = fail_with(EXIT_RESOURCE,
				  "walltime: the counter goes back between readings; pin the run "
				  "to CPUs whose counters agree (taskset)");
	} else if (s.count > 2) {
		line = series_json(&s, values);
		if (!line || json_array_append_new(into, line))
			error = fail_memory("section walltime");
	}
	if (!error)
		bench->done(bench->arg, size->seconds);
	free(s.pair);
	free(values);
	return error;
}

static double seconds(const struct workload_bench *bench)
{
	return sizes[bench->size].seconds;
}

/* ---- for people ---- */

static void print_ways(FILE *out, const json_t *list)
{
	const json_t *way;
	size_t i;

	fprintf(out, "%-27s %-9s %9s %10s %10s %8s %10s\n", "ticks to ns by", "clock", "converted",
		"median ns", "worst ns", "after s", "beyond ns");
	json_array_foreach(list, i, way)
		fprintf(out, "%-27s %-9s %9.0f %10.0f %10.0f %8.1f %10.0f\n",
			json_string_value(json_object_get(way, "way")),
			json_string_value(json_object_get(way, "clock")),
			json_number(way, "converted"), json_number(way, "median_ns"),
			json_number(way, "worst_ns"), json_number(way, "worst_at_seconds"),
			json_number(way, "beyond_ns"));
}

static void print(FILE *out, const json_t *section, enum workload_size size)
{
	const json_t *run = json_array_get(section, 0);

	(void)size;
	if (!run)
		return;
	fputc('\n', out);
	print_ways(out, json_object_get(run, "ways"));
	fprintf(out,
		"beyond: of the worst, what is more than the errors that pairs declare: what the\n"
		"rate was off by, or changed by. %.0f pairs in %.1f s; taking one costs %.0f ns, "
		"its\n"
		"error is %.0f ns (at worst %.0f).\n",
		json_number(run, "pairs"), json_number(run, "seconds"), json_number(run, "pair_ns"),
		json_number(run, "pair_error_ns"), json_number(run, "pair_error_worst_ns"));
	fprintf(out,
		"The rate found in 50 ms is off by %+.3f ppm; rates of tenths of the run differ "
		"by\n"
		"%.3f ppm (known to %.3f); MONOTONIC slews by %+.3f ppm (to %.3f), REALTIME was "
		"set\n"
		"by %.0f ns.\n"
		"mult %.0f, shift %.0f: off by %.0f ns at most after %.0f s, by rounding.\n",
		json_number(run, "hz_ppm"), json_number(run, "wander_ppm"),
		json_number(run, "wander_error_ppm"), json_number(run, "slew_ppm"),
		json_number(run, "slew_error_ppm"), json_number(run, "realtime_set_ns"),
		json_number(run, "mult"), json_number(run, "shift"),
		json_number(run, "shift_error_ns"), json_number(run, "shift_seconds"));
}

static const struct workload_section sections[] = {
	{ .name = "walltime", .measure = measure, .seconds = seconds, .print = print },
	{ .name = NULL },
};

const struct workload workload_walltime = {
	.name = "walltime",
	.text = "ticks as time of day, by pairs of readings: by how much they are off",
	.least = SIZE_FULL,
	.instead = "walltime is measured by bench: make bench WORKLOADS=walltime",
	.sections = sections,
};
