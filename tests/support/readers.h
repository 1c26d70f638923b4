/* SPDX-License-Identifier: MIT */
/*
 * For tests that let other people's readers judge: plays of a row in which everything occurs that a
 * reader has to know, exported as they are drained, with what our ring decoder made of each event.
 * Include after cmocka.h.
 */
#pragma once

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/play.h"
#include "tests/support/scratch.h"
#include "judge/export.h"

#define SEEN_MOST 40000

/* An event as one reader saw it. */
struct seen {
	uint64_t time;
	uint64_t stamp; /* of the payload */
	uint64_t tag;
};

struct seen_list {
	struct seen *list;
	unsigned int count;
};

/* A row at play, its export, and what the ring's decoder saw. */
struct stand {
	struct play play;
	struct export export;
	struct seen_list ring;
	char dir[PATH_MAX];
	char trace[PATH_MAX + 16];
	const char *what;
};

static struct stand stand;
static bool stand_ctf2; /* CTF is CTF 2 */

static inline void seen_add(struct seen_list *seen, uint64_t time, uint64_t stamp, uint64_t tag)
{
	assert_true(seen->count < SEEN_MOST);
	seen->list[seen->count++] = (struct seen){ time, stamp, tag };
}

static inline void seen_in_ring(void *arg, const struct event *event)
{
	struct check_payload payload;

	memcpy(&payload, event->payload, sizeof(payload));
	seen_add(arg, event->time, payload.stamp, payload.tag);
}

static inline void stand_tap(void *arg, const struct buffer *buffer, uint64_t first, uint64_t last)
{
	(void)arg;
	if (!stand.export.driver)
		return;
	assert_int_equal(export_subbufs(&stand.export, buffer, first, last), 0);
	buffer->driver->walk(buffer->scheme, seen_in_ring, &stand.ring);
}

/* `list` is what `reader` saw in the files: it has to be what the ring's decoder saw. */
static inline void assert_seen(const struct seen_list *other, const char *reader)
{
	unsigned int i;

	for (i = 0; i < other->count && i < stand.ring.count; i++) {
		const struct seen *one = &stand.ring.list[i], *two = &other->list[i];

		if (memcmp(one, two, sizeof(*one)) != 0)
			fail_msg("%s, %s: event %u: ring %" PRIu64 " (stamp %" PRIu64
				 "), %s %" PRIu64 " (stamp %" PRIu64 ")",
				 stand.play.driver->row, stand.what, i, one->time, one->stamp,
				 reader, two->time, two->stamp);
	}
	if (other->count != stand.ring.count)
		fail_msg("%s, %s: %u events in the ring, %u by %s", stand.play.driver->row,
			 stand.what, stand.ring.count, other->count, reader);
}

static inline void stand_open(const struct driver *driver)
{
	stand = (struct stand){ .what = "" };
	play_open(&stand.play, driver, 21);
	stand.play.buffer.tap = stand_tap;
	stand.ring.list = calloc(SEEN_MOST, sizeof(struct seen));
	assert_non_null(stand.ring.list);
	scratch_make(stand.dir);
}

static inline void stand_close(void)
{
	if (!getenv("KEEP_TRACES"))
		scratch_remove(stand.dir);
	play_close(&stand.play);
	free(stand.ring.list);
}

/* An empty ring and an empty trace. */
static inline void stand_start(const char *what, const struct stage *stage)
{
	stand.what = what;
	stand.ring.count = 0;
	play_start(&stand.play, stage);
	snprintf(stand.trace, sizeof(stand.trace), "%s/trace", stand.dir);
	assert_int_equal(export_begin(&stand.export, stand.trace, &stand.play.buffer), 0);
	if (stand_ctf2)
		export_as_ctf2(&stand.export);
}

/* The trace is whole; our own decoder was right about every event. */
static inline void stand_end(void)
{
	play_end(&stand.play);
	play_assert_kept(&stand.play, 0);
	assert_int_equal(stand.ring.count, stand.play.check.events);
	assert_true(stand.ring.count > 0);
	assert_int_equal(export_end(&stand.export), 0);
}

