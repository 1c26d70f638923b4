/* SPDX-License-Identifier: MIT */
/* Writers that crash, or do not end: the engine continues where it last set a mark. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* By sigsetjmp(faults_escape, 0) before a writer runs; comes back with the number of a signal. */
extern sigjmp_buf faults_escape;

/*
 * Catches faults, and SIGALRM when *progress has stood still for two seconds while there was
 * somewhere to go on; a fault where there is not ends the process. *progress must not wrap, and may
 * be in shared memory.
 */
void faults_catch(const volatile uint64_t *progress);
void faults_end(void);

/* Is there somewhere to go on? */
void faults_arm(bool on);

/* The writer that runs does what no row may: as a fault of its own. */
_Noreturn void faults_raise(void);
