/* SPDX-License-Identifier: MIT */
/*
 * A ring's life beside processes and threads: a signal at each instruction of each writer's call, a
 * fork, threads that end, and a writer that is killed. With -DHEADER, PREFIX and UPPER (taken.h).
 * Says nothing if all is right.
 */
#define _GNU_SOURCE 1
#include "tests/take/taken.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORK(F) F(u64, number)
E(EVENT)(work, 1, WORK);
#define TEXT(F) F(u64, number) F(string, text)
E(EVENT)(text, 2, TEXT);

static struct T(tracer) ring;
static struct T(event_type) types[2];
static struct T(options) options = { types, 2, 0, false, NULL };
static uint64_t next_number;

static void number_one(void)
{
	if (!work_write(&ring, next_number))
		next_number++;
}

/* How many events there are to read; with the first one's number if they are one after another. */
static uint64_t read_all(struct T(tracer) * from, uint64_t *first)
{
	struct T(packet) packet;
	struct T(event) event;
	uint64_t value, events = 0, before = 0;
	int got;

	T(detach)(from);
	CHECK(!T(attach)(from));
	for (; (got = T(read)(from, &packet)) == 1; T(release)(from, &packet)) {
		while (T(next)(&packet, &event)) {
			memcpy(&value, event.payload, 8);
			*first = events ? *first : value;
			CHECK(!first[1] || value == *first + events);
			CHECK(event.time >= before);
			before = event.time;
			events++;
		}
	}
	CHECK(!got);
	return events;
}

#if defined(__x86_64__) && !defined(SECTIONS) /* a single step starts a section over, for ever */
/* ---- a signal before each instruction ---- */

static unsigned int steps, came_at;
static uint64_t nested;

static void at_instruction(int number)
{
	(void)number;
	if (steps++ == came_at)
		nested += !text_write(&ring, 7, "nested") + !work_write(&ring, 8);
}

static void trap(bool on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
	else
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
}

static uint64_t call(int which)
{
	struct T(reservation) rsv;

	switch (which) {
	case 0:
		return !work_write(&ring, 1);
	case 1:
		return !text_write(&ring, 2, "outer");
	case 2:
		return T(begin)(&ring, 1, 8, &rsv) && memset(rsv.payload, 0, 8) &&
		       !T(end)(&ring, &rsv);
	case 3:
		return T(flush_open)(&ring);
	default:
		return T(try_write)(&ring, 77, "", 0) != E(UNDECLARED);
	}
}

static void signals(void)
{
	uint64_t first[2] = { 0 }, written, seen, all = 0;
	int which;

	signal(SIGTRAP, at_instruction);
	for (which = 0; which < 5; which++) {
		came_at = 0;
		do {
			CHECK(!T(open)(&ring, &options));
			steps = 0, nested = 0;
			/* What is open has little room: some calls open the next sub-buffer. */
			for (written = 0; written < came_at % 512; written++)
				CHECK(!work_write(&ring, 0));
			trap(true);
			written += call(which);
			trap(false);
			CHECK(!T(flush_open)(&ring) && !T(lost)(&ring));
			seen = read_all(&ring, first);
			CHECK(seen == written + nested);
			CHECK(T(refused)(&ring) <= 2);
			all += nested;
			CHECK(!T(close)(&ring));
			came_at++;
		} while (steps >= came_at && came_at < 5000);
	}
	CHECK(all > 200);
}
#else
static void signals(void)
{
}
#endif

/* ---- processes and threads ---- */

/* A child has a copy: what it writes, reads and closes is not its parent's. */
static void forks(void)
{
	uint64_t first[2] = { 0, 1 };
	int status, i;
	pid_t pid;

	CHECK(!T(open)(&ring, &options));
	next_number = 0;
	for (i = 0; i < 1000; i++)
		number_one();
	pid = fork();
	if (!pid) {
		number_one();
		T(flush_open)(&ring);
		CHECK(read_all(&ring, first) == 1001 && !T(close)(&ring));
		CHECK(!T(open)(&ring, &options) && !work_write(&ring, 5) && !T(flush_open)(&ring));
		_exit(read_all(&ring, first) != 1 || wrong);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	for (i = 0; i < 1000; i++)
		number_one();
	CHECK(!T(flush_open)(&ring));
	CHECK(read_all(&ring, first) == 2000 && !*first);
	CHECK(!T(close)(&ring));
}

static void *records(void *arg)
{
	int i;

	for (i = 0; i < 1000; i++)
		number_one();
	return arg;
}

/* The ring outlives its thread, and another one may record into it then. */
static void threads(void)
{
	uint64_t first[2] = { 0, 1 };
	pthread_t thread;
	int i;

	CHECK(!T(open)(&ring, &options));
	next_number = 0;
	for (i = 0; i < 5; i++)
		CHECK(!pthread_create(&thread, NULL, records, NULL) && !pthread_join(thread, NULL));
	CHECK(!T(flush_open)(&ring));
	CHECK(read_all(&ring, first) == 5000 && !*first);
	CHECK(!T(close)(&ring));
}

/* Another process reads what a dead one has written, up to the record that it died in. */
static void dies(unsigned int after_us)
{
	struct shared {
		struct T(tracer) ring;
		uint64_t written;
	} *shared = (struct shared *)mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct T(options) its = options;
	uint64_t i, seen, first[2] = { 0, 1 };
	int status;
	pid_t pid;

	its.memory = mmap(NULL, T(open_bytes)(&its), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(!T(open)(&shared->ring, &its));
	pid = fork();
	for (i = 0; !pid; i++)
		if (!work_write(&shared->ring, i))
			__atomic_store_n(&shared->written, i + 1, __ATOMIC_RELAXED);
		else
			pause();
	usleep(after_us);
	CHECK(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid);
	/* It wrote no more: what was open can be closed for it. */
	CHECK(!T(flush_open)(&shared->ring));
	seen = read_all(&shared->ring, first);
	/* It may have died within a record, whose sub-buffer is lost then, or behind one. */
	CHECK(!*first && seen <= shared->written + 1 && shared->written + 1 - seen < 4096 / 11);
	CHECK(!T(close)(&shared->ring));
	munmap(its.memory, T(open_bytes)(&its));
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	unsigned int i;

	types[0] = work_type, types[1] = text_type;
	signals();
	forks();
	threads();
	for (i = 0; i < 40; i++)
		dies(100 + 37 * i);
	return wrong != 0;
}
