/* SPDX-License-Identifier: MIT */
/* Runs gnuplot on one of the scripts and takes the picture from its standard output. */
#ifndef STAMPEDE_PLOTS_GNUPLOT_H
#define STAMPEDE_PLOTS_GNUPLOT_H

#include <stddef.h>

struct picture {
	char *data; /* a '\0' behind it; free it */
	size_t size;
};

/*
 * Draws dir/script as "svg" or "png". 0; PLOTS_UNSUPPORTED, without a line, if there is no
 * gnuplot; or another exit code after a line on stderr. A picture that is not whole is an error.
 */
int gnuplot_draw(const char *dir, const char *script, const char *format, struct picture *picture);

#endif
