// SPDX-License-Identifier: MIT
/*
 * What a ring may lose, leave unused and call its events: the oracles of losses, of space and of
 * identity, and the conservation of timed rings, each with faults put into a good ring.
 */
#include "tests/support/test.h"
#include "tests/support/check_ring.h"

static uint64_t lost_by(enum loss loss)
{
	return buffer.writer.losses.of[loss];
}

static void a_full_ring_is_a_reason(void **state)
{
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		start_mode(forms[i], RING_DISCARD);
		run(200);
		assert_true(lost_by(LOSS_FULL) > 100);
		assert_int_equal(lost_by(LOSS_FULL), buffer_ring(&buffer)->lost);
		assert_true(loss_ring_full(buffer_ring(&buffer)));
		assert_judged(0);
		assert_false(loss_ring_full(buffer_ring(&buffer)));
	}
}

static void an_event_too_large_is_a_reason(void **state)
{
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		start_mode(forms[i], RING_OVERWRITE);
		buffer.writer.extra_bytes = 512;
		run(3);
		assert_int_equal(lost_by(LOSS_LARGE), 3);
		assert_judged(0);
		/* Counted as something else. */
		start_mode(forms[i], RING_OVERWRITE);
		buffer.writer.extra_bytes = 512;
		run(3);
		buffer_ring(&buffer)->refused--;
		buffer_ring(&buffer)->lost++;
		assert_judged(LOSSES_ORACLE);
	}
}

static void lap(void *arg, const char *label)
{
	unsigned int i;

	if (strcmp(label, "commit"))
		return;
	points.hook = NULL;
	for (i = 0; i < 100; i++)
		buffer.driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_1);
}

/* Nested writers come round to the sub-buffer in which the interrupted one has not finished. */
static void an_interrupted_writer_is_a_reason(void **state)
{
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		if (!strcmp(forms[i], "rewind"))
			continue; /* holds nothing: it starts over */
		start_mode(forms[i], RING_OVERWRITE);
		run(1);
		points.hook = lap;
		run(1);
		assert_true(lost_by(LOSS_HELD) > 10);
		assert_int_equal(lost_by(LOSS_HELD), buffer_ring(&buffer)->lost);
		assert_judged(0);
	}
}

/* The same slot, seen by a writer that interrupts nobody: who else would hold it? */
static void nobody_holds_a_slot_against_the_task(void **state)
{
	struct loss_look before;
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		struct ring *ring;

		ring = start_mode(forms[i], RING_OVERWRITE);
		run(1);
		points.hook = lap;
		run(1);
		before = loss_look(ring);
		/* There is room, or the next sub-buffer is free. */
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
		assert_int_equal(loss_reason(ring, before, 32, LOSS_NESTED, 0), LOSS_UNEXPLAINED);
		ring->subbufs[0].commits--;
		ring->subbufs[1].commits--;
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
		ring->stuck++;
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, LOSS_SLOW), LOSS_STUCK);
		/* A row may give up at a slow clock alone. */
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
		/* Only an event that came into another one can have been turned away. */
		before.stuck = ring->stuck;
		assert_int_equal(loss_reason(ring, before, 32, LOSS_NESTED, LOSS_INSIDE),
				 LOSS_BUSY);
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
	}
}

/* Who turns others away is busy as long as it is at work, and each of them is a lost event. */
static void who_is_turned_away_is_counted(void **state)
{
	start_mode("simple_remote", RING_OVERWRITE);
	run(1);
	assert_false(buffer.driver->busy(buffer.scheme));
	points.hook = lap;
	run(1);
	assert_int_equal(lost_by(LOSS_BUSY), 100);
	assert_int_equal(buffer_ring(&buffer)->lost, 100);
	assert_false(buffer.driver->busy(buffer.scheme));
	run(1);
	assert_int_equal(buffer.writer.written[CONTEXT_TASK], 3);
	assert_judged(0);
}

