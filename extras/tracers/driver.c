// SPDX-License-Identifier: MIT
/*
 * Drives a tracer of C or C++ (tracer.h). usage: PROGRAM FOLDER WORKLOAD EVENTS EVERY
 *
 *	steady	one thread, events back to back
 *	threads	two threads; one event in 16 of the second answers one of the first
 *	signals	one thread, and timers of three signals, each of which interrupts those below it
 *	stall	bursts of 64, and pauses between them: 20 ms, and two of 2.5 s
 *	replay	one thread, after gaps drawn from the histogram $GAPS (workloads/gaps)
 *	every*	a signal at each instruction of an event (every.h)
 *	step	one thread; the clock goes back by 1.5 s, and then on by 2 s (build.sh, stepped)
 *	price-cold	the same of single events, before each of which twice the last cache was
 *read price	batches that are timed as a whole, bare and with a truth: a line for each in `price`
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "extras/tracers/every.h"
#include "extras/tracers/tracer.h"
#include "extras/tracers/truth.h"

#define LEVELS 3
#define ANSWER_EVERY 16
#define BURST 64
#define BATCHES 15

static struct truth truths[2];
static uint64_t events, every;
static struct answer {
	uint64_t cause, effect;
} * answers;
static uint64_t answered;

static void pause_for(long ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&time, &time))
		;
}

static void record(struct truth *truth)
{
	truth_event(truth, tracer.clock, tracer.record);
}

static void steady(void)
{
	while (truths[0].next < truths[0].most)
		record(&truths[0]);
}

static void stall(void)
{
	uint64_t i;

	for (i = 1; truths[0].next < truths[0].most; i++) {
		record(&truths[0]);
		if (i == 2 * BURST || i == 5 * BURST)
			pause_for(2500000000);
		else if (!(i % BURST) && i < 100 * BURST)
			pause_for(20000000);
	}
}

/* ---- recorded gaps ---- */

#define BUCKETS 40

/* "log2_bucket,lo_ns,hi_ns,count" in lines; all gaps of a bucket are as likely. */
static void replay(void)
{
	const char *path = getenv("GAPS");
	FILE *file = path ? fopen(path, "r") : NULL;
	uint64_t low[BUCKETS], high[BUCKETS], until[BUCKETS], all = 0, count, drawn, next;
	unsigned int buckets = 0, i;
	char line[128];

	while (file && buckets < BUCKETS && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*u,%" SCNu64 ",%" SCNu64 ",%" SCNu64, &low[buckets],
			   &high[buckets], &count) == 3) {
			all += count;
			until[buckets++] = all;
		}
	if (!all) {
		fprintf(stderr, "stampede: no gaps in %s (--gaps FILE)\n", path ? path : "''");
		exit(1);
	}
	fclose(file);
	srand48(1);
	for (next = time_ns(); truths[0].next < truths[0].most;) {
		drawn = (uint64_t)(drand48() * (double)all);
		for (i = 0; drawn >= until[i]; i++)
			;
		/* From now, if the CPU was away meanwhile: no gap is shorter than it was recorded.
		 */
		next = time_ns() > next ? time_ns() : next;
		next += low[i] + (uint64_t)(drand48() * (double)(high[i] - low[i] + 1));
		while (time_ns() < next)
			;
		record(&truths[0]);
	}
}

/* ---- a clock that steps ---- */

static const char *folder;

static void step_to(const char *offset)
{
	char path[512];
	FILE *clock;

	snprintf(path, sizeof(path), "%s/clock", folder);
	clock = fopen(path, "r+");
	if (!clock || fputs(offset, clock) < 0 || fclose(clock)) {
		fprintf(stderr, "stampede: %s: this clock cannot step\n", path);
		exit(1);
	}
}

static void step(void)
{
	while (truths[0].next < truths[0].most) {
		if (truths[0].next == truths[0].most / 2)
			step_to("-1.5");
		if (truths[0].next == truths[0].most / 4 * 3)
			step_to("+0.5");
		record(&truths[0]);
	}
}

/* ---- price ---- */

static double batch_ns[BATCHES][2];

static void price(void)
{
	uint64_t count = events / BATCHES + 1, seq = 0, end, begin;
	unsigned int i;

	for (i = 0; i < BATCHES; i++) {
		begin = cpu_time_ns();
		for (end = seq + count; seq < end; seq++)
			tracer.record(0, seq);
		batch_ns[i][0] = (double)(cpu_time_ns() - begin) / (double)count;
		truths[0].next = 0;
		begin = cpu_time_ns();
		while (truths[0].next < count)
			record(&truths[0]);
		batch_ns[i][1] = (double)(cpu_time_ns() - begin) / (double)count;
	}
	truths[0].next = 0;
}

static int by_ns(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return one < other ? -1 : one > other;
}

/* The median of what `recorded` events take by themselves, the clock's own reads included. */
static double cold_ns(double *ns, uint64_t count, volatile char *data, size_t bytes, bool recorded)
{
	uint64_t i, begin;
	size_t at;

	for (i = 0; i < count; i++) {
		for (at = 0; at < bytes; at += 64)
			(void)data[at];
		time_ns(); /* its code and data are warm */
		begin = time_ns();
		if (recorded)
			tracer.record(0, i);
		ns[i] = (double)(time_ns() - begin);
	}
	qsort(ns, count, sizeof(*ns), by_ns);
	return ns[count / 2];
}

