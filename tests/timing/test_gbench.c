// SPDX-License-Identifier: MIT
/* The shim over Google Benchmark: runner/timing/gbench.h. */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "runner/timing/gbench.h"

#define BATCH 64

/* What a body did, and what it is to do. */
struct script {
	int calls;
	int64_t events;
	pthread_t thread;
	int leave_at_batch; /* 0: do not */
	long before_ms, inside_ms, after_ms;
};

static void sleep_ms(long milliseconds)
{
	struct timespec duration = { 0, milliseconds * 1000000 };

	if (milliseconds)
		nanosleep(&duration, NULL);
}

static void body(struct gbench_state *state, void *ctx)
{
	struct script *script = ctx;
	int batches = 0;

	script->calls++;
	script->thread = pthread_self();
	sleep_ms(script->before_ms);
	while (gbench_keep_running(state, BATCH)) {
		script->events += BATCH;
		batches++;
		sleep_ms(script->inside_ms);
		if (batches == script->leave_at_batch)
			return;
	}
	sleep_ms(script->after_ms);
}

static int run(struct script *script, int64_t iterations, struct gbench_result *result)
{
	struct gbench_cell cell = { "cell under test", iterations, body, script };

	return gbench_run(&cell, result);
}

static void runs_each_event_once(void **unused)
{
	static const int64_t asked[] = { 1, 63, 64, 65, 1000, 586481 };
	struct gbench_result result;
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct script script = { 0 };
		int64_t expected = (asked[i] + BATCH - 1) / BATCH * BATCH;

		assert_int_equal(run(&script, asked[i], &result), 0);
		assert_string_equal(result.error, "");
		assert_int_equal(script.calls, 1);
		assert_int_equal(script.events, expected);
		assert_int_equal(result.iterations, expected);
		assert_true(pthread_equal(script.thread, pthread_self()));
	}
}

static void times_the_loop_alone(void **unused)
{
	struct script script = { .before_ms = 150, .inside_ms = 20, .after_ms = 150 };
	struct gbench_result result;

	assert_int_equal(run(&script, 2 * BATCH, &result), 0);
	assert_true(result.real_ns >= 40e6);
	assert_true(result.real_ns < 190e6);
	assert_true(result.cpu_ns < 20e6);
}

static void leaving_the_loop_early_is_an_error(void **unused)
{
	static const int last_batches[] = { 1, 10 };
	struct gbench_result result;
	size_t i;

	for (i = 0; i < 2; i++) {
		struct script script = { .leave_at_batch = last_batches[i] };

		assert_int_equal(run(&script, 10 * BATCH, &result), -1);
		assert_non_null(strstr(result.error, "left its loop"));
	}
}

static void empty_body(struct gbench_state *state, void *ctx)
{
}

static void asks_again_body(struct gbench_state *state, void *ctx)
{
	int *answers = ctx;

	while (gbench_keep_running(state, BATCH))
		;
	*answers = gbench_keep_running(state, BATCH) + gbench_keep_running(state, BATCH);
}

static void odd_bodies(void **unused)
{
	struct gbench_cell never = { "never", 10, empty_body, NULL };
	int answers = 7;
	struct gbench_cell again = { "again", 10, asks_again_body, &answers };
	struct gbench_result result;

	assert_int_equal(gbench_run(&never, &result), -1);
	assert_non_null(strstr(result.error, "left its loop"));
	assert_int_equal(gbench_run(&again, &result), 0);
	assert_int_equal(answers, 0);
	assert_int_equal(result.iterations, BATCH);
}

static void invalid_cells_are_refused(void **unused)
{
	const struct gbench_cell cells[] = {
		{ NULL, 10, empty_body, NULL },	  { "", 10, empty_body, NULL },
		{ "cell", 10, NULL, NULL },	  { "cell", 0, empty_body, NULL },
		{ "cell", -1, empty_body, NULL },
	};
	struct gbench_result result;
	size_t i;

	for (i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		assert_int_equal(gbench_run(&cells[i], &result), -1);
		assert_non_null(strstr(result.error, "iterations >= 1"));
	}
}

static void version_is_told(void **unused)
{
	assert_true(strlen(gbench_version()) > 0);
}

/* This program again, with an environment that would derail the library. */
static int child_main(void)
{
	struct script script = { 0 };
	struct gbench_result result;

	return run(&script, 1000, &result) || result.iterations != 1024 || script.calls != 1;
}

static void environment_is_overruled(void **unused)
{
	static const char *const variables[] = {
		"BENCHMARK_FILTER=nothing",
		"BENCHMARK_LIST_TESTS=1",
		"BENCHMARK_REPETITIONS=3",
		"BENCHMARK_MIN_WARMUP_TIME=0.01",
		"BENCHMARK_ENABLE_RANDOM_INTERLEAVING=1",
		"BENCHMARK_FORMAT=nonsense",
		"BENCHMARK_OUT_FORMAT=nonsense",
		"BENCHMARK_OUT=/dev/stderr",
		"BENCHMARK_TIME_UNIT=nonsense",
		"BENCHMARK_COLOR=",
		"BENCHMARK_PERF_COUNTERS=CYCLES",
		"BENCHMARK_MIN_TIME=0.5",
		"BENCHMARK_DISPLAY_AGGREGATES_ONLY=1",
		"V=3",
	};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	assert_true(length > 0);
	self[length] = '\0';
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		char command[PATH_MAX + 256], line[256], *printed;
		FILE *child;

		snprintf(command, sizeof(command), "%s %s child 2>&1", variables[i], self);
		child = popen(command, "r");
		assert_non_null(child);
		printed = fgets(line, sizeof(line), child);
		if (printed)
			print_error("with %s: %s", variables[i], line);
		assert_null(printed);
		assert_int_equal(pclose(child), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_each_event_once),
		cmocka_unit_test(times_the_loop_alone),
		cmocka_unit_test(leaving_the_loop_early_is_an_error),
		cmocka_unit_test(odd_bodies),
		cmocka_unit_test(invalid_cells_are_refused),
		cmocka_unit_test(version_is_told),
		cmocka_unit_test(environment_is_overruled),
	};

	if (argc > 1 && !strcmp(argv[1], "child"))
		return child_main();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
