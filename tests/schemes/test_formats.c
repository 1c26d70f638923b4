// SPDX-License-Identifier: MIT
/*
 * The two formats in the ring: writers and readers against bytes written down by hand, and readers
 * against records that are cut short at every byte.
 */
#include "tests/support/test.h"
#include "tests/support/decoding.h"
#include "tests/support/support.h"

/* The stamp of most cases: its low 27, 16 and 3 bits are 0x1abcdef, 0xcdef and 7. */
#define STAMP UINT64_C(0x0123456789abcdef)
#define LARGEST (70u << 10)

static uint8_t record[LARGEST];

/* A record of `size` bytes, read after `time`, is this event and nothing more. */
static void reads(next_fn *next, size_t size, uint64_t time, unsigned int bits,
		  const struct event *expected)
{
	const uint8_t *bytes = guarded_copy(record, size);
	struct cursor cursor = cursor_over(bytes, size, time, bits);
	struct event event;

	memset(&event, 0x5a, sizeof(event));
	assert_int_equal(next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.time, expected->time);
	assert_int_equal(event.id, expected->id);
	assert_int_equal(event.flags, expected->flags);
	assert_int_equal(event.header_bytes, expected->header_bytes);
	assert_int_equal(event.payload_bytes, expected->payload_bytes);
	assert_int_equal(event.header_bytes + event.payload_bytes, size);
	assert_ptr_equal(event.payload, bytes + event.header_bytes);
	assert_ptr_equal(cursor.at, bytes + size);
	assert_int_equal(cursor.time, expected->time);
	assert_int_equal(next(&cursor, &event), DECODE_END);
}

/* Cut anywhere it is no record; on the heap with nothing behind it, for ASan, too. */
static void reads_no_part(next_fn *next, size_t size, uint64_t time, unsigned int bits)
{
	struct cursor cursor;
	struct event event;
	uint8_t *heap;
	size_t cut;

	for (cut = 0; cut < size; cut += cut == 64 && size > 256 ? size - 80 : 1) {
		cursor = cursor_over(guarded_copy(record, cut), cut, time, bits);
		assert_int_equal(next(&cursor, &event), cut ? DECODE_BAD : DECODE_END);
		heap = malloc(cut);
		memcpy(heap, record, cut);
		cursor = cursor_over(heap, cut, time, bits);
		assert_int_equal(next(&cursor, &event), cut ? DECODE_BAD : DECODE_END);
		free(heap);
	}
}

/* The writer returned `payload` and wrote these bytes, and none behind them. */
static size_t wrote(const uint8_t *payload, const char *hex)
{
	uint8_t expected[64];
	size_t size = from_hex(hex, expected, sizeof(expected)), i;

	assert_int_equal(payload - record, size);
	assert_memory_equal(record, expected, size);
	for (i = size; i < size + 64; i++)
		assert_int_equal(record[i], 0xa5);
	return size;
}

static void blank(void)
{
	memset(record, 0xa5, sizeof(record));
}

/* ---- CTF headers ---- */

struct header_case {
	uint32_t id, len;
	uint64_t stamp;
	unsigned int bits,
		form; /* 0: compact, 1: the same with the whole stamp; large: its bytes */
	char hex[100];
};

/* Writes the header; its bytes, which the form's own count has to know. */
static size_t wrote_case(const struct header_case *one)
{
	bool full = one->form == 1;
	size_t size = one->form > 1 ? ctf_large_bytes(one->form, one->len) :
				      ctf_compact_bytes(one->id, one->len, full);

	blank();
	assert_int_equal(wrote(one->form > 1 ? ctf_large_put(record, one->form, one->id, one->len,
							     one->stamp, one->bits) :
					       ctf_compact_put(record, one->id, one->len,
							       one->stamp, one->bits, full),
			       one->hex),
			 size);
	return size;
}

