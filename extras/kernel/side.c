// SPDX-License-Identifier: MIT
/*
 * Four levels, nested for real. A thread bound to the CPU records without rest. A timer's interrupt
 * records, has a softirq record behind it, and sends its neighbour an interrupt and an NMI, which
 * come wherever that one is. So each level comes into all below it, at any instruction.
 *
 *   task      a kthread        CONTEXT_TASK
 *   softirq   a tasklet        KERNEL_SOFTIRQ
 *   hardirq   an hrtimer, and a call from another CPU     KERNEL_HARDIRQ
 *   NMI       sent by another CPU through its APIC        KERNEL_NMI
 *   beat      an hrtimer of its own                       CONTEXT_BEAT
 *
 * What a timer's interrupt takes from the task, with all that it brings, is measured, and the time
 * between two of them chosen so that the task keeps about a fifth.
 */
#include <linux/irq.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "extras/kernel/side.h"
#include "base/rng.h"

/*
 * Of a timer's interrupt, with all that it brings. It brings hundreds of events: what takes more
 * than a thousand is a machine that is busy with something else, and comes with each where they are
 * rare.
 */
#define COST_LEAST_NS 8000
#define COST_MOST_EVENTS 1000
#define COST_MOST_LEAST_NS 100000
#define PERIOD_PERCENT 150 /* of the median: the mean is more */
#define TASK_BATCH 64
#define CALM_EVENTS 256
/* Most of an interrupt. Where interrupts are slow, as in an emulator, events have to be many. */
#define SOFTIRQ_EVENTS 256
#define HARDIRQ_EVENTS 128
#define NMI_EVENTS 64
/*
 * One hardirq of so many that came into a softirq asks for an NMI, and goes on recording until it
 * is there, or for so long: by chance the fourth level is rare where an emulator has less than a
 * CPU for each of its own.
 */
#define ASK_ONE_OF 2
#define ASK_EVENTS 64
#define ASK_US 100
/*
 * So many of the timer's interrupts in one batch of the task, and all wait until it is done. Behind
 * a soft mask interrupts cost next to nothing, and the mask's holder runs what they ask for: if
 * that comes faster than it is done, the holder never gets out.
 */
#define TIMERS_MOST 200
#define WAIT_NS 500000

static uint fail_at;
module_param(fail_at, uint, 0400);
MODULE_PARM_DESC(fail_at, "which allocation fails, counted from 1 (default: none)");

bool allocation_fails(void)
{
	return fail_at && !--fail_at;
}

/* Around the reserve paths of all rows: the first and the last object of the module have them. */
extern const char stampede_reserve_begin[], stampede_reserve_end[];

static DEFINE_PER_CPU(struct side *, claimed);
static atomic_t sides_missing;
static bool sides_enough;

static bool in_reserve(unsigned long address)
{
	return address >= (unsigned long)stampede_reserve_begin &&
	       address < (unsigned long)stampede_reserve_end;
}

static uint64_t side_random(struct side *side, unsigned int context, uint64_t below)
{
	return rng_next(&side->random[context]) % below;
}

static void side_ask(struct side *side)
{
	uint64_t begin = rdtsc(), step = (uint64_t)tsc_khz * ASK_US / 1000 / ASK_EVENTS, i;
	const uint64_t *nmis = &side->image->delivered[KERNEL_NMI];
	uint64_t seen = READ_ONCE(*nmis);

	WRITE_ONCE(side->asks, true);
	for (i = 1; i <= ASK_EVENTS && READ_ONCE(*nmis) == seen; i++) {
		side->driver->interrupt(side->scheme, &side->image->writer, KERNEL_HARDIRQ);
		while (rdtsc() - begin < i * step && READ_ONCE(*nmis) == seen)
			cpu_relax();
	}
	WRITE_ONCE(side->asks, false);
}

