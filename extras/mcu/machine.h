/* SPDX-License-Identifier: MIT */
/* What a board gives to the program that records on it (record.c). */
#pragma once

#include <stdint.h>

#ifdef __riscv
enum { MACHINE_TICK_NS = 100 };

/* The low half of mtime, at 10 MHz. */
static inline uint32_t machine_counter(void)
{
	return *(const volatile uint32_t *)0x0200BFF8;
}
#else
enum { MACHINE_TICK_NS = 40 };

/* The first counter of the dual timer, which runs down at 25 MHz. */
static inline uint32_t machine_counter(void)
{
	return ~*(const volatile uint32_t *)0x40002004;
}
#endif

enum { LEVELS = 3 }; /* of interrupts; the highest number interrupts all others */

void machine_start(void);
void machine_stop(void);

/* Interrupt `level` has come, and comes again after so many ticks. */
void machine_again(unsigned int level, uint32_t ticks);

/* To a file of the host, and the end. */
void machine_open(const char *name);
void machine_write(const void *bytes, uint32_t count);
void machine_say(const char *text);
void machine_say_hex(const char *name, uint32_t value);
_Noreturn void machine_exit(int code);

/* The program: its thread, and what interrupts it at `pc`. */
int record_main(void);
void record_interrupt(unsigned int level, uint32_t pc);
