/* SPDX-License-Identifier: MIT */
/* What the writing and the reading half of the record share; not for other directories. */
#ifndef STAMPEDE_RESULTS_RECORD_INTERNAL_H
#define STAMPEDE_RESULTS_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define RECORD_ROOT "results"
#define RECORD_ROWS "rows.jsonl"
#define RECORD_CONTEXT "context.json"
#define RECORD_BENCH "bench.json"

/* Prints "error: <message>" as one line on stderr; returns status. */
__attribute__((format(printf, 2, 3)))
int record_fail(int status, const char *format, ...);

/* As record_check(), for the value of "context" alone. */
bool record_check_context(const json_t *context, char *why, size_t size);

#endif /* STAMPEDE_RESULTS_RECORD_INTERNAL_H */
