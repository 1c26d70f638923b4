/* SPDX-License-Identifier: MIT */
/*
 * bench: workloads in the checked build, row by row, and the sections that they measure themselves.
 */
#pragma once

#include "runner/run.h"
#include "workloads/workload.h"

/* All forms of a workload in all rows. An exit code. */
int checked_forms(const struct workload *workload, const struct workload_bench *bench,
		  struct run *run);
double checked_forms_seconds(const struct workload *workload, const struct workload_bench *bench);

/* A list of sections; each is in the record afterwards, also empty. An exit code. */
int checked_sections(const struct workload_section *sections, struct workload_bench *bench,
		     struct run *run);
double checked_sections_seconds(const struct workload_section *sections,
				const struct workload_bench *bench);
