/* SPDX-License-Identifier: MIT */
/*
 * Prints results as text, and as JSON: a line each, whose first key says what it describes.
 * extras/kernel/in_kernel.py makes the section of a record of them.
 */
#pragma once

#include <jansson.h>

#include "extras/kernel/program/epochs.h"

/*
 * Before all others. `path`: the file that lines of JSON are appended to, - for standard output;
 * NULL: none. The first line names the kernel. An exit code, after a line on stderr.
 */
int print_begin(const char *path);
/* Whether all of it could be written; an exit code, after a line on stderr. */
int print_end(void);

void print_head(void);
void print_row(const struct driver *driver, const struct epochs *epochs);
void print_left_out(const struct driver *driver, const char *why);

/* Of an event, in `unit`. */
struct price {
	const char *name;
	const char *unit;
	double batch;
	double single;
};

/* `batch`: the events of a batch. */
void print_price_head(const char *unit, int batch);
void print_price(const struct price *price);

/* Is this qemu without KVM? It says who it is. */
bool print_emulated(void);
