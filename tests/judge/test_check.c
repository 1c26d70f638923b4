// SPDX-License-Identifier: MIT
/*
 * The oracles against broken rings. A real row fills a ring, which all find clean; then it is
 * broken by hand, and exactly the right ones must object.
 */
#include "tests/support/test.h"
#include "tests/support/check_ring.h"
#include "tests/support/clean.h"

/* ---- damage to a ring of extended_header, which promises everything ---- */

static void stamp_in_payload(void)
{
	sites[5].payload.stamp++;
	put_payload(&sites[5], &sites[5].payload);
}

static void time_late_by_1(void)
{
	put_time(&sites[5], sites[5].event.time + 1);
}

static void time_late_by_5(void)
{
	put_time(&sites[5], sites[5].event.time + 5);
}

static void time_early_by_50(void)
{
	put_time(&sites[5], sites[5].event.time - 50);
}

/* Before its predecessor: read as a wrap later, and so is all behind it, up to the next packet. */
static void time_before_predecessor(void)
{
	put_time(&sites[5], sites[4].event.time - 1);
}

static void times_swapped(void)
{
	put_time(&sites[5], sites[6].event.time);
	put_time(&sites[6], sites[5].event.time);
}

static void begin_late(void)
{
	uint8_t *base = ring_subbuf_base(buffer_ring(&buffer), 1);

	put_u64(base + 8, get_u64(base + 8) + 1);
}

static void begin_early(void)
{
	uint8_t *base = ring_subbuf_base(buffer_ring(&buffer), 1);

	put_u64(base + 8, get_u64(base + 8) - WRAP);
}

static void entry_after_stamp(void)
{
	sites[7].payload.entry = sites[7].payload.stamp + 1;
	put_payload(&sites[7], &sites[7].payload);
}

static void exit_before_stamp(void)
{
	sites[7].payload.entry = sites[7].payload.stamp - 9;
	sites[7].payload.exit = sites[7].payload.stamp - 1;
	put_payload(&sites[7], &sites[7].payload);
}

/* An id whose header would have a size, where there is none. */
static void record_invalid(void)
{
	put_u32(sites[8].record, ctf_compact_word(CTF_ID_HIGH, sites[8].event.time, 27));
	put_u16(sites[8].record + 4, 600);
}

static void record_taken_out(void)
{
	take_out(8);
}

/* The commit counter agrees with what is there: only sequences and totals can tell. */
static void record_taken_out_of_the_count_too(void)
{
	take_out(8);
	ring_subbuf(buffer_ring(&buffer), sites[8].number)->commits -= RING_RECORD;
}

static void first_record_taken_out(void)
{
	take_out(0);
	ring_subbuf(buffer_ring(&buffer), sites[0].number)->commits -= RING_RECORD;
}

static void last_record_taken_out(void)
{
	take_out(sites_count - 1);
	ring_subbuf(buffer_ring(&buffer), sites[sites_count - 1].number)->commits -= RING_RECORD;
}

static void sequence_twice(void)
{
	sites[8].payload.tag--;
	put_payload(&sites[8], &sites[8].payload);
}

static void sequence_skipped(void)
{
	sites[8].payload.tag++;
	put_payload(&sites[8], &sites[8].payload);
}

static void context_of_another(void)
{
	sites[8].payload.tag ^= UINT64_C(3) << 60;
	put_payload(&sites[8], &sites[8].payload);
}

static void context_unknown(void)
{
	sites[8].payload.tag |= UINT64_C(7) << 60;
	put_payload(&sites[8], &sites[8].payload);
}

static void commit_short_of_a_byte(void)
{
	ring_subbuf(buffer_ring(&buffer), 1)->commits--;
}

static void commit_of_one_record_more(void)
{
	ring_subbuf(buffer_ring(&buffer), 1)->commits += RING_RECORD;
}

static void content_cut_short(void)
{
	ring_subbuf(buffer_ring(&buffer), 1)->content -= 1;
}

static void magic_gone(void)
{
	ring_subbuf_base(buffer_ring(&buffer), 1)[0] ^= 1;
}

static void one_lost_more(void)
{
	buffer_ring(&buffer)->lost++;
}

static void one_failed_more(void)
{
	buffer.writer.failed[CONTEXT_LEVEL_2]++;
}

static void one_written_more(void)
{
	buffer.writer.written[CONTEXT_TASK]++;
}

static void declared_inexact(void)
{
	sites[8].payload.tag |= UINT64_C(1) << 59;
	put_payload(&sites[8], &sites[8].payload);
}

/* The tag promises a filler, the header has none. */
static void filler_of_none(void)
{
	sites[8].payload.tag += UINT64_C(8) << CHECK_EXTRA_SHIFT;
	put_payload(&sites[8], &sites[8].payload);
}

/* The clock went back during the reserve: no time lies in such a window. */
static void exit_before_entry(void)
{
	sites[7].payload.exit = sites[7].payload.entry - 1;
	put_payload(&sites[7], &sites[7].payload);
}

struct damage {
	const char *name;
	void (*apply)(void);
	unsigned int oracles; /* exactly these object */
	enum oracle oracle; /* this one says: */
	const char *text;
};

