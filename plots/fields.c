// SPDX-License-Identifier: MIT
#include "plots/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plots/output.h"

static int wrong(const struct place_in_file *where, const char *key, const char *what)
{
	return output_fail(PLOTS_HARNESS, "%s: %s%s%s %s; mend what wrote it, or run again",
			   where->file, where->path, *where->path && *key ? "." : "", key, what);
}

static int read_one(const struct place_in_file *where, const json_t *object,
		    const struct field *field, void *to)
{
	const json_t *value = json_object_get(object, field->key);
	void *at = (char *)to + field->offset;

	if (json_is_null(value))
		value = NULL;
	if (field->kind == FIELD_NUMBER || field->kind == FIELD_SIGNED) {
		if (value && !json_is_number(value))
			return wrong(where, field->key, "must be a number, or null");
		if (field->kind == FIELD_NUMBER && json_number_value(value) < 0)
			return wrong(where, field->key, "must not be negative");
		*(double *)at = value ? json_number_value(value) : NAN;
		return PLOTS_FINE;
	}
	if (field->kind == FIELD_FLAG) {
		if (value && !json_is_boolean(value))
			return wrong(where, field->key, "must be true or false");
		*(bool *)at = json_is_true(value);
		return PLOTS_FINE;
	}
	if (value && !json_is_string(value))
		return wrong(where, field->key, "must be text");
	if (field->kind == FIELD_NAME && !json_string_length(value))
		return wrong(where, field->key, "must be there, as text that is not empty");
	*(const char **)at = value ? json_string_value(value) : NULL;
	return PLOTS_FINE;
}

int fields_read(const struct place_in_file *where, const json_t *object, const struct field *fields,
		size_t count, void *to)
{
	size_t i;

	if (!json_is_object(object))
		return wrong(where, "", "must be an object");
	for (i = 0; i < count; i++)
		if (read_one(where, object, &fields[i], to))
			return PLOTS_HARNESS;
	return PLOTS_FINE;
}

int fields_array(const struct place_in_file *where, const json_t *root, const char *key,
		 size_t size, fields_reader read, void **array, size_t *count)
{
	const json_t *list = json_object_get(root, key);
	size_t i, length = json_array_size(list);
	char path[256];
	struct place_in_file place = { .file = where->file, .path = path };
	int status;

	*array = NULL;
	*count = 0;
	if (!list || json_is_null(list))
		return PLOTS_FINE;
	if (!json_is_array(list))
		return wrong(where, key, "must be an array");
	if (!length)
		return PLOTS_FINE;
	*array = calloc(length, size);
	if (!*array)
		return output_fail_memory();
	/* Counted at once: what was read in part is the caller's to free. */
	*count = length;
	for (i = 0; i < length; i++) {
		snprintf(path, sizeof(path), "%s%s%s[%zu]", where->path, *where->path ? "." : "",
			 key, i);
		status = read(&place, json_array_get(list, i), (char *)*array + i * size);
		if (status)
			return status;
	}
	return PLOTS_FINE;
}

int fields_object(const struct place_in_file *where, const json_t *root, const char *key,
		  const json_t **object)
{
	*object = json_object_get(root, key);
	if (json_is_null(*object))
		*object = NULL;
	if (*object && !json_is_object(*object))
		return wrong(where, key, "must be an object");
	return PLOTS_FINE;
}
