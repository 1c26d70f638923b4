// SPDX-License-Identifier: MIT
/* Cold events by a plan: a made-up clock, evictions, other CPU and huge page, so that each price is
 * exact. */
#include "tests/support/test.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "tests/support/placed.h"
#include "tests/support/said.h"
#include "base/json.h"
#include "runner/place/ticks.h"
#include "workloads/evict.h"
#include "workloads/neighbour.h"
#include "workloads/workload.h"

/* ---- what cold.c is linked to here ---- */

const char *const evict_names[EVICT_KINDS] = { "0", "1", "2", "3", "4", "5",
					       "6", "7", "8", "9", "10" };
static unsigned int reads; /* of the clock since the last eviction, whose kind is `kind_now` */
static enum evict_kind kind_now, unknown;
static unsigned int opened;

int evict_open(struct evict *evict, const struct place *its, unsigned int pu)
{
	assert_true(its == &place && pu == plan.pu[0]);
	*evict = (struct evict){ .data = (uint8_t *)&opened, .data_bytes = 5 };
	opened++;
	return 0;
}

void evict_close(struct evict *evict)
{
	opened--;
}

bool evict_unknown(const struct evict *evict, enum evict_kind kind)
{
	return kind == unknown;
}

void evict(struct evict *evict, enum evict_kind kind)
{
	assert_int_equal(opened, 1);
	kind_now = kind;
	reads = 0;
}

void *evict_huge_page(void)
{
	return mmap(NULL, EVICT_HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
}

static unsigned int started, waited;

int neighbour_start(struct neighbour *its)
{
	unsigned int i;

	assert_true(its->place == &place && its->pu == 77 && its->data == (uint8_t *)&opened &&
		    its->bytes == 5 && its->count == 6 &&
		    its->kind == EVICT_POLLED + started++ / 8);
	for (i = 0; i < 6; i++)
		assert_true(its->shared[i].words && its->shared[i].word[0] + 1);
	its->there = true;
	return 0;
}

void neighbour_wait(const struct neighbour *its)
{
	assert_true(its->there && kind_now == its->kind && !reads);
	waited++;
}

void neighbour_stop(struct neighbour *its)
{
	its->there = false;
}

/* A read of the TSC takes 10 ticks, and the first 14 after an eviction take more, the earlier and
 * the later its kind, the more; of libraries (the vDSO's is rdtscp or rdtsc) none. */
static void read_tsc(int signal, siginfo_t *info, void *context)
{
#ifdef __x86_64__
	extern const uint8_t __executable_start[], etext[];
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)registers[REG_RIP];
	static uint64_t tsc = 1000000;

	if (at[0] != 0x0f || (at[1] != 0x31 && at[1] != 0x01))
		abort();
	if (at >= __executable_start && at < etext) {
		tsc += 10 + (reads < 14 ? (14 - reads) * 10 * (1 + (unsigned int)kind_now) : 0);
		reads++;
	}
	registers[REG_RIP] += at[1] == 0x31 ? 2 : 3;
	registers[REG_RAX] = (greg_t)(uint32_t)tsc;
	registers[REG_RDX] = (greg_t)(tsc >> 32);
#endif
}

/* Each look takes a sixteenth of a second. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static long looks;

	looks++;
	*now = (struct timespec){ looks / 16, looks % 16 * 62500000 };
	return 0;
}

/* ---- the runs ---- */

static unsigned int steps;
static double seconds_done;

static void step(void *arg, const char *section, const char *what)
{
	steps += !strcmp(section, "cold");
}

static void done(void *arg, double seconds)
{
	seconds_done += seconds;
}

static void broke(void *arg, int row, const char *why)
{
	fail_msg("row %d is broken: %s", row, why);
}

/* A row of what was measured, in the order of `keys`; -: null. */
static void say(FILE *to, const json_t *one)
{
	static const char *const keys[] = { "evicted",	      "row",	 "again",	"samples",
					    "extended",	      "ns",	 "extended_ns", "ratio",
					    "extended_ratio", "first_ns" };
	const json_t *its;
	size_t i;

	for (i = 0; i < COUNT(keys); i++) {
		its = json_object_get(one, keys[i]);
		if (json_is_string(its))
			fprintf(to, "%s ", json_string_value(its));
		else if (json_is_number(its))
			fprintf(to, "%.5g ", json_number_value(its));
		else
			fputs(json_is_true(its) ? "again " : json_is_false(its) ? "" : "- ", to);
	}
	fputc('\n', to);
}

/* Prices of rows, in ticks, and as shares of the floor's; for one CPU, and without a kind, too. */
static void prices_by_plan(void **state)
{
	static const char *const names[] = { "floor", "full_tsc", "untimed", "varint_low",
					     "heartbeat" };
	const struct sigaction action = { .sa_sigaction = read_tsc, .sa_flags = SA_SIGINFO };
	const unsigned int pu[] = { plan.pu[0], 77 };
	const struct driver *rows[COUNT(names)];
	struct workload_bench bench = { rows,	    COUNT(names), &place, pu,	2,    1,
					SIZE_QUICK, NULL,	  NULL,	  step, done, broke };
	char *got;
	size_t bytes, i;
	FILE *to = open_memstream(&got, &bytes);
	json_t *into = json_array(), *one;

	SKIP_IF(sigaction(SIGSEGV, &action, NULL) || prctl(PR_SET_TSC, PR_TSC_SIGSEGV),
		"no trap of the TSC");
	for (i = 0; i < COUNT(names); i++)
		rows[i] = driver_find(drivers_checked, names[i]);
	ticks_set_hz(1e9);
	for (unknown = EVICT_KINDS; bench.cpus; bench.cpus--, unknown = EVICT_ALL) {
		listen_to_stderr();
		assert_int_equal(workload_cold.measure(&bench, into), 0);
		json_array_foreach(into, i, one)
			say(to, one);
		fprintf(to, "%s%u steps, %g of %g s, %u neighbours, met %u times\n",
			what_was_said(), steps, seconds_done, workload_cold.seconds(&bench),
			started, waited);
		assert_int_equal(opened, 0);
		json_array_clear(into);
		bench.count = 2;
	}
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	fclose(to);
	assert_recorded(got, "cold_plan");
	json_decref(into);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, prices_by_plan)
