// SPDX-License-Identifier: MIT
/* varint_delta: the ids around its escapes, sizes, and damage. */
#include "schemes/varint_delta.h"

#include "tests/support/own_form.h"

static const struct own_case cases[] = {
	{ 1, OWN_FIXED, "01 00", "" },
	{ 253, OWN_FIXED, "fd 00", "" },
	{ 254, OWN_FIXED, "fe 00  fe 00", "" },
	{ 255, OWN_FIXED, "fe 00  ff 00", "" },
	{ 599, OWN_FIXED, "fe 00  57 02", "" },
	{ 600, 1, "ff 00  58 02  01 00", "" },
	{ 65535, 300, "ff 00  ff ff  2c 01", "" },
};

static const struct own_damage damaged[] = {
	{ "01 80", 0, false }, /* the difference goes on behind the end */
	{ "01", 0, false },
	{ "01 00" OWN_PAYLOAD "01", 1, false },
	{ "fe 00  fe 00" OWN_PAYLOAD, 1, true },
	{ "fe 00  fe", 0, false },
	{ "fe 00  58 02" OWN_PAYLOAD, 0, false }, /* an id with a size, one without */
	{ "ff 00  57 02  0c 00" OWN_PAYLOAD, 0, false },
	{ "ff 00  58 02  0d 00" OWN_PAYLOAD, 0, false },
	{ "ff 00  58 02  ff ff  ff ff ff ff" OWN_PAYLOAD, 0, false },
};

OWN_MAIN(7)
