// SPDX-License-Identifier: MIT
/* The tails for the record, and as text: a table per two regimes, so that it fits a line. */
#include <string.h>

#include "workloads/tails.h"
#include "base/json.h"

#define ECDF_POINTS 200
#define FIGURES 4
#define GROUPS_MOST 16
#define WIDE_TICKS 10000000 /* what has more digits than a column is written in millions */

const char *tails_regime_name(enum tails_regime regime)
{
	static const char *const names[TAILS_REGIMES] = { "calm", "storm", "replay" };

	return names[regime];
}

static json_t *ecdf_json(const struct histogram *histogram)
{
	struct histogram_point points[ECDF_POINTS];
	unsigned int count = histogram_ecdf(histogram, points, ECDF_POINTS), i;
	json_t *json = json_array();

	for (i = 0; i < count; i++)
		json_array_append_new(
			json, json_pack("[I, f]", (json_int_t)points[i].value, points[i].share));
	return json;
}

/* A percentile, or null where there are no samples. */
static json_t *part_json(const struct histogram *histogram, double part)
{
	if (!histogram->count)
		return json_null();
	return json_integer((json_int_t)histogram_percentile(histogram, part));
}

json_t *tails_json(const struct tails_config *config, const struct tails_result *result)
{
	const struct histogram *clear = &result->clear, *hit = &result->hit;
	json_t *json = json_object();
	bool good = !result->violation[0];

#define SET(key, value) json_object_set_new(json, key, value)
#define COUNT(key, value) SET(key, json_integer((json_int_t)(value)))
	SET("row", json_string(config->driver->row));
	SET("variant", json_boolean(config->driver->variant));
	SET("regime", json_string(tails_regime_name(config->regime)));
	SET("gaps", config->gaps ? json_string(config->gaps->name) : json_null());
	SET("unit", json_string("ticks"));
	COUNT("samples", clear->count + hit->count);
	COUNT("hits", hit->count);
	SET("violation", good ? json_null() : json_string(result->violation));
	COUNT("unmet_needs", result->unmet);
	SET("p50", good ? part_json(clear, 0.5) : json_null());
	SET("p99", good ? part_json(clear, 0.99) : json_null());
	SET("p999", good ? part_json(clear, 0.999) : json_null());
	SET("p9999", good ? part_json(clear, 0.9999) : json_null());
	SET("max", good ? part_json(clear, 1) : json_null());
	SET("hit_p50", good ? part_json(hit, 0.5) : json_null());
	SET("hit_max", good ? part_json(hit, 1) : json_null());
	SET("fence_p50", part_json(&result->fence, 0.5));
	SET("fence_p99", part_json(&result->fence, 0.99));
	COUNT("blocks", result->blocks);
	COUNT("switched_blocks", result->switched_blocks);
	SET("switched_max", result->switched_blocks && good ?
				    json_integer((json_int_t)result->switched_max) :
				    json_null());
	COUNT("signals", result->delivered);
	SET("seconds", json_real(result->seconds));
	if (config->gaps)
		COUNT("late_waits", result->late_waits);
	SET("ecdf", good ? ecdf_json(clear) : json_array());
#undef COUNT
#undef SET
	return json;
}

/* What stands over four columns: a regime, or the hits of one. */
struct group {
	const char *regime;
	const char *gaps; /* "" but for replay */
	bool hits;
};

static struct group group_of(const json_t *one)
{
	return (struct group){ json_text(one, "regime"), json_text(one, "gaps"), false };
}

/* But for the hits. */
static bool same(const struct group *a, const struct group *b)
{
	return !strcmp(a->regime, b->regime) && !strcmp(a->gaps, b->gaps);
}

static const json_t *find(const json_t *tails, const char *row, const struct group *group)
{
	const json_t *one;
	size_t index;

	json_array_foreach(tails, index, one) {
		struct group own = group_of(one);

		if (!strcmp(json_text(one, "row"), row) && same(&own, group))
			return one;
	}
	return NULL;
}

