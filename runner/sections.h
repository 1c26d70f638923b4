/* SPDX-License-Identifier: MIT */
/* bench: the sections of the record that are made from all that was measured. */
#pragma once

#include "runner/counted.h"
#include "runner/run.h"
#include "runner/timed.h"

void sections_make(const struct workload_bench *bench, const struct rounds *rounds,
		   const struct counted_all *counted, struct run *run);
