/* SPDX-License-Identifier: MIT */
/*
 * References: what is kept in the repository of a run on a machine, small, one directory per
 * machine (SCHEMA.md has the form). The guide's default answer rests on them.
 */
#ifndef STAMPEDE_RESULTS_COMPARE_REFERENCE_H
#define STAMPEDE_RESULTS_COMPARE_REFERENCE_H

#include <jansson.h>
#include <stddef.h>

#define REFERENCE_FORM 1
#define REFERENCE_FILE "reference.json"
#define REFERENCE_NAME_BYTES 96

/* Where they are: $STAMPEDE_REFERENCES, else results/reference in the sources. */
const char *reference_dir(void);

/* The reference that a run makes, without its needs. NULL without memory. */
json_t *reference_make(const json_t *run);

/* Its directory: CPU model, family and model number, such as "intel-xeon-6-207". */
void reference_name(const json_t *reference, char *name, size_t size);

#endif
