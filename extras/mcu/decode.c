// SPDX-License-Identifier: MIT
/*
 * Reads on the host what a board has written: decode BOARD.BIN FOLDER INSTRUCTIONS makes the files
 * `truth` and `decoded` of docs/tracers/README.md, and prints the board's figures. The reader is
 * the row's own; it extends the stamps of TIME_BITS, across sub-buffers too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "extras/mcu/stream.h"

#include ROW_HEADER

#ifndef TIME_BITS
#define TIME_BITS COUNTER_BITS
#endif

struct source {
	int unused;
};

static inline void payload_fill(struct reservation *rsv, struct source *src, uint32_t len)
{
	(void)rsv;
	(void)src;
	(void)len;
}

#include "schemes/parts/defaults.h"

struct board_reading {
	FILE *truth, *decoded;
	const char *instructions; /* of the row on the board */
	uint64_t time; /* of the event before, in full */
	uint64_t base; /* what the counter did not have when the row began to sum it up */
	struct scheme_ring ring;
};

static void decoded(const struct board_reading *its, uint32_t word, uint64_t time)
{
	fprintf(its->decoded, "event %u %u %" PRIu64 "\n", word >> 30, word & 0x3fffffff, time);
}

/* Decodes one sub-buffer. False: these bytes are not a sub-buffer. */
static bool packet(struct board_reading *its, const uint8_t *bytes, const struct block *block)
{
	enum decode_result result;
	struct cursor cursor;
	struct event event;

	if (block->bytes > ring_subbuf_bytes(&its->ring.ring))
		return false;
	memcpy(ring_subbuf_base(&its->ring.ring, block->number), bytes, block->bytes);
	if (!FORMAT_CURSOR(&its->ring.ring, block->number, block->bytes, &cursor))
		return false;
	for (cursor.time = bits_advance(its->time, its->base + cursor.time, TIME_BITS);;
	     its->time = cursor.time) {
		result = decode_next(&cursor, &event);
		if (result != DECODE_EVENT)
			return result == DECODE_END;
		cursor.time = bits_advance(its->time, its->base + event.time, TIME_BITS);
		decoded(its, get_u32(event.payload), cursor.time);
	}
}

static void figures(FILE *decoded, const struct board_figures *its)
{
	fprintf(decoded, "lost - %u\n", its->lost);
	if (its->interrupts)
		printf("%u interrupts, %u of them at instructions of the row; events by depth %u "
		       "%u %u %u; "
		       "%u jumps of the clock; %u lost\n",
		       its->interrupts, its->within, its->at_depth[0], its->at_depth[1],
		       its->at_depth[2], its->at_depth[3], its->jumps, its->lost);
	/* With -icount shift=0 an instruction takes 1 ns. */
	if (its->price_events)
		printf("%.1f instructions per event\n",
		       (double)its->tick_ns * (its->price_ticks - its->empty_ticks) /
			       its->price_events);
}

static bool take(struct board_reading *its, const struct block *block, const void *bytes)
{
	const struct event_truth *truth = bytes;
	const uint8_t *hits = bytes;
	const uint64_t *words = bytes;
	uint32_t i, places = 0;

	switch (block->kind) {
	case BLOCK_START:
		its->time = *(const uint64_t *)bytes;
		its->base = its->time & ~bits_mask(COUNTER_BITS);
		return true;
	case BLOCK_PACKET:
		return packet(its, bytes, block);
	case BLOCK_EVENTS:
		for (i = 0; i + 3 <= block->bytes / sizeof(*words); i += 3)
			decoded(its, (uint32_t)words[i + 2], words[i + 1]);
		return !(block->bytes % 24);
	case BLOCK_TRUTH:
		for (i = 0; i < block->bytes / sizeof(*truth); i++)
			fprintf(its->truth, "event %u %u %" PRIu64 " %" PRIu64 "\n",
				truth[i].stream, truth[i].seq, truth[i].entry, truth[i].exit);
		return true;
	case BLOCK_FIGURES:
		figures(its->decoded, bytes);
		return true;
	case BLOCK_HITS:
		for (i = 0; i < block->bytes; i++)
			places += hits[i];
		printf("interrupted at %u of %s instructions\n", places, its->instructions);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const struct ring_config config = {
		.subbuf_shift = SEAM_SUBBUF_SHIFT,
		.count_shift = SEAM_COUNT_SHIFT,
		.stamp_bits = STAMP_BITS,
		.fixed_bytes = 4,
	};
	static uint8_t memory[1 << (SEAM_SUBBUF_SHIFT + SEAM_COUNT_SHIFT)]
		__attribute__((aligned(64)));
	static struct subbuf subbufs[1 << SEAM_COUNT_SHIFT];
	static struct board_reading its;
	static uint64_t bytes[8192];
	struct block block;
	char path[512];
	FILE *file;

	if (argc != 4 || !(file = fopen(argv[1], "r")))
		return fail_with(EXIT_USAGE, "decode BOARD.BIN FOLDER INSTRUCTIONS");
	its.instructions = argv[3];
	scheme_init(&its.ring, &config, memory, subbufs);
	snprintf(path, sizeof(path), "%s/truth", argv[2]);
	its.truth = fopen(path, "w");
	snprintf(path, sizeof(path), "%s/decoded", argv[2]);
	its.decoded = fopen(path, "w");
	if (!its.truth || !its.decoded)
		return fail_with(EXIT_RESOURCE, "cannot write to %s", argv[2]);
	while (fread(&block, sizeof(block), 1, file) == 1)
		if (block.bytes > sizeof(bytes) ||
		    fread(bytes, 1, block.bytes, file) != block.bytes || !take(&its, &block, bytes))
			return fail_with(EXIT_USAGE,
					 "%s: a block of kind %u, %u bytes, number %u is malformed",
					 argv[1], block.kind, block.bytes, block.number);
	fclose(file);
	if (fclose(its.truth) || fclose(its.decoded))
		return fail_with(EXIT_RESOURCE, "cannot write to %s", argv[2]);
	return 0;
}
