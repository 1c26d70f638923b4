// SPDX-License-Identifier: MIT
/*
 * libtraceevent's kbuffer as an oracle: every row that writes ftrace sub-buffers is played,
 * exported, and read by kbuffer and by our own reader; so are recorded sub-buffers of a kernel, and
 * records made by hand. Where kbuffer is blind the test says so.
 */
#include "tests/support/test.h"

#include <traceevent/kbuffer.h>

#include "tests/support/readers.h"
#include "tests/support/support.h"

#define ROWS_LEAST 4
#include "tests/support/readers_cases.h"

#include "traces/ftrace_trace.h"

static void add_payload(uint64_t time, const uint8_t *bytes)
{
	struct check_payload payload;

	memcpy(&payload, bytes, sizeof(payload));
	seen_add(&seen, time, payload.stamp, payload.tag);
}

/* All events of one sub-buffer by kbuffer. */
static void by_kbuffer(struct kbuffer *kbuffer, const uint8_t *subbuf,
		       void (*each)(uint64_t time, const uint8_t *payload))
{
	unsigned long long time;
	void *payload;

	assert_int_equal(kbuffer_load_subbuffer(kbuffer, (void *)(uintptr_t)subbuf), 0);
	for (payload = kbuffer_read_event(kbuffer, &time); payload;
	     payload = kbuffer_next_event(kbuffer, &time))
		each(time, payload);
}

static struct kbuffer *kbuffer_new(void)
{
	struct kbuffer *kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);

	assert_non_null(kbuffer);
	return kbuffer;
}

static void read_by_kbuffer(const char *path, uint32_t subbuf_bytes)
{
	struct kbuffer *kbuffer = kbuffer_new();
	struct trace_file file;
	uint64_t offset;

	seen.count = 0;
	assert_int_equal(trace_file_open(&file, path), 0);
	for (offset = 0; offset < file.size; offset += subbuf_bytes)
		by_kbuffer(kbuffer, file.bytes + offset, add_payload);
	trace_file_close(&file);
	kbuffer_free(kbuffer);
	assert_seen(&seen, "kbuffer");
}

static void our_events(void *arg, const struct ftrace_reader *reader,
		       const struct trace_event *batch, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		add_payload(batch[i].time, batch[i].payload);
}

static void read_by_all(void)
{
	const struct ftrace_visitor visitor = { .events = our_events };
	struct ftrace_format format = { 0, 0 };
	struct ftrace_reader reader;
	char path[PATH_MAX + 40];

	snprintf(path, sizeof(path), "%s/cpu0.raw", stand.trace);
	assert_int_equal(ftrace_format_read(stand.trace, &format), 0);
	assert_int_equal(format.stamp_bits, stand.play.check.stamp_bits);
	seen.count = 0;
	assert_int_equal(ftrace_read_file(path, &format, &reader, &visitor), 0);
	if (reader.fault.set || reader.backward.set)
		fail_msg("%s, %s: our reader says: %s %s", stand.play.driver->row, stand.what,
			 reader.fault.text, reader.backward.text);
	assert_seen(&seen, "our reader");
	read_by_kbuffer(path, format.subbuf_bytes);
	stand_again();
}

static bool chosen(const struct driver *driver)
{
	return driver->format.kind == FORMAT_FTRACE;
}

static bool nests(const struct driver *driver)
{
	return !(driver->desc->needs & NEED_MASKED_INTERRUPTS);
}

/* ---- what a kernel recorded ---- */

static const uint8_t *subbuf_now;
static struct trace_event kept[TRACE_BATCH * 64]; /* of one sub-buffer, by kbuffer */
static unsigned int kept_count;

static void keep_event(uint64_t time, const uint8_t *payload)
{
	assert_true(kept_count < TRACE_BATCH * 64);
	kept[kept_count++] = (struct trace_event){ .time = time, .payload = payload };
}

