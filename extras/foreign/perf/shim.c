// SPDX-License-Identifier: MIT
/*
 * perf's kernel/events/ring_buffer.c, as it is, on one CPU with interrupts: samples with a time and
 * 8 bytes of data, written as core.c writes them, into a ring that discards (or, BACKWARD,
 * overwrites).
 */
#include "explore/stops/foreign.h"

#include "extras/foreign/linux_ring_buffer/kernel.c"

#define MAX_ORDER 11
#define PERF_PMU_CAP_AUX_NO_SG 4
#define __GFP_NOWARN 0
#define atomic64_inc(at) local_inc(at)
#define local_xchg(at, new) __atomic_exchange_n(&(at)->value, new, __ATOMIC_RELAXED)
#define rcu_dereference(at) READ_ONCE(at)
#define perf_event_clock(event) foreign_clock()
#define primary_event_id(event) ((event)->id)
#define is_write_backward(event) ((event)->attr.write_backward)

typedef int refcount_t, spinlock_t;
typedef unsigned long pgoff_t;
struct rcu_head {
	int unused;
};
struct pt_regs;

/* Records have whole words; an interrupt may come between two of them. */
static void *copy(void *to, const void *from, size_t bytes)
{
	for (size_t word = 0; word < bytes / sizeof(u64); word++)
		((volatile u64 *)to)[word] = ((const u64 *)from)[word];
	return to;
}
#define memcpy copy

/* What the ring buffer and output.c use of a sample, a PMU and an event. */
#include <linux/perf_event.h>
struct perf_sample_data {
	u64 type, time, id, stream_id, value;
	u32 extra;
	struct {
		u32 pid, tid;
	} tid_entry;
	struct {
		u32 cpu, reserved;
	} cpu_entry;
};
struct pmu {
	int capabilities;
	void *(*setup_aux)(), (*free_aux)();
};
struct perf_event {
	struct perf_event *parent;
	struct perf_buffer *rb;
	struct perf_event_attr attr;
	u64 id;
	u16 id_header_size;
	local_t lost_samples;
	int pending_wakeup, pending_disable, cpu;
	struct irq_work pending_irq;
	struct pmu *pmu;
};

/* The first page holds the reader's structure, which is larger than the pages of data here. */
static FOREIGN_PLAIN struct page *page_of_ring(void)
{
	static bool second;
	bool first = !second;

	second = true;
	return first ? foreign_memory(sizeof(struct perf_event_mmap_page)) : foreign_page();
}
#undef alloc_pages_node
#define alloc_pages_node(...) page_of_ring()

#include <events/ring_buffer.c>
#undef noinline

#include <events/output.c>

void perf_prepare_sample(struct perf_event_header *header, struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs)
{
	*header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.size = sizeof(*header) + sizeof(data->value) + data->extra,
	};
	__perf_event_header__init_id(header, data, event, event->attr.sample_type);
}

void perf_output_sample(struct perf_output_handle *handle, struct perf_event_header *header,
			struct perf_sample_data *data, struct perf_event *event)
{
	perf_output_put(handle, *header);
	perf_output_put(handle, data->time);
	perf_output_put(handle, data->value);
	perf_output_skip(handle, data->extra);
}

static const struct scheme_desc foreign_desc = {
	.title = "perf's ring buffer",
	.source = "Linux, kernel/events/ring_buffer.c and include/uapi/linux/perf_event.h",
	.promises = PROMISE_EXACT | PROMISE_WINDOW | PROMISE_WRAP_PROOF,
};

static struct perf_event event = {
	.attr = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .write_backward = BACKWARD },
	.id_header_size = sizeof(u64),
};

static FOREIGN_PLAIN void foreign_begin(void)
{
	event.rb = rb_alloc(2, 0, 0, BACKWARD ? 0 : RING_BUFFER_WRITABLE);
}

/*
 * What a process found in the mapped ring. It reads whenever an event begins, an interrupt's, too:
 * as a process on another CPU can.
 */
static struct {
	bool wrong;
	unsigned int events;
	u64 lost;
	struct sample {
		u64 time, value;
	} event[32];
} found;

/* From data_tail to data_head, or from data_head, the newest record, to the oldest one. */
static FOREIGN_PLAIN void read_ring(void)
{
	struct perf_event_mmap_page *user = event.rb->user_page;
	unsigned long size = perf_data_size(event.rb);
	u64 at = BACKWARD ? user->data_head : user->data_tail;
	u64 end = BACKWARD ? at + min(size, -at) : user->data_head;
	struct {
		struct perf_event_header header;
		u64 words[2];
	} record;

	while (end - at - 1 < size) {
		for (unsigned int i = 0; i < sizeof(record) / sizeof(u64); i++)
			((u64 *)&record)[i] =
				((u64 *)event.rb->data_pages[0])[(at + 8 * i) % size / 8];
		if (record.header.size > end - at || found.events == 32)
			break;
		if (record.header.type == PERF_RECORD_LOST)
			found.lost += record.words[1];
		else if (record.header.type == PERF_RECORD_SAMPLE)
			found.event[found.events++] =
				(struct sample){ record.words[0], record.words[1] };
		else
			break;
		at += record.header.size;
	}
	/* A record was published before it was complete, or data_head went back. */
	found.wrong |= at != end && !BACKWARD;
	user->data_tail = at;
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	struct perf_sample_data data = { .value = value, .extra = (extra + 7) & ~7U };

	if (!BACKWARD)
		read_ring();
	return !__perf_event_output(&event, &data, NULL,
				    BACKWARD ? perf_output_begin_backward :
					       perf_output_begin_forward);
}

static FOREIGN_PLAIN void foreign_read(void)
{
	read_ring();
	for (unsigned int i = 0; i < found.events; i++) {
		struct sample *one = &found.event[BACKWARD ? found.events - 1 - i : i];

		foreign_event(one->value, one->time, false);
	}
	/* The next record would count the losses after the last one; read() counts all of them. */
	found.lost += local_read(&event.rb->lost);
	found.wrong |= found.lost != local_read(&event.lost_samples);
	foreign_lost(found.wrong ? UINT64_MAX : found.lost);
}