static void headers(void **state)
{
	FILE *file = fopen("tests/data/ctf_headers.txt", "r");
	struct header_case its, *one = &its;
	struct event event;
	next_fn *next;
	uint64_t before;
	char line[200];
	size_t size, tried = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u %u %lx %u %u|%99[^\n]", &one->id, &one->len, &one->stamp,
			   &one->bits, &one->form, one->hex) != 6)
			continue;
		tried++;
		next = one->form == 8 ? ctf_full_next :
		       one->form == 4 ? ctf_wide_next :
					ctf_compact_next;
		size = wrote_case(one);
		event = (struct event){
			.time = one->stamp,
			.id = one->id,
			.flags = one->form == 1 ? EVENT_EXTENDED : 0,
			.header_bytes = (uint32_t)size,
			.payload_bytes = one->len,
		};
		/* At the same tick, and as late as the field allows. */
		before = one->stamp - bits_mask(one->bits);
		reads(next, size + one->len, one->stamp, one->bits, &event);
		reads(next, size + one->len, before, one->bits, &event);
		reads_no_part(next, size + one->len, before, one->bits);
		/* One tick later: a whole stamp says it still, a short one is a wrap off. */
		if (one->form != 1 && one->form != 8)
			event.time = before - 1;
		reads(next, size + one->len, before - 1, one->bits, &event);
	}
	assert_int_equal(tried, 38);
	fclose(file);
}

/* All ids that fit the five bits, at all low bits of the time beside them. */
static void compact_ids(void **state)
{
	struct event event = { .header_bytes = 4, .payload_bytes = FIXED };
	uint32_t id;

	for (id = 0; id < 28; id++) {
		for (event.time = 0; event.time < 8; event.time++) {
			blank();
			assert_ptr_equal(ctf_compact_put(record, id, FIXED, event.time, 27, false),
					 record + 4);
			assert_int_equal(record[0], id + 32 * event.time);
			assert_int_equal(record[1] + record[2] + record[3], 0);
			event.id = id;
			reads(ctf_compact_next, 4 + FIXED, 0, 27, &event);
		}
	}
}

static void stamp_events(void **state)
{
	struct event event = {
		.time = STAMP,
		.id = 28,
		.flags = EVENT_EXTENDED | EVENT_STAMP_ONLY,
		.header_bytes = 12,
	};

	blank();
	ctf_stamp_event_put(record, STAMP, 27);
	wrote(record + CTF_STAMP_EVENT_BYTES, "fc bd 79 35  ef cd ab 89 67 45 23 01");
	reads(ctf_compact_next, 12, 0, 27, &event);
	reads(ctf_compact_next, 12, UINT64_MAX, 27, &event);
	reads_no_part(ctf_compact_next, 12, 0, 27);
	blank();
	ctf_stamp_event_put(record, STAMP, 3);
	wrote(record + CTF_STAMP_EVENT_BYTES, "fc 00 00 00  ef cd ab 89 67 45 23 01");
}

/* ---- CTF packets ---- */

static struct ring ring;
static struct subbuf subbufs[2];
static uint8_t ring_memory[2][128] __attribute__((aligned(8)));

static void ring_start(uint32_t header_bytes)
{
	static const struct ring_config config = {
		.mode = RING_OVERWRITE,
		.subbuf_shift = 7,
		.count_shift = 1,
		.stamp_bits = 27,
		.counter_bits = 64,
		.fixed_bytes = FIXED,
		.cpu = 3,
	};

	memset(ring_memory, 0xa5, sizeof(ring_memory));
	memset(subbufs, 0, sizeof(subbufs));
	ring_init(&ring, &config, ring_memory[0], subbufs, false, header_bytes);
}

/* A record of 16 bytes opens the next packet, as in a scheme. */
static void packet_open(uint64_t stamp)
{
	struct ctf_claim claim = { .opens = false };
	uint64_t offset = ring.tail;

	assert_true(ctf_fit_next(&ring, offset, 16, &claim));
	ring.tail = claim.start + 16;
	ctf_begin(&ring, offset, &claim.opening, stamp);
	ctf_compact_put(ring_at(&ring, claim.start), 1, FIXED, stamp, 27, false);
	ring_commit(ring_subbuf_at(&ring, claim.start), 16, RING_RECORD);
}

/* The packet in this slot begins and ends then, and is of this number; so many were lost by then.
 */
static void packet_header_is(unsigned int slot, const char *begin, const char *end,
			     unsigned int number, unsigned int lost)
{
	uint8_t expected[64];
	char hex[256];

	snprintf(hex, sizeof(hex),
		 "c1 1f fc c1  00 00 00 00  %s  %s  80 02 00 00 00 00 00 00"
		 "00 04 00 00 00 00 00 00  %02x 00 00 00 00 00 00 00"
		 "%02x 00 00 00 00 00 00 00  03 00 00 00  00 00 00 00",
		 begin, end, number, lost);
	assert_int_equal(from_hex(hex, expected, sizeof(expected)), 64);
	assert_memory_equal(ring_memory[slot], expected, 64);
}

