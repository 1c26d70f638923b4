/* SPDX-License-Identifier: MIT */
/* How large the ring of a taken scheme is: define these before this header to have it otherwise. */
#pragma once

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
#define SEAM_PAYLOAD_GIVEN 1
/* Of an event whose size varies: u16, before its payload. */
#define VARIABLE_PREFIX 2u
/* Bytes of the largest payload: behind the packet's header, and the record's. */
#define PAYLOAD_MOST ((1u << SUBBUF_SHIFT) - 64 - 24)
#define VARIABLE_MOST \
	(PAYLOAD_MOST - VARIABLE_PREFIX < 65535 ? PAYLOAD_MOST - VARIABLE_PREFIX : 65535u)
/* An entry of tracer.sizes, where another thread may switch the type on or off meanwhile. */
#define SIZE_OFF (1u << 31)
#define size_load(sizes, at) __atomic_load_n(&(sizes)[at], __ATOMIC_RELAXED)
#define size_of(sizes, at) (size_load(sizes, at) & ~SIZE_OFF)
/*
 * Bytes of the payload of an event whose header's bytes `event` has. Too many: no such type, and
 * so no such record.
 */
#define CURSOR_PAYLOAD(cursor, id) \
	((id) >= EVENT_SIZED ? (uint32_t)INT32_MAX : \
	 size_of((cursor)->payloads, id) ? \
			       size_of((cursor)->payloads, id) - 1 : \
	 size_of((cursor)->payloads, EVENT_SIZED + (id)) && \
			 (cursor)->end - (cursor)->at >= (ptrdiff_t)event->header_bytes + 2 ? \
			       get_u16((cursor)->at + event->header_bytes) + VARIABLE_PREFIX : \
			       (uint32_t)INT32_MAX)

_Static_assert(SUBBUF_SHIFT >= 8 && SUBBUF_SHIFT <= 18, "a sub-buffer has 256 bytes to 256 KiB");
_Static_assert(COUNT_SHIFT >= 1 && COUNT_SHIFT <= 16, "a ring has 2 to 65,536 sub-buffers");