/* A reader that frees the ring behind the loss does not make it a wrong one. */
static void a_reader_behind_the_loss(void **state)
{
	struct loss_look before;
	struct ring *ring;
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		ring = start_mode(forms[i], RING_DISCARD);
		run(200);
		before = loss_look(ring);
		buffer.driver->take(buffer.scheme, &check);
		assert_true(ring->consumed > before.consumed);
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_FULL);
		/* Nor does the room in what a nested writer opened then. */
		run(1);
		assert_int_equal(loss_reason(ring, before, 32, LOSS_NESTED, 0), LOSS_FULL);
		before = loss_look(ring);
		assert_int_equal(loss_reason(ring, before, 32, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
	}
}

/* The reader's word is taken back while the writer looks: to it the ring is full. */
static void unread(void *arg, const char *label)
{
	if (strcmp(label, "section: tail"))
		return;
	points.hook = NULL;
	buffer_ring(&buffer)->consumed -= 2;
}

/* Whose threads may move, and which stays: it is asked for its own ring. */
static void a_writer_that_stays(void **state)
{
	struct ring *ring;
	bool open;

	ring = start_mode("restartable", RING_DISCARD);
	buffer.writer.concurrent = true;
	while (ring_room(ring, ring_packed_offset(ring, ring->tail)) >=
	       buffer.driver->payload_bytes)
		run(1);
	ring->consumed = ring_end(ring, &open);
	points.hook = unread;
	run(1);
	assert_null(points.hook);
	assert_int_equal(ring->lost, 1);
	assert_int_equal(lost_by(LOSS_UNEXPLAINED), 1);
}

/* Other CPUs may hold any slot that was ever used, but not a new one, nor a published ring's. */
static void other_cpus(void **state)
{
	struct loss_look before;
	struct ring *ring = start_mode("full_tsc", RING_OVERWRITE);

	run(1);
	assert_int_equal(loss_reason(ring, loss_look(ring), 32, LOSS_CONCURRENT, 0),
			 LOSS_UNEXPLAINED);
	run(100);
	assert_int_equal(loss_reason(ring, loss_look(ring), 32, LOSS_CONCURRENT, 0), LOSS_HELD);
	ring = start_mode("rewind", RING_OVERWRITE);
	run(100);
	assert_int_equal(loss_reason(ring, loss_look(ring), 32, LOSS_CONCURRENT, 0),
			 LOSS_UNEXPLAINED);
	/* In discard mode the ring has to be as full as the writers said. */
	ring = start_mode("full_tsc", RING_DISCARD);
	run(1);
	before = loss_look(ring);
	assert_int_equal(loss_reason(ring, before, 32, LOSS_CONCURRENT, 0), LOSS_UNEXPLAINED);
	run(200);
	/* Whatever a reader has released since. */
	ring->consumed = 1;
	assert_int_equal(loss_reason(ring, before, 32, LOSS_CONCURRENT, 0), LOSS_FULL);
	assert_int_equal(loss_reason(ring, loss_look(ring), 32, LOSS_CONCURRENT, 0),
			 LOSS_UNEXPLAINED);
	/* A published ring, too; unless its writer went to another one. */
	ring = start_mode("rewind", RING_DISCARD);
	run(1);
	before = loss_look(ring);
	assert_int_equal(loss_reason(ring, before, 32, LOSS_CONCURRENT, 0), LOSS_UNEXPLAINED);
	assert_int_equal(loss_reason(ring, before, 32, LOSS_ELSEWHERE, 0), LOSS_FULL);
	run(200);
	ring->consumed = 1;
	assert_int_equal(loss_reason(ring, before, 32, LOSS_CONCURRENT, 0), LOSS_FULL);
	ring = start_mode("full_tsc", RING_DISCARD);
	ring->lost++;
	judge_full(ring, 0, &check);
	assert_int_equal(objecting(), LOSSES_ORACLE);
	ring = start_mode("full_tsc", RING_DISCARD);
	run(200);
	judge_full(ring, 0, &check);
	assert_int_equal(objecting(), 0);
}