/* One interrupt of `context`: up to `most` events. `address`: where it came. */
static void side_enter(struct side *side, unsigned int context, uint64_t most,
		       unsigned long address)
{
	struct kernel_image *image = side->image;
	uint64_t stolen = side->stolen_ticks, begin = rdtsc(), i, events, took;

	image->delivered[context]++;
	image->hits[context] += in_reserve(address);
	image->at_depth[1 + ++side->depth]++;
	events = 1 + side_random(side, context, most);
	if (context == CONTEXT_BEAT)
		side->driver->beat(side->scheme, &image->writer);
	else
		for (i = 0; i < events; i++)
			side->driver->interrupt(side->scheme, &image->writer, context);
	if (context == KERNEL_HARDIRQ && side->depth > 1 && side->other != side &&
	    side->contexts & KERNEL_CONTEXT(KERNEL_NMI) && !side_random(side, context, ASK_ONE_OF))
		side_ask(side);
	side->depth--;
	took = rdtsc() - begin;
	image->ticks[context] += took - (side->stolen_ticks - stolen);
	side->stolen_ticks = stolen + took;
}

static unsigned long hardirq_address(void)
{
	const struct pt_regs *regs = get_irq_regs();

	return regs ? regs->ip : 0;
}

static void on_softirq(unsigned long data)
{
	struct side *side = (struct side *)data;

	/* Not in a thread of its own, which would interrupt nobody. */
	if (!READ_ONCE(side->on) || current != side->task)
		return;
	side_enter(side, KERNEL_SOFTIRQ, SOFTIRQ_EVENTS, side->interrupted);
}

static void on_call(void *data)
{
	struct side *side = data;

	if (READ_ONCE(side->on))
		side_enter(side, KERNEL_HARDIRQ, HARDIRQ_EVENTS, hardirq_address());
	clear_bit(0, &side->called);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct side *side = this_cpu_read(claimed);

	if (!side || !test_and_clear_bit(0, &side->nmi_sent))
		return NMI_DONE;
	if (READ_ONCE(side->on))
		side_enter(side, KERNEL_NMI, NMI_EVENTS, regs->ip);
	return NMI_HANDLED;
}

static void side_send_nmi(struct side *other)
{
	if (other->contexts & KERNEL_CONTEXT(KERNEL_NMI) && !test_and_set_bit(0, &other->nmi_sent))
		apic->send_IPI(other->cpu, NMI_VECTOR);
}

static void side_send(struct side *side)
{
	struct side *other = side->other;

	if (!READ_ONCE(other->on) || READ_ONCE(other->timers) > TIMERS_MOST)
		return;
	side_send_nmi(other);
	if (other != side && side_random(side, KERNEL_HARDIRQ, 2) &&
	    !test_and_set_bit(0, &other->called) &&
	    smp_call_function_single_async(other->cpu, &other->call))
		clear_bit(0, &other->called);
}

/* Has the task been kept from its batch for so long that nothing more may come? */
static bool side_waits(struct side *side)
{
	uint64_t batches = READ_ONCE(side->batches);

	WRITE_ONCE(side->timers, batches == side->batches_seen ? side->timers + 1 : 0);
	side->batches_seen = batches;
	side->image->waits += side->timers == TIMERS_MOST + 1;
	return side->timers > TIMERS_MOST;
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct side *side = container_of(timer, struct side, timer);
	uint64_t period;

	if (!READ_ONCE(side->on))
		return HRTIMER_NORESTART;
	if (side_waits(side)) {
		hrtimer_forward_now(timer, ns_to_ktime(WAIT_NS));
		return HRTIMER_RESTART;
	}
	WRITE_ONCE(side->fired, side->fired + 1);
	if (side->contexts & KERNEL_CONTEXT(KERNEL_HARDIRQ))
		side_enter(side, KERNEL_HARDIRQ, HARDIRQ_EVENTS, hardirq_address());
	/* One that comes into softirqs would keep them going until a thread has to take over. */
	if (side->contexts & KERNEL_CONTEXT(KERNEL_SOFTIRQ) && !in_serving_softirq()) {
		side->interrupted = hardirq_address();
		tasklet_schedule(&side->softirq);
	}
	side_send(side);
	period = side->period_ns;
	period = period / 2 + side_random(side, KERNEL_HARDIRQ, period);
	hrtimer_forward_now(timer, ns_to_ktime(period));
	return HRTIMER_RESTART;
}

