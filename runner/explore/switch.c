// SPDX-License-Identifier: MIT
#include "switch.h"

#include <string.h>

uintptr_t switch_writer_sp;
uintptr_t switch_engine_sp;

void switch_done(void);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl explore_stop\n"
	".type explore_stop, @function\n"
	"explore_stop:\n"
	"	pushfq\n"
	"	pushq %rax\n	pushq %rcx\n	pushq %rdx\n	pushq %rbx\n"
	"	pushq %rbp\n	pushq %rsi\n	pushq %rdi\n"
	"	pushq %r8\n	pushq %r9\n	pushq %r10\n	pushq %r11\n"
	"	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, switch_writer_sp(%rip)\n"
	"	movl $1, %eax\n"
	"	jmp switch_back\n"
	".size explore_stop, .-explore_stop\n"

	".globl switch_done\n"
	".type switch_done, @function\n"
	"switch_done:\n"
	"	movl $2, %eax\n"
	"switch_back:\n"
	"	movq switch_engine_sp(%rip), %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n"
	"	popq %rbp\n	popq %rbx\n"
	"	cld\n"
	"	ret\n"
	".size switch_done, .-switch_done\n"

	".globl switch_resume\n"
	".type switch_resume, @function\n"
	"switch_resume:\n"
	"	pushq %rbx\n	pushq %rbp\n"
	"	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, switch_engine_sp(%rip)\n"
	"	movq switch_writer_sp(%rip), %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n"
	"	popq %r11\n	popq %r10\n	popq %r9\n	popq %r8\n"
	"	popq %rdi\n	popq %rsi\n	popq %rbp\n"
	"	popq %rbx\n	popq %rdx\n	popq %rcx\n	popq %rax\n"
	"	popfq\n"
	"	ret\n"
	".size switch_resume, .-switch_resume\n");

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame;
	uintptr_t *back;

	/* As after a call: the return address lies 8 below a multiple of 16. */
	back = (uintptr_t *)((sp & ~(uintptr_t)15) - 8);
	*back = (uintptr_t)switch_done;
	frame = (struct switch_frame *)back - 1;
	memset(frame, 0, sizeof(*frame));
	frame->rdi = arguments[0];
	frame->rsi = arguments[1];
	frame->rdx = arguments[2];
	frame->rcx = arguments[3];
	frame->flags = 0x202;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#endif

/* A labelled point is a stop that the compiler knows of. */
void explore_point(const char *label);
#if defined(__x86_64__)
__asm__(".globl explore_point\n"
	".type explore_point, @function\n"
	"explore_point:\n"
	"	jmp explore_stop\n"
	".size explore_point, .-explore_point\n");
#endif
