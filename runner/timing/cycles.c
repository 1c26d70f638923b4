// SPDX-License-Identifier: MIT
#include "runner/timing/cycles.h"

#include <math.h>
#include <stdint.h>

#include "base/stats.h"
#include "runner/timing/counters.h"
#include "schemes/core/clock.h"

#define LINKS 8 /* in one iteration, which has time for its own counting meanwhile */
#define STEPS 4096
/* Ticks that a reading takes at least, so that a coarse clock tells it to 0.1 %. */
#define TICKS_LEAST 1000
#define STEPS_MOST (1u << 20)
#define READINGS 64
#define NEAR 0.01

/* Not inlined, all three: one place in memory, so that all readings are of the same loop. */
static __attribute__((noinline)) double loop(unsigned int steps)
{
	uint64_t begin = clock_real();
	unsigned int i;

	for (i = 0; i < steps; i++)
		__asm__ volatile("");
	return (double)(clock_real() - begin) / steps;
}

/* Both operands are registers: a CPU may do without an addition of a constant. */
#define CHAIN(name, operation) \
	static __attribute__((noinline)) double name(unsigned int steps) \
	{ \
		uint64_t begin = clock_real(); \
		uint32_t its = 3, other = 5; \
		unsigned int i; \
\
		__asm__ volatile("" : "+r"(other)); \
		for (i = 0; i < steps / LINKS; i++) { \
			TWO_LINKS(operation); \
			TWO_LINKS(operation); \
			TWO_LINKS(operation); \
			TWO_LINKS(operation); \
		} \
		return (double)(clock_real() - begin) / steps; \
	}
#define TWO_LINKS(operation) \
	its operation other; \
	__asm__ volatile("" : "+r"(its)); \
	its operation other; \
	__asm__ volatile("" : "+r"(its))
CHAIN(add, +=)
CHAIN(multiply, *=)

static unsigned int steps_enough(void)
{
	static unsigned int steps;

	if (!steps)
		for (steps = STEPS; steps < STEPS_MOST && loop(steps) * steps < TICKS_LEAST;
		     steps *= 2)
			;
	return steps;
}

struct cycles_reading cycles_read(void)
{
	unsigned int steps = steps_enough();

	return (struct cycles_reading){ add(4 * steps), loop(steps) };
}

double cycles_of(double *cycle, size_t count)
{
	stats_sort(cycle, count);
	return stats_trimmed_mean(cycle, (count + 1) / 2, 0);
}

static double multiplications(void)
{
	double cycle[READINGS], its[READINGS];
	unsigned int i, steps = steps_enough();

	for (i = 0; i < READINGS; i++) {
		its[i] = multiply(steps);
		cycle[i] = add(4 * steps);
	}
	return cycles_of(its, READINGS) / cycles_of(cycle, READINGS);
}

static void add_most(void *unused)
{
	(void)unused;
	add(STEPS_MOST);
}

static double counted(void)
{
	uint64_t count[2];

	return counters_count(NULL, add_most, NULL, count) ? NAN : (double)count[0] / STEPS_MOST;
}

struct cycles_shown cycles_show(void)
{
	return (struct cycles_shown){ counted(), multiplications() };
}

bool cycles_are_shown(const struct cycles_shown *shown)
{
	double whole = round(shown->multiply);

	if (!isnan(shown->counted) && fabs(shown->counted - 1) > NEAR)
		return false;
	return whole >= 2 && whole <= 5 && fabs(shown->multiply / whole - 1) < NEAR;
}

json_t *cycles_json(const struct cycles_shown *shown)
{
	return json_pack("{s:s, s:o, s:f}", "unit", cycles_are_shown(shown) ? "cycles" : "links",
			 "counted", isnan(shown->counted) ? json_null() : json_real(shown->counted),
			 "multiply", shown->multiply);
}