/* Our reader finds in the sub-buffer what kbuffer found; `csv`, if any, has the same. */
static void compare_subbuf(struct ftrace_reader *reader, uint64_t number, FILE *csv)
{
	struct trace_event ours[TRACE_BATCH];
	unsigned int seen_now = 0, offset, bytes;
	uint64_t subbuf, stamp;
	uint32_t count, i;

	while ((count = ftrace_batch(reader, ours)))
		for (i = 0; i < count; i++, seen_now++) {
			assert_true(seen_now < kept_count);
			assert_int_equal(ours[i].time, kept[seen_now].time);
			assert_ptr_equal(ours[i].payload, kept[seen_now].payload);
			if (!csv)
				continue;
			assert_int_equal(fscanf(csv, "%" SCNu64 ",%u,%u,%" SCNu64 "\n", &subbuf,
						&offset, &bytes, &stamp),
					 4);
			assert_int_equal(subbuf, number);
			assert_int_equal(ours[i].payload - subbuf_now, offset);
			assert_int_equal(ours[i].payload_bytes, bytes);
			assert_int_equal(ours[i].time, stamp);
		}
	assert_int_equal(seen_now, kept_count);
	assert_false(reader->fault.set);
}

/* All of cpu<N>.raw in `dir`. Returns how many events there are. */
static uint64_t compare_capture(const char *dir, FILE *csv)
{
	struct ftrace_format format = FTRACE_FORMAT_KERNEL;
	struct kbuffer *kbuffer = kbuffer_new();
	struct ftrace_reader reader;
	struct trace_file file;
	uint64_t offset, number = 0, events = 0;
	char **paths = ftrace_list_files(dir), **path;

	assert_int_equal(ftrace_format_read(dir, &format), 0);
	assert_non_null(paths[0]);
	for (path = paths; *path; path++) {
		assert_int_equal(trace_file_open(&file, *path), 0);
		ftrace_reader_init(&reader, format.subbuf_bytes, format.stamp_bits);
		for (offset = 0; offset < file.size; offset += format.subbuf_bytes) {
			subbuf_now = file.bytes + offset;
			kept_count = 0;
			by_kbuffer(kbuffer, subbuf_now, keep_event);
			assert_true(ftrace_subbuf_open(&reader, subbuf_now, offset));
			compare_subbuf(&reader, number++, csv);
			events += kept_count;
		}
		trace_file_close(&file);
	}
	ftrace_free_files(paths);
	kbuffer_free(kbuffer);
	return events;
}

/* kbuffer, today, and our reader agree on recorded sub-buffers with what kbuffer said then. */
static void kernel_capture(void **state)
{
	FILE *csv = popen("gzip -dc tests/data/ftrace/events.csv.gz", "r");
	char line[100];

	assert_non_null(csv);
	assert_non_null(fgets(line, sizeof(line), csv));
	assert_int_equal(compare_capture("tests/data/ftrace", csv), 17524);
	assert_null(fgets(line, sizeof(line), csv));
	assert_int_equal(pclose(csv), 0);
}

/* A capture; test_explore_export.sh makes one. */
static void this_kernel(void **state)
{
	const char *dir = getenv("STAMPEDE_CAPTURE");
	uint64_t events;

	events = compare_capture(dir, NULL);
	assert_true(events > 0);
	print_message("kbuffer and read-trace agree on %" PRIu64 " events\n", events);
}

/* ---- records by hand ---- */

#define SUBBUF 256
static uint8_t hand[SUBBUF];
static uint64_t kbuffer_times[64], our_times[64];
static unsigned int kbuffer_count, our_count, our_backward;

static void keep_time(uint64_t time, const uint8_t *payload)
{
	kbuffer_times[kbuffer_count++] = time;
}

