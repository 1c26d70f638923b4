// SPDX-License-Identifier: MIT
/*
 * libbabeltrace2 as an oracle: every row that writes CTF packets is played, exported, and read by
 * it. Each event's time has to be the one that the ring's decoder saw; without a word of warning.
 * In CTF 1.8 and in CTF 2, which it knows from 2.1 on.
 */
#include "tests/support/test.h"
#include "tests/support/readers.h"

#define ROWS_LEAST 10
#include "tests/support/readers_cases.h"

#include "traces/ctf_trace.h"

static uint32_t cut_bits; /* ticks of the trace's clock are so many bits coarser */

static uint64_t field_of(const struct ctf_event *event, const char *name)
{
	return bt_field_integer_unsigned_get_value(
		bt_field_structure_borrow_member_field_by_name_const(
			bt_event_borrow_payload_field_const(event->library), name));
}

static void by_babeltrace(void *arg, const struct ctf_event *event)
{
	uint64_t tag;

	if (!strcmp(bt_event_class_get_name(bt_event_borrow_class_const(event->library)), "stamp"))
		return;
	tag = check_tag((unsigned int)field_of(event, "context"), field_of(event, "inexact"),
			(uint32_t)field_of(event, "extra"),
			(uint32_t)field_of(event, "recorded_id"), field_of(event, "sequence"));
	seen_add(&seen, event->ticks << cut_bits, field_of(event, "stamp"), tag);
}

/* What it wrote to stderr is in scratch_stderr; false: it gave up. */
static bool read_trace(const char *dir, ctf_event_fn *event, struct ctf_trace *trace)
{
	int status;

	listen_to_stderr();
	status = ctf_trace_read(trace, dir, BT_LOGGING_LEVEL_WARNING, event, NULL);
	scratch_stderr = what_was_said();
	return !status && !trace->damaged;
}

/*
 * babeltrace2 says once per trace that it makes nothing of a header's fields but id and time: that
 * is so, of these. Everything else that it says is an objection.
 */
static const char *objection(void)
{
	static const char *const known[] = { "\"size\"", "\"unused\"", "\"cut\"", "\"full\"" };
	static const char user_field[] = "User field found in event header: ignoring: name=";
	char *line, *rest = scratch_stderr;
	const char *at;
	unsigned int i;

	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, user_field);
		for (i = 0; at && i < 4; i++)
			if (!strcmp(at + sizeof(user_field) - 1, known[i]))
				break;
		if (line[0] && (!at || i == 4))
			return line;
	}
	return NULL;
}

static uint64_t ctf2_events; /* that it judged */
static uint64_t ctf2_defects; /* of these, times that are wrong by its own defect */

/*
 * babeltrace2 (2.1.1) takes a clock's field of a variable length for one of no bits: it leaves all
 * bits of the time before as they are, and adds the field's. So its times are no judge there, and
 * what is left is: such a time, or the right one, of events that have all else right.
 */
static void forgive_varlen(void)
{
	uint64_t before = 0, time, stamp;
	unsigned int i, bytes;

	for (i = 0; i < seen.count; i++, before = time) {
		time = seen.list[i].time;
		stamp = seen.list[i].stamp;
		for (bytes = 2; time != stamp && bytes < 10; bytes++)
			if (time == (before | (stamp & bits_mask(7 * bytes)))) {
				seen.list[i].time = stamp;
				ctf2_defects++;
				break;
			}
	}
}

static void read_by_babeltrace(void)
{
	struct ctf_trace trace;
	const char *said;
	bool good;

	if (stand_ctf2 && !ctf_trace_knows_ctf2())
		return;
	seen.count = 0;
	good = read_trace(stand.trace, by_babeltrace, &trace);
	said = objection();
	if (!good || said)
		fail_msg("%s, %s: babeltrace2 says: %s", stand.play.driver->row, stand.what,
			 said ? said : trace.why);
	assert_int_equal(trace.count, 1);
	if (stand.play.driver->format.kind == FORMAT_VARINT)
		forgive_varlen();
	assert_seen(&seen, "babeltrace2");
	ctf2_events += stand_ctf2 ? trace.streams[0].events : 0;
	ctf_trace_free(&trace);
}

static void read_by_all(void)
{
	cut_bits = scheme_cut_bits(stand.play.driver->desc, stand.play.check.stamp_bits);
	read_by_babeltrace();
	stand_again();
}

static bool chosen(const struct driver *driver)
{
	return driver->format.kind != FORMAT_FTRACE && export_possible(driver, stand_ctf2);
}

static bool nests(const struct driver *driver)
{
	return !(driver->desc->needs & NEED_MASKED_INTERRUPTS);
}

/* ---- the same in CTF 2 ---- */

static void in_ctf2(void (*test)(void **state))
{
	stand_ctf2 = true;
	test(NULL);
	stand_ctf2 = false;
}

static void ctf2_gaps_around_wraps(void **state)
{
	in_ctf2(gaps_around_wraps);
}

