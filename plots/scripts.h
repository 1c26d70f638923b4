/* SPDX-License-Identifier: MIT */
/*
 * What of this directory the program carries inside: gnuplot scripts, of which a run gets copies,
 * and the style of the page.
 */
#ifndef STAMPEDE_PLOTS_SCRIPTS_H
#define STAMPEDE_PLOTS_SCRIPTS_H

#include <stddef.h>

/* Text of <name>.gp, or of report.css for "report_css"; NULL if there is none. */
const char *script_text(const char *name, size_t *size);

#endif
