/* SPDX-License-Identifier: MIT */
/*
 * One schedule again, step by step, and its timeline: which writer interrupted which at which
 * step, the stamps taken, what a reader decodes, and the oracle that objected.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "explore/engine/search.h"

#define REPLAY_STEPS_MAX 256
#define REPLAY_HEADER_MAX 32 /* bytes of a header that are kept */

enum step_kind {
	STEP_ENTER, /* an event enters */
	STEP_LEAVE,
	STEP_STOP, /* the writer is interrupted here */
	STEP_PASS, /* it stops, and goes on: if `every` is asked for */
	STEP_SWITCH, /* another CPU's writer goes on */
	STEP_READ,
	STEP_FLUSH,
	STEP_JUMP,
	STEP_BACK,
	STEP_DEFERRED, /* a soft mask put the interrupt off */
};

/* One line of the timeline. */
struct step {
	enum step_kind kind;
	unsigned int depth; /* writers below this one */
	unsigned int cpu;
	unsigned int event; /* index in the log */
	bool reader; /* it is the reader of another CPU that stopped */
	uint64_t clock;
	uint64_t jump;
	const struct explore_site *site; /* where a writer stopped */
	const char *label; /* of a labelled point */
};

/* An event as its record says. */
struct decoded {
	unsigned int event;
	uint64_t time;
	uint32_t header_bytes;
	uint32_t flags; /* enum event_flag */
	uint8_t header[REPLAY_HEADER_MAX];
};

struct replay {
	bool every; /* asked for: stops at which nothing happens are steps, too */
	struct step step[REPLAY_STEPS_MAX];
	unsigned int steps;
	struct decoded decoded[WORLD_EVENTS_MAX];
	unsigned int decoded_count;
	struct logged log[WORLD_EVENTS_MAX];
	unsigned int events;
	unsigned int taken; /* actions */
	int fault; /* the signal that ended it; SIGALRM: the writer does not end */
	enum verdict verdict;
	uint32_t unmet;
	struct check check;
};

/* Follows `action`s through `search`; false if one of them does not fit. */
bool replay_run(const struct search *search, const struct action *action, unsigned int actions,
		struct replay *replay);

/* The timeline as text. */
void replay_print(FILE *text, const struct replay *replay);

/* All of it, for the picture that plots/schedule.py draws. */
json_t *replay_json(const struct replay *replay);

/* "n12.b3.j4:15.r7": actions and the stops that go by before each. */
void replay_format(const struct action *action, unsigned int actions, char *text, size_t bytes);

/* The other way round. How many, or -1 after a line on stderr. */
int replay_parse(const char *text, struct action *action, unsigned int most);
