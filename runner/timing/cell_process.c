// SPDX-License-Identifier: MIT
#include "runner/timing/cell_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fail.h"
#include "workloads/engine/interrupts.h"
#include "base/options.h"
#include "workloads/workload.h"
#include "runner/place/ticks.h"

#define BY_SIGNAL 128 /* what child_wait() adds to one */

/* ---- the process that asks ---- */

/* In the new process: its ends of the pipes. */
static void take_ends(void *arg)
{
	const int *ends = arg;

	if (dup2(ends[0], STDIN_FILENO) < 0 || dup2(ends[1], STDOUT_FILENO) < 0)
		end_now(EXIT_RESOURCE);
}

/* -1, after a line on stderr. */
static pid_t start(const char *topology, int ends[2])
{
	char hz[64], *where;
	const char *argv[] = { "/proc/self/exe", CELL_PROCESS_OPTION, hz, NULL, NULL };
	pid_t pid;

	snprintf(hz, sizeof(hz), "hz=%.3f", ticks_hz());
	if (asprintf(&where, "topology=%s", topology) < 0)
		end_memory("a path");
	argv[3] = where;
	pid = child_start(
		&(struct child_program){ .argv = argv, .prepare = take_ends, .arg = ends });
	free(where);
	return pid;
}

int cell_process_start(struct cell_process *process, const char *topology)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	pid_t pid = -1;

	*process = (struct cell_process){ .pid = 0 };
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail_line("no pipe to a process for timed cells: %s", strerror(errno));
	else
		pid = start(topology, (int[2]){ in[0], out[1] });
	close(in[0]);
	close(out[1]);
	if (pid < 0) {
		close(in[1]);
		close(out[0]);
		return EXIT_RESOURCE;
	}
	process->pid = pid;
	/* One that has ended is told by its answer. */
	sigaction(SIGPIPE, &ignore, &process->pipe_was);
	process->to = fdopen(in[1], "w");
	process->from = fdopen(out[0], "r");
	if (!process->to || !process->from)
		end_memory("a process of cells");
	return EXIT_FINE;
}

/* Waits for its end. As child_wait(). */
static int reap(struct cell_process *process)
{
	int code;

	fclose(process->to);
	fclose(process->from);
	code = child_wait(process->pid);
	sigaction(SIGPIPE, &process->pipe_was, NULL);
	process->pid = 0;
	return code;
}

static int ended(struct cell_process *process, const char *row)
{
	int code = reap(process);

	if (workload_stop)
		return EXIT_INTERRUPTED;
	fail_line("the process for timed cells ended at %s with %s %d", row,
		  code < BY_SIGNAL ? "exit code" : "signal",
		  code < BY_SIGNAL ? code : code - BY_SIGNAL);
	return code && code < BY_SIGNAL ? code : EXIT_USAGE;
}

static void tell(FILE *to, const struct cell *cell)
{
	unsigned int i;

	fprintf(to, "row=%s pairs=%u more=%u instructions=%.6g atomics=%.6g cpus=", cell->row,
		cell->pairs, cell->more, cell->instructions, cell->atomics);
	for (i = 0; i < cell->threads; i++)
		fprintf(to, "%s%u", i ? "," : "", cell->pu[i]);
	if (cell->cheap)
		fputs(" clock=cheap", to);
	if (cell->injected.on)
		fprintf(to, " wrap_every=%" PRIu64 " nest_every=%" PRIu64 " nest_depth=%" PRIu64,
			cell->injected.wrap_every, cell->injected.nest_every,
			cell->injected.nest_depth);
	fputc('\n', to);
	fflush(to);
}

int cell_process_run(struct cell_process *process, const struct cell *cell, json_t **result)
{
	char *line = NULL;
	size_t room = 0;

	*result = NULL;
	tell(process->to, cell);
	if (getline(&line, &room, process->from) > 0)
		*result = json_loads(line, 0, NULL);
	free(line);
	return *result ? EXIT_FINE : ended(process, cell->row);
}

int cell_process_end(struct cell_process *process)
{
	if (!process->pid || !reap(process))
		return EXIT_FINE;
	return workload_stop ? EXIT_INTERRUPTED : EXIT_USAGE;
}

