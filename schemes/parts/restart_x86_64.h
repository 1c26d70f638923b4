/* SPDX-License-Identifier: MIT */
/*
 * Restartable sections in x86-64 asm: part of parts/restart.h, which says what they are.
 *
 * The frame of each section (RESTART_BEGIN, RESTART_END); by a handler: without the first two
 * lines:
 *
 *	rseq.rseq_cs = &descriptor		tells the kernel where start, end and abort are
 *   start:
 *	if (rseq.cpu_id != ring->cpu) goto moved
 *	the body
 *	ring->tail = next			the final store: it publishes all of the body
 *   end:
 *	return PUBLISHED
 *   abort:					elsewhere in the text, after the signature
 *	goto aborted
 *
 * The body of restart_publish(), which makes copies:
 *
 *	if (ring->tail != seen) goto changed
 *	for (; count; copies++, count--)
 *		copy copies->bytes from copies->from to copies->to, by a rep from three words on
 *
 * The body of restart_record(), the plain case of a record, whole:
 *
 *	tail = ring->tail
 *	stamp = the clock
 *	if (a nested writer is due) goto nested		where the build has such (core/inject.h)
 *	if (stamp >> stamp_bits != tail >> bits) goto 3	the reader lacks the upper bits: not plain
 *	next = tail + units
 *	if ((tail - 1 ^ next) & block) goto 3		begins or ends a sub-buffer: not plain
 *	at = ring->base + 4 * (tail & slots)
 *	payload to at + 4				RESTART_PAYLOAD
 *	{low bits of the stamp : 27 | id : 5} to at
 *
 * With whole stamps (PACKED_WHOLE) nothing is compared with the stamp, and the header is
 * {id : 27 | 31}, the stamp; 12 bytes for 4.
 *
 *   3:							elsewhere in the text (RESTART_SEEN)
 *	*seen = { tail, stamp }				so that the long way reads no other clock
 *	goto not_plain
 *
 * Registers. A jump to 3 has the tail in r8 and the stamp in rax; nothing else has to outlive a
 * label.
 *
 *		frame			restart_publish		restart_record
 *	rax	descriptor; ring->cpu				stamp; in the end the header
 *	rcx				bytes of a copy		narrow stamp's bits; see the payload
 *	rdx							what is tested; then tail & slots
 *	rsi				from			see the payload
 *	rdi				to			see the payload
 *	r8				copies			tail; see the payload
 *	r9				count			next
 *	r10							ring->base
 *
 * RESTART_PAYLOAD finds the stamp in rax and the record at r10 + 4 * rdx, and leaves rax, rdx, r9
 * and r10 as they are. If the payload is more than the stamp, r8 is the struct payload, rsi and rdi
 * are from and to, rcx is the bytes, or rdx while a clock read takes that.
 *
 * Inputs are never written: a section that is interrupted anywhere finds them unchanged. It is an
 * asm goto without outputs: with outputs gcc 12.2 has been seen to send a label to the function's
 * entry. The announcing store is the last one before the section, because the kernel takes the
 * announcement away as soon as it finds the thread outside.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_RESTART_X86_64_H
#define STAMPEDE_SCHEMES_PARTS_RESTART_X86_64_H

/* One instruction a line: */
/* clang-format off */

/*
 * The kernel's area is the thread's; whoever else stops writers, and is kernel to them, has its
 * own.
 */
#if SEAM_INTERRUPTS_STOPPED
extern struct rseq restart_rseq;
#define RESTART_SEGMENT ""
#define RESTART_RSEQ ((long)&restart_rseq)
#else
#define RESTART_SEGMENT "%%fs:"
#define RESTART_RSEQ __rseq_offset
#endif

#ifdef RESTART_BY_HANDLER
#define RESTART_SECTIONS "rewind_sections"
#define RESTART_ANNOUNCE
#define RESTART_ON_CPU
#define RESTART_AREA 0L
#else
#define RESTART_SECTIONS "rseq_sections"
#define RESTART_ANNOUNCE \
	"leaq	restart_cs_%=(%%rip), %%rax\n\t" \
	"movq	%%rax, " RESTART_SEGMENT "8(%[area])\n\t" /* rseq.rseq_cs */
/* The CPU cannot change behind this without an abort. */
#define RESTART_ON_CPU \
	"movl	%c[cpu](%[ring]), %%eax\n\t" \
	"cmpl	%%eax, " RESTART_SEGMENT "4(%[area])\n\t" /* rseq.cpu_id */ \
	"jne	%l[moved]\n\t"
