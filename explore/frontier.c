// SPDX-License-Identifier: MIT
#include "explore/frontier.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_SPARSE 16

static void join(struct path *to, const struct path *path, const struct steps *then)
{
	unsigned int actions = path->actions;

	memcpy(to->action, path->action, actions * sizeof(path->action[0]));
	to->actions = path->actions;
	to->stops = path->stops;
	if (!then)
		return;
	if (actions + then->actions > WORLD_ACTIONS_MAX)
		abort();
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

static uint32_t hash_of(const struct place *at)
{
	uint64_t both = ((uint64_t)at->shared << 32 | at->frame) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(both >> 32);
}

static bool same(const struct place *a, const struct place *b)
{
	return a->shared == b->shared && a->frame == b->frame;
}

/* Where the table has that one, or room for it. */
static uint32_t *find(const struct frontier *frontier, const struct place *place)
{
	uint32_t at = hash_of(place) & (frontier->table_size - 1);

	while (frontier->table[at] &&
	       !same(&frontier->state[frontier->table[at] - 1].at, place))
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
			*find(frontier, &frontier->state[i].at) = 0;
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
		at = hash_of(&frontier->state[i].at) & (frontier->table_size - 1);
		while (frontier->table[at])
			at = (at + 1) & (frontier->table_size - 1);
		frontier->table[at] = i + 1;
	}
}

void frontier_add(struct frontier *frontier, const struct place *at, uint64_t ways,
		  const struct path *path, const struct steps *then)
{
	struct state *added;
	uint32_t *slot;

	if (at->left >= FRONTIER_LEFT_MAX)
		abort();
	if (frontier->count >= frontier->table_size / 2)
		grow_table(frontier);
	slot = find(frontier, at);
	if (*slot) {
		added = &frontier->state[*slot - 1];
		added->ways += ways;
		if (path->actions + (then ? then->actions : 0u) < added->path.actions)
			join(&added->path, path, then);
		return;
	}
	if (frontier->count == frontier->room) {
		frontier->room = frontier->room ? 2 * frontier->room : 64;
		frontier->state = grown(frontier->state, frontier->room * sizeof(*frontier->state));
	}
	added = &frontier->state[frontier->count];
	added->at = *at;
	added->ways = ways;
	join(&added->path, path, then);
	for (; frontier->lefts <= at->left; frontier->lefts++)
		frontier->first[frontier->lefts] = FRONTIER_NONE;
	added->next = frontier->first[at->left];
	frontier->first[at->left] = frontier->count;
	*slot = ++frontier->count;
}
