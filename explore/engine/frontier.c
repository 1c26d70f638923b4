// SPDX-License-Identifier: MIT
#include "explore/engine/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static void join(struct path *to, const struct path *path, const struct steps *then)
{
	unsigned int actions = path->actions;

	memcpy(to->action, path->action, actions * sizeof(path->action[0]));
	to->actions = path->actions;
	to->stops = path->stops;
	if (!then)
		return;
	if (actions + then->actions > WORLD_ACTIONS_MAX)
		END_FAULT("a path of too many actions");
	if (!then->actions) {
		to->stops += then->stops;
		return;
	}
	memcpy(&to->action[actions], then->action, then->actions * sizeof(then->action[0]));
	to->action[actions].stops += path->stops;
	to->actions = (uint8_t)(actions + then->actions);
	to->stops = then->stops;
}

void frontier_free(struct frontier *frontier)
{
	table_free(&frontier->frames);
	table_free(&frontier->keys);
	free(frontier->state);
	*frontier = (struct frontier){ .count = 0 };
}

void frontier_clear(struct frontier *frontier)
{
	uint32_t i;

	for (i = 0; i < frontier->lefts; i++)
		frontier->first[i] = FRONTIER_NONE;
	frontier->count = frontier->lefts = 0;
	table_clear(&frontier->keys);
	table_clear(&frontier->frames);
}

static void grow(struct frontier *frontier)
{
	frontier->room = frontier->room ? 2 * frontier->room : 64;
	frontier->state = realloc(frontier->state, frontier->room * sizeof(*frontier->state));
	if (!frontier->state)
		end_memory("states");
}

void frontier_add(struct frontier *frontier, const struct state_key *key, uint32_t left,
		  uint64_t ways, const struct path *path, const struct steps *then)
{
	uint32_t number = table_number(&frontier->keys, key, sizeof(*key));
	struct state *state;

	if (left >= FRONTIER_LEFT_MAX)
		END_FAULT("a budget that no frontier has");
	if (number < frontier->count) {
		state = &frontier->state[number];
		state->ways += ways;
		if (path->actions + (then ? then->actions : 0u) < state->path.actions)
			join(&state->path, path, then);
		return;
	}
	if (frontier->count == frontier->room)
		grow(frontier);
	state = &frontier->state[frontier->count++];
	state->key = *key;
	state->left = left;
	state->ways = ways;
	join(&state->path, path, then);
	for (; frontier->lefts <= left; frontier->lefts++)
		frontier->first[frontier->lefts] = FRONTIER_NONE;
	state->next = frontier->first[left];
	frontier->first[left] = number;
}
