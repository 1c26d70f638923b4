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
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor page faults" },
};
static const struct counters_event nonsense[2] = {
	{ PERF_TYPE_SOFTWARE, 0xffff, "no such event" },
	{ PERF_TYPE_SOFTWARE, 0xffff, "no such event" },
};

/* Two instructions a round, and no memory access. */
static void spin(uint64_t rounds)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#else
	print_message("skipped: no loop of known length is written for this machine\n");
	skip();
#endif
}

static volatile char *fresh_pages(void)
{
	long bytes = PAGES * sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

/* Not sanitized: AddressSanitizer's shadow of the pages would fault as well. */
__attribute__((no_sanitize_address)) static void *touch(void *memory)
{
	volatile char *pages = memory;
	long size = sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < PAGES; i++)
		pages[i * size] = 1;
	return NULL;
}

static void discard(volatile char *memory)
{
	munmap((void *)memory, PAGES * sysconf(_SC_PAGESIZE));
}

/* Opens the page fault group, or skips with the reason. Faults of our own code are done after. */
static void open_faults(struct counters *counters, enum counters_scope scope)
{
	struct counters_values values;
	volatile char *memory = fresh_pages();

	if (counters_open_events(counters, faults, scope)) {
		print_message("skipped: %s\n", counters->why);
		discard(memory);
		skip();
	}
	counters_start(counters);
	touch((void *)memory);
	counters_stop(counters, &values);
	discard(memory);
}

static void assert_faults(const struct counters_values *values, uint64_t expected)
{
	assert_string_equal(values->why, "");
	assert_int_equal(values->state, COUNTERS_YES);
	assert_true(values->cycles >= expected && values->cycles <= expected + STRAY_FAULTS);
	assert_true(values->instructions >= expected &&
		    values->instructions <= expected + STRAY_FAULTS);
	assert_true(values->enabled_ns > 0);
	assert_int_equal(values->running_ns, values->enabled_ns);
}

static void counts_between_start_and_stop(void **unused)
{
	volatile char *before = fresh_pages(), *first = fresh_pages(), *between = fresh_pages();
	volatile char *second = fresh_pages(), *third = fresh_pages();
	struct counters counters;
	struct counters_values values, again;

	open_faults(&counters, COUNTERS_USER);
	touch((void *)before);
	assert_int_equal(counters_start(&counters), 0);
	touch((void *)first);
	assert_int_equal(counters_stop(&counters, &values), 0);
	assert_faults(&values, PAGES);
	touch((void *)between);
	assert_int_equal(counters_stop(&counters, &again), 0);
	assert_memory_equal(&again, &values, sizeof(values));
	assert_int_equal(counters_start(&counters), 0);
	touch((void *)second);
	touch((void *)third);
	assert_int_equal(counters_stop(&counters, &values), 0);
	assert_faults(&values, 2 * PAGES);
	counters_close(&counters);
	discard(before);
	discard(first);
	discard(between);
	discard(second);
	discard(third);
}

static void other_threads_are_not_counted(void **unused)
{
	volatile char *memory = fresh_pages(), *own = fresh_pages();
	struct counters counters;
	struct counters_values values;
	pthread_t thread;

	open_faults(&counters, COUNTERS_USER);
	counters_start(&counters);
	assert_int_equal(pthread_create(&thread, NULL, touch, (void *)memory), 0);
	pthread_join(thread, NULL);
	touch((void *)own);
	assert_int_equal(counters_stop(&counters, &values), 0);
	/* Creating a thread touches its stack from here. */
	assert_true(values.cycles >= PAGES && values.cycles <= PAGES + 50);
	counters_close(&counters);
	discard(memory);
	discard(own);
}

