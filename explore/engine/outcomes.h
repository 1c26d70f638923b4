/* SPDX-License-Identifier: MIT */
/* The set of final states of a search, as hashes. */
#pragma once

#include <stdint.h>

void outcomes_begin(void);
void outcomes_add(uint64_t hash);
/* How many different ones there were, and a hash of the set that does not know their order. */
void outcomes_end(uint64_t *count, uint64_t *hash);
/* Up to `most` of them, in the order in which they came. */
void outcomes_copy(uint64_t *to, unsigned int most);
