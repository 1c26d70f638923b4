/* SPDX-License-Identifier: MIT */
/* Files that are there whole or not at all. */
#pragma once

#include <stdio.h>

/* Writes the content of a file; returns 0, or anything else with errno set. */
typedef int (*file_writer)(FILE *out, void *arg);

/*
 * Replaces `path`, in the directory `dir_fd` (AT_FDCWD: the working one), by what `writer` writes:
 * in the same folder, under a hidden name, flushed to the disk, then renamed. 0, or an errno; what
 * was there before is then untouched. A link stays one, and what it points to is replaced; mode and
 * owner stay. What is no regular file (a device, a FIFO, /dev/stdout, /dev/fd/N) is written to.
 */
int file_put(int dir_fd, const char *path, file_writer writer, void *arg);

/* The same where there is none yet; EEXIST else. Follows no link. */
int file_put_new(int dir_fd, const char *path, file_writer writer, void *arg);

/* Why file_put() could not write `path`, as far as that can be told before: an errno, or 0. */
int file_refuses(const char *path);

/*
 * The tree's file or folder `relative`, wherever the program was moved with it: a folder above the
 * program has it, also in share/stampede (installed) or tree (a build folder elsewhere). In `path`,
 * of PATH_MAX bytes; `relative` itself where there is none.
 */
const char *file_data(const char *relative, char *path);

#define FILE_HASH_BYTES 17

/* A hash of a file's content, 16 hexadecimal digits (table_hash()). 0, or an errno. */
int file_hash(const char *path, char text[FILE_HASH_BYTES]);
