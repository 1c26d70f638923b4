// SPDX-License-Identifier: MIT
#include "one_cell.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"
#include "options.h"
#include "ticks.h"

struct writing {
	struct one_cell *one;
	size_t used;
	unsigned int count;
	bool full;
};

static __attribute__((format(printf, 2, 3))) void put(struct writing *to, const char *format, ...)
{
	size_t left = ONE_CELL_TEXT_BYTES - to->used;
	va_list arguments;
	int bytes;

	va_start(arguments, format);
	bytes = vsnprintf(to->one->text + to->used, left, format, arguments);
	va_end(arguments);
	if (bytes < 0 || (size_t)bytes >= left || to->count + 1 >= ONE_CELL_ARGUMENTS) {
		to->full = true;
		return;
	}
	to->one->argv[to->count++] = to->one->text + to->used;
	to->used += (size_t)bytes + 1;
}

bool one_cell_write(struct one_cell *one, const char *row, const char *topology,
		    const struct cell *cell)
{
	const struct cell_injection *injected = &cell->injected;
	struct writing to = { .one = one };
	char cpus[CELL_THREADS_MAX * 12] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < cell->threads && i < CELL_THREADS_MAX; i++)
		used += (size_t)snprintf(cpus + used, sizeof(cpus) - used, "%s%u", i ? "," : "",
					 cell->pu[i]);
	put(&to, "bench");
	put(&to, ONE_CELL_OPTION);
	put(&to, "row=%s", row);
	put(&to, "events=%" PRIu64, cell->iterations);
	put(&to, "hz=%.3f", ticks_hz());
	put(&to, "probe_limit=%.6f", cell->probe_limit);
	put(&to, "wait_ns=%.0f", cell->wait_ns);
	put(&to, "topology=%s", topology);
	put(&to, "cpus=%s", cpus);
	if (injected->on) {
		put(&to, "wrap_every=%" PRIu64, injected->wrap_every);
		put(&to, "nest_every=%" PRIu64, injected->nest_every);
		put(&to, "nest_depth=%" PRIu64, injected->nest_depth);
	}
	one->argv[to.count] = NULL;
	return !to.full;
}

/* What the words say. */
struct reading {
	struct cell cell;
	const char *row;
	const char *topology;
	unsigned int pu[CELL_THREADS_MAX];
};

static bool read_cpus(struct reading *reading, const char *text)
{
	char *end;

	for (; *text && reading->cell.threads < CELL_THREADS_MAX; text = end + (*end == ',')) {
		reading->pu[reading->cell.threads++] = (unsigned int)strtoul(text, &end, 10);
		if (end == text || (*end && *end != ','))
			return false;
	}
	return !*text;
}

static bool read_word(struct reading *reading, const char *word)
{
	struct cell_injection *injected = &reading->cell.injected;
	const char *value = strchr(word, '=');
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
		{ "events=", &reading->cell.iterations },
		{ "wrap_every=", &injected->wrap_every },
		{ "nest_every=", &injected->nest_every },
		{ "nest_depth=", &injected->nest_depth },
	};
	size_t i, key_bytes;

	if (!value++)
		return false;
	key_bytes = (size_t)(value - word);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strncmp(word, numbers[i].key, key_bytes)) {
			*numbers[i].number = strtoull(value, NULL, 10);
			injected->on |= i > 0;
			return true;
		}
	if (!strncmp(word, "row=", key_bytes))
		reading->row = value;
	else if (!strncmp(word, "topology=", key_bytes))
		reading->topology = value;
	else if (!strncmp(word, "probe_limit=", key_bytes))
		reading->cell.probe_limit = strtod(value, NULL);
	else if (!strncmp(word, "wait_ns=", key_bytes))
		reading->cell.wait_ns = strtod(value, NULL);
	else if (!strncmp(word, "hz=", key_bytes))
		ticks_set_hz(strtod(value, NULL));
	else
		return !strncmp(word, "cpus=", key_bytes) && read_cpus(reading, value);
	return true;
}

int one_cell_main(int argc, char **argv)
{
	struct reading reading = { .row = NULL };
	struct place place = { .topology = NULL };
	struct cell *cell = &reading.cell;
	const struct driver *const *drivers;
	json_t *result;
	int i;

	for (i = 2; i < argc; i++)
		if (!read_word(&reading, argv[i])) {
			fprintf(stderr, "stampede: '%s' says nothing about a cell\n", argv[i]);
			return EXIT_USAGE;
		}
	drivers = cell->injected.on ? drivers_injected : drivers_timed;
	cell->empty = reading.row && !strcmp(reading.row, CELL_EMPTY);
	cell->driver = cell->empty || !reading.row ? drivers[0] : driver_find(drivers, reading.row);
	cell->pu = reading.pu;
	cell->place = &place;
	if (!reading.row || !cell->driver || !cell->iterations || !reading.topology ||
	    !cell->threads || (cell->injected.on && cell->threads > 1)) {
		fprintf(stderr, "stampede: this cell is not complete: row, events, hz, topology "
				"and cpus are due\n");
		return EXIT_USAGE;
	}
	if (interrupts_install() || place_open_xml(&place, reading.topology))
		return EXIT_RESOURCE;
	result = cell_run(cell);
	place_close(&place);
	if (!result)
		return EXIT_RESOURCE;
	json_dumpf(result, stdout, JSON_COMPACT);
	json_decref(result);
	return fflush(stdout) ? EXIT_RESOURCE : EXIT_FINE;
}
