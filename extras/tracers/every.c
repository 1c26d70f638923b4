// SPDX-License-Identifier: MIT
/*
 * A signal at every instruction of an installed tracer, without its source. The trap flag is set
 * around one record(); the SIGTRAP handler learns the instructions of an event. Then, for each of
 * them, a breakpoint (or the trap flag) interrupts an event there: the handler moves the clock,
 * records an event of its own, moves the clock again and lets the rest run. At depth 2 the
 * handler's event is stepped and interrupted in the same way. In some plans another, new thread
 * records in the middle, or the interrupted event is the first of its thread.
 *
 * $EVERY_CLOCK (clock_gettime or tsc), $EVERY_THREADS (0: no plans with more threads), $EVERY_WRAP
 * (bits of the tracer's short times), $EVERY_DEPTH, $EVERY_STRIDE, $EVERY_TURNS (events for each
 * instruction) and $EVERY_AT (PLAN:K[:L]: only that one) come from judge-tracer and the adapter's
 * `run`.
 */
#include "extras/tracers/every.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "extras/tracers/tracer.h"

static struct every_page *page;

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atol(text) : otherwise;
}

static int map_page(const char *folder)
{
	char path[512];
	int file;

	snprintf(path, sizeof(path), "%s/page", folder);
	file = open(path, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, EVERY_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	return page == MAP_FAILED;
}

#ifndef __x86_64__
int every_run(const char *folder)
{
	if (map_page(folder))
		return 1;
	page->state = EVERY_NO_TRAP;
	return 4;
}
#else

#include "extras/tracers/steps.h"

#define DEPTH_MOST 2
#define STEPS_MOST 2000000
#define TRAP 0x100
#define TICK_US 5000
#define WAITS 6 /* ticks in which an interrupting event did nothing: it never returns */
#define OUTER_WAITS 12000
#define LEARNT 4 /* events that are stepped to their ends, for each of EVERY_TURNS */
#define TRAP_PERF_ 6 /* si_code; too new for some C libraries */

enum { SIGNALS, THREAD, FIRST }; /* what interrupts; FIRST: signals, the first event of a thread */

static const struct every_plan {
	int before, after; /* 1: a wrap; 2: a tick less; 3: a tick more */
	int kind;
} plans[] = {
	{ 0, 0, SIGNALS }, { 1, 0, SIGNALS }, { 0, 1, SIGNALS }, { 1, 1, SIGNALS },
	{ 2, 0, SIGNALS }, { 3, 0, SIGNALS }, { 0, 2, SIGNALS }, { 0, 3, SIGNALS },
	{ 0, 0, THREAD },  { 1, 1, THREAD },  { 0, 0, FIRST },	 { 1, 1, FIRST },
};

#define PLANS (sizeof(plans) / sizeof(plans[0]))
#define DEEP_PLANS 3 /* at depth 2 */
#define ALONE_PLANS 8 /* of a tracer whose rings belong to their threads */
_Static_assert(PLANS == EVERY_FIRST + 2, "the last two are FIRST");

/*
 * An instruction of an event: the turn-th time that it comes to pc. All that were seen in events
 * that were stepped to their ends; a breakpoint of the CPU takes an event to one of them at full
 * speed.
 */
struct stop {
	uint64_t pc;
	uint32_t turn;
	bool masked; /* signals were blocked */
};
#define STOPS (1 << 17)
static struct stop stops[DEPTH_MOST][STOPS];
static uint32_t stop_count[DEPTH_MOST];
static struct seen {
	uint64_t pc, event;
	uint32_t now, most;
} seen[DEPTH_MOST][2 * STOPS];

static struct one {
	uint64_t stream, seq, entry, exit;
} logged[2 * DEPTH_MOST + 2];
static volatile int logged_count;
static uint64_t seq, next_stream;
static volatile struct level {
	const struct stop *stop; /* where it is to be interrupted */
	uint64_t steps, pc; /* pc: where it was interrupted */
	uint32_t hits;
	int breakpoint; /* -1: stepped */
	bool learns, runs, fired;
} level[DEPTH_MOST + 1];
static sigjmp_buf give_up[DEPTH_MOST + 1];
static volatile int now_level;
static volatile uint64_t moves; /* steps and events: progress */
static uint64_t stuck, stuck_pc, interrupted;
static const struct every_plan *plan;
static long depth, turns;
static uint32_t stride;
static uint64_t steps_most;
static bool tsc;
static pid_t process;
static bool slowly; /* by steps, not by a breakpoint */
static volatile int helper_asked, helper_done;

__attribute__((noreturn)) static void end_as(enum every_state state)
{
	page->state = state;
	for (;;)
		own_syscall(SYS_exit_group, 1);
}

static uint64_t jump(int kind)
{
	static uint64_t wrap;

	if (!wrap)
		wrap = 1ull << number_of("EVERY_WRAP", 27);
	return kind == 0 ? 0 : kind == 1 ? wrap : kind == 2 ? wrap - 1 : wrap + 1;
}

/* ---- an event, and what interrupts it ---- */

static void close_breakpoint(volatile struct level *own)
{
	if (own->breakpoint >= 0)
		own_syscall(SYS_close, own->breakpoint);
	own->breakpoint = -1;
}

static void event(int at_level, uint64_t stream)
{
	volatile struct level *own = &level[at_level];
	struct one *one = &logged[__atomic_fetch_add(&logged_count, 1, __ATOMIC_RELAXED)];

	*one = (struct one){ stream, __atomic_fetch_add(&seq, 1, __ATOMIC_RELAXED), 0, 0 };
	own->steps = own->hits = 0;
	own->fired = false;
	own->runs = true;
	own->breakpoint =
		own->stop && !slowly ? open_breakpoint(own->stop->pc, own->stop->turn) : -1;
	now_level = at_level;
	moves++;
	if (at_level && sigsetjmp(give_up[at_level], 1)) {
		one->entry = one->exit = 0; /* it never returned, so it has no window */
	} else {
		one->entry = tracer.clock();
		trap_flag(own->learns || (own->stop && own->breakpoint < 0));
		tracer.record((unsigned int)stream, one->seq);
		trap_flag(false);
		one->exit = tracer.clock();
	}
	own->runs = false;
	close_breakpoint(own);
	now_level = at_level - 1;
	moves++;
}

static void *fresh(void *arg)
{
	struct one *one = &logged[__atomic_fetch_add(&logged_count, 1, __ATOMIC_RELAXED)];

	(void)arg;
	*one = (struct one){ ++next_stream, __atomic_fetch_add(&seq, 1, __ATOMIC_RELAXED), 0, 0 };
	one->entry = tracer.clock();
	tracer.record((unsigned int)one->stream, one->seq);
	one->exit = tracer.clock();
	return NULL;
}

/* Starts a thread for each request: a signal handler cannot. */
static void *helper(void *arg)
{
	pthread_t thread;
	int served = 0;

	(void)arg;
	for (;; served++) {
		wait_while(&helper_asked, served, UINT64_MAX / 2);
		if (!pthread_create(&thread, NULL, fresh, NULL))
			pthread_join(thread, NULL);
		set_word(&helper_done, served + 1);
	}
	return NULL;
}

/* A thread that waits for a lock of the interrupted event goes on after it. */
static void ask_helper(void)
{
	set_word(&helper_asked, helper_asked + 1);
	wait_while(&helper_done, helper_asked - 1, 50);
}

static void fire(greg_t *reg)
{
	volatile struct level *own = &level[now_level];
	int error;

	/* Until then no function that the tracer may call: its breakpoint would come again. */
	close_breakpoint(own);
	error = errno;
	reg[REG_EFL] &= ~TRAP;
	if (own->fired || (page->masked && plan->kind != THREAD))
		return;
	own->fired = true;
	own->pc = page->pc;
	__atomic_fetch_add(&page->clock, jump(plan->before), __ATOMIC_RELAXED);
	if (plan->kind == THREAD)
		ask_helper();
	else
		event(now_level + 1, logged[0].stream);
	__atomic_fetch_add(&page->clock, jump(plan->after), __ATOMIC_RELAXED);
	errno = error;
}

static void note(uint64_t pc)
{
	struct seen *one = &seen[now_level][pc * 0x9e3779b97f4a7c15ull >> 46];

	while (one->pc && one->pc != pc)
		one = one + 1 < seen[now_level] + 2 * STOPS ? one + 1 : seen[now_level];
	if (one->event != seq)
		one->now = 0;
	one->event = seq;
	one->pc = pc;
	if (++one->now <= one->most)
		return;
	if (stop_count[now_level] == STOPS)
		end_as(EVERY_ENDLESS);
	one->most = one->now;
	stops[now_level][stop_count[now_level]++] = (struct stop){ pc, one->now, page->masked };
}

static void step(greg_t *reg)
{
	volatile struct level *own = &level[now_level];
	const uint8_t *code = (const uint8_t *)reg[REG_RIP];

	page->pc = (uint64_t)code;
	page->steps = ++own->steps;
	moves++;
	if (!tsc && code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 1 && code[2] == 0xf9)))
		end_as(EVERY_READS_TSC);
	if (own->steps > steps_most)
		end_as(EVERY_ENDLESS);
	if (own->learns)
		note(page->pc);
	else if (page->pc == own->stop->pc && ++own->hits == own->stop->turn)
		fire(reg);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const volatile struct level *own = &level[now_level];

	(void)number;
	if (thread_id() == page->owner) {
		if (info->si_code != TRAP_PERF_) {
			step(reg);
		} else if (own->runs && own->stop && own->stop->pc == (uint64_t)reg[REG_RIP]) {
			page->pc = (uint64_t)reg[REG_RIP];
			fire(reg);
		}
		return;
	}
	/* A thread or a process that the tracer started while it was stepped. */
	reg[REG_EFL] &= ~TRAP;
	if ((pid_t)own_syscall(SYS_getpid, 0) != process)
		page->state = EVERY_FORKS;
}

