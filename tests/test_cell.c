// SPDX-License-Identifier: MIT
/* A repetition's time: what counts as undisturbed, and that a plan's share is in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cell.h"
#include "ticks.h"

#define BATCHES 64

static struct place place;
static struct place_plan plan;

static int set_up(void **state)
{
	(void)state;
	return place_open(&place) || place_plan(&place, NULL, 1, &plan);
}

static int tear_down(void **state)
{
	(void)state;
	place_plan_free(&plan);
	place_close(&place);
	return 0;
}

static void most_batches_may_be_disturbed(void **state)
{
	double ticks[100];
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		ticks[i] = i % 5 ? 30.0 + i : 25.0;
	assert_true(fabs(cell_undisturbed(ticks, 100) - 25) < 1e-9);
	assert_true(isnan(cell_undisturbed(ticks, 0)));
}

static void run(const struct driver *const *drivers, uint64_t wrap_every, double *ns, double *cpu)
{
	struct cell cell = {
		.driver = driver_find(drivers, "packed_word"),
		.injected = { .on = wrap_every, .wrap_every = wrap_every },
		.iterations = BATCHES * CELL_BATCH,
		.place = &place,
		.pu = plan.pu,
		.threads = 1,
	};
	json_t *result = cell_run(&cell);

	assert_non_null(result);
	assert_true(json_is_null(json_object_get(result, "violation")));
	*ns = json_number_value(json_object_get(result, "ns"));
	*cpu = json_number_value(json_object_get(result, "cpu_time"));
	assert_true(fabs(*ns * ticks_hz() / 1e9 /
			 json_number_value(json_object_get(result, "ticks")) - 1) < 1e-9);
	json_decref(result);
}

/* CPU time has what an interrupt took, and what the library does between batches. */
static void undisturbed_is_within_the_whole(void **state)
{
	double ns, cpu;

	(void)state;
	run(drivers_timed, 0, &ns, &cpu);
	assert_true(ns > 0);
	assert_true(ns < cpu * 1.02);
}

/* Half of the events come after a wrap: that has to be in it. */
static void a_plan_is_in_it(void **state)
{
	double calm, ns, cpu;

	(void)state;
	run(drivers_injected, 1000000000, &calm, &cpu);
	run(drivers_injected, 2, &ns, &cpu);
	assert_true(ns < cpu * 1.02);
	assert_true(ns > calm * 1.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_batches_may_be_disturbed),
		cmocka_unit_test(undisturbed_is_within_the_whole),
		cmocka_unit_test(a_plan_is_in_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