/* From one beat's begin to the next one's end: between them so much may have been counted. */
static void side_beat_since(struct side *side, uint64_t begin)
{
	uint64_t gap = rdtsc() - side->beat_last_ticks;

	if (gap > side->image->beat_worst_ticks)
		side->image->beat_worst_ticks = gap;
	side->beat_last_ticks = begin;
}

static enum hrtimer_restart on_beat(struct hrtimer *timer)
{
	struct side *side = container_of(timer, struct side, beat);
	uint64_t begin = rdtsc();

	if (!READ_ONCE(side->on))
		return HRTIMER_NORESTART;
	side_enter(side, CONTEXT_BEAT, 1, hardirq_address());
	side_beat_since(side, begin);
	hrtimer_forward_now(timer, ns_to_ktime(side->beat_ns));
	return HRTIMER_RESTART;
}

static uint64_t side_events(const struct side *side)
{
	uint64_t events = 0;
	unsigned int context;

	for (context = 0; context < CONTEXTS; context++)
		events += side->image->writer.entered[context];
	return events;
}

static void side_cost(struct side *side, uint64_t cost_ns)
{
	side->cost_ns = clamp_t(uint64_t, cost_ns, COST_LEAST_NS, side->cost_most_ns);
	WRITE_ONCE(side->period_ns, side->cost_ns * PERIOD_PERCENT / 100);
}

/*
 * The period follows what a timer's interrupt takes from the task, with all that comes with it: the
 * median, which what takes time from few of them does not move, a hypervisor whose machine is busy.
 */
static void side_adapt(struct side *side, uint64_t batch_ticks, uint64_t fired)
{
	uint64_t calm = (TASK_BATCH * side->image->calm_ticks) >> 10;
	uint64_t cost_ns;

	if (!fired)
		return;
	cost_ns = batch_ticks > calm ? (batch_ticks - calm) * 1000000 / tsc_khz / fired : 0;
	side_cost(side, cost_ns > side->cost_ns ? side->cost_ns + side->cost_ns / 16 :
						  side->cost_ns - side->cost_ns / 16);
}

/* What an event takes before anything comes in; on the ring, as all others. */
static void side_calibrate(struct side *side)
{
	uint64_t begin, took, best = ~0ull;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		begin = rdtsc();
		side->driver->run(side->scheme, &side->image->writer, CALM_EVENTS / 4);
		took = rdtsc() - begin;
		if (took < best)
			best = took;
	}
	side->image->calm_ticks = (best << 10) / (CALM_EVENTS / 4);
	side->cost_most_ns = max_t(uint64_t, COST_MOST_LEAST_NS,
				   best * COST_MOST_EVENTS / (CALM_EVENTS / 4) * 1000000 / tsc_khz);
	/* At first from above: too many interrupts leave the task nothing to measure with. */
	side_cost(side, side->cost_ns ? side->cost_ns : side->cost_most_ns);
}

/* On its CPU: hrtimers are of the CPU that starts them. */
static void side_interrupts_begin(struct side *side)
{
	WRITE_ONCE(side->on, true);
	hrtimer_start(&side->timer, ns_to_ktime(side->period_ns), HRTIMER_MODE_REL_PINNED);
	if (side->beat_ns)
		hrtimer_start(&side->beat, ns_to_ktime(side->beat_ns), HRTIMER_MODE_REL_PINNED);
}

