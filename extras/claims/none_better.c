// SPDX-License-Identifier: MIT
/* Our own claim, against the table of the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/claims/statement.h"

#define OURS "packed_word"
#define OWED 5 /* promises that a clock which goes forward calls for */

/* The five that were published, by how their rows' names begin. */
static const char *const published[] = { "heartbeat", "delta_sync", "three_read", "extended_header",
					 "nested_stamps" };

/* What less is better of; time comes apart, since it has an interval. */
static const struct {
	const char *key;
	const char *words;
} columns[] = {
	{ "instructions", "instructions" }, { "clock_reads", "clock reads" },
	{ "atomics", "atomics" },	    { "header_id_bytes", "header bytes with an id" },
	{ "bytes", "bytes in all" },	    { "worst_error_ticks", "ticks of error" },
};

static const json_t *about(const struct claims_lab *lab, const char *section, const char *row)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(lab->record, section), i, line) {
		const char *workload = json_string_value(json_object_get(line, "workload"));

		if (!strcmp(json_string_value(json_object_get(line, "row")), row) &&
		    (!workload || !strcmp(workload, "steady")))
			return line;
	}
	return NULL;
}

static bool is_published(const char *row)
{
	size_t i;

	for (i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		if (!strncmp(row, published[i], strlen(published[i])))
			return true;
	return false;
}

static unsigned int owed(const json_t *scheme)
{
	const json_t *promise;
	unsigned int count = 0;
	size_t i;

	json_array_foreach(json_object_get(scheme, "promises"), i, promise)
		count += strcmp(json_string_value(promise), "step_proof") != 0;
	return count;
}

/* All promises, kept, without a need, and no stamp declared inexact. */
static bool is_equal(const struct claims_lab *lab, const json_t *scheme)
{
	const char *row = json_string_value(json_object_get(scheme, "row"));
	const json_t *line = about(lab, "table", row);
	const char *verdict = line ? json_string_value(json_object_get(line, "verdict")) : NULL;

	return owed(scheme) == OWED && !json_array_size(json_object_get(scheme, "needs")) &&
	       verdict && !strcmp(verdict, "kept") &&
	       !(lab_line(lab, "stress", row, "storm", "inexact") > 0);
}

/* Why a row can do with less, as far as the record says it. */
static const char *why(const json_t *scheme, const json_t *row, const json_t *ours, const char *key)
{
	const char *nesting = json_string_value(json_object_get(scheme, "nesting"));

	if (!strcmp(key, "bytes") &&
	    json_number_value(json_object_get(row, "header_id_bytes")) >=
		    json_number_value(json_object_get(ours, "header_id_bytes")))
		return " (no id in them, and other sub-buffer headers)";
	if (nesting && !strcmp(nesting, "later"))
		return " (an interrupt has to wait)";
	if (nesting && !strcmp(nesting, "held off"))
		return " (no interrupt possible)";
	return "";
}

/* The worst error, in ticks, of a clock that goes back between two events; -1: not played. */
static double damage(const struct claims_lab *lab, const char *row)
{
	const json_t *line;
	double worst = -1, ticks;
	size_t i;

	json_array_foreach(json_object_get(lab->record, "backstep"), i, line) {
		if (strcmp(json_string_value(json_object_get(line, "row")), row) ||
		    strcmp(json_string_value(json_object_get(line, "clock")), "between"))
			continue;
		ticks = json_number_value(json_object_get(line, "worst_ticks"));
		worst = ticks > worst ? ticks : worst;
	}
	return worst;
}

/* Writes in what `row` is better; returns in how many columns. */
static unsigned int compare(const struct claims_lab *lab, const json_t *scheme, FILE *out)
{
	const char *row = json_string_value(json_object_get(scheme, "row"));
	const json_t *line = about(lab, "table", row), *ours = about(lab, "table", OURS);
	struct stats_interval time = lab_ratio(lab, row, OURS);
	struct stats_interval cheap = lab_cheap_ratio(lab, row, OURS);
	unsigned int better = 0;
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const json_t *its = json_object_get(line, columns[i].key);
		const json_t *own = json_object_get(ours, columns[i].key);

		if (!json_is_number(its) || !json_is_number(own) ||
		    json_number_value(its) >= json_number_value(own) - 0.005)
			continue;
		fprintf(out, "%s%s %.2f %s for %.2f%s", better ? "," : "; ", better ? "" : row,
			json_number_value(its), columns[i].words, json_number_value(own),
			why(scheme, line, ours, columns[i].key));
		better++;
	}
	if (damage(lab, row) >= 0 && damage(lab, row) < damage(lab, OURS)) {
		fprintf(out, "%s%s %.0f ticks of error for %.0f when the clock goes back",
			better ? "," : "; ", better ? "" : row, damage(lab, row),
			damage(lab, OURS));
		better++;
	}
	if (time.high < 1) {
		fprintf(out, "%s%s %.3f of the time", better ? "," : "; ", better ? "" : row,
			time.middle);
		better++;
	}
	if (cheap.high < 1) {
		fprintf(out, "%s%s %.3f of the time with a cheap clock", better ? "," : "; ",
			better ? "" : row, cheap.middle);
		better++;
	}
	return better;
}

void none_better(struct trial *trial)
{
	const struct claims_lab *lab = trial->lab;
	const json_t *schemes = json_object_get(lab->record, "schemes"), *scheme;
	unsigned int equal = 0, better = 0;
	char *text = NULL;
	size_t i, size;
	FILE *out;

	if (!about(lab, "table", OURS))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	json_array_foreach(schemes, i, scheme) {
		const char *row = json_string_value(json_object_get(scheme, "row"));

		if (!is_published(row) || !is_equal(lab, scheme))
			continue;
		equal++;
		better += compare(lab, scheme, out) > 0;
	}
	if (!fclose(out) && equal)
		claim_say(trial, better ? CLAIM_REFUTED : CLAIM_HOLDS,
			  "%u published rows promise as much, %u have less of something%s", equal,
			  better, text);
	free(text);
}
