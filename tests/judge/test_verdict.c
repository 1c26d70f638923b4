// SPDX-License-Identifier: MIT
/*
 * What a run's oracles add up to: counts of extensions, totals, overwritten stretches, the timed
 * build, and the verdict on each promise.
 */
#include "tests/support/test.h"

#include <errno.h>

#include "tests/support/check_ring.h"
#include "tests/support/clean.h"

/* ---- counts ---- */

/* Writes the last sub-buffer anew, with whole stamps that nobody needs. */
static void inflate_last(unsigned int most)
{
	struct ring *ring = buffer_ring(&buffer);
	uint64_t number = sites[sites_count - 1].number;
	uint8_t *base = ring_subbuf_base(ring, number), copy[512], *at;
	unsigned int i, inflated = 0;

	at = copy + CTF_PACKET_HEADER_BYTES;
	for (i = 0; i < sites_count; i++) {
		if (sites[i].number != number)
			continue;
		at = ctf_compact_put(at, sites[i].event.id, sizeof(struct check_payload),
				     sites[i].event.time, 27, inflated++ < most);
		memcpy(at, &sites[i].payload, sizeof(struct check_payload));
		at += sizeof(struct check_payload);
		assert_true(at + 64 <= copy + sizeof(copy));
	}
	assert_true(inflated >= most);
	memcpy(base + CTF_PACKET_HEADER_BYTES, copy + CTF_PACKET_HEADER_BYTES,
	       (size_t)(at - copy) - CTF_PACKET_HEADER_BYTES);
	ring_subbuf(ring, number)->content = number << RING_INDEX_BITS | (uint64_t)(at - copy);
}

/* Nothing calls for an extension; or one nested writer does, which excuses two. */
static void unneeded_extensions_are_seen(void **state)
{
	unsigned int nested, inflated;

	for (nested = 0; nested < 2; nested++) {
		for (inflated = 0; inflated < 5; inflated++) {
			start_row("extended_header", 0);
			virtual_clock.now += 100;
			buffer.driver->run(buffer.scheme, &buffer.writer, 7);
			if (nested)
				buffer.driver->interrupt(buffer.scheme, &buffer.writer,
							 CONTEXT_LEVEL_1);
			buffer.driver->flush(buffer.scheme);
			find_sites();
			inflate_last(inflated);
			judge();
			assert_int_equal(check.extended, inflated);
			assert_int_equal(check.needed, 0);
			assert_int_equal(objecting(), inflated > 2 * nested ? COUNTS : 0);
			if (inflated > 2 * nested)
				assert_string_equal(check.first[ORACLE_COUNTS].text,
						    "more extended records than anything explains");
			assert_int_equal(check_verdict(&check, 0, 0),
					 inflated > 2 * nested ? VERDICT_BROKEN : VERDICT_KEPT);
		}
	}
}

/* Extensions that the gaps call for, by either rule, are none too many, and needed are as many. */
static void needed_extensions_are_not_held_against_a_row(void **state)
{
	static const char *const rows[] = { "extended_header", "extended_header_msb32",
					    "three_read" };
	unsigned int i, n;

	for (i = 0; i < 3; i++) {
		start_row(rows[i], 0);
		virtual_clock.now = 5 * WRAP - 10;
		for (n = 0; n < 8; n++) {
			buffer.driver->run(buffer.scheme, &buffer.writer, 1);
			/* A gap; a carry; both; neither. */
			virtual_clock.now += n % 2 ? WRAP + 1 : 20;
		}
		assert_judged(0);
		assert_int_equal(check.extended, check.needed);
		assert_int_equal(check.needed, i == 1 ? 4 : 3);
		assert_int_equal(check.stamp_events, i == 2 ? 3 : 0);
	}
}

/* ---- what was overwritten ---- */

