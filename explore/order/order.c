// SPDX-License-Identifier: MIT
#include "explore/order/order.h"

#include <errno.h>
#include <inttypes.h>
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "base/fail.h"
#include "explore/engine/outcomes.h"
#include "explore/engine/search.h"
#include "explore/order/choices.h"
#include "explore/order/machine.h"
#include "judge/live.h"
#include "schemes/core/points.h"

#define STACK_BYTES (256 * 1024)
#define STEPS_MOST 100000 /* of an execution; one that takes more does not end */
#define DEPTH_MOST 3 /* levels of interrupts that a driver has */
#define CLOCK_READS 64 /* in an execution, that another one may come before */

struct budget order_left;
bool order_running;

static const struct order_search *search;
static const struct driver *driver; /* NULL: a litmus test */

/* The CPUs, of writers and behind them of the reader. */
static struct cpu {
	ucontext_t begins;
	jmp_buf goes_on; /* where it was left; quicker than a context, which asks the kernel */
	bool begun;
	uint8_t *stack;
	const char *label; /* of its last labelled access */
	unsigned int since; /* reads of the clock before the earliest that its next may be */
	unsigned int depth;
	bool done;
} cpus[MACHINE_CPUS];
static unsigned int cpu_count, running;
static jmp_buf outside;
static bool abandoned;
static unsigned int steps;

/* What an execution begins with, and how it is left. */
static struct buffer buffer;
static struct writer more_writers[CHECK_WRITERS_MAX]; /* of the CPUs behind the first */
static struct scheme_desc judged;
static struct live live;
static struct check check;
static struct check check_before;
static struct {
	uint8_t *bytes; /* of all that is shared */
	struct writer writer;
	uint64_t clock;
} before;
static struct {
	void *at;
	size_t bytes;
} memory[3];
static struct {
	uint64_t at[CLOCK_READS];
	unsigned int count;
} reads; /* of the clock */
static bool interrupted, telling;

void order_say(const char *format, ...)
{
	va_list list;

	if (!telling)
		return;
	printf("  CPU %u, %s \"%s\": ", running, cpus[running].depth ? "an interrupt, at" : "at",
	       cpus[running].label);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
}

static void at_point(void *arg, const char *label)
{
	(void)arg;
	cpus[running].label = label;
}

/* ---- CPUs ---- */

static struct writer *writer_of(unsigned int cpu)
{
	return cpu ? &more_writers[cpu] : &buffer.writer;
}

_Noreturn static void start(unsigned int cpu)
{
	running = cpu;
	machine_switch(cpu);
	if (cpus[cpu].begun)
		_longjmp(cpus[cpu].goes_on, 1);
	cpus[cpu].begun = true;
	setcontext(&cpus[cpu].begins);
	END_FAULT("a CPU does not begin");
}

/* Tells ASan that no frame is left on a CPU's stack below `end`, after _longjmp(). */
#define FORGET(cpu, end) ASAN_UNPOISON_MEMORY_REGION((cpu)->stack, (end) - (cpu)->stack)

static void go_on(unsigned int cpu)
{
	if (!_setjmp(cpus[running].goes_on))
		start(cpu);
	FORGET(&cpus[running], (uint8_t *)__builtin_frame_address(0));
}

/* The n-th CPU beside the running one that has not ended. */
static unsigned int other(unsigned int n)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpu_count; cpu++)
		if (cpu != running && !cpus[cpu].done && !n--)
			break;
	return cpu;
}

unsigned int order_others(void)
{
	unsigned int count = 0;

	while (other(count) < cpu_count)
		count++;
	return count;
}

static bool interrupt(void)
{
	const char *label = cpus[running].label;

	if (!driver || driver->blocks || running >= cpu_count - (search->budget.live > 0) ||
	    !order_left.nested || cpus[running].depth == search->budget.depth || !choose(2, NULL))
		return false;
	order_say("an interrupt comes");
	interrupted = true;
	order_left.nested--;
	cpus[running].depth++;
	order_clock_waits();
	driver->interrupt(buffer.scheme, writer_of(running), cpus[running].depth);
	machine_stored();
	order_clock_waits();
	cpus[running].depth--;
	cpus[running].label = label;
	return true;
}