static void losses_without_a_reason_are_seen(void **state)
{
	good_ring("extended_header", 0);
	buffer_ring(&buffer)->lost++;
	buffer.writer.failed[CONTEXT_TASK]++;
	buffer.writer.losses.of[LOSS_UNEXPLAINED]++;
	assert_judged(LOSSES_ORACLE);
	assert_string_equal(check.first[ORACLE_LOSSES].text,
			    "event lost without a reason that the ring shows");
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_BROKEN);
	assert_int_equal(check_verdict(&check, 0, NEED_BEAT), VERDICT_BROKEN);
	/* Where nothing can fill the ring there is no good one. */
	good_ring("extended_header", 0);
	buffer_ring(&buffer)->lost++;
	buffer.writer.failed[CONTEXT_TASK]++;
	buffer.writer.losses.of[LOSS_FULL]++;
	buffer_drain(&buffer, &check);
	judge_totals(&buffer, &check, &(struct judge_given){ .nested = false }, &totals);
	judge_ring(buffer_ring(&buffer), &check, &totals, &(struct judge_given){ .ample = true },
		   &(struct judgement){ .unmet = 0 });
	assert_int_equal(objecting(), LOSSES_ORACLE);
}

/* ---- space ---- */

/* A sub-buffer that somebody closes early; `told`: the judge knows of the flush. */
static void closed_early(const char *row, bool told)
{
	start_row(row, 0);
	run(5);
	buffer.driver->flush(buffer.scheme);
	check.closed_by_flush += told;
	run(20);
	judge();
}

static void space_left_unused_is_seen(void **state)
{
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		closed_early(forms[i], false);
		assert_int_equal(objecting(), COUNTS);
		assert_string_equal(check.first[ORACLE_COUNTS].text,
				    "sub-buffer closed while the next record had room");
		closed_early(forms[i], true);
		assert_int_equal(objecting(), 0);
	}
}

/* One record less than there is room for is seen, too, where nothing nested explains it. */
static void room_for_one_record_is_seen(void **state)
{
	start_row("full_tsc", 0);
	run(9); /* of ten that fit */
	buffer.driver->flush(buffer.scheme);
	run(20);
	judge();
	assert_int_equal(check.closed_wasting + check.closed_early, 1);
	assert_int_equal(objecting(), COUNTS);
	start_row("full_tsc", 0);
	run(10);
	buffer.driver->flush(buffer.scheme);
	run(20);
	assert_judged(0);
}

/* ---- identity ---- */

static void another_id_is_seen(void **state)
{
	static const char *const rows[] = { "extended_header", "full_tsc", "packed_word",
					    "three_read" };
	const struct site *site;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		good_ring(rows[i], 0);
		site = &sites[8];
		if (is_full())
			put_u16(site->record + 8, site->event.id ^ 1);
		else
			put_u32(site->record, get_u32(site->record) ^ 1);
		assert_judged(STRUCTURE);
		assert_string_equal(check.first[ORACLE_STRUCTURE].text,
				    "event id is not the one recorded");
	}
	/* All that nest say who they are. */
	for (i = 0; i < 4; i++) {
		start_row(rows[i], 0);
		record_events(24);
		assert_judged(0);
		assert_int_equal(check.by_context[CONTEXT_LEVEL_1], 8);
	}
}

static void another_cpu_is_seen(void **state)
{
	struct ring_config config;

	start_row("extended_header", 0);
	config = buffer.config;
	config.cpu = 3;
	assert_int_equal(buffer_reset(&buffer, &config), 0);
	buffer_check(&buffer, &check);
	record_events(12);
	assert_judged(0);
	assert_int_equal(buffer_reset(&buffer, &config), 0);
	buffer_check(&buffer, &check);
	buffer_ring(&buffer)->cpu = 0; /* what a scheme would write instead */
	record_events(12);
	assert_judged(STRUCTURE);
}

/* ---- the timed build ---- */

/* Laps a timed ring without commit counters several times; `off` more were asked for. */
static unsigned int timed_lapped(int64_t off)
{
	struct judge_given given = { .ample = true, .began = clock_real() };
	struct judgement judgement;

	start(driver_find(drivers_timed, "rewind"), 0);
	run(1000000);
	buffer.writer.entered[CONTEXT_TASK] += (uint64_t)off;
	judge_buffer(&buffer, &check, &given, &judgement);
	assert_int_equal(judgement.verdict, objecting() ? VERDICT_BROKEN : VERDICT_KEPT);
	return objecting();
}

