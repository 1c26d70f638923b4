/* SPDX-License-Identifier: MIT */
/* A machine that is not there, for planning: hwloc makes it of HWLOC_SYNTHETIC. */
#pragma once

#include <stdlib.h>

#include "runner/place/place.h"

/* In hwloc's words, such as "package:2 core:4 pu:2"; all its CPUs are allowed. */
static inline int open_made_up(struct place *place, const char *description)
{
	int status;

	setenv("HWLOC_SYNTHETIC", description, 1);
	status = place_open(place);
	unsetenv("HWLOC_SYNTHETIC");
	return status;
}
