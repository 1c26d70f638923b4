// SPDX-License-Identifier: MIT
/* Claims that only a kernel can judge: by section in_kernel of the record (results/SCHEMA.md). */
#include <string.h>

#include "extras/claims/statement.h"

#define MASKING "delta_sync_hard"
#define OFF_AND_ON "local_irq_save, local_irq_restore"

static const json_t *kernels_of(const struct trial *trial)
{
	return json_object_get(json_object_get(trial->lab->record, "in_kernel"), "kernels");
}

static bool is(const json_t *line, const char *key, const char *word)
{
	const char *said = json_string_value(json_object_get(line, key));

	return said && !strcmp(said, word);
}

/* Of the row that masks interrupts, in all kernels. */
struct runs {
	unsigned int kept, broken;
	double interrupting; /* events of softirqs, hardirqs and NMIs */
};

static struct runs masking_runs(const struct trial *trial, bool with_nmi)
{
	struct runs runs = { .kept = 0 };
	const json_t *kernel, *row;
	size_t i, j;

	json_array_foreach(kernels_of(trial), i, kernel)
		json_array_foreach(json_object_get(kernel, "rows"), j, row) {
			if (!is(row, "row", MASKING) ||
			    json_is_true(json_object_get(row, "with_nmi")) != with_nmi)
				continue;
			runs.kept += is(row, "verdict", "kept");
			runs.broken += is(row, "verdict", "broken");
			runs.interrupting +=
				json_number_value(json_object_get(row, "interrupting"));
		}
	return runs;
}

void interrupts_off(struct trial *trial)
{
	struct runs masked = masking_runs(trial, false), through = masking_runs(trial, true);

	if (!masked.kept && !masked.broken)
		return;
	claim_say(trial,
		  masked.broken	 ? CLAIM_REFUTED :
		  through.broken ? CLAIM_CONDITION :
				   CLAIM_HOLDS,
		  MASKING
		  " in a kernel: %u of %u runs kept under softirqs and hardirqs (%.0f interrupting "
		  "events); ",
		  masked.kept, masked.kept + masked.broken, masked.interrupting);
	if (through.kept || through.broken)
		claim_add(trial, "with NMIs, which nothing masks, %u of %u broken", through.broken,
			  through.kept + through.broken);
	else
		claim_add(trial, "NMIs were not sent");
}

/* ns in batches; 0: it was not timed. */
static double timed(const json_t *kernel, const char *price)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(kernel, "prices"), i, line)
		if (is(line, "price", price) && is(line, "unit", "ns"))
			return json_number_value(json_object_get(line, "batch"));
	return 0;
}

void lighter_locking(struct trial *trial)
{
	unsigned int kernels = 0, lighter = 0;
	const json_t *kernel, *last = NULL;
	size_t i;

	json_array_foreach(kernels_of(trial), i, kernel)
		if (timed(kernel, OFF_AND_ON) > 0 && timed(kernel, "cmpxchg") > 0) {
			kernels++;
			lighter += timed(kernel, OFF_AND_ON) > timed(kernel, "cmpxchg");
			last = kernel;
		}
	if (last)
		claim_say(trial,
			  lighter == kernels ? CLAIM_HOLDS :
			  lighter	     ? CLAIM_CONDITION :
					       CLAIM_REFUTED,
			  "on %s %.1f ns for interrupts off and on again, %.1f for a cmpxchg",
			  json_string_value(json_object_get(last, "release")),
			  timed(last, OFF_AND_ON), timed(last, "cmpxchg"));
}
