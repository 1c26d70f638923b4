// SPDX-License-Identifier: MIT
#include "judge/trapped.h"

#include <signal.h>
#include <stddef.h>

#include "schemes/core/clock.h"

#ifdef __x86_64__
#include <sys/prctl.h>
#include <ucontext.h>

static struct {
	void (*hook)(void *arg);
	void *arg;
	bool hooked;
	struct sigaction before;
} trapped;

static void on_read(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)registers[REG_RIP];
	uint64_t now;

	(void)info;
	if (at[0] != 0x0f || at[1] != 0x31) { /* no rdtsc: a fault of its own */
		sigaction(signal, &trapped.before, NULL);
		return;
	}
	if (trapped.hook && !trapped.hooked) {
		trapped.hooked = true;
		trapped.hook(trapped.arg);
		trapped.hooked = false;
	}
	now = virtual_clock.now;
	virtual_clock.now += virtual_clock.step;
	registers[REG_RAX] = (greg_t)(now & UINT32_MAX);
	registers[REG_RDX] = (greg_t)(now >> 32);
	registers[REG_RIP] += 2;
}

static void on_probe(void *arg)
{
	*(volatile sig_atomic_t *)arg = 1;
}

bool trapped_begin(void (*hook)(void *arg), void *arg)
{
	volatile sig_atomic_t seen = 0;
	struct sigaction action = { .sa_sigaction = on_read, .sa_flags = SA_SIGINFO | SA_NODEFER };

	trapped.hook = on_probe;
	trapped.arg = (void *)&seen;
	if (sigaction(SIGSEGV, &action, &trapped.before))
		return false;
	/* Some hypervisors let a guest read the counter all the same. */
	if (!prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		__asm__ volatile("rdtsc" : : : "rax", "rdx", "memory");
	trapped.hook = hook;
	trapped.arg = arg;
	if (!seen)
		trapped_end();
	return seen;
}

void trapped_end(void)
{
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	sigaction(SIGSEGV, &trapped.before, NULL);
}
#else
bool trapped_begin(void (*hook)(void *arg), void *arg)
{
	(void)hook;
	(void)arg;
	return false;
}

void trapped_end(void)
{
}
#endif
