// SPDX-License-Identifier: MIT
/* Records whose stamp is a LEB128: bytes written down by hand, cut short, and such as are none. */
#include "tests/support/test.h"
#include "schemes/format/format_varint.h"
#include "tests/support/decoding.h"
#include "tests/support/support.h"

#define STAMP UINT64_C(0x0123456789abcdef)

static uint8_t record[70u << 10];

struct varint_case {
	uint32_t id;
	uint32_t len;
	unsigned int bytes; /* of the stamp */
	unsigned int bits; /* T */
	const char *hex;
};

static const struct varint_case cases[] = {
	{ 0, FIXED, 2, 14, "00  ef 1b" },
	{ 253, FIXED, 2, 14, "fd  ef 1b" },
	{ 5, FIXED, 2, 8, "05  ef 01" },
	{ 5, FIXED, 2, 3, "05  87 00" },
	{ 5, FIXED, 3, 14, "05  ef 9b 2f" },
	{ 5, FIXED, 9, 14, "05  ef 9b af cd f8 ac d1 91 01" },
	{ 5, FIXED, 10, 14, "05  ef 9b af cd f8 ac d1 91 81 00" },
	{ 5, FIXED, 10, 3, "05  ef 9b af cd f8 ac d1 91 81 00" },
	{ 254, FIXED, 2, 14, "fe  ef 1b  fe 00" },
	{ 599, FIXED, 3, 14, "fe  ef 9b 2f  57 02" },
	{ 600, 0, 2, 14, "ff  ef 1b  58 02  00 00" },
	{ 600, 65534, 2, 14, "ff  ef 1b  58 02  fe ff" },
	{ 600, 65535, 2, 14, "ff  ef 1b  58 02  ff ff  ff ff 00 00" },
	{ 65535, 65536, 3, 14, "ff  ef 9b 2f  ff ff  ff ff  00 00 01 00" },
};

static void reads(const struct varint_case *one, size_t size, uint64_t before, uint64_t time)
{
	struct cursor cursor = cursor_over(guarded_copy(record, size), size, before, one->bits);
	struct event event = { .header_bytes = 0 };

	assert_int_equal(varint_next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.time, time);
	assert_int_equal(event.id, one->id);
	assert_int_equal(event.flags, one->bytes > 2 ? EVENT_EXTENDED : 0);
	assert_int_equal(event.header_bytes, size - one->len);
	assert_int_equal(event.payload_bytes, one->len);
	assert_int_equal(varint_next(&cursor, &event), DECODE_END);
}

static void headers(void **state)
{
	const struct varint_case *one;
	struct cursor cursor;
	struct event event = { .header_bytes = 0 };
	uint8_t expected[64];
	size_t header, cut;
	uint64_t reach;

	for (one = cases; one < cases + COUNT(cases); one++) {
		header = from_hex(one->hex, expected, sizeof(expected));
		assert_int_equal(varint_record(one->id, one->len, one->bytes), header + one->len);
		memset(record, 0xa5, sizeof(record));
		assert_ptr_equal(
			varint_put(record, one->id, one->len, STAMP, one->bytes, one->bits),
			record + header);
		assert_memory_equal(record, expected, header);
		if (one->bytes == 2 && one->id < VARINT_IDS) {
			assert_ptr_equal(varint_put_short(record, one->id, STAMP, one->bits),
					 record + header);
			assert_memory_equal(record, expected, header);
		}
		assert_int_equal(record[header], 0xa5);
		/* From as early as its bits tell; a tick before that, only the whole stamp. */
		reach = one->bytes == 10 ? UINT64_MAX : bits_mask(one->bits + 7 * (one->bytes - 2));
		reads(one, header + one->len, STAMP, STAMP);
		reads(one, header + one->len, STAMP - reach, STAMP);
		reads(one, header + one->len, STAMP - reach - 1, STAMP - reach - 1);
		for (cut = 1; cut < header + (one->len > 0); cut++) {
			cursor = cursor_over(guarded_copy(record, cut), cut, STAMP, one->bits);
			assert_int_equal(varint_next(&cursor, &event), DECODE_BAD);
		}
	}
}

static void records_that_are_none(void **state)
{
	static const char *const none[] = {
		"00  6f  00 00 00 00 00 00 00 00 00 00 00 00", /* a stamp of one byte */
		"00  ff ff ff ff ff ff ff ff ff ff 00  00 00 00 00 00 00 00 00 00 00 00 00",
		"fe  ef 1b  58 02  00 00 00 00 00 00 00 00 00 00 00 00", /* an id with a size */
		"ff  ef 1b  fe 00  0c 00  00 00 00 00 00 00 00 00 00 00 00 00", /* one without */
	};
	struct cursor cursor;
	struct event event = { .header_bytes = 0 };
	size_t size;
	unsigned int i;

	for (i = 0; i < COUNT(none); i++) {
		size = from_hex(none[i], record, sizeof(record));
		cursor = cursor_over(guarded_copy(record, size), size, 0, 14);
		assert_int_equal(varint_next(&cursor, &event), DECODE_BAD);
	}
}

static void fewest_bytes(void **state)
{
	unsigned int bytes;

	for (bytes = 2; bytes < 10; bytes++) {
		assert_int_equal(varint_bytes((UINT64_C(1) << (7 * bytes)) - 1, 14), bytes);
		assert_int_equal(varint_bytes(UINT64_C(1) << (7 * bytes), 14), bytes + 1);
	}
	assert_int_equal(varint_bytes(0, 14), 2);
	assert_int_equal(varint_bytes(UINT64_MAX, 14), 10);
	assert_int_equal(varint_bytes(UINT64_MAX, 3), 10);
}

TESTS(headers, records_that_are_none, fewest_bytes)
