/* SPDX-License-Identifier: MIT */
/* How a program ends. All programs, and all functions that say "or an exit code", mean these. */
#pragma once

enum exit_code {
	EXIT_FINE = 0,
	EXIT_USAGE = 1, /* or a file that is none of ours, or a fault of the harness */
	EXIT_BROKEN = 2, /* a promise */
	EXIT_RESOURCE = 3, /* pin, memory, signal queue, disk */
	EXIT_UNSUPPORTED = 4,
	EXIT_INTERRUPTED = 5,
	EXIT_NOISY = 7,
};
