/* SPDX-License-Identifier: MIT */
/*
 * usage: consumer WHAT FOLDER [SECONDS]   Threads that come and go, signal handlers on them, and
 * the consumer of a taken row, with -DHEADER, PREFIX and UPPER (taken.h). Each event that was
 * recorded has the next number of its thread, so a reader sees what is missing, doubled or moved.
 * Says how many there were: "recorded N written N unwritten N lost N strays N chunks N".
 */
#define _GNU_SOURCE 1
#include "tests/take/taken.h"

#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>

#define WORK(F) F(u32, thread) F(u64, number)
E(EVENT)(work, 1, WORK);
#define TICK(F) F(u32, thread) F(u64, number) F(string, name)
E(EVENT)(tick, 40, TICK);

/* With a reading of the clock before it, and one after the event before. */
#ifndef PAD
#define MOVE(F) F(u32, thread) F(u64, number) F(u64, before) F(u64, after)
#define PADDED
#else /* a long time in the section */
#define MOVE(F) F(u32, thread) F(u64, number) F(u64, before) F(u64, after) F(text, pad, PAD)
#define PADDED , "pad"
#endif
E(EVENT)(move, 2, MOVE);

enum { WAVES = 5, TOGETHER = 6, EVENTS = 4000 };

static struct T(event_type) types[2];
static struct T(trace_options) options;
static _Thread_local uint32_t self;
static _Thread_local uint64_t attempts, works,
	ticks[8]; /* of handlers by how deep they are nested */
static _Thread_local uint32_t depth;
static uint64_t tried, recorded;
static uint32_t serial;
static bool stop, slow;

static void on_signal(int number)
{
	const uint32_t level = depth++ % 8;
	int before = errno;

	(void)number;
	attempts++;
	ticks[level] += !tick_write(T(here)(), self | level << 24, ticks[level], "tick");
	depth--;
	errno = before;
}

static void handlers(int how)
{
	sigset_t every;

	sigfillset(&every);
	pthread_sigmask(how, &every, NULL);
}

/* What this thread has recorded. */
static uint64_t mine(void)
{
	uint64_t all = works;
	int i;

	for (i = 0; i < 8; i++)
		all += ticks[i];
	return all;
}

static void begin(void)
{
	works = attempts = 0;
	memset(ticks, 0, sizeof(ticks));
	self = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	handlers(SIG_UNBLOCK);
}

static void end(void)
{
	handlers(SIG_BLOCK); /* what is counted is all that there will be */
	__atomic_fetch_add(&tried, attempts, __ATOMIC_RELAXED);
	__atomic_fetch_add(&recorded, mine(), __ATOMIC_RELAXED);
}

/* Of each three threads one begins with a handler's event, and one is slow. */
static void *record(void *arg)
{
	uint64_t i, most = arg ? *(uint64_t *)arg : EVENTS;

	begin();
	if (self % 3 == 0)
		raise(SIGUSR1);
	for (i = 0; i < most && !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); i++) {
		works += !work_write(T(here)(), self, works);
		if (i % 50 == 0)
			raise(SIGUSR1);
		if (i % (self % 3 == 1 || slow ? 40 : 400) == 0)
			usleep(slow ? 4000 : 200);
	}
	end();
	return NULL;
}

static int start(const char *folder)
{
	int error;

	options.folder = folder;
	options.types = types;
	options.type_count = 2;
	error = T(trace_start)(&options);
	if (error)
		fprintf(stderr, "trace_start: %d, errno %d\n", error, errno);
	return error;
}

static void finish(void)
{
	struct T(trace_counts) counts;

	CHECK(!T(trace_stop)());
	CHECK(T(trace_stop)() == E(NOT_OPEN));
	T(trace_count)(&counts);
	printf("recorded %" PRIu64 " written %" PRIu64 " unwritten %" PRIu64 " lost %" PRIu64
	       " strays %" PRIu64 " chunks %" PRIu64 " error %d\n",
	       recorded, counts.events, counts.unwritten, counts.lost, counts.strays, counts.chunks,
	       counts.error);
	/* Those that tell of threads are written as well. */
	CHECK(counts.events + counts.unwritten >= recorded);
	CHECK(counts.events + counts.unwritten <= recorded + serial + 8);
}

static void waves(int count)
{
	pthread_t threads[TOGETHER];
	int i, wave;

	for (wave = 0; wave < count; wave++) {
		for (i = 0; i < TOGETHER; i++)
			CHECK(!pthread_create(&threads[i], NULL, record, NULL));
		for (i = 0; i < TOGETHER; i++)
			pthread_join(threads[i], NULL);
	}
}

