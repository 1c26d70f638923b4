/* SPDX-License-Identifier: MIT */
/*
 * A writer that a timer's handler interrupts, and readers that are processes: each is stopped, or
 * not, and killed at a random moment, and the next one reads on. With -DHEADER and -DPREFIX as
 * use.c. Readers enter what they see into a ledger, a line for each packet; one that is read again,
 * since its reader was killed before it gave it back, has to be what it was. Says nothing if all is
 * right.
 */
#define _GNU_SOURCE 1
#include "tests/take/taken.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 1
#endif
enum { TASK = 1, HANDLER = 2, IDS = 3, KILLS = 24, LINES = 1 << 20 };

struct line {
	uint64_t events, sum, end;
};

struct shared {
	struct T(tracer) t __attribute__((aligned(64)));
	uint64_t written[IDS], sum; /* of all payloads that found room */
	uint64_t entered; /* events that were tried */
	uint64_t wrong_times, changed_lines, out_of_order, damaged;
	uint64_t end_of_last; /* packets do not overlap */
	uint64_t packets; /* behind the last one that is in the ledger */
	bool stop;
	struct line ledger[LINES];
};

static const struct T(event_type) types[] = { { "task", "", TASK, 16 },
					      { "handler", "", HANDLER, 16 } };
static struct T(options) options = { types, 2, 0, false, NULL };
static struct shared *shared;

static void record(uint32_t id)
{
	uint64_t payload[2] = { __atomic_add_fetch(&shared->entered, 1, __ATOMIC_RELAXED), 0 };
#ifdef SECTIONS
	payload[1] = E(CLOCK)();
	if (!T(write)(&shared->t, id, payload, sizeof(payload)))
		return;
#else
	struct T(reservation) rsv;

	if (!T(begin)(&shared->t, id, sizeof(payload), &rsv))
		return;
	payload[1] = rsv.stamp;
	memcpy(rsv.payload, payload, sizeof(payload));
	T(end)(&shared->t, &rsv);
#endif
	__atomic_fetch_add(&shared->written[id], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->sum, payload[0], __ATOMIC_RELAXED);
}

static void on_timer(int number)
{
	(void)number;
	record(HANDLER);
}

/* Events of the task until all is over; with -DTHREADS=2 of another thread as well, in its ring. */
static void *task(void *arg)
{
	uint64_t i;

	for (i = 0; !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE); i++) {
		record(TASK);
		/* A reader can keep up, if nobody kills it; or it is overtaken again and again. */
		if (i % 64 == 0 && !options.overwrite)
			usleep(20);
	}
	return arg;
}

static void write_until_stopped(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t other;

	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &often, NULL);
	if (THREADS == 2 && pthread_create(&other, NULL, task, NULL))
		_exit(1);
	task(NULL);
	if (THREADS == 2)
		pthread_join(other, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	T(flush_open)(&shared->t);
	_exit(0);
}

static void enter(const struct T(packet) * packet, const struct line *line)
{
	struct line *entry = &shared->ledger[packet->number % LINES];

	if (packet->number < shared->packets) {
		shared->changed_lines += entry->events != line->events || entry->sum != line->sum;
		return;
	}
	if (packet->begin < shared->end_of_last)
		shared->out_of_order++;
	*entry = *line;
	shared->end_of_last = line->end;
	__atomic_store_n(&shared->packets, packet->number + 1, __ATOMIC_RELEASE);
}

/* Reads what there is; how many packets that were. */
static uint64_t read_all(void)
{
	struct T(packet) packet;
	struct T(event) event;
	uint64_t payload[2], packets = 0;
	struct line line;
	int got;

	for (; (got = T(read)(&shared->t, &packet)) == 1; T(release)(&shared->t, &packet)) {
		memset(&line, 0, sizeof(line));
		while (T(next)(&packet, &event)) {
			memcpy(payload, event.payload, sizeof(payload));
			shared->wrong_times +=
				FIRST ? event.time < payload[1] : event.time != payload[1];
			line.events++;
			line.sum += payload[0];
			line.end = event.time;
		}
		enter(&packet, &line);
		packets++;
	}
	shared->damaged += got < 0;
	return packets;
}

static pid_t reader(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (T(attach)(&shared->t))
		_exit(1);
	for (;;)
		if (!read_all() && !options.overwrite)
			usleep(50);
}

static void nap(unsigned int us)
{
	usleep(1 + (unsigned int)random() % us);
}

static uint64_t tried(void)
{
	return __atomic_load_n(&shared->entered, __ATOMIC_RELAXED);
}

/* Within two seconds, wherever the machine has its CPUs just now. */
static bool goes_on(void)
{
	uint64_t before = tried();
	int i;

	for (i = 0; i < 4000 && tried() == before; i++)
		usleep(500);
	return tried() > before;
}

/* Often enough that it is in the middle of a copy now and then. */
static void stop_often(pid_t pid)
{
	int i;

	for (i = 0; i < 20; i++) {
		nap(300);
		kill(pid, SIGSTOP);
		nap(300);
		kill(pid, SIGCONT);
	}
}

static void kill_readers(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < KILLS; i++) {
		pid = reader();
		nap(12000);
		if (i % 2) {
			kill(pid, SIGSTOP);
			usleep(8000);
			CHECK(goes_on()); /* nobody waits for a reader that stands still */
			kill(pid, SIGCONT);
			stop_often(pid);
		}
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		T(detach)(&shared->t);
		usleep(4000);
		CHECK(goes_on()); /* nor for one that is dead */
	}
}

static void judge(void)
{
	uint64_t i, events = 0, sum = 0, written = shared->written[TASK] + shared->written[HANDLER];

	CHECK(!shared->wrong_times && !shared->changed_lines && !shared->out_of_order &&
	      !shared->damaged);
	CHECK(shared->written[HANDLER] > 20);
	CHECK(shared->entered == written + T(lost)(&shared->t));
	CHECK(shared->packets < LINES);
	for (i = FIRST; i < shared->packets; i++) {
		CHECK(options.overwrite || shared->ledger[i].events);
		events += shared->ledger[i].events;
		sum += shared->ledger[i].sum;
	}
	CHECK(events > 1000);
	/* The ring was full while no reader was there. */
	CHECK(options.overwrite ? shared->t.reader.torn || events < written :
				  T(lost)(&shared->t) > 0);
	/* Where nothing is overwritten the ledger has each event, and has it once. */
	CHECK(options.overwrite ? events <= written : events == written && sum == shared->sum);
}

int main(int argc, char **argv)
{
	int status;
	pid_t writer;

	srandom(argc > 2 ? (unsigned int)atoi(argv[2]) : 1);
	options.overwrite = argc > 1;
	alarm(60);
	shared = (struct shared *)mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	options.memory = mmap(NULL, T(open_bytes)(&options), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || options.memory == MAP_FAILED || T(open)(&shared->t, &options))
		return 1;
	writer = fork();
	if (!writer)
		write_until_stopped();
	kill_readers();
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
	CHECK(waitpid(writer, &status, 0) == writer && status == 0);
	CHECK(!T(attach)(&shared->t));
	read_all();
	judge();
	return wrong != 0;
}
