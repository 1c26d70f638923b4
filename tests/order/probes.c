// SPDX-License-Identifier: MIT
/*
 * What the compiler may not move, merge or leave out around each primitive of schemes/core. Each
 * function stores 1 before the primitive, and after it loads and stores 2. If nothing between may
 * touch memory, the first store is dead, the load is known, and every optimizing compiler leaves
 * both out: so a missing clobber shows. order.py reads the assembly.
 */
#include "schemes/parts/mask.h"

#include "schemes/core/clock.h"
#include "schemes/core/widths.h"
#include "schemes/core/scheme.h"
#include "schemes/parts/restart.h"

#define BEFORE 0x11111111
#define BEHIND 0x22222222
#define BETWEEN 0x33333333

extern uint32_t order_plain; /* of another type than what the primitives are about */
extern uint64_t order_shared;

#define PROBE(name, parameters, primitive) \
	uint64_t probe_##name parameters; \
	uint64_t probe_##name parameters \
	{ \
		uint64_t result, loaded; \
		order_plain = BEFORE; \
		result = (uint64_t)(primitive); \
		loaded = order_plain; \
		order_plain = BEHIND; \
		return result + loaded; \
	}
#define DONE(statement) (__extension__({ statement; UINT64_C(0); }))

PROBE(xadd, (uint64_t *word, uint64_t value), local_xadd_raw(word, value))
PROBE(cmpxchg, (uint64_t *word, uint64_t *old, uint64_t value), local_cmpxchg_raw(word, old, value))
PROBE(pair, (struct local_pair *pair, uint64_t a, uint64_t b),
      local_cmpxchg_pair_raw(pair, (struct local_pair){ { a, b } },
			     (struct local_pair){ { b, a } }))
PROBE(add, (uint64_t *word, uint64_t value), DONE(local_add_raw(word, value)))
PROBE(barrier, (void), DONE(barrier()))
PROBE(mask_enter, (struct soft_mask *mask), DONE(mask_soft_enter(mask)))
PROBE(fenced, (void), clock_real_fenced())
PROBE(section, (struct ring *ring, struct restart_seen *seen),
      restart_record(ring, &(struct restart_plain){ .units = 3, .block = -1024, .slots = 262143,
						    .field = 134217727, .stamp_bits = 27, .id = 1 },
		     seen))
PROBE(publish, (struct ring *ring, struct restart_copy *copies, uint64_t next),
      restart_publish(ring, copies, 1, next, next + 3))
#ifdef CLOCK_FENCED
PROBE(clock, (void), clock_read(""))
#endif

/* Nobody's run is due: nothing of it may be known, and nothing behind it done, before. */
uint64_t probe_mask_leave(struct soft_mask *mask);
uint64_t probe_mask_leave(struct soft_mask *mask)
{
	uint64_t seen;

	order_plain = BEFORE;
	if (mask_soft_leave(mask))
		return 0;
	seen = order_plain;
	order_plain = BEHIND;
	return seen;
}

/* The value is taken behind the barrier that stands first: the store before is not dead. */
uint64_t probe_ordered_store(uint64_t value);
uint64_t probe_ordered_store(uint64_t value)
{
	uint64_t seen;

	order_plain = BEFORE;
	ordered_store("", &order_shared, (order_plain = BETWEEN, value));
	seen = order_plain;
	order_plain = BEHIND;
	return seen;
}

/* A word that is shared is loaded and stored as often as the source says; the clock is read so. */
uint64_t twice_load(void);
uint64_t twice_load(void)
{
	shared_load("", &order_shared);
	return shared_load("", &order_shared);
}

void twice_store(uint64_t value);
void twice_store(uint64_t value)
{
	shared_store("", &order_shared, value);
	shared_store("", &order_shared, value);
}

uint64_t twice_clock(void);
uint64_t twice_clock(void)
{
	clock_read("");
	return clock_read("");
}
