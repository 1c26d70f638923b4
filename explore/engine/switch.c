// SPDX-License-Identifier: MIT
#include "explore/engine/switch.h"

#include <string.h>

#include "base/bytes.h"

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
	bytes_clear(frame, sizeof(*frame));
	frame->rdi = arguments[0];
	frame->rsi = arguments[1];
	frame->rdx = arguments[2];
	frame->rcx = arguments[3];
	frame->flags = 0x202;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#elif defined(__i386__)
__asm__(".text\n"
	".globl explore_stop\n"
	".type explore_stop, @function\n"
	"explore_stop:\n"
	"	pushfl\n"
	"	pushal\n"
	"	movl %esp, switch_writer_sp\n"
	"	movl $1, %eax\n"
	"	jmp switch_back\n"
	".size explore_stop, .-explore_stop\n"

	".globl switch_done\n"
	".type switch_done, @function\n"
	"switch_done:\n"
	"	movl $2, %eax\n"
	"switch_back:\n"
	"	movl switch_engine_sp, %esp\n"
	"	popl %edi\n	popl %esi\n	popl %ebx\n	popl %ebp\n"
	"	cld\n"
	"	ret\n"
	".size switch_done, .-switch_done\n"

	".globl switch_resume\n"
	".type switch_resume, @function\n"
	"switch_resume:\n"
	"	pushl %ebp\n	pushl %ebx\n	pushl %esi\n	pushl %edi\n"
	"	movl %esp, switch_engine_sp\n"
	"	movl switch_writer_sp, %esp\n"
	"	popal\n"
	"	popfl\n"
	"	ret\n"
	".size switch_resume, .-switch_resume\n");

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame;
	uintptr_t *stack;

	/* As after a call: the arguments begin at a multiple of 16, the return address below. */
	stack = (uintptr_t *)((sp & ~(uintptr_t)15) - 16);
	memcpy(stack, arguments, 4 * sizeof(*stack));
	*--stack = (uintptr_t)switch_done;
	frame = (struct switch_frame *)stack - 1;
	bytes_clear(frame, sizeof(*frame));
	frame->flags = 0x202;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#elif defined(__aarch64__)
/* A call may clobber x16 and x17, and every stop is one. Vector registers are not used. */
__asm__(".text\n"
	".globl explore_stop\n"
	".type explore_stop, %function\n"
	"explore_stop:\n"
	"	sub sp, sp, #272\n"
	"	stp x0, x1, [sp, #0]\n	stp x2, x3, [sp, #16]\n"
	"	stp x4, x5, [sp, #32]\n	stp x6, x7, [sp, #48]\n"
	"	stp x8, x9, [sp, #64]\n	stp x10, x11, [sp, #80]\n"
	"	stp x12, x13, [sp, #96]\n	stp x14, x15, [sp, #112]\n"
	"	stp xzr, xzr, [sp, #128]\n	stp x18, x19, [sp, #144]\n"
	"	stp x20, x21, [sp, #160]\n	stp x22, x23, [sp, #176]\n"
	"	stp x24, x25, [sp, #192]\n	stp x26, x27, [sp, #208]\n"
	"	stp x28, x29, [sp, #224]\n"
	"	mrs x9, nzcv\n"
	"	stp x30, x9, [sp, #240]\n"
	"	stp x30, xzr, [sp, #256]\n"
	"	mov x9, sp\n"
	"	adrp x10, switch_writer_sp\n"
	"	str x9, [x10, #:lo12:switch_writer_sp]\n"
	"	mov w0, #1\n"
	"	b switch_back\n"
	".size explore_stop, .-explore_stop\n"

	".globl switch_done\n"
	".type switch_done, %function\n"
	"switch_done:\n"
	"	mov w0, #2\n"
	"switch_back:\n"
	"	adrp x10, switch_engine_sp\n"
	"	ldr x9, [x10, #:lo12:switch_engine_sp]\n"
	"	mov sp, x9\n"
	"	ldp x19, x20, [sp, #0]\n	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
	"	add sp, sp, #96\n"
	"	ret\n"
	".size switch_done, .-switch_done\n"

	".globl switch_resume\n"
	".type switch_resume, %function\n"
	"switch_resume:\n"
	"	sub sp, sp, #96\n"
	"	stp x19, x20, [sp, #0]\n	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
	"	mov x9, sp\n"
	"	adrp x10, switch_engine_sp\n"
	"	str x9, [x10, #:lo12:switch_engine_sp]\n"
	"	adrp x10, switch_writer_sp\n"
	"	ldr x9, [x10, #:lo12:switch_writer_sp]\n"
	"	mov sp, x9\n"
	"	ldp x30, x9, [sp, #240]\n"
	"	msr nzcv, x9\n"
	"	ldr x17, [sp, #256]\n"
	"	ldp x0, x1, [sp, #0]\n	ldp x2, x3, [sp, #16]\n"
	"	ldp x4, x5, [sp, #32]\n	ldp x6, x7, [sp, #48]\n"
	"	ldp x8, x9, [sp, #64]\n	ldp x10, x11, [sp, #80]\n"
	"	ldp x12, x13, [sp, #96]\n	ldp x14, x15, [sp, #112]\n"
	"	ldp x18, x19, [sp, #144]\n	ldp x20, x21, [sp, #160]\n"
	"	ldp x22, x23, [sp, #176]\n	ldp x24, x25, [sp, #192]\n"
	"	ldp x26, x27, [sp, #208]\n	ldp x28, x29, [sp, #224]\n"
	"	add sp, sp, #272\n"
	"	br x17\n"
	".size switch_resume, .-switch_resume\n");

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame = (struct switch_frame *)(sp & ~(uintptr_t)15) - 1;

	bytes_clear(frame, sizeof(*frame));
	memcpy(frame->x, arguments, 4 * sizeof(*arguments));
	frame->x[30] = (uintptr_t)switch_done;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#elif defined(__arm__)