#define RESTART_AREA RESTART_RSEQ
#endif

/* Behind all other code; where hits inside reserve are counted, an interrupted section is one. */
#if SEAM_RESERVE_APART
#define RESTART_TEXT "reserve_text, 1"
#else
#define RESTART_TEXT "restart_text"
#endif

/* The four bytes before an abort address are the signature that the process registered. */
#define RESTART_END \
	"restart_end_%=:\n\t" \
	".pushsection " RESTART_TEXT ", \"ax\"\n\t" \
	".byte	0x0f, 0xb9, 0x3d\n\t" /* ud1 around it, for disassemblers */ \
	".long	0x53053053\n" \
	"restart_abort_%=:\n\t" \
	"jmp	%l[aborted]\n\t" \
	".popsection\n\t"

/* Makes the copies and moves the tail from `seen` to `next`: all of it, or nothing that counts. */
static __attribute__((noinline, unused)) enum restart_end
restart_publish(struct ring *ring, const struct restart_copy *copies, uint64_t count, uint64_t seen,
		uint64_t next)
{
	__asm__ goto volatile(
		RESTART_BEGIN
		"cmpq	%[seen], %c[tail](%[ring])\n\t"
		"jne	%l[changed]\n\t"
		"movq	%[copies], %%r8\n\t"
		"movq	%[count], %%r9\n"
		"1:\n\t"
		"testq	%%r9, %%r9\n\t"
		"jz	2f\n\t"
		"movq	(%%r8), %%rdi\n\t"
		"movq	8(%%r8), %%rsi\n\t"
		"movq	16(%%r8), %%rcx\n\t"
		"shrq	$3, %%rcx\n\t"
		"cmpq	$2, %%rcx\n\t"
		"jbe	4f\n\t"
		"rep movsq\n"
		"3:\n\t"
		"movq	16(%%r8), %%rcx\n\t"
		"andq	$7, %%rcx\n\t"
		"jz	6f\n\t"
		"rep movsb\n"
		"6:\n\t"
		"addq	$24, %%r8\n\t"
		"decq	%%r9\n\t"
		"jmp	1b\n"
		/* A rep takes longer to begin than some words do. */
		"4:\n\t"
		"testq	%%rcx, %%rcx\n\t"
		"jz	3b\n\t"
		"5:\n\t"
		"movq	(%%rsi), %%rax\n\t"
		"movq	%%rax, (%%rdi)\n\t"
		"addq	$8, %%rsi\n\t"
		"addq	$8, %%rdi\n\t"
		"decq	%%rcx\n\t"
		"jnz	5b\n\t"
		"jmp	3b\n"
		"2:\n\t"
		"movq	%[next], %c[tail](%[ring])\n" /* final store */
		RESTART_END
		:
		: RESTART_OPERANDS(ring), RESTART_PUBLISH_OPERANDS
		: "memory", "cc", "rax", "rcx", "rsi", "rdi", "r8", "r9"
		: aborted, changed RESTART_LABEL_MOVED);
	RESTART_ENDS(changed, RESTART_CHANGED)
}

/*
 * Operands of the plain case: constants if geometry and widths are, else memory; also in a header
 * that programs may compile without optimization, where constants take registers. A stamp of the
 * word's own width needs neither the shifts nor the mask of narrower ones.
 */
#define RESTART_CONSTANT (SEAM_GEOMETRY_CONSTANT && !SEAM_PAYLOAD_GIVEN)
#if RESTART_CONSTANT
#define RESTART_OF(field) "%[" #field "]"
#define RESTART_OF_32(field) "%k[" #field "]"
#define RESTART_PLAIN_OPERANDS \
	[size] "r"(plain->units), [block] "re"(plain->block), [slots] "re"(plain->slots), \
		[id] "ri"((uint32_t)plain->id), [bits] "i"(PACKED_BITS) \
		RESTART_NARROW_OPERANDS RESTART_PAYLOAD_OPERANDS
#else
#define RESTART_OF(field) "%c[" #field "](%[plain])"
#define RESTART_OF_32(field) RESTART_OF(field)
#define RESTART_PLAIN_OPERANDS [size] "r"(plain->units), RESTART_FIELDS(plain)
#endif

#if RESTART_CONSTANT && STAMP_BITS == 27 && PACKED_BITS == STAMP_BITS
#define RESTART_NARROW_UPPER
#define RESTART_NARROW_FIELD
#define RESTART_NARROW_OPERANDS
#define RESTART_NARROW_CLOBBERS
#else
#define RESTART_NARROW_UPPER \
	"movl	" RESTART_OF_32(stamp_bits) ", %%ecx\n\t" \
	"shrq	%%cl, %%rdx\n\t" \
	"shlq	%[bits], %%rdx\n\t"
