/* SPDX-License-Identifier: MIT */
/*
 * A clock that goes back: between events, and in a writer that interrupts another. Each event has
 * the stamp that it was recorded with. Prints how many were read with another time, and how many
 * went back by the reader's count.
 */
#include <stdint.h>

static uint64_t clock_back(void);
#define PACKED_UPPER_CLOCK clock_back
#define PACKED_WORD_CLOCK clock_back
#include "tests/take/taken.h"

#define STAMPED(F) F(u64, stamp)
E(EVENT)(stamped, 1, STAMPED);

enum { EVENTS = 300000 };
static struct T(tracer) ring;
static uint64_t now = UINT64_C(1) << 40, recorded, read_back, others, back, last, went;
static uint32_t seed = 1;
static bool inside;

static uint32_t drawn(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

static void event(void)
{
	struct T(reservation) rsv;

	CHECK(T(begin)(&ring, 1, 8, &rsv));
	memcpy(rsv.payload, &rsv.stamp, 8);
	CHECK(!T(end)(&ring, &rsv));
	recorded++;
}

/* Of ten steps one goes back, by up to three wraps; in one of fifty reads another writer comes
 * before its end. */
static uint64_t clock_back(void)
{
	uint64_t mine;

	now += 1 + drawn(1000);
	if (!drawn(10))
		now -= drawn(3u << 27);
	mine = now;
	if (!inside && !drawn(50)) {
		inside = true;
		event();
		inside = false;
	}
	return mine;
}

static void drain(void)
{
	struct T(packet) packet;
	struct T(event) one;
	uint64_t stamp;

	while (T(read)(&ring, &packet) == 1) {
		back += packet.back;
		last = packet.begin;
		while (T(next)(&packet, &one)) {
			memcpy(&stamp, one.payload, 8);
			others += one.time != stamp;
			went += one.time < last;
			last = one.time;
			read_back++;
		}
		CHECK(!T(release)(&ring, &packet));
	}
}

int main(void)
{
	struct T(event_type) types[] = { stamped_type };
	struct T(options) options = { types, 1, 0, false, NULL };
	int i;

	if (T(open)(&ring, &options) || T(attach)(&ring))
		return 1;
	for (i = 0; i < EVENTS; i++) {
		event();
		if (i % 1000 == 0)
			drain();
	}
	CHECK(!T(flush_open)(&ring));
	drain();
	CHECK(read_back == recorded && !T(lost)(&ring) && back == went);
	printf("%d of %d wrong, %d back\n", (int)others, (int)recorded, (int)back);
	return wrong != 0;
}
