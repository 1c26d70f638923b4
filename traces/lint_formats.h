/* SPDX-License-Identifier: MIT */
/* The importers of read-trace --lint, one for each format; traces.mk builds a fuzzer for each. */
#pragma once

#include "traces/ftrace_trace.h"
#include "traces/lint.h"
#include "traces/trace_file.h"

/* What was read before damage stays in `lint`; the fault says what is wrong. */
typedef void lint_importer(struct lint *lint, struct trace_file *file, struct trace_fault *fault);
lint_importer lint_chrome, lint_perf, lint_xray;

/* An exit code, after a line on stderr, if nothing can be read. */
int lint_ftrace(struct lint *lint, const char *path, const struct ftrace_format *format);
int lint_ctf(struct lint *lint, const char *dir);
