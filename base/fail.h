/* SPDX-License-Identifier: MIT */
/*
 * Lines on stderr, each of its own: "stampede: " and a message that names the thing and its
 * remedy, in one call, so that threads do not mix theirs. The message has no newline; control
 * characters in it, from file names or parsers, become blanks.
 */
#pragma once

#include "base/exit.h"

/* Prints the line and returns `status`, an exit code. */
__attribute__((format(printf, 2, 3))) int fail_with(int status, const char *format, ...);

/* Prints the line, of what does not end the program. */
__attribute__((format(printf, 1, 2))) void fail_line(const char *format, ...);

/* "cannot <what> <path>: <error>; <remedy>"; EXIT_RESOURCE. `error` is an errno. */
int fail_file(const char *what, const char *path, int error);

/* "out of memory for <what>: <remedy>"; EXIT_RESOURCE. */
int fail_memory(const char *what);
extern const char *fail_memory_remedy; /* a program may know a better one */

/*
 * Ends the process without what exit() does: in a copy of a process, or in a handler of a signal.
 * Nothing else here calls _exit() or abort() (tests/house).
 */
_Noreturn void end_now(int status);

/* The same after the line and what is buffered for stdout; where no caller could go on. */
_Noreturn __attribute__((format(printf, 2, 3))) void end_with(int status, const char *format, ...);
_Noreturn void end_memory(const char *what);

/*
 * From now on a crash ends the process as broken, with a line that names the row; whoever catches
 * crashes already still does.
 */
void end_crashes(const char *row);

/* The process ends in the same way once it has used `seconds` more of CPU time; 0: no limit. */
void end_hangs(unsigned int seconds);

/* A state that only a fault of Stampede itself can reach. */
#define END_FAULT(what) \
	end_with(EXIT_USAGE, "%s (%s:%d): a fault of Stampede; please report it", what, __FILE__, \
		 __LINE__)
