/* SPDX-License-Identifier: MIT */
/*
 * Restartable sections: short asm that starts over when it is interrupted. Only the final store of
 * a section counts: it publishes all that the section wrote. So a record needs no read-modify-write
 * and no commit.
 *
 * An interrupted section starts over:
 *   the kernel     (rseq) on a signal, a preemption or a migration of a thread whose PC is inside
 *                  the section that the thread announced in its struct rseq, glibc's (>= 2.35)
 *   the handler    (RESTART_BY_HANDLER) of a signal, which looks whether the PC that it interrupted
 *                  is inside a section: restart_target(). Threads that share a ring go unseen.
 *
 * A section is a descriptor in the layout of struct rseq_cs in the ELF section "rseq_sections" or
 * "rewind_sections", and three local symbols in the text that a tool can find: restart_start_N, its
 * first instruction; restart_end_N, the first one after the final store; restart_abort_N, where an
 * interrupted section goes on.
 *
 * Where interrupts are calls at points, sections are C (RESTART_MODEL): an interrupt moves
 * restart_epoch, and the code after the point sees that and goes where the kernel would send it.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_RESTART_H
#define STAMPEDE_SCHEMES_PARTS_RESTART_H

#include <stddef.h>
#include <stdint.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "schemes/core/clock.h"
#include "schemes/core/ring.h"

/* One copy that a section makes. */
struct restart_copy {
	void *to;
	const void *from;
	uint64_t bytes;
};

/*
 * Where the payload of a record comes from, unless it is the stamp alone: the section stores
 * that.
 */
struct payload {
	struct restart_copy head; /* .from gets stamp and exit before the copy; .to is not used */
	struct restart_copy body; /* behind the head */
};
#define PAYLOAD_STAMP_AT 0 /* in the head */
#define PAYLOAD_EXIT_AT 16

enum restart_end {
	RESTART_PUBLISHED,
	RESTART_ABORTED, /* interrupted: nothing of it counts */
	RESTART_MOVED, /* the thread is not on the ring's CPU */
	RESTART_CHANGED, /* the tail is not what the caller saw */
	RESTART_NOT_PLAIN, /* takes the long way: an extension, the end of a sub-buffer */
	RESTART_NESTED, /* a nested writer is due behind the clock read (core/inject.h) */
};

/* Operands of the plain case of a record. */
struct restart_plain {
	uint64_t units; /* of the record, RING_PACKED_UNIT each */
	uint64_t block; /* mask: all bits above the offset in a sub-buffer, in units */
	uint64_t slots; /* mask: the offset in the ring, in units */
	uint64_t field; /* mask: the short time field */
	uint64_t stamp_bits;
	uint64_t id;
	const struct payload *payload;
	uint64_t behind; /* clock_behind() of the ring's CPU */
};

/* For the long way: what a record had read when it found that it is not plain. */
struct restart_seen {
	uint64_t tail;
	uint64_t stamp;
};

/* Where a section with `pc` inside goes on if a handler says so; 0: it is in none. */
uintptr_t restart_target(uintptr_t pc);

/* NULL, or why there is no rseq. */
const char *restart_unsupported(void);

/* The CPU that the calling thread is on, now. Negative: the kernel has no rseq area of it. */
static inline int restart_cpu(void)
{
#ifdef RSEQ_SIG /* glibc knows this machine's */
	const void *area = (const char *)__builtin_thread_pointer() + __rseq_offset;

	return *(const volatile int *)&((const struct rseq *)area)->cpu_id;
#else
	return 0;
#endif
}

/*
 * Takes the calling thread's rseq area away from the kernel, with the CPU written into it, and
 * gives it back: in between, sections run like any code and nothing makes them start over. For a
 * pinned thread whose signals record nothing, such as one that single-steps: each trap would
 * restart the section it is in, for ever. False: it could not be done.
 */
bool restart_detach(void);
bool restart_attach(void);

#if SEAM_INTERRUPTS_CALLED || !defined(__x86_64__)
#define RESTART_MODEL
extern uint64_t restart_epoch; /* moves with every interrupt */
#include "schemes/parts/restart_model.h"
#else

/* ---- of the asm ---- */

/* struct rseq_cs: version, flags, start, length, abort address. */
#define RESTART_BEGIN \
	".pushsection " RESTART_SECTIONS ", \"aw\"\n\t" \
	".balign	32\n" \
	"restart_cs_%=:\n\t" \
	".long	0, 0\n\t" \
	".quad	restart_start_%=, restart_end_%= - restart_start_%=, restart_abort_%=\n\t" \
	".popsection\n\t" RESTART_ANNOUNCE "restart_start_%=:\n\t" RESTART_ON_CPU

#define RESTART_OPERANDS(ring_) \
	[ring] "r"(ring_), [area] "r"(RESTART_AREA), [tail] "i"(offsetof(struct ring, tail)), \
		[base] "i"(offsetof(struct ring, base)), [cpu] "i"(offsetof(struct ring, cpu))

#define RESTART_PUBLISH_OPERANDS \
	[copies] "r"(copies), [count] "r"(count), [seen] "r"(seen), [next] "r"(next)

/* Where a section finds what the run sets. */
#define RESTART_AT(field) [field] "i"(offsetof(struct restart_plain, field))
#define RESTART_FIELDS(plain_) \
	[plain] "r"(plain_), RESTART_AT(units), RESTART_AT(block), RESTART_AT(slots), \
		RESTART_AT(field), RESTART_AT(stamp_bits), RESTART_AT(id), RESTART_AT(payload), \
		RESTART_AT(behind), [bits] "i"(PACKED_BITS)
_Static_assert(offsetof(struct payload, head.from) == 8 &&
		       offsetof(struct payload, head.bytes) == 16 &&
		       offsetof(struct payload, body.from) == 32 &&
		       offsetof(struct payload, body.bytes) == 40,
	       "the section copies from there");

/* The labels that sections leave by, and what follows the asm; `own` is the section's own label. */
#ifdef RESTART_BY_HANDLER
#define RESTART_LABEL_MOVED
#define RESTART_END_MOVED
#else
#define RESTART_LABEL_MOVED , moved
#define RESTART_END_MOVED \
	moved: \
	return RESTART_MOVED;
#endif
#if SEAM_INTERRUPTS_AT_CLOCK
#define RESTART_LABEL_NESTED , nested
#define RESTART_END_NESTED \
	nested: \
	return RESTART_NESTED;
#else
#define RESTART_LABEL_NESTED
#define RESTART_END_NESTED
#endif
#define RESTART_ENDS(own, end) \
	return RESTART_PUBLISHED; \
	aborted: \
	return RESTART_ABORTED; \
	own: \
	return end; \
	RESTART_END_MOVED

#include "schemes/parts/restart_x86_64.h"
#endif /* asm */

#endif
