// SPDX-License-Identifier: MIT
/*
 * The board virt of qemu-system-riscv32. Level 1 is the software interrupt, which level 2, the
 * machine timer, raises as it ends; level 3 is the alarm of the Goldfish clock, an external
 * interrupt. A trap masks its own level and those below it, and lets others in: RV32 has one timer
 * for each hart and no priorities of its own.
 */
#include "extras/mcu/machine.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define MSIP 0x02000000
#define MTIMECMP 0x02004000
#define RTC 0x00101000
#define PLIC 0x0C000000
#define IRQ_RTC 11
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" : : "r"(value) : "memory")
#define CSR_READ(name) \
	(__extension__({ \
		uint32_t value_; \
		__asm__ volatile("csrr %0, " #name : "=r"(value_) : : "memory"); \
		value_; \
	}))

/* mie of levels 1 to 3, and of what may interrupt each. */
enum { IE_1 = 1 << 3, IE_2 = 1 << 7, IE_3 = 1 << 11, INTERRUPTS_ON = 8 };
static const uint32_t above[LEVELS + 1] = { IE_1 | IE_2 | IE_3, IE_2 | IE_3, IE_3, 0 };

static void acknowledge(unsigned int level)
{
	if (level == 1)
		REG(MSIP) = 0;
	if (level == 2)
		REG(MTIMECMP + 4) = UINT32_MAX;
	if (level == 3) {
		REG(RTC + 0x1C) = 1;
		REG(PLIC + 0x200004) = REG(PLIC + 0x200004); /* claimed and done */
	}
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void)
{
	uint32_t cause = CSR_READ(mcause), pc = CSR_READ(mepc), status = CSR_READ(mstatus);
	uint32_t enabled = CSR_READ(mie);
	unsigned int level = (cause + 1) / 4 & 3; /* 3, 7 and 11 */

	if (!(cause >> 31)) {
		machine_say("board: fault\n");
		machine_say_hex("pc    ", pc);
		machine_say_hex("cause ", cause);
		machine_say_hex("tval  ", CSR_READ(mtval));
		machine_exit(3);
	}
	acknowledge(level);
	CSR_WRITE(mie, above[level]);
	CSR_WRITE(mstatus, status | INTERRUPTS_ON);
	record_interrupt(level, pc);
	CSR_WRITE(mstatus, status);
	CSR_WRITE(mie, enabled);
	CSR_WRITE(mepc, pc);
}

void machine_start(void)
{
	acknowledge(2);
	REG(RTC + 0x10) = 1;
	REG(PLIC + 4 * IRQ_RTC) = 1;
	REG(PLIC + 0x2000) = 1u << IRQ_RTC;
	CSR_WRITE(mtvec, (uint32_t)trap);
	CSR_WRITE(mie, above[0]);
	CSR_WRITE(mstatus, CSR_READ(mstatus) | INTERRUPTS_ON);
}

void machine_again(unsigned int level, uint32_t ticks)
{
	uint32_t low = REG(RTC), high = REG(RTC + 4), later = low + ticks * 40;

	if (level == 3) {
		REG(RTC + 0x0C) = high + (later < low);
		REG(RTC + 0x08) = later;
	}
	if (level == 2) {
		low = REG(0x0200BFF8);
		high = REG(0x0200BFFC);
		later = low + ticks * 4 / 10;
		REG(MTIMECMP) = later;
		REG(MTIMECMP + 4) = high + (later < low);
		REG(MSIP) = ticks & 1;
	}
}

void machine_stop(void)
{
	CSR_WRITE(mie, 0);
}

__attribute__((naked, section(".start"))) _Noreturn void _start(void)
{
	__asm__ volatile("la sp, stack_top\n\tcall record_main\n\tcall machine_exit");
}