static void ctf2_nested_writers(void **state)
{
	in_ctf2(nested_writers);
}

static void ctf2_all_sizes_and_switches(void **state)
{
	in_ctf2(all_sizes_and_switches);
}

static void ctf2_by_babeltrace(void **state)
{
	SKIP_IF(!ctf_trace_knows_ctf2(), "needs libbabeltrace2 2.1 or later, which reads CTF 2");
	assert_true(ctf2_events > 0);
	print_message("babeltrace2 judged %" PRIu64 " events of CTF 2, %" PRIu64
		      " of these by all but the time\n",
		      ctf2_events, ctf2_defects);
}

/* ---- what the two are blind to, and what not ---- */

/* Rewrites 8 bytes of the exported stream. */
static void poke(long offset, uint64_t value)
{
	char path[PATH_MAX + 40];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu0", stand.trace);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(&value, sizeof(value), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* Two events 2^27 apart whose second has lost its escape: as if the scheme had missed a wrap. */
static void missed_wrap(void **state)
{
	const struct stage stage = {
		.bits = 27, .subbuf_shift = 12, .count_shift = 1, .now = START, .step = 1
	};
	struct ctf_trace trace;
	uint64_t lost;

	stand_open(driver_find(drivers_counting, "floor"));
	stand_start("missed wrap", &stage);
	play_event(&stand.play);
	virtual_clock.now += UINT64_C(3) << 27;
	play_event(&stand.play);
	points.hook = NULL;
	buffer_drain(&stand.play.buffer, &stand.play.check);
	assert_int_equal(export_end(&stand.export), 0);
	cut_bits = seen.count = 0;
	assert_true(read_trace(stand.trace, by_babeltrace, &trace));
	ctf_trace_free(&trace);
	assert_int_equal(seen.count, 2);
	/* Not a word of it, and whole wraps too early: only the stamp in the payload tells. */
	lost = seen.list[1].stamp - seen.list[1].time;
	assert_int_equal(lost, UINT64_C(3) << 27);
	stand_close();
}

/*
 * End before the events, begin before the end of the packet before: libbabeltrace2 2.0 objects;
 * from 2.1 on it takes any.
 */
static void dishonest_stamps(void **state)
{
	const struct stage stage = {
		.bits = 27, .subbuf_shift = 9, .count_shift = 4, .now = START, .step = 1
	};
	struct ctf_trace trace;
	unsigned int field, i;

	for (field = 0; field < 2; field++) {
		stand_open(driver_find(drivers_counting, "extended_header"));
		stand_start("stamps", &stage);
		for (i = 0; i < 40; i++)
			play_event(&stand.play);
		stand_end();
		/* Of the second packet: timestamp_begin at 8, timestamp_end at 16. */
		poke(512 + 8 + 8 * (long)field, START + 1);
		assert_int_equal(read_trace(stand.trace, NULL, &trace), ctf_trace_knows_ctf2());
		ctf_trace_free(&trace);
		stand_close();
	}
}

/* ---- LTTng's ---- */

static uint64_t before, backward; /* the event before; events earlier than that */

static void in_order(void *arg, const struct ctf_event *event)
{
	backward += event->ns < before;
	before = event->ns;
}

/* Counted by hand, or by the recorder: events, packets, empty ones, in two streams. */
static void lttng(void **state)
{
	static const struct {
		const char *dir;
		uint64_t events, packets, empty;
		bool ctf2;
	} known[] = {
		{ "tests/data/lttng", 20, 2, 1, false },
		{ "tests/data/lttng_compact", 2634, 18, 0, false },
		{ "tests/data/lttng_2_16", 2634, 0, 0, true },
	};
	struct ctf_trace trace;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (known[i].ctf2 && !ctf_trace_knows_ctf2()) {
			assert_false(read_trace(known[i].dir, NULL, &trace));
			assert_non_null(strstr(scratch_stderr, "this is CTF 2, which "));
			ctf_trace_free(&trace);
			continue;
		}
		before = 0;
		assert_true(read_trace(known[i].dir, in_order, &trace));
		assert_int_equal(trace.count, 2);
		assert_true(trace.dated);
		assert_int_equal(trace.streams[0].events + trace.streams[1].events,
				 known[i].events);
		if (known[i].packets)
			assert_int_equal(trace.streams[0].packets + trace.streams[1].packets,
					 known[i].packets);
		assert_int_equal(trace.streams[0].empty_packets + trace.streams[1].empty_packets,
				 known[i].empty);
		assert_true(trace.streams[0].cpu != trace.streams[1].cpu);
		ctf_trace_free(&trace);
	}
	assert_int_equal(backward, 0);
}

TESTS_OF(set_up, tear_down, NULL, NULL, gaps_around_wraps, nested_writers, all_sizes_and_switches,
	 missed_wrap, dishonest_stamps, lttng, ctf2_gaps_around_wraps, ctf2_nested_writers,
	 ctf2_all_sizes_and_switches, ctf2_by_babeltrace)
