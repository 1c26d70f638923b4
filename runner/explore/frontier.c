// SPDX-License-Identifier: MIT
#include "frontier.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_SPARSE 16

void path_append(struct path *path, const struct path *then)
{
	if (path->actions + then->actions > WORLD_ACTIONS_MAX)
		abort();
	if (!then->actions) {
		path->stops += then->stops;
		return;
	}
	memcpy(&path->action[path->actions], then->action, then->actions * sizeof(then->action[0]));
	path->action[path->actions].stops += path->stops;
	path->actions = (uint8_t)(path->actions + then->actions);
	path->stops = then->stops;
}

void frontier_free(struct frontier *frontier)
{
	intern_end(&frontier->frames);
	free(frontier->table);
	free(frontier->state);
	*frontier = (struct frontier){.count = 0};
}

static void *grown(void *from, size_t bytes)
{
	void *to = realloc(from, bytes);

	if (!to)
		abort();
	return to;
}

static uint32_t hash_of(const struct state *state)
{
	uint64_t both = ((uint64_t)state->shared << 32 | state->frame) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(both >> 32);
}

static bool same(const struct state *a, const struct state *b)
{
	return a->shared == b->shared && a->frame == b->frame;
}

/* The place in the table of that state, or the free one for it. */
static uint32_t *find(const struct frontier *frontier, const struct state *state)
{
	uint32_t at = hash_of(state) & (frontier->table_size - 1);

	while (frontier->table[at] && !same(&frontier->state[frontier->table[at] - 1], state))
		at = (at + 1) & (frontier->table_size - 1);
	return &frontier->table[at];
}

void frontier_clear(struct frontier *frontier)
{
	uint32_t i;

	/* Most are small, in a table that was once large. */
	if (frontier->count > frontier->table_size / TABLE_SPARSE)
		memset(frontier->table, 0, frontier->table_size * sizeof(*frontier->table));
	else
		for (i = frontier->count; i-- > 0;)
			*find(frontier, &frontier->state[i]) = 0;
	for (i = 0; i < frontier->lefts; i++)
		frontier->first[i] = FRONTIER_NONE;
	frontier->count = frontier->lefts = 0;
	intern_clear(&frontier->frames);
}

static void grow_table(struct frontier *frontier)
{
	uint32_t i, at;

	free(frontier->table);
	frontier->table_size = frontier->table_size ? 2 * frontier->table_size : 64;
	frontier->table = calloc(frontier->table_size, sizeof(*frontier->table));
	if (!frontier->table)
		abort();
	/* All of them differ. */
	for (i = 0; i < frontier->count; i++) {
		at = hash_of(&frontier->state[i]) & (frontier->table_size - 1);
		while (frontier->table[at])
			at = (at + 1) & (frontier->table_size - 1);
		frontier->table[at] = i + 1;
	}
}

void frontier_add(struct frontier *frontier, const struct state *state)
{
	struct state *added;
	uint32_t *place;

	if (state->left >= FRONTIER_LEFT_MAX)
		abort();
	if (frontier->count >= frontier->table_size / 2)
		grow_table(frontier);
	place = find(frontier, state);
	if (*place) {
		added = &frontier->state[*place - 1];
		added->ways += state->ways;
		if (state->path.actions < added->path.actions)
			added->path = state->path;
		return;
	}
	if (frontier->count == frontier->room) {
		frontier->room = frontier->room ? 2 * frontier->room : 64;
		frontier->state = grown(frontier->state, frontier->room * sizeof(*frontier->state));
	}
	added = &frontier->state[frontier->count];
	state_copy(added, state);
	for (; frontier->lefts <= state->left; frontier->lefts++)
		frontier->first[frontier->lefts] = FRONTIER_NONE;
	added->next = frontier->first[state->left];
	frontier->first[state->left] = frontier->count;
	*place = ++frontier->count;
}
