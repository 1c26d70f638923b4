/* SPDX-License-Identifier: MIT */
/*
 * What a taken header refuses, counts and holds: with -DHEADER, COUNT_SHIFT and SUBBUF_SHIFT, by
 * its names without their prefix (T). Says nothing if all is as it should be.
 */
#define _GNU_SOURCE 1
#include <time.h>

#undef CLOCK_MONOTONIC /* as strict C11 has it: none */

/* Somebody sets the time of day back by 1 s after so many readings of it. */
static unsigned int readings_left;
static time_t set_back;

static int timespec_of_day(struct timespec *now, int base)
{
	int got = timespec_get(now, base);

	if (readings_left && !--readings_left)
		set_back = 1;
	now->tv_sec -= set_back;
	return got;
}
#define timespec_get timespec_of_day

#include "tests/take/taken.h"

#include <signal.h>
#include <sys/mman.h>

static const struct T(event_type) types[] = { { "small", "", 1, 8 }, { "large", "", 40, 100 } };

static void write_small(struct T(tracer) * t, uint64_t value)
{
	CHECK(T(write)(t, 1, &value, sizeof(value)));
}

/* Events of 8 bytes that a ring takes while its reader holds a packet, or is not there. */
static uint64_t held(struct T(tracer) * t)
{
	uint64_t events = 0;

	while (T(write)(t, 1, &events, 8))
		events++;
	return events;
}

static void discards(void)
{
	const uint64_t count = UINT64_C(1) << COUNT_SHIFT, room = (1u << SUBBUF_SHIFT) - 64;
	struct T(options) options = { types, 2, 7, false, NULL };
	static struct T(tracer) t;
	struct T(packet) packet;
	struct T(event) event;
	uint64_t fits, expect = 0, before = 0, seen = 0, discarded;

	CHECK(!T(open)(&t, &options));
	CHECK(T(read)(&t, &packet) == E(NO_READER)); /* nobody has attached */
	CHECK(!T(attach)(&t));
	CHECK(T(read)(&t, &packet) == 0); /* nothing was ever written */
	CHECK(T(attach)(&t) == E(BUSY)); /* a reader has one already */
	T(detach)(&t);
	CHECK(!T(attach)(&t));
	fits = held(&t);
	CHECK(T(lost)(&t) == 1);
	/* The formula of docs/take.md: what surely fits, and what no ring of this size holds. */
	CHECK(fits >= (count - 2) * (room / RECORD) && fits <= count * (room / RECORD));
	/* One is held by its reader: the others but the open one may be full then. */
	CHECK(T(read)(&t, &packet) == 1);
	CHECK(packet.number == FIRST && packet.events > 0 && packet.begin <= packet.end);
	/* One was lost, and not before this packet's end. */
	memcpy(&discarded, packet.bytes + 48, sizeof(discarded));
	CHECK(!packet.lost && packet.lost == discarded);
	/* Its cpu_id is the ring's number, or the CPU that opened it. */
	CHECK(FIRST || (packet.bytes[56] == 7 && !packet.bytes[57]));
	CHECK(!T(write)(&t, 1, &expect, 8));
	while (T(next)(&packet, &event)) {
		CHECK(event.id == 1 && event.payload_bytes >= 8 && event.time >= before);
		CHECK(!memcmp(event.payload, &expect, 8));
		before = event.time;
		expect++;
	}
	CHECK(expect == packet.events);
	T(release)(&t, &packet);
	write_small(&t, 0); /* there is room again */
	T(flush_open)(&t);
	for (seen = expect; T(read)(&t, &packet) == 1; T(release)(&t, &packet)) {
		CHECK(packet.begin >= before);
		before = packet.end;
		seen += packet.events;
		memcpy(&discarded, packet.bytes + 48, sizeof(discarded));
		CHECK(packet.lost == discarded);
	}
	CHECK(discarded == 2);
	CHECK(seen == fits + 1);
	CHECK(T(lost)(&t) == 2);
	T(close)(&t);
}

#ifndef SECTIONS
/* A record that is not committed holds its sub-buffer, and all behind it, back; and nothing else.
 */
