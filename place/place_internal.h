/* SPDX-License-Identifier: MIT */
/* What place.c and place_plan.c share and nobody else needs. */
#ifndef STAMPEDE_PLACE_PLACE_INTERNAL_H
#define STAMPEDE_PLACE_PLACE_INTERNAL_H

#include "place/place.h"

/* Linux is built for at most 8192 CPUs; larger numbers in a list are typing errors. */
#define CPU_NUMBER_MAX 65535u

/*
 * Each prints one line on stderr, in one call, so that threads do not mix theirs, and returns the
 * status it is named after.
 */
__attribute__((format(printf, 1, 2))) enum place_status place_usage(const char *format, ...);
__attribute__((format(printf, 1, 2))) enum place_status place_refused(const char *format, ...);
enum place_status place_out_of_memory(void);

#endif
