/* SPDX-License-Identifier: MIT */
/* Which ring a writer takes: its thread's, or with PER_CPU that of the CPU. */
#ifndef STAMPEDE_EXTRAS_TAKE_PER_CPU_H
#define STAMPEDE_EXTRAS_TAKE_PER_CPU_H

#if PER_CPU
/* Of this moment: in the next one the thread may be on another. */
static inline uint32_t trace_cpu(void)
{
#ifdef SCHEME_RESTARTS
	return (uint32_t)restart_cpu();
#else
	uint32_t cpu = UINT32_MAX;

#ifdef RSEQ_SIG
	/* cpu_id; negative where the kernel or the program has no rseq. */
	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(__rseq_offset));
#endif
	if (unlikely((int32_t)cpu < 0))
		syscall(SYS_getcpu, &cpu, NULL, NULL);
	return cpu;
#endif
}

/*
 * All rings may be written on all CPUs, or send the writer on: a CPU that came later than
 * trace_start(), or above THREADS, uses the first one, or loses the event.
 */
static inline struct tracer *here(void)
{
	const uint32_t cpus = __atomic_load_n(&trace_all.cpus, __ATOMIC_ACQUIRE), cpu = trace_cpu();

	return likely(cpus) ? &trace_all.slots[cpu < cpus ? cpu : 0].t : trace_join();
}

static inline int trace_open_cpus(struct tracing *all)
{
	const long there = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t cpu;

	for (cpu = 0; cpu < THREADS && (long)cpu < there; cpu++) {
		if (!all->slots[cpu].memory && trace_ring_open(all, &all->slots[cpu]))
			return NO_MEMORY;
#ifdef SCHEME_RESTARTS
		all->by_cpu[cpu] = &all->slots[cpu].t.scheme;
		all->slots[cpu].t.scheme.by_cpu = all->by_cpu;
#endif
		all->slots[cpu].state = TRACE_LIVE;
	}
	__atomic_store_n(&all->cpus, cpu, __ATOMIC_RELEASE);
	return OK;
}
#else
static inline struct tracer *here(void)
{
	return likely(trace_mine) ? trace_mine : trace_join();
}
#endif

static inline struct tracer *trace_here_called(void)
{
	return here();
}

#endif
