// SPDX-License-Identifier: MIT
/*
 * What take.py has to know of a row: what it promises and needs, what its packets look like, and
 * whether it can be taken at all. Exit code 4: it cannot, and the line on stderr says why.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/fail.h"
#include "judge/driver.h"
#include "runner/describe.h"
#include "traces/ctf_metadata.h"

/* The form of its records. Where its own reader alone knows more, that of a clock that never goes
 * back. */
static struct scheme_format records(const struct driver *driver)
{
	struct scheme_format format = driver->format;

	if (format.kind == FORMAT_OWN)
		format.kind = format.forward;
	return format;
}

/* Why not; NULL: it can. */
static const char *obstacle(const struct driver *driver)
{
	const struct scheme_desc *desc = driver->desc;

	if (driver->taken)
		return "it is taken already";
	if (driver_is_floor(driver) || desc->untimed)
		return "it is a baseline";
	if (desc->needs & NEED_BEAT)
		return "it needs a beat, which a header cannot bring";
	if (driver->blocks || driver->defers || desc->needs & NEED_MASKED_INTERRUPTS)
		return "it masks interrupts, which only the program can do";
	if (desc->turns_away)
		return "it rejects a writer that interrupts another";
	if (driver->publishes && !driver->join)
		return "it is written in a section that signal handlers of the program start over";
	if (records(driver).kind == FORMAT_OWN || records(driver).kind == FORMAT_FTRACE)
		return "no metadata describes its records to other readers";
	return NULL;
}

static char *metadata(const struct driver *driver, unsigned int stamp_bits)
{
	const struct ctf_description description = {
		.format = records(driver),
		.stamp_bits = stamp_bits,
		.cut_bits = scheme_cut_bits(driver->desc, stamp_bits),
		.align_bytes = driver->desc->alignment,
		.ctf2 = driver->format.kind == FORMAT_VARINT,
		.no_sized = true, /* the header refuses them */
	};
	char *bytes = NULL;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);

	if (!text || ctf_metadata_write(text, &description) || fclose(text))
		return NULL;
	return bytes;
}

int main(int argc, char **argv)
{
	const struct driver *driver = argc > 1 ? driver_find(drivers_counting, argv[1]) : NULL;
	unsigned int stamp_bits;
	const char *why;
	json_t *facts;
	char *text;

	if (!driver)
		return fail_with(EXIT_USAGE,
				 "ROW is no row: make take ROW=packed_word, or another row of "
				 "build/bench --list");
	why = obstacle(driver);
	if (why)
		return fail_with(EXIT_UNSUPPORTED, "%s cannot be taken: %s", driver->row, why);
	/* A board's counter has 32 bits; a narrower one is as much narrower in the header. */
	stamp_bits = driver->stamp_bits - (argc > 2 ? 32 - (unsigned int)atoi(argv[2]) : 0);
	text = metadata(driver, stamp_bits);
	facts = json_pack("{s:s, s:o, s:s, s:i, s:i, s:b, s:i}", "row", driver->row, "describes",
			  describe_rows(&driver, 1), "metadata", text ? text : "", "stamp_bits",
			  (int)stamp_bits, "counter_bits", (int)driver->counter_bits, "ctf2",
			  driver->format.kind == FORMAT_VARINT, "compact_ids",
			  (int)driver->compact_ids);
	if (!text || !facts || json_dumpf(facts, stdout, JSON_INDENT(1)))
		return fail_with(EXIT_RESOURCE, "out of memory");
	putchar('\n');
	json_decref(facts);
	free(text);
	return 0;
}
