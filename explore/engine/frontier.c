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
	free(frontier->slot);
	free(frontier->state);
	*frontier = (struct frontier){ .count = 0 };
}

void frontier_clear(struct frontier *frontier)
{
	uint32_t i;

	for (i = 0; i < frontier->lefts; i++)
		frontier->first[i] = FRONTIER_NONE;
	frontier->count = frontier->lefts = 0;
	/* Slots of rounds before are free. */
	if (!++frontier->round) {
		memset(frontier->slot, 0, frontier->slots * sizeof(*frontier->slot));
		frontier->round = 1;
	}
	table_clear(&frontier->frames);
}

/* Where the key is, or would be. */
static struct frontier_slot *find(struct frontier_slot *slot, uint32_t slots, uint32_t round,
				  const struct state_key *key)
{
	uint64_t hash = ((uint64_t)key->shared << 32 | key->frame) * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 32);

	for (;; at++) {
		at &= slots - 1;
		if (slot[at].round != round || !memcmp(&slot[at].key, key, sizeof(*key)))
			return &slot[at];
	}
}

static void grow_slots(struct frontier *frontier)
{
	uint32_t slots = frontier->slots ? 2 * frontier->slots : 256, i;
	struct frontier_slot *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		end_memory("states");
	frontier->round += !frontier->round;
	for (i = 0; i < frontier->slots; i++)
		if (frontier->slot[i].round == frontier->round)
			*find(slot, slots, frontier->round, &frontier->slot[i].key) =
				frontier->slot[i];
	free(frontier->slot);
	frontier->slot = slot;
	frontier->slots = slots;
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
	struct frontier_slot *slot;
	struct state *state;

	if (left >= FRONTIER_LEFT_MAX)
		END_FAULT("a budget that no frontier has");
	if (frontier->count >= frontier->slots / 2)
		grow_slots(frontier);
	slot = find(frontier->slot, frontier->slots, frontier->round, key);
	if (slot->round == frontier->round) {
		state = &frontier->state[slot->number];
		state->ways += ways;
		if (path->actions + (then ? then->actions : 0u) < state->path.actions)
			join(&state->path, path, then);
		return;
	}
	if (frontier->count == frontier->room)
		grow(frontier);
	*slot = (struct frontier_slot){ *key, frontier->count, frontier->round };
	state = &frontier->state[frontier->count++];
	state->key = *key;
	state->left = left;
	state->ways = ways;
	join(&state->path, path, then);
	for (; frontier->lefts <= left; frontier->lefts++)
		frontier->first[frontier->lefts] = FRONTIER_NONE;
	state->next = frontier->first[left];
	frontier->first[left] = slot->number;
}
