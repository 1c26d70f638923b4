/* SPDX-License-Identifier: MIT */
/* Gaps that a writer waits for on the real clock, and how often it was too late for one. */
#pragma once

#include "workloads/engine/thread.h"

struct waits {
	uint64_t gaps;
	uint64_t late; /* over before the writer was ready */
};

/* Waits until `due` and counts it; false: the round's `end` came before. */
bool waits_until(struct engine_thread *thread, uint64_t due, uint64_t end);

void waits_print(FILE *out, const struct engine_result *result);
void waits_json(json_t *into, const struct engine_config *config,
		const struct engine_result *result);
