// SPDX-License-Identifier: MIT
#include "judge/buffer.h"
#include "base/fail.h"
#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t subbufs_bytes(const struct ring_config *config)
{
	return sizeof(struct subbuf) << config->count_shift;
}

struct ring_config buffer_config(const struct driver *driver, uint32_t subbuf_shift,
				 uint32_t count_shift)
{
	return (struct ring_config){
		.mode = RING_OVERWRITE,
		.subbuf_shift = subbuf_shift,
		.count_shift = count_shift,
		.stamp_bits = driver->stamp_bits,
		.counter_bits = driver->counter_bits,
		.fixed_bytes = driver->payload_bytes,
	};
}

int buffer_open(struct buffer *buffer, const struct driver *driver,
		const struct ring_config *config)
{
	size_t index_bytes = sizeof(struct subbuf) << 12;
	int error;

	end_crashes(driver->row);
	if (subbufs_bytes(config) > index_bytes)
		index_bytes = subbufs_bytes(config);
	*buffer = (struct buffer){ .driver = driver, .base_bytes = buffer_config_bytes(config) };
	buffer->base = mmap(NULL, buffer->base_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	buffer->scheme = aligned_alloc(64, bits_align(driver->scheme_bytes, 64));
	buffer->subbufs = aligned_alloc(64, index_bytes);
	if (buffer->base == MAP_FAILED || !buffer->scheme || !buffer->subbufs) {
		error = errno ? errno : ENOMEM;
		fail_line("no memory for a ring of %zu bytes: %s", buffer->base_bytes,
			  strerror(error));
		if (buffer->base == MAP_FAILED)
			buffer->base = NULL;
		buffer_close(buffer);
		return -error;
	}
	mlock(buffer->base, buffer->base_bytes);
	buffer->writer.random = rng_seed(0, 0);
	return buffer_reset(buffer, config);
}

int buffer_reset(struct buffer *buffer, const struct ring_config *config)
{
	struct writer old = buffer->writer;
	const struct ring *ring;

	if (buffer_config_bytes(config) > buffer->base_bytes || config->count_shift > 12)
		return -EINVAL;
	/* The timed code has its ring's size as constants (core/seam.h). */
	if (buffer->driver->timed && (config->subbuf_shift != RING_TIMED_SUBBUF_SHIFT ||
				      config->count_shift != RING_TIMED_COUNT_SHIFT))
		return -EINVAL;
	buffer->config = *config;
	buffer->writer = (struct writer){
		.extra_bytes = old.extra_bytes,
		.random_extra = old.random_extra,
		.high_every = old.high_every,
		.random = old.random,
	};
	/* Bytes of an earlier scheme or geometry must not pass for records. */
	memset(buffer->base, 0xa5, buffer->base_bytes);
	memset(buffer->subbufs, 0, subbufs_bytes(config));
	buffer->config.fixed_bytes = buffer->driver->payload_bytes + old.extra_bytes;
	buffer->driver->init(buffer->scheme, &buffer->config, buffer->base, buffer->subbufs,
			     &buffer->writer);
	ring = buffer_ring(buffer);
	if (ring_tail_is_packed(ring) && ring_bytes(ring) > ring_packed_most(ring)) {
		fail_line("%s: offsets of %u bits allow a ring of %llu bytes, not of %llu",
			  buffer->driver->row, ring->packed_bits,
			  (unsigned long long)ring_packed_most(ring),
			  (unsigned long long)ring_bytes(ring));
		return -EINVAL;
	}
	return 0;
}

void buffer_close(struct buffer *buffer)
{
	if (buffer->base)
		munmap(buffer->base, buffer->base_bytes);
	free(buffer->scheme);
	free(buffer->subbufs);
	*buffer = (struct buffer){ .driver = NULL };
}

void buffer_check(const struct buffer *buffer, struct check *check)
{
	check_init(check, buffer->driver->desc, buffer->config.stamp_bits);
	check->cpu = buffer->config.cpu;
	check->payload_most = buffer->driver->payload_bytes + buffer->writer.extra_bytes;
}

static uint64_t nested_entered(const struct buffer *buffer)
{
	uint64_t entered = 0;
	unsigned int context;

	for (context = CONTEXT_TASK + 1; context < CONTEXTS; context++)
		entered += *(const volatile uint64_t *)&buffer->writer.entered[context];
	return entered;
}

void buffer_drain(struct buffer *buffer, struct check *check)
{
	struct ring *ring = buffer_ring(buffer);
	enum ring_mode mode = ring->mode;
	uint64_t first, last, nested = nested_entered(buffer);

	buffer->driver->flush(buffer->scheme);
	/*
	 * Before the look at what is readable: what writers overwrote behind it would seem to have
	 * been overwritten in discard mode.
	 */
	ring->mode = RING_DISCARD;
	barrier();
	ring_readable(ring, &first, &last);
	if (mode == RING_OVERWRITE)
		ring_consume(ring, first);
	last = buffer->driver->drain(buffer->scheme, check, false);
	/*
	 * If any came, the last sub-buffer that is read need not be the one that the flush
	 * closed.
	 */
	check->closed_by_flush += nested_entered(buffer) != nested;
	if (buffer->tap)
		buffer->tap(buffer->tap_arg, buffer, first, last);
	ring_consume(ring, last);
	barrier();
	ring->mode = mode;
}
