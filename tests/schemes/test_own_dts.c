// SPDX-License-Identifier: MIT
/* dts_xts: the ids around its own types, sizes with their padding, and damage. */
#include "schemes/dts_xts.h"

#include "tests/support/own_form.h"

static const struct own_case cases[] = {
	{ 1, OWN_FIXED, "01 00 00 00", "" },
	{ 239, OWN_FIXED, "ef 00 00 00", "" },
	{ 240, OWN_FIXED, "fe 00 00 00  f0 00 00 00", "" },
	{ 254, OWN_FIXED, "fe 00 00 00  fe 00 00 00", "" },
	{ 255, OWN_FIXED, "fe 00 00 00  ff 00 00 00", "" },
	{ 599, OWN_FIXED, "fe 00 00 00  57 02 00 00", "" },
	{ 600, 0, "ff 00 00 00  58 02 00 00  00 00 00 00", "" },
	{ 600, 3, "ff 00 00 00  58 02 00 00  03 00 00 00", "00" },
	{ 65535, 300, "ff 00 00 00  ff ff 00 00  2c 01 00 00", "" },
};

static const struct own_damage damaged[] = {
	{ "f0 00 01 00", 0, false }, /* nothing behind an XTS; another one */
	{ "f0 00 01 00  01 00 00 00" OWN_PAYLOAD, 1, true },
	{ "f0 00 01 00  f0 00 01 00  01 00 00 00" OWN_PAYLOAD, 0, false },
	{ "f0 00 01 00  fe 00 00 00", 0, false }, /* its unit of the id is missing */
	{ "f0 00 01 00  ff 00 00 00  58 02 00 00", 0, false },
	{ "f1 00 00 00  f1 00 00 00" OWN_PAYLOAD, 0, false }, /* types that there are not */
	{ "fd 00 00 00  fd 00 00 00" OWN_PAYLOAD, 0, false },
	/* More than 16 bits of id. */
	{ "ff 00 00 00  58 02 01 00  0c 00 00 00" OWN_PAYLOAD, 0, false },
	{ "fe 00 00 00  58 02 00 00" OWN_PAYLOAD, 0, false }, /* with a size, and without */
	{ "ff 00 00 00  57 02 00 00  0c 00 00 00" OWN_PAYLOAD, 0, false },
	{ "ff 00 00 00  58 02 00 00  0c 00 00 00" OWN_PAYLOAD, 1, true },
	{ "ff 00 00 00  58 02 00 00  09 00 00 00" OWN_PAYLOAD, 1, true }, /* padded */
	{ "ff 00 00 00  58 02 00 00  0d 00 00 00" OWN_PAYLOAD, 0, false },
	/* What its padding makes 2^32: not to be taken for none. */
	{ "ff 00 00 00  58 02 00 00  fd ff ff ff", 0, false },
	{ "ff 00 00 00  58 02 00 00  ff ff ff ff" OWN_PAYLOAD, 0, false },
};

OWN_MAIN(16)
