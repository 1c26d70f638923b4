/* SPDX-License-Identifier: MIT */
/*
 * An execution is what was chosen in it, in turn: the next one is chosen depth first, until there
 * is none.
 */
#ifndef STAMPEDE_EXPLORE_ORDER_CHOICES_H
#define STAMPEDE_EXPLORE_ORDER_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

/* One of `count`, and of *more behind these (NULL: none), which may grow until all are tried. */
unsigned int choose(unsigned int count, const uint8_t *more);

/* Nothing was chosen yet. */
void choices_begin(void);

/* The next execution begins. False: there is none. */
bool choices_next(void);

/* The same execution once more. */
void choices_again(void);

#endif