static void a_timed_ring_without_counters_is_counted(void **state)
{
#ifndef __x86_64__
	skip(); /* its sections are x86-64's */
#endif
	assert_int_equal(timed_lapped(0), 0);
	assert_int_equal(timed_lapped(1000), CONSERVATION);
	assert_int_equal(timed_lapped(-1000), CONSERVATION);
	assert_int_equal(timed_lapped(1000000), CONSERVATION);
}

static void timed_ids_are_counted(void **state)
{
	uint8_t *word;
	uint32_t more;

	start(driver_find(drivers_timed, "extended_header"), 0);
	run(100);
	buffer.driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_2);
	assert_judged(0);
	assert_int_equal(check.by_context[CONTEXT_LEVEL_2], 1);
	/* The task's event under the id of a nested writer that never ran; under one of nobody. */
	for (more = 2; more <= 8; more += 6) {
		start(driver_find(drivers_timed, "extended_header"), 0);
		run(100);
		word = ring_subbuf_base(buffer_ring(&buffer), 0) + CTF_PACKET_HEADER_BYTES + 12;
		put_u32(word, get_u32(word) + more);
		assert_judged(STRUCTURE);
	}
}

/* ---- what is excused ---- */

/* Who tells gaps up to a length is excused by a longer one, and nobody else. */
static void gaps_beyond_a_rows_own_are_excused(void **state)
{
	const struct scheme_desc *deltas = driver_find(drivers_counting, "nested_stamps")->desc;
	const struct scheme_desc *carries =
		driver_find(drivers_counting, "extended_header_msb32")->desc;
	struct judge_given given = { .gap_ticks = (UINT64_C(1) << 59) - 1 };

	assert_int_equal(judge_unmet(deltas, 27, &given), 0);
	assert_int_equal(judge_unmet(carries, 27, &given), NEED_SHORT_GAPS);
	given.gap_ticks++;
	assert_int_equal(judge_unmet(deltas, 27, &given), NEED_SHORT_GAPS);
	given.gap_ticks = (UINT64_C(1) << 59) - (UINT64_C(1) << 27) - 1;
	assert_int_equal(judge_unmet(carries, 27, &given), 0);
	given.gap_ticks = UINT64_MAX;
	assert_int_equal(judge_unmet(driver_find(drivers_counting, "full_tsc")->desc, 64, &given),
			 0);
}

/* A beat is late one tick after the reach, and not before; all of it but what is cut. */
static void the_reach_is_where_it_is(void **state)
{
	const struct driver *beaten = driver_find(drivers_counting, "layout_5_27_cut5_beat");
	const struct scheme_desc *desc = beaten->desc;
	uint64_t reach = scheme_reach_ticks(desc, 32);
	struct judge_given given = { .beat_worst_ticks = reach };

	assert_int_equal(reach, (UINT64_C(1) << 32) - 32);
	assert_int_equal(judge_unmet(desc, 32, &given), 0);
	given.beat_worst_ticks++;
	assert_int_equal(judge_unmet(desc, 32, &given), NEED_BEAT);
	given.beat_worst_ticks = bits_mask(32);
	assert_int_equal(judge_unmet(desc, 32, &given), NEED_BEAT);
	desc = driver_find(drivers_counting, "heartbeat")->desc;
	assert_int_equal(judge_unmet(desc, 32, &given), 0);
	given.beat_worst_ticks++;
	assert_int_equal(judge_unmet(desc, 32, &given), NEED_BEAT);
	desc = driver_find(drivers_counting, "packed_word")->desc;
	assert_int_equal(judge_unmet(desc, 27, &given), 0);
}

TESTS(a_full_ring_is_a_reason, an_event_too_large_is_a_reason, an_interrupted_writer_is_a_reason,
      nobody_holds_a_slot_against_the_task, who_is_turned_away_is_counted, a_reader_behind_the_loss,
      other_cpus, a_writer_that_stays, losses_without_a_reason_are_seen, space_left_unused_is_seen,
      room_for_one_record_is_seen, another_id_is_seen, another_cpu_is_seen,
      a_timed_ring_without_counters_is_counted, timed_ids_are_counted,
      gaps_beyond_a_rows_own_are_excused, the_reach_is_where_it_is)
