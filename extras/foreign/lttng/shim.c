// SPDX-License-Identifier: MIT
/*
 * LTTng's ring buffer for kernels and the client in front of it, as they are, on one CPU with
 * interrupts: compact headers, two sub-buffers, discard.
 */
#include "explore/stops/foreign.h"

#include "extras/foreign/linux_ring_buffer/kernel.c"

/* As of a kernel before 4.10: later ones only create buffers in another way. */
#define LINUX_VERSION_CODE KERNEL_VERSION(4, 9, 0)
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define __KERNEL__
#define CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS
#define notrace
#define __exit
#define THIS_MODULE NULL
#define KERN_WARNING ""
#define KERN_DEBUG ""
#define KERN_ERR ""
#define __stringify(what) #what
#define INTERNODE_CACHE_SHIFT 3
#define __GFP_NOWARN 0
#undef NAME_MAX
#define NAME_MAX 16
#define jiffies 0
#define TIMER_PINNED 0
#define LTTNG_TIMER_PINNED 0
#define LTTNG_TIMER_FUNC_ARG_TYPE unsigned long
#define lttng_from_timer(buf, t, timer) ((void *)(t))
#define lttng_timer_setup(...) ((void)0)
#define lttng_mod_timer_pinned(...) ((void)0)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define PAGE_ALIGN(bytes) ALIGN(bytes, PAGE_SIZE)
#define DEFINE_PER_CPU(type, name) __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define EXPORT_PER_CPU_SYMBOL(name)
#define per_cpu(what, cpu) (what)
#define per_cpu_ptr(at, cpu) (at)
#define lttng_this_cpu_ptr(at) (at)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define cpumask_next(cpu, mask) ((cpu) + 1)
#define alloc_percpu(type) foreign_memory(sizeof(type))
#define vmalloc_node(bytes, node) foreign_memory(bytes)
#define lttng_kvmalloc_node(bytes, flags, node) foreign_memory(bytes)
#define lttng_kvzalloc_node(bytes, flags, node) foreign_memory(bytes)
#define get_count_order(value) ((value) < 2 ? 0 : 64 - __builtin_clzl((value)-1))
#define trace_clock_read64 foreign_clock

typedef local_t atomic_long_t;
typedef int spinlock_t;
#define atomic_long_read(at) local_read(at)
#define atomic_long_set(at, new) local_set(at, new)
#define atomic_long_add(by, at) local_add(by, at)
#define atomic_long_inc(at) local_inc(at)
#define atomic_long_dec(at) local_dec(at)
#define atomic_long_cmpxchg(at, old, new) local_cmpxchg(at, old, new)
#define atomic_long_add_unless(at, by, unless) (local_add(by, at), 1)

struct timer_list {
	unsigned long expires;
};
struct irq_work {
	int unused;
};
struct kref {
	int unused;
};
struct notifier_block {
	int unused;
};

static void *copy(void *to, const void *from, size_t bytes)
{
	while (bytes--)
		((uint8_t *)to)[bytes] = ((const uint8_t *)from)[bytes];
	return to;
}

static void *fill(void *to, int value, size_t bytes)
{
	while (bytes--)
		((uint8_t *)to)[bytes] = (uint8_t)value;
	return to;
}
#define memset fill
#define memcpy(to, from, bytes) \
	(__builtin_constant_p(bytes) && (bytes) <= 8 ? __builtin_memcpy(to, from, bytes) : \
						       copy(to, from, bytes))

#include <lttng/tracer-core.h>

/* What the client looks at of LTTng's session, channel and event; who calls it is the shim. */
#include <ringbuffer/backend_types.h>
struct lttng_kernel_ctx;
struct lttng_kernel_probe_ctx;
struct lttng_kernel_session {
	struct {
		struct {
			uint8_t b[16];
		} uuid;
	} * priv;
};
struct lttng_kernel_ctx {
	size_t largest_align;
	unsigned int nr_fields;
	struct {
		size_t (*get_size)(void *priv, struct lttng_kernel_probe_ctx *probe, size_t offset);
		void (*record)(void *priv, struct lttng_kernel_probe_ctx *probe,
			       struct lttng_kernel_ring_buffer_ctx *ctx, void *channel);
		void *priv;
	} * fields;
};
struct lttng_kernel_channel_buffer {
	struct {
		struct lttng_kernel_session *session;
	} parent;
	struct {
		unsigned int id;
		int header_type;
		struct lttng_kernel_ctx *ctx;
		struct lttng_kernel_ring_buffer_channel *rb_chan;
	} * priv;
};
struct lttng_kernel_event_recorder {
	struct lttng_kernel_channel_buffer *chan;
	struct {
		unsigned int id;
	} * priv;
};
#include <operations.h>

