// SPDX-License-Identifier: MIT
/*
 * For lines.py, which runs this under valgrind's lackey: one event after the other, a store to
 * `mark` before and behind each, the first around nothing. On stdout: where everything is. For its
 * cachegrind, "event" and "empty": before each event, memory is read that evicts all else; of
 * "empty", no event comes then. The words are of one length: a longer one moves the stack to other
 * lines. usage: touch ROW PAUSE_MS lines|event|empty
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "judge/buffer.h"

#define EVENTS 400 /* more than a sub-buffer has room for */
#define STACK (64 << 10)
#define SLOW_EVERY 100
#define EVICTING (256 << 10) /* four times lines.py's last cache */

static volatile uint64_t mark;

static void evict(size_t bytes)
{
	static volatile uint8_t data[EVICTING];
	size_t at;

	for (at = 0; at < bytes; at += 64)
		(void)data[at];
}

static void pause_for(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	const struct driver *driver = argc > 1 ? driver_find(drivers_timed, argv[1]) : NULL;
	long pause_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	bool evicting = argc > 3 && strcmp(argv[3], "lines");
	bool empty = argc > 3 && !strcmp(argv[3], "empty");
	struct ring_config config;
	struct buffer buffer;
	uint64_t i;

	if (!driver || argc < 4)
		return fail_with(EXIT_USAGE, "usage: touch ROW PAUSE_MS lines|event|empty");
	if (driver->unsupported && driver->unsupported())
		return fail_with(EXIT_UNSUPPORTED, "%s: %s", driver->row, driver->unsupported());
	config = buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	driver->run(buffer.scheme, &buffer.writer, EVENTS);
	mark = UINT64_MAX;
	driver->run_empty(buffer.scheme, &buffer.writer, 1);
	mark = 0;
	printf("{\"mark\": %zu, \"stack\": [%zu, %zu], \"ring\": %zu, \"subbuf\": %d, \"events\": "
	       "%d, "
	       "\"slow_every\": %d}\n",
	       (size_t)&mark, (size_t)&i - STACK, (size_t)&i + STACK, (size_t)buffer.base,
	       1 << RING_TIMED_SUBBUF_SHIFT, EVENTS, SLOW_EVERY);
	for (i = 1; i <= EVENTS; i++) {
		if (!(i % SLOW_EVERY))
			pause_for(pause_ms);
		evict(evicting ? EVICTING : 64); /* its code is the loop's in all modes */
		mark = i;
		if (!empty)
			driver->run(buffer.scheme, &buffer.writer, 1);
		mark = 0;
	}
	buffer_close(&buffer);
	return 0;
}
