// SPDX-License-Identifier: MIT
/* Which jumps of the clock the explorer makes: all that a row can tell apart. */
#include "tests/support/test.h"
#include "explore/engine/search.h"

static struct search jumps_of_budget(uint32_t stamp_bits, uint32_t cut_bits, bool coarse,
				     uint8_t jumps)
{
	static struct scheme_desc desc;
	static struct driver driver = { .desc = &desc };
	struct search search = { .budget = { .jumps = jumps } };

	desc = (struct scheme_desc){ .cut_bits = cut_bits };
	world_row.driver = &driver;
	world_row.config.stamp_bits = stamp_bits;
	search_jumps(&search, coarse);
	return search;
}

static struct search jumps_of(uint32_t stamp_bits, uint32_t cut_bits, bool coarse)
{
	return jumps_of_budget(stamp_bits, cut_bits, coarse, 1);
}

static void all_of_two_wraps(void **state)
{
	struct search search = jumps_of(3, 0, false);
	unsigned int i;

	assert_int_equal(search.jumps, 17);
	for (i = 0; i < search.jumps; i++)
		assert_int_equal(search.jump[i], i + 1);
}

/* 3 stored bits above 5 that are not: around each multiple of 32, up to 2 wraps of 256. */
static void those_that_cut_bits_leave(void **state)
{
	struct search search = jumps_of(8, 5, false);
	unsigned int i;

	assert_int_equal(search.jumps, 1 + 3 * 16);
	assert_int_equal(search.jump[0], 1);
	for (i = 0; i < 16; i++) {
		assert_int_equal(search.jump[1 + 3 * i], 32 * (i + 1) - 1);
		assert_int_equal(search.jump[2 + 3 * i], 32 * (i + 1));
		assert_int_equal(search.jump[3 + 3 * i], 32 * (i + 1) + 1);
	}
}

/* Two jumps of a field of 7 bits: 257 times 257 would be too many. */
static void around_wraps_where_two_come(void **state)
{
	struct search search = jumps_of_budget(7, 0, false, 2);

	assert_int_equal(search.jumps, 1 + 2 * 5 + 4 * 2);
	assert_int_equal(search.jump[1], (1 << 7) - 2);
	assert_int_equal(search.jump[10], (1 << 8) + 2);
	assert_int_equal(search.jump[11], (1 << 14) - 1);
	assert_int_equal(search.jump[18], UINT64_C(1) << 48);
	assert_int_equal(jumps_of(7, 0, false).jumps, 257);
	assert_int_equal(jumps_of_budget(4, 0, false, 2).jumps, 33);
}

static void around_wraps_of_a_wide_field(void **state)
{
	struct search search = jumps_of(27, 0, false);

	assert_int_equal(search.jumps, 13);
	assert_int_equal(search.jump[1], (1 << 27) - 2);
	assert_int_equal(search.jump[10], (1 << 28) + 2);
	assert_int_equal(search.jump[11], UINT64_C(1) << 32);
	assert_int_equal(search.jump[12], UINT64_C(1) << 48);
	assert_int_equal(jumps_of(32, 5, false).jumps, 12);
}

static void a_coarse_clock_has_no_other_way(void **state)
{
	struct search search = jumps_of(27, 0, true);

	assert_int_equal(search.jumps, 2);
	assert_int_equal(search.jump[0], 1);
	assert_int_equal(search.jump[1], 2);
}

TESTS(all_of_two_wraps, those_that_cut_bits_leave, around_wraps_where_two_come,
      around_wraps_of_a_wide_field, a_coarse_clock_has_no_other_way)