/* Laps the ring several times: what was overwritten is skipped, and adds up. */
static void lapped(unsigned int taken_out)
{
	start_row("extended_header", 0);
	record_events(10);
	buffer_drain(&buffer, &check);
	record_events(150);
	buffer.driver->flush(buffer.scheme);
	find_sites();
	if (taken_out) {
		take_out(taken_out);
		ring_subbuf(buffer_ring(&buffer), sites[taken_out].number)->commits -= RING_RECORD;
	}
	judge();
	assert_true(check.skipped > 100);
}

static void overwritten_events_are_skipped_not_missing(void **state)
{
	lapped(0);
	assert_int_equal(objecting(), 0);
	assert_int_equal(check.events + check.skipped, totals.committed);
	/* But in what is there none may be missing, nor twice. */
	lapped(20); /* leaves its space unused, too */
	assert_int_equal(objecting(), CONSERVATION | COUNTS);
	lapped(sites_count - 1);
	assert_int_equal(objecting(), CONSERVATION);
}

/* The newest event of a context may be overwritten while others go on. */
static void a_context_may_be_overwritten_whole(void **state)
{
	start_row("extended_header", 0);
	record_events(10);
	buffer_drain(&buffer, &check);
	buffer.driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_3);
	buffer.driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_3);
	buffer.driver->run(buffer.scheme, &buffer.writer, 100);
	assert_judged(0);
	assert_int_equal(check.by_context[CONTEXT_LEVEL_3], 0);
	assert_int_equal(check.events + check.skipped, totals.committed);
}

/* A first look at a ring that went round already. */
static void a_first_look_may_come_late(void **state)
{
	start_row("extended_header", 0);
	record_events(150);
	assert_judged(0);
	assert_true(check.skipped > 100);
	assert_int_equal(check.events + check.skipped, totals.committed);
}

/* A reset ring is empty, whatever was in its memory, and larger than its memory it is refused. */
static void a_reset_ring_is_empty(void **state)
{
	struct ring_config config;

	good_ring("extended_header", 0);
	config = buffer.config;
	config.count_shift++;
	assert_int_equal(buffer_reset(&buffer, &config), -EINVAL);
	config.count_shift = 13;
	config.subbuf_shift = 1;
	assert_int_equal(buffer_reset(&buffer, &config), -EINVAL);
	config = buffer.config;
	buffer.writer.high_every = 5;
	assert_int_equal(buffer_reset(&buffer, &config), 0);
	assert_int_equal(buffer.writer.high_every, 5);
	assert_int_equal(buffer.writer.written[CONTEXT_TASK], 0);
	/* No record of before could be taken for one: none is there. */
	assert_int_not_equal(get_u32(ring_subbuf_base(buffer_ring(&buffer), 0)), CTF_MAGIC);
	check_init(&check, buffer.driver->desc, config.stamp_bits);
	assert_judged(0);
	assert_int_equal(check.events + check.subbufs + totals.committed, 0);
}

/* ---- the timed build: the stamp is the payload, and totals are all that is counted ---- */

static void timed_ring(void)
{
	start(driver_find(drivers_timed, "extended_header"), 0);
	buffer.driver->run(buffer.scheme, &buffer.writer, 1000);
	buffer.driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_1);
	buffer.driver->flush(buffer.scheme);
}

/* The payload of the timed record at byte `offset`, all of which are 12 bytes, of packet 0. */
static uint8_t *timed_stamp(unsigned int index)
{
	return ring_subbuf_base(buffer_ring(&buffer), 0) + CTF_PACKET_HEADER_BYTES + 12 * index + 4;
}

static void the_timed_build_is_judged(void **state)
{
	timed_ring();
	assert_judged(0);
	assert_int_equal(check.events, 1001);
	timed_ring();
	put_u64(timed_stamp(9), get_u64(timed_stamp(9)) + 1);
	assert_judged(EXACT);
	timed_ring();
	buffer_ring(&buffer)->lost++;
	assert_judged(CONSERVATION);
	timed_ring();
	ring_subbuf(buffer_ring(&buffer), 0)->commits += RING_RECORD;
	assert_judged(CONSERVATION);
}

