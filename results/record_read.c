// SPDX-License-Identifier: MIT
/* Reading a run's record back, and the check that reader and writer share. */
#define _GNU_SOURCE
#include "results/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

#define REMEDY_PATH "give a bench.json, a run's directory, or latest"

/* What a row must bring; Google Benchmark's compare.py needs these, and so do we. */
static const struct row_field {
	const char *key;
	enum { FIELD_TEXT, FIELD_COUNT, FIELD_TIME } kind;
	json_int_t min; /* of a count */
} row_fields[] = {
	{ "name", FIELD_TEXT, 0 },
	{ "run_name", FIELD_TEXT, 0 },
	{ "run_type", FIELD_TEXT, 0 },
	{ "repetitions", FIELD_COUNT, 1 },
	{ "repetition_index", FIELD_COUNT, 0 },
	{ "threads", FIELD_COUNT, 1 },
	{ "iterations", FIELD_COUNT, 1 },
	{ "real_time", FIELD_TIME, 0 },
	{ "cpu_time", FIELD_TIME, 0 },
	{ "time_unit", FIELD_TEXT, 0 },
};

static bool field_ok(const json_t *value, const struct row_field *field)
{
	switch (field->kind) {
	case FIELD_TEXT:
		return json_string_length(value) > 0;
	case FIELD_COUNT:
		return json_is_integer(value) && json_integer_value(value) >= field->min;
	default:
		return json_is_number(value) && json_number_value(value) >= 0;
	}
}

static bool one_of(const json_t *value, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(json_string_value(value), *words))
			return true;
	return false;
}

bool record_check_row(const json_t *row, char *why, size_t size)
{
	static const char *const kinds[] = { "text", "a whole number", "a time >= 0" };
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	/* Every repetition's row and never only means: aggregates are the reader's to make. */
	static const char *const types[] = { "iteration", NULL };

	if (!json_is_object(row)) {
		snprintf(why, size, "a row must be a JSON object");
		return false;
	}
	for (size_t i = 0; i < sizeof(row_fields) / sizeof(row_fields[0]); i++) {
		const struct row_field *field = &row_fields[i];
		const json_t *value = json_object_get(row, field->key);

		if (field_ok(value, field))
			continue;
		if (field->kind == FIELD_COUNT)
			snprintf(why, size, "'%s' must be %s >= %" JSON_INTEGER_FORMAT, field->key,
				 kinds[field->kind], field->min);
		else
			snprintf(why, size, "'%s' must be %s", field->key, kinds[field->kind]);
		return false;
	}
	if (!one_of(json_object_get(row, "time_unit"), units)) {
		snprintf(why, size, "'time_unit' must be ns, us, ms or s");
		return false;
	}
	if (!one_of(json_object_get(row, "run_type"), types)) {
		snprintf(why, size, "'run_type' must be iteration");
		return false;
	}
	return true;
}

static bool check_context(const json_t *context, char *why, size_t size)
{
	const json_t *stampede = json_object_get(context, "stampede");
	const json_t *schema = json_object_get(stampede, "schema");

	if (!json_is_object(stampede) || !json_is_integer(schema)) {
		snprintf(why, size, "no context.stampede.schema, so not a record of Stampede");
		return false;
	}
	if (json_integer_value(schema) < 1 || json_integer_value(schema) > RECORD_SCHEMA) {
		snprintf(why, size,
			 "schema %" JSON_INTEGER_FORMAT
			 " is unknown to this Stampede, which reads up to %d",
			 json_integer_value(schema), RECORD_SCHEMA);
		return false;
	}
	if (!json_string_length(json_object_get(context, "host_name"))) {
		snprintf(why, size, "no context.host_name");
		return false;
	}
	return true;
}

bool record_check(const json_t *document, char *why, size_t size)
{
	const json_t *rows = json_object_get(document, "benchmarks");
	char row_why[200];

	if (!check_context(json_object_get(document, "context"), why, size))
		return false;
	if (!json_array_size(rows)) {
		snprintf(why, size, "no 'benchmarks' with at least one row");
		return false;
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		if (!record_check_row(json_array_get(rows, i), row_why, sizeof(row_why))) {
			snprintf(why, size, "benchmarks[%zu]: %s", i, row_why);
			return false;
		}
	}
	return true;
}

/* NULL, and one line on stderr, unless the file is one JSON value. */
static json_t *read_json(const char *file, int *status)
{
	json_error_t error;
	json_t *json = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	struct stat st;
	bool cut;

	*status = EXIT_FINE;
	if (json)
		return json;
	if (json_error_code(&error) == json_error_cannot_open_file) {
		*status = fail_with(EXIT_RESOURCE, "%s; check its permissions", error.text);
		return NULL;
	}
	/* It may be cut inside a word or number, which then is not one: the error is at the end. */
	cut = json_error_code(&error) == json_error_premature_end_of_input ||
	      (!stat(file, &st) && error.position >= st.st_size);
	*status = fail_with(EXIT_USAGE, "%s: line %d, byte %d: %s; %s", file, error.line,
			    error.position, error.text,
			    cut ? "the file is cut off: run again, or look for " RECORD_ROWS
				  " in its directory" :
				  REMEDY_PATH);
	return NULL;
}

