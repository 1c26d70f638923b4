/* SPDX-License-Identifier: MIT */
/*
 * Is there an event in these sub-buffers whose time cannot be? Compiled into the guest, which asks
 * after each request, and into the host's program, which asks for the record.
 *
 * One processor, two buffers with one clock. B says when the processor was in an interrupt; A holds
 * what tasks and interrupts recorded. Two things cannot be true of A's times:
 *
 *   - a task's event has a time strictly between an interrupt's entry and its exit, when no task
 *     ran an instruction, though its delta is not zero (a zero delta repeats the time of the event
 *     before and is how the kernel says "not known better", so that is counted and no fault);
 *   - an event has a later time than the event behind it in the buffer.
 *
 * Nothing else is taken into account: no address, no kernel version, nothing that a debugger saw.
 */
#ifndef STAMPEDE_KERNEL_JUDGE_H
#define STAMPEDE_KERNEL_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_PAGE_BYTES 4096
#define JUDGE_PAGES_MAX 96 /* of one buffer */
#define JUDGE_EVENTS_MAX 40000 /* of one buffer */
#define JUDGE_INTERRUPTS_MAX 8192
#define JUDGE_FIELD_BITS 27 /* of the short delta */

/* Sub-buffers as read(2) gives them, oldest first. */
struct pages {
	unsigned int count;
	uint32_t bytes[JUDGE_PAGES_MAX]; /* header and data */
	_Alignas(8) uint8_t data[JUDGE_PAGES_MAX][JUDGE_PAGE_BYTES];
};

enum stamp_kind {
	STAMP_BEGIN, /* first of its sub-buffer, by whose header it is stamped */
	STAMP_DELTA,
	STAMP_EXTEND,
	STAMP_ABSOLUTE,
};

/* A decoded event of A or B. */
struct traced {
	uint64_t time_ns;
	uint64_t delta_ns; /* as stored; of an absolute: the stamp's low 59 bits */
	uint32_t header; /* the event's own first word */
	uint16_t page, offset; /* of the record, in the sub-buffer's data */
	uint16_t type; /* the kernel's id of the event */
	uint8_t flags; /* the kernel's common_flags */
	uint8_t stamp; /* enum stamp_kind */
	uint32_t payload_bytes;
	const uint8_t *payload;
};

struct decoded {
	unsigned int count;
	struct traced event[JUDGE_EVENTS_MAX];
};

struct interrupt {
	int number;
	/* The earlier of the entry's events in A and B, both taken within it; exit 0: not in B. */
	uint64_t entry_ns, exit_ns;
};

enum wrong_kind {
	WRONG_NOT,
	WRONG_IN_INTERRUPT,
	WRONG_BACKWARDS,
};

struct wrong {
	enum wrong_kind kind;
	unsigned int event; /* in A */
	unsigned int interrupt; /* the one it cannot lie in */
	unsigned int wraps_low, wraps_high; /* how many added would fit, low > high: none does */
};

struct judgement {
	struct wrong first; /* kind WRONG_NOT: all times can be */
	unsigned int in_interrupt, backwards; /* how many */
	unsigned int nested; /* events of interrupts that came into a reserve: absolute stamps */
	unsigned int zero; /* task's events with delta 0 behind them */
	unsigned int interrupts;
	struct interrupt interrupt[JUDGE_INTERRUPTS_MAX];
};

/* The ids of the events that B consists of. */
struct event_ids {
	uint16_t entry, exit;
};

/* Header and data of a page that read(2) returned `got` bytes of; 0 if it is no sub-buffer. */
uint32_t judge_page_bytes(const uint8_t *page, size_t got);

/* Decodes with schemes/format/format_ftrace.h. False if a record is broken or there are too many.
 */
bool judge_decode(const struct pages *pages, struct decoded *decoded);

/* Whether an interrupt recorded this, not a task. */
bool judge_in_hardirq(const struct traced *event);

void judge(const struct decoded *a, const struct decoded *b, const struct event_ids *ids,
	   struct judgement *judgement);

#endif