void order_step(void)
{
	unsigned int chosen;

	machine_stored();
	if (search_interrupted || ++steps > STEPS_MOST)
		_longjmp(outside, 1);
	do {
		chosen = order_left.preemptions ? choose(1 + order_others(), NULL) : 0;
		if (chosen) {
			order_say("CPU %u goes on instead", other(chosen - 1));
			order_left.preemptions--;
			go_on(other(chosen - 1));
		}
	} while (interrupt());
}

/* ---- the clock ---- */

void order_clock_waits(void)
{
	cpus[running].since = reads.count;
}

/* A moment earlier than what order_clock() has given as that read. */
static uint64_t read_early(unsigned int by)
{
	order_left.delays--;
	order_say("reads the clock before the last %u reads of others", by);
	cpus[running].since = reads.count - by + 1;
	return reads.at[reads.count - by] - 1;
}

uint64_t order_clock(bool fenced)
{
	unsigned int others = reads.count - cpus[running].since, early = 0, jump = 0;
	uint64_t now;

	if (!fenced && order_left.delays)
		early = choose(1 + others, NULL);
	if (early)
		return read_early(early);
	if (order_left.jumps)
		jump = choose(1 + search->jumps, NULL);
	if (jump) {
		order_left.jumps--;
		order_say("%" PRIu64 " ticks pass", search->jump[jump - 1]);
		virtual_clock.now += search->jump[jump - 1];
	}
	now = virtual_clock.now + virtual_clock.step - 1;
	virtual_clock.now += virtual_clock.step;
	if (reads.count < CLOCK_READS)
		reads.at[reads.count++] = now;
	order_clock_waits();
	return now;
}

_Noreturn void order_abandon(void)
{
	abandoned = true;
	_longjmp(outside, 1);
}

/* All that a CPU does. */
static void run_cpu(int number)
{
	unsigned int cpu = (unsigned int)number, i, count;

	if (!driver)
		search->row->thread(cpu);
	else if (search->budget.live && cpu == cpu_count - 1)
		for (i = 0; i < search->budget.live; i++)
			search->row->take(&live, &check);
	else
		for (i = 0; i < search->budget.events; i++)
			driver->run(buffer.scheme, writer_of(cpu), 1);
	machine_stored();
	cpus[cpu].done = true;
	count = order_others();
	if (count)
		start(other(choose(count, NULL)));
	_longjmp(outside, 1);
}

static void set_up(struct cpu *cpu)
{
	cpu->done = false;
	cpu->depth = cpu->since = 0;
	cpu->label = "its begin";
	cpu->begun = false;
	FORGET(cpu, cpu->stack + STACK_BYTES);
	getcontext(&cpu->begins);
	cpu->begins.uc_stack.ss_sp = cpu->stack;
	cpu->begins.uc_stack.ss_size = STACK_BYTES;
	cpu->begins.uc_link = NULL;
	makecontext(&cpu->begins, (void (*)(void))run_cpu, 1, (int)(cpu - cpus));
}

static void execute(void)
{
	struct cpu *cpu;

	for (cpu = cpus; cpu < cpus + cpu_count; cpu++)
		set_up(cpu);
	machine_begin();
	abandoned = false;
	steps = 0;
	order_left = search->budget;
	reads.count = 0;
	running = cpu_count;
	order_running = true;
	if (!_setjmp(outside))
		start(other(choose(cpu_count, NULL)));
	order_running = false;
	if ((!machine_end() && steps <= STEPS_MOST) || search_interrupted)
		abandoned = true;
}

/* ---- one execution after the other ---- */

