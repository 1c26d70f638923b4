// SPDX-License-Identifier: MIT
/*
 * cold: what an event costs in a program that has other work. Between two events the program's own
 * work evicts, by plan:
 *
 *   none	nothing; the row's own events before it left everything warm
 *   l1 l2 llc	data: twice the cache is read, on huge pages where there are any
 *   tlb	translations: one page of memory, mapped over and over, is read through each mapping
 *   code	instructions and branches: 256 KiB of them, taken at random
 *   all	llc, tlb and code
 *   huge	the same, only of the first floor, whose second ring is on a huge page
 *   polled	nothing, but another CPU reads the words that each writer changes
 *   shared	nothing, but another CPU writes to their lines, as if it owned other words of them
 *   neighbour	all, while another CPU reads memory as fast as it can
 *
 * One eviction serves all rows: after it each row, in a random order, records one event into a ring
 * of its own, between two fenced reads of the clock. An empty measurement is among them, and a
 * second ring of the first floor (A/A), which takes turns with the first: they share their code.
 * Other rows are compared with both. In each of the blocks all rings are new, in another order, so
 * that no row keeps a lucky place. Each ring is judged. The event that comes first after an
 * eviction, of whichever row, finds less than those behind it, which share lines and page tables
 * with it: its price is reported beside theirs.
 *
 * An eviction takes as long as the machine's caches are large, and an event after it might come
 * more than a wrap after its predecessor. So the row's clock does not tell how long it took: the
 * code is that of the injected build, whose clock has an offset, in a word that is warm for all
 * rows alike. Each event comes after a gap by plan, in turn a short one and one of more than a
 * wrap, and has two prices: plain, and extended, in rows that extend.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/time.h"
#include "judge/judge.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "schemes/core/inject.h"
#include "workloads/evict.h"
#include "workloads/neighbour.h"
#include "workloads/workload.h"

#define BLOCKS 96 /* of rounds; the interval is of their means */
#define ROUNDS_MOST 1024 /* of a block */
#define ROUNDS_LEAST 4 /* both forms, in both rings of the floor */
#define BLOCKS_LEAST 8
#define TRIMMED 0.1 /* of a mean, at either end */
#define BLOCKS_OF_RING 8 /* then others in other memory; not each time: pages of a MiB each */
#define WARM_EVENTS 4096
#define WARM_BEFORE 4 /* events right before the one that is timed warm */
/* Ticks of the row's clock from one event to the next: within a field of 14 bits, wherever in it.
 */
#define GAP 2000
#define STRAY 8 /* events of a block that an interrupt made late, or that came at a carry */
#define SLACK 8000 /* that an event may take before and after it reads its clock */

enum form { PLAIN, EXTENDED, FORMS };

/* One ring, or nothing between the two reads. */
struct subject {
	const struct driver *driver; /* NULL: empty */
	bool again;
	_Alignas(64) struct buffer buffer; /* all writers' words in the same places of lines */
	uint64_t began, beat, beat_worst, last; /* by its own clock; last: of the event before */
	uint64_t extensions; /* that were planned since the ring was empty */
	bool unplanned; /* another number of them came */
	uint64_t all_samples[FORMS]; /* of all blocks */
	double of_block[FORMS][ROUNDS_MOST]; /* ticks */
	unsigned int samples[FORMS];
	double mean[FORMS][BLOCKS]; /* NaN: no sample */
	char violation[96];
	uint32_t unmet;
};

struct cold {
	const struct workload_bench *bench;
	struct evict evict;
	struct subject *subject;
	unsigned int subjects, floor; /* floor: of the one that has a second ring; 0: none has */
	struct subject first; /* the first events of rounds, whose form is PLAIN */
	struct subject both; /* the events of the floor, in either ring */
	uint64_t random;
	json_t *into;
	int error;
	struct neighbour neighbour;
};

static int start_neighbour(struct cold *cold, enum evict_kind kind)
{
	struct neighbour *neighbour = &cold->neighbour;
	const struct subject *subject;
	unsigned int i;

	*neighbour = (struct neighbour){ .place = cold->bench->place,
					 .pu = cold->bench->pu[1],
					 .kind = kind,
					 .data = cold->evict.data,
					 .bytes = cold->evict.data_bytes };
	for (i = 1; i < cold->subjects; i++) {
		subject = &cold->subject[i];
		neighbour->shared[neighbour->count].word = subject->buffer.scheme;
		neighbour->shared[neighbour->count++].words =
			subject->driver->scheme_bytes / sizeof(uint64_t);
	}
	return neighbour_start(neighbour);
}

