// SPDX-License-Identifier: MIT
/*
 * babeltrace2 as an oracle: every row that writes CTF packets is played, exported, and read by
 * libbabeltrace2 and by our own reader. Each event's time has to be the one that the ring's decoder
 * saw; without a word of warning. In CTF 1.8 and in CTF 2, which it knows from 2.1 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/babeltrace.h"
#include "tests/support/readers.h"

#define ROWS_LEAST 10
#include "tests/support/readers_cases.h"

#include "traces/ctf_trace.h"

static uint32_t cut_bits; /* ticks of the trace's clock are so many bits coarser */

static void by_babeltrace(void *arg, uint64_t ticks, const bt_field *payload, const char *name)
{
	uint64_t tag;

	(void)arg;
	if (!strcmp(name, "stamp"))
		return;
	tag = check_tag((unsigned int)babeltrace_integer(payload, "context"),
			babeltrace_integer(payload, "inexact"),
			(uint32_t)babeltrace_integer(payload, "extra"),
			(uint32_t)babeltrace_integer(payload, "recorded_id"),
			babeltrace_integer(payload, "sequence"));
	seen_add(&seen, ticks << cut_bits, babeltrace_integer(payload, "stamp"), tag);
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

static bool babeltrace_knows_ctf2(void)
{
	return bt_version_get_minor() >= 1;
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
	const char *said;
	struct babeltrace reader = { .event = by_babeltrace };
	bool good;

	if (stand_ctf2 && !babeltrace_knows_ctf2())
		return;
	seen.count = 0;
	scratch_capture_begin();
	good = babeltrace_read(stand.trace, &reader);
	scratch_capture_end();
	said = objection();
	if (!good || said)
		fail_msg("%s, %s: babeltrace2 says: %s", stand.play.driver->row, stand.what,
			 said ? said : "no");
	if (stand.play.driver->format.kind == FORMAT_VARINT)
		forgive_varlen();
	assert_seen(&seen, "babeltrace2");
	ctf2_events += stand_ctf2 ? reader.events : 0;
}

static void read_by_ourselves(bool no_plan)
{
	const struct trace_event *event;
	struct check_payload payload;
	struct ctf_trace_file *file;
	struct ctf_trace trace;

	seen.count = 0;
	assert_int_equal(ctf_trace_open(&trace, stand.trace), 0);
	assert_int_equal(trace.count, 1);
	trace.files[0].reader.no_plan = no_plan;
	while ((file = ctf_trace_first(&trace, &event))) {
		if (event->payload_bytes < sizeof(payload))
			continue;
		memcpy(&payload, event->payload, sizeof(payload));
		seen_add(&seen, event->time << cut_bits, payload.stamp, payload.tag);
	}
	if (trace.files[0].reader.fault.set || trace.files[0].reader.backward.set)
		fail_msg("%s, %s: our reader says: %s %s", stand.play.driver->row, stand.what,
			 trace.files[0].reader.fault.text, trace.files[0].reader.backward.text);
	ctf_trace_close(&trace);
	assert_seen(&seen, no_plan ? "our reader without plan" : "our reader");
}

static void read_by_all(void)
{
	cut_bits = scheme_cut_bits(stand.play.driver->desc, stand.play.check.stamp_bits);
	read_by_babeltrace();
	read_by_ourselves(false);
	read_by_ourselves(true);
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
	(void)state;
	in_ctf2(gaps_around_wraps);
}

static void ctf2_nested_writers(void **state)
{
	(void)state;
	in_ctf2(nested_writers);
}

static void ctf2_all_sizes_and_switches(void **state)
{
	(void)state;
	in_ctf2(all_sizes_and_switches);
}

/* Our reader alone is no judge of what we write. */
static void ctf2_by_babeltrace(void **state)
{
	(void)state;
	if (!babeltrace_knows_ctf2()) {
		print_message("skipped: needs libbabeltrace2 2.1 or later, which reads CTF 2\n");
		skip();
	}
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
	struct babeltrace reader = { .event = by_babeltrace };
	uint64_t lost;

	(void)state;
	stand_open(driver_find(drivers_counting, "floor"));
	stand_start("missed wrap", &stage);
	play_event(&stand.play);
	virtual_clock.now += UINT64_C(3) << 27;
	play_event(&stand.play);
	points.hook = NULL;
	buffer_drain(&stand.play.buffer, &stand.play.check);
	assert_int_equal(export_end(&stand.export), 0);
	cut_bits = seen.count = 0;
	assert_true(babeltrace_read(stand.trace, &reader));
	assert_int_equal(seen.count, 2);
	/* Not a word of it, and whole wraps too early: only the stamp in the payload tells. */
	lost = seen.list[1].stamp - seen.list[1].time;
	assert_int_equal(lost, UINT64_C(3) << 27);
	stand_close();
}

/*
 * End before the events, begin before the end of the packet before: our reader objects, and so does
 * babeltrace2 before 2.1, which takes any.
 */
static void dishonest_stamps(void **state)
{
	const struct stage stage = {
		.bits = 27, .subbuf_shift = 9, .count_shift = 4, .now = START, .step = 1
	};
	struct babeltrace reader = { .event = NULL };
	struct ctf_trace trace;
	unsigned int field, i;
	bool good;

	(void)state;
	for (field = 0; field < 2; field++) {
		stand_open(driver_find(drivers_counting, "extended_header"));
		stand_start("stamps", &stage);
		for (i = 0; i < 40; i++)
			play_event(&stand.play);
		stand_end();
		/* Of the second packet: timestamp_begin at 8, timestamp_end at 16. */
		poke(512 + 8 + 8 * (long)field, START + 1);
		scratch_capture_begin();
		good = babeltrace_read(stand.trace, &reader);
		scratch_capture_end();
		assert_int_equal(good, bt_version_get_minor() >= 1);
		assert_int_equal(ctf_trace_open(&trace, stand.trace), 0);
		while (ctf_trace_batch(&trace.files[0]))
			;
		assert_true(trace.files[0].reader.backward.set);
		ctf_trace_close(&trace);
		stand_close();
	}
}

/* Traces of others: both readers see the same times, and the same payloads by one field. */
static struct seen_list other;
static const char *other_field;

static void other_event(void *arg, uint64_t ticks, const bt_field *payload, const char *name)
{
	(void)arg;
	(void)name;
	seen_add(&other, ticks, babeltrace_integer(payload, other_field), 0);
}

static void our_field(void *arg, const struct ctf_field *field, uint64_t value)
{
	/* Metadata has a `_` before each name, which babeltrace2 takes off. */
	if (!strcmp(field->name + (field->name[0] == '_'), other_field))
		*(uint64_t *)arg = value;
}

/* What our reader counted is left in `counts`, of all files. */
static void other_by_ourselves(const char *trace_dir, bool no_plan, struct ctf_counts *counts)
{
	const struct trace_event *event;
	struct ctf_trace_file *file;
	struct ctf_trace trace;
	unsigned int count = 0, i;
	uint64_t value;

	*counts = (struct ctf_counts){ .events = 0 };
	assert_int_equal(ctf_trace_open(&trace, trace_dir), 0);
	for (i = 0; i < trace.count; i++)
		trace.files[i].reader.no_plan = no_plan;
	while ((file = ctf_trace_first(&trace, &event))) {
		assert_true(count < other.count);
		assert_int_equal(event->time, other.list[count].time);
		assert_true(ctf_event_fields(&file->reader, event, our_field, &value));
		assert_int_equal(value, other.list[count++].stamp);
	}
	assert_int_equal(count, other.count);
	for (i = 0; i < trace.count; i++) {
		const struct ctf_reader *reader = &trace.files[i].reader;

		assert_false(reader->fault.set || reader->backward.set);
		counts->packets += reader->counts.packets;
		counts->empty_packets += reader->counts.empty_packets;
		counts->extended += reader->counts.extended;
		counts->events += reader->counts.events;
		counts->content_bits += reader->counts.content_bits;
	}
	ctf_trace_close(&trace);
}

static void read_other(const char *trace_dir, const char *field, struct ctf_counts *counts)
{
	struct babeltrace reader = { .event = other_event };
	struct ctf_counts without;
	const char *said;
	bool good;

	other.count = 0;
	other.list = calloc(SEEN_MOST, sizeof(struct seen));
	assert_non_null(other.list);
	other_field = field;
	scratch_capture_begin();
	good = babeltrace_read(trace_dir, &reader);
	scratch_capture_end();
	said = objection();
	if (!good || said)
		fail_msg("%s: babeltrace2 says: %s", trace_dir, said ? said : "no");
	other_by_ourselves(trace_dir, false, counts);
	other_by_ourselves(trace_dir, true, &without);
	assert_memory_equal(counts, &without, sizeof(without));
	assert_int_equal(reader.packets, counts->packets);
	assert_int_equal(reader.events, counts->events);
	free(other.list);
}

/* What the context of a stream's first packet says, behind header, begin and end. */
static uint64_t content_bits_of(const char *path)
{
	struct trace_file file;
	uint64_t bits;

	assert_int_equal(trace_file_open(&file, path), 0);
	memcpy(&bits, file.bytes + 48, sizeof(bits));
	trace_file_close(&file);
	return bits;
}

static void lttng_large(void **state)
{
	struct ctf_counts counts;

	(void)state;
	read_other("tests/data/lttng", "a", &counts);
	assert_int_equal(counts.events, 20);
	assert_int_equal(counts.packets, 2);
	assert_int_equal(counts.empty_packets, 1);
	assert_int_equal(counts.content_bits, content_bits_of("tests/data/lttng/ch_0") +
						      content_bits_of("tests/data/lttng/ch_1"));
}

/* 27 bits of ns wrap every 134 ms, and the trace has idle seconds: only extended headers tell. */
static void lttng_compact(void **state)
{
	struct ctf_counts counts;

	(void)state;
	read_other("tests/data/lttng_compact", "number", &counts);
	assert_int_equal(counts.events, 2634);
	assert_int_equal(counts.extended, 38);
}

/* The same under metadata of CTF 2, which 2.0 cannot read. */
static void lttng_ctf2(void **state)
{
	struct ctf_counts counts;

	(void)state;
	if (!babeltrace_knows_ctf2()) {
		print_message("skipped: needs libbabeltrace2 2.1 or later, which reads CTF 2\n");
		skip();
	}
	read_other("tests/data/lttng_ctf2", "number", &counts);
	assert_int_equal(counts.events, 2634);
	read_other("tests/data/lttng_ctf2_ust", "number", &counts);
	assert_int_equal(counts.events, 2634);
	read_other("tests/data/lttng_2_16", "number", &counts);
	assert_int_equal(counts.events, 2634);
}

/* An export of ours that test_explore_export.sh makes. */
static void this_export(void **state)
{
	struct ctf_counts counts;

	(void)state;
	read_other(getenv("STAMPEDE_CAPTURE"), "stamp", &counts);
	assert_true(counts.events > 0);
	print_message("babeltrace2 and read-trace agree on %" PRIu64 " events\n", counts.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_around_wraps),
		cmocka_unit_test(nested_writers),
		cmocka_unit_test(all_sizes_and_switches),
		cmocka_unit_test(missed_wrap),
		cmocka_unit_test(dishonest_stamps),
		cmocka_unit_test(lttng_large),
		cmocka_unit_test(lttng_compact),
		cmocka_unit_test(ctf2_gaps_around_wraps),
		cmocka_unit_test(ctf2_nested_writers),
		cmocka_unit_test(ctf2_all_sizes_and_switches),
		cmocka_unit_test(ctf2_by_babeltrace),
		cmocka_unit_test(lttng_ctf2),
	};

	const struct CMUnitTest capture[] = { cmocka_unit_test(this_export) };

	if (getenv("STAMPEDE_CAPTURE"))
		return cmocka_run_group_tests(capture, NULL, NULL);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