/* One line of rows.jsonl, without its newline, becomes a row. */
static int load_row(const char *file, size_t number, const char *line, size_t size, json_t *rows)
{
	json_error_t error;
	json_t *row = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
	char why[256];

	if (!row)
		return fail_with(EXIT_USAGE, "%s: line %zu, byte %d: %s; remove it", file, number,
				 error.position, error.text);
	if (!record_check_row(row, why, sizeof(why))) {
		json_decref(row);
		return fail_with(EXIT_USAGE, "%s: line %zu: %s; remove it", file, number, why);
	}
	return json_array_append_new(rows, row) ? fail_memory(file) : EXIT_FINE;
}

/* Rows are lines that end in a newline: what follows the last one was cut off by a kill. */
static int load_rows(const char *file, struct record_loaded *out)
{
	json_t *rows = json_array();
	FILE *in = fopen(file, "re");
	char *line = NULL;
	size_t room = 0, number = 0;
	ssize_t size;
	int status = EXIT_FINE;

	out->json = json_pack("{s:{}, s:o}", "context", "benchmarks", rows);
	if (!in || !out->json)
		status = in ? fail_memory(file) : fail_file("read", file, errno);
	while (!status && (size = getline(&line, &room, in)) > 0) {
		if (line[size - 1] == '\n')
			status = load_row(file, ++number, line, (size_t)size - 1, rows);
		else
			out->torn_bytes = (size_t)size;
	}
	if (!status && ferror(in))
		status = fail_file("read", file, errno);
	if (!status && !number)
		status = fail_with(EXIT_USAGE,
				   "%s: no whole row: the run ended before its first; run again",
				   file);
	if (in)
		fclose(in);
	free(line);
	return status;
}

/* The machine of a run that did not finish: beside its rows, if it got that far. */
static int load_context(const char *rows_file, struct record_loaded *out)
{
	const char *slash = strrchr(rows_file, '/');
	char file[PATH_MAX], why[256];
	json_t *context;
	int status = EXIT_FINE;

	snprintf(file, sizeof(file), "%.*s" RECORD_CONTEXT,
		 slash ? (int)(slash - rows_file) + 1 : 0, rows_file);
	if (access(file, F_OK))
		return EXIT_FINE;
	context = read_json(file, &status);
	if (context && !check_context(context, why, sizeof(why)))
		status = fail_with(EXIT_USAGE, "%s: %s; remove it", file, why);
	else if (context && json_object_set(out->json, "context", context))
		status = fail_memory(file);
	json_decref(context);
	return status;
}

static int load_file(const char *file, struct record_loaded *out)
{
	const char *dot = strrchr(file, '.');
	char why[256];
	int status;

	out->file = strdup(file);
	if (!out->file)
		return fail_memory(file);
	if (dot && !strcmp(dot, ".jsonl")) {
		status = load_rows(file, out);
		return status ? status : load_context(file, out);
	}
	out->json = read_json(file, &status);
	if (out->json && !record_check(out->json, why, sizeof(why)))
		return fail_with(EXIT_USAGE, "%s: %s; " REMEDY_PATH, file, why);
	out->complete = true;
	return status;
}

static int load_path(const char *path, struct record_loaded *out)
{
	static const char *const names[] = { RECORD_BENCH, RECORD_ROWS };
	char file[PATH_MAX];
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ?
			       fail_with(EXIT_USAGE, "%s: no such run; " REMEDY_PATH, path) :
			       fail_with(EXIT_RESOURCE, "cannot read %s: %s; check its permissions",
					 path, strerror(errno));
	if (S_ISREG(st.st_mode))
		return load_file(path, out);
	if (!S_ISDIR(st.st_mode))
		return fail_with(EXIT_USAGE, "%s is not a regular file; " REMEDY_PATH, path);
	for (int i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		if (!access(file, F_OK))
			return load_file(file, out);
	}
	return fail_with(EXIT_USAGE,
			 "%s is not a run: neither " RECORD_BENCH " nor " RECORD_ROWS
			 " in it; " REMEDY_PATH,
			 path);
}

int record_load(const char *root, const char *path, struct record_loaded *out)
{
	char inside[PATH_MAX];
	struct stat st;
	int status;

	memset(out, 0, sizeof(*out));
	if (!*path)
		return fail_with(EXIT_USAGE, "empty name of a run; " REMEDY_PATH);
	snprintf(inside, sizeof(inside), "%s/%s", root ? root : RECORD_ROOT, path);
	/* latest is meant inside root even if it is missing there: the message should say so. */
	if (!strchr(path, '/') && (!lstat(inside, &st) || !strcmp(path, "latest")))
		status = load_path(inside, out);
	else
		status = load_path(path, out);
	if (status)
		record_unload(out);
	return status;
}

void record_unload(struct record_loaded *loaded)
{
	json_decref(loaded->json);
	free(loaded->file);
	memset(loaded, 0, sizeof(*loaded));
}