#include <ring_buffer_backend.c>
#include <ring_buffer_frontend.c>
#include <lttng-ring-buffer-client-discard.c>
#undef noinline

static const struct scheme_desc foreign_desc = {
	.title = "LTTng's ring buffer and its client",
	.source = "lttng-modules, include/ringbuffer and src/lttng-ring-buffer-client.h",
	.promises = PROMISE_MONOTONIC | PROMISE_EXACT | PROMISE_WRAP_PROOF,
};

static struct lttng_kernel_channel_buffer channel;
static struct lttng_kernel_event_recorder recorder;

static FOREIGN_PLAIN void foreign_begin(void)
{
	static __typeof__(*((struct lttng_kernel_session *)0)->priv) named;
	static struct lttng_kernel_session session = { .priv = &named };
	static __typeof__(*channel.priv) of_channel = { .header_type = 1 };
	static __typeof__(*recorder.priv) of_event = { .id = 1 };
	static struct lttng_kernel_ring_buffer_config config;

	channel.parent.session = &session;
	channel.priv = &of_channel;
	recorder.chan = &channel;
	recorder.priv = &of_event;
	/* The client's, by pointers of this copy of the code: what is called by them has no stops.
	 */
	config = client_config;
	config.cb.ring_buffer_clock_read = client_ring_buffer_clock_read;
	config.cb.record_header_size = client_record_header_size;
	config.cb.subbuffer_header_size = client_packet_header_size;
	config.cb.buffer_begin = client_buffer_begin;
	config.cb.buffer_end = client_buffer_end;
	config.cb.buffer_create = client_buffer_create;
	of_channel.rb_chan =
		channel_create(&config, "explored", &channel, NULL, 2 * PAGE_SIZE, 2, 0, 0);
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	struct lttng_kernel_ring_buffer_ctx ctx;

	lib_ring_buffer_ctx_init(&ctx, &recorder, sizeof(extra) + sizeof(value) + extra, 1, NULL);
	if (lttng_event_reserve(&ctx))
		return false;
	lttng_event_write(&ctx, &extra, sizeof(extra), 1);
	lttng_event_write(&ctx, &value, sizeof(value), 1);
	lttng_event_commit(&ctx);
	return true;
}

/* Events of a packet, as its metadata would describe them: { id : 5, time : 27 }, or all of it. */
static FOREIGN_PLAIN void read_packet(const uint8_t *at)
{
	const struct packet_header *header = (const void *)at;
	const uint8_t *end = at + header->ctx.content_size / CHAR_BIT;
	uint64_t time = header->ctx.timestamp_begin, value;
	uint32_t word, extra;

	for (at += client_packet_header_size(); at < end; at += extra) {
		memcpy(&word, at, sizeof(word));
		if ((word & 31) == 31) {
			memcpy(&time, at + 1 + sizeof(word), sizeof(time));
			at += 1 + sizeof(word) + sizeof(time);
		} else {
			time += ((word >> 5) - time) & ((1 << 27) - 1);
			at += sizeof(word);
		}
		memcpy(&extra, at, sizeof(extra));
		memcpy(&value, at + sizeof(extra), sizeof(value));
		at += sizeof(extra) + sizeof(value);
		foreign_event(value, time, false);
	}
}

static FOREIGN_PLAIN void foreign_read(void)
{
	struct lttng_kernel_ring_buffer *buf = channel.priv->rb_chan->backend.buf;

	lib_ring_buffer_open_read(buf);
	lib_ring_buffer_switch_slow(buf, SWITCH_FLUSH);
	while (!lib_ring_buffer_get_next_subbuf(buf)) {
		read_packet((const uint8_t *)client_packet_header(&client_config, buf));
		lib_ring_buffer_put_next_subbuf(buf);
	}
	foreign_lost((uint64_t)v_read(&client_config, &buf->records_lost_full) +
		     (uint64_t)v_read(&client_config, &buf->records_lost_wrap) +
		     (uint64_t)v_read(&client_config, &buf->records_lost_big));
}
