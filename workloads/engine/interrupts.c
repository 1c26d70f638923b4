// SPDX-License-Identifier: MIT
#include "workloads/engine/interrupts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/rng.h"
#include "base/time.h"
#include "schemes/core/clock.h"
#include "schemes/parts/mask.h"
#include "schemes/parts/restart.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Read by handlers: initial-exec, so that no handler ever enters the allocator. */
static __thread struct interrupts *current __attribute__((tls_model("initial-exec")));

static int source_signal(unsigned int source)
{
	switch (source) {
	case 1:
		return SIGUSR1;
	case 2:
		return SIGUSR2;
	case 3:
		return SIGRTMIN;
	default:
		return SIGRTMIN + 1;
	}
}

static unsigned int signal_source(int signal)
{
	return signal == SIGUSR1 ? 1 : signal == SIGUSR2 ? 2 : signal == SIGRTMIN ? 3 : 4;
}

static const char *saved_counter(const void *context)
{
#if defined(__x86_64__)
	return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (const char *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

/* A section that was interrupted here starts over when the handler returns (parts/restart.h). */
static void rewind_section(const char *counter, void *context)
{
	uintptr_t target = restart_target((uintptr_t)counter);

	if (!target)
		return;
#if defined(__x86_64__)
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (greg_t)target;
#elif defined(__aarch64__)
	((ucontext_t *)context)->uc_mcontext.pc = target;
#else
	(void)context;
#endif
}

static void storm_set(sigset_t *set, unsigned int up_to)
{
	unsigned int source;

	sigemptyset(set);
	for (source = 1; source <= up_to; source++)
		sigaddset(set, source_signal(source));
}

/* The interrupted code takes no signal of the storm. */
static void pause_storm(struct interrupts *interrupts, void *context)
{
	sigset_t *blocked = &((ucontext_t *)context)->uc_sigmask;
	unsigned int level;

	if (!interrupts->depth)
		interrupts->pauses++;
	for (level = 1; level <= INTERRUPT_LEVELS; level++)
		sigaddset(blocked, source_signal(level));
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct interrupts *interrupts = current;
	unsigned int source = signal_source(signal);
	const char *counter = saved_counter(context);
	int saved_errno = errno;
	uint64_t begin, end;

	(void)info;
	if (!interrupts)
		return;
	interrupts->delivered[source]++;
	rewind_section(counter, context);
	interrupts->hit = counter >= interrupts->section_begin && counter < interrupts->section_end;
	if (interrupts->hit)
		local_add_raw(&interrupts->hits, 1);
	local_add_raw(&interrupts->at_depth[++interrupts->depth], 1);
	if (source == INTERRUPT_BEAT) {
		begin = clock_real();
		interrupts->handle(interrupts->arg, source);
		end = clock_real();
		if (end - interrupts->beat_last_ticks > interrupts->beat_worst_ticks)
			interrupts->beat_worst_ticks = end - interrupts->beat_last_ticks;
		interrupts->beat_last_ticks = begin;
	} else {
		interrupts->handle(interrupts->arg, source);
	}
	interrupts->depth--;
	/* Each level by itself: it returns to a mask of its own. */
	if (interrupts->enough)
		pause_storm(interrupts, context);
	errno = saved_errno;
}

int interrupts_install(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	unsigned int source;

	storm_set(&mask_signals, INTERRUPT_BEAT);
	for (source = 1; source <= INTERRUPT_BEAT; source++) {
		if (source == INTERRUPT_BEAT)
			sigemptyset(&action.sa_mask);
		else
			storm_set(&action.sa_mask, source);
		if (sigaction(source_signal(source), &action, NULL)) {
			int error = errno;

			fail_line("cannot handle signal %d: %s", source_signal(source),
				  strerror(error));
			return -error;
		}
	}
	return 0;
}

static void set_mask(int how, const sigset_t *set)
{
	if (pthread_sigmask(how, set, NULL))
		END_FAULT("pthread_sigmask does not take its own signals");
}

void interrupts_attach(struct interrupts *interrupts)
{
	set_mask(SIG_BLOCK, &mask_signals);
	interrupts->tid = (pid_t)syscall(SYS_gettid);
	interrupts->depth = 0;
	current = interrupts;
}

int interrupts_timer(struct interrupts *interrupts, unsigned int source, uint64_t period_ns,
		     bool once)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = source_signal(source) };
	struct timespec period = { .tv_sec = (time_t)(period_ns / 1000000000u),
				   .tv_nsec = (long)(period_ns % 1000000000u) };
	struct itimerspec spec = { .it_value = period };
	int error;

	event.sigev_notify_thread_id = interrupts->tid;
	if (!once)
		spec.it_interval = period;
	if (!interrupts->has_timer[source]) {
		if (timer_create(CLOCK_MONOTONIC, &event, &interrupts->timer[source])) {
			error = errno;
			fail_line("cannot create a timer: %s%s", strerror(error),
				  error == EAGAIN ?
					  " (signal queue limit; raise it with ulimit -i)" :
					  "");
			return -error;
		}
		interrupts->has_timer[source] = true;
	}
	if (timer_settime(interrupts->timer[source], 0, &spec, NULL)) {
		error = errno;
		fail_line("cannot set a timer of %llu ns: %s", (unsigned long long)period_ns,
			  strerror(error));
		return -error;
	}
	return 0;
}

