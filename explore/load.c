// SPDX-License-Identifier: MIT
#include "explore/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/exit.h"
#include "base/fail.h"

/* What builds it: its path may be no name that make knows. */
static bool is_there(const struct explore_options *options, const char *row,
		     const struct family *family, const char *path)
{
	static bool said; /* one line is enough where no object is built */

	if (!access(path, F_OK))
		return true;
	if (said)
		return false;
	said = true;
	if (options->object)
		fail_line("no %s: targets history and mutants build such", path);
	else if (family->stops == STOPS_POINTS)
		fail_line("no %s: target explored-points builds main rows", path);
	else
		fail_line("no %s: target explored builds it, SCHEMES==%s", path, row);
	return false;
}

void load_path(const struct explore_options *options, const char *row, const struct family *family,
	       char *path, size_t bytes)
{
	if (options->object)
		snprintf(path, bytes, "%s", options->object);
	else
		snprintf(path, bytes, "%s/%s.%s%s.so", options->objects, row, family->shape,
			 family->stops == STOPS_POINTS ? ".points" : "");
}

/* What only rows can be asked for. */
static bool search_is_of_rows(const struct explore_options *options, const struct family *family)
{
	const struct budget *budget = &family->budget;

	if (options->search.engine == ENGINE_STATES) {
		fail_line("--engine states does not know a foreign tracer's events: leave it out, "
			  "and every schedule is run");
		return true;
	}
	if (!(budget->beats || budget->reads || budget->discards || budget->flushes ||
	      budget->live || budget->traced ||
	      (budget->writers > 1 && !world_row.driver->desc->shared_promises)))
		return false;
	fail_line(
		"a foreign tracer is searched with --events, --nested, --depth, --jumps, --backs, "
		"--clock, --before, --full, --offsets and --size: leave the others out");
	return true;
}

int load_foreign(struct explore_options *options)
{
	static char object[2 * PATH_MAX];
	char build[PATH_MAX], folder[PATH_MAX], shim[PATH_MAX + 8], into[PATH_MAX + 8];
	const char *const argv[] = { "make", "-s",  "--no-print-directory",
				     "-C",   build, "foreign",
				     shim,   into,  NULL };
	char *name = NULL;
	ssize_t length;
	int code;

	if (!realpath(options->foreign, folder))
		return fail_with(EXIT_USAGE, "--foreign %s: %s", options->foreign, strerror(errno));
	snprintf(into, sizeof(into), "%s/shim.c", folder);
	if (access(into, R_OK))
		return fail_with(EXIT_USAGE, "no %s: --foreign names a folder with one", into);
	/* This program is BUILD/explore, and the Makefile is beside BUILD. */
	length = readlink("/proc/self/exe", build, sizeof(build) - 1);
	if (length > 0) {
		build[length] = 0;
		*strrchr(build, '/') = 0;
		name = strrchr(build, '/');
	}
	if (name)
		snprintf(into, sizeof(into), "%.*s/Makefile", (int)(name - build), build);
	if (!name || access(into, R_OK)) {
		fail_line("--foreign compiles, and so wants the source tree beside this program: "
			  "clone it, and run build/explore there");
		return EXIT_UNSUPPORTED;
	}
	snprintf(into, sizeof(into), "BUILD=%s", name + 1);
	snprintf(shim, sizeof(shim), "SHIM=%s", folder);
	snprintf(object, sizeof(object), "%s/foreign%s.so", build, strrchr(folder, '/'));
	*name = 0;
	code = child_run(&(struct child_program){ .argv = argv }, NULL);
	if (code) {
		fail_line("%s could not be built: the lines above say why", options->foreign);
		return code == 2 ? EXIT_USAGE : EXIT_UNSUPPORTED;
	}
	options->object = object;
	return 0;
}

int load_row(const struct explore_options *options, const char *row, const struct family *family)
{
	char path[4096];
	int error;

	load_path(options, row, family, path, sizeof(path));
	if (!is_there(options, row, family, path))
		return -ENOENT;
	error = world_load(path);
	if (error)
		return error;
	options->show->shape = world_row.shape;
	options->show->object = options->object;
	options->show->foreign = options->foreign;
	if (world_row.foreign && search_is_of_rows(options, family))
		return -ENOTSUP;
	if (world_row.timed && !world_row.driver->desc->untimed &&
	    (family->clock == START_COARSE || world_row.driver->desc->ages)) {
		fail_line("--shape timed tells events by their stamps, and here several have the "
			  "same: choose another shape for %s",
			  row);
		return -ENOTSUP;
	}
	if (!family->budget.discards || !world_row.defers || world_row.discards)
		return 0;
	fail_line("--discards: %s puts interrupts off and has no discard: leave it "
		  "out of --schemes",
		  row);
	return -ENOTSUP;
}
