/* SPDX-License-Identifier: MIT */
/* As size.h, for a board. */
#pragma once

/* log2 of a packet's bytes, 8 .. 10: what a reader gets at once. */
#ifndef SUBBUF_SHIFT
#define SUBBUF_SHIFT 10
#endif
/* log2 of how many there are, 1 .. 16. */
#ifndef COUNT_SHIFT
#define COUNT_SHIFT 2
#endif

/* 1: a flight recorder: the oldest packet gives way, and it is read when all has stopped. */
#ifndef OVERWRITE
#define OVERWRITE 0
#endif
#define BOOKS_AT 64 /* in a recorder, also on a host that reads the memory of one */
#define MEMORY_AT (BOOKS_AT + (16u << COUNT_SHIFT))

#define SHAPE (0xA5000000u | COUNTER_BITS << 16 | SUBBUF_SHIFT << 8 | COUNT_SHIFT << 1 | OVERWRITE)

#define SEAM_GEOMETRY_CONSTANT 1
#define SEAM_SUBBUF_SHIFT SUBBUF_SHIFT
#define SEAM_COUNT_SHIFT COUNT_SHIFT
#define SEAM_NARROW_BITS 0
#define PAYLOAD_MOST ((1u << SUBBUF_SHIFT) - 64 - 12)
#define CURSOR_PAYLOAD(cursor, id) ((cursor)->payloads[(id) < CTF_COMPACT_IDS ? (id) : 0] * 4u)

#if SUBBUF_SHIFT < 8 || SUBBUF_SHIFT > 10 || COUNT_SHIFT < 1 || COUNT_SHIFT > 16
#error "SUBBUF_SHIFT is 8 .. 10 (256 bytes to 1 KiB), COUNT_SHIFT 1 .. 16 (2 to 65,536 packets)"
#endif
