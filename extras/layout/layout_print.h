/* SPDX-License-Identifier: MIT */
/* What build/layout says, as text and as JSON. */
#ifndef STAMPEDE_EXTRAS_LAYOUT_LAYOUT_PRINT_H
#define STAMPEDE_EXTRAS_LAYOUT_LAYOUT_PRINT_H

#include <jansson.h>

#include "extras/layout/layout_math.h"

#define LAYOUT_RATES_MOST 16

struct layout_inputs {
	double clock_hz;
	double latency_us; /* expected longest interrupt latency */
	double timer_hz;
	double spacing_ns; /* shortest between two events */
	double rates[LAYOUT_RATES_MOST]; /* events per second */
	unsigned int rates_count;
	const struct layout *custom; /* one more, of the user; NULL: none */
};

void layout_print_cuts(const struct layout_inputs *inputs);
void layout_print_table(const struct layout_inputs *inputs);
void layout_print_bytes(const struct layout_inputs *inputs);
void layout_print_seed_errors(void);

/* Inputs, cuts, one object per layout with its bytes per second at the rates. */
json_t *layout_json(const struct layout_inputs *inputs);

#endif
