// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signal.h>

#include "search.h"

static void add(struct findings *sum, const struct findings *part)
{
	unsigned int i;

	sum->schedules += part->schedules;
	sum->stops += part->stops;
	sum->inexact += part->inexact;
	sum->extended += part->extended;
	sum->decoded += part->decoded;
	sum->stuck += part->stuck;
	for (i = 0; i < 4; i++)
		sum->verdicts[i] += part->verdicts[i];
	for (i = 0; i < ORACLES + 3; i++)
		sum->objections[i] += part->objections[i];
	if (part->first.verdict && (!sum->first.verdict || (part->first.verdict == VERDICT_BROKEN &&
							    sum->first.verdict != VERDICT_BROKEN)))
		sum->first = part->first;
	if (part->seconds > sum->seconds)
		sum->seconds = part->seconds;
	sum->done += part->done;
}

static int start_parts(const struct search *search, unsigned int processes,
		       struct findings *parts, pid_t *children)
{
	pid_t parent = getpid();
	unsigned int i;

	fflush(NULL);
	for (i = 0; i < processes; i++) {
		children[i] = fork();
		if (children[i] < 0) {
			fprintf(stderr, "stampede: cannot start a process: %s\n", strerror(errno));
			return -EAGAIN;
		}
		if (!children[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			search_run(search, i, processes, &parts[i]);
			_exit(0);
		}
	}
	return 0;
}

int search_parallel(const struct search *search, unsigned int processes,
		    struct findings *findings)
{
	struct findings *parts;
	pid_t children[64] = { 0 };
	unsigned int i;
	int status, error;

	if (processes > 64)
		processes = 64;
	if (processes <= 1 || search->outcomes) {
		search_run(search, 0, 1, findings);
		return 0;
	}
	parts = mmap(NULL, processes * sizeof(*parts), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (parts == MAP_FAILED) {
		fprintf(stderr, "stampede: no memory to share findings: %s\n", strerror(errno));
		return -ENOMEM;
	}
	error = start_parts(search, processes, parts, children);
	*findings = (struct findings){ .schedules = 0 };
	for (i = 0; i < processes; i++) {
		if (children[i] <= 0)
			continue;
		while (waitpid(children[i], &status, 0) < 0 && errno == EINTR)
			continue;
		if (!error && (!WIFEXITED(status) || WEXITSTATUS(status))) {
			fprintf(stderr, "stampede: a process of the search ended early\n");
			error = -ECHILD;
		}
		add(findings, &parts[i]);
	}
	findings->done /= processes;
	munmap(parts, processes * sizeof(*parts));
	return error;
}