#define DAMAGE(name, oracles, oracle, text) \
	{ \
#name, name, oracles, ORACLE_##oracle, text \
	}

static const struct damage damages[] = {
	DAMAGE(stamp_in_payload, EXACT, EXACT, "decoded is not the stamp taken"),
	DAMAGE(time_late_by_1, EXACT, EXACT, "decoded is not the stamp taken"),
	DAMAGE(time_late_by_5, EXACT | WINDOW, WINDOW, "decoded outside its own reserve"),
	DAMAGE(time_early_by_50, EXACT | WINDOW, WINDOW, "decoded outside its own reserve"),
	DAMAGE(time_before_predecessor, EXACT | WINDOW | MONOTONIC, MONOTONIC,
	       "sub-buffer ends before its last event"),
	DAMAGE(times_swapped, EXACT | WINDOW | MONOTONIC, MONOTONIC,
	       "sub-buffer ends before its last event"),
	DAMAGE(begin_late, EXACT | WINDOW | MONOTONIC, EXACT, "decoded is off by whole wraps"),
	DAMAGE(begin_early, EXACT | WINDOW | MONOTONIC, MONOTONIC,
	       "sub-buffer ends before its last event"),
	DAMAGE(entry_after_stamp, WINDOW, WINDOW, "decoded outside its own reserve"),
	DAMAGE(exit_before_stamp, WINDOW, WINDOW, "decoded outside its own reserve"),
	DAMAGE(exit_before_entry, WINDOW, WINDOW, "decoded outside its own reserve"),
	DAMAGE(filler_of_none, STRUCTURE, STRUCTURE, "payload size is not what was written"),
	DAMAGE(record_invalid, CONSERVATION | STRUCTURE, STRUCTURE,
	       "not a record, or one that runs over the end"),
	/* Its place is left unused, too. */
	DAMAGE(record_taken_out, CONSERVATION | COUNTS, CONSERVATION,
	       "events missing before this one"),
	DAMAGE(record_taken_out_of_the_count_too, CONSERVATION | COUNTS, CONSERVATION,
	       "events missing before this one"),
	DAMAGE(first_record_taken_out, CONSERVATION | COUNTS, CONSERVATION,
	       "events missing before this one"),
	DAMAGE(last_record_taken_out, CONSERVATION, CONSERVATION,
	       "committed records are not those written"),
	DAMAGE(sequence_twice, CONSERVATION, CONSERVATION, "event seen twice or out of order"),
	DAMAGE(sequence_skipped, CONSERVATION, CONSERVATION, "events missing before this one"),
	DAMAGE(context_of_another, CONSERVATION, CONSERVATION, NULL),
	DAMAGE(context_unknown, CONSERVATION | STRUCTURE, STRUCTURE, "payload of no known context"),
	DAMAGE(commit_short_of_a_byte, CONSERVATION | STRUCTURE, STRUCTURE,
	       "sub-buffer never completed"),
	DAMAGE(commit_of_one_record_more, CONSERVATION, CONSERVATION,
	       "sub-buffer holds another number of events than were committed"),
	DAMAGE(content_cut_short, CONSERVATION | STRUCTURE, STRUCTURE,
	       "not a record, or one that runs over the end"),
	DAMAGE(magic_gone, CONSERVATION | STRUCTURE, STRUCTURE,
	       "not a record, or one that runs over the end"),
	DAMAGE(one_lost_more, CONSERVATION, CONSERVATION, "lost events are not those refused"),
	DAMAGE(one_failed_more, CONSERVATION | LOSSES_ORACLE, CONSERVATION,
	       "lost events are not those refused"),
	DAMAGE(one_written_more, CONSERVATION, CONSERVATION,
	       "committed records are not those written"),
	DAMAGE(declared_inexact, COUNTS, COUNTS, "more inexact stamps than nested writers"),
};

static void every_damage_is_seen(void **state)
{
	const struct damage *one;

	for (one = damages; one < damages + sizeof(damages) / sizeof(damages[0]); one++) {
		good_ring("extended_header", 0);
		one->apply();
		judge();
		if (objecting() != one->oracles)
			fail_msg("%s: oracles %#x object, not %#x", one->name, objecting(),
				 one->oracles);
		if (one->text && strcmp(check.first[one->oracle].text, one->text))
			fail_msg("%s: '%s', not '%s'", one->name, check.first[one->oracle].text,
				 one->text);
		assert_false(check_clean(&check));
		if (check_verdict(&check, 0, 0) != VERDICT_BROKEN)
			fail_msg("%s: not broken", one->name);
	}
}

static void a_good_ring_is_clean(void **state)
{
	static const char *const rows[] = { "extended_header", "full_tsc", "three_read" };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		good_ring(rows[i / 2], i & 1 ? 60 : 0);
		judge();
		assert_int_equal(objecting(), 0);
		assert_true(check_clean(&check));
		assert_int_equal(check_verdict(&check, 0, 0), VERDICT_KEPT);
		assert_int_equal(check.events, sites_count);
		assert_int_equal(check.by_context[CONTEXT_TASK], buffer.writer.written[0]);
		assert_int_equal(check.by_context[CONTEXT_BEAT], i & 1 ? 1 : 2);
		assert_int_equal(check.skipped + check.worst_error + check.wraps_lost, 0);
		/* Every byte of every sub-buffer is accounted for. */
		assert_int_equal(check.header_bytes + check.payload_bytes + check.subbuf_bytes,
				 512 * check.subbufs);
		assert_int_equal(check.subbufs, sites[sites_count - 1].number + 1);
	}
}

