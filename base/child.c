// SPDX-License-Identifier: MIT
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"

#define NOT_STARTED 127 /* as of a shell */

static pid_t refused(const char *what, int error)
{
	fail_line("cannot start %s: %s", what, strerror(error));
	return -1;
}

pid_t child_fork(int death)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return refused("a process", errno);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, death);
	/* It may have ended before. */
	if (getppid() != parent)
		end_now(NOT_STARTED);
	return 0;
}

static bool redirect(const char *file, int first, int last)
{
	int fd, to;

	if (!file)
		return true;
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	for (to = first; to <= last; to++)
		if (dup2(fd, to) < 0)
			return false;
	return true;
}

/* Never returns; `report` gets errno if the program cannot be run, and is closed if it is. */
static void become(const struct child_program *program, int out, int report)
{
	if (program->prepare)
		program->prepare(program->arg);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* A change of user takes it away. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (redirect(program->log, STDOUT_FILENO, STDERR_FILENO) &&
	    redirect(program->errors, STDERR_FILENO, STDERR_FILENO) &&
	    (out < 0 || dup2(out, STDOUT_FILENO) >= 0))
		execvp(program->argv[0], (char *const *)(void *)program->argv);
	(void)!write(report, &errno, sizeof(errno));
	end_now(NOT_STARTED);
}

static pid_t start(const struct child_program *program, int out)
{
	int report[2], error = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return refused(program->argv[0], errno);
	pid = child_fork(SIGTERM);
	if (!pid)
		become(program, out, report[1]);
	close(report[1]);
	if (pid > 0) {
		do
			got = read(report[0], &error, sizeof(error));
		while (got < 0 && errno == EINTR);
		if (got == sizeof(error)) {
			child_wait(pid);
			pid = program->quiet ? -1 : refused(program->argv[0], error);
		}
	}
	close(report[0]);
	return pid;
}

pid_t child_start(const struct child_program *program)
{
	return start(program, -1);
}

void child_ended_early(const char *what, int code)
{
	if (code > 128)
		fail_line("%s ended early: %s", what, strsignal(code - 128));
	else
		fail_line("%s ended early: exit code %d", what, code);
}

int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return NOT_STARTED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *read_all(int fd)
{
	char *text = NULL, part[4096];
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	ssize_t got;

	if (!to)
		end_memory("what a program prints");
	while ((got = read(fd, part, sizeof(part))) != 0)
		if (got > 0)
			fwrite(part, 1, (size_t)got, to);
		else if (errno != EINTR)
			break;
	fclose(to);
	return text;
}

int child_run(const struct child_program *program, char **text)
{
	int out[2] = { -1, -1 };
	pid_t pid;

	if (text && pipe2(out, O_CLOEXEC))
		return (int)refused(program->argv[0], errno);
	pid = start(program, out[1]);
	if (text) {
		close(out[1]);
		*text = pid > 0 ? read_all(out[0]) : NULL;
		close(out[0]);
	}
	return pid > 0 ? child_wait(pid) : -1;
}

void *child_share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	fail_line("no memory to share with a process: %s", strerror(errno));
	return NULL;
}

void child_unshare(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}
