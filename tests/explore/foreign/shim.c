// SPDX-License-Identifier: MIT
/* A tracer of a few lines that is right where interrupts come, and one fault that FAULT chooses. */
#include "explore/stops/foreign.h"

static const struct scheme_desc foreign_desc = {
	.title = "one slot per event, claimed by one instruction",
	.source = "tests/explore/foreign",
	.promises = PROMISE_EXACT | PROMISE_WINDOW | PROMISE_WRAP_PROOF,
};

struct slot {
	uint64_t value, time;
};

static struct slot *slots;
static uint64_t claimed = 7; /* a static variable that does not begin with zero */
static uint64_t last; /* time */
static __thread uint64_t refused;
static int lock;

static FOREIGN_PLAIN void foreign_begin(void)
{
	slots = foreign_memory(32 * sizeof(*slots));
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	uint64_t time, mine;

	(void)extra;
	while (FAULT == 12 && __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		continue;
	if (FAULT == 1 && claimed > 8) { /* lost, and counted by nobody */
		return false;
	}
	if (FAULT == 2) { /* two instructions */
		mine = *(volatile uint64_t *)&claimed;
		*(volatile uint64_t *)&claimed = mine + 1;
	} else {
		mine = __atomic_fetch_add(&claimed, 1, __ATOMIC_RELAXED);
	}
	time = foreign_clock();
	if (FAULT == 3) { /* the stamp lies where an interrupt writes its own */
		*(volatile uint64_t *)&last = time;
		time = *(volatile uint64_t *)&last;
	}
	if (FAULT == 4) /* the low bits alone */
		time &= 0xffffffff;
	if (FAULT == 5) /* of another event */
		time = last;
	last = time;
	slots[mine - 7] = (struct slot){ FAULT == 6 ? value + 1 : value, time };
	if (FAULT == 7 && mine == 8)
		*(volatile int *)foreign_memory(1 << 20) = 0;
	if (FAULT == 8) {
		refused++;
		if (*(volatile uint64_t *)&refused > 2)
			return false;
	}
#if FAULT == 9
	strlen((const char *)slots + value);
	extern size_t time_of_day(uint64_t);
	slots[mine - 7].time = time_of_day(time);
#endif
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return true;
}

static FOREIGN_PLAIN void foreign_read(void)
{
	uint64_t i;

	for (i = 0; i < claimed - 7; i++) {
		foreign_event(slots[i].value, slots[i].time, FAULT == 10);
		if (FAULT == 11)
			foreign_event(slots[i].value, slots[i].time, false);
	}
	foreign_lost(refused > 2 && FAULT != 8 ? refused : 0);
}