/* An instruction that reads the TSC, in a process that may not (PR_SET_TSC). */
static void on_fault(int number, siginfo_t *info, void *context)
{
	static uint64_t kernels;
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)reg[REG_RIP];
	bool reads = info->si_code == SI_KERNEL && code[0] == 0x0f, rdtscp = reads && code[1] == 1;
	uint64_t now;

	if (!reads || (code[1] != 0x31 && !(rdtscp && code[2] == 0xf9))) {
		signal(number, SIG_DFL); /* it comes again */
		return;
	}
	kernels = kernels ? kernels : getauxval(AT_SYSINFO_EHDR);
	if ((uint64_t)code - kernels < 8192) { /* clock_gettime() itself, in the vDSO */
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
		now = __builtin_ia32_rdtsc();
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	} else {
		now = __atomic_add_fetch(&page->clock, 7, __ATOMIC_RELAXED);
	}
	reg[REG_RAX] = (greg_t)(uint32_t)now;
	reg[REG_RDX] = (greg_t)(now >> 32);
	reg[REG_RIP] += rdtscp ? 3 : 2;
	if (rdtscp)
		reg[REG_RCX] = 0;
	/* The trap of this instruction is lost. */
	if ((reg[REG_EFL] & TRAP) && thread_id() == page->owner)
		step(reg);
}