static void packet_headers(void **state)
{
	ring_start(CTF_PACKET_HEADER_BYTES);
	packet_open(STAMP);
	assert_int_equal(ring.tail, 64 + 16);
	ring.lost = 7;
	ring_flush(&ring, STAMP + 0x1000);
	assert_int_equal(ring_content(&ring, 0), 80);
	/* The newest: it ends with the flush, and all that was lost by now was lost in it. */
	ctf_finish(&ring, 0, 80);
	packet_header_is(0, "ef cd ab 89 67 45 23 01", "ef dd ab 89 67 45 23 01", 0, 7);
	packet_open(STAMP + 0x3000);
	ring.lost = 9;
	/* It ends where the next begins; what was lost later belongs to the next. */
	ctf_finish(&ring, 0, 80);
	packet_header_is(0, "ef cd ab 89 67 45 23 01", "ef fd ab 89 67 45 23 01", 0, 7);
	/* Unless its slot or its header is of another number. */
	subbufs[1].number = 3;
	ctf_finish(&ring, 0, 80);
	assert_int_equal(ring_memory[0][17], 0xdd);
	subbufs[1].number = 1;
	ring_memory[1][40] ^= 2;
	ctf_finish(&ring, 0, 80);
	assert_int_equal(ring_memory[0][17], 0xdd);
	ring_memory[1][40] ^= 2;
	ring_flush(&ring, STAMP + 0x4000);
	packet_open(STAMP + 0x5000);
	ring_flush(&ring, STAMP + 0x6000);
	ctf_finish(&ring, 1, 80);
	ctf_finish(&ring, 2, 80);
	packet_header_is(1, "ef fd ab 89 67 45 23 01", "ef 1d ac 89 67 45 23 01", 1, 9);
	/* The neighbour of number 2 holds number 1: not the next, but two before. */
	packet_header_is(0, "ef 1d ac 89 67 45 23 01", "ef 2d ac 89 67 45 23 01", 2, 9);
}

static void packet_cursors(void **state)
{
	struct cursor cursor;
	struct event event;

	ring_start(CTF_PACKET_HEADER_BYTES);
	packet_open(STAMP);
	assert_true(ctf_cursor(&ring, 0, 80, &cursor));
	assert_int_equal(cursor.time, STAMP);
	assert_int_equal(cursor.stamp_bits, 27);
	assert_int_equal(cursor.fixed_bytes, FIXED);
	assert_ptr_equal(cursor.at, ring_memory[0] + 64);
	assert_ptr_equal(cursor.end, ring_memory[0] + 80);
	assert_int_equal(ctf_compact_next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.time, STAMP);
	assert_int_equal(ctf_compact_next(&cursor, &event), DECODE_END);
	assert_true(ctf_cursor(&ring, 0, 64, &cursor));
	assert_true(ctf_cursor(&ring, 0, 128, &cursor));
	/* Too short for a header, longer than a sub-buffer, of another round, no packet. */
	assert_false(ctf_cursor(&ring, 0, 63, &cursor));
	assert_false(ctf_cursor(&ring, 0, 0, &cursor));
	assert_false(ctf_cursor(&ring, 0, 129, &cursor));
	assert_false(ctf_cursor(&ring, 2, 80, &cursor));
	ring_memory[0][3] ^= 1;
	assert_false(ctf_cursor(&ring, 0, 80, &cursor));
}

/* Where a record goes: here, in the next packet, or nowhere. */
static void packet_claims(void **state)
{
	struct ctf_claim claim;

	ring_start(CTF_PACKET_HEADER_BYTES);
	packet_open(STAMP);
	assert_true(ctf_fit(&ring, 80, 48, &claim));
	assert_false(claim.opens);
	assert_int_equal(claim.start, 80);
	assert_true(ctf_fit(&ring, 80, 49, &claim));
	assert_true(claim.opens);
	assert_int_equal(claim.start, 128 + 64);
	assert_int_equal(claim.opening.number, 1);
	assert_true(ctf_fit(&ring, 80, 64, &claim));
	assert_false(ctf_fit(&ring, 80, 65, &claim));
	assert_true(ctf_fit_next(&ring, 80, 16, &claim));
	assert_int_equal(claim.start, 128 + 64);
	/* The packet after the next has this one's slot, which is still open. */
	assert_false(ctf_fit_next(&ring, 129, 16, &claim));
}

/* ---- ftrace ---- */

