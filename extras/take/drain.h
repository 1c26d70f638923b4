/* SPDX-License-Identifier: MIT */
/* The thread that writes what is in the rings. */
#ifndef STAMPEDE_EXTRAS_TAKE_DRAIN_H
#define STAMPEDE_EXTRAS_TAKE_DRAIN_H

/* A copy's part: all that is in it. */
static inline struct trace_part trace_part_of(const struct packet *packet)
{
	struct trace_part part = { packet->number, packet->events, packet->back, packet->end, 0 };
	struct ctf_packet_header header;

	memcpy(&header, packet->bytes, sizeof(header));
	part.content = (uint32_t)(header.content_size / 8);
	return part;
}

/*
 * Without what `cut` has of the packet, in `to`, which has room for it. What is left begins at the
 * time of the last event of the cut. False: nothing is left.
 */
static inline bool trace_trim(const struct trace_slot *slot, const struct trace_part *cut,
			      struct packet *packet, uint8_t *to)
{
	const uint32_t begin = sizeof(struct ctf_packet_header);
	const bool part = cut->events && packet->number == cut->number;
	struct ctf_packet_header header;
	uint32_t content;

	if (packet->number < cut->number)
		return false;
	if (!part && !slot->lost_before)
		return true;
	memmove(to, packet->bytes, packet->size);
	packet->bytes = to;
	memcpy(&header, to, begin);
	header.events_discarded -= slot->lost_before;
	if (part) {
		content = (uint32_t)(header.content_size / 8) - cut->content;
		memmove(to + begin, to + cut->content, content);
		memset(to + begin + content, 0, packet->size - begin - content);
		header.content_size = (begin + (uint64_t)content) * 8;
		header.timestamp_begin = cut->end;
		packet->events -= cut->events;
		packet->back -= cut->back;
	}
	memcpy(to, &header, begin);
	return packet->events != 0;
}

static inline void trace_packet(struct tracing *all, uint64_t bytes, uint64_t packets_more)
{
	trace_add(&all->counts.packets, packets_more);
	trace_add(&all->counts.bytes, bytes);
}

/* A packet, whole or, `early`, as far as it is: then it comes again. */
static inline void trace_write(struct tracing *all, struct trace_slot *slot, struct packet *packet,
			       bool early)
{
	const struct trace_part part = trace_part_of(packet);
	const uint64_t most = all->options.chunk_bytes;
	struct trace_part before;

	if (!early && most && all->chunk_bytes && all->chunk_bytes + packet->size > most)
		trace_chunk_end(all);
	before = slot->early.content ? slot->early : slot->cut;
	if (before.number != part.number)
		before.events = before.back = 0;
	if ((early && part.events == before.events) ||
	    !trace_trim(slot, &slot->cut, packet, all->early))
		return;
	if (trace_append(all, slot, packet)) {
		if (!slot->early.content)
			trace_packet(all, packet->size, 1);
		trace_written(all, slot, part.events - before.events);
		trace_add(&all->counts.back, part.back - before.back);
		slot->early = part;
		if (early)
			return;
		slot->at += packet->size;
		all->chunk_bytes += packet->size;
	} else {
		if (slot->early.content) { /* nor is what was there before */
			trace_packet(all, -packet->size, -UINT64_C(1));
			trace_written(all, slot, part.events - packet->events - before.events);
			slot->early.content = 0;
		}
		if (early)
			return;
		trace_add(&all->counts.unwritten, packet->events);
	}
	slot->early.content = 0;
	slot->cut = part;
}

