/* SPDX-License-Identifier: MIT */
/*
 * For tests of the oracles: a real row fills a ring (four sub-buffers of 512 bytes) on the virtual
 * clock; where its records are; and the hands that break them. Include after cmocka.h.
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge/judge.h"
#include "schemes/core/points.h"
#include "tests/support/decoding.h"

#define EXACT (1u << ORACLE_EXACT)
#define WINDOW (1u << ORACLE_WINDOW)
#define MONOTONIC (1u << ORACLE_MONOTONIC)
#define CONSERVATION (1u << ORACLE_CONSERVATION)
#define STRUCTURE (1u << ORACLE_STRUCTURE)
#define COUNTS (1u << ORACLE_COUNTS)
#define LOSSES_ORACLE (1u << ORACLE_LOSSES)

#define WRAP (UINT64_C(1) << 27)
#define BEGIN UINT64_C(1000000)
#define SITES 256

/* A record in the ring. */
struct site {
	uint8_t *record;
	uint64_t number;
	uint32_t offset;
	struct event event;
	struct check_payload payload;
};

static struct buffer buffer;
static struct check check;
static struct check_totals totals;
static struct site sites[SITES];
static unsigned int sites_count;

static inline bool is_full(void)
{
	return !strcmp(buffer.driver->row, "full_tsc");
}

static inline void find_sites(void)
{
	const struct ring *ring = buffer_ring(&buffer);
	uint64_t first, last, number;
	struct cursor cursor;
	struct site *site;

	sites_count = 0;
	ring_readable(ring, &first, &last);
	for (number = first; number < last; number++) {
		assert_true(ctf_cursor(ring, number, ring_content(ring, number), &cursor));
		for (;;) {
			assert_true(sites_count < SITES);
			site = &sites[sites_count];
			site->record = ring_subbuf_base(ring, number) +
				       (cursor.at - ring_subbuf_base(ring, number));
			site->number = number;
			site->offset = (uint32_t)(cursor.at - ring_subbuf_base(ring, number));
			if ((is_full() ? ctf_full_next : ctf_compact_next)(&cursor, &site->event) !=
			    DECODE_EVENT)
				break;
			if (site->event.payload_bytes >= sizeof(site->payload))
				memcpy(&site->payload, site->event.payload, sizeof(site->payload));
			sites_count++;
		}
		assert_ptr_equal(cursor.at, cursor.end);
	}
}

/* `events` of the task, 100 ticks apart, with others of two levels and of the beat between them. */
static inline void record_events(unsigned int events)
{
	const struct driver *driver = buffer.driver;
	unsigned int i;

	for (i = 1; i <= events; i++) {
		virtual_clock.now += 100;
		driver->run(buffer.scheme, &buffer.writer, 1);
		virtual_clock.now += 100;
		if (i % 3 == 0)
			driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_1);
		if (i % 7 == 0)
			driver->interrupt(buffer.scheme, &buffer.writer, CONTEXT_LEVEL_2);
		if (i % 11 == 0)
			driver->beat(buffer.scheme, &buffer.writer);
	}
}

/* An empty ring of `driver`, and nothing judged. The timed build knows one geometry only. */
static inline void start(const struct driver *driver, uint32_t extra_bytes)
{
	struct ring_config config =
		buffer_config(driver, driver->timed ? RING_TIMED_SUBBUF_SHIFT : 9,
			      driver->timed ? RING_TIMED_COUNT_SHIFT : 2);

	points.hook = NULL;
	virtual_clock.now = BEGIN;
	virtual_clock.step = 1;
	if (buffer.driver)
		buffer_close(&buffer);
	assert_int_equal(buffer_open(&buffer, driver, &config), 0);
	buffer.writer.extra_bytes = extra_bytes;
	buffer.writer.random_extra = extra_bytes;
	assert_int_equal(buffer_reset(&buffer, &config), 0);
	buffer_check(&buffer, &check);
}

static inline void start_row(const char *row, uint32_t extra_bytes)
{
	const struct driver *driver = driver_find(drivers_counting, row);

	assert_non_null(driver);
	start(driver, extra_bytes);
}

/* Three sub-buffers and a bit, not yet drained. */
static inline void good_ring(const char *row, uint32_t extra_bytes)
{
	start_row(row, extra_bytes);
	record_events(extra_bytes ? 12 : 24);
	buffer.driver->flush(buffer.scheme);
	find_sites();
	assert_true(sites_count > 16 && sites[sites_count - 1].number >= 2);
}

static inline void judge(void)
{
	struct judge_given given = { .nested = false };
	struct judgement judgement;

	buffer_drain(&buffer, &check);
	judge_totals(&buffer, &check, &given, &totals);
	judge_ring(buffer_ring(&buffer), &check, &totals, &given, &judgement);
}

static inline unsigned int objecting(void)
{
	unsigned int oracle, set = 0;

	for (oracle = 0; oracle < ORACLES; oracle++)
		set |= (unsigned int)!!check.violations[oracle] << oracle;
	return set;
}

/* Drained and judged, these oracles object. */
#define assert_judged(oracles) (judge(), assert_int_equal(objecting(), oracles))

static inline void put_payload(const struct site *site, const struct check_payload *payload)
{
	memcpy(site->record + site->event.header_bytes, payload, sizeof(*payload));
}

/* The short time of a compact header; the rest of it stays. */
static inline void put_time(const struct site *site, uint64_t time)
{
	if (is_full())
		put_u64(site->record, time);
	else
		put_u32(site->record,
			ctf_compact_word(get_u32(site->record) & 31, time, check.stamp_bits));
}

/* Takes a record out of its sub-buffer and closes the gap. */
static inline void take_out(unsigned int index)
{
	struct ring *ring = buffer_ring(&buffer);
	const struct site *site = &sites[index];
	struct subbuf *subbuf = ring_subbuf(ring, site->number);
	uint32_t size = site->event.header_bytes + site->event.payload_bytes;
	uint32_t content = ring_content(ring, site->number);

	memmove(site->record, site->record + size, content - site->offset - size);
	subbuf->content = site->number << RING_INDEX_BITS | (content - size);
}

/* One row of each form of the tail. */
static const char *const forms[]
	__attribute__((unused)) = { "full_tsc", "nested_stamps", "packed_word", "rewind", "dwcas" };

/* How many of them this machine can have: the last wants a compare-and-swap of two words. */
static inline unsigned int forms_here(void)
{
	const unsigned int all = sizeof(forms) / sizeof(forms[0]);

	return all - !!driver_find(drivers_counting, forms[all - 1])->unsupported();
}

/* start_row() with a ring of two sub-buffers in this mode, which it returns. */
static inline struct ring *start_mode(const char *row, enum ring_mode mode)
{
	struct ring_config config;

	start_row(row, 0);
	config = buffer.config;
	config.mode = mode;
	config.count_shift = 1;
	assert_int_equal(buffer_reset(&buffer, &config), 0);
	buffer_check(&buffer, &check);
	return buffer_ring(&buffer);
}

static inline void run(uint64_t events)
{
	buffer.driver->run(buffer.scheme, &buffer.writer, events);
}
