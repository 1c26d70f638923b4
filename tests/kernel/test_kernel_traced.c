// SPDX-License-Identifier: MIT
/* extras/kernel/program/traced.c on calls made by hand, with each fault that it is there to see. */
#include "tests/support/test.h"
#include "base/fail.h"
#include "extras/kernel/program/traced.h"
#include "tests/support/scratch.h"

#define CPU 1
#define CALLS 8
#define TOOK 100
#define WRAP (UINT64_C(1) << 27)
#define BASE (UINT64_C(5) << 40)

static struct {
	struct kernel_image image;
	struct kernel_calls calls;
	struct kernel_call call[CALLS];
} table;
static const uint32_t mark = 3 << 8 | CPU;
static uint64_t times[CALLS];
static struct traced traced;

/* Eight calls, a wrap apart; of two of them, 2 and 5, it was an interrupt that came into the call
 * before, whose record stands behind its own. */
static int setup(void **state)
{
	uint32_t sequence[CONTEXTS] = { 0 }, i;

	memset(&table, 0, sizeof(table));
	table.calls.mark = mark;
	for (i = 0; i < CALLS; i++) {
		unsigned int context = i % 3 == 2 ? KERNEL_NMI : CONTEXT_TASK;
		bool before = i % 3 == 1;

		table.call[i] = (struct kernel_call){
			.entry = BASE + i * WRAP,
			.took = before ? WRAP + 2 * TOOK : TOOK,
			.tag = kernel_call_tag(context, sequence[context]++),
		};
		times[i] = table.call[i].entry + (before ? WRAP + TOOK + 1 : TOOK / 2);
		table.image.writer.written[context]++;
	}
	table.image.at_depth[4] = 1;
	assert_int_equal(traced_table(&traced, (uint8_t *)&table, sizeof(table)), EXIT_FINE);
	traced_stream(&traced);
	return 0;
}

static int teardown(void **state)
{
	free(traced.part);
	return 0;
}

/* In the order of the trace; without `without`. */
static void record_all(unsigned int without)
{
	static const uint32_t order[CALLS] = { 0, 2, 1, 3, 5, 4, 6, 7 };
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		if (order[i] != without)
			traced_record(&traced, times[order[i]], order[i], mark);
}

static void test_sound(void **state)
{
	/* Clocks of an emulator stand still now and then. */
	times[2] = times[1];
	table.call[2].took = 2 * TOOK;
	record_all(CALLS);
	assert_true(traced_judge(&traced));
	assert_int_equal(traced.calls, CALLS);
	assert_int_equal(traced.events, CALLS);
	assert_int_equal(traced.nested, 2);
	assert_int_equal(traced.equal, 1);
	assert_int_equal(traced.at_depth[4], 1);
}

static void test_lost(void **state)
{
	record_all(3);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.unaccounted, 1);
	traced.discarded = 1;
	assert_true(traced_judge(&traced));
	traced.discarded = 2;
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.unaccounted, -1);
}

static void test_twice(void **state)
{
	record_all(CALLS);
	traced_record(&traced, times[7], 7, mark);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.twice, 1);
	assert_int_equal(traced.unaccounted, 0);
}

static void test_unknown(void **state)
{
	record_all(7);
	traced_record(&traced, times[7], CALLS, mark);
	traced_record(&traced, times[7], 7, mark + 1);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.unknown, 2);
	assert_int_equal(traced.unaccounted, 1);
}

static void test_early_by_a_wrap(void **state)
{
	times[6] -= WRAP;
	record_all(CALLS);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.early, 1);
	assert_int_equal(traced.wraps, 1);
	assert_int_equal(traced.worst_ns, WRAP - TOOK / 2);
}

static void test_late(void **state)
{
	times[6] = table.call[6].entry + TOOK + 1;
	record_all(CALLS);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.late, 1);
	assert_int_equal(traced.wraps, 0);
	assert_int_equal(traced.worst_ns, 1);
}

static void test_edges_of_a_call(void **state)
{
	times[6] = table.call[6].entry;
	times[7] = table.call[7].entry + table.call[7].took;
	record_all(CALLS);
	assert_true(traced_judge(&traced));
}

static void test_in_stall(void **state)
{
	table.image.stalls = 1;
	table.image.stall_begin_ns[0] = times[1] - 1;
	table.image.stall_end_ns[0] = times[1] + 1;
	record_all(CALLS);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.in_stall, 1);
	assert_int_equal(traced.early + traced.late, 0);
}

static void test_back(void **state)
{
	times[4] = table.call[4].entry;
	record_all(CALLS);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.back, 1);
	assert_int_equal(traced.early + traced.late, 0);
}

/* Each in its window, and yet not in order. */
static void test_order_of_a_context(void **state)
{
	table.call[6].took = table.call[7].took = 2 * WRAP;
	times[6] = times[7] = table.call[7].entry + TOOK;
	record_all(6);
	traced_record(&traced, times[6], 6, mark);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.disorder, 1);
	assert_int_equal(traced.back + traced.early + traced.late, 0);
}

static void test_order_of_contexts(void **state)
{
	/* The NMI's call began when the task's was over, and its record stands before. */
	table.call[4].took = TOOK;
	times[4] = times[5];
	record_all(CALLS);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.disorder, 1);
}

