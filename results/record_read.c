// SPDX-License-Identifier: MIT
/* Reading a run's record back, and the check that reader and writer share. */
#define _GNU_SOURCE
#include "results/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/record_internal.h"

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

int record_fail_file(const char *what, const char *dir, const char *name, int error)
{
	return fail_with(EXIT_RESOURCE, "cannot %s %s/%s: %s; %s", what, dir, name, strerror(error),
			 fail_remedy(error));
}

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

bool record_check_context(const json_t *context, char *why, size_t size)
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

	if (!record_check_context(json_object_get(document, "context"), why, size))
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

/* The whole of a regular file, '\0' behind it. *missing: there is none, and nothing is printed. */
static int slurp(const char *file, char **data, size_t *size, bool *missing)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? errno : 0;
	struct stat st;
	ssize_t got = 0;

	*data = NULL;
	*size = 0;
	*missing = error == ENOENT;
	if (*missing)
		return EXIT_FINE;
	if (!error && fstat(fd, &st))
		error = errno;
	if (!error && !S_ISREG(st.st_mode)) {
		close(fd);
		return fail_with(EXIT_USAGE, "%s is not a regular file; " REMEDY_PATH, file);
	}
	if (!error) {
		*data = malloc((size_t)st.st_size + 1);
		error = *data ? 0 : ENOMEM;
	}
	while (!error && *size < (size_t)st.st_size) {
		got = read(fd, *data + *size, (size_t)st.st_size - *size);
		if (got <= 0)
			break;
		*size += (size_t)got;
	}
	if (!error && got < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (!error) {
		(*data)[*size] = '\0';
		return EXIT_FINE;
	}
	free(*data);
	*data = NULL;
	return fail_with(EXIT_RESOURCE, "cannot read %s: %s; check its permissions", file,
			 strerror(error));
}

/* line, offset: of data in file. NULL, and one line on stderr, unless data is one JSON value. */
static json_t *parse(const char *file, const char *data, size_t size, size_t line, size_t offset)
{
	json_error_t error;
	json_t *json = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
	bool cut;

	if (json)
		return json;
	/* It may be cut inside a word or number, which then is not one: the error is at the end. */
	cut = size == 0 || json_error_code(&error) == json_error_premature_end_of_input ||
	      (data[0] == '{' && (size_t)error.position >= size);
	fail_with(EXIT_USAGE, "%s: line %zu, byte %zu: %s; %s", file,
		  line + (error.line > 0 ? (size_t)error.line - 1 : 0),
		  offset + (size_t)error.position, size ? error.text : "empty file",
		  cut ? "the file is cut off: run again, or look for rows.jsonl beside it" :
			REMEDY_PATH);
	return NULL;
}

static int load_bench(const char *file, const char *data, size_t size, struct record_loaded *out)
{
	char why[256];

	out->json = parse(file, data, size, 1, 0);
	if (!out->json)
		return EXIT_USAGE;
	if (!record_check(out->json, why, sizeof(why)))
		return fail_with(EXIT_USAGE, "%s: %s; " REMEDY_PATH, file, why);
	out->complete = true;
	return EXIT_FINE;
}

/* Rows are lines that end in a newline: what is behind the last one was cut off by a kill. */
static int load_rows(const char *file, const char *data, size_t size, struct record_loaded *out)
{
	json_t *rows = json_object_get(out->json, "benchmarks");
	const char *start = data;
	const char *end;
	char why[256];

	for (size_t line = 1; (end = memchr(start, '\n', size - (size_t)(start - data))); line++) {
		json_t *row =
			parse(file, start, (size_t)(end - start), line, (size_t)(start - data));

		if (!row)
			return EXIT_USAGE;
		if (!record_check_row(row, why, sizeof(why))) {
			json_decref(row);
			return fail_with(EXIT_USAGE, "%s: line %zu, byte %zu: %s; remove it", file,
					 line, (size_t)(start - data), why);
		}
		if (json_array_append_new(rows, row))
			return fail_with(EXIT_RESOURCE, "out of memory reading %s", file);
		start = end + 1;
	}
	out->torn_bytes = size - (size_t)(start - data);
	if (!json_array_size(rows))
		return fail_with(EXIT_USAGE,
				 "%s: no whole row: the run ended before its first; run again",
				 file);
	return EXIT_FINE;
}