/* ---- one round ---- */

/* The row's clock says `now` from here on. */
static void set_clock(struct subject *subject, uint64_t now)
{
	injection = (struct injection){ .due = UINT64_MAX, .bias_ticks = now - clock_real() };
	subject->last = now;
}

/* It has read its clock; what it read is no later than this. */
static void note_clock(struct subject *subject)
{
	subject->last = clock_real() + injection.bias_ticks;
}

static void beat(struct subject *subject)
{
	set_clock(subject, subject->last + GAP);
	subject->driver->beat(subject->buffer.scheme, &subject->buffer.writer);
	note_clock(subject);
	if (subject->last - subject->beat > subject->beat_worst)
		subject->beat_worst = subject->last - subject->beat;
	subject->beat = subject->last;
}

static void beats(struct cold *cold)
{
	unsigned int i;

	for (i = 0; i < cold->subjects; i++)
		if (cold->subject[i].driver && cold->subject[i].driver->desc->needs & NEED_BEAT)
			beat(&cold->subject[i]);
}

static uint32_t once(struct subject *subject, bool warm)
{
	static struct fenced_block block;
	static const uint64_t no_signals;
	unsigned int events = warm ? WARM_BEFORE + 1 : 1;
	uint64_t begin;

	if (!subject->driver) {
		begin = clock_real_fenced();
		return (uint32_t)(clock_real_fenced() - begin);
	}
	block.interrupted = &no_signals;
	subject->driver->run_fenced(subject->buffer.scheme, &subject->buffer.writer, events,
				    &block);
	note_clock(subject);
	return block.ticks[events - 1];
}

/* A field of 8 bits wraps during any cold event: all are extended, and have one price. */
static bool extends(const struct subject *subject)
{
	return subject->driver && subject->driver->stamp_bits < 64 &&
	       UINT64_C(1) << subject->driver->stamp_bits > GAP + SLACK &&
	       (subject->driver->desc->extension == EXTEND_ON_GAP ||
		subject->driver->desc->extension == EXTEND_ON_CARRY);
}

/* Sets the clock for the event that comes next. */
static void plan_gap(struct subject *subject, enum form form)
{
	uint64_t gap = GAP;

	if (!subject->driver)
		return;
	if (form == EXTENDED) {
		gap += UINT64_C(1) << subject->driver->stamp_bits;
		subject->extensions++;
	}
	set_clock(subject, subject->last + gap);
}

static void shuffle(struct cold *cold, unsigned int *order)
{
	unsigned int i;

	for (i = 0; i < cold->subjects; i++)
		order[i] = i;
	rng_shuffle(order, cold->subjects, &cold->random);
}

static void add(struct subject *subject, enum form form, uint32_t ticks)
{
	subject->all_samples[form]++;
	subject->of_block[form][subject->samples[form]++] = ticks;
}

static void round_of_all(struct cold *cold, enum evict_kind kind, unsigned int round)
{
	unsigned int order[DRIVERS_MAX + 2], i;
	enum form plan = round % 2 ? EXTENDED : PLAIN, form;
	struct subject *subject;
	bool first = true;
	uint32_t ticks;

	shuffle(cold, order);
	beats(cold);
	evict(&cold->evict, kind);
	if (kind == EVICT_POLLED || kind == EVICT_SHARED)
		neighbour_wait(&cold->neighbour);
	for (i = 0; i < cold->subjects; i++) {
		subject = &cold->subject[order[i]];
		if (cold->floor && (subject->again || order[i] == cold->floor)) {
			if (subject->again != round / 2 % 2)
				continue;
		} else if (kind == EVICT_HUGE && subject->driver) {
			continue;
		}
		form = kind != EVICT_NONE && extends(subject) ? plan : PLAIN;
		plan_gap(subject, form);
		ticks = once(subject, kind == EVICT_NONE);
		add(subject, form, ticks);
		if (cold->floor && subject->driver == cold->subject[cold->floor].driver)
			add(&cold->both, form, ticks);
		if (first && subject->driver && form == PLAIN)
			add(&cold->first, PLAIN, ticks);
		first = first && !subject->driver;
	}
}

