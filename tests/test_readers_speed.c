// SPDX-License-Identifier: MIT
/*
 * How quick our decoders are beside kbuffer and babeltrace2 on the same bytes in one run: the best
 * of interleaved rounds, so that a loaded machine changes little. All readers have to come to the
 * same sum of times. In make test, beside other tests, a quarter of the margin will do; the whole of
 * it is asked for where STAMPEDE_RATES is set, by make test-long.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <traceevent/kbuffer.h>

#include "babeltrace.h"
#include "scratch.h"

#include "../runner/export.h"
#include "../runner/ticks.h"
#include "../traces/ctf_trace.h"
#include "../traces/ftrace_read.h"

#define ROUNDS 9
#define ROUNDS_MOST 60 /* on a loaded machine it takes longer to see each at its best */
#define ENOUGH_NS 5000000u /* of decoding in one round */
#define KBUFFER_TIMES (10 * margin())
#define BABELTRACE_TIMES (400 * margin())

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SLOW_BUILD 1
#else
#define SLOW_BUILD 0
#endif

static double margin(void)
{
	return getenv("STAMPEDE_RATES") ? 1 : 0.25;
}

/* Decodes everything once; returns the sum of the events' times. */
typedef uint64_t decode_fn(void *arg, uint64_t *events);

/* Events per second, the best of a few tries that take long enough to be measured. */
static double rate(decode_fn *decode, void *arg, uint64_t enough_ns, uint64_t *sum)
{
	uint64_t begin = time_ns(), events = 0;

	do {
		*sum = decode(arg, &events);
	} while (time_ns() - begin < enough_ns);
	return (double)events * 1e9 / (double)(time_ns() - begin);
}

/* ---- ftrace sub-buffers ---- */

static uint64_t ours_ftrace(void *arg, uint64_t *events)
{
	const struct trace_file *file = arg;
	struct trace_event batch[TRACE_BATCH];
	struct ftrace_reader reader;
	uint64_t offset, sum = 0;
	uint32_t count, i;

	ftrace_reader_init(&reader, 4096, 27);
	for (offset = 0; offset < file->size; offset += 4096) {
		assert_true(ftrace_subbuf_open(&reader, file->bytes + offset, offset));
		while ((count = ftrace_batch(&reader, batch))) {
			for (i = 0; i < count; i++)
				sum += batch[i].time;
			*events += count;
		}
	}
	assert_false(reader.fault.set);
	return sum;
}

static uint64_t by_kbuffer(void *arg, uint64_t *events)
{
	const struct trace_file *file = arg;
	struct kbuffer *kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	unsigned long long time;
	uint64_t offset, sum = 0;
	void *payload;

	for (offset = 0; offset < file->size; offset += 4096) {
		kbuffer_load_subbuffer(kbuffer, (void *)(uintptr_t)(file->bytes + offset));
		for (payload = kbuffer_read_event(kbuffer, &time); payload;
		     payload = kbuffer_next_event(kbuffer, &time)) {
			sum += time;
			++*events;
		}
	}
	kbuffer_free(kbuffer);
	return sum;
}

static void beside_kbuffer(void **state)
{
	double ours = 0, theirs = 0, one;
	uint64_t our_sum, their_sum;
	struct trace_file file;
	unsigned int i;

	(void)state;
	assert_int_equal(trace_file_open(&file, "tests/data/ftrace/cpu0.raw"), 0);
	for (i = 0; i < ROUNDS || (i < ROUNDS_MOST && ours < KBUFFER_TIMES * theirs); i++) {
		one = rate(ours_ftrace, &file, ENOUGH_NS, &our_sum);
		ours = one > ours ? one : ours;
		one = rate(by_kbuffer, &file, ENOUGH_NS, &their_sum);
		theirs = one > theirs ? one : theirs;
		assert_int_equal(our_sum, their_sum);
	}
	trace_file_close(&file);
	print_message("ftrace: ours %.0f M events/s, kbuffer %.1f: %.1f times\n", ours / 1e6,
		      theirs / 1e6, ours / theirs);
	if (!SLOW_BUILD)
		assert_true(ours >= KBUFFER_TIMES * theirs);
}

