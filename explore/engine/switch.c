// SPDX-License-Identifier: MIT
#undef _FORTIFY_SOURCE /* which allows no longjmp() to another stack */
#include "explore/engine/switch.h"

#include <string.h>

#include "base/bytes.h"

uintptr_t switch_writer_sp;

#ifdef __x86_64__
uintptr_t switch_engine_sp;

void switch_done(void);

__asm__(".text\n"
	/* A labelled point is a stop that the compiler knows of. */
	".globl point_stop\n"
	".type point_stop, @function\n"
	"point_stop:\n"
	"	jmp explore_stop\n"
	".size point_stop, .-point_stop\n"

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
#else
/*
 * Where writers stop at labelled points alone, which compilers know to be calls, setjmp() keeps all
 * that a call keeps; in a frame at the lower end of the writer's stack.
 */
static jmp_buf engine;
static enum switch_event event;

static __attribute__((noreturn)) void back(enum switch_event what)
{
	event = what;
	_longjmp(engine, 1);
}

void point_stop(const char *label)
{
	struct switch_frame *frame = __builtin_alloca(sizeof(*frame));

	bytes_clear(frame, sizeof(*frame));
	frame->label = label;
	switch_writer_sp = (uintptr_t)frame;
	if (!_setjmp(frame->at))
		back(SWITCH_STOP);
}

/* On the writer's own stack, below its frame. */
static __attribute__((noreturn, used)) void begin(void)
{
	const struct switch_frame *frame = (const struct switch_frame *)switch_writer_sp;
	const uintptr_t *argument = frame->argument;

	((void (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))frame->pc)(argument[0], argument[1],
									  argument[2], argument[3]);
	back(SWITCH_DONE);
}

enum switch_event switch_resume(void)
{
	struct switch_frame *frame = (struct switch_frame *)switch_writer_sp;

	if (_setjmp(engine))
		return event;
	if (!frame->pc)
		_longjmp(frame->at, 1);
#if defined(__i386__)
	__asm__ volatile("movl %0, %%esp\n	call *%1" : : "r"(frame), "r"(begin) : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov sp, %0\n	blr %1" : : "r"(frame), "r"(begin) : "memory");
#elif defined(__arm__)
	__asm__ volatile("mov sp, %0\n	blx %1" : : "r"(frame), "r"(begin) : "memory");
#elif defined(__riscv)
	__asm__ volatile("mv sp, %0\n	jalr %1" : : "r"(frame), "r"(begin) : "memory");
#else
#error "the explorer knows no way to stop a writer on this machine: switch.c"
#endif
	__builtin_unreachable();
}

uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4])
{
	struct switch_frame *frame = (struct switch_frame *)(sp & ~(uintptr_t)15) - 1;

	bytes_clear(frame, sizeof(*frame));
	frame->pc = (uintptr_t)function;
	memcpy(frame->argument, arguments, sizeof(frame->argument));
	return (uintptr_t)frame;
}
#endif
