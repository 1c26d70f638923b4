// SPDX-License-Identifier: MIT
/* delta_behind: ids around the last that has no size, sizes of two bytes, and damage. */
#include "schemes/delta_behind.h"

#include "tests/support/own_form.h"

OWN_MAIN("own_behind", 7, 8, 14)