/* The kernel touches the pages when it writes into them; a sanitizer's read() would as well. */
static void scope_decides_on_the_kernel(void **unused)
{
	volatile char *memory[2] = { fresh_pages(), fresh_pages() };
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ssize_t bytes = PAGES * sysconf(_SC_PAGESIZE);
	struct counters user, both;
	struct counters_values values;

	assert_true(zero >= 0);
	open_faults(&both, COUNTERS_USER_KERNEL);
	counters_start(&both);
	assert_int_equal(syscall(SYS_read, zero, memory[0], bytes), bytes);
	assert_int_equal(counters_stop(&both, &values), 0);
	assert_true(values.cycles >= PAGES && values.cycles <= PAGES + STRAY_FAULTS);
	open_faults(&user, COUNTERS_USER);
	counters_start(&user);
	assert_int_equal(syscall(SYS_read, zero, memory[1], bytes), bytes);
	/* None at all is what a dead PMU looks like, and both are told apart from a number. */
	if (!counters_stop(&user, &values))
		assert_true(values.cycles <= STRAY_FAULTS);
	else
		assert_non_null(strstr(values.why, "stayed at 0"));
	counters_close(&user);
	counters_close(&both);
	close(zero);
	discard(memory[0]);
	discard(memory[1]);
}

static void a_known_loop_has_its_instructions(void **unused)
{
	static const uint64_t rounds = 20000000;
	struct counters counters;
	struct counters_values values;

	if (counters_open(&counters, COUNTERS_USER)) {
		print_message("skipped: %s\n", counters.why);
		skip();
	}
	counters_start(&counters);
	spin(rounds);
	if (counters_stop(&counters, &values))
		fail_msg("%s", values.why);
	counters_close(&counters);
	/* 1 in 1000 and what starting and stopping takes; more if extrapolated. */
	if (values.state == COUNTERS_YES)
		assert_true(values.instructions >= 2 * rounds &&
			    values.instructions <= 2 * rounds + 2 * rounds / 1000);
	else
		assert_true(values.instructions >= rounds && values.instructions <= 4 * rounds);
	assert_true(values.cycles > rounds / 4);
}

static void a_refused_group_can_be_used_and_says_why(void **unused)
{
	struct counters counters;
	struct counters_values values = { .state = COUNTERS_YES, .cycles = 7 };

	assert_int_equal(counters_open_events(&counters, nonsense, COUNTERS_USER), -1);
	assert_non_null(strstr(counters.why, "no such event: "));
	assert_int_equal(counters_start(&counters), -1);
	assert_int_equal(counters_stop(&counters, &values), -1);
	assert_int_equal(values.state, COUNTERS_NO);
	assert_int_equal(values.cycles, 0);
	assert_string_equal(values.why, counters.why);
	counters_close(&counters);
	counters_close(&counters);
	assert_non_null(strstr(counters.why, "no such event: "));
}

static void stop_without_start_and_after_close(void **unused)
{
	struct counters counters;
	struct counters_values values;

	if (counters_open_events(&counters, faults, COUNTERS_USER)) {
		print_message("skipped: %s\n", counters.why);
		skip();
	}
	assert_int_equal(counters_stop(&counters, &values), -1);
	assert_non_null(strstr(values.why, "never started"));
	counters_close(&counters);
	assert_int_equal(counters_start(&counters), -1);
	assert_int_equal(counters_stop(&counters, &values), -1);
	assert_non_null(strstr(values.why, "were closed"));
}

/* The leader opens, the second event does not: nothing may stay open. */
static void half_a_group_is_closed(void **unused)
{
	struct rlimit limit, tight;
	struct counters counters;
	int lowest = dup(0), after, result;

	assert_true(lowest >= 0);
	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	tight = limit;
	tight.rlim_cur = (rlim_t)lowest + 1;
	setrlimit(RLIMIT_NOFILE, &tight);
	result = counters_open_events(&counters, faults, COUNTERS_USER);
	setrlimit(RLIMIT_NOFILE, &limit);
	after = dup(0);
	close(after);
	assert_int_equal(result, -1);
	assert_int_equal(after, lowest);
	if (!strstr(counters.why, "paranoid") && !strstr(counters.why, "no perf events"))
		assert_non_null(strstr(counters.why, "minor page faults: Too many open files"));
}

