// SPDX-License-Identifier: MIT
#include "claims/claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const verdicts[] = { "not tested in this run", "holds", "holds with a condition",
					"refuted", "too noisy to say" };

/* The list is made from the names of the files. */
#define X(name) extern const struct claim claim_##name;
#include "claims.inc"
#undef X

static const struct {
	const char *name;
	const struct claim *claim;
} all[] = {
#define X(name) { #name, &claim_##name },
#include "claims.inc"
#undef X
};

void claim_say(struct claim_result *result, enum claim_verdict verdict, const char *format, ...)
{
	va_list args;

	result->verdict = verdict;
	va_start(args, format);
	vsnprintf(result->figure, sizeof(result->figure), format, args);
	va_end(args);
}

void claim_add(struct claim_result *result, const char *format, ...)
{
	size_t there = strlen(result->figure);
	va_list args;

	va_start(args, format);
	vsnprintf(result->figure + there, sizeof(result->figure) - there, format, args);
	va_end(args);
}

json_t *claims_test(const json_t *record, const char *build)
{
	const struct claims_lab lab = { record, build };
	json_t *list = json_array();
	struct claim_result result;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		result = (struct claim_result){ CLAIM_UNTESTED, "needs a run with more rows or "
								"workloads" };
		all[i].claim->test(&lab, &result);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", all[i].name,
					"claim", all[i].claim->text, "where", all[i].claim->where,
					"how", all[i].claim->how, "verdict",
					verdicts[result.verdict], "figure", result.figure));
	}
	return list;
}
