// SPDX-License-Identifier: MIT
/*
 * The board mps2-an385 (Cortex-M3) of qemu-system-arm. Level 1 is CMSDK timer 1,
 * level 2 CMSDK timer 0, level 3 SysTick; the clock is the first counter of the dual timer. qemu
 * has no cycle counter (DWT).
 */
#include "extras/mcu/machine.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define SYSTICK 0xE000E010
#define TIMER(level) (0x40000000 + 0x1000 * ((level) == 1)) /* of levels 1 and 2 */
#define IRQ(level) (8 + ((level) == 1))
#define DUAL 0x40002000

void machine_start(void)
{
	unsigned int level;

	REG(DUAL) = UINT32_MAX;
	REG(DUAL + 8) = 0x82; /* enabled, 32 bits, free-running */
	for (level = 1; level <= 2; level++) {
		*(volatile uint8_t *)(0xE000E400 + IRQ(level)) = (uint8_t)(0xC0 - 0x40 * level);
		REG(0xE000E100) = 1u << IRQ(level);
	}
	REG(0xE000ED20) = 0; /* SysTick's priority */
}

void machine_again(unsigned int level, uint32_t ticks)
{
	if (level == 3) {
		REG(SYSTICK + 4) = ticks;
		REG(SYSTICK + 8) = 0;
		REG(SYSTICK) = 7;
		return;
	}
	REG(TIMER(level) + 12) = 1;
	REG(TIMER(level) + 8) = ticks;
	REG(TIMER(level) + 4) = ticks;
	REG(TIMER(level)) = 9;
}

void machine_stop(void)
{
	REG(SYSTICK) = 0;
	REG(TIMER(1)) = 0;
	REG(TIMER(2)) = 0;
}

/* What comes instead of an instruction, with the eight registers that the CPU has stacked. */
void fault(const uint32_t *frame)
{
	static const char *const name[] = { "r0  ", "r1  ", "r2  ", "r3  ",
					    "r12 ", "lr  ", "pc  ", "psr " };
	int i;

	machine_say("board: fault\n");
	for (i = 0; i < 8; i++)
		machine_say_hex(name[i], frame[i]);
	machine_say_hex("cfsr ", REG(0xE000ED28));
	machine_exit(3);
}

void interrupt(const uint32_t *frame, unsigned int level)
{
	record_interrupt(level, frame[6]);
}

/* With the stacked registers as the first argument. */
#define HANDLER(name, level, function) \
	__attribute__((naked)) static void name(void) \
	{ \
		__asm__ volatile("mov r0, sp\n\tmovs r1, #" #level "\n\tldr r2, =" #function \
				 "\n\tbx r2\n\t.ltorg"); \
	}

HANDLER(on_fault, 0, fault)
HANDLER(on_timer_1, 1, interrupt)
HANDLER(on_timer_0, 2, interrupt)
HANDLER(on_systick, 3, interrupt)

_Noreturn void reset(void)
{
	machine_exit(record_main());
}

extern const char stack_top[];
__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 32] = {
	stack_top,
	reset,
	on_fault,
	on_fault,
	on_fault,
	on_fault,
	on_fault,
	[15] = on_systick,
	[16 + 8] = on_timer_0,
	[16 + 9] = on_timer_1,
};
