/* SPDX-License-Identifier: MIT */
/* What the parts of the guide share; not for other files. */
#ifndef STAMPEDE_PLOTS_GUIDE_INTERNAL_H
#define STAMPEDE_PLOTS_GUIDE_INTERNAL_H

#include "plots/guide.h"
#include "plots/text.h"

/* Does the record say this word of the scheme? */
bool guide_scheme_says(const json_t *scheme, const char *key, const char *word);

/* Stamps of the row that a storm of this run had declared inexact. */
double guide_inexact(const struct run *run, const char *row);

/* A list item, between `open` and `close`, for each thing that some rows are not for. */
void guide_warnings(const struct run *run, const char *open, const char *close,
		    const struct markup *to);

#endif
