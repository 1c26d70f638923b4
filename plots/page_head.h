/* SPDX-License-Identifier: MIT */
/* How every page begins: its style inside it, and what it may do. */
#ifndef STAMPEDE_PLOTS_PAGE_HEAD_H
#define STAMPEDE_PLOTS_PAGE_HEAD_H

#include <stdio.h>

/*
 * Up to <body>. `script`: the base64 of the SHA-256 of the one script that may run; NULL: none. The
 * title is escaped.
 */
void page_head(FILE *out, const char *title, const char *script);

#endif
