/* SPDX-License-Identifier: MIT */
/* A ring that `make take ROW=...` has cut out, as the recorder of a preloaded tracer. */
#ifndef STAMPEDE_EXTRAS_PROGRAMS_RING_H
#define STAMPEDE_EXTRAS_PROGRAMS_RING_H

#include HEADER

#define RING_JOIN2(a, b) a##_##b
#define RING_JOIN(a, b) RING_JOIN2(a, b)
#define R(name) RING_JOIN(ROW, name)

#define RING_IDS 20
#ifdef JUDGED
#define RING_PAYLOAD 24
#define RING_FIELDS "u64 a; u64 b; u64 seq;"
#else
#define RING_PAYLOAD 16
#define RING_FIELDS "u64 a; u64 b;"
#endif
#define RING_TYPE(id) \
	{ \
		"e" #id, RING_FIELDS, id, RING_PAYLOAD \
	}
static const struct R(event_type) ring_types[] = {
	RING_TYPE(1),  RING_TYPE(2),  RING_TYPE(3),  RING_TYPE(4),  RING_TYPE(5),
	RING_TYPE(6),  RING_TYPE(7),  RING_TYPE(8),  RING_TYPE(9),  RING_TYPE(10),
	RING_TYPE(11), RING_TYPE(12), RING_TYPE(13), RING_TYPE(14), RING_TYPE(15),
	RING_TYPE(16), RING_TYPE(17), RING_TYPE(18), RING_TYPE(19), RING_TYPE(RING_IDS),
};

/* The clock before and after a call, and what the header's own reader said. */
struct ring_truth {
	uint64_t seq, id, a, b, entry, exit;
};
struct ring_decoded {
	uint64_t seq, id, a, b, time;
};

#define RING_MOST 256 /* of one sub-buffer */

struct ring_recorder {
	struct R(tracer) tracer;
	uint64_t read_bytes, read_events;
	struct ring_decoded decoded[RING_MOST];
#ifdef JUDGED
	struct ring_truth truth[1024];
	uint32_t filled;
#endif
};

static struct R(options) ring_options(uint32_t number)
{
	struct R(options) options;

	memset(&options, 0, sizeof(options));
	options.types = ring_types;
	options.type_count = RING_IDS;
	options.number = number;
	options.overwrite = preload_mode == MODE_COUNT || preload_mode == MODE_OVERWRITE;
	return options;
}

static bool recorder_open(struct ring_recorder *r, uint32_t number)
{
	struct R(options) options = ring_options(number);

	options.memory = mmap(NULL, R(open_bytes)(&options), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return options.memory != MAP_FAILED && !R(open)(&r->tracer, &options) &&
	       !R(attach)(&r->tracer);
}

static inline bool recorder_event(struct ring_recorder *r, uint32_t id, uint64_t a, uint64_t b)
{
	const uint64_t payload[2] = { a, b };

	R(write)(&r->tracer, id, payload, sizeof(payload));
	return true; /* a lost one is counted there */
}

static void ring_append(uint32_t number, const char *what, const void *bytes, size_t size)
{
	char path[600];

	if (!preload_prefix[0])
		return;
	snprintf(path, sizeof(path), "%s%s%u", preload_prefix, what, number);
	preload_append(path, bytes, size);
}

/* Complete sub-buffers: as they are, for other readers, and decoded by the header's. */
static void ring_read(struct ring_recorder *r, uint32_t number)
{
	struct ring_decoded *decoded = r->decoded;
	struct R(packet) packet;
	struct R(event) one;
	size_t count;
	int said;

	while ((said = R(read)(&r->tracer, &packet)) != 0) {
		if (said < 0) { /* damaged: the judge misses its events */
			R(release)(&r->tracer, &packet);
			continue;
		}
		ring_append(number, ".trace/", packet.bytes, packet.size);
		for (count = 0; count < RING_MOST && R(next)(&packet, &one); count++) {
			decoded[count] = (struct ring_decoded){ .id = one.id, .time = one.time };
			memcpy(&decoded[count].a, one.payload, 8);
			memcpy(&decoded[count].b, one.payload + 8, 8);
			if (RING_PAYLOAD > 16)
				memcpy(&decoded[count].seq, one.payload + 16, 8);
		}
		r->read_bytes += packet.size;
		r->read_events += count;
		ring_append(number, ".decoded.", decoded, count * sizeof(*decoded));
		R(release)(&r->tracer, &packet);
	}
}

#ifdef JUDGED
static void recorder_judged(struct ring_recorder *r, uint32_t number, uint64_t seq, uint32_t id,
			    uint64_t a, uint64_t b)
{
	const uint64_t payload[3] = { a, b, seq };
	struct ring_truth *truth = &r->truth[r->filled++];
	int error = errno;

	*truth = (struct ring_truth){ .seq = seq, .id = id, .a = a, .b = b };
	truth->entry = R(clock_real)();
	R(write)(&r->tracer, id, payload, sizeof(payload));
	truth->exit = R(clock_real)();
	if (r->filled == sizeof(r->truth) / sizeof(r->truth[0])) {
		ring_append(number, ".truth.", r->truth, sizeof(r->truth));
		r->filled = 0;
	}
	if (preload_mode == MODE_WRITE)
		ring_read(r, number);
	errno = error;
}
#endif

/* Of a thread that is over, or inside of nothing. */
static void recorder_end(struct ring_recorder *r, uint32_t number, char *text, size_t most)
{
	if (preload_mode != MODE_COUNT) {
		R(flush_open)(&r->tracer);
		ring_read(r, number);
	}
#ifdef JUDGED
	ring_append(number, ".truth.", r->truth, r->filled * sizeof(r->truth[0]));
#endif
	snprintf(text, most, "%llu %llu %llu", (unsigned long long)R(lost)(&r->tracer),
		 (unsigned long long)r->read_bytes, (unsigned long long)r->read_events);
}

/* For babeltrace2 and CTF 1.8; in CTF 2, which varint_low writes, fields are spelt otherwise. */
static void recorder_metadata(void)
{
	struct R(options) options = ring_options(0);
	struct R(clock_rate) rate;
	char path[600];
	FILE *text;

	if (preload_mode == MODE_COUNT || !preload_prefix[0])
		return;
	R(clock_measure)(&rate, 4);
	snprintf(path, sizeof(path), "%s.trace/metadata", preload_prefix);
	text = fopen(path, "w");
	if (!text)
		return;
	R(metadata)(text, &options, &rate);
	fclose(text);
}

#endif
