/* SPDX-License-Identifier: MIT */
/* The states of one writer at one stop, each with how many ways lead there and one of the ways. */
#ifndef STAMPEDE_RUNNER_EXPLORE_FRONTIER_H
#define STAMPEDE_RUNNER_EXPLORE_FRONTIER_H

#include <stdbool.h>
#include <string.h>

#include "intern.h"
#include "world.h"

#define FRONTIER_LEFT_MAX 128 /* things that can still happen */
#define FRONTIER_NONE UINT32_MAX

/* What happened since the writer was launched, and the stops counted after it. */
struct path {
	uint8_t actions;
	uint32_t stops;
	struct action action[WORLD_ACTIONS_MAX];
};

struct state {
	uint64_t ways;
	uint32_t shared; /* number of all of the world but the writer's own part */
	uint32_t frame; /* and of that part, in the frontier's frames */
	uint32_t left; /* things that can still happen */
	uint32_t next; /* with as much left, FRONTIER_NONE ends */
	struct path path;
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

/* Adds the ways of a state. Of two paths the one with fewer actions stays. */
void frontier_add(struct frontier *frontier, const struct state *state);

/* `then` after `path`, which is lengthened. */
void path_append(struct path *path, const struct path *then);

#endif
