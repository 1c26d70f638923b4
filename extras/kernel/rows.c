// SPDX-License-Identifier: MIT
/* The rows of the module. rows.inc is schemes.def without the rows that need a process. */
#include "extras/kernel/rows.h"

#define X(row) extern const struct driver driver_checked_##row, driver_timed_##row;
#include "rows.inc"
#undef X

#define X(row) &driver_checked_##row,
static const struct driver *const checked[] = {
#include "rows.inc"
	NULL
};
#undef X

#define X(row) &driver_timed_##row,
static const struct driver *const timed[] = {
#include "rows.inc"
	NULL
};
#undef X

static const struct driver *find(const struct driver *const *rows, const char *name)
{
	for (; *rows; rows++)
		if (!strcmp((*rows)->row, name))
			return *rows;
	return NULL;
}

const struct driver *kernel_row(const char *name)
{
	return find(checked, name);
}

const struct driver *kernel_row_timed(const char *name)
{
	return find(timed, name);
}

/* Filler is what programs ask for: a writer here has no extra bytes, and copies none. */
const uint8_t *check_filler_bytes_of(uint64_t sequence)
{
	(void)sequence;
	return NULL;
}
