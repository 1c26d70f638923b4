// SPDX-License-Identifier: MIT
#include "frontier.h"

#include <stdlib.h>
#include <string.h>

#include "intern.h"

#define CHUNK_BYTES (1024 * 1024)
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
	uint32_t i;

	for (i = 0; i < frontier->chunks; i++)
		free(frontier->chunk[i]);
	free(frontier->chunk);
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

static uint64_t hash_of(const struct state *state)
{
	const struct frame *frame = &state->frame;
	uint64_t seed = intern_hash(frame->event, frame->events * sizeof(frame->event[0]),
				    state->shared);

	seed = intern_hash(frame->logged, frame->events * sizeof(frame->logged[0]), seed);
	return intern_hash(frame->stack, frame->bytes, seed);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->bytes == b->bytes && a->events == b->events &&
	       !memcmp(a->stack, b->stack, a->bytes) &&
	       !memcmp(a->event, b->event, a->events * sizeof(a->event[0])) &&
	       !memcmp(a->logged, b->logged, a->events * sizeof(a->logged[0]));
}

static bool same(const struct state *a, const struct state *b, uint64_t b_hash)
{
	return a->hash == b_hash && a->shared == b->shared && same_frame(&a->frame, &b->frame);
}

/* The place in the table of that state, or the free one for it. */
static uint32_t *find(const struct frontier *frontier, const struct state *state, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (frontier->table_size - 1);

	while (frontier->table[at] &&
	       !same(&frontier->state[frontier->table[at] - 1], state, hash))
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
			*find(frontier, &frontier->state[i], frontier->state[i].hash) = 0;
	for (i = 0; i < frontier->lefts; i++)
		frontier->first[i] = FRONTIER_NONE;
	frontier->count = frontier->lefts = frontier->chunk_at = 0;
	frontier->chunk_used = 0;
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
		at = (uint32_t)frontier->state[i].hash & (frontier->table_size - 1);
		while (frontier->table[at])
			at = (at + 1) & (frontier->table_size - 1);
		frontier->table[at] = i + 1;
	}
}

static const uint8_t *copy_stack(struct frontier *frontier, const uint8_t *stack, uint32_t bytes)
{
	uint8_t *copy;

	if (frontier->chunks && frontier->chunk_used + bytes > CHUNK_BYTES) {
		frontier->chunk_at++;
		frontier->chunk_used = 0;
	}
	if (frontier->chunk_at == frontier->chunks) {
		frontier->chunk =
			grown(frontier->chunk, (frontier->chunks + 1) * sizeof(*frontier->chunk));
		frontier->chunk[frontier->chunks++] = grown(NULL, CHUNK_BYTES);
	}
	copy = frontier->chunk[frontier->chunk_at] + frontier->chunk_used;
	memcpy(copy, stack, bytes);
	frontier->chunk_used += bytes;
	return copy;
}

void frontier_add(struct frontier *frontier, const struct state *state)
{
	struct state *added;
	uint64_t hash = hash_of(state);
	uint32_t *place;

	if (state->left >= FRONTIER_LEFT_MAX)
		abort();
	if (frontier->count >= frontier->table_size / 2)
		grow_table(frontier);
	place = find(frontier, state, hash);
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
	added->hash = hash;
	added->frame.stack = copy_stack(frontier, state->frame.stack, state->frame.bytes);
	for (; frontier->lefts <= state->left; frontier->lefts++)
		frontier->first[frontier->lefts] = FRONTIER_NONE;
	added->next = frontier->first[state->left];
	frontier->first[state->left] = frontier->count;
	*place = ++frontier->count;
}