static void evaluation_tells_apart(void **unused)
{
	static const struct {
		struct counters_snapshot start, stop;
		enum counters_state state;
		uint64_t cycles, instructions;
		const char *why;
	} cases[] = {
		{ { 0, 0, { 0, 0 } }, { 9, 9, { 50, 70 } }, COUNTERS_YES, 50, 70, "" },
		{ { 9, 5, { 1, 2 } }, { 19, 15, { 51, 72 } }, COUNTERS_YES, 50, 70, "" },
		{ { 9, 5, { 1, 2 } }, { 19, 10, { 51, 72 } }, COUNTERS_SCALED, 100, 140, "" },
		{ { 9, 5, { 1, 2 } }, { 19, 5, { 1, 2 } }, COUNTERS_NO, 0, 0, "never had room" },
		{ { 9, 5, { 1, 2 } }, { 9, 5, { 1, 2 } }, COUNTERS_NO, 0, 0, "never started" },
		{ { 0, 0, { 0, 0 } }, { 9, 9, { 0, 70 } }, COUNTERS_NO, 0, 70, "stayed at 0" },
		{ { 0, 0, { 0, 0 } }, { 9, 9, { 50, 0 } }, COUNTERS_NO, 50, 0, "stayed at 0" },
		/* An hour at 5 GHz, half of it counted: the product needs more than 64 bits. */
		{ { 0, 0, { 0, 0 } },
		  { 3600000000000, 1800000000000, { 9000000000000, 1 } },
		  COUNTERS_SCALED,
		  18000000000000,
		  2,
		  "" },
	};
	struct counters_values values;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		counters_evaluate(&cases[i].start, &cases[i].stop, &values);
		assert_int_equal(values.state, cases[i].state);
		assert_int_equal(values.cycles, cases[i].cycles);
		assert_int_equal(values.instructions, cases[i].instructions);
		assert_int_equal(!values.why[0], !cases[i].why[0]);
		assert_non_null(strstr(values.why, cases[i].why));
	}
}

static void reasons_name_the_remedy(void **unused)
{
	static const struct {
		int error;
		enum counters_scope scope;
		const char *remedy;
	} cases[] = {
		{ EACCES, COUNTERS_USER, "perf_event_paranoid is 4 and must be 2 or less" },
		{ EPERM, COUNTERS_USER_KERNEL, "perf_event_paranoid is 4 and must be 1 or less" },
		{ EPERM, COUNTERS_USER, "seccomp profile may refuse as well" },
		{ ENOENT, COUNTERS_USER, "the host has to give it a PMU" },
		{ EOPNOTSUPP, COUNTERS_USER, "the host has to give it a PMU" },
		{ ENODEV, COUNTERS_USER, "the host has to give it a PMU" },
		{ ENOSYS, COUNTERS_USER, "this kernel has no perf events" },
		{ EMFILE, COUNTERS_USER, "ulimit -n" },
		{ EINVAL, COUNTERS_USER, "Invalid argument" },
	};
	char why[COUNTERS_WHY_BYTES];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		counters_explain(cases[i].error, "instructions", cases[i].scope, "4", why);
		assert_non_null(strstr(why, cases[i].remedy));
		assert_non_null(strstr(why, strerror(cases[i].error)));
		assert_ptr_equal(strstr(why, "instructions: "), why);
	}
}

TESTS(counts_between_start_and_stop, other_threads_are_not_counted, scope_decides_on_the_kernel,
      a_known_loop_has_its_instructions, a_refused_group_can_be_used_and_says_why,
      stop_without_start_and_after_close, half_a_group_is_closed, evaluation_tells_apart,
      reasons_name_the_remedy)
