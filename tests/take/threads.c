/* SPDX-License-Identifier: MIT */
/*
 * For ThreadSanitizer: two threads that record, each into its ring or both into one (-DRINGS=1),
 * signal handlers on both, and one thread that reads. With -DHEADER, PREFIX and UPPER (taken.h);
 * an argument: rings that overwrite. Says nothing if all is right.
 */
#define _GNU_SOURCE 1
#include "tests/take/taken.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#ifndef RINGS
#define RINGS 2
#endif
enum { WRITERS = 2, EVENTS = 30000 };

#define WORK(F) F(u64, number) F(u64, writer)
E(EVENT)(work, 1, WORK);
#define TICK(F) F(u64, number) F(u64, writer) F(string, text) F(seq, values, u16)
E(EVENT)(tick, 50, TICK);

static struct T(tracer) rings[RINGS];
static uint64_t writes[WRITERS], reads[WRITERS], next_number[WRITERS];
static int running = WRITERS;
static _Thread_local uint64_t self, ticks;

static void on_signal(int number)
{
	static const uint16_t values[3] = { 1, 2, 3 };

	(void)number;
	ticks += !tick_write(&rings[self % RINGS], UINT64_MAX, self, "tick", values, 3);
}

static void *record(void *arg)
{
	uint64_t i, written = 0;
#ifndef SECTIONS
	struct T(reservation) rsv;
#endif

	self = (uint64_t)(uintptr_t)arg;
	for (i = 0; i < EVENTS; i++) {
#ifdef SECTIONS
		written += !work_write(&rings[self % RINGS], i, self);
#else
		if (i % 2) {
			written += !work_write(&rings[self % RINGS], i, self);
		} else if (T(begin)(&rings[self % RINGS], 1, 16, &rsv)) {
			memcpy(rsv.payload, &i, 8);
			memcpy(rsv.payload + 8, &self, 8);
			written += !T(end)(&rings[self % RINGS], &rsv);
		}
#endif
		if (i % 100 == 0)
			raise(SIGUSR1);
		if (i % 1000 == 0)
			T(flush_open)(&rings[self % RINGS]);
		if (i % 200 == 0)
			usleep(10);
	}
	T(flush_open)(&rings[self % RINGS]);
	writes[self] = written + ticks;
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void read_ring(struct T(tracer) * ring)
{
	struct T(packet) packet;
	struct T(event) event;
	uint64_t payload[2];
	int got;

	while ((got = T(read)(ring, &packet)) == 1) {
		while (T(next)(&packet, &event)) {
			memcpy(payload, event.payload, sizeof(payload));
			CHECK(payload[1] < WRITERS);
			reads[payload[1] % WRITERS]++;
			if (event.id != 1)
				continue;
			/* Each thread's own come in their order. */
			CHECK(payload[0] >= next_number[payload[1]]);
			next_number[payload[1]] = payload[0] + 1;
		}
		CHECK(!T(release)(ring, &packet));
	}
	CHECK(!got);
}

static void *read_all(void *arg)
{
	bool last;
	int i;

	do {
		last = !__atomic_load_n(&running, __ATOMIC_ACQUIRE);
		for (i = 0; i < RINGS; i++) {
			read_ring(&rings[i]);
			CHECK(!T(refused)(&rings[i]) && T(lost)(&rings[i]) < 2 * EVENTS);
		}
	} while (!last);
	return arg;
}

int main(int argc, char **argv)
{
	struct T(event_type) types[] = { work_type, tick_type };
	struct T(options) options = { types, 2, 0, argc > 1, NULL };
	pthread_t threads[WRITERS + 1];
	uint64_t i;

	(void)argv;
	signal(SIGUSR1, on_signal);
	for (i = 0; i < RINGS; i++)
		CHECK(!T(open)(&rings[i], &options) && !T(attach)(&rings[i]));
	for (i = 0; i < WRITERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, record, (void *)(uintptr_t)i));
	CHECK(!pthread_create(&threads[WRITERS], NULL, read_all, NULL));
	for (i = 0; i <= WRITERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < WRITERS; i++)
		CHECK(argc > 1 ? reads[i] <= writes[i] && reads[i] : reads[i] == writes[i]);
	for (i = 0; i < RINGS; i++)
		CHECK(!T(close)(&rings[i]));
	return wrong != 0;
}
