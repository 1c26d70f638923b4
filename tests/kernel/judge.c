// SPDX-License-Identifier: MIT
#include "tests/kernel/judge.h"

#include <string.h>

#include "schemes/format/format_ftrace.h"

/* include/linux/trace_events.h and the events' format files: the same since 2009. */
#define FLAG_HARDIRQ 0x08
#define FLAG_NMI 0x40
#define OFFSET_FLAGS 2
#define OFFSET_IRQ 8

/* The commit word: bytes of data below, above them that events were lost before this page. */
#define COMMIT_MASK ((1u << 20) - 1)

uint32_t judge_page_bytes(const uint8_t *page, size_t got)
{
	uint64_t commit;

	if (got < FTRACE_HEADER_BYTES)
		return 0;
	memcpy(&commit, page + 8, sizeof(commit));
	commit &= COMMIT_MASK;
	return commit + FTRACE_HEADER_BYTES > got ? 0 : (uint32_t)commit + FTRACE_HEADER_BYTES;
}

static enum stamp_kind stamp_kind(uint32_t word, bool first)
{
	switch (word & ((1u << FTRACE_TYPE_BITS) - 1)) {
	case FTRACE_TYPE_EXTEND:
		return STAMP_EXTEND;
	case FTRACE_TYPE_ABSOLUTE:
		return STAMP_ABSOLUTE;
	default:
		return first ? STAMP_BEGIN : STAMP_DELTA;
	}
}

/* A page's unused rest is padding without a length (delta 0); one with a length is skipped. */
static bool skip_padding(struct cursor *cursor)
{
	while (cursor_left(cursor) >= 4) {
		uint32_t word = get_u32(cursor->at), skip;

		if ((word & ((1u << FTRACE_TYPE_BITS) - 1)) != FTRACE_TYPE_PADDING)
			return true;
		if (!(word >> FTRACE_TYPE_BITS) || cursor_left(cursor) < 8) {
			cursor->at = cursor->end;
			return true;
		}
		skip = get_u32(cursor->at + 4) + 4;
		if (skip > cursor_left(cursor))
			return false;
		cursor->time += word >> FTRACE_TYPE_BITS;
		cursor->at += skip;
	}
	return true;
}

static void note(struct traced *traced, const uint8_t *record, const uint8_t *data,
		 const struct event *event)
{
	uint32_t word = get_u32(record);

	traced->time_ns = event->time;
	traced->offset = (uint16_t)(record - data);
	traced->stamp = (uint8_t)stamp_kind(word, record == data);
	traced->delta_ns = word >> FTRACE_TYPE_BITS;
	traced->header = word;
	if (event->flags & EVENT_EXTENDED) {
		traced->delta_ns |= (uint64_t)get_u32(record + 4) << JUDGE_FIELD_BITS;
		traced->header = get_u32(record + FTRACE_TIME_BYTES);
	}
	traced->payload = event->payload;
	traced->payload_bytes = event->payload_bytes;
	traced->type = (uint16_t)(event->payload[0] | event->payload[1] << 8);
	traced->flags = event->payload[OFFSET_FLAGS];
}

static bool decode_page(const struct pages *pages, unsigned int page, struct decoded *decoded)
{
	const uint8_t *base = pages->data[page], *data = base + FTRACE_HEADER_BYTES, *record;
	struct cursor cursor = {
		.at = data,
		.end = base + pages->bytes[page],
		.time = ((const struct ftrace_header *)base)->time_stamp,
		.stamp_bits = JUDGE_FIELD_BITS,
	};
	enum decode_result result;
	struct event event;

	for (;;) {
		if (!skip_padding(&cursor))
			return false;
		record = cursor.at;
		result = ftrace_next(&cursor, &event);
		if (result != DECODE_EVENT)
			return result == DECODE_END;
		if (event.payload_bytes < 4 || decoded->count == JUDGE_EVENTS_MAX)
			return false;
		decoded->event[decoded->count].page = (uint16_t)page;
		note(&decoded->event[decoded->count++], record, data, &event);
	}
}

bool judge_decode(const struct pages *pages, struct decoded *decoded)
{
	unsigned int page;

	decoded->count = 0;
	for (page = 0; page < pages->count; page++)
		if (pages->bytes[page] < FTRACE_HEADER_BYTES || !decode_page(pages, page, decoded))
			return false;
	return true;
}

bool judge_in_hardirq(const struct traced *event)
{
	return event->flags & (FLAG_HARDIRQ | FLAG_NMI);
}