static void restore(void)
{
	uint8_t *from = before.bytes;
	unsigned int i;

	for (i = 0; i < sizeof(memory) / sizeof(memory[0]) && memory[i].bytes; i++) {
		memcpy(memory[i].at, from, memory[i].bytes);
		from += memory[i].bytes;
	}
	if (!driver)
		return;
	virtual_clock.now = before.clock;
	buffer.writer = before.writer;
	buffer.writer.concurrent = search->budget.writers > 1;
	for (i = 1; i < search->budget.writers; i++)
		*writer_of(i) =
			(struct writer){ .first_context = i * CONTEXTS, .concurrent = true };
	check = check_before;
	interrupted = false;
	live_detach(&live);
	if (search->budget.live)
		live_attach(&live, &buffer);
}

static void keep(void)
{
	size_t bytes = 0;
	unsigned int i;

	for (i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		bytes += memory[i].bytes;
	before.bytes = realloc(before.bytes, bytes);
	if (!before.bytes)
		end_memory("an execution");
	for (bytes = i = 0; i < sizeof(memory) / sizeof(memory[0]) && memory[i].bytes; i++) {
		memcpy(before.bytes + bytes, memory[i].at, memory[i].bytes);
		bytes += memory[i].bytes;
	}
	before.writer = buffer.writer;
	before.clock = virtual_clock.now;
}

static void judge(struct findings *findings)
{
	unsigned int nested = search->budget.writers > 1, i, context, oracle, first = FINDING_STUCK;
	struct judge_given given = { .beat_worst_ticks = virtual_clock.now,
				     .nested = interrupted || nested,
				     .gap_ticks = search->jumps ? virtual_clock.now : 0 };
	struct check_totals totals = { .sequenced = true };
	struct judgement judgement;

	if (steps > STEPS_MOST) {
		findings->verdicts[VERDICT_BROKEN]++;
		findings->objections[FINDING_HANG]++;
		if (telling)
			printf("  it does not end: %d steps\n", STEPS_MOST);
		return;
	}
	live_check_given_back(buffer_ring(&buffer), &check);
	driver->flush(buffer.scheme);
	driver->drain(buffer.scheme, &check, true);
	for (i = 0; i < cpu_count - (search->budget.live > 0); i++) {
		for (context = 0; context < CONTEXTS; context++) {
			totals.written[i * CONTEXTS + context] = writer_of(i)->written[context];
			totals.failed += writer_of(i)->failed[context];
			if (nested || context != CONTEXT_TASK)
				totals.nested += writer_of(i)->entered[context];
		}
		loss_add(&totals.losses, &writer_of(i)->losses);
	}
	judge_ring(buffer_ring(&buffer), &check, &totals, &given, &judgement);
	for (oracle = 0; oracle < ORACLES; oracle++)
		if (search->without_oracle >> oracle & 1)
			check.violations[oracle] = 0;
	if (search->without_oracle)
		judge_again(&check, buffer_ring(&buffer)->stuck, &judgement);
	findings->verdicts[judgement.verdict]++;
	findings->inexact += check.inexact;
	findings->extended += check.extended;
	findings->decoded += check.events;
	if (judgement.verdict != VERDICT_BROKEN)
		return;
	for (oracle = ORACLES; oracle-- > 0;)
		if (check.violations[oracle]) {
			first = oracle;
			findings->objections[oracle]++;
		}
	findings->objections[FINDING_STUCK] += first == FINDING_STUCK;
	if (telling)
		printf("  %s: %s\n", findings_name(first),
		       judgement.text ? judgement.text : "a writer gave up");
}

/* Tells what was chosen in the broken execution, from the start. */
static void tell(void)
{
	struct findings findings = { .schedules = 0 };

	telling = true;
	choices_again();
	restore();
	execute();
	judge(&findings);
	telling = false;
}

static void run_all(struct findings *findings)
{
	choices_begin();
	do {
		restore();
		execute();
		if (abandoned)
			continue;
		findings->schedules++;
		if (!driver) {
			outcomes_add(search->row->outcome());
			continue;
		}
		judge(findings);
		if (findings->verdicts[VERDICT_BROKEN] == 1 && !findings->first.actions) {
			findings->first.actions = 1; /* told */
			tell();
		}
	} while (choices_next() && !search_interrupted &&
		 findings->objections[FINDING_HANG] < FINDINGS_HANGS &&
		 !(search->first_only && findings->verdicts[VERDICT_BROKEN]));
}

/* Events that fill sub-buffers, and those behind them. */
static void record_before(void)
{
	const struct ring *ring = buffer_ring(&buffer);
	uint32_t i;
	bool open;

	while (search->full) {
		keep();
		driver->run(buffer.scheme, &buffer.writer, 1);
		if (buffer.writer.failed[CONTEXT_TASK] ||
		    ring_end(ring, &open) - ring_start_number(ring) > search->full)
			break;
	}
	if (search->full)
		restore();
	for (i = 0; i < search->before; i++)
		driver->run(buffer.scheme, &buffer.writer, 1);
}

static void share_ring(void)
{
	struct ring *ring = buffer_ring(&buffer);
	size_t own = driver->scheme_bytes - sizeof(*ring);

	/* What ring_init() sets once is no place. */
	machine_share(ring, offsetof(struct ring, base));
	machine_share(&ring->lost, offsetof(struct ring, mode) - offsetof(struct ring, lost));
	machine_share(ring + 1, own);
	machine_share(buffer.subbufs, memory[1].bytes);
	machine_share(buffer.base, memory[2].bytes);
}

static int begin_row(void)
{
	int error;

	/* With room for another CPU's early read between two. */
	virtual_clock = (struct virtual_clock){ .step = search->budget.writers > 1 ? 2 : 1 };
	error = buffer_open(&buffer, driver, &search->config);
	if (error)
		return error;
	memory[0].at = buffer.scheme;
	memory[0].bytes = driver->scheme_bytes;
	memory[1].at = buffer.subbufs;
	memory[1].bytes = sizeof(struct subbuf) << search->config.count_shift;
	memory[2].at = buffer.base;
	memory[2].bytes = buffer_config_bytes(&search->config);
	error = search->budget.live ? live_open(&live, &buffer) : 0;
	if (error)
		return error;
	record_before();
	judged = *driver->desc;
	if (search->budget.writers > 1)
		judged.promises = judged.shared_promises;
	buffer_check(&buffer, &check_before);
	check_before.desc = &judged;
	check_before.contexts = CONTEXTS * (search->budget.writers ? search->budget.writers : 1);
	points.hook = at_point;
	share_ring();
	return 0;
}

static void end_row(void)
{
	machine_share_nothing();
	points.hook = NULL;
	if (!driver)
		return;
	if (live.spare.driver)
		live_close(&live);
	live = (struct live){ .taken = 0 };
	buffer_close(&buffer);
}

int order_run(const struct order_search *asked, struct findings *findings)
{
	clock_t begin = clock();
	unsigned int i;
	int error = 0;

	search = asked;
	driver = search->row->driver;
	cpu_count = driver ? world_cpus(&search->budget) : search->row->cpus;
	memset(memory, 0, sizeof(memory));
	for (i = 0; i < cpu_count && !cpus[i].stack; i++) {
		cpus[i].stack = malloc(STACK_BYTES);
		if (!cpus[i].stack)
			return -ENOMEM;
	}
	if (driver) {
		error = begin_row();
	} else {
		memory[0].at = search->row->memory;
		memory[0].bytes = search->row->bytes;
		machine_share(memory[0].at, memory[0].bytes);
		outcomes_begin();
	}
	if (!error) {
		keep();
		run_all(findings);
	}
	if (!driver) {
		outcomes_end(&findings->outcomes, &findings->outcomes_hash);
		outcomes_copy(findings->outcome, FINDINGS_OUTCOMES);
	}
	end_row();
	findings->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	return error;
}