static void abandon(void)
{
	stuck++;
	if (!stuck_pc)
		stuck_pc = level[now_level - 1].pc;
	page->masked = 0;
	siglongjmp(give_up[now_level], 1);
}

static void on_abort(int number)
{
	(void)number;
	if (thread_id() == page->owner && now_level > 0 && level[now_level].runs)
		abandon();
}

/* An event in a handler may wait for a lock that the interrupted event holds: it is given up. */
static void on_alarm(int number)
{
	static uint64_t seen;
	static int waits;

	if (thread_id() != page->owner) {
		syscall(SYS_tgkill, process, page->owner, number);
		return;
	}
	waits = moves == seen && level[0].runs ? waits + 1 : 0;
	seen = moves;
	if (waits >= WAITS && now_level > 0) {
		waits = 0;
		abandon();
	}
	if (waits > OUTER_WAITS)
		end_as(EVERY_ENDLESS);
}

/* ---- all of them ---- */

static FILE *truth, *told;

static void *first_event(void *arg)
{
	(void)arg;
	page->owner = thread_id();
	event(0, ++next_stream);
	return NULL;
}

/* One event, interrupted as the levels say; numbers of its stops for --at. Was it? */
static bool play(uint32_t k, uint32_t l)
{
	uint64_t first = seq;
	pthread_t thread;
	int i;

	page->at[0] = (uint32_t)(plan - plans);
	page->at[1] = k;
	page->at[2] = l;
	logged_count = 0;
	level[0].pc = level[1].pc = 0;
	level[1].fired = false;
	if (plan->kind == FIRST) {
		if (pthread_create(&thread, NULL, first_event, NULL))
			exit(3);
		pthread_join(thread, NULL);
		page->owner = process;
	} else {
		event(0, 0);
	}
	for (i = helper_asked - 1; helper_done != helper_asked; i = helper_done)
		if (!wait_while(&helper_done, i, 60000))
			end_as(EVERY_ENDLESS);
	if (page->state == EVERY_FORKS)
		end_as(EVERY_FORKS);
	for (i = 0; i < logged_count; i++)
		fprintf(truth, "event %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			logged[i].stream, logged[i].seq, logged[i].entry, logged[i].exit);
	fprintf(told, "play %" PRIu64 " %" PRIu64 " %d %u %u %" PRIx64 " %" PRIx64 "\n", first,
		seq - 1, (int)(plan - plans), k, l, level[0].pc, level[1].pc);
	__atomic_fetch_add(&page->clock, 1000, __ATOMIC_RELAXED);
	interrupted += level[0].fired + level[1].fired;
	return level[1].stop ? level[1].fired : level[0].fired;
}

static void learn(int at_level, long turns, uint32_t k)
{
	stop_count[at_level] = 0;
	memset(seen[at_level], 0, sizeof(seen[at_level]));
	level[at_level].stop = NULL;
	level[at_level].learns = true;
	while (turns--)
		play(k, 0);
	level[at_level].learns = false;
}

/* An event may take another way than those that were learnt from, and a repeated instruction has
 * only one breakpoint: so it is tried again, and then by steps. */
static void play_stop(int at_level, uint32_t at, uint32_t k, long turns)
{
	long tries, fired = 0;

	level[at_level].stop = &stops[at_level][at];
	for (tries = 0; fired < turns && tries < 4 * turns + 2; tries++) {
		slowly = tries >= 3 * turns + 1;
		fired += at_level ? play(k, at + 1) : play(at + 1, 0);
	}
	slowly = false;
}

static unsigned int only[DEPTH_MOST]; /* K and L of $EVERY_AT; 0: all */

static void through(int at_level, uint32_t k)
{
	uint32_t i = only[at_level] ? only[at_level] - 1 : 0;

	/* An event in a handler may take another way than when it was found. */
	if (at_level && stop_count[at_level])
		i %= stop_count[at_level];
	for (; i < stop_count[at_level]; i += only[at_level] ? STOPS : stride) {
		if (!only[at_level] && stops[at_level][i].masked && plan->kind != THREAD)
			continue;
		if (at_level + 1 < depth) {
			level[0].stop = &stops[0][i];
			learn(1, 1, i + 1);
			through(1, i + 1);
			level[1].stop = NULL;
		} else {
			play_stop(at_level, i, k, turns);
		}
	}
}

static void through_plans(void)
{
	const char *at = getenv("EVERY_AT");
	unsigned int chosen, masked;
	bool one = at && *at;
	uint64_t before;
	uint32_t i, k;

	if (one && (sscanf(at, "%u:%u:%u", &chosen, &only[0], &only[1]) < 1 || chosen >= PLANS))
		one = false;
	if (only[0])
		depth = only[1] ? 2 : 1;
	for (i = one ? chosen : 0; i < (one			      ? chosen + 1 :
					depth > 1		      ? DEEP_PLANS :
					number_of("EVERY_THREADS", 1) ? PLANS :
									ALONE_PLANS);
	     i++) {
		plan = &plans[i];
		before = interrupted;
		level[0].stop = level[1].stop = NULL;
		learn(0, LEARNT * turns, 0);
		through(0, 0);
		for (masked = 0, k = 0; k < stop_count[0]; k++)
			masked += stops[0][k].masked;
		fprintf(told, "plan %u %u %" PRIu64 " %u\n", i, stop_count[0], interrupted - before,
			masked);
	}
}

static int begin(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };
	struct timespec time, day;

	process = page->owner = thread_id();
	action.sa_sigaction = on_trap;
	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_fault;
	if (tsc)
		sigaction(SIGSEGV, &action, NULL);
	action = (struct sigaction){ .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_abort;
	sigaction(SIGABRT, &action, NULL);
	if (tsc) {
		page->clock = __builtin_ia32_rdtsc();
		if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV)) {
			page->state = EVERY_NO_TRAP;
			return 4;
		}
	} else {
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
		syscall(SYS_clock_gettime, CLOCK_REALTIME, &day);
		page->realtime = ((uint64_t)day.tv_sec - (uint64_t)time.tv_sec) * 1000000000;
		page->clock = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	}
	now_level = 0;
	level[0].learns = true;
	trap_flag(true);
	trap_flag(false);
	level[0].learns = false;
	if (moves)
		return 0;
	page->state = EVERY_NO_TRAP;
	return 4;
}