/* The main thread records little and does not end: what it has recorded is there all the same. */
static void threads(const char *folder)
{
	if (start(folder))
		exit(1);
	CHECK(T(trace_start)(&options) == E(TWICE));
	begin();
	works += !work_write(T(here)(), self, works);
	waves(WAVES);
	works += !work_write(T(here)(), self, works);
	__atomic_fetch_add(&recorded, mine(), __ATOMIC_RELAXED);
	finish();
	CHECK(work_write(T(here)(), self, works) == E(OFF));
}

static void move_to(pid_t thread, unsigned int at)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(at % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	CHECK(!sched_setaffinity(thread, sizeof(cpus), &cpus) || errno == ESRCH); /* it has ended */
}

#ifdef __x86_64__
#define fence() __builtin_ia32_lfence()
#else
#define fence() __asm__ volatile("" : : : "memory")
#endif

/* After all that stands before it, and before all behind it. */
static uint64_t fenced(void)
{
	uint64_t now;

	fence();
	now = E(CLOCK)();
	fence();
	return now;
}

static pid_t moving[TOGETHER];

/* Now and then it asks for a ring on one CPU, and records into it on another. */
static void *wander(void *arg)
{
	const int me = (int)(intptr_t)arg;
	uint64_t before, after = 0;
	struct T(tracer) * ring;
	unsigned int i;

	begin();
	__atomic_store_n(&moving[me], (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (i = 0; i < 6 * EVENTS; i++) {
		ring = T(here)();
		if (i % 64 == 0)
			move_to(0, self + i / 64);
		before = fenced();
		attempts++;
		works += !move_write(ring, self, works, before, after PADDED);
		after = fenced();
		if (i % 500 == 0)
			usleep(3000); /* the consumer has to come by */
	}
	__atomic_store_n(&moving[me], 0, __ATOMIC_RELEASE);
	end();
	return NULL;
}

/* More threads than CPUs, each moved by itself and by others, at any instruction. */
static void moved(const char *folder)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct T(trace_counts) counts;
	pthread_t pthreads[TOGETHER];
	uint32_t i, round = 0, left;
	pid_t one;

	types[0] = move_type;
	if (start(folder))
		exit(1);
	handlers(SIG_BLOCK);
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < TOGETHER; i++)
		CHECK(!pthread_create(&pthreads[i], NULL, wander, (void *)(intptr_t)i));
	do {
		usleep(200);
		for (i = left = 0; i < TOGETHER; i++) {
			one = __atomic_load_n(&moving[i], __ATOMIC_ACQUIRE);
			left += one != 0;
			if (one)
				move_to(one, round++ / 3);
		}
	} while (left || round < 3);
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < TOGETHER; i++)
		pthread_join(pthreads[i], NULL);
	finish();
	T(trace_count)(&counts);
	CHECK(counts.lost == tried - recorded); /* and none but those */
}

static void *until_stopped(void *arg)
{
	uint64_t most;
	pthread_t thread;

	(void)arg;
	for (most = 500; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); most = most * 5 % 20011) {
		if (!pthread_create(&thread, NULL, record, &most))
			pthread_join(thread, NULL);
	}
	return NULL;
}

/* For so many seconds; a timer interrupts them all. FOLDER is one that somebody may read and empty.
 */
static void storm(const char *folder, double seconds)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t pthreads[TOGETHER];
	struct timespec next;
	int i;

	slow = true; /* babeltrace2 has to read all of it meanwhile */
	if (start(folder))
		exit(1);
	begin();
	clock_gettime(CLOCK_MONOTONIC, &next);
	signal(SIGALRM, on_signal);
	handlers(SIG_BLOCK); /* in threads that start others, too: these do not count */
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < TOGETHER; i++)
		CHECK(!pthread_create(&pthreads[i], NULL, until_stopped, NULL));
	handlers(SIG_UNBLOCK);
	for (i = 0; i < (int)(seconds * 20); i++) {
		CHECK(!T(trace_enable)(40, i % 5 != 4));
		next.tv_nsec += 50000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		/* Until a time: of the signals, each ends a sleep of so long. */
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < TOGETHER; i++)
		pthread_join(pthreads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	end();
	finish();
}

/* Two types, of which one is switched off and on again. */
static void switched(const char *folder)
{
	int i, said;

	if (start(folder))
		exit(1);
	begin();
	for (i = 0; i < 300; i++) {
		if (i % 100 == 0)
			CHECK(!T(trace_enable)(1, i != 100));
		said = work_write(T(here)(), self, works);
		CHECK(said == (i / 100 == 1 ? E(OFF) : E(OK)));
		works += !said;
		raise(SIGUSR1);
	}
	CHECK(works == 200 && ticks[0] == 300);
	CHECK(!T(refused)(T(here)()));
	CHECK(T(trace_enable)(600, true) == E(BAD_ID));
	recorded = mine();
	finish();
}