static void price_cold(void)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE) > 0 ? sysconf(_SC_LEVEL3_CACHE_SIZE) :
							  sysconf(_SC_LEVEL2_CACHE_SIZE);
	size_t bytes = 2 * (size_t)cache;
	uint64_t count = events / BATCHES + 1;
	double *ns = calloc(count, sizeof(*ns));
	char *data = cache > 0 ? malloc(bytes) : NULL;
	unsigned int i;

	if (!ns || !data) {
		fprintf(stderr, "stampede: nothing is known of this CPU's caches\n");
		exit(4);
	}
	memset(data, 0x5a, bytes);
	for (i = 0; i < BATCHES; i++) {
		batch_ns[i][0] = cold_ns(ns, count, data, bytes, true) -
				 cold_ns(ns, count, data, bytes, false);
		batch_ns[i][1] = batch_ns[i][0];
	}
	free(data);
	free(ns);
}

/* ---- two threads ---- */

static uint64_t token __attribute__((aligned(128))); /* an event of the first, and one */

static void *answer(void *arg)
{
	struct truth *own = arg;
	uint64_t seen = 0, now;

	while (own->next < own->most) {
		now = __atomic_load_n(&token, __ATOMIC_ACQUIRE);
		if (now == seen || own->next % ANSWER_EVERY) {
			record(own);
			continue;
		}
		seen = now;
		answers[answered].cause = now - 1;
		answers[answered++].effect = truth_event(own, tracer.clock, tracer.record);
	}
	return NULL;
}

static void both_threads(void)
{
	pthread_t second;
	uint64_t seq;

	if (pthread_create(&second, NULL, answer, &truths[1]))
		exit(3);
	while (truths[0].next < truths[0].most) {
		seq = truth_event(&truths[0], tracer.clock, tracer.record);
		if (seq < truths[0].most)
			__atomic_store_n(&token, seq + 1, __ATOMIC_RELEASE);
	}
	pthread_join(second, NULL);
}

/* ---- signals ---- */

static void handler(int number)
{
	(void)number;
	record(&truths[0]);
}

static void interrupted(void)
{
	static const long periods[LEVELS] = { 41000, 67000, 103000 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	/* Of a process's timer any thread may have the signal, the tracer's reader too. */
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, ._sigev_un._tid = gettid() };
	struct itimerspec interval = { .it_value.tv_nsec = 0 };
	timer_t timers[LEVELS];
	int i;

	/* A handler of a level masks itself and the levels below. */
	for (i = 0; i < LEVELS; i++) {
		sigaddset(&action.sa_mask, SIGRTMIN + i);
		sigaction(SIGRTMIN + i, &action, NULL);
		event.sigev_signo = SIGRTMIN + i;
		interval.it_value.tv_nsec = interval.it_interval.tv_nsec = periods[i];
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) ||
		    timer_settime(timers[i], 0, &interval, NULL))
			exit(3);
	}
	steady();
	for (i = 0; i < LEVELS; i++)
		timer_delete(timers[i]);
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned int streams;
} workloads[] = {
	{ "steady", steady, 1 }, { "threads", both_threads, 2 },  { "signals", interrupted, 1 },
	{ "stall", stall, 1 },	 { "replay", replay, 1 },	  { "step", step, 1 },
	{ "price", price, 1 },	 { "price-cold", price_cold, 1 },
};

static FILE *create(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "w");
}

static int close_tracer(void)
{
	FILE *out = tracer.close ? create("decoded") : NULL;
	int error = out ? tracer.close(folder, out) : tracer.close ? 3 : 0;

	return out && fclose(out) ? 3 : error;
}

static int write_all(unsigned int streams)
{
	bool priced = batch_ns[0][0] > 0;
	FILE *out = create(priced ? "price" : "truth");
	unsigned int i;
	uint64_t at;

	for (i = 0; out && i < streams; i++)
		truth_write(&truths[i], out);
	for (i = 0; out && priced && i < BATCHES; i++)
		fprintf(out, "%.3f %.3f\n", batch_ns[i][0], batch_ns[i][1]);
	for (at = 0; out && at < answered; at++)
		if (answers[at].effect < events)
			fprintf(out, "after 0 %" PRIu64 " 1 %" PRIu64 "\n", answers[at].cause,
				answers[at].effect);
	return !out || fclose(out) ? 3 : close_tracer();
}

int main(int argc, char **argv)
{
	unsigned int work, i;
	int error;

	folder = argv[1];
	if (argc == 5 && !strncmp(argv[2], "every", 5)) {
		error = tracer.open(folder);
		error = error ? error : every_run(folder);
		return error ? error : close_tracer();
	}
	for (work = 0; argc == 5 && work < sizeof(workloads) / sizeof(workloads[0]); work++) {
		if (strcmp(argv[2], workloads[work].name) != 0)
			continue;
		events = strtoull(argv[3], NULL, 10) / workloads[work].streams;
		every = strtoull(argv[4], NULL, 10);
		answers = calloc(events, sizeof(*answers));
		for (i = 0; i < workloads[work].streams; i++)
			if (!answers || truth_open(&truths[i], i, events, (unsigned int)every))
				return 3;
		error = tracer.open(folder);
		if (error)
			return error;
		workloads[work].run();
		return write_all(workloads[work].streams);
	}
	fprintf(stderr,
		"usage: %s FOLDER steady|threads|signals|stall|replay|step|every|price EVENTS "
		"EVERY\n",
		argv[0]);
	return 1;
}
