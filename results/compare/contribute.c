// SPDX-License-Identifier: MIT
#include "results/compare/contribute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/child.h"
#include "base/json.h"
#include "results/record.h"
#include "results/record_internal.h"
#include "results/compare/reference.h"
#include "results/samples.h"

/* As in compare.c, and of base/options.h. */
enum { REFUSED_BROKEN = 2, REFUSED_UNFINISHED = 5, REFUSED_NOISY = 7 };

/* Six digits are more than any interval leaves. */
#define DIGITS 6

/* The first row of this section that broke a promise; NULL: none. */
static const char *broken_in(const json_t *run, const char *section)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run, section), i, one)
		if (!strcmp(json_text(one, "verdict"), "broken"))
			return json_text(one, "row");
	return NULL;
}

static const char *broken_row(const json_t *run)
{
	static const char *const sections[] = { "table",     "stress", "timed_storm",
						"late_beat", "idle",   "replay" };
	const char *row = NULL;
	size_t i;

	for (i = 0; !row && i < sizeof(sections) / sizeof(sections[0]); i++)
		row = broken_in(run, sections[i]);
	return row;
}

static bool has_floor(const json_t *run)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run, "table"), i, one)
		if (!strcmp(json_text(one, "row"), SAMPLES_FLOOR_OLD) &&
		    !strcmp(json_text(one, "workload"), "steady"))
			return true;
	return false;
}

static int refuse(const struct record_loaded *loaded)
{
	const json_t *run = loaded->json;
	const json_t *noise = json_object_get(run, "noise");
	const char *row;

	if (!loaded->complete)
		return fail_with(REFUSED_UNFINISHED,
				 "%s comes from a run that never finished: repeat it",
				 loaded->file);
	if (strstr(json_text(run, "command"), "QUICK=1"))
		return fail_with(EXIT_USAGE,
				 "%s is a quick run, whose times are no "
				 "reference: run make bench, or make bench FULL=1",
				 loaded->file);
	if (!has_floor(run))
		return fail_with(EXIT_USAGE,
				 "%s has no steady cell of '%s', the floor of all "
				 "ratios: run make bench",
				 loaded->file, SAMPLES_FLOOR_OLD);
	/* What a record does not say is not taken for calm. */
	if (!json_is_false(json_object_get(noise, "too_noisy")))
		return fail_with(REFUSED_NOISY,
				 "%s is too noisy, or does not say how noisy: "
				 "stop other work and run again",
				 loaded->file);
	row = broken_row(run);
	if (row)
		return fail_with(REFUSED_BROKEN,
				 "%s: '%s' broke a promise: report it as an issue; "
				 "such a run is no reference",
				 loaded->file, row);
	return EXIT_FINE;
}

static int make_directory(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return EXIT_FINE;
	return fail_with(EXIT_RESOURCE, "cannot create %s: %s; check its parent", path,
			 strerror(errno));
}

static int write_reference(const json_t *reference, const char *dir)
{
	char name[REFERENCE_NAME_BYTES], path[4096], file[4096 + 16];
	struct stat state;
	bool replaced;
	int status;

	reference_name(reference, name, sizeof(name));
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return fail_with(EXIT_USAGE, "'%s' is too long a name", dir);
	snprintf(file, sizeof(file), "%s/" REFERENCE_FILE, path);
	replaced = !stat(file, &state);
	status = make_directory(dir);
	if (!status)
		status = make_directory(path);
	if (!status)
		status = json_out_lines(file, reference, JSON_REAL_PRECISION(DIGITS));
	if (!status)
		printf("%s %s\nmake readme shows it; git add it for a pull request\n",
		       replaced ? "replaced" : "made", file);
	return status;
}

static int fail_plots(const char *why)
{
	return fail_with(EXIT_USAGE,
			 "cannot ask " PLOTS_PROGRAM " for the guide: %s; make "
			 "builds it",
			 why);
}

/*
 * Which rows qualify for which need is the guide's to say: a new array, by what the page is made
 * by.
 */
static int ask_needs(const char *file, json_t **needs)
{
	const struct child_program plots = {
		.argv = (const char *const[]){ PLOTS_PROGRAM, "--needs", file, NULL },
	};
	char *text = NULL;
	int status = child_run(&plots, &text);

	*needs = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	if (status < 0)
		return fail_plots("it cannot be started");
	/* It has said why. */
	if (status)
		return status;
	return *needs ? EXIT_FINE : fail_plots("no answer");
}

int contribute(const char *results, const char *path, const char *dir)
{
	struct record_loaded loaded;
	json_t *reference, *needs = NULL;
	int status = record_load(results, path, &loaded);

	if (status)
		return status;
	status = refuse(&loaded);
	if (!status)
		status = ask_needs(loaded.file, &needs);
	if (!status) {
		reference = reference_make(loaded.json);
		json_object_set(reference, "needs", needs);
		status = reference ? write_reference(reference, dir) : fail_memory("the record");
		json_decref(reference);
	}
	json_decref(needs);
	record_unload(&loaded);
	return status;
}
