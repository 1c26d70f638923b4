// SPDX-License-Identifier: MIT
/*
 * packed_word with an offset of 9 bits, 2 KiB: a nested writer that writes exactly so much within
 * one wrap of the short field leaves the very word that the writer it interrupted has seen (ABA).
 * With 27 bits the same schedule does no harm, and neither does one record less.
 */
#include "tests/support/test.h"

#define ROW packed_word_9
#define SCHEME_HEADER "schemes/packed_word.h"
#define PACKED_BITS 9
/* The row's own driver has other offset bits than the library's rows. */
#include "judge/driver.c"
#include "judge/reader.c"

#include "tests/support/play.h"
#include "tests/support/clean.h"

#define RECORD_BYTES 36 /* u32 and the check payload */

static struct play play;

/* An event whose clock read or claim is interrupted by `nested` events of RECORD_BYTES. */
static void interrupted_by(const struct driver *driver, unsigned int nested)
{
	struct stage stage = { .bits = 27, .subbuf_shift = 8, .count_shift = 1, .step = 1 };
	struct plan plan = { .burst = nested };
	unsigned int at;

	stage.now = 1000;
	play_open(&play, driver, 10);
	for (at = 1; at < 8 && !play.check.violations[ORACLE_EXACT]; at++) {
		play_start(&play, &stage);
		play_event(&play);
		plan.at[0] = at;
		play_plan(&play, &plan);
		play_event(&play);
		play_end(&play);
	}
	play_close(&play);
}

/*
 * Eight sub-buffers of 256 bytes: each takes a header of 64 and five records, so that 40 of them
 * come round to the same offset.
 */
static void the_same_word_comes_back(void **state)
{
	interrupted_by(&driver_counting_packed_word_9, 40);
	assert_true(play.check.violations[ORACLE_EXACT]);
}

static void one_record_less_is_another_word(void **state)
{
	interrupted_by(&driver_counting_packed_word_9, 39);
	assert_true(check_clean(&play.check));
	interrupted_by(&driver_counting_packed_word_9, 41);
	assert_true(check_clean(&play.check));
}

static void more_bits_are_another_word(void **state)
{
	interrupted_by(driver_find(drivers_counting, "packed_word"), 40);
	assert_true(check_clean(&play.check));
}

static void a_ring_too_long_is_refused(void **state)
{
	struct ring_config config;
	struct buffer buffer;

	config = buffer_config(&driver_counting_packed_word_9, 9, 2);
	assert_int_not_equal(buffer_open(&buffer, &driver_counting_packed_word_9, &config), 0);
	buffer_close(&buffer);
	config = buffer_config(&driver_counting_packed_word_9, 9, 1);
	assert_int_equal(buffer_open(&buffer, &driver_counting_packed_word_9, &config), 0);
	buffer_close(&buffer);
}

TESTS(the_same_word_comes_back, one_record_less_is_another_word, more_bits_are_another_word,
      a_ring_too_long_is_refused)