#define RESTART_NARROW_FIELD "andl	" RESTART_OF_32(field) ", %%eax\n\t"
#define RESTART_NARROW_OPERANDS \
	, [stamp_bits] "i"(STAMP_BITS), [field] "i"((1u << (STAMP_BITS & 31)) - 1)
#define RESTART_NARROW_CLOBBERS , "rcx"
#endif
_Static_assert(STAMP_BITS <= 27, "the header has 27 bits of time beside 5 of id");

/* What depends on the header's form: how far it goes, who may have it, and itself. */
#ifdef PACKED_WHOLE
#define RESTART_BEHIND_HEADER "12(%%r10, %%rdx, 4)"
#define RESTART_UPPER
#if RESTART_CONSTANT
#define RESTART_ESCAPE "movl	" RESTART_OF_32(id) ", (%%r10, %%rdx, 4)\n\t"
#else
#define RESTART_ESCAPE \
	"movl	" RESTART_OF_32(id) ", %%eax\n\t" \
	"movl	%%eax, (%%r10, %%rdx, 4)\n\t"
#endif
#define RESTART_HEADER "movq	%%rax, 4(%%r10, %%rdx, 4)\n\t" RESTART_ESCAPE
#else
#define RESTART_BEHIND_HEADER "4(%%r10, %%rdx, 4)"
#define RESTART_UPPER \
	"movq	%%rax, %%rdx\n\t" \
	RESTART_NARROW_UPPER \
	"xorq	%%r8, %%rdx\n\t" \
	"shrq	%[bits], %%rdx\n\t" \
	"jnz	3f\n\t"
#define RESTART_HEADER \
	RESTART_NARROW_FIELD \
	"shll	$5, %%eax\n\t" \
	"orl	" RESTART_OF_32(id) ", %%eax\n\t" \
	"movl	%%eax, (%%r10, %%rdx, 4)\n\t"
#endif

/* The payload, behind the header's place: all that the timed build has of its own here. */
#if SEAM_PAYLOAD_STAMP
#define RESTART_PAYLOAD "movq	%%rax, " RESTART_BEHIND_HEADER "\n\t"
#define RESTART_PAYLOAD_OPERANDS
#define RESTART_PAYLOAD_CLOBBERS
#else
#if RESTART_CONSTANT
#define RESTART_PAYLOAD_AT "%[payload]"
#define RESTART_PAYLOAD_OPERANDS , [payload] "rm"(plain->payload)
#else
#define RESTART_PAYLOAD_AT RESTART_OF(payload)
#endif
#define RESTART_PAYLOAD_CLOBBERS , "rcx", "rsi", "rdi"
#if SEAM_PAYLOAD_GIVEN
/* The body, by words and then by bytes: a rep takes longer to begin. */
#define RESTART_PAYLOAD \
	"movq	" RESTART_PAYLOAD_AT ", %%r8\n\t" \
	"leaq	" RESTART_BEHIND_HEADER ", %%rdi\n\t" \
	"movq	32(%%r8), %%rsi\n\t" \
	"movq	40(%%r8), %%rcx\n\t" \
	"subq	$8, %%rcx\n\t" \
	"jb	5f\n" \
	"4:\n\t" \
	"movq	(%%rsi), %%r8\n\t" \
	"movq	%%r8, (%%rdi)\n\t" \
	"addq	$8, %%rsi\n\t" \
	"addq	$8, %%rdi\n\t" \
	"subq	$8, %%rcx\n\t" \
	"jae	4b\n" \
	"5:\n\t" \
	"addq	$8, %%rcx\n\t" \
	"jz	7f\n" \
	"6:\n\t" \
	"movb	-1(%%rsi, %%rcx), %%r8b\n\t" \
	"movb	%%r8b, -1(%%rdi, %%rcx)\n\t" \
	"decq	%%rcx\n\t" \
	"jnz	6b\n" \
	"7:\n\t"