static void waits(void)
{
	struct T(options) options = { types, 2, 0, false, NULL };
	static struct T(tracer) t;
	struct T(packet) packet;
	struct T(reservation) rsv;
	uint64_t i;

	CHECK(!T(open)(&t, &options) && !T(attach)(&t));
	CHECK(T(begin)(&t, 1, 8, &rsv));
	/* All that the first has room for: the last of them opens the second. */
	for (i = 0; i < ((1u << SUBBUF_SHIFT) - 64) / RECORD; i++)
		write_small(&t, i);
	CHECK(T(read)(&t, &packet) == 0);
	memcpy(rsv.payload, &i, 8);
	T(end)(&t, &rsv);
	CHECK(T(read)(&t, &packet) == 1 && packet.number == 0);
	T(close)(&t);
}

#else
static void waits(void)
{
}
#endif

static void damaged(void)
{
	struct T(options) options = { types, 2, 0, false, NULL };
	static struct T(tracer) t;
	struct T(packet) packet;
	uint8_t *bytes;

	CHECK(!T(open)(&t, &options) && !T(attach)(&t));
	write_small(&t, 1);
	T(flush_open)(&t);
	write_small(&t, 2);
	T(flush_open)(&t);
	CHECK(T(read)(&t, &packet) == 1);
	bytes = (uint8_t *)(uintptr_t)packet.bytes;
	bytes[0] ^= 1; /* its magic */
	CHECK(T(read)(&t, &packet) == E(DAMAGED));
	bytes[0] ^= 1;
	bytes[40] ^= 1; /* its number */
	CHECK(T(read)(&t, &packet) == E(DAMAGED));
	bytes[40] ^= 1;
	CHECK(T(read)(&t, &packet) == 1);
	T(release)(&t, &packet);
	CHECK(T(read)(&t, &packet) == 1 && packet.number == FIRST + 1 && packet.events == 1);
	T(close)(&t);
}

static struct T(tracer) lapped;
static void *copied;

static void lap(int signal)
{
	CHECK(signal == SIGSEGV && !mprotect(copied, 1u << SUBBUF_SHIFT, PROT_READ | PROT_WRITE));
	for (uint64_t i = 0; i < 4 << COUNT_SHIFT << SUBBUF_SHIFT >> 3; i++)
		write_small(&lapped, i);
}

