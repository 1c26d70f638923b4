// SPDX-License-Identifier: MIT
/*
 * The oracles against broken rings. A real row fills a ring, which all find clean; then it is
 * broken by hand, and exactly the right ones must object.
 */
#include "tests/support/test.h"
#include "tests/support/check_ring.h"
#include "tests/support/clean.h"

/* ---- damage to a ring of extended_header, which promises everything ---- */

static void times_swapped(void)
{
	put_time(&sites[5], sites[6].event.time);
	put_time(&sites[6], sites[5].event.time);
}

/* Read as a wrap later, and so is all that follows, up to the next packet. */
static void time_before_predecessor(void)
{
	put_time(&sites[5], sites[4].event.time - 1);
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

/* The clock went back during the reserve: no time lies in such a window. */
static void exit_before_entry(void)
{
	sites[7].payload.exit = sites[7].payload.entry - 1;
	put_payload(&sites[7], &sites[7].payload);
}

/* An id whose header would have a size, where there is none. */
static void record_invalid(void)
{
	put_u32(sites[8].record, ctf_compact_word(CTF_ID_HIGH, sites[8].event.time, 27));
	put_u16(sites[8].record + 4, 600);
}

static void one_failed_more(void)
{
	buffer.writer.failed[CONTEXT_LEVEL_2]++;
}

static void one_written_more(void)
{
	buffer.writer.written[CONTEXT_TASK]++;
}

/* What becomes larger by a number: of a site, or of sub-buffer 1; a record goes; or a call. */
enum what {
	STAMP,
	TIME,
	TAG,
	BEGINS,
	MAGIC,
	COMMITS,
	CONTENT,
	RING_LOST,
	GONE,
	GONE_COUNTED,
	CALL
};

#define LAST_SITE 999

static const struct damage {
	const char *name;
	enum what what;
	unsigned int site;
	uint64_t by;
	unsigned int oracles; /* exactly these object */
	enum oracle oracle; /* this one says: */
	const char *text;
	void (*call)(void);
} damages[] = {
#define CALLED(name, ...) \
	{ \
#name, CALL, 0, 0, __VA_ARGS__, name \
	}
#define IS_EXACT ORACLE_EXACT, "decoded is not the stamp taken"
#define OUTSIDE ORACLE_WINDOW, "decoded outside its own reserve"
#define AFTER ORACLE_MONOTONIC, "sub-buffer ends before its last event"
#define MISSING ORACLE_CONSERVATION, "events missing before this one"
#define RUNS_OVER ORACLE_STRUCTURE, "not a record, or one that runs over the end"
#define UNWRITTEN ORACLE_CONSERVATION, "committed records are not those written"
#define UNREFUSED ORACLE_CONSERVATION, "lost events are not those refused"
#define DAMAGE(name, what, site, by, ...) \
	{ \
		name, what, site, (uint64_t)(by), __VA_ARGS__, NULL \
	}
	DAMAGE("a stamp", STAMP, 5, 1, EXACT, IS_EXACT),
	DAMAGE("a time 1 late", TIME, 5, 1, EXACT, IS_EXACT),
	DAMAGE("a time 5 late", TIME, 5, 5, EXACT | WINDOW, OUTSIDE),
	DAMAGE("a time 50 early", TIME, 5, -50, EXACT | WINDOW, OUTSIDE),
	CALLED(time_before_predecessor, EXACT | WINDOW | MONOTONIC, AFTER),
	CALLED(times_swapped, EXACT | WINDOW | MONOTONIC, AFTER),
	DAMAGE("a late begin", BEGINS, 0, 1, EXACT | WINDOW | MONOTONIC, ORACLE_EXACT,
	       "decoded is off by whole wraps"),
	DAMAGE("an early begin", BEGINS, 0, -WRAP, EXACT | WINDOW | MONOTONIC, AFTER),
	CALLED(entry_after_stamp, WINDOW, OUTSIDE),
	CALLED(exit_before_stamp, WINDOW, OUTSIDE),
	CALLED(exit_before_entry, WINDOW, OUTSIDE),
	/* The tag promises a filler, the header has none. */
	DAMAGE("a filler of none", TAG, 8, UINT64_C(8) << CHECK_EXTRA_SHIFT, STRUCTURE,
	       ORACLE_STRUCTURE, "payload size is not what was written"),
	CALLED(record_invalid, CONSERVATION | STRUCTURE, RUNS_OVER),
	/* Its place is left unused, too. */
	DAMAGE("a record gone", GONE, 8, 0, CONSERVATION | COUNTS, MISSING),
	/* The commit counter agrees with what is there: only sequences and totals can tell. */
	DAMAGE("gone, and not counted", GONE_COUNTED, 8, 0, CONSERVATION | COUNTS, MISSING),
	DAMAGE("the first gone", GONE_COUNTED, 0, 0, CONSERVATION | COUNTS, MISSING),
	DAMAGE("the last gone", GONE_COUNTED, LAST_SITE, 0, CONSERVATION, UNWRITTEN),
	DAMAGE("a sequence twice", TAG, 8, -1, CONSERVATION, ORACLE_CONSERVATION,
	       "event seen twice or out of order"),
	DAMAGE("a sequence skipped", TAG, 8, 1, CONSERVATION, MISSING),
	DAMAGE("another's context", TAG, 8, UINT64_C(3) << 60, CONSERVATION, ORACLE_CONSERVATION,
	       NULL),
	DAMAGE("no known context", TAG, 8, UINT64_C(7) << 60, CONSERVATION | STRUCTURE,
	       ORACLE_STRUCTURE, "payload of no known context"),
	DAMAGE("a commit short of a byte", COMMITS, 0, -1, CONSERVATION | STRUCTURE,
	       ORACLE_STRUCTURE, "sub-buffer never completed"),
	DAMAGE("a commit of one more", COMMITS, 0, RING_RECORD, CONSERVATION, ORACLE_CONSERVATION,
	       "sub-buffer holds another number of events than were committed"),
	DAMAGE("content cut short", CONTENT, 0, -1, CONSERVATION | STRUCTURE, RUNS_OVER),
	DAMAGE("no magic", MAGIC, 0, 1, CONSERVATION | STRUCTURE, RUNS_OVER),
	DAMAGE("one lost more", RING_LOST, 0, 1, CONSERVATION, UNREFUSED),
	CALLED(one_failed_more, CONSERVATION | LOSSES_ORACLE, UNREFUSED),
	CALLED(one_written_more, CONSERVATION, UNWRITTEN),
	DAMAGE("declared inexact", TAG, 8, UINT64_C(1) << 59, COUNTS, ORACLE_COUNTS,
	       "more inexact stamps than nested writers"),
};

static void apply(const struct damage *one)
{
	struct site *site = &sites[one->site == LAST_SITE ? sites_count - 1 : one->site];
	uint8_t *base = ring_subbuf_base(buffer_ring(&buffer), 1);
	struct subbuf *subbuf = ring_subbuf(buffer_ring(&buffer), 1);

	site->payload.stamp += one->what == STAMP ? one->by : 0;
	site->payload.tag += one->what == TAG ? one->by : 0;
	put_payload(site, &site->payload);
	if (one->what == TIME)
		put_time(site, site->event.time + one->by);
	if (one->what == BEGINS)
		put_u64(base + 8, get_u64(base + 8) + one->by);
	base[0] ^= one->what == MAGIC;
	subbuf->commits += one->what == COMMITS ? one->by : 0;
	subbuf->content += one->what == CONTENT ? one->by : 0;
	buffer_ring(&buffer)->lost += one->what == RING_LOST;
	if (one->what == GONE || one->what == GONE_COUNTED)
		take_out((unsigned int)(site - sites));
	if (one->what == GONE_COUNTED)
		ring_subbuf(buffer_ring(&buffer), site->number)->commits -= RING_RECORD;
	if (one->call)
		one->call();
}

static void every_damage_is_seen(void **state)
{
	const struct damage *one;

	for (one = damages; one < damages + COUNT(damages); one++) {
		good_ring("extended_header", 0);
		apply(one);
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
		assert_judged(0);
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
		assert_judged(STRUCTURE);
		assert_string_equal(check.first[ORACLE_STRUCTURE].text,
				    "payload torn or overwritten");
		assert_int_equal(check.first[ORACLE_STRUCTURE].offset, sites[i].offset);
	}
	/* Another length in the tag than in the header: rounding explains up to three bytes. */
	for (index = 0; index < 12; index++) {
		good_ring("extended_header", 60);
		sites[i].payload.tag += ((uint64_t)4 - index) << CHECK_EXTRA_SHIFT;
		put_payload(&sites[i], &sites[i].payload);
		assert_judged(index >= 4 && index < 8 ? 0 : STRUCTURE);
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
	assert_judged(EXACT | WINDOW | MONOTONIC);
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
	assert_judged(MONOTONIC);
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_BROKEN);
}

static void errors_are_measured(void **state)
{
	uint64_t events = 0;
	uint8_t *base;
	unsigned int i;

	good_ring("extended_header", 0);
	put_time(&sites[5], sites[5].event.time + 5);
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
	base = ring_subbuf_base(buffer_ring(&buffer), 1);
	put_u64(base + 8, get_u64(base + 8) - WRAP);
	for (i = 0; i < sites_count; i++)
		events += sites[i].number == 1;
	judge();
	assert_int_equal(check.wraps_lost, events);
	assert_int_equal(check.violations[ORACLE_EXACT], events);
	assert_int_equal(check.worst_error, WRAP);
	assert_int_equal(check.error_log2[28], events);
	good_ring("extended_header", 0);
	base = ring_subbuf_base(buffer_ring(&buffer), 1);
	put_u64(base + 8, get_u64(base + 8) + 1);
	judge();
	assert_int_equal(check.violations[ORACLE_EXACT], events);
	assert_int_equal(check.wraps_lost, 0);
}

TESTS(a_good_ring_is_clean, every_damage_is_seen, torn_filler_is_seen, swapped_whole_stamps_go_back,
      errors_are_measured)
