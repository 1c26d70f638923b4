/* SPDX-License-Identifier: MIT */
/* The text of compare, at most 100 columns wide. */
#ifndef STAMPEDE_RESULTS_COMPARE_COMPARE_PRINT_H
#define STAMPEDE_RESULTS_COMPARE_COMPARE_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* One line about a run: its name, date, revision, machine and compiler. */
void compare_print_run(FILE *out, const char *letter, const char *file, const json_t *run);

/* Differences by comparison_machines(), one line each. */
void compare_print_machines(FILE *out, const json_t *differences);

/* A comparison_make(); without `all` only cells that changed or are too noisy. */
void compare_print(FILE *out, const json_t *comparison, bool all);

/* A comparison_matrix() of runs with these names. */
void compare_print_matrix(FILE *out, const json_t *matrix, const char *const *names, size_t count);

#endif