/* A filler is as long as the tag says, and byte for byte what was written. */
static void torn_filler_is_seen(void **state)
{
	uint32_t extra = 0, index;
	unsigned int i;

	for (index = 0;; index++) {
		good_ring("extended_header", 60);
		for (i = 4; check_tag_extra(sites[i].payload.tag) < 20; i++)
			continue;
		extra = check_tag_extra(sites[i].payload.tag);
		if (index == extra)
			break;
		assert_int_equal(sites[i].event.payload_bytes, 32 + extra);
		sites[i].record[sites[i].event.header_bytes + 32 + index] ^= 0x10;
		judge();
		assert_int_equal(objecting(), STRUCTURE);
		assert_string_equal(check.first[ORACLE_STRUCTURE].text,
				    "payload torn or overwritten");
		assert_int_equal(check.first[ORACLE_STRUCTURE].offset, sites[i].offset);
	}
	/* Another length in the tag than in the header: rounding explains up to three bytes. */
	for (index = 0; index < 12; index++) {
		good_ring("extended_header", 60);
		sites[i].payload.tag += ((uint64_t)4 - index) << CHECK_EXTRA_SHIFT;
		put_payload(&sites[i], &sites[i].payload);
		judge();
		assert_int_equal(objecting(), index >= 4 && index < 8 ? 0 : STRUCTURE);
		if (index < 4 || index >= 8)
			assert_string_equal(check.first[ORACLE_STRUCTURE].text,
					    "payload size is not what was written");
	}
	assert_true(extra > 10);
}

/* Two whole stamps change places: the readers sees it as it is. */
static void swapped_whole_stamps_go_back(void **state)
{
	struct check_payload payload;

	good_ring("full_tsc", 0);
	times_swapped();
	judge();
	assert_int_equal(objecting(), EXACT | WINDOW | MONOTONIC);
	assert_int_equal(check.violations[ORACLE_EXACT], 2);
	assert_int_equal(check.violations[ORACLE_WINDOW], 2);
	assert_int_equal(check.violations[ORACLE_MONOTONIC], 1);
	assert_string_equal(check.first[ORACLE_MONOTONIC].text, "time goes back");
	assert_int_equal(check.first[ORACLE_MONOTONIC].number, sites[6].number);
	assert_int_equal(check.first[ORACLE_MONOTONIC].offset, sites[6].offset);
	assert_int_equal(check.first[ORACLE_MONOTONIC].time, sites[5].event.time);
	assert_int_equal(check.first[ORACLE_MONOTONIC].previous, sites[6].event.time);
	/* If the stamps in the payloads go along, the order alone is wrong. */
	good_ring("full_tsc", 0);
	times_swapped();
	payload = sites[5].payload;
	payload.tag = sites[6].payload.tag;
	sites[6].payload.tag = sites[5].payload.tag;
	put_payload(&sites[5], &sites[6].payload);
	put_payload(&sites[6], &payload);
	judge();
	assert_int_equal(objecting(), MONOTONIC);
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_BROKEN);
}

static void errors_are_measured(void **state)
{
	uint64_t events = 0;
	unsigned int i;

	good_ring("extended_header", 0);
	time_late_by_5();
	put_time(&sites[7], sites[7].event.time - 40);
	judge();
	assert_int_equal(check.violations[ORACLE_EXACT], 2);
	assert_int_equal(check.worst_error, 40);
	assert_int_equal(check.error_log2[3], 1);
	assert_int_equal(check.error_log2[6], 1);
	assert_int_equal(check.wraps_lost, 0);
	assert_int_equal(check.first[ORACLE_EXACT].offset, sites[5].offset);
	assert_int_equal(check.first[ORACLE_EXACT].time, sites[5].payload.stamp + 5);
	assert_memory_equal(&check.first[ORACLE_EXACT].payload, &sites[5].payload,
			    sizeof(struct check_payload));
	/* Whole wraps are counted per event, if the time is early. */
	good_ring("extended_header", 0);
	begin_early();
	for (i = 0; i < sites_count; i++)
		events += sites[i].number == 1;
	judge();
	assert_int_equal(check.wraps_lost, events);
	assert_int_equal(check.violations[ORACLE_EXACT], events);
	assert_int_equal(check.worst_error, WRAP);
	assert_int_equal(check.error_log2[28], events);
	good_ring("extended_header", 0);
	begin_late();
	judge();
	assert_int_equal(check.violations[ORACLE_EXACT], events);
	assert_int_equal(check.wraps_lost, 0);
}

TESTS(a_good_ring_is_clean, every_damage_is_seen, torn_filler_is_seen, swapped_whole_stamps_go_back,
      errors_are_measured)
