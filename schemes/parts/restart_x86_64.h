/* SPDX-License-Identifier: MIT */
/*
 * Restartable sections in x86-64 asm: part of restart.h, which says what they do.
 *
 * asm goto without outputs: with outputs gcc 12.2 has been seen to send a label to the function's
 * entry. Inputs are never written, so that a section may start over at any instruction. The store
 * that announces a section is the last one before it: the kernel takes it away again as soon as it
 * finds the thread outside.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_RESTART_X86_64_H
#define STAMPEDE_SCHEMES_PARTS_RESTART_X86_64_H

#include <sys/rseq.h>

/* The kernel's area is the thread's; the explorer, which is kernel to its writers, has its own. */
#ifdef STAMPEDE_EXPLORED
extern struct rseq explore_rseq;
#define RESTART_SEGMENT ""
#define RESTART_RSEQ ((long)&explore_rseq)
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

/* Out of the way, behind the rest: but a storm counts interrupted sections as hits inside reserve. */
#ifdef STAMPEDE_CHECKED
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

/* Makes the copies and moves the tail from `seen` to `next`, all of it or nothing that counts. */
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
		"rep movsq\n\t"
		"movq	16(%%r8), %%rcx\n\t"
		"andq	$7, %%rcx\n\t"
		"rep movsb\n\t"
		"addq	$24, %%r8\n\t"
		"decq	%%r9\n\t"
		"jmp	1b\n"
		"2:\n\t"
		"movq	%[next], %c[tail](%[ring])\n"
		RESTART_END
		:
		: RESTART_OPERANDS(ring), RESTART_PUBLISH_OPERANDS
		: "memory", "cc", "rax", "rcx", "rsi", "rdi", "r8", "r9"
		: aborted, changed RESTART_LABEL_MOVED);
	RESTART_ENDS(changed, RESTART_CHANGED)
}

/*
 * Operands of the plain case: constants where the build has geometry and widths for such, else in
 * memory. A stamp of the word's own width needs neither the shifts nor the mask of narrower ones.
 */
#ifdef RING_CONSTANT
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

#if defined(RING_CONSTANT) && STAMP_BITS == 27 && PACKED_BITS == STAMP_BITS
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

/*
 * The payload, between `at` + 4 (r10 + 4 * rdx + 4) and the publishing store. It keeps rax, rdx, r9
 * and r10. All that the timed build has of its own: there it is the stamp alone.
 */
#ifdef STAMPEDE_TIMED
#define RESTART_PAYLOAD "movq	%%rax, 4(%%r10, %%rdx, 4)\n\t"
#define RESTART_PAYLOAD_OPERANDS
#define RESTART_PAYLOAD_CLOBBERS
#else
/* Stamp and a second clock read, the exit, into the head; then head and body. r8: what to copy. */
#define RESTART_PAYLOAD \
	"movq	" RESTART_PAYLOAD_AT ", %%r8\n\t" \
	"leaq	4(%%r10, %%rdx, 4), %%rdi\n\t" \
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
#ifdef RING_CONSTANT
#define RESTART_PAYLOAD_AT "%[payload]"
#define RESTART_PAYLOAD_OPERANDS , [payload] "rm"(plain->payload)
#else
#define RESTART_PAYLOAD_AT RESTART_OF(payload)
#endif
#define RESTART_PAYLOAD_CLOBBERS , "rcx", "rsi", "rdi"
#endif

#define RESTART_TICKS \
	"rdtsc\n\t" \
	"shlq	$32, %%rdx\n\t" \
	"orq	%%rdx, %%rax\n\t"
#define RESTART_CLOCK_EXIT RESTART_TICKS
#ifdef STAMPEDE_INJECTED
/* The clock with its bias; a nested writer due here makes the section start over, behind it. */
#define RESTART_CLOCK \
	RESTART_TICKS \
	"addq	%[bias], %%rax\n\t" \
	"cmpq	$0, %[armed]\n\t" \
	"jne	%l[nested]\n\t"
