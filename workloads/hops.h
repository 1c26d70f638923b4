/* SPDX-License-Identifier: MIT */
/*
 * What `migrate` and `live_migrate` have in common: threads that record into the ring of the CPU
 * that they are on, and send each other to other CPUs at any moment.
 */
#pragma once

#include "workloads/engine/live.h"

#define HOPS_EVENTS 300 /* of a stretch, between two chances to move */

struct hops {
	struct live_result live; /* first: what a reader counts, if there is one */
	uint64_t asked; /* moves of any thread */
};

/* As workload_engine has them. */
bool hops_takes(const struct driver *driver);
double hops_stretch(const struct engine_config *config);

/* Perhaps moves some thread; then `events` events, into the ring of the CPU that this one is on. */
void hops_record(struct engine_thread *thread, uint64_t events);

void hops_print(FILE *out, const struct engine_result *result);
void hops_json(json_t *into, const struct engine_config *config,
	       const struct engine_result *result);
