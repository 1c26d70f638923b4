// SPDX-License-Identifier: MIT
/*
 * Each oracle by itself, called as a reader calls it, with numbers made by hand: one byte, one
 * event and one tick to either side of where it begins to object, and what it remembers for the
 * next call.
 */
#include "tests/support/oracle.h"

/* ---- wrong times ---- */

static void wrong(uint64_t time, uint64_t stamp)
{
	const struct check_payload payload = { .stamp = stamp };

	number = 7;
	offset = 8;
	check_error(&check, number, offset, time, &payload);
}

static void stretches_of_wrong_times(void **state)
{
	const struct event next = { .id = 0 }, whole = { .flags = EVENT_EXTENDED };
	struct check_damage sum = { .longest = 4, .worst = 8 };

	assert_int_equal(check_damage_until(&check.damage), DAMAGE_NONE);
	wrong(105, 100);
	wrong(100, 109);
	wrong(102, 100);
	assert_int_equal(check.damage.wrong, 3);
	assert_int_equal(check.damage.worst, 9);
	assert_int_equal(check.damage.spells, 1);
	assert_int_equal(check.damage.longest, 3);
	assert_int_equal(check_damage_until(&check.damage), DAMAGE_NEVER);
	check_damage_ends(&check.damage, &whole);
	assert_int_equal(check_damage_until(&check.damage), DAMAGE_STAMP);
	wrong(101, 100);
	check_damage_ends(&check.damage, &next);
	wrong(101, 100);
	check.damage.told = DAMAGE_SUBBUF; /* and stays it, though the event has a whole stamp */
	check_damage_ends(&check.damage, &whole);
	assert_int_equal(check.damage.spells, 3);
	assert_int_equal(check.damage.longest, 3);
	assert_int_equal(check.damage.length, 0);
	assert_int_equal(check.damage.ended[DAMAGE_EVENT], 1);
	assert_int_equal(check.damage.ended[DAMAGE_STAMP], 1);
	assert_int_equal(check.damage.ended[DAMAGE_SUBBUF], 1);
	assert_int_equal(check_damage_until(&check.damage), DAMAGE_SUBBUF);
	check_damage_add(&sum, &check.damage);
	wrong(1, 0);
	check_damage_add(&sum, &check.damage);
	assert_int_equal(sum.wrong, 5 + 6);
	assert_int_equal(sum.spells, 3 + 4);
	assert_int_equal(sum.worst, 9);
	assert_int_equal(sum.longest, 4);
	assert_int_equal(sum.ended[DAMAGE_EVENT], 2);
	assert_int_equal(sum.ended[DAMAGE_NEVER], 1);
	assert_int_equal(sum.length, 0);
	assert_int_equal(check_damage_until(&sum), DAMAGE_NEVER);
}

static void errors_by_size(void **state)
{
	wrong(101, 100);
	wrong(100, 100 + 3 * 256);
	assert_objects(ORACLE_EXACT, 2, "decoded is not the stamp taken");
	assert_int_equal(check.first[ORACLE_EXACT].time, 101);
	assert_int_equal(check.error_log2[1], 1);
	assert_int_equal(check.error_log2[10], 1);
	assert_int_equal(check.worst_error, 768);
	assert_int_equal(check.wraps_lost, 3);
	anew(NULL);
	wrong(100, 100 + 2 * 256);
	assert_objects(ORACLE_EXACT, 1, "decoded is off by whole wraps");
	wrong(300 + 256, 300); /* later than it was: no wrap is lost */
	assert_int_equal(check.wraps_lost, 2);
	check_init(&check, &plain, 64);
	wrong(100, 101);
	assert_int_equal(check.wraps_lost, 0);
}

/* Of 10 events, the bit length at which half of them are found; 0 as long as half are right. */
static void typical_errors(void **state)
{
	static const struct {
		unsigned int small, large, typical;
	} cases[] = { { 0, 0, 0 }, { 5, 0, 0 }, { 6, 0, 3 }, { 3, 3, 3 },
		      { 0, 6, 9 }, { 1, 7, 9 }, { 2, 6, 9 }, { 3, 5, 3 } };
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		anew(NULL);
		check.events = 10;
		check.error_log2[0] = 10 - cases[i].small - cases[i].large;
		check.error_log2[3] = cases[i].small;
		check.error_log2[9] = cases[i].large;
		assert_int_equal(check_typical_error_log2(&check), cases[i].typical);
	}
	check.damage.wrong = 100; /* behind the table */
	assert_int_equal(check_typical_error_log2(&check), 3);
	check.error_log2[9] = check.error_log2[3] = 0;
	check.error_log2[1] = 6;
	check.error_log2[2] = 4;
	assert_int_equal(check_typical_error_log2(&check), 1);
	check.error_log2[1] = check.error_log2[2] = 0;
	check.error_log2[64] = 10;
	assert_int_equal(check_typical_error_log2(&check), 64);
}

