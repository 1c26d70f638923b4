/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own ring buffer as if it were a row, by what it exports: its writers are called as a
 * row's are, and a reader of the kernel's own takes out what they wrote.
 */
#ifndef STAMPEDE_EXTRAS_KERNEL_BUFFER_H
#define STAMPEDE_EXTRAS_KERNEL_BUFFER_H

#include "extras/kernel/run.h"

extern const struct driver buffer_row;

/* Empty, with so many bytes on each CPU; negative errno. */
int buffer_alloc(uint64_t bytes, bool overwrite);
void buffer_free(void);

/* Takes the events of `cpu` out, as struct kernel_taken, and how many; nothing may be writing. */
void buffer_take(int cpu, struct kernel_image *image, struct kernel_taken *taken, uint64_t most);

/* The same as sub-buffers of a page each, at `to`, `most` of them at most; negative errno. */
int buffer_take_pages(int cpu, struct kernel_image *image, uint8_t *to, uint64_t most);

/* Is this where an event gets its room and its time? */
bool buffer_hit(unsigned long address);

#endif
