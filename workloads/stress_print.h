/* SPDX-License-Identifier: MIT */
/* What run-stress prints and writes of a row. */
#ifndef STAMPEDE_WORKLOADS_STRESS_PRINT_H
#define STAMPEDE_WORKLOADS_STRESS_PRINT_H

#include <jansson.h>

#include "workloads/stress.h"

void stress_print_head(const struct stress_config *config);
void stress_print(const struct stress_config *config, const struct stress_result *result);

/* The same as JSON; every field of results/SCHEMA.md's "stress". */
json_t *stress_json(const struct stress_config *config, const struct stress_result *result);

#endif
