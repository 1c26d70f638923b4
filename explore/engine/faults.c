// SPDX-License-Identifier: MIT
#include "explore/engine/faults.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fail.h"

#define HANG_TICKS 20
#define HANG_TICK_US 100000

sigjmp_buf faults_escape;

static volatile sig_atomic_t armed;
static const volatile uint64_t *progress;

static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };

static void on_fault(int signal)
{
	static volatile uint64_t last;
	static volatile sig_atomic_t ticks;

	if (signal == SIGALRM) {
		/* The engine itself may take long: only who runs where it can go on may hang. */
		if (!armed || *progress != last)
			ticks = 0;
		last = *progress;
		if (++ticks < HANG_TICKS)
			return;
		ticks = 0;
	}
	if (!armed)
		end_now(EXIT_USAGE);
	siglongjmp(faults_escape, signal);
}

static void install(bool on)
{
	static uint8_t stack[64 * 1024];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	/* The handler is left by siglongjmp() without a mask to put back. */
	struct sigaction action = { .sa_handler = on ? on_fault : SIG_DFL,
				    .sa_flags = SA_ONSTACK | SA_NODEFER };
	struct itimerval timer = { { 0, on ? HANG_TICK_US : 0 }, { 0, on ? HANG_TICK_US : 0 } };
	unsigned int i;

	bool failed;

	/* The default of SIGALRM ends the process: no timer may run without the handler. */
	failed = on ? sigaltstack(&other, NULL) : setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < sizeof(fault_signals) / sizeof(fault_signals[0]); i++)
		failed |= sigaction(fault_signals[i], &action, NULL);
	if (failed || (on && setitimer(ITIMER_REAL, &timer, NULL)))
		END_FAULT("signals cannot be caught");
}

void faults_catch(const volatile uint64_t *its)
{
	progress = its;
	install(true);
}

void faults_end(void)
{
	armed = false;
	install(false);
}

void faults_arm(bool on)
{
	armed = on;
}

void faults_raise(void)
{
	raise(SIGABRT);
	end_now(EXIT_USAGE);
}
