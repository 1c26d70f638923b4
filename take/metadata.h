/* SPDX-License-Identifier: MIT */
/* What tells other people's readers how to read the packets: the trace's file "metadata". */
#ifndef STAMPEDE_TAKE_METADATA_H
#define STAMPEDE_TAKE_METADATA_H

#include <inttypes.h>

/* What makes dates of stamps. */
struct clock_rate {
	uint64_t hz; /* ticks per second */
	uint64_t ticks; /* a stamp, and */
	uint64_t ns; /* the time of day then, since 1970 */
};

static inline uint64_t clock_today(void)
{
	struct timespec now;

	timespec_get(&now, TIME_UTC);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * A pair of readings: of 32 the one that the fewest ticks passed in, so that nobody came between.
 */
static inline void clock_read_pair(uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX, before, today, after;
	int i;

	for (i = 0; i < 32; i++) {
		before = clock_now();
		today = clock_today();
		after = clock_now();
		if (after - before < least) {
			least = after - before;
			*ticks = before + least / 2;
			*ns = today;
		}
	}
}

/*
 * Takes the CPU for some ms, 1 at least, to learn the clock's rate by the time of day: 50 of them
 * give it to some parts in a million, unless the time of day is being set.
 */
static inline void clock_measure(struct clock_rate *clock, unsigned int ms)
{
	uint64_t ticks = 0, from = 0, begin;

	clock_read_pair(&ticks, &from);
	begin = clock_today();
	while (clock_today() - begin < (ms ? ms : 1) * UINT64_C(1000000))
		;
	clock_read_pair(&clock->ticks, &clock->ns);
	clock->hz =
		(uint64_t)((double)(clock->ticks - ticks) * 1e9 / (double)(clock->ns - from) + 0.5);
}

/* A reader's time is offset_s + (offset + ticks) / hz. */
static inline void clock_offset(const struct clock_rate *clock, int64_t *seconds, uint64_t *ticks)
{
	uint64_t frac = (uint64_t)((double)(clock->ns % 1000000000u) * (double)clock->hz / 1e9);

	*seconds = (int64_t)(clock->ns / 1000000000u) - (int64_t)(clock->ticks / clock->hz);
	if (frac < clock->ticks % clock->hz) {
		frac += clock->hz;
		--*seconds;
	}
	*ticks = frac - clock->ticks % clock->hz;
}

/* 0, or -EIO. Packets of all rings that are described so belong into files of the same folder. */
static inline int metadata(FILE *to, const struct options *options, const struct clock_rate *clock)
{
	const struct event_type *type;
	uint64_t offset;
	int64_t offset_s;
	uint32_t i;

	clock_offset(clock, &offset_s, &offset);
	fputs(METADATA_HEAD, to);
	fprintf(to, METADATA_CLOCK, clock->hz, offset_s, offset);
	fputs(METADATA_STREAM, to);
	for (i = 0; i < options->type_count; i++) {
		type = &options->types[i];
		fprintf(to, METADATA_EVENT, type->name, type->id, type->fields);
	}
	return ferror(to) ? -EIO : 0;
}

#endif
