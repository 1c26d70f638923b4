// SPDX-License-Identifier: MIT
/* dts_xts: the ids around its own types, sizes with their padding, and damage. */
#include "schemes/dts_xts.h"

#include "tests/support/own_form.h"

OWN_MAIN("own_dts", 16, 9, 15)