#define RESTART_CLOCK_OPERANDS , [bias] "m"(injection.bias_ticks), [armed] "m"(injection.armed)
#elif defined(STAMPEDE_EXPLORED)
/* The virtual clock; who looks at it without reading it takes no time. */
#define RESTART_CLOCK \
	"movq	explore_constant_step(%%rip), %%rax\n\t" \
	"xaddq	%%rax, virtual_clock(%%rip)\n\t"
#undef RESTART_CLOCK_EXIT
#define RESTART_CLOCK_EXIT "movq	virtual_clock(%%rip), %%rax\n\t"
#define RESTART_CLOCK_OPERANDS
#elif defined(STAMPEDE_CHEAP)
#define RESTART_CLOCK "movq	cheap_clock(%%rip), %%rax\n\t"
#define RESTART_CLOCK_OPERANDS
#else
#define RESTART_CLOCK RESTART_TICKS
#define RESTART_CLOCK_OPERANDS
#endif

/* Behind the section: what it saw goes to the long way, so that one clock read does. */
#define RESTART_SEEN \
	".pushsection " RESTART_TEXT ", \"ax\"\n" \
	"3:\n\t" \
	"movq	%%r8, (%[seen])\n\t" \
	"movq	%%rax, 8(%[seen])\n\t" \
	"jmp	%l[not_plain]\n\t" \
	".popsection\n\t"

/*
 * The plain case, whole:
 *
 *	tail = ring->tail
 *	stamp = the clock
 *	if (stamp >> stamp_bits != tail >> bits)	the upper bits are news: not plain
 *	next = tail + units
 *	if ((tail - 1 ^ next) & block)			begins or ends a sub-buffer: not plain
 *	at = ring->base + 4 * (tail & slots)
 *	payload at `at` + 4
 *	header {low bits of the stamp : 27 | id : 5} at `at`
 *	ring->tail = next				publishes all of it
 *
 *	rax	stamp; in the end the header
 *	r8	tail; then the copying payload's source
 *	r9	next
 *	rdx	what is tested; then the record's unit, tail & slots
 *	r10	ring->base
 *	rcx	width of a narrow stamp; count of a copy
 *	rsi rdi	of a copy
 */
static inline __attribute__((always_inline)) enum restart_end
restart_record(struct ring *ring, const struct restart_plain *plain, struct restart_seen *seen)
{
	__asm__ goto volatile(
		RESTART_BEGIN
		"movq	%c[tail](%[ring]), %%r8\n\t"
		RESTART_CLOCK
		"movq	%%rax, %%rdx\n\t"
		RESTART_NARROW_UPPER
		"xorq	%%r8, %%rdx\n\t"
		"shrq	%[bits], %%rdx\n\t"
		"jnz	3f\n\t"
		"leaq	(%%r8, %[size]), %%r9\n\t"
		"leaq	-1(%%r8), %%rdx\n\t"
		"xorq	%%r9, %%rdx\n\t"
		"testq	" RESTART_OF(block) ", %%rdx\n\t"
		"jnz	3f\n\t"
		"movl	%%r8d, %%edx\n\t"
		"andl	" RESTART_OF_32(slots) ", %%edx\n\t"
		"movq	%c[base](%[ring]), %%r10\n\t"
		RESTART_PAYLOAD
		RESTART_NARROW_FIELD
		"shll	$5, %%eax\n\t"
		"orl	" RESTART_OF_32(id) ", %%eax\n\t"
		"movl	%%eax, (%%r10, %%rdx, 4)\n\t"
		"movq	%%r9, %c[tail](%[ring])\n"
		RESTART_END
		RESTART_SEEN
		:
		: RESTART_OPERANDS(ring), [seen] "r"(seen), RESTART_PLAIN_OPERANDS RESTART_CLOCK_OPERANDS
		: "memory", "cc", "rax", "rdx", "r8", "r9", "r10"
		  RESTART_NARROW_CLOBBERS RESTART_PAYLOAD_CLOBBERS
		: aborted, not_plain RESTART_LABEL_MOVED RESTART_LABEL_NESTED);
	RESTART_ENDS(not_plain, RESTART_NOT_PLAIN)
	RESTART_END_NESTED
}

#endif
