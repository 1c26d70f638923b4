// SPDX-License-Identifier: MIT
/* A tracer that is right, and what $FAULT plants: for test_every.sh. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "extras/tracers/tracer.h"

#define SLOTS (1 << 20)
#define BITS 27

static struct slot {
	uint64_t time, seq;
	uint32_t stream, delta;
} slots[SLOTS], scratch;
static volatile uint64_t count, lost, last, lock, inside;
static uint64_t guarded;
static __thread volatile int ready, bias;
static char fault[32];

/* A record of instructions that each compiler leaves alone; it takes another way at odd events. */
extern void small(unsigned int stream, uint64_t seq);
char small_tsc, small_bytes[2];
int small_odd;
__asm__(".globl small, small_end\nsmall: nop; mov $2, %ecx; 1: dec %ecx; jnz 1b\n"
	"test %esi, small_odd(%rip); jz 2f; nop; 2: testb $1, small_tsc(%rip); jz 3f; rdtsc\n"
	"rdtscp; 3: lea small_bytes(%rip), %rdi; mov $2, %ecx; rep stosb; ret\nsmall_end:");

static int is(const char *name)
{
	return !strcmp(fault, name);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	if (small_tsc || is("tsc"))
		return __builtin_ia32_rdtsc();
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The claim fails if another event came after the clock was read. */
static void right(unsigned int stream, uint64_t seq)
{
	uint64_t at, time;

	do {
		at = count;
		time = now();
	} while (!__atomic_compare_exchange_n(&count, &at, at + 1, 0, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	slots[at] = (struct slot){ time, seq, stream, 0 };
}

/* Every claim is two instructions. */
static void plain(unsigned int stream, uint64_t seq)
{
	uint64_t at = count;

	slots[at] = (struct slot){ now(), seq, stream, 0 };
	count = at + 1;
}

static void late_claim(unsigned int stream, uint64_t seq)
{
	uint64_t time = now();

	slots[__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST)] =
		(struct slot){ time, seq, stream, 0 };
}

/* The right claim, and a difference that loses its wraps if an event comes after the sum was
 * stored. */
static void short_delta(unsigned int stream, uint64_t seq)
{
	uint64_t at, time, before;

	do {
		at = count;
		before = last;
		time = now();
	} while (!__atomic_compare_exchange_n(&count, &at, at + 1, 0, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	slots[at] = (struct slot){ 0, seq, stream, (uint32_t)(time - before) & ((1 << BITS) - 1) };
	if ((time - before) >> BITS)
		slots[at].time = time;
	last = time;
}

static void shared_scratch(unsigned int stream, uint64_t seq)
{
	uint64_t at;

	do {
		at = count;
		scratch = (struct slot){ now(), seq, stream, 0 };
	} while (!__atomic_compare_exchange_n(&count, &at, at + 1, 0, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	slots[at] = scratch;
}

static void masked(unsigned int stream, uint64_t seq, int by_libc)
{
	uint64_t all = ~0ull, before[16] = { 0 };

	if (by_libc) {
		sigset_t every;

		sigfillset(&every);
		pthread_sigmask(SIG_BLOCK, &every, (sigset_t *)before);
	} else {
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, before, 8);
	}
	plain(stream, seq);
	if (by_libc)
		pthread_sigmask(SIG_SETMASK, (sigset_t *)before, NULL);
	else
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, 8);
}

static void record(unsigned int stream, uint64_t seq)
{
	if (is("small"))
		small(stream, seq);
	else if (is("claim") || is("masked") || is("raw"))
		is("claim") ? plain(stream, seq) : masked(stream, seq, is("masked"));
	else if (is("order"))
		late_claim(stream, seq);
	else if (is("delta"))
		short_delta(stream, seq);
	else if (is("scratch"))
		shared_scratch(stream, seq);
	else if ((is("guard") || is("counted")) && inside) {
		guarded += is("counted");
	} else if (is("aborts") && inside) {
		abort();
	} else if (is("deep") && inside > 1) {
		lost++;
	} else if (is("fork") && count == 21 && !vfork()) {
		_exit(0);
	} else if (is("endless") && count == 21) {
		for (;;)
			inside++;
	} else if (is("stuck")) {
		while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
			;
		right(stream, seq);
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	} else {
		/* What a thread has to set up once, an event in between takes as done. */
		if (is("first") && !ready) {
			ready = 1;
			bias = 1;
			slots[SLOTS - 1].time = now();
			bias = 0;
		}
		errno = 0; /* the interrupting handler calls this libc function, too */
		inside++;
		right(stream, is("first") && bias ? seq + SLOTS : seq);
		inside--;
	}
}

static int open_toy(const char *folder)
{
	(void)folder;
	small_tsc = getenv("EVERY_CLOCK") && *getenv("EVERY_CLOCK") == 't';
	small_odd = !getenv("EVERY_DEPTH");
	strncpy(fault, getenv("FAULT") ? getenv("FAULT") : "", sizeof(fault) - 1);
	return 0;
}

static int say(const char *folder, FILE *decoded)
{
	uint64_t i, time = 0;

	(void)folder;
	for (i = 0; i < count; i++) {
		time = slots[i].time ? slots[i].time : time + slots[i].delta;
		fprintf(decoded, "event %u %lu %lu\n", slots[i].stream, slots[i].seq, time);
	}
	if (guarded)
		fprintf(decoded, "lost - %lu\n", guarded);
	return 0;
}

const struct tracer_calls tracer = { open_toy, record, now, say };
