// SPDX-License-Identifier: MIT
/* What the explorer finds of a row, or of a known fault: its --json, as make history runs it. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/exit.h"
#include "extras/claims/claims.h"

#define WORDS_MAX 40

static const struct known {
	const char *name;
	const char *row;
	const char *budget;
} history[] = {
#define X(name, row, budget) { #name, #row, budget },
#include "history_cases.inc"
#undef X
};

static const struct known *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(history) / sizeof(history[0]); i++)
		if (!strcmp(history[i].name, name))
			return &history[i];
	return NULL;
}

/* The directory that programs and explored rows are in. */
static bool build_directory(const struct claims_lab *lab, char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t length;

	if (lab->build) {
		snprintf(path, PATH_MAX, "%s", lab->build);
		return true;
	}
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return false;
	self[length] = '\0';
	snprintf(path, PATH_MAX, "%s", dirname(self));
	return true;
}

/* The explored form for the budget's shape: built by make, or left by make history. */
static bool find_object(const char *build, const char *name, const char *row, const char *budget,
			char path[PATH_MAX])
{
	const char *shape = strstr(budget, "--shape ");
	int length;

	if (!shape)
		return false;
	shape += strlen("--shape ");
	length = (int)strcspn(shape, " ");
	if (snprintf(path, PATH_MAX, "%s/explored/%s.%.*s.so", build, name, length, shape) <
		    PATH_MAX &&
	    !access(path, R_OK))
		return true;
	return snprintf(path, PATH_MAX, "%s/cases/%s/%s.%.*s.so", build, name, row, length, shape) <
		       PATH_MAX &&
	       !access(path, R_OK);
}

static uint64_t number(const json_t *json, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(json, key));
}

/* The one family of the explorer's document. */
static bool read_family(const json_t *family, struct explored *explored)
{
	const json_t *objections = json_object_get(family, "objections");
	unsigned int oracle;

	explored->schedules = number(family, "schedules");
	explored->broken = number(family, "broken");
	for (oracle = 0; oracle < ORACLES; oracle++)
		explored->objections[oracle] =
			number(objections, check_oracle_name((enum oracle)oracle));
	/* Whose writer dies has shown nothing of its times: an object of another build, perhaps. */
	return explored->schedules > 0 && !number(objections, "crash");
}

static bool read_document(const char *text, struct explored *explored)
{
	json_t *document = json_loads(text, 0, NULL), *family = NULL;
	bool good = !json_unpack(document, "{s:[{s:[o]}]}", "rows", "families", &family) &&
		    read_family(family, explored);

	json_decref(document);
	return good;
}

static bool explore(const char *build, const char *object, const char *budget,
		    struct explored *explored)
{
	char program[PATH_MAX + 16], *words = strdup(budget), *word, *save, *text = NULL;
	const char *argv[WORDS_MAX + 1] = { program, "--processes", "1",   "--json",
					    "-",     "--object",    object };
	const struct child_program child = { .argv = argv, .errors = "/dev/null" };
	unsigned int count = 7;
	bool good;
	int code;

	snprintf(program, sizeof(program), "%s/explore", build);
	for (word = strtok_r(words, " ", &save); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " ", &save))
		argv[count++] = word;
	code = child_run(&child, &text);
	good = (code == EXIT_FINE || code == EXIT_BROKEN) && read_document(text, explored);
	free(text);
	free(words);
	return good;
}

bool lab_explore(struct trial *trial, const char *name, const char *budget,
		 struct explored *explored)
{
	const struct known *known = find_known(name);
	char build[PATH_MAX], object[PATH_MAX];

	*explored = (struct explored){ .schedules = 0 };
	if (!budget)
		budget = known ? known->budget : "";
	if (!build_directory(trial->lab, build) ||
	    !find_object(build, name, known ? known->row : name, budget, object)) {
		claim_say(trial, CLAIM_UNTESTED,
			  known ? "no explored form of %1$s: make history builds it" :
				  "no explored form of %1$s: make explored SCHEMES==%1$s builds it",
			  name);
		return false;
	}
	if (explore(build, object, budget, explored))
		return true;
	claim_say(trial, CLAIM_UNTESTED, "the explorer did not judge %s", name);
	return false;
}
