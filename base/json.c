// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

static int write_json(FILE *out, void *arg)
{
	return json_dumpf(arg, out, JSON_INDENT(1));
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

int json_out(const char *path, const json_t *json)
{
	bool on_stdout = !strcmp(path, "-");
	void *document = (void *)(uintptr_t)json;
	FILE *to = own ? own : stdout;
	int error = 0;

	errno = 0;
	if (!on_stdout)
		error = file_put(AT_FDCWD, path, write_json, document);
	else if (write_json(to, document) || putc('\n', to) == EOF || fflush(to))
		error = errno ? errno : EIO;
	return error ? fail_file("write", on_stdout ? "standard output" : path, error) : EXIT_FINE;
}

json_t *json_safe(const char *text)
{
	json_t *json = json_string(text), *part = NULL;
	char *safe, *to;
	size_t bytes;

	if (json)
		return json;
	safe = to = malloc(strlen(text) * 4 + 1);
	while (safe && *text) {
		for (bytes = 1; bytes <= strnlen(text, 4) && !part; bytes++)
			part = json_stringn(text, bytes);
		if (part)
			to = stpcpy(to, json_string_value(part));
		else
			to += sprintf(to, "\\x%02x", (unsigned char)*text);
		text += part ? strlen(json_string_value(part)) : 1;
		json_decref(part);
		part = NULL;
	}
	if (safe)
		json = json_string(safe);
	free(safe);
	return json;
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

json_t *json_counts(const uint64_t *of, unsigned int count, const char *(*name)(unsigned int))
{
	json_t *counts = json_object();
	unsigned int i;

	for (i = 0; i < count; i++)
		json_object_set_new(counts, name(i), json_integer((json_int_t)of[i]));
	return counts;
}

json_t *json_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void json_set_interval(json_t *object, const char *key, const struct stats_interval *its,
		       double unit)
{
	char name[64];

	json_object_set_new(object, key, json_or_null(its->middle * unit));
	snprintf(name, sizeof(name), "%s_95_low", key);
	json_object_set_new(object, name, json_or_null(its->low * unit));
	snprintf(name, sizeof(name), "%s_95_high", key);
	json_object_set_new(object, name, json_or_null(its->high * unit));
}
