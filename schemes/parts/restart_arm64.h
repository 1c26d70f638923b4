/* SPDX-License-Identifier: MIT */
/*
 * Restartable sections in arm64 asm: part of parts/restart.h, which says what they are. The
 * pseudo-code is that of parts/restart_x86_64.h. Geometry and widths are in memory in all builds.
 *
 * All that share the ring run on the same CPU and see these stores in program order, so the final
 * store is a plain one.
 *
 *		frame			restart_publish		restart_record
 *	x9	descriptor; ring->cpu	tail; copies		tail
 *	x10	rseq.cpu_id		count			stamp
 *	x11				to			what is tested; the record; to
 *	x12				from			masks; the header; from
 *	x13				bytes			id; exit; bytes
 *	x14				byte			byte
 *	x15							struct payload
 *	x16							next
 *
 * A jump to 3 has the tail in x9 and the stamp in x10.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_RESTART_ARM64_H
#define STAMPEDE_SCHEMES_PARTS_RESTART_ARM64_H

/* One instruction a line: */
/* clang-format off */

#ifdef RESTART_BY_HANDLER
#define RESTART_SECTIONS "rewind_sections"
#define RESTART_ANNOUNCE
#define RESTART_ON_CPU
#define RESTART_AREA NULL
#else
#define RESTART_SECTIONS "rseq_sections"
#define RESTART_ANNOUNCE \
	"adrp	x9, restart_cs_%=\n\t" \
	"add	x9, x9, :lo12:restart_cs_%=\n\t" \
	"str	x9, [%[area], #8]\n\t" /* rseq.rseq_cs */
/* The CPU cannot change behind this without an abort. */
#define RESTART_ON_CPU \
	"ldr	w9, [%[ring], %[cpu]]\n\t" \
	"ldr	w10, [%[area], #4]\n\t" /* rseq.cpu_id */ \
	"cmp	w9, w10\n\t" \
	"b.ne	%l[moved]\n\t"
#define RESTART_AREA ((char *)__builtin_thread_pointer() + __rseq_offset)
#endif

/* The word before an abort address is the signature that the process registered: brk #0x45e0. */
#define RESTART_END \
	"restart_end_%=:\n\t" \
	"b	4f\n\t" \
	".inst	0xd428bc00\n" \
	"restart_abort_%=:\n\t" \
	"b	%l[aborted]\n" \
	"4:\n\t"

/* Copies x13 bytes from x12 to x11; x14 is used. */
#define RESTART_COPY(loop, out) \
	#loop ":\n\t" \
	"cbz	x13, " #out "f\n\t" \
	"ldrb	w14, [x12], #1\n\t" \
	"strb	w14, [x11], #1\n\t" \
	"sub	x13, x13, #1\n\t" \
	"b	" #loop "b\n" \
	#out ":\n\t"

/* Makes the copies and moves the tail from `seen` to `next`: all of it, or nothing that counts. */
static __attribute__((noinline, unused)) enum restart_end
restart_publish(struct ring *ring, const struct restart_copy *copies, uint64_t count, uint64_t seen,
		uint64_t next)
{
	__asm__ goto volatile(
		RESTART_BEGIN
		"ldr	x9, [%[ring], %[tail]]\n\t"
		"cmp	x9, %[seen]\n\t"
		"b.ne	%l[changed]\n\t"
		"mov	x9, %[copies]\n\t"
		"mov	x10, %[count]\n"
		"1:\n\t"
		"cbz	x10, 2f\n\t"
		"ldp	x11, x12, [x9]\n\t"
		"ldr	x13, [x9, #16]\n"
		RESTART_COPY(5, 6)
		"add	x9, x9, #24\n\t"
		"sub	x10, x10, #1\n\t"
		"b	1b\n"
		"2:\n\t"
		"str	%[next], [%[ring], %[tail]]\n" /* final store */
		RESTART_END
		:
		: RESTART_OPERANDS(ring), RESTART_PUBLISH_OPERANDS
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13", "x14"
		: aborted, changed RESTART_LABEL_MOVED);
	RESTART_ENDS(changed, RESTART_CHANGED)
}

#define RESTART_FIELD_OF(field) "[%[plain], %[" #field "]]"

/* What depends on the header's form: how far it goes, who may have it, and itself. */
#ifdef PACKED_WHOLE
#define RESTART_BEHIND_HEADER "#12"
#define RESTART_UPPER
#define RESTART_HEADER \
	"str	x10, [x11, #4]\n\t" \
	"ldr	x12, " RESTART_FIELD_OF(id) "\n\t" \
	"str	w12, [x11]\n\t"
