// SPDX-License-Identifier: MIT
/* How long a gap may be: each row keeps the bound that it declares (gap_bits), and breaks at it. */
#include "tests/support/test.h"
#include "tests/support/play.h"

#define BYTES_SHIFT 12

static struct play play;

/* Two events of a row with a field of `bits`, so many ticks apart; the worst error. */
static uint64_t error_after(const struct driver *driver, uint32_t bits, uint64_t gap)
{
	struct stage stage = {
		.bits = bits, .subbuf_shift = 10, .count_shift = 1, .now = 100, .step = 1
	};

	play_open(&play, driver, BYTES_SHIFT);
	play_start(&play, &stage);
	play_event(&play);
	virtual_clock.now += gap - 1;
	play_event(&play);
	play_end(&play);
	assert_int_equal(play.check.events, 2);
	play_close(&play);
	if (play.check.worst_error)
		print_message("%s: %u bits, a gap of %#llx is %#llx off\n", driver->row, bits,
			      (unsigned long long)gap, (unsigned long long)play.check.worst_error);
	return play.check.worst_error;
}

/* What a row promises of gaps holds up to its bound, and behind that it is shown not to. */
static void the_longest_gap(void **state)
{
	const uint32_t *width;
	unsigned int bounded = 0;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		const struct scheme_desc *desc = driver->desc;

		if (!(desc->promises & PROMISE_WRAP_PROOF) && !desc->gap_bits)
			continue;
		for (width = play_bits(driver); *width && *width < 64; width++) {
			uint64_t bound = UINT64_C(1) << (*width + desc->gap_bits);
			uint64_t cut = bits_mask(scheme_cut_bits(desc, *width)), kept;

			if (!desc->gap_bits) {
				/* The check's own error is of what the row stores. */
				assert_int_equal(error_after(driver, *width, bound << 30) & ~cut,
						 0);
				/* A packed word has room for all upper bits at its own width alone.
				 */
				if (*width == driver->stamp_bits)
					assert_int_equal(error_after(driver, *width,
								     (UINT64_C(1) << 62) + 5) &
								 ~cut,
							 0);
				continue;
			}
			bounded++;
			kept = desc->extension == EXTEND_ON_CARRY ?
				       bound - (UINT64_C(1) << *width) :
				       bound;
			/* A stamp may be of a second clock read. */
			assert_int_equal(error_after(driver, *width, kept - 4), 0);
			assert_int_equal(error_after(driver, *width, bound), bound);
		}
	}
	assert_true(bounded >= 3 * 4);
}

TESTS(the_longest_gap)
