// SPDX-License-Identifier: MIT
/* The tables of all drivers, and choosing among them by name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge/driver.h"
#include "judge/judge.h"
#include "base/fail.h"
#include "base/options.h"

#define X(row, header, ...) \
	extern const struct driver driver_timed_##row, driver_cheap_##row, driver_injected_##row; \
	extern const struct driver driver_checked_##row, driver_counting_##row;
#include "schemes/schemes.def"
#undef X

#define X(row, header, ...) &driver_timed_##row,
const struct driver *const drivers_timed[] = {
#include "schemes/schemes.def"
	NULL
};
#undef X

#define X(row, header, ...) &driver_cheap_##row,
const struct driver *const drivers_cheap[] = {
#include "schemes/schemes.def"
	NULL
};
#undef X

#define X(row, header, ...) &driver_injected_##row,
const struct driver *const drivers_injected[] = {
#include "schemes/schemes.def"
	NULL
};
#undef X

#define X(row, header, ...) &driver_checked_##row,
const struct driver *const drivers_checked[] = {
#include "schemes/schemes.def"
	NULL
};
#undef X

#define X(row, header, ...) &driver_counting_##row,
const struct driver *const drivers_counting[] = {
#include "schemes/schemes.def"
	NULL
};
#undef X

_Static_assert(sizeof(drivers_timed) / sizeof(drivers_timed[0]) <= DRIVERS_MAX,
	       "raise DRIVERS_MAX");

const char *driver_floor(const struct driver *driver)
{
	if (driver->desc->untimed)
		return NULL;
	if (driver->publishes)
		return "floor_published";
	return driver->format.kind == FORMAT_CTF_LARGE ? "floor_large" : "floor";
}

bool driver_is_floor(const struct driver *driver)
{
	const struct driver *const *other;
	const char *floor;

	for (other = drivers_checked; *other; other++) {
		floor = driver_floor(*other);
		if (floor && !strcmp(floor, driver->row))
			return true;
	}
	return false;
}

uint32_t driver_bits(const struct driver *driver, uint32_t bits)
{
	/* A word of 32 bits tells gaps of a few wraps: narrowed, of less than a lost CPU takes. */
	if (driver->desc->gap_bits && driver->desc->gap_bits < 8)
		return driver->stamp_bits;
	return bits && bits < driver->stamp_bits && driver->stamp_bits < 64 ? bits :
									      driver->stamp_bits;
}

const struct driver *driver_find(const struct driver *const *drivers, const char *row)
{
	for (; *drivers; drivers++)
		if (!strcmp((*drivers)->row, row))
			return *drivers;
	return NULL;
}

static bool is_row(const char *name, size_t length, const char *row)
{
	return strlen(row) == length && !strncmp(name, row, length);
}

/*
 * A whole name is that row alone; "nested_stamps*", and what is no whole name ("nested"), take all
 * rows that begin with these words.
 */
static bool names_row(const char *name, size_t length, const char *row, bool whole)
{
	if (*name == '=')
		return is_row(name + 1, length - 1, row);
	if (length && name[length - 1] == '*')
		length--;
	else if (whole)
		return is_row(name, length, row);
	return !strncmp(name, row, length) && (!row[length] || row[length] == '_');
}

int driver_select(const struct driver *const *drivers, const char *list,
		  const struct driver **chosen, int max)
{
	const char *names[DRIVERS_MAX + 1];
	bool wanted[DRIVERS_MAX] = { false }, found, whole;
	const char *name = list ? list : "";
	size_t length;
	int i, count = 0;

	for (i = 0; drivers[i]; i++)
		names[i] = drivers[i]->row;
	names[i] = NULL;
	name += strspn(name, " ,");
	for (found = !*name; *name; name += length, name += strspn(name, " ,")) {
		length = strcspn(name, " ,");
		found = whole = false;
		for (i = 0; drivers[i]; i++)
			whole |= is_row(name, length, drivers[i]->row);
		for (i = 0; drivers[i]; i++) {
			if ((length == 3 && !memcmp(name, "all", 3)) ||
			    names_row(name, length, drivers[i]->row, whole))
				found = wanted[i] = true;
		}
		if (!found) {
			option_unknown("scheme", name, length, names);
			return -1;
		}
	}
	for (i = 0; drivers[i] && count < max; i++)
		if (wanted[i] || !list || !list[strspn(list, " ,")])
			chosen[count++] = drivers[i];
	return count;
}

int driver_omit_variants(const char *list, const struct driver **chosen, int count)
{
	int i, kept = 0;

	if (list && list[strspn(list, " ,")])
		return count;
	for (i = 0; i < count; i++)
		if (!chosen[i]->variant)
			chosen[kept++] = chosen[i];
	return kept;
}

int driver_omit_unsupported(const struct driver **chosen, int count)
{
	int i, kept = 0;
	const char *why;

	for (i = 0; i < count; i++) {
		why = chosen[i]->unsupported();
		if (why)
			fail_line("%s left out: %s", chosen[i]->row, why);
		else
			chosen[kept++] = chosen[i];
	}
	return kept;
}

/* The row that a variant is one of: the longest that its name begins with; or NULL. */
static const struct driver *variant_of(const struct driver *variant)
{
	const struct driver *found = NULL, *row;
	size_t length, most = 0;
	unsigned int i;

	for (i = 0; variant->variant && drivers_checked[i]; i++) {
		row = drivers_checked[i];
		length = strlen(row->row);
		if (row->variant || length <= most || strncmp(variant->row, row->row, length) ||
		    strcmp(variant->desc->title, row->desc->title))
			continue;
		found = row;
		most = length;
	}
	return found;
}

void driver_list(FILE *text, const struct driver *driver)
{
	const struct driver *of = variant_of(driver);
	uint64_t gap = judge_gap_bound(driver->desc, driver->stamp_bits), power = 1;
	char line[512];
	int at;

	if (of)
		at = snprintf(line, sizeof(line), "as %s, %s", of->row,
			      driver->row + strlen(of->row) + 1);
	else
		at = snprintf(line, sizeof(line), "%s (%s)", driver->desc->title,
			      driver->desc->source);
	if (!driver->claim_bits)
		at += snprintf(line + at, sizeof(line) - at, "; claims by plain stores");
	else if (driver->claim_bits != 64)
		at += snprintf(line + at, sizeof(line) - at, "; claims %u bits at once",
			       driver->claim_bits);
	while (power && power < gap)
		power <<= 1;
	if (driver->desc->gap_bits && power > gap)
		snprintf(line + at, sizeof(line) - at, "; gaps below 2^%d - 2^%d ticks",
			 __builtin_ctzll(power), __builtin_ctzll(power - gap));
	else if (driver->desc->gap_bits)
		snprintf(line + at, sizeof(line) - at, "; gaps below 2^%d ticks",
			 __builtin_ctzll(power));
	options_item(text, driver->row, line);
}
