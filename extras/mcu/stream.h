/* SPDX-License-Identifier: MIT */
/* What the board writes to the host: blocks, each with its head. */
#pragma once

#include <stdint.h>

enum block_kind {
	BLOCK_START, /* u64: the true clock */
	BLOCK_PACKET, /* a sub-buffer up to its end; the block's number is its own */
	BLOCK_EVENTS, /* of barectf: each u64 id, time, payload */
	BLOCK_TRUTH, /* struct event_truth, any number */
	BLOCK_FIGURES, /* struct board_figures */
	BLOCK_HITS, /* u8 for each two bytes of the row's code: an interrupt came there */
};

struct block {
	uint32_t kind, bytes, number;
};

struct event_truth {
	uint32_t stream, seq;
	uint64_t entry, exit;
};

struct board_figures {
	uint32_t lost;
	uint32_t interrupts; /* of all levels */
	uint32_t within; /* of them, at an instruction of the row */
	uint32_t at_depth[4]; /* events, by the number of events that each one interrupted */
	uint32_t jumps; /* of the clock */
	uint32_t price_events; /* and the ticks that they and an empty loop took */
	uint32_t price_ticks, empty_ticks, tick_ns;
};