/* Each regime and file once, in the section's order; a storm's hits behind it. */
static unsigned int find_groups(const json_t *tails, struct group groups[GROUPS_MOST])
{
	unsigned int count = 0, i;
	const json_t *one;
	size_t index;

	json_array_foreach(tails, index, one) {
		struct group group = group_of(one);

		for (i = 0; i < count && !same(&groups[i], &group); i++)
			;
		if (i < count || count + 2 > GROUPS_MOST)
			continue;
		groups[count++] = group;
		if (strcmp(group.regime, tails_regime_name(TAILS_STORM)))
			continue;
		group.hits = true;
		groups[count++] = group;
	}
	return count;
}

static void print_number(FILE *out, const json_t *value)
{
	double number = json_number_value(value);

	if (!json_is_number(value))
		fprintf(out, " %7s", "-");
	else if (number >= WIDE_TICKS)
		fprintf(out, " %6.0fM", number / 1e6);
	else
		fprintf(out, " %7.0f", number);
}

static void print_cell(FILE *out, const json_t *cell, const struct group *group)
{
	static const char *const keys[FIGURES] = { "p50", "p99", "p999", "max" };
	const char *why = json_text(cell, "violation");
	unsigned int i;

	fputs(" |", out);
	if (why[0]) {
		fprintf(out, " %-31.31s", why);
		return;
	}
	if (!group->hits) {
		for (i = 0; i < FIGURES; i++)
			print_number(out, json_object_get(cell, keys[i]));
		return;
	}
	fprintf(out, " %6.2f%%", 100 * json_number(cell, "hits") / json_number(cell, "samples"));
	print_number(out, json_object_get(cell, "hit_p50"));
	print_number(out, json_object_get(cell, "hit_max"));
	fprintf(out, " %7s", "");
}

static void print_heads(FILE *out, const struct group *groups, unsigned int count)
{
	char title[64];
	unsigned int i;

	fprintf(out, "\n%-30s", "");
	for (i = 0; i < count; i++) {
		snprintf(title, sizeof(title), "%s%s%s", groups[i].regime,
			 groups[i].gaps[0] ? " of " :
			 groups[i].hits	   ? ", hit by a signal" :
					     "",
			 groups[i].gaps);
		fprintf(out, " | %-31.31s", title);
	}
	fprintf(out, "\n%-30s", "row");
	for (i = 0; i < count; i++)
		fprintf(out, " | %7s %7s %7s %7s", groups[i].hits ? "share" : "p50",
			groups[i].hits ? "p50" : "p99", groups[i].hits ? "max" : "p99.9",
			groups[i].hits ? "" : "max");
	fputc('\n', out);
}

/* Rows, each once, with the figures of `count` groups. */
static void print_groups(FILE *out, const json_t *tails, const struct group *groups,
			 unsigned int count)
{
	const json_t *one, *cell;
	unsigned int i;
	size_t index;

	print_heads(out, groups, count);
	json_array_foreach(tails, index, one) {
		const char *row = json_text(one, "row");
		struct group own = group_of(one);

		if (one != find(tails, row, &own) || !same(&own, &groups[0]))
			continue;
		fprintf(out, "%-30.30s", row);
		for (i = 0; i < count; i++) {
			cell = find(tails, row, &groups[i]);
			if (cell)
				print_cell(out, cell, &groups[i]);
		}
		fputc('\n', out);
	}
}

void tails_print(FILE *out, const json_t *tails)
{
	struct group groups[GROUPS_MOST];
	unsigned int count = find_groups(tails, groups), i;

	if (!count)
		return;
	fprintf(out,
		"\nfenced latency of single events, TSC ticks (two clock reads with "
		"nothing between: %lld)\n",
		(long long)json_integer_value(
			json_object_get(json_array_get(tails, 0), "fence_p50")));
	for (i = 0; i < count; i += 2)
		print_groups(out, tails, groups + i, count - i < 2 ? 1 : 2);
}
