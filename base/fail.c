// SPDX-License-Identifier: MIT
#include "base/fail.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LINE_BYTES 2048

static const char *volatile crashing;

const char *fail_memory_remedy = "close other programs, or ask for less";

static void print(const char *format, va_list arguments)
{
	char line[LINE_BYTES], *c;

	vsnprintf(line, sizeof(line), format, arguments);
	for (c = line; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	fprintf(stderr, "stampede: %s\n", line);
}

int fail_with(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
	return status;
}

void fail_line(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

/* The remedy for an errno of a file. */
static const char *remedy(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "the disk is full: free some space; earlier results are intact";
	case EACCES:
	case EPERM:
		return "make the directory writable, or give another one";
	case EROFS:
		return "the file system is read-only: give a directory elsewhere";
	default:
		return "earlier results are intact";
	}
}

int fail_file(const char *what, const char *path, int error)
{
	return fail_with(EXIT_RESOURCE, "cannot %s %s: %s; %s", what, path, strerror(error),
			 remedy(error));
}

int fail_memory(const char *what)
{
	return fail_with(EXIT_RESOURCE, "out of memory for %s: %s", what, fail_memory_remedy);
}

void end_now(int status)
{
	_exit(status);
}

void end_with(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
	fflush(stdout);
	end_now(status);
}

void end_memory(const char *what)
{
	fail_memory(what);
	fflush(stdout);
	end_now(EXIT_RESOURCE);
}

/* What the code wrote over may be what stderr needs: the line goes out without it, and a crash in
 * here only ends. */
static void on_crash(int signal)
{
	static volatile sig_atomic_t again;

	if (!again++ &&
	    dprintf(STDERR_FILENO, "stampede: the code of %s %s: SIG%s; gdb shows where\n",
		    crashing, signal == SIGVTALRM ? "does not end" : "crashes",
		    sigabbrev_np(signal)) > 0)
		fflush(stdout);
	end_now(EXIT_BROKEN);
}

void end_crashes(const char *row)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM };
	const struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_NODEFER };
	struct sigaction was;
	size_t i;

	for (i = 0; !crashing && i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (!sigaction(crashes[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(crashes[i], &action, NULL);
	crashing = row;
}

void end_hangs(unsigned int seconds)
{
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}
