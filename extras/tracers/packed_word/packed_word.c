// SPDX-License-Identifier: MIT
/* The header of `make take ROW=packed_word`: a ring for each thread, and a thread that reads. */
#include <take/packed_word_reader.h>

#include <pthread.h>
#include <unistd.h>

#include "extras/tracers/tracer.h"

enum { STAMP = 1, RINGS = 2 };

static const struct packed_word_event_type types[] = { { "stamp", "u64 of; u64 seq;", STAMP, 16 } };
static struct packed_word_tracer tracers[RINGS];
static FILE *streams[RINGS];
static pthread_t reader;
static volatile int over;

static void *read_rings(void *arg)
{
	struct packed_word_packet packet;
	int last, i;

	(void)arg;
	do {
		last = over; /* then once more */
		for (i = 0; i < RINGS; i++)
			for (; packed_word_read(&tracers[i], &packet) > 0;
			     packed_word_release(&tracers[i], &packet))
				fwrite(packet.bytes, packet.size, 1, streams[i]);
		usleep(100);
	} while (!last);
	return NULL;
}

static int open_rings(const char *folder)
{
	struct packed_word_options options = { .types = types, .type_count = 1 };
	struct packed_word_clock_rate clock;
	char path[512];
	FILE *text;
	uint32_t i;

	packed_word_clock_measure(&clock, 50);
	snprintf(path, sizeof(path), "%s/metadata", folder);
	text = fopen(path, "w");
	if (!text || packed_word_metadata(text, &options, &clock) || fclose(text))
		return 3;
	for (i = 0; i < RINGS; i++) {
		snprintf(path, sizeof(path), "%s/stream%u", folder, i);
		streams[i] = fopen(path, "w");
		options.number = i;
		if (!streams[i] || packed_word_open(&tracers[i], &options) ||
		    packed_word_attach(&tracers[i]))
			return 3;
	}
	return pthread_create(&reader, NULL, read_rings, NULL) ? 3 : 0;
}

static void record(unsigned int stream, uint64_t seq)
{
	const uint64_t payload[2] = { stream, seq };

	packed_word_write(&tracers[stream], STAMP, payload, sizeof(payload));
}

static uint64_t now(void)
{
	return packed_word_clock_real();
}

static int close_rings(const char *folder, FILE *decoded)
{
	int i;

	(void)folder;
	for (i = 0; i < RINGS; i++)
		packed_word_flush_open(&tracers[i]);
	over = 1;
	pthread_join(reader, NULL);
	for (i = 0; i < RINGS; i++)
		if (fclose(streams[i]))
			return 3;
	return fflush(decoded) ? 3 : 0;
}

const struct tracer_calls tracer = { open_rings, record, now, close_rings };
