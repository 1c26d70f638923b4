/* SPDX-License-Identifier: MIT */
/*
 * One trace for all objects of a process. A library that does not share the program's state (it is
 * opened by dlopen(), or what is exported is limited) finds it by a note, which each object has.
 */
#pragma once

#include <elf.h>

/* Files that define others cannot share a trace. */
#define TRACE_SHAPE \
	((((uint64_t)(THREADS) << 16 | COUNT_SHIFT << 8 | SUBBUF_SHIFT) * 2 + PER_CPU) << 16 | \
	 sizeof(struct tracing) % 65536)
#define TRACE_NOTE "TRACE_H"

static inline struct tracer *trace_here_called(void);
static inline int trace_start_called(const struct trace_options *options);
static inline void trace_leave(void *arg);
static inline void trace_crashed(int number);
static const struct trace_calls trace_own_calls = { trace_here_called, trace_start_called,
						    trace_crashed };

struct trace_door {
	struct tracing *all;
	const struct trace_calls *calls;
};
__attribute__((weak, visibility("hidden"), used)) struct trace_door
	trace_door __asm__(TRACE_NOTE "_door") = { &trace_all, &trace_own_calls };
__asm__(".pushsection .note.stampede,\"a\",%note\n\t.balign 4\n\t.long 2f - 1f, 4, 1\n"
	"1:\t.asciz \"" TRACE_NOTE "\"\n2:\t.balign 4\n3:\t.long " TRACE_NOTE "_door - 3b\n"
	"\t.popsection");

/* As <link.h> has it, but only for programs that define _GNU_SOURCE. */
struct trace_object {
	uintptr_t at;
	const char *name;
	const Elf64_Phdr *parts;
	uint16_t count;
};

static inline int trace_find(const struct trace_object *object, size_t size, void *found)
{
	const uintptr_t name = 12, offset = (name + sizeof(TRACE_NOTE) + 3) & ~(uintptr_t)3;
	uintptr_t at, end;
	int32_t door;
	int i;

	(void)size;
	for (i = 0; i < object->count; i++) {
		at = object->at + object->parts[i].p_vaddr;
		end = at + (object->parts[i].p_type == PT_NOTE ? object->parts[i].p_memsz : 0);
		for (; at + offset < end; at += 4) {
			if (memcmp((const void *)(at + name), TRACE_NOTE, sizeof(TRACE_NOTE)))
				continue;
			memcpy(&door, (const void *)(at + offset), sizeof(door));
			*(uintptr_t *)found = at + offset + (uintptr_t)(intptr_t)door;
			return 1;
		}
	}
	return 0;
}

static inline __attribute__((constructor)) void trace_shape(void)
{
	int objects(int (*each)(const struct trace_object *, size_t, void *),
		    void *found) __asm__("dl_iterate_phdr");
	const struct trace_door *first = &trace_door;

	objects(trace_find, (void *)&first);
	trace_owner = first->all;
	if (!trace_owner->shape) {
		trace_owner->shape = TRACE_SHAPE;
		trace_owner->calls = first->calls;
		/* So early because a handler may use it: the C library has room for the first. */
		trace_owner->mixed = pthread_key_create(&trace_owner->key, trace_leave) != 0;
	}
	trace_owner->mixed |= trace_owner->shape != TRACE_SHAPE;
}