/*
 * ARM code, called from either kind: addresses of Thumb functions are odd, and bx heeds that. d8 to
 * d15, where there are any, are kept over a call, and compilers move 64 bits through them.
 */
#ifdef __ARM_FP
#define VSTM "	vstm r1, {d8-d15}\n"
#define VLDM "	vldm r12, {d8-d15}\n"
#define VPUSH "	vpush {d8-d15}\n"
#define VPOP "	vpop {d8-d15}\n"
#else
#define VSTM
#define VLDM
#define VPUSH
#define VPOP
#endif
__asm__(".text\n"
	".arm\n"
	".align 2\n"
	".globl explore_stop\n"
	".type explore_stop, %function\n"
	"explore_stop:\n"
	"	sub sp, sp, #128\n"
	"	stm sp, {r0-r12}\n"
	"	mrs r0, apsr\n"
	"	str lr, [sp, #52]\n	str r0, [sp, #56]\n	str lr, [sp, #60]\n"
	"	add r1, sp, #64\n" VSTM "	ldr r1, 2f\n"
	"1:	add r1, pc, r1\n"
	"	str sp, [r1]\n"
	"	mov r0, #1\n"
	"	b switch_back\n"
	"2:	.word switch_writer_sp - (1b + 8)\n"
	".size explore_stop, .-explore_stop\n"

	".globl switch_done\n"
	".type switch_done, %function\n"
	"switch_done:\n"
	"	mov r0, #2\n"
	"switch_back:\n"
	"	ldr r1, 2f\n"
	"1:	add r1, pc, r1\n"
	"	ldr sp, [r1]\n" VPOP "	pop {r4-r12, pc}\n"
	"2:	.word switch_engine_sp - (1b + 8)\n"
	".size switch_done, .-switch_done\n"

	".globl switch_resume\n"
	".type switch_resume, %function\n"
	"switch_resume:\n"
	"	push {r4-r12, lr}\n" VPUSH "	ldr r1, 3f\n"
	"1:	add r1, pc, r1\n"
	"	str sp, [r1]\n"
	"	ldr r1, 4f\n"
	"2:	add r1, pc, r1\n"
	"	ldr sp, [r1]\n"
	"	add r12, sp, #64\n" VLDM "	ldr r12, [sp, #56]\n"
	"	msr apsr_nzcvq, r12\n"
	"	ldr lr, [sp, #52]\n	ldr r12, [sp, #60]\n"
	"	ldm sp, {r0-r11}\n"
	"	add sp, sp, #128\n"
	"	bx r12\n"
	"3:	.word switch_engine_sp - (1b + 8)\n"
	"4:	.word switch_writer_sp - (2b + 8)\n"
	".size switch_resume, .-switch_resume\n");

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame = (struct switch_frame *)(sp & ~(uintptr_t)15) - 1;

	bytes_clear(frame, sizeof(*frame));
	memcpy(frame->r, arguments, 4 * sizeof(*arguments));
	frame->lr = (uintptr_t)switch_done;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#elif defined(__riscv)
