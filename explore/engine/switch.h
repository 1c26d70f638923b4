/* SPDX-License-Identifier: MIT */
/*
 * Two stacks: the engine's own and that of the writers, where every interrupted writer lies with
 * all its registers, one upon the other, and nothing else. Memory plus the writers' stack is
 * therefore everything, and a copy of both is a snapshot.
 */
#pragma once

#include <setjmp.h>
#include <stdint.h>

enum switch_event {
	SWITCH_STOP = 1, /* the writer stands at a stop: switch_writer_sp is its frame */
	SWITCH_DONE = 2, /* a launched function returned */
};

/* What a stopped writer leaves on its stack, lowest address first. */
struct switch_frame {
#ifdef __x86_64__
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t flags;
	uint64_t pc; /* where it goes on */
#else
	uintptr_t pc; /* where it is to begin; 0: it stands at a point */
	const char *label; /* of that */
	uintptr_t argument[4];
	jmp_buf at __attribute__((aligned(16)));
#endif
};

extern uintptr_t switch_writer_sp;

/* Lets the writer at switch_writer_sp go on until its next stop, or its end. */
enum switch_event switch_resume(void);

/*
 * Puts a call of `function` below the writer at `sp` (or at an empty stack's end): all registers 0
 * but the arguments. Returns the new switch_writer_sp.
 */
uintptr_t switch_launch(uintptr_t sp, void (*function)(void), const uintptr_t arguments[4]);

/* A stop that a compiler put there, at a labelled point (schemes/core/point.h). */
void point_stop(const char *label);