static void side_record(struct side *side)
{
	uint64_t begin = rdtsc(), end_ns = local_clock() + side->most_ns, batch, fired;

	while (!READ_ONCE(sides_enough)) {
		fired = READ_ONCE(side->fired);
		batch = rdtsc();
		side->driver->run(side->scheme, &side->image->writer, TASK_BATCH);
		side_adapt(side, rdtsc() - batch, READ_ONCE(side->fired) - fired);
		if (side_events(side) >= side->events_most || local_clock() >= end_ns)
			sides_end();
		if (READ_ONCE(side->other->asks))
			side_send_nmi(side->other);
		WRITE_ONCE(side->batches, side->batches + 1);
		cond_resched();
	}
	side->image->elapsed_ticks = rdtsc() - begin;
	side->image->period_ns = side->period_ns;
	side->image->ticks[CONTEXT_TASK] = side->image->elapsed_ticks - side->stolen_ticks;
}

static int side_thread(void *data)
{
	struct side *side = data;

	side->image->at_depth[1] = 1;
	atomic_dec(&sides_missing);
	while (atomic_read(&sides_missing) > 0 && !READ_ONCE(sides_enough))
		cond_resched();
	/* Only now: who needs beats has read the clock, and waits for the first one. */
	side->beat_last_ticks = rdtsc();
	side->driver->init(side->scheme, &side->config, side->area + KERNEL_BASE_AT,
			   (struct subbuf *)(side->area + KERNEL_SUBBUFS_AT), &side->image->writer);
	side_calibrate(side);
	side_interrupts_begin(side);
	side_record(side);
	WRITE_ONCE(side->on, false);
	if (side->beat_ns)
		side_beat_since(side, 0);
	complete(&side->done);
	/* Until it is told to, so that whoever started it can still name it. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

void sides_begin(int count)
{
	atomic_set(&sides_missing, count);
	WRITE_ONCE(sides_enough, false);
}

void sides_end(void)
{
	WRITE_ONCE(sides_enough, true);
}

void side_init(struct side *side, int cpu)
{
	unsigned int context;

	side->cpu = cpu;
	for (context = 0; context < CONTEXTS; context++)
		side->random[context] = rng_seed((uint64_t)cpu, context);
	side->image->cpu = (uint32_t)cpu;
	side->depth = 0;
	side->stolen_ticks = 0;
	side->timers = 0;
	side->asks = false;
	init_completion(&side->done);
	hrtimer_init(&side->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	side->timer.function = on_timer;
	hrtimer_init(&side->beat, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	side->beat.function = on_beat;
	tasklet_init(&side->softirq, on_softirq, (unsigned long)side);
	INIT_CSD(&side->call, on_call, side);
}

/* Whom NMIs of `cpu` belong to from now on; NULL: nobody. */
static void sides_claim(int cpu, struct side *side)
{
	per_cpu(claimed, cpu) = side;
}

int side_start(struct side *side)
{
	if (allocation_fails())
		return -ENOMEM;
	side->task = kthread_create_on_node(side_thread, side, cpu_to_node(side->cpu),
					    "stampede/%d", side->cpu);
	if (IS_ERR(side->task))
		return (int)PTR_ERR(side->task);
	kthread_bind(side->task, (unsigned int)side->cpu);
	sides_claim(side->cpu, side);
	wake_up_process(side->task);
	return 0;
}

void side_stop(struct side *side)
{
	unsigned int tries;

	WRITE_ONCE(side->on, false);
	hrtimer_cancel(&side->timer);
	hrtimer_cancel(&side->beat);
	tasklet_kill(&side->softirq);
	/* What is on its way arrives: a second is long for it. */
	for (tries = 0; tries < 250 && (test_bit(0, &side->called) || test_bit(0, &side->nmi_sent));
	     tries++)
		schedule_timeout_uninterruptible(1);
	WARN_ONCE(tries == 250, "stampede: an interrupt to CPU %d never came\n", side->cpu);
	sides_claim(side->cpu, NULL);
	kthread_stop(side->task);
}

int sides_register(void)
{
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "stampede");
}

void sides_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "stampede");
}
