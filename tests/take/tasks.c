/* SPDX-License-Identifier: MIT */
/*
 * Firmware for qemu's mps2-an386 (Cortex-M4) or an385: a scheduler switches between two tasks that
 * record, wherever they are (SysTick, PendSV), and two timers of different priorities interrupt
 * them and each other. -DSLEEP: task a sleeps so many ticks now and then. -DCRASH: the ring
 * overwrites, and its memory goes to the file ring.bin when the timer of the higher priority has
 * recorded so many. Each event has its number and the clock; what is counted goes to the file
 * counts.
 */
#include <stdint.h>
#define REG(address) (*(volatile uint32_t *)(address))
static uint32_t slept;
#define PACKED_WORD32_CLOCK() (~REG(0x40002004) + slept)
#include "packed_word32_reader.h"

#ifndef EVENTS
#define EVENTS 30000
#endif
enum { TASK_A, TASK_B, LOW, HIGH, SLEPT, KINDS };
static const uint32_t words[KINDS] = { 2, 2, 2, 2, 2 };
static struct packed_word32_recorder ring;
static volatile uint32_t counts[KINDS], switches, seed = 12345;
static uint32_t file, stacks[2][512] __attribute__((aligned(8)));
uint32_t *other_stack;

void *memset(void *to, int value, size_t count)
{
	for (volatile uint8_t *at = to; count--; at++)
		*at = (uint8_t)value;
	return to;
}

void *memcpy(void *to, const void *from, size_t count)
{
	for (volatile uint8_t *at = to; count--; at++)
		*at = *(const uint8_t *)from, from = (const uint8_t *)from + 1;
	return to;
}

static uint32_t semihost(uint32_t what, const void *with)
{
	register uint32_t r0 __asm__("r0") = what;
	register const void *r1 __asm__("r1") = with;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

static void put(const char *name, uint32_t length, const void *bytes, uint32_t size)
{
	uint32_t to = semihost(1, (const uint32_t[]){ (uint32_t)name, 5, length });

	semihost(5, (const uint32_t[]){ to, (uint32_t)bytes, size });
	semihost(2, &to);
}

static uint32_t draw(void)
{
	return seed = seed * 1664525u + 1013904223u;
}

static void step(uint32_t kind)
{
	uint32_t payload[2] = { counts[kind], PACKED_WORD32_CLOCK() };

	counts[kind] += packed_word32_write(&ring, kind, payload, 2);
}

static void on_low(void)
{
	REG(0x4000000C) = 1;
	step(LOW);
	REG(0x40000008) = 200 + (draw() >> 22);
}

static void end(void);

static void on_high(void)
{
	REG(0x4000100C) = 1;
	step(HIGH);
#ifdef CRASH /* wherever it is */
	if (counts[HIGH] == EVENTS)
		end();
#endif
	REG(0x40001008) = 300 + (draw() >> 22);
}

static void on_systick(void)
{
	switches++;
	REG(0xE000E014) = 500 + (draw() >> 21);
	REG(0xE000E018) = 0;
	REG(0xE000ED04) = 1u << 28;
}

__attribute__((naked)) static void on_pendsv(void)
{
	__asm__ volatile("mrs r0, psp\n\tstmdb r0!, {r4-r11}\n\tcpsid i\n\tldr r1, "
			 "=other_stack\n\tldr r2, [r1]\n\t"
			 "str r0, [r1]\n\tldmia r2!, {r4-r11}\n\tmsr psp, r2\n\tcpsie i\n\tmvn r0, "
			 "#2\n\tbx r0\n\t.ltorg");
}

static volatile uint32_t b_records, b_stops;

static void task_b(void)
{
	for (;;) {
		b_records = !b_stops;
		if (!b_stops)
			step(TASK_B);
		b_records = 0;
	}
}

static inline void drain(void)
{
	struct packed_word32_filled packet;

	for (; packed_word32_read(&ring, &packet); packed_word32_release(&ring, &packet))
		semihost(5, (const uint32_t[]){ file, (uint32_t)packet.bytes, packet.size });
}

static void task_a(void)
{
#ifdef CRASH
	for (;;) {
#else
	while (counts[TASK_A] < EVENTS) {
#endif
		step(TASK_A);
#ifndef CRASH
		drain();
#endif
#ifdef SLEEP
		if (counts[TASK_A] % 512 == 511) {
			__asm__ volatile("cpsid i");
			if (counts[TASK_A] % 1024 == 511) { /* nothing is left to be read, or all */
				packed_word32_flush_open(&ring);
				drain();
			}
			slept += (uint32_t)(SLEEP);
			packed_word32_sleep(&ring, SLEEP);
			step(SLEPT);
			__asm__ volatile("cpsie i");
			counts[TASK_A]++; /* a number that is missing says where */
		}
#endif
	}
	b_stops = 1;
	for (;;) { /* a task that is stopped within a record would hold its packet back */
		__asm__ volatile("cpsid i");
		if (!b_records)
			break;
		__asm__ volatile("cpsie i");
	}
	packed_word32_flush_open(&ring);
	drain();
	end();
}

static void end(void)
{
	REG(0xE000E010) = 0;
#ifdef CRASH
	put("ring.bin", 8, &ring, sizeof(ring));
#endif
	put("counts", 6,
	    (const uint32_t[]){ counts[0], counts[1], counts[2], counts[3], switches,
				packed_word32_lost(&ring), sizeof(ring), counts[4] },
	    32);
	semihost(0x20, (const uint32_t[]){ 0x20026, packed_word32_refused(&ring) != 0 });
}

void start(void)
{
	uint32_t *stack = stacks[1] + 512, i;

	file = semihost(1, (const uint32_t[]){ (uint32_t) "trace/0", 5, 7 });
	REG(0x40002008) = 0x82;
	packed_word32_open(&ring, words, KINDS);
	*(volatile uint8_t *)(0xE000E400 + 8) =
		0x40; /* the timers' priorities; those of PendSV and SysTick */
	*(volatile uint8_t *)(0xE000E400 + 9) = 0x00;
	REG(0xE000ED20) = 0xC0FF0000;
	REG(0xE000E100) = 3u << 8;
	for (i = 0; i < 2; i++) {
		REG(0x40000004 + 0x1000 * i) = REG(0x40000008 + 0x1000 * i) = 500;
		REG(0x40000000 + 0x1000 * i) = 9;
	}
	*--stack = 0x01000000; /* what an interrupt has saved of task b */
	*--stack = (uint32_t)task_b;
	for (i = 0; i < 14; i++)
		*--stack = 0;
	other_stack = stack;
	REG(0xE000E014) = 999;
	REG(0xE000E010) = 7;
	__asm__ volatile("msr psp, %0\n\tmovs r0, #2\n\tmsr control, r0\n\tisb\n\tbx %1"
			 :
			 : "r"(stacks[0] + 512), "r"(task_a)
			 : "r0");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[32])(void) = {
	(void (*)(void))0x20400000, start,	   [14] = on_pendsv,
	[15] = on_systick,	    [24] = on_low, [25] = on_high
};
