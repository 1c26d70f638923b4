// SPDX-License-Identifier: MIT
#include "runner/describe.h"

#include <string.h>

#include "judge/check.h"
#include "judge/judge.h"
#include "judge/products.h"

static json_t *promises_of(uint32_t promises)
{
	json_t *names = json_array();
	unsigned int bit;

	for (bit = 1; bit & PROMISES; bit <<= 1)
		if (promises & bit)
			json_array_append_new(
				names, json_string(check_promise_name((enum scheme_promise)bit)));
	return names;
}

static json_t *needs_of(uint32_t needs)
{
	static const struct {
		enum scheme_need need;
		const char *name;
	} all[] = {
		{ NEED_BEAT, "beat" },
		{ NEED_MASKED_INTERRUPTS, "masked interrupts" },
		{ NEED_STRICT_CLOCK, "strict clock" },
		{ NEED_FORWARD_CLOCK, "clock that goes forward" },
	};
	json_t *names = json_array();
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (needs & all[i].need)
			json_array_append_new(names, json_string(all[i].name));
	return names;
}

/* The fate of a writer that interrupts another one. */
static const char *nesting_of(const struct driver *driver)
{
	if (driver->desc->needs & NEED_MASKED_INTERRUPTS)
		return "none";
	if (driver->blocks)
		return "held off";
	if (driver->desc->turns_away)
		return "lost";
	return driver->defers ? "later" : "at once";
}

/* Tracers that people use whose stamps the row prices. */
static json_t *used_by(const char *row)
{
	json_t *lines = json_array();
	const struct product *product;

	for (product = products; product->name; product++)
		if (!strcmp(product->row, row))
			json_array_append_new(lines,
					      json_pack("{s:s, s:s, s:s}", "product", product->name,
							"wraps_after", product->wraps, "words",
							product->words));
	return lines;
}

/* Other readers of the row's records. */
static const char *format_of(const struct driver *driver)
{
	if (driver->format.kind == FORMAT_OWN)
		return driver->format.forward == FORMAT_OWN ? "own" :
							      "CTF while no clock goes back";
	if (driver->format.kind == FORMAT_VARINT)
		return "CTF 2";
	return driver->format.kind == FORMAT_FTRACE ? "ftrace" : "CTF";
}

/* Gaps between events, or between beats, of as many ticks are told wrong; null: none are. */
static json_t *gap_ticks_of(const struct driver *row)
{
	uint64_t bound = row->desc->needs & NEED_BEAT ?
				 scheme_reach_ticks(row->desc, row->stamp_bits) + 1 :
				 judge_gap_bound(row->desc, row->stamp_bits);

	return bound ? json_integer((json_int_t)bound) : json_null();
}

json_t *describe_rows(const struct driver *const *rows, int count)
{
	json_t *lines = json_array();
	int i;

	for (i = 0; i < count; i++) {
		const struct driver *row = rows[i];
		const struct scheme_desc *desc = row->desc;

		json_array_append_new(
			lines,
			json_pack(
				"{s:s, s:s, s:s, s:o, s:o, s:i, s:i, s:s, s:s, s:o, s:b, s:i, s:o, "
				"s:o}",
				"row", row->row, "title", desc->title, "source", desc->source,
				"promises", promises_of(desc->promises), "needs",
				needs_of(desc->needs), "stamp_bits", (int)row->stamp_bits,
				"counter_bits", (int)row->counter_bits, "nesting", nesting_of(row),
				"format", format_of(row), "shared_promises",
				promises_of(desc->shared_promises), "moves", row->join != NULL,
				"claim_bits", (int)row->claim_bits, "gap_ticks", gap_ticks_of(row),
				"used_by", used_by(row->row)));
	}
	return lines;
}

json_t *describe_left_out(void)
{
	json_t *lines = json_array();
	const char *why;
	unsigned int i;

	for (i = 0; drivers_checked[i]; i++) {
		why = drivers_checked[i]->unsupported();
		if (why)
			json_array_append_new(lines,
					      json_pack("{s:s, s:s}", "row",
							drivers_checked[i]->row, "why", why));
	}
	return lines;
}