/* ---- what it says ---- */

/* Over blocks, what an event takes above nothing: ticks; of `floor`, as a multiple of its ticks. */
static struct stats_interval above(const struct cold *cold, const struct subject *one,
				   enum form form, const struct subject *floor)
{
	const struct subject *empty = &cold->subject[0];
	double its[BLOCKS];
	unsigned int i, count = 0;

	for (i = 0; i < BLOCKS; i++) {
		its[count] = one->mean[form][i] - empty->mean[PLAIN][i];
		if (floor)
			its[count] /= floor->mean[PLAIN][i] - empty->mean[PLAIN][i];
		count += isfinite(its[count]);
	}
	return stats_center(its, count);
}

/* What the row is compared with: both rings of the first floor, but for themselves. NULL: its floor
 * is not among those chosen. */
static const struct subject *floor_of(const struct cold *cold, const struct subject *subject)
{
	const char *name = driver_is_floor(subject->driver) ? subject->driver->row :
							      driver_floor(subject->driver);
	unsigned int i;

	for (i = 1; name && i < cold->subjects; i++)
		if (!cold->subject[i].again && !strcmp(cold->subject[i].driver->row, name))
			return i == cold->floor && subject->driver != cold->subject[i].driver ?
				       &cold->both :
				       &cold->subject[i];
	return NULL;
}

static void report_form(const struct cold *cold, const struct subject *subject, enum form form,
			json_t *json)
{
	static const char *const keys[FORMS][2] = { { "ns", "ratio" },
						    { "extended_ns", "extended_ratio" } };
	const struct subject *floor = floor_of(cold, subject);
	struct stats_interval ticks = above(cold, subject, form, NULL), ratio = { NAN, NAN, NAN };

	if (floor)
		ratio = above(cold, subject, form, floor);
	json_set_interval(json, keys[form][0], &ticks, 1e9 / ticks_hz());
	json_set_interval(json, keys[form][1], &ratio, 1);
}

static void report(struct cold *cold, enum evict_kind kind)
{
	const struct stats_interval first = above(cold, &cold->first, PLAIN, NULL);
	const struct subject *subject;
	json_t *json;
	unsigned int i;

	for (i = 1; i < cold->subjects; i++) {
		subject = &cold->subject[i];
		if (!subject->all_samples[PLAIN])
			continue;
		json = json_pack("{s:s, s:b, s:b, s:s, s:I, s:I}", "row", subject->driver->row,
				 "variant", subject->driver->variant, "again", subject->again,
				 "evicted", evict_names[kind], "samples",
				 (json_int_t)subject->all_samples[PLAIN], "extended",
				 (json_int_t)subject->all_samples[EXTENDED]);
		report_form(cold, subject, PLAIN, json);
		report_form(cold, subject, EXTENDED, json);
		json_set_interval(json, "first_ns", &first, 1e9 / ticks_hz());
		json_array_append_new(cold->into, json);
	}
}

/* ---- rings ---- */

static int move_to_huge_page(struct buffer *buffer)
{
	struct ring_config config = buffer->config;
	void *page = evict_huge_page();

	if (!page)
		return fail_with(EXIT_RESOURCE, "no huge page for a ring: %s", strerror(errno));
	munmap(buffer->base, buffer->base_bytes);
	buffer->base = page;
	buffer->base_bytes = EVICT_HUGE_BYTES;
	return buffer_reset(buffer, &config);
}

