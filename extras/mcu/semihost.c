// SPDX-License-Identifier: MIT
/* Files of the host, and the end, by Arm's semihosting, which qemu has for RISC-V too. */
#include "extras/mcu/machine.h"

enum { SYS_OPEN = 1, SYS_WRITE0 = 4, SYS_WRITE = 5, SYS_EXIT_EXTENDED = 0x20 };

static uint32_t file;

static uint32_t semihost(uint32_t what, const void *with)
{
#ifdef __riscv
	register uint32_t a0 __asm__("a0") = what;
	register const void *a1 __asm__("a1") = with;

	__asm__ volatile(".option push\n\t.option norvc\n\t.balign 16\n\tslli x0, x0, 0x1f\n\t"
			 "ebreak\n\tsrai x0, x0, 7\n\t.option pop"
			 : "+r"(a0)
			 : "r"(a1)
			 : "memory");
	return a0;
#else
	register uint32_t r0 __asm__("r0") = what;
	register const void *r1 __asm__("r1") = with;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
#endif
}

void machine_open(const char *name)
{
	const char *end = name;

	while (*end)
		end++;
	file = semihost(SYS_OPEN, (const uint32_t[]){ (uint32_t)name, 5, (uint32_t)(end - name) });
}

void machine_write(const void *bytes, uint32_t count)
{
	if (semihost(SYS_WRITE, (const uint32_t[]){ file, (uint32_t)bytes, count })) {
		machine_say("board: cannot write\n");
		machine_exit(3);
	}
}

void machine_say(const char *text)
{
	semihost(SYS_WRITE0, text);
}

_Noreturn void machine_exit(int code)
{
	semihost(SYS_EXIT_EXTENDED, (const uint32_t[]){ 0x20026, (uint32_t)code });
	for (;;)
		;
}

void machine_say_hex(const char *name, uint32_t value)
{
	char text[12];
	int i;

	for (i = 0; i < 8; i++)
		text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	text[8] = '\n';
	text[9] = 0;
	machine_say(name);
	machine_say(text);
}