struct ftrace_case {
	uint32_t len;
	uint64_t delta;
	const char *hex;
	uint32_t payload_bytes; /* as stored */
};

static const struct ftrace_case ftrace_cases[] = {
	/* u32 { type_len : 5 | time_delta : 27 }: words of payload, at least one */
	{ 0, 0, "01 00 00 00", 4 },
	{ 1, 1, "21 00 00 00", 4 },
	{ 4, 0x7ffffff, "e1 ff ff ff", 4 },
	{ 5, 0x1abcdef, "e2 bd 79 35", 8 },
	{ 8, 2, "42 00 00 00", 8 },
	{ 109, 3, "7c 00 00 00", 112 },
	{ 112, 3, "7c 00 00 00", 112 },
	/* 0: u32 length, which counts itself */
	{ 113, 3, "60 00 00 00  78 00 00 00", 116 },
	{ 116, 0x7ffffff, "e0 ff ff ff  78 00 00 00", 116 },
	{ 65534, 0, "00 00 00 00  04 00 01 00", 65536 },
	{ 65536, 0, "00 00 00 00  04 00 01 00", 65536 },
	{ 65537, 0, "00 00 00 00  08 00 01 00", 65540 },
};

static void ftrace_headers(void **state)
{
	const struct ftrace_case *one;
	struct event event;
	size_t size;

	for (one = ftrace_cases; one < ftrace_cases + COUNT(ftrace_cases); one++) {
		blank();
		size = wrote(ftrace_put(record, one->len, one->delta), one->hex);
		assert_int_equal(ftrace_payload_bytes(one->len), one->payload_bytes);
		assert_int_equal(ftrace_record_bytes(one->len), size + one->payload_bytes);
		event = (struct event){
			.time = STAMP + one->delta,
			.id = EVENT_ID_UNKNOWN,
			.header_bytes = (uint32_t)size,
			.payload_bytes = one->payload_bytes,
		};
		reads(ftrace_next, size + one->payload_bytes, STAMP, 27, &event);
		reads_no_part(ftrace_next, size + one->payload_bytes, STAMP, 27);
		event.time = one->delta - 1;
		reads(ftrace_next, size + one->payload_bytes, UINT64_MAX, 27, &event);
	}
}

static void ftrace_type_lengths(void **state)
{
	struct event event = { .id = EVENT_ID_UNKNOWN, .header_bytes = 4 };
	uint32_t words;

	for (words = 1; words <= 28; words++) {
		blank();
		assert_ptr_equal(ftrace_put(record, words * 4, 5), record + 4);
		assert_int_equal(record[0], words + 5 * 32);
		event.time = 105;
		event.payload_bytes = words * 4;
		reads(ftrace_next, 4 + words * 4, 100, 3, &event);
		reads_no_part(ftrace_next, 4 + words * 4, 100, 3);
	}
}

struct time_case {
	uint32_t type;
	unsigned int bits;
	uint64_t value;
	uint64_t before; /* time of the record before */
	uint64_t time;
	const char *hex;
};

static const struct time_case time_cases[] = {
	/* 30: added to the time before */
	{ 30, 27, 0x8000005, 1000, 0x8000005 + 1000, "be 00 00 00  01 00 00 00" },
	{ 30, 27, 0x8000005, UINT64_MAX, 0x8000004, "be 00 00 00  01 00 00 00" },
	{ 30, 16, 0x10000, 5, 0x10005, "1e 00 00 00  01 00 00 00" },
	{ 30, 3, 0x7ffffffff, 1, 0x800000000, "fe 00 00 00  ff ff ff ff" },
	{ 30, 27, 0x7ffffffffffffff, 0, 0x7ffffffffffffff, "fe ff ff ff  ff ff ff ff" },
	/* 31: in the place of the low T + 32 bits */
	{ 31, 27, STAMP, STAMP - 1, STAMP, "ff bd 79 35  f1 ac 68 24" },
	{ 31, 16, STAMP, STAMP - 1, STAMP, "ff bd 19 00  ab 89 67 45" },
	{ 31, 3, STAMP, STAMP - 1, STAMP, "ff 00 00 00  bd 79 35 f1" },
	{ 31, 27, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX, "ff ff ff ff  ff ff ff ff" },
	/* the time before has other bits above T + 32: one more than those, or none */
	{ 31, 16, UINT64_C(0x0123000000000005), UINT64_C(0x0122fffffffffff0),
	  UINT64_C(0x0123000000000005), "bf 00 00 00  00 00 00 00" },
	{ 31, 3, UINT64_C(0x800000001), UINT64_C(0x7fffffffe), UINT64_C(0x800000001),
	  "3f 00 00 00  00 00 00 00" },
	{ 31, 27, UINT64_C(0x0800000000000001), UINT64_C(0x07fffffffffffffe),
	  UINT64_C(0x0800000000000001), "3f 00 00 00  00 00 00 00" },
	{ 31, 27, 2, UINT64_MAX, 2, "5f 00 00 00  00 00 00 00" },
};

