/* SPDX-License-Identifier: MIT */
/* The thread that writes what is in the rings. */
#pragma once

/* All that is in a packet. */
static inline struct trace_part trace_part_of(const struct packet *packet)
{
	struct trace_part part = { packet->number, packet->events, packet->own,
				   packet->back,   packet->end,	   0 };
	struct ctf_packet_header header;

	memcpy(&header, packet->bytes, sizeof(header));
	part.content = (uint32_t)(header.content_size / 8);
	return part;
}

/*
 * Makes it a packet in `to`, which has room for a sub-buffer, of what `cut` has not: that begins at
 * the time of the cut's last event. False: nothing is left.
 */
static inline bool trace_trim(const struct trace_slot *slot, const struct trace_part *cut,
			      struct packet *packet, uint8_t *to)
{
	const uint32_t begin = sizeof(struct ctf_packet_header);
	uint32_t skipped = begin, content;
	struct ctf_packet_header header;

	memcpy(&header, packet->bytes, begin);
	if (packet->number < cut->number)
		return false;
	if (packet->number == cut->number && cut->events) {
		skipped = cut->content;
		header.timestamp_begin = cut->end;
		packet->events -= cut->events;
		packet->own -= cut->own;
		packet->back -= cut->back;
	}
	content = (uint32_t)(header.content_size / 8) - skipped;
	memmove(to + begin, packet->bytes + skipped, content);
	content += begin;
	packet->bytes = to;
	packet->size = (content + begin - 1u) / begin * begin;
	memset(to + content, 0, packet->size - content);
	header.content_size = (uint64_t)content * 8;
	header.packet_size = packet->size * 8;
	packet->lost = header.events_discarded -= slot->lost_before;
	memcpy(to, &header, begin);
	return packet->events != 0;
}

/*
 * A write within a page is whole, or not there, also when the program is killed. A packet that
 * would not be in one page, or as many as a sub-buffer has, begins in the next, behind one without
 * events.
 */
static inline bool trace_fill(struct tracing *all, struct trace_slot *slot,
			      const struct packet *packet)
{
	const uint64_t page = sizeof(all->filler), room = page - slot->at % page;
	struct ctf_packet_header header;

	_Static_assert(sizeof(header) == 64, "the room is a number of headers");
	if (packet->size <= room || packet->size > page)
		return true;
	memcpy(&header, packet->bytes, sizeof(header));
	header.content_size = sizeof(header) * 8;
	header.packet_size = room * 8;
	header.timestamp_end = header.timestamp_begin;
	memcpy(all->filler, &header, sizeof(header));
	if (!trace_put(slot->file, all->filler, room, slot->at))
		return false;
	slot->at += room;
	all->chunk_bytes += room;
	return true;
}

/* Writes the count of losses so far before a file's first packet: readers take differences. */
static inline void trace_tell(struct trace_slot *slot, const struct packet *packet)
{
	struct ctf_packet_header header;

	memcpy(&header, packet->bytes, sizeof(header));
	header.timestamp_end = header.timestamp_begin;
	header.content_size = header.packet_size = sizeof(header) * 8;
	header.packet_seq_num--;
	header.events_discarded = slot->told;
	if (trace_put(slot->file, &header, sizeof(header), slot->at))
		slot->at += sizeof(header);
}

/* What is not yet written of a packet; `open`: more of it comes, and this again if it fails. */
static inline void trace_write(struct tracing *all, struct trace_slot *slot, struct packet *packet,
			       enum trace_looks how, bool open)
{
	const struct trace_part part = trace_part_of(packet);
	const uint64_t most = all->options.chunk_bytes;
	bool good, begins;

	if (!trace_trim(slot, &slot->cut, packet, all->written))
		return;
	if (how == TRACE_PASS) {
		all->strays += all->options.overwrite ? 0 : packet->events - packet->own;
		slot->cut = part;
		return;
	}
	if (most && all->chunk_bytes && all->chunk_bytes + packet->size > most)
		trace_chunk_end(all);
	begins = !slot->file;
	good = slot->file || trace_file_begin(all, slot);
	if (good && begins && packet->lost != slot->told)
		trace_tell(slot, packet);
	if (good && !(trace_fill(all, slot, packet) &&
		      trace_put(slot->file, packet->bytes, packet->size, slot->at))) {
		trace_failed(all, errno);
		good = false;
	}
	if (good) {
		trace_written(all, slot, packet->events - packet->own);
		slot->told = packet->lost;
		trace_add(&all->counts.packets, 1);
		trace_add(&all->counts.bytes, packet->size);
		trace_add(&all->counts.back, packet->back);
		slot->at += packet->size;
		all->chunk_bytes += packet->size;
	} else if (open) {
		return;
	} else {
		trace_add(&all->counts.unwritten, packet->events - packet->own);
	}
	slot->cut = part;
}

/*
 * The next packet: 1: a complete one, which then is released. TRACE_OPEN: all complete ones are
 * read, and this is a copy of what is recorded of the next. BUSY: ask again. 0: there is none.
 */
