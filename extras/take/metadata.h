/* SPDX-License-Identifier: MIT */
/* Tells other readers how to read the packets: the trace's file "metadata". */
#pragma once

static inline uint64_t clock_today(void)
{
	struct timespec now;

	timespec_get(&now, TIME_UTC);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of a clock that is never set; strict C11 has only the time of day. */
static inline uint64_t clock_steady(void)
{
#ifdef CLOCK_MONOTONIC
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else
	return clock_today();
#endif
}

/*
 * A pair of readings: of 32 the one in which the fewest ticks passed, without an interruption.
 */
static inline void clock_read_pair(uint64_t (*clock)(void), uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX, before, today, after;
	int i;

	for (i = 0; i < 32; i++) {
		before = clock_now();
		today = clock();
		after = clock_now();
		if (after - before < least) {
			least = after - before;
			*ticks = before + least / 2;
			*ns = today;
		}
	}
}

/* Ticks per second over `ms`; 0 if the clock that it is measured by was set meanwhile. */
static inline double clock_slice(double ms)
{
	uint64_t ticks = 0, from = 0, end = 0, until = 0;

	clock_read_pair(clock_steady, &ticks, &from);
	do {
		clock_read_pair(clock_steady, &end, &until);
		if (until < from)
			return 0;
	} while ((double)(until - from) < ms * 1e6);
	return (double)(end - ticks) * 1e9 / (double)(until - from);
}

/*
 * clock->hz is 0 if the two halves part by more than one in a hundred: where there is only the time
 * of day to measure by, somebody may have set it.
 */
static inline int clock_measure(struct clock_rate *clock, unsigned int ms)
{
	double first = clock_slice((ms ? ms : 1) / 2.0), second = clock_slice((ms ? ms : 1) / 2.0);
	double apart = first > second ? first - second : second - first;

	if (!clock)
		return NO_POINTER;
	memset(clock, 0, sizeof(*clock));
	clock->hz = apart * 100 < second ? (uint64_t)((first + second) / 2 + 0.5) : 0;
	clock_read_pair(clock_today, &clock->ticks, &clock->ns);
	return OK;
}

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

static inline int metadata(FILE *to, const struct options *options, const struct clock_rate *clock)
{
	uint32_t sizes[2 * EVENT_SIZED] = { 0 };
	const struct event_type *type;
	int error = to && clock ? check_types(options, sizes) : NO_POINTER;
	uint64_t offset;
	int64_t offset_s;
	uint32_t i;

	if (error)
		return error;
	if (!clock->hz)
		return NO_RATE;
	clock_offset(clock, &offset_s, &offset);
	fputs(METADATA_HEAD, to);
	fprintf(to, METADATA_CLOCK, clock->hz, offset_s, offset);
	fputs(METADATA_STREAM, to);
	for (i = 0; i < options->type_count; i++) {
		type = &options->types[i];
		fprintf(to, METADATA_EVENT, type->name, type->id,
			type->bytes == VARIABLE ? METADATA_VARIES : "",
			type->fields + (type->fields[0] == ','));
	}
	return ferror(to) ? NOT_WRITTEN : OK;
}
