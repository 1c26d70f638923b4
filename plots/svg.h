/* SPDX-License-Identifier: MIT */
/* A gnuplot SVG made fit to stand inside a page among others. */
#ifndef STAMPEDE_PLOTS_SVG_H
#define STAMPEDE_PLOTS_SVG_H

#include <stdio.h>

/*
 * Writes the <svg> element without what stands before it, without gnuplot's <title>s (which
 * browsers show as tool tips), with `prefix` before every id and reference to one, since all SVGs
 * in a page share their ids, and with the colours of style.gp as variables of report.css. label: for
 * readers who do not see it.
 */
void svg_inline(FILE *out, const char *svg, const char *prefix, const char *label);

#endif