/* ---- sub-buffers ---- */

/* A record of 4 + 8 bytes, with padding of at most 8, and 16 more if it were written in full. */
static void sub_buffers_closed_too_early(void **state)
{
	static const struct {
		uint32_t most, unused;
		uint64_t gap;
		uint64_t early, wasting;
	} cases[] = {
		{ 0, 19, 255, 0, 0 }, { 0, 20, 255, 1, 0 }, { 0, 20, 256, 0, 0 },
		{ 0, 35, 255, 1, 0 }, { 0, 36, 256, 0, 1 }, { 8, 20, 255, 1, 0 },
		{ 9, 20, 255, 0, 0 }, { 9, 36, 255, 0, 0 }, { 9, 37, 255, 0, 1 },
		{ 7, 20, 255, 1, 0 }, { 7, 36, 255, 0, 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event event = { .time = 1000 + cases[i].gap,
					     .header_bytes = 4,
					     .payload_bytes = 6,
					     .alignment_bytes = 2 };

		anew(NULL);
		check.payload_most = cases[i].most;
		check.open_unused = cases[i].unused;
		check.open_stamp = 1000;
		check.open_number = 3;
		check_opening(&check, &event);
		if (check.closed_early != cases[i].early ||
		    check.closed_wasting != cases[i].wasting)
			fail_msg("case %u", i);
		assert_true(check.open_number == UINT64_MAX);
	}
}

static void what_a_sub_buffer_leaves_behind(void **state)
{
	static const struct scheme_desc cut = { .cut_bits = 4 };

	assert_true(check.open_number == UINT64_MAX);
	check.last_time = check.last_stamp = 900;
	check_subbuf(&check, 5, 3, 3, 24, 40);
	assert_fine();
	assert_int_equal(check.subbufs, 1);
	assert_int_equal(check.subbuf_bytes, 64);
	assert_int_equal(check.next_number, 6);
	assert_int_equal(check.open_number, 6);
	assert_int_equal(check.open_unused, 40);
	assert_int_equal(check.open_stamp, 900);
	assert_int_equal(check.last_events, 3);
	check_flushed(&check);
	assert_true(check.open_number == UINT64_MAX);
	check_subbuf_begin(&check, 6, 900);
	assert_fine();
	assert_int_equal(check.damage.told, DAMAGE_SUBBUF);
	check_subbuf_end(&check, 6, 901);
	check_subbuf_end(&check, 6, 901);
	assert_fine();
	number = 7;
	check_subbuf_begin(&check, 7, 900);
	assert_objects(ORACLE_MONOTONIC, 1, "sub-buffer begins before its predecessor ends");
	assert_int_equal(check.last_time, 900);
	check_subbuf_end(&check, 7, 899);
	assert_int_equal(check.violations[ORACLE_MONOTONIC], 2);
	assert_int_equal(check.last_time, 899);
	anew(NULL);
	check_subbuf_begin(&check, 0, 5); /* the first has no predecessor */
	check.last_time = 9;
	check_subbuf_begin(&check, 0, 5);
	assert_fine();
	check_subbuf_end(&check, 0, 4);
	assert_objects(ORACLE_MONOTONIC, 1, "sub-buffer ends before its last event");
	check_init(&check, &cut, 8);
	check.last_time = 16;
	check_subbuf_end(&check, 0, 31); /* which is 16 but for the bits that are cut */
	assert_int_equal(check.last_time, 16);
	anew(NULL);
	check_subbuf(&check, 0, 3, 4, 24, 0);
	assert_objects(ORACLE_CONSERVATION, 1,
		       "sub-buffer holds another number of events than were committed");
}

/* The fullest but the newest of a drain; and how many were gone before it. */
static void drains(void **state)
{
	check_drain_begin(&check, 2, 2);
	assert_int_equal(check.fill.gone, 0);
	assert_false(check.resync[CONTEXT_TASK]);
	check_subbuf(&check, 2, 9, 9, 0, 0);
	assert_int_equal(check.fill.most, 0);
	check_subbuf(&check, 3, 4, 4, 0, 0);
	check_subbuf(&check, 4, 20, 20, 0, 0);
	assert_int_equal(check.fill.most, 9);
	check.by_context[CONTEXT_BEAT] = 3;
	check_drain_begin(&check, 5, 2);
	assert_int_equal(check.fill.gone, 0);
	assert_int_equal(check.fill.most, 0);
	assert_int_equal(check.drained[CONTEXT_BEAT], 3);
	check_subbuf(&check, 5, 1, 1, 0, 0); /* a flush cut that of before short */
	assert_int_equal(check.fill.most, 0);
	check_drain_begin(&check, 10, 2); /* 6 to 9 were overwritten */
	assert_int_equal(check.fill.gone, 4);
	assert_int_equal(check.fill.first, 10);
	check.by_context[CONTEXTS]++; /* of a writer that this ring has not */
	assert_true(check.resync[CONTEXT_TASK] && check.resync[CONTEXT_BEAT]);
	check.by_context[CONTEXT_TASK]++;
	check_subbuf(&check, 10, 1, 1, 0, 0);
	assert_true(!check.resync[CONTEXT_TASK] && check.resync[CONTEXT_BEAT]);
	assert_true(check.resync[CONTEXTS]);
	check_drain_begin(&check, 13, 0);
	assert_int_equal(check.fill.gone, 6);
	anew(NULL);
	check_drain_begin(&check, 3, 2); /* of the ring's first one */
	assert_int_equal(check.fill.gone, 1);
	assert_int_equal(check.next_number, 3);
}

static void a_packet_of_another_cpu(void **state)
{
	check_cpu(&check, 0, 1);
	check.cpu = 0;
	check_cpu(&check, 0, 0);
	assert_fine();
	check_cpu(&check, 0, 1);
	assert_objects(ORACLE_STRUCTURE, 1, "sub-buffer of another CPU's ring");
}

/* ---- who wrote it ---- */

static void next(unsigned int context, uint64_t sequence)
{
	const struct check_payload payload = { .tag = check_tag(context, false, 0, 0, sequence) };

	check_sequence(&check, 0, 0, 0, &payload);
}

static void sequences(void **state)
{
	next(1, 2);
	assert_objects(ORACLE_CONSERVATION, 1, "events missing before this one");
	assert_int_equal(check.next_sequence[1], 3);
	anew(NULL);
	check.next_sequence[1] = 5;
	check.resync[1] = true;
	next(1, 4);
	assert_objects(ORACLE_CONSERVATION, 1, "event seen twice or out of order");
	assert_int_equal(check.skipped, 0);
	anew(NULL);
	check.next_sequence[1] = 5;
	check.resync[1] = true;
	next(1, 8);
	assert_int_equal(check.skipped, 3);
	assert_false(check.resync[1]);
	assert_int_equal(check.next_sequence[1], 9);
	assert_fine();
	/* The tag has 30 bits: the nearest with these is meant, behind a turn of them. */
	check.next_sequence[1] = (UINT64_C(1) << 30) - 1;
	check.resync[1] = true;
	next(1, 1);
	assert_int_equal(check.next_sequence[1], (UINT64_C(1) << 30) + 2);
	assert_int_equal(check.skipped, 3 + 2);
	assert_fine();
	check.resync[1] = true; /* the very next, and one almost half a turn on */
	next(1, 2);
	assert_int_equal(check.skipped, 3 + 2);
	check.resync[1] = true;
	next(1, 2 + (UINT64_C(1) << 29));
	assert_int_equal(check.skipped, 3 + 2 + (UINT64_C(1) << 29) - 1);
	assert_fine();
	check.skipped = 3 + 2;
	check.next_sequence[1] = (UINT64_C(1) << 30) + 2;
	check.scattered = true;
	next(1, 2);
	next(1, 9);
	assert_int_equal(check.next_sequence[1], (UINT64_C(1) << 30) + 10);
	assert_int_equal(check.skipped, 3 + 2);
	assert_fine();
	next(CONTEXTS, 0);
	assert_objects(ORACLE_STRUCTURE, 1, "payload of no known context");
}

static void ids(void **state)
{
	static const struct {
		uint32_t id;
		unsigned int context;
	} cases[] = { { EVENT_BEAT, CONTEXT_BEAT },
		      { EVENT_NESTED, CONTEXT_LEVEL_1 },
		      { EVENT_NESTED + 2, CONTEXT_LEVEL_3 } };
	const struct check_payload payload = { .stamp = 0 };
	struct event event = { .id = EVENT_NESTED + 3 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		event.id = cases[i].id;
		check_identity(&check, 0, 0, &event, NULL);
		assert_int_equal(check.by_context[cases[i].context], 1);
	}
	event.id = EVENT_ID_UNKNOWN;
	check_identity(&check, 0, 0, &event, &payload);
	assert_fine();
	event.id = EVENT_BEAT; /* the payload says who wrote it, and another id */
	check_identity(&check, 0, 0, &event, &payload);
	assert_objects(ORACLE_STRUCTURE, 1, "event id is not the one recorded");
	event.id = EVENT_NESTED + 3;
	check_identity(&check, 0, 0, &event, NULL);
	assert_int_equal(check.violations[ORACLE_STRUCTURE], 2);
	assert_int_equal(check.by_context[CONTEXT_BEAT], 1);
}

static void payloads(void **state)
{
	enum { EXTRA = 5, SIZE = sizeof(struct check_payload) + EXTRA };
	static const struct {
		uint32_t alignment, bytes;
		bool fine;
	} cases[] = { { 4, SIZE - 1, false }, { 4, SIZE, true },     { 4, SIZE + 3, true },
		      { 4, SIZE + 4, false }, { 0, SIZE + 3, true }, { 0, SIZE + 4, false },
		      { 8, SIZE + 7, true },  { 8, SIZE + 8, false } };
	struct check_payload payload = { .tag = check_tag(1, false, EXTRA, 0, 77) };
	uint8_t bytes[SIZE + 8];
	struct event event = { .payload = bytes };
	unsigned int i;

	memcpy(bytes, &payload, sizeof(payload));
	for (i = 0; i < 8 + EXTRA; i++)
		bytes[sizeof(payload) + i] = check_filler(77, i);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scheme_desc desc = plain;

		desc.alignment = cases[i].alignment;
		check_init(&check, &desc, 8);
		event.payload_bytes = cases[i].bytes;
		check_filler_bytes(&check, 0, 0, &event, &payload);
		if (check.violations[ORACLE_STRUCTURE] == cases[i].fine)
			fail_msg("case %u", i);
		assert_int_equal(check.rounding_bytes, cases[i].fine ? cases[i].bytes - SIZE : 0);
	}
	event.payload_bytes = SIZE + 1;
	for (i = 0; i < EXTRA + 1; i++) {
		anew(NULL);
		bytes[sizeof(payload) + i] ^= 1;
		check_filler_bytes(&check, 0, 0, &event, &payload);
		bytes[sizeof(payload) + i] ^= 1;
		/* What is behind it is nobody's. */
		assert_objects(ORACLE_STRUCTURE, i < EXTRA, "payload torn or overwritten");
	}
}

