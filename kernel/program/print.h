/* SPDX-License-Identifier: MIT */
/* A row's result for people, and as a line of JSON. */
#ifndef STAMPEDE_KERNEL_PROGRAM_PRINT_H
#define STAMPEDE_KERNEL_PROGRAM_PRINT_H

#include "kernel/program/own.h"

void print_head(void);
void print_row(const struct driver *driver, const struct epochs *epochs);
void print_json(const struct driver *driver, const struct epochs *epochs);
void print_left_out(const struct driver *driver, const char *why, bool json);
void print_own(const struct own *own, bool json);

#endif
