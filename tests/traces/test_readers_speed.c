// SPDX-License-Identifier: MIT
/*
 * How quick our decoders are beside kbuffer and babeltrace2 on the same bytes in one run. Readers
 * take turns, each is given CPU time and not the wall's, and what is judged is the median over the
 * rounds of the ratio within a round: another's load on the machine changes little, and no round
 * is asked for because the ones before it were not good enough. All readers have to come to the
 * same sum of times. In make test, beside other tests, a quarter of the margins will do; the whole
 * is asked for where STAMPEDE_RATES is set, by make test-long.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <traceevent/kbuffer.h>

#include "tests/support/babeltrace.h"
#include "tests/support/scratch.h"

#include "base/stats.h"
#include "judge/export.h"
#include "place/ticks.h"
#include "traces/ctf_trace.h"
#include "traces/ftrace_read.h"

#define ROUNDS 9
#define ROUNDS_RATES 31
#define ENOUGH_NS 20000000u /* of decoding in one round */
#define EVENTS_PER_SECOND (2e8 * margin())
#define KBUFFER_TIMES (10 * margin())
#define BABELTRACE_TIMES (400 * margin())
#define LARGE_TIMES (0.5 * margin()) /* of the rate of compact headers */

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SLOW_BUILD 1
#else
#define SLOW_BUILD 0
#endif

/* All that is readable in the ring, as a trace in `to`. */
static int export_whole(const char *to, const struct buffer *buffer)
{
	struct export export;
	struct check unused;
	uint64_t first, last;
	int error = export_begin(&export, to, buffer);

	if (error)
		return error;
	if (!export_possible(buffer->driver, false))
		export_as_ctf2(&export);
	/* A drain completes the headers of packets and sub-buffers. */
	check_init(&unused, buffer->driver->desc, buffer->config.stamp_bits);
	buffer->driver->flush(buffer->scheme);
	ring_readable(buffer_ring(buffer), &first, &last);
	last = buffer->driver->drain(buffer->scheme, &unused, false);
	error = export_subbufs(&export, buffer, first, last);
	if (error)
		export_abort(&export);
	else
		error = export_end(&export);
	return error;
}

static bool rates(void)
{
	return getenv("STAMPEDE_RATES");
}

static double margin(void)
{
	return rates() ? 1 : 0.25;
}

static unsigned int rounds(void)
{
	return rates() ? ROUNDS_RATES : ROUNDS;
}

/* Decodes everything once; returns the sum of the events' times. */
typedef uint64_t decode_fn(void *arg, uint64_t *events);

/* Events per second of CPU time, over as many tries as take long enough to be measured. */
static double rate(decode_fn *decode, void *arg, uint64_t enough_ns, uint64_t *sum)
{
	uint64_t begin = cpu_time_ns(), events = 0;

	do {
		*sum = decode(arg, &events);
	} while (cpu_time_ns() - begin < enough_ns);
	return (double)events * 1e9 / (double)(cpu_time_ns() - begin);
}

/* Rates of two readers, round by round. */
struct race {
	double ours[ROUNDS_RATES];
	double theirs[ROUNDS_RATES];
	double times[ROUNDS_RATES]; /* ours / theirs */
	unsigned int rounds;
};

struct race_result {
	struct stats_interval ours, theirs, times;
};

static void race_add(struct race *race, double ours, double theirs)
{
	race->ours[race->rounds] = ours;
	race->theirs[race->rounds] = theirs;
	race->times[race->rounds++] = ours / theirs;
}

static struct race_result race_end(struct race *race)
{
	stats_sort(race->ours, race->rounds);
	stats_sort(race->theirs, race->rounds);
	stats_sort(race->times, race->rounds);
	return (struct race_result){
		.ours = stats_median(race->ours, race->rounds),
		.theirs = stats_median(race->theirs, race->rounds),
		.times = stats_median(race->times, race->rounds),
	};
}

static void race_print(const char *what, const char *reader, const struct race_result *result)
{
	print_message("%s: ours %.0f M events/s [%.0f, %.0f], %s %.2f: %.1f times [%.1f, %.1f]\n",
		      what, result->ours.middle / 1e6, result->ours.low / 1e6,
		      result->ours.high / 1e6, reader, result->theirs.middle / 1e6,
		      result->times.middle, result->times.low, result->times.high);
}

