/* SPDX-License-Identifier: MIT */
/* Reads JSON objects into structs by a table of fields, and names the first one that is wrong. */
#ifndef STAMPEDE_PLOTS_FIELDS_H
#define STAMPEDE_PLOTS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

enum field_kind {
	FIELD_NUMBER, /* double, >= 0; null or missing: NAN */
	FIELD_SIGNED, /* double; as FIELD_NUMBER, but may be negative */
	FIELD_TEXT, /* const char *, borrowed; null or missing: NULL */
	FIELD_FLAG, /* bool; null or missing: false */
	FIELD_NAME, /* const char *, borrowed; must be there */
};

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset; /* into the struct */
};

/* Where a value stands: file, and the path of the object in it, such as "table[3]". */
struct place_in_file {
	const char *file;
	const char *path;
};

/* 0, or PLOTS_HARNESS after one line with the path of the field that is wrong. */
int fields_read(const struct place_in_file *where, const json_t *object, const struct field *fields,
		size_t count, void *to);

/* Reads one element of an array; 0, or an exit code after a line. */
typedef int (*fields_reader)(const struct place_in_file *where, const json_t *object,
			     void *element);

/*
 * Reads the array root.key, or nothing if it is missing or null: calls `read` with the elements'
 * places and elements of `size` bytes in *array, which the caller frees.
 */
int fields_array(const struct place_in_file *where, const json_t *root, const char *key,
		 size_t size, fields_reader read, void **array, size_t *count);

/* As fields_array(), for an object: NULL in *object if it is missing or null. */
int fields_object(const struct place_in_file *where, const json_t *root, const char *key,
		  const json_t **object);

#endif
