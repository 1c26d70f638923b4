// SPDX-License-Identifier: MIT
/*
 * Cycles and instructions: runner/timing/counters.h. Machines without a PMU still have the kernel's
 * software events, and a page fault can be counted exactly.
 */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/timing/counters.h"

#define PAGES 200
/* A signal or a reclaimed page may add a fault or two. */
#define STRAY_FAULTS 4

static const struct counters_event faults[2] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
};

static char *fresh_pages(void)
{
	long bytes = PAGES * sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

static void discard(void *memory)
{
	munmap(memory, PAGES * sysconf(_SC_PAGESIZE));
}

/* Not sanitized: AddressSanitizer's shadow of the pages would fault as well. */
__attribute__((no_sanitize_address)) static void touch(void *memory)
{
	volatile char *pages = memory;
	long size = sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < PAGES; i++)
		pages[i * size] = 1;
}

static void *thread_touch(void *memory)
{
	touch(memory);
	return NULL;
}

/* A thread touches its own; then this one does. */
static void touch_in_thread(void *arg)
{
	char *const *memory = arg;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, thread_touch, memory[0]), 0);
	pthread_join(thread, NULL);
	touch(memory[1]);
}

/* The kernel touches the pages when it writes into them; a sanitizer's read() would as well. */
static void touch_in_kernel(void *memory)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ssize_t bytes = PAGES * sysconf(_SC_PAGESIZE);

	assert_int_equal(syscall(SYS_read, zero, memory, bytes), bytes);
	close(zero);
}

static void counts_what_this_thread_does_in_user_mode(void **unused)
{
	char *memory[2] = { fresh_pages(), fresh_pages() };
	uint64_t count[2] = { 0, 0 };
	int error = counters_count(faults, touch, memory[0], count);

	discard(memory[0]);
	if (error == EACCES || error == EPERM || error == ENOSYS || error == ENOENT) {
		print_message("skipped: no counters here: %s\n", strerror(error));
		discard(memory[1]);
		skip();
	}
	memory[0] = fresh_pages();
	assert_int_equal(counters_count(faults, touch, memory[0], count), 0);
	assert_true(count[0] >= PAGES && count[0] <= PAGES + STRAY_FAULTS);
	assert_true(count[1] >= PAGES && count[1] <= PAGES + STRAY_FAULTS);
	discard(memory[0]);
	memory[0] = fresh_pages();
	/* Creating a thread touches its stack from here. */
	assert_int_equal(counters_count(faults, touch_in_thread, memory, count), 0);
	assert_true(count[0] >= PAGES && count[0] <= PAGES + 50);
	discard(memory[0]);
	memory[0] = fresh_pages();
	/* None at all is what a dead PMU looks like, and both are told apart from a number. */
	error = counters_count(faults, touch_in_kernel, memory[0], count);
	assert_true(error ? error == ENODATA : count[0] <= STRAY_FAULTS);
	discard(memory[0]);
	discard(memory[1]);
}

/* Two instructions a round, and no memory access. */
static void spin(void *arg)
{
	uint64_t rounds = *(const uint64_t *)arg;

#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#else
	print_message("skipped: no loop of known length is written for this machine\n");
	skip();
#endif
}

static void a_known_loop_has_its_instructions(void **unused)
{
	uint64_t rounds = 20000000, count[2];
	int error = counters_count(NULL, spin, &rounds, count);

	SKIP_IF(error, "no PMU here: %s", strerror(error));
	/* 1 in 1000 and what starting and stopping takes; more if extrapolated. */
	assert_true(count[1] >= rounds && count[1] <= 4 * rounds);
	assert_true(count[0] > rounds / 4);
}

static void never(void *unused)
{
	fail_msg("nothing is counted, so nothing is to run");
}

/* The leader opens, the second event does not: nothing may stay open. */
static void what_is_refused_leaves_nothing_open(void **unused)
{
	static const struct counters_event nonsense[2] = { { PERF_TYPE_SOFTWARE, 0xffff },
							   { PERF_TYPE_SOFTWARE, 0xffff } };
	struct rlimit limit, tight;
	uint64_t count[2];
	int lowest = dup(0), after, error;

	close(lowest);
	assert_int_not_equal(counters_count(nonsense, never, NULL, count), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	tight = limit;
	tight.rlim_cur = (rlim_t)lowest + 1;
	setrlimit(RLIMIT_NOFILE, &tight);
	error = counters_count(faults, never, NULL, count);
	setrlimit(RLIMIT_NOFILE, &limit);
	after = dup(0);
	close(after);
	assert_int_equal(after, lowest);
	assert_true(error == EMFILE || error == EACCES || error == EPERM || error == ENOSYS);
}

static void evaluation_extrapolates(void **unused)
{
	static const struct {
		struct counters_read group;
		int error;
		uint64_t cycles, instructions;
	} cases[] = {
		{ { 2, 9, 9, { 50, 70 } }, 0, 50, 70 },
		{ { 2, 10, 5, { 50, 70 } }, 0, 100, 140 },
		{ { 2, 10, 0, { 0, 0 } }, ENODATA, 0, 0 },
		{ { 2, 9, 9, { 0, 70 } }, ENODATA, 0, 70 },
		{ { 2, 9, 9, { 50, 0 } }, ENODATA, 50, 0 },
		/* An hour at 5 GHz, half of it counted: the product needs more than 64 bits. */
		{ { 2, 3600000000000, 1800000000000, { 9000000000000, 1 } }, 0, 18000000000000, 2 },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		uint64_t count[2] = { 0, 0 };

		assert_int_equal(counters_evaluate(&cases[i].group, count), cases[i].error);
		assert_int_equal(count[0], cases[i].cycles);
		assert_int_equal(count[1], cases[i].instructions);
	}
}

TESTS(counts_what_this_thread_does_in_user_mode, a_known_loop_has_its_instructions,
      what_is_refused_leaves_nothing_open, evaluation_extrapolates)
