// SPDX-License-Identifier: MIT
#include "runner/timing/cell_process.h"

#include <errno.h>
#include <fcntl.h>
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
static pid_t start(int ends[2])
{
	char hz[64];
	const char *const argv[] = { "/proc/self/exe", CELL_PROCESS_OPTION, hz, NULL };

	snprintf(hz, sizeof(hz), "%.3f", ticks_hz());
	return child_start(
		&(struct child_program){ .argv = argv, .prepare = take_ends, .arg = ends });
}

int cell_process_start(struct cell_process *process)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	pid_t pid = -1;

	*process = (struct cell_process){ .pid = 0 };
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail_line("no pipe to a process for timed cells: %s", strerror(errno));
	else
		pid = start((int[2]){ in[0], out[1] });
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
	const struct cell_injection *injected = &cell->injected;
	json_t *cpus = json_array(), *line;
	unsigned int i;

	for (i = 0; i < cell->threads; i++)
		json_array_append_new(cpus, json_integer(cell->pu[i]));
	line = json_pack("{s:s, s:i, s:f, s:f, s:o, s:b}", "row", cell->row, "pairs",
			 (int)cell->pairs, "instructions", cell->instructions, "atomics",
			 cell->atomics, "cpus", cpus, "cheap", cell->cheap);
	if (injected->on)
		json_object_set_new(line, "injected",
				    json_pack("[I, I, I]", (json_int_t)injected->wrap_every,
					      (json_int_t)injected->nest_every,
					      (json_int_t)injected->nest_depth));
	json_dumpf(line, to, JSON_COMPACT);
	json_decref(line);
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

/* False, after a line on stderr, if the line is not a whole cell. */
static bool read_cell(struct cell *cell, unsigned int pu[CELL_THREADS_MAX], const json_t *line)
{
	struct cell_injection *injected = &cell->injected;
	json_int_t every[3];
	json_error_t error;
	json_t *cpus, *injects = NULL;
	int pairs = 0, cheap = 0;

	if (json_unpack_ex((json_t *)(uintptr_t)line, &error, JSON_STRICT,
			   "{s:s, s:o, s?i, s?F, s?F, s?b, s?o}", "row", &cell->row, "cpus", &cpus,
			   "pairs", &pairs, "instructions", &cell->instructions, "atomics",
			   &cell->atomics, "cheap", &cheap, "injected", &injects)) {
		fail_line("no description of a cell: %s", error.text);
		return false;
	}
	cell->pairs = (unsigned int)pairs;
	cell->cheap = cheap;
	if (injects && !json_unpack(injects, "[I, I, I]", &every[0], &every[1], &every[2]))
		*injected = (struct cell_injection){ true, (uint64_t)every[0], (uint64_t)every[1],
						     (uint64_t)every[2] };
	for (; cell->threads < CELL_THREADS_MAX && cell->threads < json_array_size(cpus);
	     cell->threads++)
		pu[cell->threads] =
			(unsigned int)json_integer_value(json_array_get(cpus, cell->threads));
	cell->pu = pu;
	if (cell_driver(cell) && cell->threads && !(injected->on && cell->threads > 1))
		return true;
	fail_line("this cell is not complete: give row and cpus");
	return false;
}

static int run_lines(const struct place *place)
{
	unsigned int pu[CELL_THREADS_MAX];
	json_t *result, *asked;
	char *line = NULL;
	size_t room = 0;
	int status = EXIT_FINE;

	while (!status && getline(&line, &room, stdin) > 0) {
		struct cell cell = { .place = place, .instructions = -1, .atomics = -1 };

		asked = json_loads(line, 0, NULL);
		if (!read_cell(&cell, pu, asked)) {
			status = EXIT_USAGE;
		} else {
			result = cell_run(&cell);
			if (!result || json_dumpf(result, stdout, JSON_COMPACT) ||
			    putchar('\n') < 0 || fflush(stdout))
				status = EXIT_RESOURCE;
			json_decref(result);
		}
		json_decref(asked);
	}
	free(line);
	return status;
}

int cell_process_main(int argc, char **argv)
{
	struct place place = { .topology = NULL };
	int status;

	if (argc > 2)
		ticks_set_hz(strtod(argv[2], NULL));
	if (interrupts_install() || place_open(&place))
		return EXIT_RESOURCE;
	status = run_lines(&place);
	place_close(&place);
	return status;
}
