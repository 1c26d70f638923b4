// SPDX-License-Identifier: MIT
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

void progress_begin(struct progress *progress, double expected_seconds)
{
	const char *terminal = getenv("TERM");

	*progress = (struct progress){
		.total = expected_seconds,
		.begin_ns = time_ns(),
		.printed_percent = -1,
		.terminal = isatty(STDERR_FILENO) && !(terminal && !strcmp(terminal, "dumb")),
	};
}

void progress_step(struct progress *progress, const char *phase, const char *what)
{
	double spent = (double)(time_ns() - progress->begin_ns) / 1e9, left;
	double part = progress->total > progress->done ? progress->done / progress->total : 1;
	int percent = (int)(100 * part);

	/* The plan's own estimate until enough is done to correct it. */
	left = part > 0.05 ? spent * (1 - part) / part : progress->total - progress->done;
	if (progress->terminal) {
		fprintf(stderr, "\r\033[K[%3d %%] %s: %s, %.0f s left", percent, phase, what, left);
		fflush(stderr);
	} else if (percent / 10 != progress->printed_percent / 10 ||
		   progress->printed_percent < 0) {
		fprintf(stderr, "[%3d %%] %s, %.0f s left\n", percent, phase, left);
		progress->printed_percent = percent;
	}
}

void progress_done(struct progress *progress, double expected_seconds)
{
	progress->done += expected_seconds;
}

void progress_end(struct progress *progress)
{
	if (progress->terminal)
		fputs("\r\033[K", stderr);
}