#else
#define RESTART_BEHIND_HEADER "#4"
#define RESTART_UPPER \
	"ldr	x11, " RESTART_FIELD_OF(stamp_bits) "\n\t" \
	"lsr	x11, x10, x11\n\t" \
	"lsl	x11, x11, %[bits]\n\t" \
	"eor	x11, x11, x9\n\t" \
	"lsr	x11, x11, %[bits]\n\t" \
	"cbnz	x11, 3f\n\t"
#define RESTART_HEADER \
	"ldr	x12, " RESTART_FIELD_OF(field) "\n\t" \
	"and	x12, x10, x12\n\t" \
	"ldr	x13, " RESTART_FIELD_OF(id) "\n\t" \
	"orr	x12, x13, x12, lsl #5\n\t" \
	"str	w12, [x11]\n\t"
#endif

#if SEAM_PAYLOAD_STAMP
#define RESTART_PAYLOAD "str	x10, [x11, " RESTART_BEHIND_HEADER "]\n\t"
#else
/* Stamp and a second clock read, the exit, into the head; then head and body behind the header. */
#define RESTART_PAYLOAD \
	"add	x11, x11, " RESTART_BEHIND_HEADER "\n\t" \
	"ldr	x15, " RESTART_FIELD_OF(payload) "\n\t" \
	"ldr	x12, [x15, #8]\n\t" \
	"str	x10, [x12]\n\t" /* PAYLOAD_STAMP_AT */ \
	"isb\n\t" \
	"mrs	x13, cntvct_el0\n\t" \
	"str	x13, [x12, #16]\n\t" /* PAYLOAD_EXIT_AT */ \
	"ldr	x13, [x15, #16]\n" \
	RESTART_COPY(5, 6) \
	"ldp	x12, x13, [x15, #32]\n" \
	RESTART_COPY(7, 8)
#endif

#if SEAM_CLOCK_CHEAP
#define RESTART_CLOCK "ldr	x10, %[cheap]\n\t"
#define RESTART_CLOCK_OPERANDS , [cheap] "m"(cheap_clock.now)
#else
#define RESTART_CLOCK \
	"isb\n\t" /* or the clock is read before the tail */ \
	"mrs	x10, cntvct_el0\n\t"
#define RESTART_CLOCK_OPERANDS
#endif
#if SEAM_CLOCK_BIASED
/*
 * The clock with its bias. A nested writer that is due here makes the section start over behind
 * it.
 */
#define RESTART_BIAS \
	"ldr	x11, %[bias]\n\t" \
	"add	x10, x10, x11\n\t" \
	"ldr	x11, %[armed]\n\t" \
	"cbnz	x11, %l[nested]\n\t"
#define RESTART_BIAS_OPERANDS , [bias] "m"(injection.bias_ticks), [armed] "m"(injection.armed)
#else
#define RESTART_BIAS
#define RESTART_BIAS_OPERANDS
#endif

/* The plain case, whole. */
static inline __attribute__((always_inline)) enum restart_end
restart_record(struct ring *ring, const struct restart_plain *plain, struct restart_seen *seen)
{
	__asm__ goto volatile(
		RESTART_BEGIN
		"ldr	x9, [%[ring], %[tail]]\n\t"
		RESTART_CLOCK
		RESTART_BIAS
		RESTART_UPPER
		"ldr	x16, " RESTART_FIELD_OF(units) "\n\t"
		"add	x16, x9, x16\n\t"
		"sub	x11, x9, #1\n\t"
		"eor	x11, x11, x16\n\t"
		"ldr	x12, " RESTART_FIELD_OF(block) "\n\t"
		"tst	x11, x12\n\t"
		"b.ne	3f\n\t"
		"ldr	x12, " RESTART_FIELD_OF(slots) "\n\t"
		"and	x11, x9, x12\n\t"
		"ldr	x12, [%[ring], %[base]]\n\t"
		"add	x11, x12, x11, lsl #2\n\t"
		RESTART_HEADER
		RESTART_PAYLOAD
		"str	x16, [%[ring], %[tail]]\n" /* final store */
		RESTART_END
		"b	9f\n" /* outside of the section: what it saw goes to the long way */
		"3:\n\t"
		"stp	x9, x10, [%[seen]]\n\t"
		"b	%l[not_plain]\n"
		"9:\n"
		:
		: RESTART_OPERANDS(ring), [seen] "r"(seen), RESTART_FIELDS(plain)
		  RESTART_BIAS_OPERANDS RESTART_CLOCK_OPERANDS
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16"
		: aborted, not_plain RESTART_LABEL_MOVED RESTART_LABEL_NESTED);
	RESTART_ENDS(not_plain, RESTART_NOT_PLAIN)
	RESTART_END_NESTED
}

#endif
