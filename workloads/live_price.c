// SPDX-License-Identifier: MIT
/*
 * Blocks of events of the timed build, alone and with a reader on another CPU, in pairs, the first
 * of which is chosen at random: what the writer pays, from pair to pair. The ring overwrites, so
 * that a reader which falls behind does not make the writer lose events, which is quicker than to
 * record them. Then one ring that discards: how many events a second writer and reader do together.
 */
#include "workloads/live_price.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/time.h"
#include "judge/live.h"

#define PAIRS LIVE_PRICE_PAIRS
#define BLOCK_EVENTS LIVE_PRICE_EVENTS
#define WINDOWS 9 /* of which the throughput is the median */
#define WINDOW_NS 8000000
/*
 * Of a reader that found nothing: a ring of the timed build is full after some 2 ms. One that looks
 * again at once takes the tail's line away from the writer with each look.
 */
#define NAP_NS 200000
#define SLICE_EVENTS 2000 /* between two looks at the time */
#define ROW_SECONDS 0.6 /* about */

enum reader_command {
	READER_RESTS, /* on the futex of the mutex: its CPU is idle */
	READER_READS,
	READER_ENDS,
};

struct reader {
	const struct place *place;
	unsigned int pu;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t told, done;
	enum reader_command command; /* under the mutex; looked at without it by who reads */
	bool at_work;
	struct live live;
	uint64_t events;
	int error;
};

static void count_event(void *arg, const struct event *event)
{
	uint64_t *events = arg;

	(void)event;
	++*events;
}

static enum reader_command command_of(struct reader *reader)
{
	return __atomic_load_n(&reader->command, __ATOMIC_RELAXED); /* a hint: the mutex decides */
}

static void *reader_main(void *arg)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	struct reader *reader = arg;

	reader->error = place_bind_self(reader->place, reader->pu);
	pthread_mutex_lock(&reader->mutex);
	while (reader->command != READER_ENDS) {
		reader->at_work = reader->command == READER_READS;
		pthread_cond_signal(&reader->done);
		if (!reader->at_work) {
			pthread_cond_wait(&reader->told, &reader->mutex);
			continue;
		}
		pthread_mutex_unlock(&reader->mutex);
		while (command_of(reader) == READER_READS)
			if (!live_walk(&reader->live, count_event, &reader->events))
				nanosleep(&nap, NULL);
		pthread_mutex_lock(&reader->mutex);
	}
	pthread_mutex_unlock(&reader->mutex);
	return NULL;
}

/* And waits until it does so. */
static void tell(struct reader *reader, enum reader_command command)
{
	pthread_mutex_lock(&reader->mutex);
	__atomic_store_n(&reader->command, command, __ATOMIC_RELAXED); /* as above */
	pthread_cond_signal(&reader->told);
	while (command != READER_ENDS && reader->at_work != (command == READER_READS))
		pthread_cond_wait(&reader->done, &reader->mutex);
	pthread_mutex_unlock(&reader->mutex);
}

/* What an earlier block has left there is not this one's. */
static void forget(struct ring *ring)
{
	bool open;
	uint64_t end = ring_end(ring, &open);

	ring_consume(ring, end - open);
}

/* ns per event of a block, with a reader or without. */
static double block(struct reader *reader, struct buffer *buffer, bool read)
{
	uint64_t begin, end;

	forget(buffer_ring(buffer));
	if (read)
		tell(reader, READER_READS);
	begin = time_ns();
	buffer->driver->run(buffer->scheme, &buffer->writer, BLOCK_EVENTS);
	end = time_ns();
	if (read)
		tell(reader, READER_RESTS);
	return (double)(end - begin) / BLOCK_EVENTS;
}

struct figures {
	double alone[PAIRS], read[PAIRS], ratio[PAIRS];
	unsigned int pairs;
	uint64_t written, taken, subbufs; /* with a reader */
	double per_second[WINDOWS]; /* of both together */
	unsigned int windows;
};

static void measure_pairs(struct reader *reader, struct buffer *buffer, uint64_t *random,
			  struct figures *figures)
{
	uint64_t before = reader->events, subbufs = reader->live.taken;
	unsigned int i;
	bool first;

	for (i = 0; i < PAIRS && !workload_stop; i++) {
		first = rng_next(random) & 1;
		if (first)
			figures->read[i] = block(reader, buffer, true);
		figures->alone[i] = block(reader, buffer, false);
		if (!first)
			figures->read[i] = block(reader, buffer, true);
		figures->ratio[i] = figures->read[i] / figures->alone[i];
	}
	figures->pairs = i;
	figures->written = (uint64_t)i * BLOCK_EVENTS;
	figures->taken = reader->events - before;
	figures->subbufs = reader->live.taken - subbufs;
}

