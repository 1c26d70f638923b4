/* SPDX-License-Identifier: MIT */
/* The states of one writer at one stop, each with how many ways lead there and one of the ways. */
#ifndef STAMPEDE_EXPLORE_FRONTIER_H
#define STAMPEDE_EXPLORE_FRONTIER_H

#include <stdbool.h>
#include <string.h>

#include "explore/intern.h"
#include "explore/world.h"

#define FRONTIER_LEFT_MAX 128 /* things that can still happen */
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

/* Where ways lead. */
struct place {
	uint32_t shared; /* number of all of the world but the writer's own part */
	uint32_t frame; /* and of that part, in the frontier's frames */
	uint32_t left; /* things that can still happen */
};

struct state {
	struct place at;
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
	struct state *state;
	uint32_t count, room;
	uint32_t *table; /* state + 1; open addressing */
	uint32_t table_size;
	uint32_t first[FRONTIER_LEFT_MAX]; /* by what is left */
	uint32_t lefts; /* of these in use */
	struct intern frames;
};

void frontier_clear(struct frontier *frontier);
void frontier_free(struct frontier *frontier);

/*
 * Adds ways to a place, of which `path`, and then `then` unless it is NULL, is one. Of two the one
 * with fewer actions stays.
 */
void frontier_add(struct frontier *frontier, const struct place *at, uint64_t ways,
		  const struct path *path, const struct steps *then);

#endif