/* The machine of a run that did not finish: beside its rows, if it got that far. */
static int load_context(const char *rows_file, struct record_loaded *out)
{
	const char *slash = strrchr(rows_file, '/');
	int dir_len = slash ? (int)(slash - rows_file) + 1 : 0;
	char *file;
	char *data;
	size_t size;
	bool missing;
	json_t *context = NULL;
	char why[256];
	int status;

	if (asprintf(&file, "%.*s" RECORD_CONTEXT, dir_len, rows_file) < 0)
		return fail_with(EXIT_RESOURCE, "out of memory reading %s", rows_file);
	status = slurp(file, &data, &size, &missing);
	if (!status && !missing) {
		context = parse(file, data, size, 1, 0);
		if (!context)
			status = EXIT_USAGE;
		else if (!record_check_context(context, why, sizeof(why)))
			status = fail_with(EXIT_USAGE, "%s: %s; remove it", file, why);
	}
	if (!status && context && json_object_set(out->json, "context", context))
		status = fail_with(EXIT_RESOURCE, "out of memory reading %s", file);
	json_decref(context);
	free(data);
	free(file);
	return status;
}

static int load_file(const char *file, struct record_loaded *out, bool *missing)
{
	const char *dot = strrchr(file, '.');
	bool rows = dot && !strcmp(dot, ".jsonl");
	char *data;
	size_t size;
	int status = slurp(file, &data, &size, missing);

	if (status || *missing)
		return status;
	out->file = strdup(file);
	if (rows)
		out->json = json_pack("{s:{}, s:[]}", "context", "benchmarks");
	if (!out->file || (rows && !out->json))
		status = fail_with(EXIT_RESOURCE, "out of memory reading %s", file);
	else if (!rows)
		status = load_bench(file, data, size, out);
	else
		status = load_rows(file, data, size, out);
	if (!status && rows)
		status = load_context(file, out);
	free(data);
	return status;
}

static int load_dir(const char *dir, struct record_loaded *out)
{
	static const char *const names[] = { RECORD_BENCH, RECORD_ROWS };
	bool missing = true;
	int status = EXIT_FINE;

	for (int i = 0; i < 2 && missing && !status; i++) {
		char *file;

		if (asprintf(&file, "%s/%s", dir, names[i]) < 0)
			return fail_with(EXIT_RESOURCE, "out of memory reading %s", dir);
		status = load_file(file, out, &missing);
		free(file);
	}
	if (!status && missing)
		return fail_with(EXIT_USAGE,
				 "%s is not a run: neither " RECORD_BENCH " nor " RECORD_ROWS
				 " in it; " REMEDY_PATH,
				 dir);
	return status;
}

static int load_path(const char *path, struct record_loaded *out)
{
	struct stat st;
	bool missing = false;
	int status;

	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			missing = true;
		else
			return fail_with(EXIT_RESOURCE, "cannot read %s: %s; check its permissions",
					 path, strerror(errno));
	}
	if (!missing && S_ISDIR(st.st_mode))
		return load_dir(path, out);
	status = missing ? EXIT_FINE : load_file(path, out, &missing);
	if (!status && missing)
		return fail_with(EXIT_USAGE, "%s: no such run; " REMEDY_PATH, path);
	return status;
}

bool record_exists(const char *root, const char *path)
{
	struct stat st;
	char *inside;
	bool there;

	if (asprintf(&inside, "%s/%s", root ? root : RECORD_ROOT, path) < 0)
		return false;
	there = !stat(inside, &st);
	free(inside);
	return there;
}

int record_load(const char *root, const char *path, struct record_loaded *out)
{
	char *inside = NULL;
	struct stat st;
	int status;

	memset(out, 0, sizeof(*out));
	if (!*path)
		return fail_with(EXIT_USAGE, "empty name of a run; " REMEDY_PATH);
	if (!strchr(path, '/') && asprintf(&inside, "%s/%s", root ? root : RECORD_ROOT, path) < 0)
		return fail_with(EXIT_RESOURCE, "out of memory reading %s", path);
	/* latest is meant inside root even if it is missing there: the message should say so. */
	if (inside && (!lstat(inside, &st) || !strcmp(path, "latest")))
		status = load_path(inside, out);
	else
		status = load_path(path, out);
	free(inside);
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
