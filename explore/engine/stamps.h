/* SPDX-License-Identifier: MIT */
/* Stamps that were recorded, in their order: which gap between two of them is the widest? */
#pragma once

#include <stdint.h>

/* Of `count` stamps in order: one more, for which there is room. */
void stamps_add(uint64_t *stamp, unsigned int count, uint64_t one);

/* One fewer, which is among them. */
void stamps_remove(uint64_t *stamp, unsigned int count, uint64_t one);

/* Ticks between two that follow each other, at most; 0 of fewer than two. */
uint64_t stamps_widest(const uint64_t *stamp, unsigned int count);
