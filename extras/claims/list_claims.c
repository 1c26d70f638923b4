// SPDX-License-Identifier: MIT
/* claims: what the texts claim that the schemes are from, each put to the test. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "extras/claims/claims.h"
#include "base/json.h"
#include "base/options.h"
#include "results/record.h"
#include "base/terminal.h"

struct claims_request {
	const char *run;
	const char *results;
	const char *json;
	bool into;
};

static bool parse(int argc, char **argv, struct claims_request *request, int *status)
{
	const struct option_entry entries[] = {
		{ "json", "FILE", "write the claims as JSON (- is standard output)", OPTION_TEXT,
		  .into = &request->json },
		{ "results", "DIR", "look in DIR for runs named without a '/' (default results)",
		  OPTION_TEXT, .into = &request->results },
		{ "into", NULL, "put the claims into RUN's own record, and print nothing",
		  OPTION_FLAG, .into = &request->into },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: claims [options] [RUN]\n"
		"Tests every checkable claim of the mails and notes that the schemes come from: on "
		"the virtual\n"
		"clock, by arithmetic, and by the record of RUN (default: latest, if there is "
		"one).\n",
		entries,
		"exit: 0 fine, even if a claim is refuted, 1 usage or a bad file, 3 no resource\n"
		"examples:\n"
		"  claims\n"
		"  claims --json - 20260101T120000Z-amd-epyc-2cpu\n",
		"RUN",
	};

	if (!options_parse(&program, argc, argv, status))
		return false;
	request->run = argv[optind];
	if (!request->run || !argv[optind + 1])
		return true;
	*status = option_refused(argv[optind + 1]);
	return false;
}

static void print(const json_t *claims)
{
	const json_t *claim;
	const char *verdict;
	size_t i;

	json_array_foreach(claims, i, claim) {
		verdict = json_text(claim, "verdict");
		printf("%s\n  %s\n  tested: %s\n  ", json_text(claim, "claim"),
		       json_text(claim, "where"), json_text(claim, "how"));
		terminal_print(stdout,
			       !strcmp(verdict, "holds")   ? TERMINAL_GOOD :
			       !strcmp(verdict, "refuted") ? TERMINAL_BAD :
							     TERMINAL_DOUBT,
			       0, verdict);
		printf(": %s\n\n", json_text(claim, "figure"));
	}
}

int main(int argc, char **argv)
{
	struct claims_request request = { .run = NULL };
	struct record_loaded loaded = { 0 };
	json_t *claims, *empty;
	int status = EXIT_FINE;

	if (!parse(argc, argv, &request, &status))
		return status;
	if (request.run && record_load(request.results, request.run, &loaded))
		return EXIT_USAGE;
	if (!request.run && record_exists(request.results, "latest") &&
	    record_load(request.results, "latest", &loaded))
		return EXIT_USAGE;
	if (request.into && !loaded.complete)
		return fail_with(EXIT_USAGE, "--into: give a RUN that has a bench.json");
	empty = json_object();
	claims = claims_test(loaded.json ? loaded.json : empty, NULL);
	if (request.into)
		status = json_object_set(loaded.json, "claims", claims) ||
			 json_out(loaded.file, loaded.json);
	else if (request.json)
		status = json_out(request.json, claims);
	else
		print(claims);
	status |= fflush(stdout);
	json_decref(claims);
	json_decref(empty);
	record_unload(&loaded);
	return status ? EXIT_RESOURCE : EXIT_FINE;
}
