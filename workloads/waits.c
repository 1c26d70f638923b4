// SPDX-License-Identifier: MIT
#include "workloads/waits.h"

#include <inttypes.h>

#include "schemes/core/clock.h"

bool waits_until(struct engine_thread *thread, uint64_t due, uint64_t end)
{
	struct waits *waits = engine_own(struct waits, &thread->result);

	waits->gaps++;
	waits->late += (int64_t)(clock_real() - due) > 0;
	return engine_wait(due, end);
}

void waits_print(FILE *out, const struct engine_result *result)
{
	const struct waits *waits = engine_own(struct waits, result);

	if (waits->gaps)
		fprintf(out,
			"  gaps waited for %" PRIu64 ", ended before the writer was ready "
			"%" PRIu64 "\n",
			waits->gaps, waits->late);
}

void waits_json(json_t *into, const struct engine_config *config,
		const struct engine_result *result)
{
	const struct waits *waits = engine_own(struct waits, result);

	(void)config;
	if (!waits->gaps)
		return;
	json_object_set_new(into, "waits", json_integer((json_int_t)waits->gaps));
	json_object_set_new(into, "waits_late", json_integer((json_int_t)waits->late));
}
