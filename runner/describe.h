/* SPDX-License-Identifier: MIT */
/* bench: what the record says of the rows. */
#pragma once

#include <jansson.h>

#include "judge/driver.h"

/* Promises and needs of rows: the section "schemes". */
json_t *describe_rows(const struct driver *const *rows, int count);

/* Rows of all that there are which this machine cannot run, and why. */
json_t *describe_left_out(void);
