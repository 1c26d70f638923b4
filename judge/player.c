// SPDX-License-Identifier: MIT
#include "judge/player.h"

#include <stddef.h>

#include "schemes/core/clock.h"
#include "schemes/core/points.h"

void player_clock(uint64_t now, uint64_t step)
{
	points = (struct points){ .hook = NULL };
	virtual_clock.now = now;
	virtual_clock.step = step;
}

uint64_t player_every(const struct driver *driver, uint32_t stamp_bits, double hz)
{
	return driver->desc->needs & NEED_BEAT ?
		       (uint64_t)driver_beat_ticks(driver, stamp_bits, hz) :
		       0;
}

void player_begin(struct player *player, struct buffer *buffer, uint64_t beat_every)
{
	*player = (struct player){
		.buffer = buffer,
		.beat_every = beat_every,
		.beat_next = virtual_clock.now + beat_every,
		.beat_latest = virtual_clock.now,
	};
}

void player_look(struct player *player)
{
	uint64_t since = virtual_clock.now - player->beat_latest;

	if (since > player->beat_worst)
		player->beat_worst = since;
}

void player_beat(struct player *player)
{
	struct buffer *buffer = player->buffer;
	uint64_t begin = virtual_clock.now;

	player->beats++;
	player->beating = true;
	if (player->around)
		player->around(player->arg, true);
	buffer->driver->beat(buffer->scheme, &buffer->writer);
	if (player->around)
		player->around(player->arg, false);
	player->beating = false;
	/* Bounds what the scheme can have seen: from before one beat to after the next. */
	player_look(player);
	player->beat_latest = begin;
	player->beat_next = begin + player->beat_every;
}

void player_event(struct player *player)
{
	player->buffer->driver->run(player->buffer->scheme, &player->buffer->writer, 1);
}

static void wait_until(uint64_t until)
{
	if ((int64_t)(until - virtual_clock.now) > 0)
		virtual_clock.now = until;
}

void player_until(struct player *players, unsigned int count, uint64_t until)
{
	struct player *first, *player;

	for (;;) {
		first = NULL;
		for (player = players; player < players + count; player++)
			if (player->beat_every && (int64_t)(until - player->beat_next) >= 0 &&
			    (!first || (int64_t)(player->beat_next - first->beat_next) < 0))
				first = player;
		if (!first)
			break;
		wait_until(first->beat_next);
		player_beat(first);
	}
	wait_until(until);
}

void player_pass(struct player *player, uint64_t ticks)
{
	player_until(player, 1, virtual_clock.now + ticks);
}
