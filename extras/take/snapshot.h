/* SPDX-License-Identifier: MIT */
/* Snapshots, with calls only that a signal handler may make. */
#ifndef STAMPEDE_EXTRAS_TAKE_SNAPSHOT_H
#define STAMPEDE_EXTRAS_TAKE_SNAPSHOT_H

static inline bool trace_copy_ring(struct tracing *all, int folder, struct trace_slot *slot,
				   uint64_t count)
{
	char name[24];
	uint64_t end = packets(&slot->t), number = end > count ? end - count : 0, at = 0;
	int file = trace_file(folder, trace_name(name, (uint64_t)(slot - all->slots), 1),
			      O_WRONLY | O_CREAT | O_TRUNC);
	struct packet packet;
	bool good = file >= 0;

	for (; good && number < end; number++) {
		if (copy(&slot->t, number, all->copied, &packet) != 1)
			continue;
		good = trace_put(file, packet.bytes, packet.size, at);
		at += packet.size;
	}
	return file >= 0 && !(close)(file) && good;
}

static inline int trace_snapshot(const char *folder, uint64_t bytes)
{
	struct tracing *all = &trace_all;
	uint64_t rings = 0, count;
	int i, into, error = OK;

	if (!folder)
		return NO_POINTER;
	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	if (__atomic_exchange_n(&all->copying, 1, __ATOMIC_ACQUIRE))
		return BUSY;
	for (i = 0; i < THREADS; i++)
		rings += __atomic_load_n(&all->slots[i].memory, __ATOMIC_ACQUIRE) != NULL;
	count = bytes / (rings ? rings : 1) >> SUBBUF_SHIFT;
	into = trace_folder(all, AT_FDCWD, folder);
	if (into < 0)
		error = NOT_WRITTEN;
	for (i = 0; i < THREADS && !error; i++)
		if (__atomic_load_n(&all->slots[i].memory, __ATOMIC_ACQUIRE) &&
		    !trace_copy_ring(all, into, &all->slots[i], count ? count : 1))
			error = NOT_WRITTEN;
	if (into >= 0)
		(close)(into);
	__atomic_store_n(&all->copying, 0, __ATOMIC_RELEASE);
	return error;
}

static const int trace_crashes[5] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

/* Of threads that crash at once the first writes; the others would end the process under it. */
static inline void trace_crash_snapshot(struct tracing *all)
{
	const struct timespec nap = { 0, 10000000 };
	const int mine = (int)syscall(SYS_gettid);
	int other = 0, naps = 0;

	if (!__atomic_compare_exchange_n(&all->crashing, &other, mine, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		while (other != mine && naps++ < 1000 &&
		       __atomic_load_n(&all->crashing, __ATOMIC_ACQUIRE) == other)
			nanosleep(&nap, NULL);
		return;
	}
	while (trace_snapshot(all->crash_folder, all->crash_bytes) == BUSY && naps++ < 1000)
		nanosleep(&nap, NULL);
	__atomic_store_n(&all->crashing, 0, __ATOMIC_RELEASE);
}

static inline void trace_crashed(int number)
{
	struct tracing *all = &trace_all;
	int i, before = errno;

	trace_crash_snapshot(all);
	for (i = 0; i < 5; i++)
		if (trace_crashes[i] == number)
			sigaction(number, &all->before[i], NULL);
	errno = before;
	raise(number);
}

static inline int trace_on_crash(const char *folder, uint64_t bytes)
{
	struct tracing *all = &trace_all;
	struct sigaction crash;
	int i;

	if (!folder)
		return NO_POINTER;
	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	all->crash_bytes = bytes;
	memset(&crash, 0, sizeof(crash));
	crash.sa_handler = trace_crashed;
	crash.sa_flags = SA_ONSTACK;
	sigemptyset(&crash.sa_mask);
	for (i = 0; i < 5 && !all->crash_folder; i++)
		if (sigaction(trace_crashes[i], &crash, &all->before[i]))
			return NOT_WRITTEN;
	all->crash_folder = folder;
	return OK;
}

#endif
