// SPDX-License-Identifier: MIT
/*
 * Records events in thread mode and in three interrupts that nest, on a board without an operating
 * system, and writes to the host the ring's sub-buffers and what was true: a 64-bit clock before
 * and after each event.
 *
 * The clock of the row is the counter plus `clock_jumped`, cut to COUNTER_BITS. The highest
 * interrupt moves `clock_jumped` on by up to a gap that the row allows, also in the middle of
 * others' events. The true clock is the same in 64 bits, with interrupts off: no writer's code has
 * to be right for it.
 */
#include "extras/mcu/clock.h"
#include "extras/mcu/cpu.h"
#include "extras/mcu/machine.h"
#include "extras/mcu/stream.h"
#include "schemes/core/bits.h"
#include "schemes/core/widths.h"

enum { STREAM_SHIFT = 30, LOG = 4096, CHUNK = LOG / 4 };
/*
 * Below the gap that the row allows, by what the interrupts of a burst take; and the burst, which a
 * 16-bit clock must not sleep through.
 */
#define GAP_LONG (bits_mask(COUNTER_BITS) - (STAMP_BITS < COUNTER_BITS ? bits_mask(STAMP_BITS) : 0))
#define GAP_MOST ((uint32_t)GAP_LONG / 4 * 3)
enum { BURST = COUNTER_BITS > 16 ? 600 : 150 };

static struct board_figures figures;

static void block(enum block_kind kind, const void *bytes, uint32_t count, uint32_t number)
{
	struct block head = { kind, count, number };

	machine_write(&head, sizeof(head));
	machine_write(bytes, count);
}

#include RECORDER

#ifdef PRICE
int record_main(void)
{
	uint32_t begin, i;

	machine_open("board.bin");
	machine_start();
	prepare(true);
	begin = machine_counter();
	for (i = 0; i < EVENTS; i++)
		put(i);
	figures.price_ticks = machine_counter() - begin;
	begin = machine_counter();
	for (i = 0; i < EVENTS; i++)
		__asm__ volatile("" : : "r"(i));
	figures.empty_ticks = machine_counter() - begin;
	figures.price_events = EVENTS;
	figures.tick_ns = MACHINE_TICK_NS;
	block(BLOCK_FIGURES, &figures, sizeof(figures), 0);
	return 0;
}

void record_interrupt(unsigned int level, uint32_t pc)
{
	(void)level;
	(void)pc;
}
#else
volatile uint32_t clock_jumped[2];
static struct event_truth truths[LEVELS + 1][LOG];
static volatile uint32_t logged[LEVELS + 1], drained[LEVELS + 1];
static volatile bool inside[LEVELS + 1];
static uint8_t hits[2048];
static uint32_t random_of[LEVELS + 1] = { 1, 2, 3, 4 };
extern const char row_begin[], row_end[];

static uint32_t random(unsigned int level, uint32_t below)
{
	uint32_t x = random_of[level];

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	random_of[level] = x;
	return (uint32_t)((uint64_t)x * below >> 32);
}

static uint64_t true_now(void)
{
	static uint32_t high, last;
	uint32_t before = cpu_mask(), low = machine_counter();
	uint64_t now;

	high += low < last;
	last = low;
	now = ((uint64_t)high << 32 | low) + ((uint64_t)clock_jumped[1] << 32 | clock_jumped[0]);
	cpu_unmask(before);
	return now;
}

static void jump(uint32_t ticks)
{
	uint32_t before = cpu_mask(), low = clock_jumped[0] + ticks;

	clock_jumped[1] += low < ticks;
	clock_jumped[0] = low;
	cpu_unmask(before);
}

/* Records an event with its truth. False: it is lost. */
static bool event(unsigned int level)
{
	struct event_truth *truth = &truths[level][logged[level] % LOG];
	uint32_t seq = logged[level];
	bool kept;

	if (seq - drained[level] == LOG) {
		machine_say("board: no room for what is true\n");
		machine_exit(3);
	}
	truth->stream = level;
	truth->seq = seq;
	truth->entry = true_now();
	inside[level] = true;
	kept = put(level << STREAM_SHIFT | seq);
	inside[level] = false;
	truth->exit = true_now();
	logged[level] = seq + 1;
	return kept;
}

void record_interrupt(unsigned int level, uint32_t pc)
{
	static bool kept; /* the last event of the highest level */
	uint32_t at = pc - (uint32_t)row_begin, depth = 0, before;
	unsigned int i;

	for (i = 0; i < level; i++)
		depth += inside[i];
	before = cpu_mask();
	figures.interrupts++;
	figures.at_depth[depth]++;
	if (at < (uint32_t)(row_end - row_begin)) {
		figures.within++;
		hits[at / 2] = 1;
	}
	cpu_unmask(before);
	if (level == LEVELS && kept && !random(level, 4)) {
		jump(random(level, GAP_MOST));
		figures.jumps++;
	}
	if (level == LEVELS)
		kept = event(level);
	else
		event(level);
	machine_again(level, 200 + random(level, PAUSE));
}

/* `all` of what is true, and not only whole chunks of it: a call of the host is slow. */
static void drain(bool all)
{
	uint32_t count;
	unsigned int i;

	drain_packets();
	for (i = 0; i <= LEVELS; i++)
		while ((count = logged[i] - drained[i]) >= CHUNK || (all && count)) {
			count = count < CHUNK ? count : CHUNK;
			block(BLOCK_TRUTH, &truths[i][drained[i] % LOG],
			      count * sizeof(struct event_truth), 0);
			drained[i] += count;
		}
}

int record_main(void)
{
	uint32_t i, burst;
	uint64_t start;

	machine_open("board.bin");
	machine_start();
	clock_jumped[0] = 0xFFFF0000;
	clock_jumped[1] = 1;
	prepare(false);
	start = true_now();
	block(BLOCK_START, &start, sizeof(start), 0);
	for (i = 1; i <= LEVELS; i++)
		machine_again(i, 1000 + 77 * i);
	while (logged[0] + logged[1] + logged[2] + logged[3] < EVENTS ||
	       figures.at_depth[1] + figures.at_depth[2] + figures.at_depth[3] < NESTED) {
		/* At times more than the ring holds: events are lost, and counted. */
		burst = random(0, 1024) ? 8 : BURST;
		for (i = 0; i < burst; i++)
			event(0);
		drain(false);
	}
	machine_stop();
	figures.lost = finish();
	drain(true);
	block(BLOCK_FIGURES, &figures, sizeof(figures), 0);
	block(BLOCK_HITS, hits, sizeof(hits), 0);
	return 0;
}
#endif
