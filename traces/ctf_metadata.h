/* SPDX-License-Identifier: MIT */
/*
 * The metadata of our own packets, in CTF 1.8 or CTF 2: what format/format_ctf.h and the schemes
 * write, told to other people's readers. A real clock has its rate and, as its offset, what makes
 * dates of stamps. Any other is declared to run at 1 GHz, so that a tick is a ns and none of them
 * disappears in rounding, with an offset of 0. Of rows that cut low bits of the stamp the clock is
 * the stamp without them, at the rate / 2^cut.
 */
#pragma once

#include <stdio.h>

#include "traces/ctf_layout.h"

/* Writes the metadata; 0, or -ENOMEM. The caller looks at ferror(). */
int ctf_metadata_write(FILE *text, const struct ctf_description *description);
