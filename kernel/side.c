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
 * What the timer leaves the task is measured: an event of the task costs so much when nothing comes
 * in, and so many of them should take a fifth to a third of the time.
 */
#include <linux/irq.h>
#include <linux/ktime.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/trace_clock.h>

#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "kernel/side.h"
#include "kernel/buffer.h"
#include "base/rng.h"

#define PERIOD_LEAST_NS 15000
#define PERIOD_FIRST_NS 50000
#define PERIOD_MOST_NS 10000000
#define TASK_BATCH 64
#define ADAPT_MS 2 /* a look at less would see one storm, or one calm */
#define CALM_EVENTS 256
/* Most of an interrupt. Where interrupts are slow, as in an emulator, events have to be many. */
#define SOFTIRQ_EVENTS 96
#define HARDIRQ_EVENTS 32
#define NMI_EVENTS 24
/*
 * So many of the timer's interrupts in one batch of the task, and all wait until it is done. Behind
 * a soft mask interrupts cost next to nothing, and the mask's holder runs what they ask for: if
 * that comes faster than it is done, the holder never gets out.
 */
#define TIMERS_MOST 200
#define WAIT_NS 500000
#define STALLS_MOST 10 /* in an epoch: more would be taken for a CPU that hangs */
#define SHARE_LEAST_PERCENT 20
#define SHARE_MUCH_PERCENT 30

/* Around the reserve paths of all rows: the first and the last object of the module have them. */
extern const char stampede_reserve_begin[], stampede_reserve_end[];

static DEFINE_PER_CPU(struct side *, claimed);
static atomic_t sides_missing;
static bool sides_enough;

static bool side_hit(const struct side *side, unsigned long address)
{
	if (side->own)
		return buffer_hit(address);
	return address >= (unsigned long)stampede_reserve_begin &&
	       address < (unsigned long)stampede_reserve_end;
}

static uint64_t side_random(struct side *side, unsigned int context, uint64_t below)
{
	return rng_next(&side->random[context]) % below;
}

/* A handler that outlasts the short field of an event that it came into. */
static void side_stall(struct side *side)
{
	uint64_t begin = trace_clock_local();

	side->image->stalls++;
	while (trace_clock_local() - begin < side->stall_ns)
		cpu_relax();
}

/* One interrupt of `context`: up to `most` events. `address`: where it came. */
static void side_enter(struct side *side, unsigned int context, uint64_t most,
		       unsigned long address)
{
	struct kernel_image *image = side->image;
	uint64_t stolen = side->stolen_ticks, begin = rdtsc(), i, events, took;
	bool hit = side_hit(side, address);

	image->delivered[context]++;
	image->hits[context] += hit;
	image->at_depth[1 + ++side->depth]++;
	events = 1 + side_random(side, context, most);
	if (context == CONTEXT_BEAT)
		side->driver->beat(side->scheme, &image->writer);
	else
		for (i = 0; i < events; i++)
			side->driver->interrupt(side->scheme, &image->writer, context);
	if (hit && side->stall_ns && context == KERNEL_HARDIRQ && image->stalls < STALLS_MOST)
		side_stall(side);
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

static void side_send(struct side *side)
{
	struct side *other = side->other;

	if (!READ_ONCE(other->on) || READ_ONCE(other->timers) > TIMERS_MOST)
		return;
	if (other->contexts & KERNEL_CONTEXT(KERNEL_NMI) && !test_and_set_bit(0, &other->nmi_sent))
		apic->send_IPI(other->cpu, NMI_VECTOR);
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

/* Slower where the last events left the task too little, quicker where they left much. */
static void side_adapt(struct side *side, uint64_t events, uint64_t ticks)
{
	/* The task's events as they are when nothing comes in, of all the time there was. */
	uint64_t share = ((events * side->image->calm_ticks) >> 10) * 100 / (ticks + 1);

	if (share < SHARE_LEAST_PERCENT && side->period_ns < PERIOD_MOST_NS)
		side->period_ns += side->period_ns / 7;
	else if (share > SHARE_MUCH_PERCENT && side->period_ns > PERIOD_LEAST_NS)
		side->period_ns -= side->period_ns / 10;
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
	uint64_t begin = rdtsc(), end_ns = local_clock() + side->most_ns;
	uint64_t events = 0, last = begin, now;

	while (!READ_ONCE(sides_enough)) {
		side->driver->run(side->scheme, &side->image->writer, TASK_BATCH);
		if (side_events(side) >= side->events_most || local_clock() >= end_ns)
			sides_end();
		events += TASK_BATCH;
		WRITE_ONCE(side->batches, side->batches + 1);
		now = rdtsc();
		if (now - last > (uint64_t)tsc_khz * ADAPT_MS) {
			side_adapt(side, events, now - last);
			events = 0;
			last = now;
		}
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
	if (!side->period_ns)
		side->period_ns = PERIOD_FIRST_NS;
	side->image->cpu = (uint32_t)cpu;
	side->depth = 0;
	side->stolen_ticks = 0;
	side->timers = 0;
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
