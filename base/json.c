// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

struct document {
	const json_t *json;
	size_t flags;
};

static int write_json(FILE *out, void *arg)
{
	const struct document *document = arg;

	return json_dumpf(document->json, out, JSON_INDENT(1) | document->flags);
}

static int write_elements(FILE *out, const json_t *array, size_t flags)
{
	const json_t *one;
	size_t i;
	int failed = fputs("[", out) == EOF;

	json_array_foreach(array, i, one)
		failed = failed || fputs(i ? ",\n" : "\n", out) == EOF ||
			 json_dumpf(one, out, flags);
	return failed || fputs("]", out) == EOF;
}

static int write_lines(FILE *out, void *arg)
{
	const struct document *document = arg;
	size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | document->flags;
	const char *key, *before = "{\n";
	json_t *value, *name;
	int failed = 0;

	json_object_foreach((json_t *)(uintptr_t)document->json, key, value) {
		name = json_string(key);
		failed = failed || fputs(before, out) == EOF || json_dumpf(name, out, flags) ||
			 fputs(":", out) == EOF ||
			 (json_is_array(value) ? write_elements(out, value, flags) :
						 json_dumpf(value, out, flags));
		json_decref(name);
		before = ",\n";
	}
	return failed || fputs("\n}", out) == EOF;
}

static FILE *own; /* what was standard output, for the document alone */

void json_own_stdout(const char *path)
{
	int fd;

	if (!path || strcmp(path, "-") != 0)
		return;
	fflush(stdout);
	fd = dup(STDOUT_FILENO);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return;
	own = fdopen(fd, "w");
}

static int write_out(const char *path, const json_t *json, size_t flags,
		     int (*write)(FILE *out, void *arg))
{
	struct document document = { json, flags };
	bool on_stdout = !strcmp(path, "-");
	FILE *to = own ? own : stdout;
	int error = 0;

	errno = 0;
	if (!on_stdout)
		error = file_put(AT_FDCWD, path, write, &document);
	else if (write(to, &document) || putc('\n', to) == EOF || fflush(to))
		error = errno ? errno : EIO;
	return error ? fail_file("write", on_stdout ? "standard output" : path, error) : EXIT_FINE;
}

int json_out_lines(const char *path, const json_t *json, size_t flags)
{
	return write_out(path, json, flags, write_lines);
}

int json_out(const char *path, const json_t *json)
{
	return write_out(path, json, 0, write_json);
}

const char *json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double json_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

double json_known(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}