static void test_no_table(void **state)
{
	struct traced other;

	assert_int_equal(traced_table(&other, (uint8_t *)&table, sizeof(table) - 1), EXIT_USAGE);
	free(other.part);
	assert_int_equal(traced_table(&other, (uint8_t *)&table, 0), EXIT_USAGE);
	free(other.part);
}

/* ---- the packets themselves, put together here by the format's text ---- */

#define PACKET_BYTES 512

static uint8_t packets[2 * PACKET_BYTES];
static size_t filled;

static void put(const void *value, size_t size)
{
	memcpy(packets + filled, value, size);
	filled += size;
}

static void put_32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put_64(uint64_t value)
{
	put(&value, sizeof(value));
}

/* Magic, UUID, stream and its instance; begin, end, content and packet in bits, number, discarded,
 * CPU: 84 bytes. */
static void packet_begin(unsigned int which, uint64_t begin, uint64_t discarded)
{
	filled = which * PACKET_BYTES;
	put_32(0xc1fc1fc1);
	filled += 16 + 4 + 8;
	put_64(begin);
	put_64(begin);
	filled += 8;
	put_64(PACKET_BYTES * 8);
	put_64(which);
	put_64(discarded);
	put_32(0);
	assert_int_equal(filled, which * PACKET_BYTES + 84);
}

static void packet_end(unsigned int which)
{
	uint64_t bits = (filled - which * PACKET_BYTES) * 8;

	memcpy(packets + which * PACKET_BYTES + 48, &bits, sizeof(bits));
}

static void put_compact(uint32_t id, unsigned int number)
{
	put_32((uint32_t)(times[number] << 5) | id);
	put_32(number);
	put_32(mark);
}

static void put_extended(uint32_t id, unsigned int number)
{
	put(&(uint8_t){ 31 }, 1);
	put_32(id);
	put_64(times[number]);
	put_32(number);
	put_32(mark);
}

/* Calls within a wrap of the record before are compact, others extended; the second packet begins
 * with a compact one, which only the packet's own begin can date. */
static void put_calls(void)
{
	memset(packets, 0, sizeof(packets));
	packet_begin(0, times[0] - 1, 0);
	put_compact(0, 0);
	put_extended(0, 2);
	put_compact(0, 1);
	put_compact(0, 3);
	packet_end(0);
	packet_begin(1, times[5] - (WRAP - 1), 1);
	put_compact(0, 5);
	put_compact(0, 4);
	put_extended(0, 6);
	packet_end(1);
}

static int take_packets(uint64_t size)
{
	return traced_packets(&traced, "packets", packets, size);
}

static void test_packets(void **state)
{
	put_calls();
	assert_int_equal(take_packets(sizeof(packets)), EXIT_FINE);
	/* Call 7 was discarded: the last packet's count is the stream's. */
	assert_true(traced_judge(&traced));
	assert_int_equal(traced.packets, 2);
	assert_int_equal(traced.events, CALLS - 1);
	assert_int_equal(traced.extended, 2);
	assert_int_equal(traced.discarded, 1);
}

/* A compact record more than a wrap behind the one before is what the judge is there to see. */
static void test_packets_missed_wrap(void **state)
{
	put_calls();
	put_compact(0, 7);
	packet_end(1);
	assert_int_equal(take_packets(sizeof(packets)), EXIT_FINE);
	assert_false(traced_judge(&traced));
	assert_int_equal(traced.early, 1);
	assert_int_equal(traced.wraps, 1);
}

static void assert_packets_refused(uint64_t size, const char *words)
{
	assert_fails(take_packets(size), EXIT_BROKEN, words);
}

static void test_packets_damaged(void **state)
{
	size_t content;

	put_calls();
	assert_packets_refused(sizeof(packets) - 1, "offset 512: a packet larger than its file");
	assert_packets_refused(PACKET_BYTES + 83, "offset 512: no packet");
	packets[PACKET_BYTES] ^= 1;
	assert_packets_refused(sizeof(packets), "offset 512: no packet");
	put_calls();
	put_compact(3, 7);
	packet_end(1);
	assert_packets_refused(sizeof(packets), "an event that was not asked for");
	put_calls();
	put_extended(3, 7);
	packet_end(1);
	assert_packets_refused(sizeof(packets), "an event that was not asked for");
	put_calls();
	content = filled;
	put_compact(0, 7);
	filled--;
	packet_end(1);
	assert_packets_refused(sizeof(packets), "half an event");
	filled = content;
	put_extended(0, 7);
	filled--;
	packet_end(1);
	assert_packets_refused(sizeof(packets), "half an extended event");
	filled = PACKET_BYTES + 83;
	packet_end(1);
	assert_packets_refused(sizeof(packets), "its content larger than it");
	filled = 2 * PACKET_BYTES + 1;
	packet_end(1);
	assert_packets_refused(sizeof(packets), "its content larger than it");
}

TESTS_OF(NULL, NULL, setup, teardown, test_sound, test_lost, test_twice, test_unknown,
	 test_early_by_a_wrap, test_late, test_edges_of_a_call, test_in_stall, test_back,
	 test_order_of_a_context, test_order_of_contexts, test_no_table, test_packets,
	 test_packets_missed_wrap, test_packets_damaged)
