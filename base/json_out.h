/* SPDX-License-Identifier: MIT */
/* What --json FILE of all programs does. */
#ifndef STAMPEDE_BASE_JSON_OUT_H
#define STAMPEDE_BASE_JSON_OUT_H

#include <jansson.h>
#include <stddef.h>

/*
 * Writes a document: whole or not at all, or to stdout if path is "-". 0, or an exit code after a
 * line on stderr.
 */
int json_out(const char *path, const json_t *json);

/* The same with further flags of jansson's. */
int json_out_as(const char *path, const json_t *json, size_t flags);

#endif