/* ---- verdicts ---- */

static const struct {
	enum scheme_promise promise;
	int oracle; /* whose violation breaks it, or -1 */
} promise_rules[] = {
	{ PROMISE_MONOTONIC, ORACLE_MONOTONIC },
	{ PROMISE_EXACT, ORACLE_EXACT },
	{ PROMISE_WINDOW, ORACLE_WINDOW },
	{ PROMISE_WRAP_PROOF, -1 },
	{ PROMISE_BOUNDED, -1 },
	{ PROMISE_STEP_PROOF, ORACLE_EXACT },
};
#define RULES COUNT(promise_rules)

/* Case 0: nothing is wrong. 1 .. 6: an oracle has objected. 7: a wrap is lost. 8: a writer stuck.
 */
#define FAULTS 9

static void set_fault(struct check *faulty, const struct scheme_desc *desc, unsigned int fault)
{
	check_init(faulty, desc, 27);
	if (fault >= 1 && fault <= 6)
		faulty->violations[fault - 1] = 3;
	faulty->wraps_lost = fault == 7;
}

static bool breaks(unsigned int rule, unsigned int fault)
{
	if (promise_rules[rule].promise == PROMISE_WRAP_PROOF)
		return fault == 7;
	if (promise_rules[rule].promise == PROMISE_BOUNDED)
		return fault == 8;
	return (int)fault - 1 == promise_rules[rule].oracle;
}

static void one_promise(unsigned int rule, unsigned int fault)
{
	enum scheme_promise promise = promise_rules[rule].promise;
	struct scheme_desc desc = { .promises = promise };
	bool broken = breaks(rule, fault);
	uint64_t stuck = fault == 8;
	struct check faulty;

	set_fault(&faulty, &desc, fault);
	assert_int_equal(check_promise(&faulty, promise, stuck, 0),
			 broken ? VERDICT_BROKEN : VERDICT_KEPT);
	/* A need that the run did not meet excuses; a promise kept without it is kept. */
	assert_int_equal(check_promise(&faulty, promise, stuck, NEED_BEAT),
			 broken ? VERDICT_NEED_NOT_MET : VERDICT_KEPT);
	assert_int_equal(check_promise(&faulty, promise, stuck, NEED_STRICT_CLOCK),
			 broken ? VERDICT_NEED_NOT_MET : VERDICT_KEPT);
	/* Who says that it is proof against steps, or always ends, has no clock to blame for it. */
	assert_int_equal(check_promise(&faulty, promise, stuck, NEED_FORWARD_CLOCK),
			 !broken					  ? VERDICT_KEPT :
			 promise & (PROMISE_STEP_PROOF | PROMISE_BOUNDED) ? VERDICT_BROKEN :
									    VERDICT_NEED_NOT_MET);
	desc.promises = PROMISES & ~promise;
	assert_int_equal(check_promise(&faulty, promise, stuck, 0), VERDICT_NOT_PROMISED);
	assert_int_equal(check_promise(&faulty, promise, stuck, NEED_BEAT), VERDICT_NOT_PROMISED);
}

static void promises_are_judged_one_by_one(void **state)
{
	unsigned int rule, fault;

	for (rule = 0; rule < RULES; rule++)
		for (fault = 0; fault < FAULTS; fault++)
			one_promise(rule, fault);
}

