/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to find a time in a trace file, against the file's size: by the begin stamps of
 * sub-buffers, and by reading from the start.
 */
#ifndef STAMPEDE_WORKLOADS_SEEK_CURVE_H
#define STAMPEDE_WORKLOADS_SEEK_CURVE_H

#include <jansson.h>
#include <stdint.h>

#define SEEK_MIB_FULL 1024 /* the largest file of a full bench */
#define SEEK_MIB 64

/*
 * Records with rows of the timed build (one that writes packets, one that writes ftrace
 * sub-buffers, one with a beat) files that grow by four up to `most_mib`, below $TMPDIR or /tmp,
 * and seeks in them at random. Appends an object per row and size to `into`, results/SCHEMA.md's
 * "seek". An exit code, after a line on stderr; the files are gone afterwards.
 */
int seek_curve(uint64_t most_mib, uint64_t seed, json_t *into);

/* A table of it. */
void seek_curve_print(FILE *text, const json_t *seek);

#endif
