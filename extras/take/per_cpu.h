/* SPDX-License-Identifier: MIT */
/* Which ring a writer takes: its thread's, or with PER_CPU that of the CPU. */
#pragma once

static inline void trace_leave(void *arg)
{
	struct trace_slot *slot = (struct trace_slot *)arg;
	int state;

	__atomic_store_n(&trace_mine, NULL, __ATOMIC_RELAXED);
	do
		state = TRACE_LIVE; /* it is TAKEN for a moment when a trace starts */
	while (!__atomic_compare_exchange_n(&slot->state, &state, TRACE_FREE, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static inline bool trace_claim(struct trace_slot *slot, int *state)
{
	return __atomic_compare_exchange_n(&slot->state, state, TRACE_TAKEN, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* All threads come to trace_join() again, where they tell who they are. */
static inline void trace_call_again(struct tracing *all)
{
	struct trace_slot *slot;
	int state;

	TRACE_EACH(all, slot) {
		state = TRACE_LIVE;
		if (!slot->mine || !trace_claim(slot, &state))
			continue;
		__atomic_store_n(slot->mine, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->state, TRACE_LIVE, __ATOMIC_RELEASE);
	}
}

static inline int trace_ring_open(struct tracing *all, struct trace_slot *slot)
{
	struct options options = { all->types, all->options.type_count, 0, all->options.overwrite,
				   NULL };
	void *memory;
	int error;

	options.number = (uint32_t)(slot - all->slots);
	memory = mmap(NULL, open_bytes(&options), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NO_MEMORY;
	options.memory = memory;
	error = open(&slot->t, &options);
	if (!error && !options.overwrite)
		error = attach(&slot->t);
	if (!error)
		slot->t.memory = &slot->t; /* for close(): no business of the program's */
	else
		munmap(memory, open_bytes(&options));
	slot->lost_until = UINT64_MAX;
	__atomic_store_n(&slot->memory, error ? NULL : memory, __ATOMIC_RELEASE);
	return error;
}

/* The types that are on, in an open ring. What it asks is stored before others look for rings. */
static inline void trace_switch(struct tracing *all, struct trace_slot *slot)
{
	bool on = __atomic_load_n(&all->running, __ATOMIC_SEQ_CST);
	uint32_t i, id;

	for (i = 0; i < all->options.type_count; i++) {
		id = all->types[i].id;
		enable(&slot->t, id, on && !__atomic_load_n(&all->off[id], __ATOMIC_SEQ_CST));
	}
}

static inline void trace_switch_all(struct tracing *all)
{
	struct trace_slot *slot;

	TRACE_EACH(all, slot)
		if (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) != TRACE_TAKEN)
			trace_switch(all, slot);
}

/* Has it room? Otherwise one that nobody has used yet is better, if there is one. */
static inline bool trace_has_room(const struct trace_slot *slot)
{
	return !slot->memory || slot->t.scheme.ring.mode == RING_OVERWRITE ||
	       packets(&slot->t) - once_load(&slot->t.scheme.ring.consumed) <
		       1u << (COUNT_SHIFT - 1);
}

/* System calls only, and none that waits: a handler may be the first that records in its thread. */
static inline struct trace_slot *trace_take(struct tracing *all)
{
	struct trace_slot *slot;
	int i, state;

	for (i = 0; i < 2 * THREADS; i++) {
		slot = &all->slots[i % THREADS];
		state = TRACE_FREE;
		if (!trace_claim(slot, &state))
			continue;
		if ((i < THREADS && !trace_has_room(slot)) ||
		    (!slot->memory && trace_ring_open(all, slot))) {
			__atomic_store_n(&slot->state, TRACE_FREE, __ATOMIC_RELEASE);
			continue;
		}
		slot->mine = &trace_mine;
		__atomic_store_n(&slot->state, TRACE_LIVE, __ATOMIC_SEQ_CST);
		trace_switch(all, slot);
		pthread_setspecific(all->key, slot);
		return slot;
	}
	return NULL;
}

static __attribute__((noinline, cold, unused)) struct tracer *trace_join(void)
{
	struct tracing *all = trace_owner;
	struct tracer *mine = NULL;
	struct trace_slot *slot = NULL;
	char name[16] = "";
	uint32_t session;

	if (!__atomic_load_n(&all->running, __ATOMIC_ACQUIRE))
		return NULL;
	if (all->shape == TRACE_SHAPE && all != &trace_all)
		return all->calls->here();
	if (all->shape == TRACE_SHAPE && !trace_joining) { /* else a handler came in here */
		trace_joining = true;
		slot = (struct trace_slot *)pthread_getspecific(all->key);
		slot = slot ? slot : trace_take(all);
		prctl(PR_GET_NAME, name);
		do { /* no event stands before that, not a handler's, and not if it is lost */
			session = __atomic_load_n(&all->session, __ATOMIC_SEQ_CST);
			mine = slot && trace_thread_write(&slot->t, (uint32_t)syscall(SYS_gettid),
							  name) != FULL ?
				       &slot->t :
				       NULL;
			__atomic_store_n(&trace_mine, mine, __ATOMIC_SEQ_CST);
		} while (mine && session != __atomic_load_n(&all->session, __ATOMIC_SEQ_CST));
		trace_joining = false;
	}
	if (!slot) /* else the event is lost: trace_thread stands for it in lost() */
		__atomic_fetch_add(&all->strays, 1, __ATOMIC_RELAXED);
	return mine;
}

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
		trace_switch(all, &all->slots[cpu]); /* off until the trace has begun */
	}
	__atomic_store_n(&all->cpus, cpu, __ATOMIC_RELEASE);
	return OK;
}
#else
static inline struct tracer *here(void)
{
	struct tracer *mine = __atomic_load_n(&trace_mine, __ATOMIC_RELAXED);

	return likely(mine) ? mine : trace_join();
}
#endif

static inline struct tracer *trace_here_called(void)
{
	return here();
}
