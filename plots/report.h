/* SPDX-License-Identifier: MIT */
/* The page of a run (report.html, one file that needs no other) and its table in report.md. */
#ifndef STAMPEDE_PLOTS_REPORT_H
#define STAMPEDE_PLOTS_REPORT_H

#include "plots/make.h"
#include "plots/run.h"

/* Writes both; 0, or an exit code after a line on stderr. */
int report_write(const struct run *run, const struct figure *figures);

/* report.md alone. Its table stands between two comments, for a script to copy it elsewhere. */
int report_markdown(const struct run *run, const struct figure *figures);

#endif
