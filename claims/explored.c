// SPDX-License-Identifier: MIT
/* What the explorer makes of a row, or of a known fault: by running it, as make history does. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims/claims.h"

static const struct known {
	const char *name;
	const char *row;
	const char *budget;
} history[] = {
#define X(name, row, budget) { #name, #row, budget },
#include "history_cases.inc"
#undef X
};

static const struct known *known(const char *name)
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
	return snprintf(path, PATH_MAX, "%s/cases/%s/%s.%.*s.so", build, name, row, length,
			shape) < PATH_MAX &&
	       !access(path, R_OK);
}

/* "... 122     0.00 s  BROKEN 27: exact 27 window 13", or "... s  kept". */
static bool understand(char *line, struct explored *seen)
{
	char *verdict = strstr(line, " s  "), *word, *rest;
	unsigned int oracle;

	if (!verdict)
		return false;
	*verdict = '\0';
	rest = verdict + strlen(" s  ");
	word = strrchr(line, ' '); /* seconds */
	while (word && word > line && word[-1] == ' ')
		word--;
	if (!word || word == line)
		return false;
	*word = '\0';
	word = strrchr(line, ' ');
	seen->schedules = word ? strtoull(word, NULL, 10) : 0;
	if (sscanf(rest, "BROKEN %" SCNu64 ":", &seen->broken) == 1)
		for (oracle = 0; oracle < ORACLES; oracle++) {
			word = strstr(rest, check_oracle_name((enum oracle)oracle));
			if (word)
				seen->objections[oracle] =
					strtoull(word + strcspn(word, " "), NULL, 10);
		}
	else if (strncmp(rest, "kept", 4) != 0)
		return false;
	return seen->schedules > 0;
}

static bool explore(const char *build, const char *object, const char *budget,
		    struct explored *seen)
{
	char command[3 * PATH_MAX], line[1000];
	bool understood;
	FILE *pipe;

	if (strchr(object, '\''))
		return false;
	snprintf(command, sizeof(command), "'%s/explore' --processes 1 --object '%s' %s 2>/dev/null",
		 build, object, budget);
	pipe = popen(command, "r");
	if (!pipe)
		return false;
	understood = fgets(line, sizeof(line), pipe) && understand(line, seen);
	/* The rest is the first broken schedule's timeline. */
	while (fgets(line, sizeof(line), pipe))
		;
	pclose(pipe);
	return understood;
}

bool lab_explore(const struct claims_lab *lab, const char *name, const char *budget,
		 struct explored *seen, struct claim_result *result)
{
	const struct known *one = known(name);
	char build[PATH_MAX], object[PATH_MAX];

	*seen = (struct explored){ .schedules = 0 };
	if (!budget)
		budget = one ? one->budget : "";
	if (!build_directory(lab, build) ||
	    !find_object(build, name, one ? one->row : name, budget, object)) {
		claim_say(result, CLAIM_UNTESTED, one ? "no explored form of %s: make history builds it" :
			  "no explored form of %s: make explored builds it", name);
		return false;
	}
	if (explore(build, object, budget, seen))
		return true;
	claim_say(result, CLAIM_UNTESTED, "the explorer did not judge %s", name);
	return false;
}
