/* SPDX-License-Identifier: MIT */
/* How far a run is and how long it will go on, on stderr: in place on a terminal, else by line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	double total; /* expected seconds of all steps; rescaled to what was seen */
	double done; /* of these */
	uint64_t begin_ns;
	int printed_percent;
	bool terminal;
};

void progress_begin(struct progress *progress, double expected_seconds);

/* `what` is about to run. */
void progress_step(struct progress *progress, const char *phase, const char *what);

/* A step that was expected to take so long is done. */
void progress_done(struct progress *progress, double expected_seconds);

/* Clears the line. */
void progress_end(struct progress *progress);