static void ftrace_times(void **state)
{
	/* A small event behind it, a large one, and one with a delta of its own. */
	static const struct {
		uint32_t bytes, delta, header;
	} behind[] = { { 12, 0, 12 }, { 120, 0, 16 }, { 4, 6, 12 } };
	const struct time_case *one;
	struct event event = {
		.id = EVENT_ID_UNKNOWN,
		.flags = EVENT_EXTENDED,
	};
	unsigned int i;
	size_t size;

	for (one = time_cases; one < time_cases + COUNT(time_cases); one++) {
		blank();
		wrote(ftrace_put_time(record, one->type, one->value, one->bits), one->hex);
		for (i = 0; i < COUNT(behind); i++) {
			ftrace_put(record + 8, behind[i].bytes, behind[i].delta);
			event.time = one->time + behind[i].delta;
			event.header_bytes = behind[i].header;
			event.payload_bytes = behind[i].bytes;
			size = event.header_bytes + event.payload_bytes;
			reads(ftrace_next, size, one->before, one->bits, &event);
			reads_no_part(ftrace_next, size, one->before, one->bits);
		}
	}
}

/* ftrace_place() puts a time record first where room was claimed for it. */
static void ftrace_places(void **state)
{
	struct subbuf subbuf;
	struct reservation rsv;

	ring_start(FTRACE_HEADER_BYTES);
	blank();
	rsv = ftrace_place(&ring, record, &subbuf, 12, 8, STAMP, 0, 0x1abcdef);
	assert_int_equal(wrote(rsv.payload, "e2 bd 79 35"), 4);
	blank();
	rsv = ftrace_place(&ring, record, &subbuf, 20, 8, STAMP, FTRACE_TYPE_ABSOLUTE, STAMP);
	assert_int_equal(wrote(rsv.payload, "ff bd 79 35  f1 ac 68 24  02 00 00 00"), 12);
	assert_int_equal(rsv.size, 20);
	assert_int_equal(rsv.stamp, STAMP);
	assert_ptr_equal(rsv.subbuf, &subbuf);
	assert_false(rsv.inexact);
	blank();
	rsv = ftrace_place(&ring, record, &subbuf, 20, 8, STAMP, FTRACE_TYPE_EXTEND, 0x8000005);
	wrote(rsv.payload, "be 00 00 00  01 00 00 00  02 00 00 00");
}

static void ftrace_sub_buffers(void **state)
{
	uint8_t expected[16];
	struct cursor cursor;

	ring_start(FTRACE_HEADER_BYTES);
	ftrace_begin(&ring, 1, STAMP);
	ftrace_finish(&ring, 1, 100);
	from_hex("ef cd ab 89 67 45 23 01  54 00 00 00 00 00 00 00", expected, 16);
	assert_memory_equal(ring_memory[1], expected, 16);
	assert_int_equal(ftrace_begin_stamp(&ring, 1), STAMP);
	assert_true(ftrace_cursor(&ring, 1, 100, &cursor));
	assert_int_equal(cursor.time, STAMP);
	assert_int_equal(cursor.stamp_bits, 27);
	assert_int_equal(cursor.fixed_bytes, FIXED);
	assert_ptr_equal(cursor.at, ring_memory[1] + 16);
	assert_ptr_equal(cursor.end, ring_memory[1] + 100);
	assert_true(ftrace_cursor(&ring, 1, 16, &cursor));
	assert_true(ftrace_cursor(&ring, 1, 128, &cursor));
	assert_false(ftrace_cursor(&ring, 1, 15, &cursor));
	assert_false(ftrace_cursor(&ring, 1, 0, &cursor));
	assert_false(ftrace_cursor(&ring, 1, 129, &cursor));
}

TESTS(headers, compact_ids, stamp_events, packet_headers, packet_cursors, packet_claims,
      ftrace_headers, ftrace_type_lengths, ftrace_times, ftrace_places, ftrace_sub_buffers)
