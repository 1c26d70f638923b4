/* SPDX-License-Identifier: MIT */
/* The states of one writer at one stop, each with the number of ways there, and one of them. */
#pragma once

#include <string.h>

#include "base/table.h"
#include "explore/engine/world.h"

#define FRONTIER_LEFT_MAX 128 /* actions that a budget can have left */
#define FRONTIER_NONE UINT32_MAX

/* What happened since the writer was launched, and the stops counted after it. */
struct path {
	uint8_t actions;
	uint32_t stops;
	struct action action[WORLD_ACTIONS_MAX];
};

/* More of it, kept elsewhere. */
struct steps {
	uint32_t stops;
	uint8_t actions;
	const struct action *action;
};

/* What two paths have to share to lead to one state. */
struct state_key {
	uint32_t shared; /* number of all of the world but the writer's own part */
	uint32_t frame; /* and of that part, in the frontier's frames */
};

struct state {
	struct state_key key;
	uint32_t left; /* actions that the budget still allows */
	uint32_t next; /* with as much left, FRONTIER_NONE ends */
	uint64_t ways;
	struct path path; /* one of them */
};

/* Of a path most is unused, and states are copied more often than anything else. */
static inline void state_copy(struct state *to, const struct state *from)
{
	memcpy(to, from, offsetof(struct state, path.action));
	memcpy(to->path.action, from->path.action,
	       from->path.actions * sizeof(from->path.action[0]));
}

struct frontier {
	struct state *state; /* by the number of its key */
	uint32_t count, room;
	uint32_t first[FRONTIER_LEFT_MAX]; /* by what is left */
	uint32_t lefts; /* of these in use */
	struct table keys, frames;
};

void frontier_clear(struct frontier *frontier);
void frontier_free(struct frontier *frontier);

/*
 * Adds ways to a state, of which `path`, and then `then` unless it is NULL, is one. Of two the one
 * with fewer actions stays. `left` follows from the key.
 */
void frontier_add(struct frontier *frontier, const struct state_key *key, uint32_t left,
		  uint64_t ways, const struct path *path, const struct steps *then);
