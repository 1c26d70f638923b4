/* SPDX-License-Identifier: MIT */
/* A board has a clock of its own (CLOCK_GIVEN). */