#else
/* Stamp and a second clock read, the exit, into the head; then head and body. */
#define RESTART_PAYLOAD \
	"movq	" RESTART_PAYLOAD_AT ", %%r8\n\t" \
	"leaq	" RESTART_BEHIND_HEADER ", %%rdi\n\t" \
	"movq	8(%%r8), %%rsi\n\t" \
	"movq	%%rax, (%%rsi)\n\t" /* PAYLOAD_STAMP_AT */ \
	"movl	%%edx, %%ecx\n\t" \
	RESTART_CLOCK_EXIT \
	"movl	%%ecx, %%edx\n\t" \
	"movq	%%rax, 16(%%rsi)\n\t" /* PAYLOAD_EXIT_AT */ \
	"movq	(%%rsi), %%rax\n\t" \
	"movq	16(%%r8), %%rcx\n\t" \
	"rep movsb\n\t" \
	"movq	32(%%r8), %%rsi\n\t" \
	"movq	40(%%r8), %%rcx\n\t" \
	"rep movsb\n\t"
#endif
#endif

#if SEAM_CLOCK_REPLACED
#define RESTART_BEHIND "subq	" RESTART_OF(behind) ", %%rax\n\t"
#else
#define RESTART_BEHIND
#endif
#define RESTART_TICKS \
	"rdtsc\n\t" \
	"shlq	$32, %%rdx\n\t" \
	"orq	%%rdx, %%rax\n\t" \
	RESTART_BEHIND
#define RESTART_CLOCK_EXIT RESTART_TICKS
#if SEAM_CLOCK_BIASED
/*
 * The clock with its bias. A nested writer that is due here makes the section start over behind
 * it.
 */
#define RESTART_CLOCK \
	RESTART_TICKS \
	"addq	%[bias], %%rax\n\t" \
	"cmpq	$0, %[armed]\n\t" \
	"jne	%l[nested]\n\t"
#define RESTART_CLOCK_OPERANDS , [bias] "m"(injection.bias_ticks), [armed] "m"(injection.armed)
#elif SEAM_CLOCK_VIRTUAL
/* The virtual clock. RESTART_CLOCK_EXIT looks at it and does not advance it. */
#define RESTART_CLOCK \
	"movq	seam_constant_step(%%rip), %%rax\n\t" \
	"xaddq	%%rax, virtual_clock(%%rip)\n\t"
#undef RESTART_CLOCK_EXIT
#define RESTART_CLOCK_EXIT "movq	virtual_clock(%%rip), %%rax\n\t"
#define RESTART_CLOCK_OPERANDS
#elif SEAM_CLOCK_CHEAP
#define RESTART_CLOCK "movq	cheap_clock(%%rip), %%rax\n\t"
#define RESTART_CLOCK_OPERANDS
#else
#define RESTART_CLOCK RESTART_TICKS
#define RESTART_CLOCK_OPERANDS
#endif

/* Outside of the section: what it saw goes to the long way. */
#define RESTART_SEEN \
	".pushsection " RESTART_TEXT ", \"ax\"\n" \
	"3:\n\t" \
	"movq	%%r8, (%[seen])\n\t" \
	"movq	%%rax, 8(%[seen])\n\t" \
	"jmp	%l[not_plain]\n\t" \
	".popsection\n\t"

/* The plain case, whole. */
static inline __attribute__((always_inline)) enum restart_end
restart_record(struct ring *ring, const struct restart_plain *plain, struct restart_seen *seen)
{
	__asm__ goto volatile(
		RESTART_BEGIN
		"movq	%c[tail](%[ring]), %%r8\n\t"
		RESTART_CLOCK
		RESTART_UPPER
		"leaq	(%%r8, %[size]), %%r9\n\t"
		"leaq	-1(%%r8), %%rdx\n\t"
		"xorq	%%r9, %%rdx\n\t"
		"testq	" RESTART_OF(block) ", %%rdx\n\t"
		"jnz	3f\n\t"
		"movl	%%r8d, %%edx\n\t"
		"andl	" RESTART_OF_32(slots) ", %%edx\n\t"
		"movq	%c[base](%[ring]), %%r10\n\t"
		RESTART_PAYLOAD
		RESTART_HEADER
		"movq	%%r9, %c[tail](%[ring])\n" /* final store */
		RESTART_END
		RESTART_SEEN
		:
		: RESTART_OPERANDS(ring), [seen] "r"(seen), RESTART_PLAIN_OPERANDS
		  RESTART_CLOCK_OPERANDS
		: "memory", "cc", "rax", "rdx", "r8", "r9", "r10"
		  RESTART_NARROW_CLOBBERS RESTART_PAYLOAD_CLOBBERS
		: aborted, not_plain RESTART_LABEL_MOVED RESTART_LABEL_NESTED);
	RESTART_ENDS(not_plain, RESTART_NOT_PLAIN)
	RESTART_END_NESTED
}

#endif