static void one_verdict(uint32_t promises, unsigned int fault)
{
	struct scheme_desc desc = { .promises = promises };
	/* Conservation, structure and counts are owed by everybody. */
	bool owed = fault >= 4 && fault <= 6, broken = owed;
	uint64_t stuck = fault == 8;
	struct check faulty;
	unsigned int rule;

	for (rule = 0; rule < RULES; rule++)
		broken |= (promises & promise_rules[rule].promise) && breaks(rule, fault);
	set_fault(&faulty, &desc, fault);
	assert_int_equal(check_clean(&faulty), fault == 0 || fault > 6);
	assert_int_equal(check_verdict(&faulty, stuck, 0), broken ? VERDICT_BROKEN : VERDICT_KEPT);
	/* A late beat is no excuse for a lost record; interrupts that were not masked are. */
	assert_int_equal(check_verdict(&faulty, stuck, NEED_BEAT), owed	  ? VERDICT_BROKEN :
								   broken ? VERDICT_NEED_NOT_MET :
									    VERDICT_KEPT);
	assert_int_equal(check_verdict(&faulty, stuck, NEED_MASKED_INTERRUPTS),
			 broken ? VERDICT_NEED_NOT_MET : VERDICT_KEPT);
}

static void verdicts_for_all_sets_of_promises(void **state)
{
	uint32_t promises;
	unsigned int fault;

	for (promises = 0; promises <= PROMISES; promises++)
		for (fault = 0; fault < FAULTS; fault++)
			one_verdict(promises, fault);
}

/* Extensions that a clock which goes back brings are for who is proof against it to avoid. */
static void needless_extensions_after_a_step(void **state)
{
	struct scheme_desc desc = { .promises = PROMISE_ALL };
	struct check faulty;

	set_fault(&faulty, &desc, 1 + ORACLE_COUNTS);
	assert_int_equal(check_verdict(&faulty, 0, NEED_FORWARD_CLOCK), VERDICT_NEED_NOT_MET);
	assert_int_equal(check_verdict(&faulty, 0, 0), VERDICT_BROKEN);
	desc.promises = PROMISES;
	assert_int_equal(check_verdict(&faulty, 0, NEED_FORWARD_CLOCK), VERDICT_BROKEN);
}

/* The worst of several counts: broken before need not met. */
static void the_worst_verdict_counts(void **state)
{
	struct scheme_desc desc = { .promises = PROMISE_ALL };
	struct check faulty;

	set_fault(&faulty, &desc, 1 + ORACLE_EXACT);
	faulty.violations[ORACLE_STRUCTURE] = 1;
	assert_int_equal(check_verdict(&faulty, 0, NEED_BEAT), VERDICT_BROKEN);
	assert_int_equal(check_verdict(&faulty, 0, NEED_MASKED_INTERRUPTS), VERDICT_NEED_NOT_MET);
	assert_int_equal(check_verdict(&faulty, 0, 0), VERDICT_BROKEN);
}

/* Who declares how far off times are, and promises nothing else of them, owes that. */
static void what_is_declared_is_owed(void **state)
{
	const struct scheme_desc desc[] = { { .cut_bits = 2 }, { .rounds = 2 }, { .ages = true } };
	struct check faulty;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		set_fault(&faulty, &desc[i / 2], 1 + (i & 1 ? ORACLE_EXACT : ORACLE_WINDOW));
		assert_int_equal(check_verdict(&faulty, 0, 0), VERDICT_BROKEN);
		assert_int_equal(check_verdict(&faulty, 0, NEED_BEAT), VERDICT_NEED_NOT_MET);
	}
}

/* A row that stores no stamp is not held to one, but to everything else. */
static void an_untimed_row_is_not_held_to_stamps(void **state)
{
	good_ring("untimed", 0);
	assert_judged(WINDOW);
	assert_int_equal(check.worst_error, 0);
	assert_int_equal(check_typical_error_log2(&check), 0);
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_KEPT);
	good_ring("untimed", 0);
	ring_subbuf(buffer_ring(&buffer), 1)->commits += RING_RECORD;
	judge();
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_BROKEN);
}

/* ---- words ---- */

