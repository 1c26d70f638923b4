// SPDX-License-Identifier: MIT
#include "explore/engine/faults.h"
#include "judge/identify.h"

#include <stdlib.h>
#include <string.h>

#include "explore/engine/world.h"

#define NOBODY WORLD_EVENTS_MAX
#define NO_CONTEXT 15 /* structure objects: "payload of no known context" */
_Static_assert(NO_CONTEXT >= CHECK_CONTEXTS, "it must be none");

void identify_begin(void)
{
	uint32_t i;

	world->book.identified = 0;
	for (i = 0; i < world->book.events; i++)
		world->book.log[i].read = false;
}

static bool refused(const struct logged *log)
{
	return log->left == 2 || log->left == 3;
}

/* Whose clock read gave `stamp`. */
static uint32_t taken_by(uint64_t stamp)
{
	const struct book *book = &world->book;
	const struct logged *log;
	uint32_t i;

	for (i = book->events; i-- > 0;) {
		log = &book->log[i];
		if (stamp - log->entry <
		    (log->left ? log->exit : world_row.clock->now) - log->entry)
			return refused(log) ? NOBODY : i;
	}
	return NOBODY;
}

/* Rows without stamps: they may not be interrupted, so their events come as they entered. */
static uint32_t next_one(void)
{
	struct book *book = &world->book;

	while (book->identified < book->events && refused(&book->log[book->identified]))
		book->identified++;
	return book->identified < book->events ? book->identified++ : NOBODY;
}

/*
 * Was it recorded before the clock showed `stamp`, which it did not take? Of one that had entered
 * then and not left, the reader knows.
 */
static bool is_before(const struct logged *log, uint64_t stamp)
{
	if (log->left && log->exit <= stamp)
		return true;
	return log->entry <= stamp && log->read && log->stamp < stamp;
}

/*
 * How many of its context were recorded before it. What a soft mask had put off runs in the event
 * that it came into, and another interrupt of its context may come into that. `in_order`: the log
 * has its events in this order, whatever their stamps.
 */
static uint64_t sequence_of(uint32_t index, uint64_t stamp, bool in_order)
{
	const struct book *book = &world->book;
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; i < book->events; i++)
		before += i != index && book->log[i].context == book->log[index].context &&
			  !refused(&book->log[i]) &&
			  (in_order ? i < index : is_before(&book->log[i], stamp));
	return before;
}

void identify_event(struct event *event)
{
	static struct { /* one reader at a time, which is done with it before the next event */
		uint8_t header[32]; /* of the event, up to the length that a replay shows */
		struct check_payload payload;
	} copy;
	uint32_t index, header = event->header_bytes;
	struct logged *log;

	if (event->flags & EVENT_STAMP_ONLY || event->payload_bytes < sizeof(copy.payload.stamp))
		return;
	if (header <= sizeof(copy.header))
		memcpy(copy.header + sizeof(copy.header) - header, event->payload - header, header);
	copy.payload = (struct check_payload){ .tag = check_tag(NO_CONTEXT, false, 0, 0, 0) };
	memcpy(&copy.payload.stamp, event->payload, sizeof(copy.payload.stamp));
	index = world_row.driver->desc->untimed ? next_one() : taken_by(copy.payload.stamp);
	if (index != NOBODY) {
		log = &world->book.log[index];
		log->stamp = copy.payload.stamp;
		log->read = true;
		copy.payload.entry = log->entry;
		copy.payload.exit = log->left ? log->exit : world_row.clock->now;
		copy.payload.tag =
			check_tag(log->context, log->inexact, 0, log->id,
				  sequence_of(index, log->stamp, world_row.driver->desc->untimed));
	}
	event->payload = (const uint8_t *)&copy.payload;
	event->payload_bytes = sizeof(copy.payload);
}

/* ---- what the reader of a foreign tracer finds (stops/foreign.h), and which event it is ---- */

static struct check *judging; /* or they are handed on */
static void (*handing)(void *arg, const struct event *event);
static void *handing_arg;
static uint32_t found;

void explore_judge_found(struct check *check)
{
	judging = check;
	found = 0;
}

void explore_hand_found(void (*each)(void *arg, const struct event *event), void *arg)
{
	judging = NULL;
	handing = each;
	handing_arg = arg;
}

void explore_clock_read(uint64_t now)
{
	struct book *book = &world->book;
	struct logged *log;
	uint32_t i;

	if (book->left.writers > CHECK_WRITERS_MAX)
		faults_raise(); /* a fourth CPU has no contexts of its own */
	/* The writer that runs is the one that entered last on its CPU and has not left. The fifth
	 * on one CPU has a context beyond CONTEXTS. */
	for (i = book->events; i-- > 0;) {
		log = &book->log[i];
		if (!log->left &&
		    (book->left.writers < 2 || log->context / CONTEXTS == book->writer)) {
			log->stamp = now;
			return;
		}
	}
}

unsigned int explore_cpu(void)
{
	return world->book.writer;
}

void explore_outcome(uint64_t digits)
{
	world_outcome = digits;
}

void explore_found(uint64_t value, uint64_t time, bool inexact)
{
	const struct book *book = &world->book;
	struct check_payload payload = { .tag = check_tag(NO_CONTEXT, false, 0, 0, 0) };
	struct event event = { .time = time,
			       .payload = (const uint8_t *)&payload,
			       .payload_bytes = sizeof(payload) };
	const struct logged *log;

	if (value - 1 < book->events && !refused(&book->log[value - 1])) {
		log = &book->log[value - 1];
		event.id = log->id;
		payload = (struct check_payload){
			.stamp = log->stamp,
			.entry = log->entry,
			.exit = log->exit,
			.tag = check_tag(log->context, inexact, 0, log->id,
					 sequence_of((uint32_t)value - 1, 0, true)),
		};
	}
	if (judging)
		check_event(judging, 0, found++, &event);
	else
		handing(handing_arg, &event);
}
