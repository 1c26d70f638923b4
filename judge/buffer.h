/* SPDX-License-Identifier: MIT */
/* A ring with its memory, the scheme that writes it, and what its writers counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/driver.h"

struct buffer {
	const struct driver *driver;
	void *scheme; /* starts with its struct ring */
	uint8_t *base;
	struct subbuf *subbufs;
	size_t base_bytes;
	struct ring_config config;
	struct writer writer;
	bool attached; /* a reader of another CPU reads it (judge/live.h) */
	/* Sees [first, last) of each drain before they are released; may be NULL. */
	void (*tap)(void *arg, const struct buffer *buffer, uint64_t first, uint64_t last);
	void *tap_arg;
};

/*
 * Allocates for `driver` whatever `config` asks for, touches it from the calling (pinned) thread
 * and starts an empty ring. Negative errno, after a line on stderr.
 */
int buffer_open(struct buffer *buffer, const struct driver *driver,
		const struct ring_config *config);

/* Empty again, with another geometry that needs no more memory; the writer's choices stay. */
int buffer_reset(struct buffer *buffer, const struct ring_config *config);

void buffer_close(struct buffer *buffer);

static inline struct ring *buffer_ring(const struct buffer *buffer)
{
	return buffer->scheme;
}

/* Bytes of a whole ring with this configuration. */
static inline uint64_t buffer_config_bytes(const struct ring_config *config)
{
	return UINT64_C(1) << (config->subbuf_shift + config->count_shift);
}

/* The ring's defaults for `driver`: `subbuf_shift`, `count_shift`, overwrite, the row's widths. */
struct ring_config buffer_config(const struct driver *driver, uint32_t subbuf_shift,
				 uint32_t count_shift);

/* check_init() for what `buffer` will hold: its row, widths, CPU and largest payload. */
void buffer_check(const struct buffer *buffer, struct check *check);

/*
 * Closes the open sub-buffer, decodes and judges all, releases them. Nested writers that come
 * meanwhile find an overwriting ring in discard mode, so that none is lapped while it is read.
 */
void buffer_drain(struct buffer *buffer, struct check *check);
