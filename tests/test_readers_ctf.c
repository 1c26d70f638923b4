// SPDX-License-Identifier: MIT
/*
 * babeltrace2 as an oracle: every row that writes CTF packets is played, exported, and read by
 * libbabeltrace2 and by our own reader. Each event's time has to be the one that the ring's decoder
 * saw; without a word of warning.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "babeltrace.h"
#include "readers.h"

#include "../traces/ctf_trace.h"

static struct seen_list seen;
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

static void read_by_babeltrace(void)
{
	const char *said;
	struct babeltrace reader = { .event = by_babeltrace };
	bool good;

	seen.count = 0;
	scratch_capture_begin();
	good = babeltrace_read(stand.trace, &reader);
	scratch_capture_end();
	said = objection();
	if (!good || said)
		fail_msg("%s, %s: babeltrace2 says: %s", stand.play.driver->row, stand.what,
			 said ? said : "no");
	assert_seen(&seen, "babeltrace2");
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
	return driver->format.kind != FORMAT_FTRACE && export_possible(driver);
}

static void every_row(void (*play)(void))
{
	unsigned int i, rows = 0;

	for (i = 0; drivers_counting[i]; i++) {
		if (!chosen(drivers_counting[i]))
			continue;
		stand_open(drivers_counting[i]);
		play();
		stand_close();
		rows++;
	}
	assert_true(rows > 10);
}

static void gaps(void)
{
	play_gaps();
	read_by_all();
}

static void nesting(void)
{
	if (stand.play.driver->desc->needs & NEED_MASKED_INTERRUPTS)
		return;
	play_nested(0);
	read_by_all();
	play_nested(UINT64_C(1) << 27);
	read_by_all();
}

static void sizes(void)
{
	play_sizes(90, 9, 400);
	read_by_all();
	play_sizes(200000, 18, 20);
	read_by_all();
}

static void gaps_around_wraps(void **state)
{
	(void)state;
	every_row(gaps);
}

static void nested_writers(void **state)
{
	(void)state;
	every_row(nesting);
}

static void all_sizes_and_switches(void **state)
{
	(void)state;
	every_row(sizes);
}

static int set_up(void **state)
{
	(void)state;
	seen.list = calloc(SEEN_MOST, sizeof(struct seen));
	return !seen.list;
}

static int tear_down(void **state)
{
	(void)state;
	free(seen.list);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_around_wraps),
		cmocka_unit_test(nested_writers),
		cmocka_unit_test(all_sizes_and_switches),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
