/* SPDX-License-Identifier: MIT */
/*
 * For tests of the page: Debian's headless Chromium, spoken to through its debugging pipe. Nothing
 * leaves the machine: every host name is made not to resolve.
 */
#ifndef STAMPEDE_TESTS_CDP_H
#define STAMPEDE_TESTS_CDP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct cdp {
	pid_t pid;
	int to;
	FILE *from;
	int next_id;
	char session[128];
	json_t *events; /* all that came, in order */
};

/* Starts the browser with a profile in `dir`. False if there is none, or it does not answer. */
bool cdp_open(struct cdp *cdp, const char *dir);
void cdp_close(struct cdp *cdp);

/* Calls a method with params (stolen, NULL for none); the result is new. NULL after a failure. */
json_t *cdp_call(struct cdp *cdp, const char *method, json_t *params);

/* Takes events until one of that name comes. False after `seconds`. */
bool cdp_await(struct cdp *cdp, const char *event, int seconds);

/* Value of a JavaScript expression; new. NULL, and a line on stderr, if it throws. */
json_t *cdp_value(struct cdp *cdp, const char *expression);

/* PNG of the page as it stands, into a file. */
bool cdp_screenshot(struct cdp *cdp, const char *path, bool whole_page);

#endif
