// SPDX-License-Identifier: MIT
#include "judge/identify.h"

#include <string.h>

#include "explore/engine/world.h"

#define NOBODY WORLD_EVENTS_MAX
#define NO_CONTEXT 15 /* structure objects: "payload of no known context" */
_Static_assert(NO_CONTEXT >= CHECK_CONTEXTS, "it must be none");

void identify_begin(void)
{
	world->book.identified = 0;
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

/* How many of its context came before it: a context's events are recorded as they enter. */
static uint64_t sequence_of(uint32_t index)
{
	const struct book *book = &world->book;
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; i < index; i++)
		before +=
			book->log[i].context == book->log[index].context && !refused(&book->log[i]);
	return before;
}

void identify_event(struct event *event)
{
	static struct check_payload payload; /* one reader at a time; it takes it before the next */
	const struct logged *log;
	uint32_t index;

	if (event->flags & EVENT_STAMP_ONLY || event->payload_bytes < sizeof(payload.stamp))
		return;
	payload = (struct check_payload){ .tag = check_tag(NO_CONTEXT, false, 0, 0, 0) };
	memcpy(&payload.stamp, event->payload, sizeof(payload.stamp));
	index = world_row.driver->desc->untimed ? next_one() : taken_by(payload.stamp);
	if (index != NOBODY) {
		log = &world->book.log[index];
		payload.entry = log->entry;
		payload.exit = log->left ? log->exit : world_row.clock->now;
		payload.tag = check_tag(log->context, log->inexact, 0, log->id, sequence_of(index));
	}
	event->payload = (const uint8_t *)&payload;
	event->payload_bytes = sizeof(payload);
}