/* What is complete; and of a ring where that was nothing what is recorded so far. */
static inline void trace_drain(struct tracing *all, struct trace_slot *slot, bool last)
{
	struct packet packet;
	bool quiet = true;
	int got, tries;

	if (!__atomic_load_n(&slot->memory, __ATOMIC_ACQUIRE))
		return;
	if (trace_is_gone(slot))
		trace_file_end(all, slot);
	for (; (got = read(&slot->t, &packet)) == 1 || got == DAMAGED; quiet = false) {
		if (got == 1) {
			trace_write(all, slot, &packet, false);
		} else {
			trace_failed(all, EBADMSG);
			trace_add(&all->counts.unwritten, packet.events);
		}
		release(&slot->t, &packet);
	}
	if (!last && !quiet)
		return;
	for (tries = 0; (got = copy(&slot->t, packets(&slot->t) - 1, all->early, &packet)) != 1;
	     tries++) {
		if (last && tries == 100 && packets(&slot->t))
			trace_failed(all, EBUSY);
		if (!last || tries == 100)
			return;
		usleep(1000); /* its thread is just recording */
	}
	if (packet.number >= slot->t.scheme.ring.consumed) /* else it is written as a whole */
		trace_write(all, slot, &packet, !last);
}

/* What is in the ring is of the trace before: what came after its end are strays. */
static inline void trace_pass(struct tracing *all, struct trace_slot *slot)
{
	const struct trace_part under_way = { packets(&slot->t) - 1, 0, 0, 0, 0 };
	const bool reads = !all->options.overwrite;
	struct trace_part *cut = &slot->cut;
	struct packet packet;
	bool more = true;
	int got;

	while (more) {
		got = reads ? read(&slot->t, &packet) : 0;
		more = got == 1 || got == DAMAGED;
		if (!more && copy(&slot->t, packets(&slot->t) - 1, all->early, &packet) != 1) {
			if (!reads && packets(&slot->t))
				*cut = under_way; /* it ends in this trace */
			break;
		}
		if (reads && packet.number >= cut->number)
			all->strays +=
				packet.events - (packet.number == cut->number ? cut->events : 0);
		if (packet.number >= cut->number && got != DAMAGED)
			*cut = trace_part_of(&packet);
		if (more)
			release(&slot->t, &packet);
	}
	slot->began = *cut;
	if (slot->lost_until != UINT64_MAX)
		slot->lost_before = slot->lost_until;
	__atomic_store_n(&slot->lost_until, UINT64_MAX, __ATOMIC_RELAXED);
}

static inline void trace_look(struct tracing *all, bool last)
{
	const uint64_t oldest = (uint64_t)all->options.chunk_seconds * 1000000000u;
	int i;

	pthread_mutex_lock(&all->lock);
	if (all->chunk && oldest && !last && clock_steady() - all->chunk_since >= oldest)
		trace_chunk_end(all);
	for (i = 0; i < THREADS; i++)
		trace_drain(all, &all->slots[i], last);
	pthread_mutex_unlock(&all->lock);
}

static inline void *trace_consume(void *arg)
{
	struct tracing *all = (struct tracing *)arg;
	const uint32_t ms = all->options.period_ms ? all->options.period_ms : 10;
	const struct timespec period = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (!__atomic_load_n(&all->stopping, __ATOMIC_ACQUIRE)) {
		trace_look(all, false);
		nanosleep(&period, NULL);
	}
	trace_look(all, true);
	trace_chunk_end(all);
	return NULL;
}

/* ---- a process forks: the child has no trace until it starts one ---- */

static inline void trace_before_fork(void)
{
	pthread_mutex_lock(&trace_all.lock);
}

static inline void trace_after_fork(void)
{
	pthread_mutex_unlock(&trace_all.lock);
}

static inline void trace_in_child(void)
{
	struct tracing *all = &trace_all;
	struct options options = { NULL, 0, 0, all->options.overwrite, NULL };
	int i;

	all->running = 0; /* of a handler that comes now */
	trace_mine = NULL;
	pthread_setspecific(all->key, NULL);
	for (i = 0; i < THREADS; i++) {
		if (all->slots[i].file > 0)
			(close)(all->slots[i].file);
		if (all->slots[i].memory)
			munmap(all->slots[i].memory, open_bytes(&options));
		memset(&all->slots[i], 0, sizeof(all->slots[i]));
	}
	if (all->chunk > 0)
		(close)(all->chunk);
	if (all->folder > 0)
		(close)(all->folder);
	all->folder = all->chunk = all->stopping = all->copying = all->crashing = 0;
	all->cpus = 0;
	memset(&all->counts, 0, sizeof(all->counts));
	pthread_mutex_unlock(&all->lock);
}

#endif
