// SPDX-License-Identifier: MIT
/* Which ids a compact header holds, in the form without stamp events: 29, beside three escapes. */
#include "tests/support/test.h"
#include "schemes/format/format_ctf.h"
#include "judge/driver.h"

#define STAMP 0x123456789abcull
#define BITS 27

/* Writes event `id` with a payload of 8 bytes and reads it again; its header's bytes. */
static uint32_t header_of(uint32_t id)
{
	uint8_t record[64] = { 0 };
	uint8_t *payload = ctf_compact_put(record, id, 8, STAMP, BITS, false);
	struct cursor cursor = { .at = record,
				 .end = payload + 8,
				 .time = STAMP - 100,
				 .stamp_bits = BITS,
				 .fixed_bytes = 8 };
	struct event event = { .alignment_bytes = 0 };

	assert_int_equal(ctf_compact_next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.id, id);
	assert_true(event.time == STAMP);
	assert_int_equal(event.flags, 0);
	assert_ptr_equal(event.payload, payload);
	assert_int_equal(event.header_bytes, payload - record);
	assert_int_equal(event.header_bytes, ctf_compact_bytes(id, 8, false));
	return event.header_bytes;
}

static void twenty_nine_ids_are_short(void **state)
{
	uint32_t id, count = 0;

	for (id = 0; id < 64; id++)
		count += header_of(id) == 4;
	assert_int_equal(count, 29);
	assert_int_equal(header_of(28), 4);
	assert_int_equal(header_of(29), 6);
}

static void rows_say_what_they_write(void **state)
{
	assert_int_equal(driver_find(drivers_timed, "extended_header")->compact_ids, 29);
	assert_int_equal(driver_find(drivers_timed, "heartbeat_compact")->compact_ids, 29);
	assert_int_equal(driver_find(drivers_timed, "three_read")->compact_ids, 28);
	assert_int_equal(driver_find(drivers_timed, "packed_word")->compact_ids, 31);
}

TESTS(twenty_nine_ids_are_short, rows_say_what_they_write)
