/* SPDX-License-Identifier: MIT */
/* Snapshots, with calls only that a signal handler may make. */
#pragma once

static inline bool trace_copy_ring(struct tracing *all, int folder, struct trace_slot *slot,
				   uint64_t count)
{
	char name[24];
	uint64_t end = packets(&slot->t), number = end > count ? end - count : 0, at = 0;
	int file = trace_file(all, folder, trace_name(name, (uint64_t)(slot - all->slots), 1),
			      TRACE_NEW);
	struct packet packet;
	bool good = file >= 0;

	for (; good && number < end; number++) {
		if (copy(&slot->t, number, all->copied, &packet) != 1 ||
		    !trace_trim(slot, &slot->began, &packet, all->copied))
			continue;
		good = trace_put(file, packet.bytes, packet.size, at);
		at += packet.size;
	}
	return file >= 0 && !(close)(file) && good;
}

/* All of it into a new folder, which is no trace before that. */
static inline bool trace_copy_all(struct tracing *all, int folder, uint64_t bytes)
{
	uint64_t rings = 0, count;
	struct trace_slot *slot;
	bool good = true;

	TRACE_EACH(all, slot)
		rings++;
	count = bytes / (rings ? rings : 1) >> SUBBUF_SHIFT;
	TRACE_EACH(all, slot)
		good = good && trace_copy_ring(all, folder, slot, count ? count : 1);
	return good && trace_describe(all, folder);
}

/* Of the two that may be there the one before stays until the new one is whole. */
static inline int trace_snapshot_into(struct tracing *all, int in, uint64_t bytes)
{
	static const char *const names[] = { "snapshot0", "snapshot1" };
	int which = 0, into = trace_folder(all, in, names[0]);
	int error;
	bool good;

	if (into < 0)
		into = trace_folder(all, in, names[which = 1]);
	if (into < 0) { /* a kill came between: one of them goes, that which is not whole */
		which = faccessat(in, "snapshot1/metadata", F_OK, 0) != 0;
		trace_remove(all, in, names[which]);
		into = trace_folder(all, in, names[which]);
	}
	if (into < 0)
		return NOT_WRITTEN;
	good = trace_copy_all(all, into, bytes);
	error = errno;
	(close)(into);
	trace_remove(all, in, names[good ? !which : which]);
	errno = error;
	return good ? OK : NOT_WRITTEN;
}

static inline int trace_snapshot(const char *folder, uint64_t bytes)
{
	struct tracing *all = trace_owner;
	int in, none = 0, error = NOT_WRITTEN;

	if (!folder)
		return NO_POINTER;
	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	if (!__atomic_compare_exchange_n(&all->copying, &none, (int)syscall(SYS_gettid), false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return BUSY;
	in = trace_root(all, folder);
	if (in >= 0) {
		error = trace_snapshot_into(all, in, bytes);
		(close)(in);
	}
	__atomic_store_n(&all->copying, 0, __ATOMIC_RELEASE);
	return error;
}

static const int trace_crashes[5] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

/* A thread that crashes while another one writes a snapshot would end the process under it. */
static inline void trace_crashed(int number)
{
	struct tracing *all = trace_owner;
	const struct timespec nap = { 0, 10000000 };
	const int mine = (int)syscall(SYS_gettid), before = errno;
	int naps = 0, i;

	/* Not if this thread has crashed while it wrote one. */
	while (trace_snapshot(all->crash_folder, all->crash_bytes) == BUSY && naps++ < 1000 &&
	       __atomic_load_n(&all->copying, __ATOMIC_RELAXED) != mine)
		nanosleep(&nap, NULL);
	for (i = 0; i < 5; i++)
		if (trace_crashes[i] == number)
			sigaction(number, &all->before[i], NULL);
	errno = before;
	raise(number);
}

static inline int trace_on_crash(const char *folder, uint64_t bytes)
{
	struct tracing *all = trace_owner;
	struct sigaction crash;
	int i;

	if (!folder)
		return NO_POINTER;
	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NOT_OPEN;
	__atomic_store_n(&all->crash_bytes, bytes, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&all->crash_folder, folder, __ATOMIC_ACQ_REL))
		return OK;
	memset(&crash, 0, sizeof(crash));
	crash.sa_handler = all->calls->crashed;
	crash.sa_flags = SA_ONSTACK;
	sigemptyset(&crash.sa_mask);
	for (i = 0; i < 5; i++)
		if (sigaction(trace_crashes[i], &crash, &all->before[i]))
			return NOT_WRITTEN;
	return OK;
}