void interrupts_detach(struct interrupts *interrupts)
{
	struct timespec now = { .tv_sec = 0 };
	unsigned int source;

	set_mask(SIG_BLOCK, &mask_signals);
	for (source = 1; source <= INTERRUPT_BEAT; source++) {
		if (interrupts->has_timer[source])
			timer_delete(interrupts->timer[source]);
		interrupts->has_timer[source] = false;
	}
	/* A signal that is pending now must not hit the next owner of this thread. */
	while (sigtimedwait(&mask_signals, NULL, &now) > 0)
		;
	current = NULL;
}

void interrupts_block_storm(void)
{
	sigset_t set;

	storm_set(&set, INTERRUPT_LEVELS);
	set_mask(SIG_BLOCK, &set);
}

void interrupts_unblock_storm(void)
{
	sigset_t set;

	if (current)
		current->enough = false;
	storm_set(&set, INTERRUPT_LEVELS);
	set_mask(SIG_UNBLOCK, &set);
}

static void beat_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, source_signal(INTERRUPT_BEAT));
}

void interrupts_block_beat(void)
{
	sigset_t set;

	beat_set(&set);
	set_mask(SIG_BLOCK, &set);
}

void interrupts_unblock_beat(void)
{
	sigset_t set;

	beat_set(&set);
	set_mask(SIG_UNBLOCK, &set);
}

void interrupts_beat_begin(struct interrupts *interrupts)
{
	interrupts->beat_last_ticks = clock_real();
	interrupts->beat_worst_ticks = 0;
}

void interrupts_beat_end(struct interrupts *interrupts)
{
	uint64_t gap = clock_real() - interrupts->beat_last_ticks;

	if (gap > interrupts->beat_worst_ticks)
		interrupts->beat_worst_ticks = gap;
}

int interrupts_send(pid_t tid, unsigned int level)
{
	return syscall(SYS_tgkill, getpid(), tid, source_signal(level)) ? -errno : 0;
}

/*
 * Every other level-1 signal draws a level-2 signal PAIR_NS later, give or take: independent ones
 * would rarely meet in a handler. Sooner is no use: the kernel then starts both at once.
 */
#define PAIR_NS 8192

void interrupt_sender_run(struct interrupt_sender *sender, uint64_t limit_ns)
{
	uint64_t begin = time_ns(), now = begin, due[INTERRUPT_LEVELS + 1] = { 0 }, period;
	uint64_t random = rng_seed(0, 0);
	unsigned int level;

	while (!__atomic_load_n(&sender->stop, __ATOMIC_ACQUIRE) && now - begin < limit_ns) {
		now = time_ns();
		for (level = 1; level <= INTERRUPT_LEVELS; level++) {
			period = __atomic_load_n(&sender->period_ns[level], __ATOMIC_RELAXED);
			if (!period || now < due[level])
				continue;
			sender->error = -interrupts_send(sender->target, level);
			if (sender->error)
				return;
			sender->sent++;
			due[level] = now + period;
			if (level == 1 && rng_next(&random) >> 63)
				due[2] = now + PAIR_NS / 2 + (random >> 32) % PAIR_NS;
		}
	}
}