/* ---- compact CTF ---- */

static char dir[PATH_MAX], trace_dir[PATH_MAX + 8];

static void make_trace(void)
{
	const struct driver *driver = driver_find(drivers_timed, "extended_header");
	struct ring_config config = buffer_config(driver, RING_TIMED_SUBBUF_SHIFT,
						  RING_TIMED_COUNT_SHIFT);
	const struct buffer *buffers[1];
	struct buffer buffer;

	scratch_make(dir);
	snprintf(trace_dir, sizeof(trace_dir), "%s/trace", dir);
	assert_int_equal(buffer_open(&buffer, driver, &config), 0);
	driver->run(buffer.scheme, &buffer.writer, 200000);
	buffers[0] = &buffer;
	assert_int_equal(export_buffers(trace_dir, buffers, 1), 0);
	buffer_close(&buffer);
}

static uint64_t ours_ctf(void *arg, uint64_t *events)
{
	struct ctf_trace *trace = arg;
	struct ctf_trace_file *file = &trace->files[0];
	uint64_t sum = 0;
	uint32_t i;

	assert_true(ctf_trace_rewind(trace, file));
	while (ctf_trace_batch(file)) {
		for (i = 0; i < file->count; i++)
			sum += file->batch[i].time;
		*events += file->count;
	}
	assert_false(file->reader.fault.set);
	return sum;
}

static void add_time(void *arg, uint64_t ticks, const bt_field *payload, const char *name)
{
	(void)payload;
	(void)name;
	*(uint64_t *)arg += ticks;
}

/* As a library, without printing. */
static uint64_t by_babeltrace(void *arg, uint64_t *events)
{
	uint64_t sum = 0;
	struct babeltrace reader = { .event = add_time, .arg = &sum };

	(void)arg;
	scratch_capture_begin();
	assert_true(babeltrace_read(trace_dir, &reader));
	scratch_capture_end();
	*events += reader.events;
	return sum;
}

/* As people use it: with printing, to /dev/null. */
static double printing_rate(uint64_t events)
{
	char command[PATH_MAX + 80];
	uint64_t begin = time_ns();
	int status;

	snprintf(command, sizeof(command),
		 "babeltrace2 --clock-cycles --no-delta %s >/dev/null 2>/dev/null", trace_dir);
	status = system(command);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return 0;
	return (double)events * 1e9 / (double)(time_ns() - begin);
}

static void beside_babeltrace(void **state)
{
	double ours = 0, library = 0, printing = 0, one;
	uint64_t our_sum, their_sum, events = 0;
	struct ctf_trace trace;
	unsigned int i;

	(void)state;
	make_trace();
	assert_int_equal(ctf_trace_open(&trace, trace_dir), 0);
	ours_ctf(&trace, &events);
	for (i = 0; i < ROUNDS || (i < ROUNDS_MOST && ours < BABELTRACE_TIMES * printing); i++) {
		one = rate(ours_ctf, &trace, ENOUGH_NS, &our_sum);
		ours = one > ours ? one : ours;
		if (i % 3)
			continue;
		one = rate(by_babeltrace, NULL, 1, &their_sum);
		library = one > library ? one : library;
		assert_int_equal(our_sum, their_sum);
		one = printing_rate(events);
		printing = one > printing ? one : printing;
	}
	ctf_trace_close(&trace);
	scratch_remove(dir);
	print_message("compact CTF: ours %.0f M events/s, babeltrace2 %.2f with printing "
		      "(%.0f times), %.2f without (%.0f times)\n", ours / 1e6, printing / 1e6,
		      printing ? ours / printing : 0, library / 1e6, ours / library);
	if (!printing)
		skip();
	if (!SLOW_BUILD)
		assert_true(ours >= BABELTRACE_TIMES * printing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_kbuffer),
		cmocka_unit_test(beside_babeltrace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
