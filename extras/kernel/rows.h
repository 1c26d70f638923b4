/* SPDX-License-Identifier: MIT */
#ifndef STAMPEDE_EXTRAS_KERNEL_ROWS_H
#define STAMPEDE_EXTRAS_KERNEL_ROWS_H

#include "judge/driver.h"

/* A row of the module, or NULL: of the checked build, and of the timed one. */
const struct driver *kernel_row(const char *name);
const struct driver *kernel_row_timed(const char *name);

#endif
