/* SPDX-License-Identifier: MIT */
/* What a reader on another CPU costs the writer beside it: the section "reading". */
#ifndef STAMPEDE_WORKLOADS_LIVE_PRICE_H
#define STAMPEDE_WORKLOADS_LIVE_PRICE_H

#include "workloads/workload.h"

#define LIVE_PRICE_PAIRS 41
#define LIVE_PRICE_EVENTS 200000 /* of a block: some 4 ms */

int live_price_measure(const struct workload_bench *bench, json_t *into);
double live_price_seconds(const struct workload_bench *bench);
void live_price_print(FILE *out, const json_t *section, enum workload_size size);

#endif
