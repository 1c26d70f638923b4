/* SPDX-License-Identifier: MIT */
/* What cut bits and a second channel do to real gaps: runs, text and JSON of both. */
#ifndef STAMPEDE_RUNNER_LAYOUT_EXPERIMENTS_H
#define STAMPEDE_RUNNER_LAYOUT_EXPERIMENTS_H

#include <jansson.h>

/*
 * Ties per million against cut bits, at each recorded gap file of `directory` and back to back, as
 * text and as json "precision". 0, or an exit code after a line on stderr.
 */
int layout_precision(const char *directory, json_t *json);

/* Compact events in a channel of their own, at some of those gaps; json "channels". */
int layout_channels(const char *directory, json_t *json);

#endif
