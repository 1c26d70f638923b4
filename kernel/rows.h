/* SPDX-License-Identifier: MIT */
#ifndef STAMPEDE_KERNEL_ROWS_H
#define STAMPEDE_KERNEL_ROWS_H

#include "judge/driver.h"

/* A row of the module, or NULL. */
const struct driver *kernel_row(const char *name);

#endif