/* The child has no trace until it starts one; the parent's goes on. */
static void forked(const char *folder, const char *other)
{
	int status;
	pid_t pid;

	if (start(folder))
		exit(1);
	begin();
	works += !work_write(T(here)(), self, works);
	usleep(100000); /* no other thread is in ASan's allocator, whose lock the child gets */
	pid = fork();
	if (!pid) {
		recorded = 0;
		begin();
		CHECK(!T(here)());
		CHECK(work_write(T(here)(), self, works) == E(NO_POINTER));
		if (start(other))
			exit(1);
		works += !work_write(T(here)(), self, works);
		waves(2);
		recorded += works;
		finish();
		exit(wrong != 0);
	}
	waves(2);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	recorded += mine();
	finish();
}

static volatile uintptr_t nowhere = 8;
static int waits;

/* Crashes while the snapshot of another crash is written. */
static void *crash_behind(void *folder)
{
	do
		__atomic_store_n(&waits, 1, __ATOMIC_RELAXED);
	while (access(folder, F_OK));
	*(volatile int *)nowhere = 1;
	return NULL;
}

/* Rings that overwrite: a snapshot has the newest, and the process goes on; another one when it
 * crashes, in two threads at once. */
static void crash(const char *folder, const char *other)
{
	pthread_t second;
	uint64_t i;

	options.overwrite = true;
	if (start(NULL))
		exit(1);
	begin();
	waves(2);
	for (i = 0; i < 300000; i++)
		works += !work_write(T(here)(), self, works);
	CHECK(works == 300000);
	CHECK(!T(trace_snapshot)(folder, 64 << 20));
	CHECK(T(trace_snapshot)("/proc/none", 1 << 20) == E(NOT_WRITTEN));
	CHECK(!T(trace_on_crash)(other, 2 << 20));
	for (i = 0; i < 1000; i++)
		works += !work_write(T(here)(), self, works);
	printf("last %" PRIu64 "\n", works - 1);
	fflush(stdout);
	CHECK(!pthread_create(&second, NULL, crash_behind, (void *)(uintptr_t)other));
	while (!__atomic_load_n(&waits, __ATOMIC_RELAXED))
		;
	if (!wrong)
		*(volatile int *)nowhere = 1;
}

/*
 * exec ends the trace as a kill does: what the consumer has written is there. A program that is
 * started beside it (system) changes nothing. `stops`: trace_stop() comes before, and all is there.
 */
static void replaced(const char *program, const char *folder, bool stops)
{
	if (start(folder))
		exit(1);
	begin();
	waves(1);
	CHECK(system("true") == 0);
	works += !work_write(T(here)(), self, works);
	end();
	if (stops)
		finish();
	else
		usleep(600000); /* 300 times the period */
	printf("recorded %" PRIu64 "\n", recorded);
	fflush(stdout);
	execl(program, program, "after", folder, (char *)NULL);
	perror(program);
	exit(1);
}

/* The program that comes after: no file of the trace is open in it. Its own trace goes behind. */
static void after(const char *folder)
{
	char name[32], to[4096];
	ssize_t size;
	int file;

	for (file = 3; file < 64; file++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
		size = readlink(name, to, sizeof(to) - 1);
		to[size > 0 ? size : 0] = 0;
		CHECK(!strstr(to, folder));
	}
	if (start(folder))
		exit(1);
	finish();
}

