/* SPDX-License-Identifier: MIT */
/* Files that are there whole or not at all. */
#ifndef STAMPEDE_BASE_FILE_H
#define STAMPEDE_BASE_FILE_H

#include <stdio.h>

/* Writes the content of a file; returns 0, or anything else with errno set. */
typedef int (*file_writer)(FILE *out, void *arg);

/*
 * Replaces `path`, in the directory `dir_fd` (AT_FDCWD: the working one), by what `writer` writes:
 * beside it, under a hidden name, flushed to the disk, then renamed. 0, or an errno; what was there
 * before is then untouched.
 */
int file_put(int dir_fd, const char *path, file_writer writer, void *arg);

/* The same where there is none yet; EEXIST else. */
int file_put_new(int dir_fd, const char *path, file_writer writer, void *arg);

#define FILE_HASH_BYTES 17

/* What is in a file, as 16 hexadecimal digits (table_hash()). 0, or an errno. */
int file_hash(const char *path, char text[FILE_HASH_BYTES]);

#endif