static void overwrites(void)
{
	const uint64_t count = UINT64_C(1) << COUNT_SHIFT;
	struct T(options) options = { types, 2, 0, true, NULL };
	static struct T(tracer) t;
	struct T(packet) packet;
	struct T(event) event;
	uint64_t i, value, last = 0, packets = 0;

	CHECK(!T(open)(&t, &options));
#ifdef __x86_64__
	CHECK(!T(attach)(&t));
#else
	CHECK(T(attach)(&t) == E(NO_OVERWRITE) && T(read)(&t, &packet) == E(NO_READER));
	T(close)(&t);
	return;
#endif
	for (i = 0; i < 4 * count << SUBBUF_SHIFT >> 3; i++)
		write_small(&t, i);
	T(flush_open)(&t);
	for (; T(read)(&t, &packet) == 1; T(release)(&t, &packet)) {
		for (packets++; T(next)(&packet, &event); last = value) {
			memcpy(&value, event.payload, 8);
			CHECK(!last || value == last + 1);
		}
	}
	/* The oldest may be overwritten at any time, and is never read. */
	CHECK(packets == count - 1 && last == i - 1 && !T(lost)(&t));
	T(close)(&t);
	/* The writer overwrites the packet when its first byte is copied. */
	copied = mmap(NULL, 1u << SUBBUF_SHIFT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(!T(open)(&lapped, &options) && signal(SIGSEGV, lap) != SIG_ERR);
	for (i = 0; !T(packets)(&lapped); i++)
		write_small(&lapped, i);
	CHECK(!T(copy)(&lapped, FIRST, copied, &packet) && !T(lost)(&lapped));
	T(close)(&lapped);
}

/* A reader's time is seconds + (offset + ticks) / hz: at the pair, the pair's. */
static void dates(void)
{
	static const uint64_t rates[] = { 1000000000, 2445406321, 19200000, 3 };
	struct T(clock_rate) clock;
	int64_t seconds;
	uint64_t offset, ns, rate;
	unsigned int i;
	FILE *full = fopen("/dev/full", "w");
	struct T(options) options = { types, 2, 0, false, NULL };

	for (i = 0; i < 8; i++) {
		clock.hz = rates[i % 4];
		clock.ticks = i < 4 ? UINT64_C(987654321987) : 1;
		clock.ns = UINT64_C(1700000000123456789);
		T(clock_offset)(&clock, &seconds, &offset);
		CHECK(offset < clock.hz);
		ns = (uint64_t)(seconds + (int64_t)((offset + clock.ticks) / clock.hz)) *
		     1000000000u;
		ns += (uint64_t)((double)((offset + clock.ticks) % clock.hz) * 1e9 /
				 (double)clock.hz);
		/* To a tick. */
		CHECK(clock.ns - ns + 1000 < 2000 + UINT64_C(1000000000) / clock.hz);
	}
	T(clock_measure)(&clock, 0);
	CHECK(clock.hz > 1000000 && clock.hz < UINT64_C(20000000000));
	rate = clock.hz;
	for (i = 1; i < 500; i += 31) {
		set_back = 0;
		readings_left = i;
		T(clock_measure)(&clock, 2);
		/* Learnt, or not: never another rate. */
		CHECK(!clock.hz || clock.hz / 20 - rate / 20 + rate / 200 < rate / 100);
		CHECK(clock.hz || T(metadata)(full, &options, &clock) == E(NO_RATE));
	}
	clock.hz = 0;
	CHECK(T(metadata)(full, &options, &clock) == E(NO_RATE));
	readings_left = 0;
	T(clock_measure)(&clock, 0);
	CHECK(full && setvbuf(full, NULL, _IONBF, 0) == 0);
	if (full)
		CHECK(T(metadata)(full, &options, &clock) == E(NOT_WRITTEN) && fclose(full) == 0);
}

/* Each packet comes once and none is stepped over, however many there are at a time. */
static void gives_back(bool overwrite)
{
	struct T(options) options = { types, 2, 0, overwrite, NULL };
	static struct T(tracer) t;
	struct T(packet) packet;
	uint64_t i, number = FIRST;

	CHECK(!T(open)(&t, &options));
	for (i = 0; !T(attach)(&t) && i < 8; i++) {
		write_small(&t, i);
		T(flush_open)(&t);
		CHECK(T(read)(&t, &packet) == 1 && packet.number == number++);
		T(release)(&t, &packet);
		CHECK(T(read)(&t, &packet) == 0);
		T(detach)(&t);
	}
	T(close)(&t);
}

#ifdef __x86_64__
/* Another reader comes before each instruction of attach(), in turn: one of the two is refused. */
static struct T(tracer) contended;
static unsigned int steps, came_at;
static int other;

static void at_instruction(int number)
{
	(void)number;
	if (steps++ == came_at)
		other = T(attach)(&contended);
}

/* The flag is the machine's own for one instruction at a time, and off in a handler. */
static void trap(bool on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
	else
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
}

static void attaches(void)
{
	struct T(options) options = { types, 2, 0, false, NULL };
	int mine;

	CHECK(!T(open)(&contended, &options));
	signal(SIGTRAP, at_instruction);
	do {
		steps = 0;
		other = 1;
		trap(true);
		mine = T(attach)(&contended);
		trap(false);
		CHECK(other == 1 || (mine == 0) + (other == 0) == 1);
		T(detach)(&contended);
		came_at++;
	} while (other != 1);
	CHECK(came_at > 5);
	T(close)(&contended);
}
#else
static void attaches(void)
{
}
#endif

int main(void)
{
	dates();
	discards();
	waits();
	damaged();
	overwrites();
	gives_back(false);
	gives_back(true);
	attaches();
	return wrong != 0;
}
