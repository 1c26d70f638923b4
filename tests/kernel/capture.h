/* SPDX-License-Identifier: MIT */
/* What the guest sent over its second serial line (init.c says how), read on the host. */
#ifndef STAMPEDE_KERNEL_CAPTURE_H
#define STAMPEDE_KERNEL_CAPTURE_H

#include <traceevent/event-parse.h>

#include "tests/kernel/judge.h"

struct capture {
	char release[80], version[120];
	char clock[16]; /* of both buffers */
	struct pages a, b;
	struct decoded decoded_a, decoded_b;
	struct event_ids ids;
	uint16_t print_id; /* of markers */
	int print_offset; /* of a marker's text in its payload */
	int irq_offset; /* of an interrupt's number */
	char *trace; /* the kernel's own reading of A, as text */
	struct tep_handle *tep;
};

/*
 * Reads and decodes a capture. 0, or -1 after one line on stderr that says what is wrong with it:
 * cut off, no capture at all, fields where judge.c does not expect them, a broken record.
 */
int capture_load(const char *path, struct capture *capture);
void capture_free(struct capture *capture);

/*
 * libtraceevent's kbuffer reads the pages of `pages` again. How many events differ in time or place
 * from ours, missing and supernumerary ones included; 0: both readers agree on all.
 */
unsigned int capture_differences(const struct pages *pages, const struct decoded *decoded);

/* The time in ns that the kernel's own text gives to marker `n`; 0: not in the text. To 1000 ns. */
uint64_t capture_text_time(const struct capture *capture, unsigned long long n);

/* "m 17 ..." -> 17 and the time of CLOCK_MONOTONIC just before the write; false: no marker. */
bool capture_marker(const struct capture *capture, const struct traced *event,
		    unsigned long long *n, uint64_t *before_ns);

#endif