static void a_violation_is_shown_among_its_neighbours(void **state)
{
	char text[4096] = "", line[128];
	unsigned int i;
	FILE *file;

	good_ring("extended_header", 0);
	put_time(&sites[5], sites[5].event.time + 5);
	judge();
	file = fmemopen(text, sizeof(text), "w");
	buffer.driver->show(file, buffer.scheme, &check.first[ORACLE_EXACT], 2);
	fclose(file);
	snprintf(line, sizeof(line),
		 "> +%-6" PRIu32 " decoded %" PRIu64 " stamp %" PRIu64 " off by 5", sites[5].offset,
		 sites[5].event.time + 5, sites[5].payload.stamp);
	assert_non_null(strstr(text, line));
	snprintf(line, sizeof(line), "sub-buffer 0 begins at %" PRIu64, sites[0].event.time);
	assert_non_null(strstr(text, line));
	/* Two on either side, and no more. */
	for (i = 2; i < 9; i++) {
		snprintf(line, sizeof(line), "%c +%-6" PRIu32 " decoded", i == 5 ? '>' : ' ',
			 sites[i].offset);
		assert_int_equal(!strstr(text, line), i == 2 || i == 8);
	}
}

static void everything_has_a_name(void **state)
{
	static const char *const oracles[] = { "exact",	       "window",    "monotonic",
					       "conservation", "structure", "counts" };
	static const struct {
		enum scheme_promise promise;
		const char *name;
	} promises[] = { { PROMISE_MONOTONIC, "monotonic" },
			 { PROMISE_EXACT, "exact" },
			 { PROMISE_WINDOW, "window" },
			 { PROMISE_WRAP_PROOF, "wrap_proof" },
			 { PROMISE_BOUNDED, "bounded" },
			 { PROMISE_STEP_PROOF, "step_proof" },
			 { PROMISE_ALL, "all" } };

	for (unsigned int i = 0; i < 6; i++)
		assert_string_equal(check_oracle_name((enum oracle)i), oracles[i]);
	for (unsigned int i = 0; i < 7; i++)
		assert_string_equal(check_promise_name(promises[i].promise), promises[i].name);
	assert_string_equal(check_verdict_name(VERDICT_KEPT), "kept");
	assert_string_equal(check_verdict_name(VERDICT_BROKEN), "broken");
	assert_string_equal(check_verdict_name(VERDICT_NEED_NOT_MET), "need not met");
	assert_string_equal(check_verdict_name(VERDICT_NOT_PROMISED), "not promised");
}

/* Each field of a tag comes back, whatever is in the others. */
static void tags_keep_their_fields(void **state)
{
	static const uint64_t sequences[] = { 0, 1, 0x3fffffff };
	static const uint32_t ids[] = { 0, EVENT_IDS, 1023 };
	uint64_t tag;
	unsigned int context, inexact, i;

	for (context = 0; context < 16; context++) {
		for (inexact = 0; inexact < 2; inexact++) {
			for (i = 0; i < 3; i++) {
				tag = check_tag(context, inexact, i * (CHECK_EXTRA_MAX / 2), ids[i],
						sequences[i]);
				assert_int_equal(check_tag_context(tag), context);
				assert_int_equal(check_tag_inexact(tag), inexact);
				assert_int_equal(check_tag_extra(tag), i * (CHECK_EXTRA_MAX / 2));
				assert_int_equal(check_tag_id(tag), ids[i]);
				assert_int_equal(check_tag_sequence(tag), sequences[i]);
			}
		}
	}
}

TESTS(unneeded_extensions_are_seen, needed_extensions_are_not_held_against_a_row,
      overwritten_events_are_skipped_not_missing, a_context_may_be_overwritten_whole,
      a_first_look_may_come_late, a_reset_ring_is_empty, the_timed_build_is_judged,
      promises_are_judged_one_by_one, verdicts_for_all_sets_of_promises,
      needless_extensions_after_a_step, the_worst_verdict_counts, what_is_declared_is_owed,
      an_untimed_row_is_not_held_to_stamps, a_violation_is_shown_among_its_neighbours,
      everything_has_a_name, tags_keep_their_fields)