static void assert_fast(const struct race_result *result, double times)
{
	/* Of an emulated machine the sums count, times mean nothing. */
	if (SLOW_BUILD || getenv("STAMPEDE_EMULATED"))
		return;
	assert_true(result->ours.middle >= EVENTS_PER_SECOND);
	assert_true(result->times.middle >= times);
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
	struct race race = { .rounds = 0 };
	struct race_result result;
	uint64_t our_sum, their_sum;
	struct trace_file file;
	double ours, theirs;

	(void)state;
	assert_int_equal(trace_file_open(&file, "tests/data/ftrace/cpu0.raw"), 0);
	while (race.rounds < rounds()) {
		ours = rate(ours_ftrace, &file, ENOUGH_NS, &our_sum);
		theirs = rate(by_kbuffer, &file, ENOUGH_NS, &their_sum);
		assert_int_equal(our_sum, their_sum);
		race_add(&race, ours, theirs);
	}
	trace_file_close(&file);
	result = race_end(&race);
	race_print("ftrace", "kbuffer", &result);
	assert_fast(&result, KBUFFER_TIMES);
}

/* ---- compact CTF ---- */

static char dir[PATH_MAX], trace_dir[PATH_MAX + 8];

static void make_trace(const char *row)
{
	const struct driver *driver = driver_find(drivers_timed, row);
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct buffer buffer;

	scratch_make(dir);
	snprintf(trace_dir, sizeof(trace_dir), "%s/trace", dir);
	assert_int_equal(buffer_open(&buffer, driver, &config), 0);
	driver->run(buffer.scheme, &buffer.writer, 200000);
	assert_int_equal(export_whole(trace_dir, &buffer), 0);
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

/*
 * As people use it: with printing, to /dev/null. Events per second of its CPU time, that of its
 * start included; 0: it is not here.
 */
static double printing_rate(uint64_t events)
{
	struct rusage usage;
	int status, null;
	double seconds;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(127);
		execlp("babeltrace2", "babeltrace2", "--clock-cycles", "--no-delta", trace_dir,
		       (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return 0;
	seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	return (double)events / seconds;
}

static void beside_babeltrace(void **state)
{
	struct race printing = { .rounds = 0 }, library = { .rounds = 0 };
	uint64_t our_sum, their_sum, events = 0;
	struct race_result result;
	struct ctf_trace trace;
	double ours, theirs = 1;

	(void)state;
	make_trace("extended_header");
	assert_int_equal(ctf_trace_open(&trace, trace_dir), 0);
	ours_ctf(&trace, &events);
	while (theirs > 0 && printing.rounds < rounds()) {
		ours = rate(ours_ctf, &trace, ENOUGH_NS, &our_sum);
		race_add(&library, ours, rate(by_babeltrace, NULL, 1, &their_sum));
		assert_int_equal(our_sum, their_sum);
		ours = rate(ours_ctf, &trace, ENOUGH_NS, &our_sum);
		theirs = printing_rate(events);
		if (theirs > 0)
			race_add(&printing, ours, theirs);
	}
	ctf_trace_close(&trace);
	scratch_remove(dir);
	result = race_end(&library);
	race_print("compact CTF", "libbabeltrace2", &result);
	if (!printing.rounds) {
		print_message("skipped: needs Debian's babeltrace2\n");
		skip();
	}
	result = race_end(&printing);
	race_print("compact CTF", "babeltrace2 with printing", &result);
	assert_fast(&result, BABELTRACE_TIMES);
}

/* ---- headers of 64 and of 96 bits, and of a variable length ---- */

static void beside_compact(const char *row)
{
	struct ctf_trace compact, large;
	struct race race = { .rounds = 0 };
	struct race_result result;
	char compact_dir[PATH_MAX];
	double ours, theirs;
	uint64_t sum;

	make_trace("extended_header");
	assert_int_equal(ctf_trace_open(&compact, trace_dir), 0);
	strcpy(compact_dir, dir);
	make_trace(row);
	assert_int_equal(ctf_trace_open(&large, trace_dir), 0);
	while (race.rounds < rounds()) {
		theirs = rate(ours_ctf, &compact, ENOUGH_NS, &sum);
		ours = rate(ours_ctf, &large, ENOUGH_NS, &sum);
		race_add(&race, ours, theirs);
	}
	ctf_trace_close(&compact);
	ctf_trace_close(&large);
	scratch_remove(dir);
	scratch_remove(compact_dir);
	result = race_end(&race);
	print_message("%s: %.0f M events/s, compact headers %.0f: %.2f times [%.2f, %.2f]\n", row,
		      result.ours.middle / 1e6, result.theirs.middle / 1e6, result.times.middle,
		      result.times.low, result.times.high);
	if (!SLOW_BUILD && !getenv("STAMPEDE_EMULATED"))
		assert_true(result.times.middle >= LARGE_TIMES);
}

static void large_headers(void **state)
{
	(void)state;
	beside_compact("heartbeat");
	beside_compact("full_tsc");
	beside_compact("varint_low");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_kbuffer),
		cmocka_unit_test(beside_babeltrace),
		cmocka_unit_test(large_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
