// SPDX-License-Identifier: MIT
/*
 * A payload is the checked build's, but for its stamp: the buffer takes that itself, and tells
 * nobody. The reader's time stands in for it, so that what is judged is the window: entry and exit
 * are of the buffer's own clock, taken around its reserve.
 */
#include <linux/kallsyms.h>
#include <linux/ring_buffer.h>
#include <linux/trace_clock.h>
#include <linux/version.h>

#include "extras/kernel/shim/shim.h"
#include "extras/kernel/allocation.h"
#include "extras/kernel/buffer.h"

static struct trace_buffer *buffer;

static void buffer_commit(struct ring_buffer_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	(void)event;
	ring_buffer_unlock_commit(buffer);
#else
	ring_buffer_unlock_commit(buffer, event);
#endif
}

static void buffer_one(struct writer *writer, unsigned int context)
{
	struct check_payload payload = { .entry = trace_clock_local() };
	struct ring_buffer_event *event;

	local_add_raw(&writer->entered[context], 1);
	event = ring_buffer_lock_reserve(buffer, sizeof(payload));
	if (!event) {
		local_add_raw(&writer->failed[context], 1);
		return;
	}
	payload.exit = trace_clock_local();
	payload.tag = check_tag(context, false, 0, EVENT_FIXED, writer->written[context]++);
	memcpy(ring_buffer_event_data(event), &payload, sizeof(payload));
	buffer_commit(event);
}

static void row_run(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t i;

	(void)scheme;
	for (i = 0; i < events; i++)
		buffer_one(writer, CONTEXT_TASK);
}

static void row_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	(void)scheme;
	buffer_one(writer, context);
}

static void row_init(void *scheme, const struct ring_config *config, uint8_t *base,
		     struct subbuf *subbufs, struct writer *writer)
{
	(void)scheme;
	(void)config;
	(void)base;
	(void)subbufs;
	(void)writer;
}

static const char *row_unsupported(void)
{
	return NULL;
}

const struct driver buffer_row = {
	.row = KERNEL_BUFFER_ROW,
	.payload_bytes = sizeof(struct check_payload),
	.unsupported = row_unsupported,
	.init = row_init,
	.run = row_run,
	.interrupt = row_interrupt,
};

int buffer_alloc(uint64_t bytes, bool overwrite)
{
	buffer_free();
	if (allocation_fails())
		return -ENOMEM;
	buffer = ring_buffer_alloc(bytes, overwrite ? RB_FL_OVERWRITE : 0);
	return buffer ? 0 : -ENOMEM;
}

void buffer_free(void)
{
	if (buffer)
		ring_buffer_free(buffer);
	buffer = NULL;
}

void buffer_take(int cpu, struct kernel_image *image, struct kernel_taken *taken, uint64_t most)
{
	struct ring_buffer_event *event;
	unsigned long lost = 0;
	uint64_t time, count = 0;

	while (count < most && (event = ring_buffer_consume(buffer, cpu, &time, &lost))) {
		taken[count].time = time;
		memcpy(&taken[count].payload, ring_buffer_event_data(event),
		       sizeof(taken[count].payload));
		taken[count].payload.stamp = time;
		count++;
	}
	image->taken = count;
	image->overrun = ring_buffer_overrun_cpu(buffer, cpu);
}

/*
 * Three forms of one interface, of 6.1, of 6.8 and of what was brought back to 6.12:
 * extras/kernel/module.sh finds out which one the headers have.
 */
#ifdef READ_PAGE_INTO
typedef struct buffer_data_read_page *page_handle;
#define page_alloc(cpu, page) ring_buffer_alloc_read_page(buffer, cpu, page)
#elif defined(READ_PAGE_STRUCT)
typedef struct buffer_data_read_page *page_handle;
#define page_alloc(cpu, page) PTR_ERR_OR_ZERO(*(page) = ring_buffer_alloc_read_page(buffer, cpu))
#else
typedef void *page_handle;
#define page_alloc(cpu, page) PTR_ERR_OR_ZERO(*(page) = ring_buffer_alloc_read_page(buffer, cpu))
#endif
#if defined(READ_PAGE_INTO) || defined(READ_PAGE_STRUCT)
#define page_read(cpu, page) ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0)
#define page_bytes(page) ring_buffer_read_page_data(page)
#else
#define page_read(cpu, page) ring_buffer_read_page(buffer, &(page), PAGE_SIZE, cpu, 0)
#define page_bytes(page) (page)
#endif

int buffer_take_pages(int cpu, struct kernel_image *image, uint8_t *to, uint64_t most)
{
	page_handle page;
	int error = allocation_fails() ? -ENOMEM : page_alloc(cpu, &page);

	if (error)
		return error;
	for (image->pages = 0; image->pages < most && page_read(cpu, page) >= 0; image->pages++)
		memcpy(to + image->pages * PAGE_SIZE, page_bytes(page), PAGE_SIZE);
	ring_buffer_free_read_page(buffer, cpu, page);
	image->overrun = ring_buffer_overrun_cpu(buffer, cpu);
	return 0;
}

bool buffer_hit(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, address);
	return !strncmp(name, "__rb_reserve_next", 17) || !strcmp(name, "ring_buffer_lock_reserve");
}
