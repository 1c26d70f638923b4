/* SPDX-License-Identifier: MIT */
/*
 * What the schemes take from the C library, in a kernel: module.sh writes headers of the names that
 * schemes include, which include this one, as the others of this folder do. No scheme knows of it.
 *
 * A name that both sides define as a macro is the schemes' from here on. likely(), unlikely() and
 * barrier() mean the same, noinline is an attribute's name again; the kernel's local_*() are of its
 * local_t, which nothing here uses.
 */
#pragma once

#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include <asm/processor.h>

#undef likely
#undef unlikely
#undef barrier
#undef noinline
#undef local_add
#undef local_cmpxchg
#undef local_xadd

/* Of the kernel's drivers of devices, and of its own tracing. */
#define driver_find driver_find_row
#define trace_event trace_event_read

#define UINT64_C(value) value##ULL
#undef UINT16_MAX
#undef UINT32_MAX
#undef UINT64_MAX
#undef UINTPTR_MAX
#define UINT16_MAX 0xffff
#define UINT32_MAX 0xffffffffU
#define UINT64_MAX 0xffffffffffffffffULL
#define UINTPTR_MAX ULONG_MAX

#define bit_CMPXCHG16B (1u << 13)

static inline int __get_cpuid(unsigned int leaf, unsigned int *a, unsigned int *b, unsigned int *c,
			      unsigned int *d)
{
	cpuid(leaf, a, b, c, d);
	return 1;
}

/* Only readers print; a pointer to what they print to is declared everywhere. */
typedef struct file_of_readers FILE;