static inline void stand_again(void)
{
	scratch_remove(stand.trace);
}

/* ---- plays ---- */

#define START ((UINT64_C(37) << 32) + 12345)

/* How many times the stamp of an event was `gap` later than that of the one before. */
static inline unsigned int gaps_seen(uint64_t gap)
{
	unsigned int i, count = 0;

	for (i = 1; i < stand.ring.count; i++)
		count += stand.ring.list[i].stamp - stand.ring.list[i - 1].stamp == gap;
	return count;
}

/*
 * All gaps from a little below to a little above 2^20, 2^27, 2^32 and others, in a sub-buffer so
 * large that no begin stamp helps: how many reads of the clock a record takes differs by row.
 */
/* Can the row tell gaps of about 2^bits ticks? */
static inline bool told(unsigned int bits)
{
	const struct scheme_desc *desc = stand.play.driver->desc;

	return !desc->gap_bits || (UINT64_C(2) << bits) <= scheme_reach_ticks(desc, 27);
}

static inline void play_gaps(void)
{
	static const unsigned int bits[] = { 5, 16, 20, 26, 27, 28, 31, 32, 33, 34 };
	const struct stage stage = {
		.bits = 27, .subbuf_shift = 18, .count_shift = 3, .now = START, .step = 1
	};
	unsigned int i;
	int off;

	stand_start("gaps", &stage);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]) && told(bits[i]); i++)
		for (off = -24; off <= 8; off++) {
			play_pass(&stand.play, (UINT64_C(1) << bits[i]) + (uint64_t)(int64_t)off);
			play_event(&stand.play);
		}
	stand_end();
	/* With beats there is none; three_read's overflowing event has a later stamp. */
	if (stand.play.driver->desc->needs & NEED_BEAT ||
	    stand.play.driver->desc->more_clock_reads > 0)
		return;
	/* Half a wrap carries every other time, which may cost a row another read of the clock. */
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]) && told(bits[i]); i++)
		for (off = -1; off <= 1 && bits[i] != 26; off++)
			if (!gaps_seen((UINT64_C(1) << bits[i]) + (uint64_t)(int64_t)off))
				fail_msg("%s: no gap of 2^%u%+d", stand.play.driver->row, bits[i],
					 off);
}

/* Nested writers at every point of the reserve path, over a small and a large jump of the clock. */
static inline void play_nested(uint64_t jump)
{
	const struct stage stage = { .bits = 27,
				     .subbuf_shift = 10,
				     .count_shift = 10,
				     .now = START,
				     .step = 1,
				     .extra_bytes = 40 };
	struct plan plan = { .jump_before = jump, .jump_after = jump };
	unsigned int at, other;

	stand_start("nested", &stage);
	for (at = 1; at < 24; at++)
		for (other = at; other < 40; other += 3) {
			plan.at[0] = at;
			plan.at[1] = other == at ? 0 : other;
			if (stand.play.player.beat_every)
				plan.jump_before = plan.jump_after = 0;
			play_plan(&stand.play, &plan);
			play_event(&stand.play);
			play_event(&stand.play);
		}
	stand_end();
}

/* Payloads of all sizes, ids that need more than 5 bits, drains in between. */
static inline void play_sizes(uint32_t extra_bytes, uint32_t subbuf_shift, unsigned int events)
{
	const struct stage stage = { .bits = 27,
				     .subbuf_shift = subbuf_shift,
				     .count_shift = 21 - subbuf_shift,
				     .now = START,
				     .step = 3,
				     .extra_bytes = extra_bytes,
				     .high_every = 5 };
	unsigned int i;

	stand_start("sizes", &stage);
	for (i = 0; i < events; i++) {
		play_pass(&stand.play, i % 7 ? i : UINT64_C(1) << 27);
		play_event(&stand.play);
		if (i % 50 == 17)
			play_drain(&stand.play);
	}
	stand_end();
}