/* ---- the process that runs them ---- */

/* What the words of a line say. */
struct cell_reading {
	struct cell cell;
	unsigned int pu[CELL_THREADS_MAX];
};

static bool read_cpus(struct cell_reading *reading, const char *text)
{
	char *end;

	for (; *text && reading->cell.threads < CELL_THREADS_MAX; text = end + (*end == ',')) {
		reading->pu[reading->cell.threads++] = (unsigned int)strtoul(text, &end, 10);
		if (end == text || (*end && *end != ','))
			return false;
	}
	return !*text;
}

static bool read_word(struct cell_reading *reading, const char *word)
{
	struct cell *cell = &reading->cell;
	struct cell_injection *injected = &cell->injected;
	const char *value = strchr(word, '=');
	const struct {
		const char *key;
		unsigned int *number;
		uint64_t *injects;
		double *figure;
	} numbers[] = {
		{ .key = "pairs=", .number = &cell->pairs },
		{ .key = "more=", .number = &cell->more },
		{ .key = "instructions=", .figure = &cell->instructions },
		{ .key = "atomics=", .figure = &cell->atomics },
		{ .key = "wrap_every=", .injects = &injected->wrap_every },
		{ .key = "nest_every=", .injects = &injected->nest_every },
		{ .key = "nest_depth=", .injects = &injected->nest_depth },
	};
	size_t i, key_bytes;

	if (!value++)
		return false;
	key_bytes = (size_t)(value - word);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strncmp(word, numbers[i].key, key_bytes))
			continue;
		if (numbers[i].number)
			*numbers[i].number = (unsigned int)strtoul(value, NULL, 10);
		else if (numbers[i].figure)
			*numbers[i].figure = strtod(value, NULL);
		else
			*numbers[i].injects = strtoull(value, NULL, 10);
		injected->on |= numbers[i].injects != NULL;
		return true;
	}
	if (!strncmp(word, "row=", key_bytes))
		cell->row = value;
	else if (!strcmp(word, "clock=cheap"))
		cell->cheap = true;
	else
		return !strncmp(word, "cpus=", key_bytes) && read_cpus(reading, value);
	return true;
}

/* False, after a line on stderr, if the line is not a whole cell. */
static bool read_cell(struct cell_reading *reading, char *line)
{
	struct cell *cell = &reading->cell;
	char *word, *rest;

	for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (!read_word(reading, word)) {
			fail_line("unknown key '%s' in a cell description", word);
			return false;
		}
	cell->pu = reading->pu;
	if (cell->row && cell_driver(cell) && cell->threads &&
	    !(cell->injected.on && cell->threads > 1))
		return true;
	fail_line("this cell is not complete: give row and cpus");
	return false;
}

static int run_lines(const struct place *place)
{
	struct cell_reading reading;
	char *line = NULL;
	size_t room = 0;
	json_t *result;
	int status = EXIT_FINE;

	while (!status && getline(&line, &room, stdin) > 0) {
		reading = (struct cell_reading){
			.cell = { .place = place, .instructions = -1, .atomics = -1 }
		};
		if (!read_cell(&reading, line)) {
			status = EXIT_USAGE;
			break;
		}
		result = cell_run(&reading.cell);
		if (!result || json_dumpf(result, stdout, JSON_COMPACT) || putchar('\n') < 0 ||
		    fflush(stdout))
			status = EXIT_RESOURCE;
		json_decref(result);
	}
	free(line);
	return status;
}

int cell_process_main(int argc, char **argv)
{
	struct place place = { .topology = NULL };
	const char *topology = NULL;
	int i, status;

	for (i = 2; i < argc; i++)
		if (!strncmp(argv[i], "topology=", 9))
			topology = argv[i] + 9;
		else if (!strncmp(argv[i], "hz=", 3))
			ticks_set_hz(strtod(argv[i] + 3, NULL));
	if (!topology) {
		return fail_with(EXIT_USAGE, "" CELL_PROCESS_OPTION " is for bench: it needs a "
					     "topology, and cells on standard input");
	}
	if (interrupts_install() || place_open_xml(&place, topology))
		return EXIT_RESOURCE;
	status = run_lines(&place);
	place_close(&place);
	return status;
}