#define EACH_S(op, at) \
	"	" op " s0, " #at "+0(sp)\n	" op " s1, " #at "+8(sp)\n" \
	"	" op " s2, " #at "+16(sp)\n	" op " s3, " #at "+24(sp)\n" \
	"	" op " s4, " #at "+32(sp)\n	" op " s5, " #at "+40(sp)\n" \
	"	" op " s6, " #at "+48(sp)\n	" op " s7, " #at "+56(sp)\n" \
	"	" op " s8, " #at "+64(sp)\n	" op " s9, " #at "+72(sp)\n" \
	"	" op " s10, " #at "+80(sp)\n	" op " s11, " #at "+88(sp)\n"
#define EACH_A(op) \
	"	" op " a0, 8(sp)\n	" op " a1, 16(sp)\n	" op " a2, 24(sp)\n" \
	"	" op " a3, 32(sp)\n	" op " a4, 40(sp)\n	" op " a5, 48(sp)\n" \
	"	" op " a6, 56(sp)\n	" op " a7, 64(sp)\n"
__asm__(".text\n"
	".globl explore_stop\n"
	".type explore_stop, @function\n"
	"explore_stop:\n"
	"	addi sp, sp, -176\n"
	"	sd ra, 0(sp)\n" EACH_A("sd") EACH_S(
		"sd",
		72) "	sd ra, 168(sp)\n"
		    "	lla t0, switch_writer_sp\n"
		    "	sd sp, 0(t0)\n"
		    "	li a0, 1\n"
		    "	j switch_back\n"
		    ".size explore_stop, .-explore_stop\n"

		    ".globl switch_done\n"
		    ".type switch_done, @function\n"
		    "switch_done:\n"
		    "	li a0, 2\n"
		    "switch_back:\n"
		    "	lla t0, switch_engine_sp\n"
		    "	ld sp, 0(t0)\n"
		    "	ld ra, 0(sp)\n" EACH_S(
			    "ld",
			    8) "	addi sp, sp, 112\n"
			       "	ret\n"
			       ".size switch_done, .-switch_done\n"

			       ".globl switch_resume\n"
			       ".type switch_resume, @function\n"
			       "switch_resume:\n"
			       "	addi sp, sp, -112\n"
			       "	sd ra, 0(sp)\n" EACH_S(
				       "sd",
				       8) "	lla t0, switch_engine_sp\n"
					  "	sd sp, 0(t0)\n"
					  "	lla t0, switch_writer_sp\n"
					  "	ld sp, 0(t0)\n"
					  "	ld ra, 0(sp)\n" EACH_A("ld") EACH_S(
						  "ld",
						  72) "	ld t0, 168(sp)\n"
						      "	addi sp, sp, 176\n"
						      "	jr t0\n"
						      ".size switch_resume, .-switch_resume\n");

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame = (struct switch_frame *)(sp & ~(uintptr_t)15) - 1;

	bytes_clear(frame, sizeof(*frame));
	memcpy(frame->a, arguments, 4 * sizeof(*arguments));
	frame->ra = (uintptr_t)switch_done;
	frame->pc = (uintptr_t)function;
	return (uintptr_t)frame;
}
#else
#error "the explorer knows no way to stop a writer on this machine: switch.c"
#endif

/* A labelled point is a stop that the compiler knows of. */
#if defined(__arm__)
#define JUMP "b"
#define FUNCTION "%function"
#elif defined(__riscv)
#define JUMP "j"
#define FUNCTION "@function"
#elif defined(__aarch64__)
#define JUMP "b"
#define FUNCTION "%function"
#else
#define JUMP "jmp"
#define FUNCTION "@function"
#endif
#ifdef __arm__
#define MODE ".arm\n.align 2\n"
#else
#define MODE ""
#endif
__asm__(".text\n" MODE ".globl point_stop\n"
	".type point_stop, " FUNCTION "\n"
	"point_stop:\n"
	"	" JUMP " explore_stop\n"
	".size point_stop, .-point_stop\n");
