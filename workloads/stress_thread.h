/* SPDX-License-Identifier: MIT */
/*
 * The engine of run-stress, seen from a workload: epochs of rounds on pinned threads. A workload
 * says what a round records and what an interrupt does; geometry, beats, draining, judging and
 * merging are the engine's.
 */
#ifndef STAMPEDE_WORKLOADS_STRESS_THREAD_H
#define STAMPEDE_WORKLOADS_STRESS_THREAD_H

#include <pthread.h>

#include "workloads/stress.h"
#include "workloads/stress_export.h"

struct stress_thread;
struct stress_joint;

struct stress_ops {
	bool storm; /* three levels of signals, sent or by timers, open while it records */
	bool joint; /* two threads in step, see stress_joint */
	bool whole_ring; /* always as many sub-buffers as there is memory for */
	uint32_t bits; /* width of the short field unless the user asks for another; 0: the row's */
	uint32_t beaten_bits; /* the same for rows that need beats, which must not be overtaken */
	bool adapt; /* the storm's periods, so that the writer keeps its share */
	/* Records up to `events` events until thread->round_end_ns. */
	void (*record)(struct stress_thread *thread, uint64_t events);
	/* A signal of level 1..3 came. */
	void (*interrupt)(struct stress_thread *thread, unsigned int level);
	/* Once per round, when it is drained into the epoch's `check`; may be NULL. */
	void (*drained)(struct stress_thread *thread, const struct check *check);
};

struct stress_thread {
	pthread_t thread;
	const struct stress_config *config;
	const struct stress_ops *ops;
	struct stress_joint *joint; /* with ops->joint */
	unsigned int index;
	struct stress_result result;
	struct buffer buffer;
	struct interrupts interrupts;
	struct interrupt_sender sender;
	struct check_keep *keep; /* decoded times that the workload wants; may be NULL */
	struct stress_export_tap tap;
	unsigned int pu;
	uint64_t random;
	uint64_t round_end_ns; /* time_ns() at which a round has to end at the latest */
	uint64_t deadline_ns; /* and the run */
	double calm_ns; /* per event of the task, without interrupts */
	uint64_t recording_ns; /* by the wall */
	uint64_t recording_cpu_ns; /* of which the thread had a CPU */
	uint64_t asked; /* events of the epoch, by the harness's own count, and before the round */
	uint64_t asked_before;
	bool overrun; /* a round of it that was to fit the ring did not */
	uint64_t task_events; /* in recording_ns, whether recorded or lost */
	double stretch; /* of all storm periods, >= 1 */
	int error;
};

uint64_t stress_random(uint64_t *state);

/* The width of the short field that `config` runs its driver with. */
uint32_t stress_width(const struct stress_config *config);

/* The joint state of two threads, which handoff alone has; NULL without memory. */
struct stress_joint *joint_open(struct stress_thread *threads);
void joint_close(struct stress_joint *joint);
/* Both threads come here; false for both if either says so (`good`, or the first's `more`). */
bool joint_meet(struct stress_thread *thread, bool good);
bool joint_more(struct stress_thread *thread, bool more);

extern const struct stress_ops stress_ops_steady, stress_ops_storm, stress_ops_stall,
	stress_ops_replay, stress_ops_wraps, stress_ops_idle, stress_ops_handoff;

/* Timers and periods of the storm, by the thread's stretch; an exit code. */
int storm_timers(struct stress_thread *thread);

/* What is different with a driver of the timed build (stress_timed.c). */
struct ring_config stress_timed_geometry(const struct stress_config *config, uint64_t *state);
uint64_t stress_timed_round(const struct ring *ring, uint64_t *state);
/* A round is drained; an epoch is over, all of it drained, which may excuse what it found. */
void stress_timed_drained(struct stress_thread *thread, struct check *check);
bool stress_timed_excuses(const struct stress_thread *thread);
void stress_timed_judge(struct stress_thread *thread, struct check *check);

/* How much slower than a storm a stall's signals have to come, at the width of `config`. */
double stall_stretch(const struct stress_config *config);

/* Slower where the epoch left the writer too little, quicker where it left much. */
int storm_adapt(struct stress_thread *thread, uint64_t events, uint64_t cpu_ns);

/* The calling thread sends the storm to `thread`, from a CPU of its own; an exit code. */
int storm_send(const struct stress_config *config, struct stress_thread *thread);

#endif
