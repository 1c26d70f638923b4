/* SPDX-License-Identifier: MIT */
/*
 * What workloads with a reader have in common: writers in a storm, and what is printed of the
 * reader. One of the writers looks after the reader: it wakes the reader, stops it now and then,
 * and closes sub-buffers that are open for too long.
 */
#pragma once

#include "workloads/engine/live.h"

/* A reader of `ring` on CPU `pu`, which `thread` looks after. */
void live_storm_give(struct engine_thread *thread, struct engine_live *live,
		     struct engine_ring *ring, unsigned int pu);

/* What the writer does for its reader between two stretches, with its signals blocked. */
void live_storm_tend(struct engine_thread *thread);

/* One for the group's first thread, whose state is a struct engine_live. 0. And it has ended. */
int live_storm_open(struct engine_group *group, unsigned int pu);
void live_storm_close(struct engine_group *group);

/* As workload_engine has them; what is counted is a struct live_result. */
void live_storm_record(struct engine_thread *thread, uint64_t events);
void live_storm_interrupt(struct engine_thread *thread, unsigned int level);
const char *live_storm_in_vain(const struct engine_config *config,
			       const struct engine_result *result);
void live_storm_print(FILE *out, const struct engine_result *result);
void live_storm_json(json_t *into, const struct engine_config *config,
		     const struct engine_result *result);
