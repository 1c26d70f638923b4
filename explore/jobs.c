// SPDX-License-Identifier: MIT
#include "explore/jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/options.h"
#include "explore/pace.h"
#include "explore/search.h"

#define TICK_US 500000

struct job {
	pid_t pid; /* 0: not started, or ended */
	FILE *shown, *aside;
	int status;
	bool ended;
};

static bool beside;

bool jobs_beside(void)
{
	return beside;
}

static int no_room(void)
{
	fprintf(stderr, "stampede: cannot start a process for a row: %s\n", strerror(errno));
	return EXIT_RESOURCE;
}

static int start(const struct jobs *jobs, unsigned int number, struct job *job,
		 volatile double *done)
{
	pid_t parent = getpid();

	job->shown = tmpfile();
	job->aside = tmpfile();
	fflush(NULL);
	job->pid = job->shown && job->aside ? fork() : -1;
	if (job->pid < 0)
		return no_room();
	if (job->pid)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || dup2(fileno(job->shown), STDOUT_FILENO) < 0)
		_exit(EXIT_USAGE);
	beside = true;
	pace_in(done);
	job->status = jobs->run(jobs->arg, number, job->aside);
	fflush(NULL);
	_exit(job->status);
}

/* Waits for any of them, and says meanwhile how far all are. */
static void wait_for_one(struct job *job, unsigned int count, const volatile double *done)
{
	double sum;
	unsigned int i;
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, 0);
		for (i = 0, sum = 0; i < count; i++)
			sum += done[i];
		if (!search_interrupted)
			pace_seconds(sum);
	} while (pid < 0 && errno == EINTR && !search_interrupted);
	for (i = 0; i < count && pid > 0; i++)
		if (job[i].pid == pid) {
			job[i].pid = 0;
			job[i].ended = true;
			job[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_USAGE;
		}
}

/* Shows what a job that has ended printed, and hands on what it put aside. */
static int finish(const struct jobs *jobs, unsigned int number, struct job *job)
{
	char text[4096];
	size_t bytes;

	rewind(job->shown);
	rewind(job->aside);
	pace_clear();
	while ((bytes = fread(text, 1, sizeof(text), job->shown)) > 0)
		fwrite(text, 1, bytes, stdout);
	fflush(stdout);
	return jobs->take(jobs->arg, number, job->status, job->aside);
}

static void end_all(struct job *job, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (job[i].pid > 0)
			kill(job[i].pid, SIGTERM);
	for (i = 0; i < count; i++) {
		while (job[i].pid > 0 && waitpid(job[i].pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		if (job[i].shown)
			fclose(job[i].shown);
		if (job[i].aside)
			fclose(job[i].aside);
	}
}

static unsigned int running(const struct job *job, unsigned int count)
{
	unsigned int i, sum = 0;

	for (i = 0; i < count; i++)
		sum += job[i].pid > 0;
	return sum;
}

static int run_all(const struct jobs *jobs, struct job *job, volatile double *done)
{
	unsigned int started = 0, shown = 0, next;
	int status = 0;

	while (!status && shown < jobs->count && !search_interrupted) {
		for (; started < jobs->count && running(job, jobs->count) < jobs->processes;
		     started++) {
			next = jobs->order ? jobs->order[started] : started;
			status = start(jobs, next, &job[next], &done[next]);
			if (status)
				return status;
		}
		wait_for_one(job, jobs->count, done);
		for (; !status && shown < jobs->count && job[shown].ended; shown++)
			status = finish(jobs, shown, &job[shown]);
	}
	return status;
}

static void on_tick(int signal)
{
	(void)signal;
}

int jobs_run(const struct jobs *jobs)
{
	struct sigaction tick = {.sa_handler = on_tick};
	struct itimerval timer = {{0, TICK_US}, {0, TICK_US}}, off = {{0, 0}, {0, 0}};
	size_t bytes = (jobs->count + 1) * sizeof(double);
	struct job *job = calloc(jobs->count + 1, sizeof(*job));
	volatile double *done =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	if (!job || done == MAP_FAILED) {
		free(job);
		return no_room();
	}
	if (sigaction(SIGALRM, &tick, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
		abort();
	status = run_all(jobs, job, done);
	setitimer(ITIMER_REAL, &off, NULL);
	end_all(job, jobs->count);
	pace_clear();
	munmap((void *)(uintptr_t)done, bytes);
	free(job);
	return status;
}