/* Of an entry or an exit; -1 of what is too short to be one. */
static int32_t irq_number(const struct traced *event)
{
	int32_t number = -1;

	if (event->payload_bytes >= OFFSET_IRQ + sizeof(number))
		memcpy(&number, event->payload + OFFSET_IRQ, sizeof(number));
	return number;
}

static void find_interrupts(const struct decoded *b, const struct event_ids *ids,
			    struct judgement *judgement)
{
	unsigned int i, last;

	for (i = 0; i < b->count; i++) {
		const struct traced *event = &b->event[i];
		int32_t number = irq_number(event);

		last = judgement->interrupts - 1;
		if (event->type == ids->entry && judgement->interrupts < JUDGE_INTERRUPTS_MAX)
			judgement->interrupt[judgement->interrupts++] =
				(struct interrupt){ .number = number, .entry_ns = event->time_ns };
		else if (event->type == ids->exit && judgement->interrupts &&
			 judgement->interrupt[last].number == number &&
			 !judgement->interrupt[last].exit_ns)
			judgement->interrupt[last].exit_ns = event->time_ns;
	}
}

/*
 * A's event of an interrupt's entry may be older than B's: then the interrupt began before that.
 * Not for B's first, since B may have lost the one that A's event is of.
 */
static void widen_interrupts(const struct decoded *a, const struct event_ids *ids,
			     struct judgement *judgement)
{
	unsigned int i, next = 0;

	for (i = 0; i < a->count; i++) {
		const struct traced *event = &a->event[i];

		if (event->type != ids->entry)
			continue;
		while (next < judgement->interrupts &&
		       judgement->interrupt[next].exit_ns < event->time_ns)
			next++;
		if (next && next < judgement->interrupts &&
		    judgement->interrupt[next].number == irq_number(event) &&
		    event->time_ns < judgement->interrupt[next].entry_ns)
			judgement->interrupt[next].entry_ns = event->time_ns;
	}
}

/* The interrupt that was going on at `time_ns`; their number if none was. */
static unsigned int interrupt_at(const struct judgement *judgement, uint64_t time_ns)
{
	unsigned int i;

	for (i = 0; i < judgement->interrupts; i++)
		if (judgement->interrupt[i].entry_ns < time_ns &&
		    time_ns < judgement->interrupt[i].exit_ns)
			break;
	return i;
}

/* How many whole wraps of the short field would bring it between that exit and A's next event. */
static void count_wraps(const struct decoded *a, struct wrong *wrong, uint64_t exit_ns)
{
	const struct traced *event = &a->event[wrong->event];
	uint64_t wrap = UINT64_C(1) << JUDGE_FIELD_BITS, next;

	wrong->wraps_low = (unsigned int)((exit_ns - event->time_ns + wrap - 1) / wrap);
	wrong->wraps_high = 0;
	if (wrong->event + 1 == a->count)
		return;
	next = event[1].time_ns;
	if (next >= event->time_ns)
		wrong->wraps_high = (unsigned int)((next - event->time_ns) / wrap);
}

static void judge_event(const struct decoded *a, unsigned int i, struct judgement *judgement)
{
	const struct traced *event = &a->event[i];
	struct wrong wrong = { .event = i };

	if (event->stamp == STAMP_ABSOLUTE && judge_in_hardirq(event))
		judgement->nested++;
	/* A delta cannot go back: this one has its whole stamp, so what was summed up is wrong. */
	if (i && event->time_ns < event[-1].time_ns) {
		judgement->backwards++;
		wrong.kind = WRONG_BACKWARDS;
		wrong.event = i - 1;
	}
	if (!judge_in_hardirq(event)) {
		wrong.interrupt = interrupt_at(judgement, event->time_ns);
		if (event->stamp == STAMP_DELTA && !event->delta_ns) {
			judgement->zero++;
		} else if (wrong.interrupt < judgement->interrupts) {
			judgement->in_interrupt++;
			wrong.kind = WRONG_IN_INTERRUPT;
			wrong.event = i;
			count_wraps(a, &wrong, judgement->interrupt[wrong.interrupt].exit_ns);
		}
	}
	if (wrong.kind && !judgement->first.kind)
		judgement->first = wrong;
}

void judge(const struct decoded *a, const struct decoded *b, const struct event_ids *ids,
	   struct judgement *judgement)
{
	unsigned int i;

	memset(judgement, 0, sizeof(*judgement));
	find_interrupts(b, ids, judgement);
	widen_interrupts(a, ids, judgement);
	for (i = 0; i < a->count; i++)
		judge_event(a, i, judgement);
}
