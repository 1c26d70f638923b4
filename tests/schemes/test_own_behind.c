// SPDX-License-Identifier: MIT
/* delta_behind: ids around the last that has no size, sizes of two bytes, and damage. */
#include "schemes/delta_behind.h"

#include "tests/support/own_form.h"

static const struct own_case cases[] = {
	{ 1, OWN_FIXED, "01", "00" },	{ 23, OWN_FIXED, "17", "00" },
	{ 24, 0, "18 00", "00" },	{ 24, 127, "18 7f", "00" },
	{ 127, 128, "7f 80 01", "00" }, { 128, 300, "80 01 ac 02", "00" },
	{ 600, 3, "d8 04 03", "00" },	{ 65535, 1, "ff ff 03 01", "00" },
};

static const struct own_damage damaged[] = {
	{ "01" OWN_PAYLOAD "00", 1, true },
	{ "01" OWN_PAYLOAD "80", 0, false }, /* goes on behind the end */
	{ "01" OWN_PAYLOAD, 0, false },
	{ "01" OWN_PAYLOAD "00 01", 1, false },
	{ "80 80 04 00 00", 0, false }, /* id 65536 */
	{ "81 80 04" OWN_PAYLOAD "00", 0, false },
	{ "ff ff 03 00 00", 1, true },
	{ "d8 84", 0, false }, /* the id or the size goes on */
	{ "d8 04 80", 0, false },
	{ "d8 04 0d" OWN_PAYLOAD "00", 0, false },
	{ "d8 04 0c" OWN_PAYLOAD "00", 1, true },
	/* 2^32 and 2^32 + 12: not to be taken for 0 and 12. */
	{ "d8 04 80 80 80 80 10 00", 0, false },
	{ "d8 04 8c 80 80 80 10" OWN_PAYLOAD "00", 0, false },
	{ "d8 04 ff ff ff ff 0f" OWN_PAYLOAD "00", 0, false },
};

OWN_MAIN(7)
