// SPDX-License-Identifier: MIT
/*
 * Preloaded by workload `every`: the clocks of a process are one shared word ($EVERY_PAGE), unless
 * the tracer reads the TSC. Each read is one instruction on it: a read in two would itself be wrong
 * if interrupted between them. A mask of signals blocks neither the steps nor their limit; the page
 * says that it is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "extras/tracers/every.h"

static struct every_page *page;
static bool tsc;

__attribute__((constructor)) static void map_page(void)
{
	const char *path = getenv("EVERY_PAGE");
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = mmap(NULL, EVERY_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (file >= 0)
		close(file);
	page = at == MAP_FAILED ? NULL : at;
	path = getenv("EVERY_CLOCK");
	tsc = path && path[0] == 't';
}

int clock_gettime(clockid_t id, struct timespec *time)
{
	uint64_t ns;

	if (!page || tsc || !page->clock || id == CLOCK_PROCESS_CPUTIME_ID ||
	    id == CLOCK_THREAD_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, id, time);
	ns = __atomic_add_fetch(&page->clock, 7, __ATOMIC_RELAXED);
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI)
		ns += page->realtime;
	time->tv_sec = (time_t)(ns / 1000000000);
	time->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone)
{
	struct timespec time;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &time);
	value->tv_sec = time.tv_sec;
	value->tv_usec = time.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *into)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	if (into)
		*into = time.tv_sec;
	return time.tv_sec;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	bool stepped = page && page->owner == (pid_t)syscall(SYS_gettid);
	uint64_t some = 0, now = 0, traps = 1ull << (SIGTRAP - 1) | 1ull << (SIGALRM - 1);
	int error;

	if (set)
		some = *(const uint64_t *)set & ~(stepped ? traps : 0);
	error = syscall(SYS_rt_sigprocmask, how, set ? &some : NULL, old, 8) ? errno : 0;
	if (stepped) {
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
		page->masked = (now & 1ull << (SIGUSR1 - 1)) != 0;
	}
	return error;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	errno = pthread_sigmask(how, set, old);
	return errno ? -1 : 0;
}
