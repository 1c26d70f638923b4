/* SPDX-License-Identifier: MIT */
#pragma once

#include "judge/driver.h"

/* A row of the module, or NULL: of the checked build, and of the timed one. */
const struct driver *kernel_row(const char *name);
const struct driver *kernel_row_timed(const char *name);
