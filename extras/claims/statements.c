// SPDX-License-Identifier: MIT
#include "extras/claims/claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "extras/claims/statement.h"

/* How claims.def says what is measured of what, and what is expected of it. */
enum { A, B, C };
#define PLAYED(...) \
	{ \
		.scene = { __VA_ARGS__ } \
	}
#define EXPLORED(name, options) \
	{ \
		.explored = name, .budget = options \
	}
#define FIELD(bits, cut) \
	{ \
		.field_bits = bits, .cut_bits = cut \
	}
#define BETWEEN(source, measure, least, most, otherwise) \
	{ \
		source, measure, least, most, otherwise \
	}
#define NEEDS(source, measure) BETWEEN(source, measure, 1, INFINITY, CLAIM_UNTESTED)
#define NONE(source, measure) BETWEEN(source, measure, 0, 0, CLAIM_REFUTED)
#define SOME(source, measure) BETWEEN(source, measure, 1, INFINITY, CLAIM_REFUTED)
#define NEAR(source, measure, claimed, by) \
	BETWEEN(source, measure, (claimed) - (by), (claimed) + (by), CLAIM_REFUTED)

static const struct claim_statement statements[] = {
#define CLAIM(id, place, words, tested, function, ...) \
	{ .name = #id, \
	  .where = place, \
	  .text = words, \
	  .how = tested, \
	  .test = function, \
	  __VA_ARGS__ },
#include "extras/claims/claims.def"
#undef CLAIM
};

void claim_say(struct trial *trial, enum claim_verdict verdict, const char *format, ...)
{
	va_list args;

	trial->verdict = verdict;
	va_start(args, format);
	vsnprintf(trial->figure, sizeof(trial->figure), format, args);
	va_end(args);
}

void claim_add(struct trial *trial, const char *format, ...)
{
	size_t length = strlen(trial->figure);
	va_list args;

	va_start(args, format);
	vsnprintf(trial->figure + length, sizeof(trial->figure) - length, format, args);
	va_end(args);
}

json_t *claims_test(const json_t *record, const char *build)
{
	static const char *const verdicts[] = { "not tested in this run", "holds",
						"holds with a condition", "refuted",
						"too noisy to say" };
	const struct claims_lab lab = { record, build };
	json_t *list = json_array();
	struct trial trial;
	size_t i;

	for (i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		trial = (struct trial){ .lab = &lab,
					.statement = &statements[i],
					.figure = "needs a run with more rows or workloads" };
		statements[i].test(&trial);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name",
					statements[i].name, "claim", statements[i].text, "where",
					statements[i].where, "how", statements[i].how, "verdict",
					verdicts[trial.verdict], "figure", trial.figure));
	}
	return list;
}
