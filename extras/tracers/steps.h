/* SPDX-License-Identifier: MIT */
/* What every.c needs of Linux and x86-64: the trap flag, breakpoints, and words to wait for. */
#pragma once

#include <linux/futex.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Not that of the C library: it may be the very instruction at which the handler comes. */
static inline long own_syscall(long number, long argument)
{
	__asm__ volatile("syscall" : "+a"(number) : "D"(argument) : "rcx", "r11", "memory");
	return number;
}

static inline pid_t thread_id(void)
{
	return (pid_t)own_syscall(SYS_gettid, 0);
}

static inline void trap_flag(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
	else
		__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
}

/* A breakpoint of this thread: a SIGTRAP before the turn-th execution. -1: the machine has none. */
static inline int open_breakpoint(uint64_t pc, uint32_t turn)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.sample_period = turn,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = pc,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static inline uint64_t real_ms(void)
{
	struct timespec time;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* As long as the word has the value; signals end a wait. False: it has it still. */
static inline bool wait_while(volatile int *word, int value, uint64_t ms)
{
	const struct timespec tick = { 0, 100000000 };
	uint64_t end = real_ms() + ms;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value && real_ms() < end)
		syscall(SYS_futex, word, FUTEX_WAIT, value, &tick, NULL, 0);
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) != value;
}

static inline void set_word(volatile int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
