/* SPDX-License-Identifier: MIT */
/* What the writing and the reading half of the record share; not for other directories. */
#ifndef STAMPEDE_RESULTS_RECORD_INTERNAL_H
#define STAMPEDE_RESULTS_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

#include <jansson.h>

#include "base/fail.h"

#define RECORD_ROOT "results"
#define RECORD_ROWS "rows.jsonl"
#define RECORD_PARTS "parts.jsonl"
#define RECORD_CONTEXT "context.json"
#define RECORD_BENCH "bench.json"

/* A file of JSON values, one per line, that only grows. */
struct record_log {
	int fd;
	off_t bytes; /* up to its last whole line */
};

struct record {
	char *root;
	char *name; /* of the directory, inside root */
	char *dir; /* root/name */
	int root_fd;
	int lock_fd;
	int dir_fd;
	bool locked;
	struct record_log rows_log;
	struct record_log parts_log;
	json_t *rows;
	json_t *sections;
};

/* Creates a log in rec's directory, with room for its first lines. */
int record_log_create(struct record *rec, struct record_log *log, const char *name);

/* Appends one line; on failure the log is put back to its last whole line. */
int record_log_append(struct record *rec, struct record_log *log, const json_t *line);

/* what: "create", "write", ...; error: an errno. */
int record_fail_file(const char *what, const char *dir, const char *name, int error);

/* As record_check(), for the value of "context" alone. */
bool record_check_context(const json_t *context, char *why, size_t size);

#endif /* STAMPEDE_RESULTS_RECORD_INTERNAL_H */
