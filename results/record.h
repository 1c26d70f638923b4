/* SPDX-License-Identifier: MIT */
/*
 * The record of a run: one directory under results/, complete in itself.
 *
 *	results/.lock			held (flock) while a run writes
 *	results/latest			symbolic link to the newest finished run
 *	results/<UTC>-<alias>/		one run
 *		rows.jsonl		one line per repetition, appended as it is measured
 *		context.json		the machine; exists only until latest names the run
 *		bench.json		the finished run, in Google Benchmark's format (SCHEMA.md)
 *
 * What is promised, whatever moment the process is killed or the disk fills up:
 *  - a row for which record_add_row() returned 0 can be read back (a power cut may lose rows: they
 *    are not forced to the disk, since that traffic would disturb the cell measured next);
 *  - bench.json and every other file are whole or absent;
 *  - latest names a finished run or does not exist; earlier runs are never opened for writing.
 *
 * Functions that can fail print one line on stderr (what, why, remedy) and return an exit code of
 * base/exit.h. JSON arguments are borrowed: the caller keeps its own reference. A NULL where JSON
 * is due (a json_pack() that failed) is an error, never a crash. One thread writes a record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/exit.h"

/* Version of bench.json as SCHEMA.md describes it: kept in context.stampede.schema. */
#define RECORD_SCHEMA 4

#define RECORD_ROWS "rows.jsonl"
#define RECORD_CONTEXT "context.json"
#define RECORD_BENCH "bench.json"

struct record;

/*
 * Begins a run: locks root, then makes root/<UTC YYYYmmddTHHMMSSZ>-<alias>/ (with -2, -3, ...
 * added when that exists) and room for the first rows. root is created if missing, its parent
 * is not. alias: 1..64 of [A-Za-z0-9._-], see where_alias().
 * Errors: EXIT_RESOURCE when another run holds the lock, or root cannot be written or is full;
 * EXIT_USAGE for a bad alias. *rec is then NULL and nothing has changed.
 */
int record_create(const char *root, const char *alias, struct record **rec);

/* Path of the run's directory, as root was given; valid until the record ends. */
const char *record_dir(const struct record *rec);

/* Rows accepted so far. */
size_t record_row_count(const struct record *rec);

/*
 * Appends one repetition's row, an object, to rows.jsonl. On failure the file is put back to its
 * last whole row, and the row does not count.
 */
int record_add_row(struct record *rec, json_t *row);

/*
 * Names a section of bench.json, or replaces it: "context" (where_context(), needed before
 * record_finish()), "stress", ... Anything but "benchmarks", which the rows become. "context" is
 * also written to context.json at once, so that a killed run still knows its machine.
 */
int record_set(struct record *rec, const char *key, json_t *value);

/*
 * Ends a run well: writes bench.json, then lets root/latest point to it. On failure latest and all
 * earlier runs are as before, and the rows stay readable in the run's directory; without one row
 * the directory goes away. rec is freed and the lock released in every case.
 */
int record_finish(struct record *rec);

/* Ends a run early: the rows stay, latest is as before; without one row the directory goes away. */
void record_abort(struct record *rec);
