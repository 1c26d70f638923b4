/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all, and the one line that says why not. */
#ifndef STAMPEDE_PLOTS_OUTPUT_H
#define STAMPEDE_PLOTS_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/* The project's exit codes, as far as this program has them. */
enum plots_exit {
	PLOTS_FINE = 0,
	PLOTS_HARNESS = 1, /* usage, or a file that is not what it should be */
	PLOTS_RESOURCE = 3, /* disk full, not writable, out of memory */
	PLOTS_UNSUPPORTED = 4, /* no gnuplot here */
};

/* Prints "stampede: <message>" as one line on stderr; returns status. */
__attribute__((format(printf, 2, 3))) int output_fail(int status, const char *format, ...);

int output_fail_memory(void);

/* Makes the directory unless it is there. */
int output_directory(const char *path);

/* Writes dir/name: beside it, flushed, then renamed. 0, or an exit code after a line on stderr. */
int output_put(const char *dir, const char *name, const char *data, size_t size);

/* Text that is collected in memory and then put. */
struct page {
	FILE *out; /* need not be checked while writing: page_end() does */
	char *text;
	size_t size;
};

int page_begin(struct page *page);

/* Puts the text as dir/name unless `status` is an error; frees the page in every case. */
int page_end(struct page *page, int status, const char *dir, const char *name);

#endif