static void names(void **state)
{
	static const char *const ends[DAMAGE_ENDS] = { "-", "next event", "whole stamp",
						       "sub-buffer's end", "never" };
	unsigned int i;

	for (i = 0; i < DAMAGE_ENDS; i++)
		assert_string_equal(check_damage_end_name((enum damage_end)i), ends[i]);
	/* A sum of them tells sets apart: no few of the first add up to another's. */
	assert_true(check_mix_sequence(0) && check_mix_sequence(0) != check_mix_sequence(1));
	assert_true(check_mix_sequence(0) + check_mix_sequence(3) !=
		    check_mix_sequence(1) + check_mix_sequence(2));
}

static void nested_of_all_writers(void **state)
{
	unsigned int context;

	for (context = 0; context < CHECK_CONTEXTS; context++)
		check.events += check.by_context[context] = 1 + context;
	check.header_bytes = 5; /* behind the table */
	assert_int_equal(check_nested(&check), 120 - (1 + 6 + 11));
}

static void gaps_that_were_tried(void **state)
{
	struct check_tries tries = { .gaps = 0 };

	check_far(&tries, 8, 1255, 1000);
	check_far(&tries, 8, 1000, 1000);
	assert_int_equal(tries.gaps + tries.backs, 0);
	check_far(&tries, 8, 1256, 1000);
	check_far(&tries, 8, 1511, 1000);
	assert_int_equal(tries.gaps, 2);
	assert_true(tries.gap_sizes == 1 << 8);
	check_far(&tries, 8, UINT64_MAX / 2 + 5, 5);
	assert_true(tries.gap_sizes == (UINT64_C(1) << 62 | 1 << 8));
	check_far(&tries, 8, 999, 1000);
	assert_int_equal(tries.backs, 1);
	assert_int_equal(tries.gaps, 3);
}

TESTS_OF(NULL, NULL, anew, NULL, stretches_of_wrong_times, errors_by_size, typical_errors,
	 sub_buffers_closed_too_early, what_a_sub_buffer_leaves_behind, drains,
	 a_packet_of_another_cpu, sequences, ids, payloads, names, nested_of_all_writers,
	 gaps_that_were_tried)