static FILE *create(const char *folder, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "w");
}

/* Where each library is, for names of instructions. */
static void copy_maps(const char *folder)
{
	FILE *from = fopen("/proc/self/maps", "r"), *to = create(folder, "maps");
	int c;

	while (from && to && (c = getc(from)) != EOF)
		putc(c, to);
	if (from)
		fclose(from);
	if (to)
		fclose(to);
}

int every_run(const char *folder)
{
	const struct itimerval tick = { { 0, TICK_US }, { 0, TICK_US } };
	static const struct itimerval none;
	const char *clock = getenv("EVERY_CLOCK");
	pthread_t thread;
	int code, i;

	if (map_page(folder))
		return 1;
	tsc = clock && !strcmp(clock, "tsc");
	plan = &plans[0];
	stride = (uint32_t)number_of("EVERY_STRIDE", 1);
	turns = number_of("EVERY_TURNS", 1);
	steps_most = (uint64_t)number_of("EVERY_STEPS", STEPS_MOST);
	code = begin();
	if (code)
		return code;
	truth = create(folder, "truth");
	told = create(folder, "plans");
	if (!truth || !told || pthread_create(&thread, NULL, helper, NULL))
		return 3;
	for (i = 0; i < 20; i++)
		play(0, 0);
	depth = number_of("EVERY_DEPTH", 1);
	depth = depth < DEPTH_MOST ? depth : DEPTH_MOST;
	copy_maps(folder);
	page->state = EVERY_RUNS;
	setitimer(ITIMER_REAL, &tick, NULL);
	through_plans();
	setitimer(ITIMER_REAL, &none, NULL);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	copy_maps(folder);
	fprintf(told, "stuck %" PRIu64 " %" PRIx64 "\n", stuck, stuck_pc);
	if (fclose(truth) || fclose(told))
		return 3;
	page->state = interrupted ? EVERY_DONE : EVERY_NO_TRAP;
	return interrupted ? 0 : 4;
}
#endif
