/* SPDX-License-Identifier: MIT */
/* How large the ring of a taken scheme is: define these before this header to have it otherwise. */
#ifndef STAMPEDE_EXTRAS_TAKE_SIZE_H
#define STAMPEDE_EXTRAS_TAKE_SIZE_H

/* log2 of a sub-buffer's bytes, 8 .. 18: what a reader gets at once, and loses at once. */
#ifndef SUBBUF_SHIFT
#define SUBBUF_SHIFT 12
#endif
/* log2 of how many there are, 1 .. 16. */
#ifndef COUNT_SHIFT
#define COUNT_SHIFT 8
#endif

#define SEAM_GEOMETRY_CONSTANT 1
#define SEAM_SUBBUF_SHIFT SUBBUF_SHIFT
#define SEAM_COUNT_SHIFT COUNT_SHIFT
#define SEAM_NARROW_BITS 0
/* Bytes of the payload of events of `id`, which the program has told. */
#define CURSOR_PAYLOAD(cursor, id) ((id) < EVENT_SIZED ? (cursor)->payloads[id] : 0)

_Static_assert(SUBBUF_SHIFT >= 8 && SUBBUF_SHIFT <= 18, "a sub-buffer has 256 bytes to 256 KiB");
_Static_assert(COUNT_SHIFT >= 1 && COUNT_SHIFT <= 16, "a ring has 2 to 65,536 sub-buffers");

#endif