/* Both read a sub-buffer of `hex` that begins at `begin`. What ours says is wrong, or NULL. */
static const char *both_read(uint64_t begin, const char *hex)
{
	static struct ftrace_reader reader;
	static struct trace_event ours[TRACE_BATCH];
	struct kbuffer *kbuffer = kbuffer_new();
	uint64_t commit;

	memset(hand, 0, sizeof(hand));
	commit = from_hex(hex, hand + 16, sizeof(hand) - 16);
	memcpy(hand, &begin, 8);
	memcpy(hand + 8, &commit, 8);
	kbuffer_count = our_count = 0;
	by_kbuffer(kbuffer, hand, keep_time);
	kbuffer_free(kbuffer);
	ftrace_reader_init(&reader, SUBBUF, 27);
	if (ftrace_subbuf_open(&reader, hand, 0))
		while ((our_count = ftrace_batch(&reader, ours)))
			for (unsigned int i = 0; i < our_count; i++)
				our_times[i] = ours[i].time;
	our_count = (unsigned int)reader.counts.events;
	our_backward = (unsigned int)reader.counts.backward;
	return reader.fault.set ? reader.fault.text : NULL;
}

static void assert_times(unsigned int count, const uint64_t *times)
{
	assert_int_equal(kbuffer_count, count);
	assert_int_equal(our_count, count);
	assert_memory_equal(kbuffer_times, times, count * sizeof(*times));
	assert_memory_equal(our_times, times, count * sizeof(*times));
}

#define EVENT(delta) delta " 00 00 00 00 "

static void records_by_hand(void **state)
{
	const uint64_t base = UINT64_C(5) << 40, high = (UINT64_C(3) << 60) + 7;

	/* Nothing in it. */
	assert_null(both_read(base, ""));
	assert_times(0, NULL);
	/* First, 7 later, at the largest delta. */
	assert_null(both_read(base, "01 00 00 00 aa aa aa aa  e1 00 00 00 aa aa aa aa"
				    "e1 ff ff ff aa aa aa aa"));
	assert_times(3, (uint64_t[]){ base, base + 7, base + 7 + 0x7ffffff });
	/* An extend of 2^27 + 1, one of two words' worth, one smaller than 2^27. */
	assert_null(both_read(base, "3e 00 00 00 01 00 00 00  01 00 00 00 aa aa aa aa"
				    "1e 00 00 00 00 20 00 00  01 00 00 00 aa aa aa aa"
				    "be 00 00 00 00 00 00 00  01 00 00 00 aa aa aa aa"));
	assert_times(3, (uint64_t[]){ base + 0x8000001, base + 0x8000001 + (UINT64_C(1) << 40),
				      base + 0x8000006 + (UINT64_C(1) << 40) });
	/* An absolute of 59 bits behind a begin with higher ones. */
	assert_null(both_read(high, "1f 02 00 00 00 00 00 00  01 00 00 00 aa aa aa aa"));
	assert_times(1, (uint64_t[]){ (UINT64_C(3) << 60) + 16 });
	/* Padding with a delta between two events, then the rest void. */
	assert_null(both_read(base, "01 00 00 00 aa aa aa aa  bd 00 00 00 08 00 00 00 ff ff ff ff"
				    "41 00 00 00 aa aa aa aa  1d 00 00 00 aa aa aa aa"));
	/* kbuffer adds the padding's 5; the kernel's own text reader would not. */
	assert_times(2, (uint64_t[]){ base, base + 5 + 2 });
	/* A length word. */
	assert_null(both_read(base, "60 00 00 00 0c 00 00 00 aa aa aa aa aa aa aa aa"));
	assert_times(1, (uint64_t[]){ base + 3 });
}

/* An absolute that goes back is read as kbuffer reads it, and counted. */
static void backward_absolute(void **state)
{
	const uint64_t base = UINT64_C(5) << 40;

	assert_null(both_read(base, "01 00 00 00 aa aa aa aa"
				    "3f 00 00 00 00 00 00 00"
				    "01 00 00 00 aa aa aa aa"));
	assert_times(2, (uint64_t[]){ base, 1 });
	assert_int_equal(our_backward, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_around_wraps),	  cmocka_unit_test(nested_writers),
		cmocka_unit_test(all_sizes_and_switches), cmocka_unit_test(kernel_capture),
		cmocka_unit_test(records_by_hand),	  cmocka_unit_test(backward_absolute),
	};

	const struct CMUnitTest capture[] = { cmocka_unit_test(this_kernel) };

	if (getenv("STAMPEDE_CAPTURE"))
		return cmocka_run_group_tests(capture, NULL, NULL);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
