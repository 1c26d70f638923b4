/* SPDX-License-Identifier: MIT */
/*
 * What `make reproduce-kernel` recorded, as a section of a page: both buffers as a timeline, the
 * time that was decoded beside the one that fits, the instruction boundary, the controls, and what
 * of it is artificial.
 */
#ifndef STAMPEDE_PLOTS_KERNEL_SECTION_H
#define STAMPEDE_PLOTS_KERNEL_SECTION_H

#include <stdio.h>

#include <jansson.h>

/*
 * kernel: the object that kernel.json is (results/SCHEMA.md), or NULL: then nothing is written.
 * What is missing in it is left out; nothing in it is trusted to be fit for HTML.
 */
void kernel_section(const json_t *kernel, FILE *out);

#endif
