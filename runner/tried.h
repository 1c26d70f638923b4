/* SPDX-License-Identifier: MIT */
/* bench: the trial of each row, and what of all that could be tried this run did not try. */
#pragma once

#include "runner/run.h"
#include "workloads/workload.h"

/* Plays the trials, into section "trials". An exit code. */
int tried_rows(const struct workload_bench *bench, struct run *run);

/* Sentences for section "not_tried"; empty if all was. */
json_t *tried_not(const struct workload_bench *bench);
