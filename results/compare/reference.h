/* SPDX-License-Identifier: MIT */
/*
 * References: what is kept in the repository of a run on a machine, small, one directory per
 * machine (SCHEMA.md has the form), and how a run differs from one of them. Ratios are compared to
 * one and the same floor only, which is named.
 */
#ifndef STAMPEDE_RESULTS_COMPARE_REFERENCE_H
#define STAMPEDE_RESULTS_COMPARE_REFERENCE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#define REFERENCE_FORM 1
#define REFERENCE_FILE "reference.json"
#define REFERENCE_NAME_BYTES 96

/* Where they are: $STAMPEDE_REFERENCES, else results/reference in the sources. */
const char *reference_dir(void);

/*
 * All references in dir, by name, each with its directory's as "name". A file that is none is
 * left out, with a line on stderr. An empty array if there are none.
 */
json_t *reference_load(const char *dir);

/* The reference that a run makes, without its needs. NULL without memory. */
json_t *reference_make(const json_t *run);

/* Its directory: CPU model, family and model number, such as "intel-xeon-6-207". */
void reference_name(const json_t *reference, char *name, size_t size);

/* What one is called in a sentence: "AMD EPYC (commit 83eb575a1805)". */
void reference_title(const json_t *reference, char *title, size_t size);

/* How near a reference is to a machine. */
enum reference_near {
	REFERENCE_NONE,
	REFERENCE_VENDOR,
	REFERENCE_MODEL, /* the model's name, as far as both say more the same */
};

/* The nearest of all, borrowed; NULL: none of the same vendor. */
const json_t *reference_nearest(const json_t *all, const json_t *mine, enum reference_near *near);

/*
 * How the run that made `mine` differs from the nearest of all: a few lines of at most 100 columns.
 * Times differ if neither interval reaches the other; what is exact, if it differs at all.
 */
void reference_print(FILE *out, const json_t *all, const json_t *mine);

#endif
