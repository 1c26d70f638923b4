// SPDX-License-Identifier: MIT
/* varint_delta: the ids around its escapes, sizes, and damage. */
#include "schemes/varint_delta.h"

#include "tests/support/own_form.h"

OWN_MAIN("own_varint", 7, 7, 9)
