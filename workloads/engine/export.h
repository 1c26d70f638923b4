/* SPDX-License-Identifier: MIT */
/*
 * Exports what run-stress records: <dir>/<row>/epoch-<n>, a trace each, since every epoch has a
 * ring geometry of its own; one file per writer's CPU. Nothing new is begun once `most` bytes are
 * written. Stamps are of the real clock; a pair of readings when it is opened and one when it is
 * closed date them in every trace.
 */
#pragma once

#include <pthread.h>

#include "base/wall.h"
#include "judge/export.h"

#define ENGINE_EXPORT_EPOCHS 64

struct engine_export {
	pthread_mutex_t lock; /* writers on several CPUs drain at the same time */
	char *dir; /* of the row */
	uint64_t most; /* bytes */
	bool ctf2; /* in place of 1.8 */
	uint64_t bytes;
	struct clock_pair opened; /* error_ns 0: could not be taken */
	unsigned int epochs; /* begun */
	struct export trace[ENGINE_EXPORT_EPOCHS]; /* by number of the epoch */
	int error;
};

/* For a buffer's tap: the epoch that its writer is in. */
struct engine_export_tap {
	struct engine_export *export;
	uint64_t epoch;
};

/* Makes the directory, if it is not there. An exit code, after a line on stderr. */
int engine_export_directory(const char *dir);

/* Makes <dir>/<row>. `ctf2` is as export_as_ctf2(). An exit code, after a line on stderr. */
int engine_export_open(struct engine_export *export, const char *dir, const char *row,
		       uint64_t most, bool ctf2);

/* The tap of a buffer; `arg` is a struct engine_export_tap. */
void engine_export_tap(void *arg, const struct buffer *buffer, uint64_t first, uint64_t last);

/* Finishes all traces. An exit code; says how much there is. */
int engine_export_close(struct engine_export *export);
