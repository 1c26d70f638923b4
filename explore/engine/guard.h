/* SPDX-License-Identifier: MIT */
/*
 * What the explorer assumes of a row, and checks:
 *
 *   A1 What writers share is the scheme's struct, the slots and the ring's memory, and the clock.
 *   A2 No other writer reads or writes an interrupted writer's frame: its stack and saved
 *      registers.
 *
 * Without A1 a snapshot is incomplete: object_check() refuses a row that keeps anything else. Two
 * parts rest on A2: the engine of states (it follows a nested writer once from each shared state,
 * whichever writer it interrupted) and the filter of shared accesses (what a writer does in its
 * frame changes nothing for others, so no interrupt is tried there). To reach a frame a writer
 * needs the frame's address, which it can only find in shared memory: so no such address may be
 * there when a nested writer starts, and the frames below it must be unchanged when it has ended. A
 * row that breaks either is refused, with the reason; every schedule, at every instruction, needs
 * no A2 (--stops all --engine schedules).
 */
#pragma once

#include <stdint.h>

#include "explore/stops/row.h"

/* What is looked at when a nested writer starts. */
struct guard_view {
	const uint8_t *shared; /* what writers share */
	size_t shared_bytes;
	uintptr_t stacks; /* of all writers */
	size_t stacks_bytes;
	const struct explore_site *(*site)(void); /* the interrupted one; NULL: none */
};

/*
 * From now on A2 is looked after. What refuses the row ends the process with EXIT_UNSUPPORTED, the
 * reason in `refused`, which is in shared memory.
 */
void guard_begin(char *refused, size_t bytes);

/*
 * A nested writer is about to start on top of the frame from `sp` to `end`; nothing is there
 * between events. Those below have been noted when their writers were interrupted. Returns what to
 * hand to guard_same_frame() when it has ended.
 */
uint64_t guard_frame(uintptr_t sp, uintptr_t end, struct guard_view (*view)(void));

void guard_same_frame(uintptr_t sp, uintptr_t end, uint64_t frame);

/* A1. Negative errno, after a line on stderr: -ENOTSUP for what an explored row cannot have. */
int object_check(const char *path);