/* X(what is wrong, the call, its error) */
#define MISUSES \
	X("stop: nothing is started", T(trace_stop)(), NOT_OPEN) \
	X("enable: nothing is started", T(trace_enable)(1, true), NOT_OPEN) \
	X("snapshot: nothing is started", T(trace_snapshot)(folder, 1 << 20), NOT_OPEN) \
	X("on_crash: nothing is started", T(trace_on_crash)(folder, 1 << 20), NOT_OPEN) \
	X("write: nothing is started", work_write(T(here)(), 0, 0), NO_POINTER) \
	X("start: no options", T(trace_start)(NULL), NO_POINTER) \
	X("start: no folder", starts(NULL, types, 2), NO_POINTER) \
	X("start: no types", starts(folder, NULL, 2), NO_POINTER) \
	X("start: a folder in none", starts("/proc/none/trace", types, 2), NOT_WRITTEN) \
	X("start: a folder that is a file", starts("/etc/passwd", types, 2), NOT_WRITTEN) \
	X("start: an id twice", starts(folder, twice, 2), TWICE) \
	X("start: the id of threads", starts(folder, &taken, 1), TWICE) \
	X("start: an id of 600", starts(folder, &high, 1), BAD_ID) \
	X("start: 600 types", starts(folder, types, 600), BAD_ID) \
	X("start: a name with a space", starts(folder, &spaced, 1), BAD_NAME) \
	X(STARTED, 0, OK) \
	X("start twice", starts(folder, types, 2), TWICE) \
	X("enable: an id of 600", T(trace_enable)(600, true), BAD_ID) \
	X("write: an id of 600", T(try_write)(T(here)(), 600, "", 1), BAD_ID) \
	X("write: an undeclared id", T(try_write)(T(here)(), 2, "", 1), UNDECLARED) \
	X("write: a wrong size", T(try_write)(T(here)(), 1, "", 1), BAD_SIZE) \
	X("attach beside the consumer", T(attach)(T(here)()), BUSY) \
	X("open a thread's ring", opens_again(), TWICE) \
	X("close a thread's ring", T(close)(T(here)()), BUSY) \
	X("snapshot: no folder", T(trace_snapshot)(NULL, 1 << 20), NO_POINTER) \
	X("on_crash: no folder", T(trace_on_crash)(NULL, 1 << 20), NO_POINTER) \
	X(STOPPED, 0, OK) \
	X("stop twice", T(trace_stop)(), NOT_OPEN) \
	X("write: stopped", work_write(T(here)(), 0, 0), OFF) \
	X("start again: other types", starts(folder, types, 1), NOT_ZERO)
#define STARTED "is started"
#define STOPPED "is stopped"

static int starts(const char *folder, const struct T(event_type) * its, uint32_t count)
{
	struct T(trace_options) one = { .folder = folder, .types = its, .type_count = count };

	return T(trace_start)(&one);
}

static int opens_again(void)
{
	struct T(options) one = { types, 2, 0, false, NULL };

	return T(open)(T(here)(), &one);
}

static void misused(const char *folder)
{
	const struct T(event_type) twice[] = { work_type, work_type }, taken = { "a", "", 599, 0 },
				   high = { "a", "", 600, 0 }, spaced = { "a b", "", 1, 0 };
	int misuses = 0, got;

	self = 1;
#define X(what, call, error) \
	if (!strcmp(what, STARTED)) { \
		CHECK(!start(folder)); \
	} else if (!strcmp(what, STOPPED)) { \
		recorded = works; \
		finish(); \
	} else { \
		got = call; \
		if (got != E(error)) \
			fprintf(stderr, "%s: %d, not %d\n", what, got, E(error)); \
		wrong += got != E(error); \
		misuses++; \
		if (options.folder && !recorded) /* it is started: an event between each two */ \
			works += !work_write(T(here)(), self, works); \
	}
	MISUSES
#undef X
	printf("%d misuses\n", misuses);
}

/* Until it is killed. */
static void endless(const char *folder)
{
	if (start(folder))
		exit(1);
	for (;;)
		waves(1);
}

#ifdef SECTIONS
static void held(const char *folder)
{
	(void)folder;
}
#else
/* The trace ends within a record. */
static void held(const char *folder)
{
	struct T(trace_counts) counts;
	struct T(reservation) rsv;

	CHECK(!start(folder) && T(begin)(T(here)(), 1, 12, &rsv));
	CHECK(!T(trace_stop)() && !T(end)(T(here)(), &rsv));
	T(trace_count)(&counts);
	CHECK(counts.error == EBUSY);
	CHECK(!start(folder) && !T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(!counts.error);
}
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	types[0] = work_type;
	types[1] = tick_type;
	signal(SIGUSR1, on_signal);
	options.chunk_bytes = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	options.period_ms = 2;
	if (!strcmp(what, "threads"))
		threads(argv[2]);
	else if (!strcmp(what, "late")) /* the consumer comes once, when all is over */
		options.period_ms = 1000, threads(argv[2]);
	else if (!strcmp(what, "storm"))
		storm(argv[2], atof(argv[3]));
	else if (!strcmp(what, "moved"))
		moved(argv[2]);
	else if (!strcmp(what, "switched"))
		switched(argv[2]);
	else if (!strcmp(what, "forked"))
		forked(argv[2], argv[3]);
	else if (!strcmp(what, "crash"))
		crash(argv[2], argv[3]);
	else if (!strcmp(what, "exec") || !strcmp(what, "stop_exec"))
		replaced(argv[0], argv[2], *what == 's');
	else if (!strcmp(what, "after"))
		after(argv[2]);
	else if (!strcmp(what, "misused"))
		misused(argv[2]);
	else if (!strcmp(what, "held"))
		held(argv[2]);
	else if (!strcmp(what, "endless"))
		endless(argv[2]);
	else
		return fprintf(stderr, "consumer: WHAT FOLDER\n"), 2;
	return wrong != 0;
}