static int open_ring(struct cold *cold, struct subject *subject, enum evict_kind kind)
{
	struct ring_config ring;

	if (!subject->driver)
		return 0;
	ring = buffer_config(subject->driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	ring.cpu = cold->bench->pu[0];
	set_clock(subject, clock_real());
	if (subject->buffer.driver ? buffer_reset(&subject->buffer, &ring) :
				     buffer_open(&subject->buffer, subject->driver, &ring) ||
					     (kind == EVICT_HUGE && subject->again &&
					      move_to_huge_page(&subject->buffer)))
		return EXIT_RESOURCE;
	subject->driver->run(subject->buffer.scheme, &subject->buffer.writer, WARM_EVENTS);
	/* Empty again, so that what it holds in the end came by plan. */
	set_clock(subject, clock_real());
	if (buffer_reset(&subject->buffer, &ring))
		return EXIT_RESOURCE;
	note_clock(subject); /* a beat's clock began in there: it does not go back */
	subject->began = subject->beat = subject->last;
	subject->beat_worst = subject->extensions = 0;
	return 0;
}

static void judge_subject(struct subject *subject)
{
	struct judge_given given = { .beat_worst_ticks = subject->beat_worst,
				     .ample = true,
				     .began = subject->began };
	struct judgement judgement;
	struct check check;

	if (!subject->driver)
		return;
	set_clock(subject, subject->last + GAP);
	buffer_check(&subject->buffer, &check);
	judge_buffer(&subject->buffer, &check, &given, &judgement);
	subject->unmet |= judgement.unmet;
	/* A sub-buffer's first record is long or short without it: its packet has a time. */
	if (extends(subject))
		subject->unplanned |= check.extended + check.subbufs < subject->extensions ||
				      check.extended > subject->extensions + check.subbufs + STRAY;
	if (judgement.verdict == VERDICT_BROKEN)
		snprintf(subject->violation, sizeof(subject->violation), "cold: %.80s",
			 judgement.text ? judgement.text : "stuck");
}

static void close_rings(struct cold *cold)
{
	unsigned int i;

	for (i = 0; i < cold->subjects; i++)
		if (cold->subject[i].buffer.driver)
			buffer_close(&cold->subject[i].buffer);
}

static void begin_kind(struct subject *subject)
{
	unsigned int block;

	memset(subject->all_samples, 0, sizeof(subject->all_samples));
	for (block = 0; block < BLOCKS; block++)
		subject->mean[PLAIN][block] = subject->mean[EXTENDED][block] = NAN;
}

static void end_block(struct subject *subject, unsigned int block)
{
	enum form form;

	for (form = 0; form < FORMS; form++) {
		stats_sort(subject->of_block[form], subject->samples[form]);
		subject->mean[form][block] = stats_trimmed_mean(subject->of_block[form],
								subject->samples[form], TRIMMED);
	}
	memset(subject->samples, 0, sizeof(subject->samples));
}

/* One block of one kind: empty rings, and rounds for so many seconds. An exit code. */
static int run_block(struct cold *cold, enum evict_kind kind, unsigned int block, double seconds)
{
	unsigned int order[DRIVERS_MAX + 2], round, i, opened;
	uint64_t limit;
	int error = EXIT_FINE;

	shuffle(cold, order);
	for (opened = 0; opened < cold->subjects; opened++) {
		error = open_ring(cold, &cold->subject[order[opened]], kind);
		if (error)
			break;
	}
	if (!error)
		error = kind < EVICT_POLLED ? 0 : start_neighbour(cold, kind);
	limit = time_ns() + (uint64_t)(seconds * 1e9);
	for (round = 0; round < ROUNDS_MOST && !workload_stop && !error &&
			(time_ns() < limit || round < ROUNDS_LEAST);
	     round++)
		round_of_all(cold, kind, round);
	/* How late the last beat was shows with the next one. */
	beats(cold);
	neighbour_stop(&cold->neighbour);
	for (i = 0; i < opened; i++) {
		end_block(&cold->subject[order[i]], block);
		judge_subject(&cold->subject[order[i]]);
	}
	end_block(&cold->first, block);
	end_block(&cold->both, block);
	if (!((block + 1) % BLOCKS_OF_RING))
		close_rings(cold);
	return error;
}

static int run_kind(struct cold *cold, enum evict_kind kind, double seconds)
{
	const struct workload_bench *bench = cold->bench;
	unsigned int i, block, blocks;
	uint64_t begin;
	int error = 0;

	for (i = 0; i < cold->subjects; i++)
		begin_kind(&cold->subject[i]);
	begin_kind(&cold->first);
	begin_kind(&cold->both);
	bench->step(bench->arg, "cold", evict_names[kind]);
	/* Warm, they are alike; and quick, each fills sub-buffers. */
	blocks = kind == EVICT_NONE || bench->size == SIZE_QUICK ? BLOCKS / 4 : BLOCKS;
	/* A cache of hundreds of MiB leaves time for few. */
	begin = time_ns();
	evict(&cold->evict, kind);
	blocks = (unsigned int)fmin(
		blocks,
		fmax(seconds * 1e9 / ROUNDS_LEAST / (double)(time_ns() - begin), BLOCKS_LEAST));
	for (block = 0; block < blocks && !error && !workload_stop; block++)
		error = run_block(cold, kind, block, seconds / blocks);
	close_rings(cold);
	if (!error && !workload_stop)
		report(cold, kind);
	bench->done(bench->arg, seconds);
	return error;
}

static const double seconds_of[SIZES][EVICT_KINDS] = {
	/* Only for tests: a --quick run has no cold events. */
	[SIZE_QUICK] = { 0.1, [EVICT_ALL] = 2, 2, 0.2, 0.2, 2 },
	[SIZE_STANDARD] = { [EVICT_NONE] = 0.2, [EVICT_ALL] = 9 },
	[SIZE_FULL] = { 2, 3, 4, 12, 4, 4, 24, 12, 3, 3, 12 },
};

static void *cold_thread(void *arg)
{
	struct cold *cold = arg;
	const struct workload_bench *bench = cold->bench;
	enum evict_kind kind;
	double seconds;

	if (place_bind_self(bench->place, bench->pu[0]))
		cold->error = EXIT_RESOURCE;
	if (!cold->error)
		cold->error = evict_open(&cold->evict, bench->place, bench->pu[0]);
	for (kind = 0; kind < EVICT_KINDS && !cold->error && !workload_stop; kind++) {
		seconds = seconds_of[bench->size][kind];
		if (kind >= EVICT_POLLED && bench->cpus < 2 && seconds > 0)
			fail_line("no events beside another CPU (%s): there is one",
				  evict_names[kind]);
		else if (seconds > 0 && !evict_unknown(&cold->evict, kind))
			cold->error = run_kind(cold, kind, seconds);
	}
	if (!cold->error && place_verify_self(bench->place, bench->pu[0]))
		cold->error = EXIT_RESOURCE;
	evict_close(&cold->evict);
	return NULL;
}

/* No figures of a row that broke a promise, or whose needs were not met. */
static void leave_out(const struct cold *cold, json_t *into)
{
	const struct workload_bench *bench = cold->bench;
	const struct subject *subject;
	unsigned int i;
	json_t *one;
	size_t at;

	json_array_foreach(cold->into, at, one) {
		for (i = 1; i < cold->subjects; i++)
			if (!strcmp(cold->subject[i].driver->row, json_text(one, "row")))
				break;
		subject = &cold->subject[i];
		if (subject->unplanned)
			fail_line("%s: cold events were not extended as planned; it has no price",
				  subject->driver->row);
		else if (!subject->violation[0] && !subject->unmet)
			json_array_append(into, one);
	}
	for (i = 1; i < cold->subjects; i++)
		if (cold->subject[i].violation[0] && !cold->subject[i].again)
			bench->broke(bench->arg, (int)i - 1, cold->subject[i].violation);
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	struct cold cold = { .bench = bench, .random = bench->seed, .into = json_array() };
	size_t bytes = ((size_t)bench->count + 2) * sizeof(*cold.subject);
	pthread_t thread;
	unsigned int i;

	cold.subject = aligned_alloc(64, bytes);
	if (!cold.subject || !cold.into)
		return fail_memory("cold events");
	memset(cold.subject, 0, bytes);
	cold.subjects = (unsigned int)bench->count + 1;
	for (i = 1; i < cold.subjects; i++) {
		cold.subject[i].driver = driver_find(drivers_injected, bench->rows[i - 1]->row);
		if (!cold.floor && driver_is_floor(cold.subject[i].driver))
			cold.floor = i;
	}
	if (cold.floor)
		cold.subject[cold.subjects++] =
			(struct subject){ .driver = cold.subject[cold.floor].driver,
					  .again = true };
	if (pthread_create(&thread, NULL, cold_thread, &cold))
		cold.error = fail_with(EXIT_RESOURCE, "no thread for cold events");
	else
		pthread_join(thread, NULL);
	if (!cold.error)
		leave_out(&cold, into);
	json_decref(cold.into);
	free(cold.subject);
	return cold.error;
}

static double seconds(const struct workload_bench *bench)
{
	double sum = 0;

	for (int kind = 0; kind < EVICT_KINDS; kind++)
		sum += seconds_of[bench->size][kind];
	return sum;
}

const struct workload workload_cold = {
	.name = "cold",
	.text = "an event after the program's other work has evicted caches, TLB and code",
	.least = SIZE_STANDARD,
	.plot = "cold",
	.measure = measure,
	.seconds = seconds,
	.instead = "bench",
};