static inline int trace_get(struct tracing *all, struct trace_slot *slot, struct packet *packet)
{
	const bool reads = !all->options.overwrite;
	int got = reads ? read(&slot->t, packet) : 0;
	uint64_t first, last, end;

	if (got)
		return got;
	ring_readable(&slot->t.scheme.ring, &first, &last);
	end = packets(&slot->t);
	if (reads ? end <= first : !end)
		return 0;
	if (reads && (last > first || end != first + 1))
		return BUSY; /* one became complete meanwhile, and comes first */
	return copy(&slot->t, end - 1, all->written, packet) == 1 ? TRACE_OPEN : BUSY;
}

/* What is complete; and of a ring where that was nothing what is recorded so far. */
static inline void trace_drain(struct tracing *all, struct trace_slot *slot, enum trace_looks how)
{
	int got, quiet = 1, tries = 0;
	struct packet packet;

	if (trace_is_gone(slot))
		trace_file_end(all, slot);
	while ((got = trace_get(all, slot, &packet))) {
		if (got == 1 || (got == TRACE_OPEN && (quiet || how != TRACE_LOOK))) {
			trace_write(all, slot, &packet, how,
				    got == TRACE_OPEN && how == TRACE_LOOK);
		} else if (got == DAMAGED) {
			trace_failed(all, EBADMSG);
			trace_add(&all->counts.unwritten, packet.events - packet.own);
		} else if (got == BUSY && how == TRACE_LAST && tries++ < 100) {
			usleep(1000); /* its thread is just recording */
			continue;
		} else if (got == BUSY && how == TRACE_LAST) {
			trace_failed(all, EBUSY);
		} else if (got == BUSY && how == TRACE_PASS && all->options.overwrite) {
			memset(&slot->cut, 0, sizeof(slot->cut)); /* it ends in this trace */
			slot->cut.number = packets(&slot->t) - 1;
		}
		if (got == BUSY || got == TRACE_OPEN)
			return;
		release(&slot->t, &packet);
		quiet = 0;
	}
}

/* What is in the ring is of the trace before: what came after its end are strays. */
static inline void trace_pass(struct tracing *all, struct trace_slot *slot)
{
	trace_drain(all, slot, TRACE_PASS);
	slot->began = slot->cut;
	slot->told = 0;
	if (slot->lost_until != UINT64_MAX)
		slot->lost_before = slot->lost_until;
	__atomic_store_n(&slot->lost_until, UINT64_MAX, __ATOMIC_RELAXED);
}

/* At the end: what was lost behind a ring's last packet, in one without events. */
static inline void trace_tell_lost(struct tracing *all, struct trace_slot *slot)
{
	struct ctf_packet_header header;

	memset(&header, 0, sizeof(header));
	header.magic = CTF_MAGIC;
	header.timestamp_begin = header.timestamp_end = clock_now();
	header.content_size = header.packet_size = sizeof(header) * 8;
	header.packet_seq_num = packets(&slot->t);
	header.events_discarded = lost(&slot->t) - slot->lost_before;
	header.cpu_id = (uint32_t)(slot - all->slots);
	if (header.events_discarded != slot->told && (slot->file || trace_file_begin(all, slot)))
		trace_put(slot->file, &header, sizeof(header), slot->at);
}

static inline void trace_look(struct tracing *all, enum trace_looks how)
{
	const uint64_t oldest = (uint64_t)all->options.chunk_seconds * 1000000000u;
	struct trace_slot *slot;

	pthread_mutex_lock(&all->lock);
	if (all->chunk && oldest && how == TRACE_LOOK &&
	    clock_steady() - all->chunk_since >= oldest)
		trace_chunk_end(all);
	TRACE_EACH(all, slot)
		trace_drain(all, slot, how);
	if (how == TRACE_LAST)
		TRACE_EACH(all, slot)
			trace_tell_lost(all, slot);
	pthread_mutex_unlock(&all->lock);
}

static inline void *trace_consume(void *arg)
{
	struct tracing *all = (struct tracing *)arg;
	const uint32_t ms = all->options.period_ms ? all->options.period_ms : 10;
	const struct timespec period = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (!__atomic_load_n(&all->stopping, __ATOMIC_ACQUIRE)) {
		trace_look(all, TRACE_LOOK);
		nanosleep(&period, NULL);
	}
	trace_look(all, TRACE_LAST);
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
	struct trace_slot *slot;

	all->running = 0; /* of a handler that comes now */
	__atomic_store_n(&trace_mine, NULL, __ATOMIC_RELAXED);
	pthread_setspecific(all->key, NULL);
	TRACE_EACH(all, slot) {
		if (slot->file > 0)
			(close)(slot->file);
		munmap(slot->memory, open_bytes(&options));
		memset(slot, 0, sizeof(*slot));
	}
	if (all->chunk > 0)
		(close)(all->chunk);
	if (all->folder > 0)
		(close)(all->folder);
	all->folder = all->chunk = all->stopping = all->copying = 0;
	all->strays = 0;
	all->cpus = 0;
	memset(&all->counts, 0, sizeof(all->counts));
	pthread_mutex_unlock(&all->lock);
}
