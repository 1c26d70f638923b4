// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

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

int json_out_as(const char *path, const json_t *json, size_t flags)
{
	struct document document = { json, flags };
	bool on_stdout = !strcmp(path, "-");
	int error;

	errno = 0;
	if (!on_stdout)
		error = file_put(AT_FDCWD, path, write_json, &document);
	else if (write_json(stdout, &document) || putchar('\n') == EOF || fflush(stdout))
		error = errno ? errno : EIO;
	else
		error = 0;
	return error ? fail_file("write", on_stdout ? "standard output" : path, error) : EXIT_FINE;
}

int json_out(const char *path, const json_t *json)
{
	return json_out_as(path, json, 0);
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
