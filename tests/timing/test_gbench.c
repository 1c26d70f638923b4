// SPDX-License-Identifier: MIT
/* The shim over Google Benchmark: runner/timing/gbench.h. */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "base/json.h"
#include "runner/timing/gbench.h"

#define BATCH 64
#define NOBODY 99

/* What a body did, and what it is to do. */
struct script {
	int calls;
	int64_t events;
	pthread_t thread;
	int leave_at_batch; /* 0: do not */
	unsigned int threads, fails_in; /* counted from 0; NOBODY: in none */
};

static void body(struct gbench_state *state, unsigned int nth, void *ctx)
{
	struct script *script = ctx;
	int batches = 0;

	if (nth == script->fails_in)
		gbench_fail(state, "by plan");
	__atomic_fetch_add(&script->calls, 1, __ATOMIC_RELAXED);
	if (!nth)
		script->thread = pthread_self();
	while (gbench_keep_running(state, BATCH)) {
		__atomic_fetch_add(&script->events, BATCH, __ATOMIC_RELAXED);
		batches++;
		if (batches == script->leave_at_batch)
			return;
	}
	gbench_time(state, 50.0 * BATCH * batches);
	gbench_count(state, "own", 3 + nth);
	gbench_count(state, "none", NAN);
}

static json_t *run(struct script *script, int64_t iterations, char *error)
{
	struct gbench_cell cell = { "cell under test", iterations, script->threads, body, script };

	error[0] = '\0';
	return gbench_run(&cell, error);
}

static void runs_each_event_once(void **unused)
{
	static const int64_t asked[] = { 1, 63, 64, 65, 1000, 586481 };
	char error[GBENCH_ERROR_BYTES];
	size_t i;

	for (i = 0; i < COUNT(asked); i++) {
		struct script script = { .threads = 1, .fails_in = NOBODY };
		int64_t expected = (asked[i] + BATCH - 1) / BATCH * BATCH;
		json_t *result = run(&script, asked[i], error);

		assert_string_equal(error, "");
		assert_int_equal(script.calls, 1);
		assert_int_equal(script.events, expected);
		assert_int_equal(json_number(result, "iterations"), expected);
		assert_true(pthread_equal(script.thread, pthread_self()));
		json_decref(result);
	}
}

/* The time that a body states, and counters, of one thread's events: the mean over threads. */
static void figures_are_those_of_a_thread(void **unused)
{
	char error[GBENCH_ERROR_BYTES];
	unsigned int threads;

	for (threads = 1; threads <= 3; threads++) {
		struct script script = { .threads = threads, .fails_in = NOBODY };
		json_t *result = run(&script, 10 * BATCH, error);

		assert_int_equal(script.calls, threads);
		assert_int_equal(json_number(result, "iterations"), 10 * BATCH * threads);
		assert_float_equal(json_number(result, "real_time"), 50, 1e-6);
		assert_float_equal(json_number(result, "own"), 3 + (threads - 1) / 2., 1e-9);
		assert_true(json_is_null(json_object_get(result, "none")));
		assert_true(json_number(result, "cpu_time") > 0);
		json_decref(result);
	}
}

static void a_failure_of_one_thread_is_one_of_all(void **unused)
{
	struct script script = { .threads = 2, .fails_in = 1 };
	char error[GBENCH_ERROR_BYTES];

	assert_null(run(&script, 10 * BATCH, error));
	assert_non_null(strstr(error, "cell under test: by plan"));
}

static void leaving_the_loop_early_is_an_error(void **unused)
{
	static const int last_batches[] = { 1, 10 };
	char error[GBENCH_ERROR_BYTES];
	size_t i;

	for (i = 0; i < 2; i++) {
		struct script script = { .leave_at_batch = last_batches[i],
					 .threads = 1,
					 .fails_in = NOBODY };

		assert_null(run(&script, 10 * BATCH, error));
		assert_non_null(strstr(error, "left its loop"));
	}
}

static void empty_body(struct gbench_state *state, unsigned int nth, void *ctx)
{
}

static void asks_again_body(struct gbench_state *state, unsigned int nth, void *ctx)
{
	int *answers = ctx;

	while (gbench_keep_running(state, BATCH))
		;
	*answers = gbench_keep_running(state, BATCH) + gbench_keep_running(state, BATCH);
}

static void odd_bodies(void **unused)
{
	struct gbench_cell never = { "never", 10, 1, empty_body, NULL };
	int answers = 7;
	struct gbench_cell again = { "again", 10, 1, asks_again_body, &answers };
	char error[GBENCH_ERROR_BYTES];
	json_t *result;

	assert_null(gbench_run(&never, error));
	assert_non_null(strstr(error, "left its loop"));
	result = gbench_run(&again, error);
	assert_int_equal(answers, 0);
	assert_int_equal(json_number(result, "iterations"), BATCH);
	json_decref(result);
}

static void invalid_cells_are_refused(void **unused)
{
	const struct gbench_cell cells[] = {
		{ NULL, 10, 1, empty_body, NULL },   { "", 10, 1, empty_body, NULL },
		{ "cell", 10, 1, NULL, NULL },	     { "cell", 0, 1, empty_body, NULL },
		{ "cell", -1, 1, empty_body, NULL }, { "cell", 10, 0, empty_body, NULL },
	};
	char error[GBENCH_ERROR_BYTES];
	size_t i;

	for (i = 0; i < COUNT(cells); i++) {
		assert_null(gbench_run(&cells[i], error));
		assert_non_null(strstr(error, "iterations >= 1"));
	}
}

static void version_is_told(void **unused)
{
	assert_true(strlen(gbench_version()) > 0);
}

/* This program again, with an environment that would derail the library. */
static int child_main(void)
{
	struct script script = { .threads = 1, .fails_in = NOBODY };
	char error[GBENCH_ERROR_BYTES];
	json_t *result = run(&script, 1000, error);

	int wrong = !result || json_number(result, "iterations") != 1024 || script.calls != 1;

	json_decref(result);
	return wrong;
}

static void environment_is_overruled(void **unused)
{
	char variables[] =
		"BENCHMARK_FILTER=nothing BENCHMARK_LIST_TESTS=1 BENCHMARK_REPETITIONS=3 "
		"BENCHMARK_MIN_WARMUP_TIME=0.01 BENCHMARK_ENABLE_RANDOM_INTERLEAVING=1 "
		"BENCHMARK_FORMAT=nonsense BENCHMARK_OUT_FORMAT=nonsense "
		"BENCHMARK_OUT=/dev/stderr BENCHMARK_TIME_UNIT=nonsense BENCHMARK_COLOR= "
		"BENCHMARK_PERF_COUNTERS=CYCLES BENCHMARK_MIN_TIME=0.5 "
		"BENCHMARK_DISPLAY_AGGREGATES_ONLY=1 V=3",
	     *one;
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(length > 0);
	self[length] = '\0';
	for (one = strtok(variables, " "); one; one = strtok(NULL, " ")) {
		char command[PATH_MAX + 256], line[256], *printed;
		FILE *child;

		snprintf(command, sizeof(command), "%s '%s' child 2>&1", one, self);
		child = popen(command, "r");
		assert_non_null(child);
		printed = fgets(line, sizeof(line), child);
		if (printed)
			print_error("with %s: %s", one, line);
		assert_null(printed);
		assert_int_equal(pclose(child), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_each_event_once),
		cmocka_unit_test(figures_are_those_of_a_thread),
		cmocka_unit_test(a_failure_of_one_thread_is_one_of_all),
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
