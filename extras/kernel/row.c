// SPDX-License-Identifier: MIT
/*
 * A row's writers in a kernel: compiled once per row, as judge/driver.c is, from the same header.
 * Who reads is a program, which has the row's driver from there.
 */
#include "judge/driver.h"
#include "judge/driver_writer.h"

extern const struct driver DRIVER_NAME;
const struct driver DRIVER_NAME = {
	DRIVER_WRITES,
};