/* Of one window; what an earlier one has left there is not this one's. */
static double throughput(struct reader *reader, struct buffer *buffer)
{
	uint64_t before = reader->events, begin;

	forget(buffer_ring(buffer));
	tell(reader, READER_READS);
	begin = time_ns();
	while (time_ns() - begin < WINDOW_NS && !workload_stop)
		buffer->driver->run(buffer->scheme, &buffer->writer, SLICE_EVENTS);
	tell(reader, READER_RESTS);
	return (double)(reader->events - before) * 1e9 / (double)(time_ns() - begin);
}

static int measure_row(struct reader *reader, const struct driver *driver, uint64_t *random,
		       struct figures *figures)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct buffer buffer;
	int error;

	*figures = (struct figures){ .pairs = 0 };
	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	error = live_open(&reader->live, &buffer) || live_attach(&reader->live, &buffer);
	if (!error) {
		measure_pairs(reader, &buffer, random, figures);
		live_detach(&reader->live);
		config.mode = RING_DISCARD;
		error = buffer_reset(&buffer, &config) || live_attach(&reader->live, &buffer);
	}
	for (; !error && figures->windows < WINDOWS; figures->windows++)
		figures->per_second[figures->windows] = throughput(reader, &buffer);
	live_close(&reader->live);
	buffer_close(&buffer);
	return error ? EXIT_RESOURCE : 0;
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static double median(double *value, unsigned int count)
{
	stats_sort(value, count);
	return stats_median(value, count).middle;
}

static void put(json_t *into, const char *row, struct figures *figures)
{
	struct stats_interval ratio, both;

	stats_sort(figures->ratio, figures->pairs);
	ratio = stats_median(figures->ratio, figures->pairs);
	stats_sort(figures->per_second, figures->windows);
	both = stats_median(figures->per_second, figures->windows);
	json_array_append_new(
		into,
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "row",
			  row, "alone_ns", number(median(figures->alone, figures->pairs)),
			  "read_ns", number(median(figures->read, figures->pairs)), "ratio",
			  number(ratio.middle), "ratio_95_low", number(ratio.low), "ratio_95_high",
			  number(ratio.high), "written", (json_int_t)figures->written, "taken",
			  (json_int_t)figures->taken, "subbufs", (json_int_t)figures->subbufs,
			  "per_second", number(both.middle), "per_second_95_low", number(both.low),
			  "per_second_95_high", number(both.high)));
}

/* A row that a reader on another CPU can have here. */
static bool is_read(const struct driver *driver)
{
	return LIVE_STORES_IN_ORDER && !driver->desc->untimed && !driver->unsupported();
}

int live_price_measure(const struct workload_bench *bench, json_t *into)
{
	struct reader reader = { .place = bench->place,
				 .pu = bench->pu[1],
				 .at_work = true, /* until it is on its CPU, and rests */
				 .mutex = PTHREAD_MUTEX_INITIALIZER,
				 .told = PTHREAD_COND_INITIALIZER,
				 .done = PTHREAD_COND_INITIALIZER };
	uint64_t random = rng_seed(bench->seed, 0);
	const struct driver *driver;
	struct figures figures;
	int row, error = 0;

	if (bench->cpus < 2)
		return 0;
	if (place_bind_self(bench->place, bench->pu[0]))
		return EXIT_RESOURCE;
	error = pthread_create(&reader.thread, NULL, reader_main, &reader);
	if (error)
		return fail_with(EXIT_RESOURCE, "cannot start a reader: %s", strerror(error));
	tell(&reader, READER_RESTS);
	error = reader.error ? EXIT_RESOURCE : 0;
	for (row = 0; row < bench->count && !error && !workload_stop; row++) {
		driver = driver_find(drivers_timed, bench->rows[row]->row);
		if (!driver || !is_read(driver))
			continue;
		bench->step(bench->arg, "reading", driver->row);
		error = measure_row(&reader, driver, &random, &figures);
		if (!error && figures.pairs == PAIRS)
			put(into, driver->row, &figures);
		bench->done(bench->arg, ROW_SECONDS);
	}
	tell(&reader, READER_ENDS);
	pthread_join(reader.thread, NULL);
	return error;
}

double live_price_seconds(const struct workload_bench *bench)
{
	return bench->cpus < 2 ? 0 : ROW_SECONDS * bench->count;
}

void live_price_print(FILE *out, const json_t *section, enum workload_size size)
{
	const json_t *line;
	size_t i;

	(void)size;
	if (!json_array_size(section))
		return;
	fprintf(out,
		"\nwith a reader on another CPU, which copies and decodes\n%-26s %8s %8s %6s %15s "
		"%6s %9s\n",
		"row", "alone ns", "read ns", "ratio", "95%", "taken", "M/s both");
	json_array_foreach(section, i, line)
		fprintf(out, "%-26.26s %8.1f %8.1f %6.3f %6.3f .. %5.3f %5.0f%% %9.1f\n",
			json_string_value(json_object_get(line, "row")),
			json_number(line, "alone_ns"), json_number(line, "read_ns"),
			json_number(line, "ratio"), json_number(line, "ratio_95_low"),
			json_number(line, "ratio_95_high"),
			100 * json_number(line, "taken") / json_number(line, "written"),
			json_number(line, "per_second") / 1e6);
}
