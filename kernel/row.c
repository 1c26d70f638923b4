// SPDX-License-Identifier: MIT
/*
 * A row's writers in a kernel: compiled once per row, as judge/driver.c is, from the same header.
 * Who reads is a program, which has the row's driver from there.
 */
#include "judge/driver.h"
#include "judge/driver_writer.h"

extern const struct driver DRIVER_NAME;
const struct driver DRIVER_NAME = {
	.row = TEXT(ROW),
	.desc = &scheme_desc,
	.stamp_bits = STAMP_BITS,
	.counter_bits = COUNTER_BITS,
	.scheme_bytes = sizeof(struct scheme_ring),
	.payload_bytes = PAYLOAD_BYTES,
	.blocks = SCHEME_BLOCKS,
	.unsupported = scheme_unsupported,
	.init = driver_init,
	.run = driver_run,
#if SEAM_PAYLOAD_STAMP
	.run_fenced = driver_run_fenced,
#endif
	.run_empty = driver_run_empty,
	.run_clock = driver_run_clock,
	.interrupt = driver_interrupt,
	.beat = driver_beat,
	.busy = driver_busy,
	.flush = driver_flush,
};
