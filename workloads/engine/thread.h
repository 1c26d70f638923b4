/* SPDX-License-Identifier: MIT */
/* The engine as a recording workload sees it: its thread, its ring and the group of both. */
#pragma once

#include <pthread.h>

#include "base/rng.h"
#include "workloads/engine/engine.h"
#include "workloads/engine/export.h"
#include "workloads/engine/signals.h"

/* A ring, and what was found in it since its epoch began. */
struct engine_ring {
	struct buffer buffer;
	struct check check;
	struct engine_export_tap tap;
	uint64_t lost; /* by the ring, until its last drain */
};

struct spread_ops;
struct engine_live;

/* Threads that are in step, and the rings that they record into. */
struct engine_group {
	const struct engine_config *config;
	const struct workload_engine *ops;
	const struct spread_ops *spread;
	const struct scheme_desc *desc; /* what the row promises in this spread */
	struct engine_thread *threads;
	unsigned int count;
	struct engine_ring *rings;
	unsigned int ring_count;
	void *state; /* the workload's, of ops->state_bytes */
	void **by_cpu; /* schemes by number of the CPU, for threads that move */
	pthread_barrier_t barrier;
	unsigned int rounds; /* of the epoch */
	bool failed; /* someone cannot go on */
	bool epoch_over; /* both are set by the first thread, between two meetings */
	bool over;
};

struct engine_thread {
	pthread_t thread;
	struct engine_group *group;
	const struct engine_config *config;
	const struct workload_engine *ops;
	unsigned int index; /* in its group */
	unsigned int pu;
	const struct driver *driver;
	struct engine_ring *ring; /* that it records into; of moving threads: the first */
	void *scheme; /* of the ring that it records into now */
	struct writer *writer; /* that ring's, or `apart` */
	struct writer apart; /* of one of several writers in a ring */
	struct engine_live *live; /* a reader of its ring on another CPU; NULL: none */
	struct signals signals;
	struct engine_result result;
	uint64_t random;
	uint64_t round_end_ns; /* time_ns() at which a round has to end at the latest */
	uint64_t deadline_ns; /* and the run */
	uint64_t delivered_before; /* signals, before the epoch */
	double calm_ns; /* per event of the task, without interrupts */
	uint64_t recording_ns; /* by the wall */
	uint64_t recording_cpu_ns; /* of which the thread had a CPU */
	uint64_t task_events; /* in recording_ns, whether recorded or lost */
	uint64_t epoch_cpu_ns, epoch_events; /* both when the epoch began */
	local_word
		asked; /* events of the epoch, by the harness's own count, and before the round */
	uint64_t asked_before;
	local_word storm_asked; /* as storm_entered(), and what its handlers asked for since */
	bool filled; /* a round of the epoch may have had no room in the ring */
	bool overrun; /* and has overwritten */
	bool recorded;
	int error;
};

/* How threads and rings go together. */
struct spread_ops {
	bool (*owns)(const struct engine_thread *thread, unsigned int ring);
	/*
	 * Each by every thread of the group, in step. Empty rings of a new geometry: an exit code.
	 */
	int (*begin)(struct engine_thread *thread);
	/* The events recorded are read, while no thread records. */
	int (*drain)(struct engine_thread *thread);
	/* And judged. */
	int (*end)(struct engine_thread *thread);
	unsigned int rounds; /* of an epoch; 0: as many as its time allows */
	bool calibrates; /* finds calm_ns before it begins */
};

extern const struct spread_ops spread_apart, spread_shared, spread_moving;

/* All threads of the group come here; false for all if any says so. */
bool engine_agree(struct engine_thread *thread, bool good);

/* `events` events back to back; the same in a storm. */
void engine_record(struct engine_thread *thread, uint64_t events);
void engine_record_storm(struct engine_thread *thread, uint64_t events);

/* Waits until clock_real() is `due`; false: `end` came before, or the run is to stop. */
bool engine_wait(uint64_t due, uint64_t end);

/* Sets thread->round_end_ns: an epoch of usual length begins now. */
void engine_epoch_begin(struct engine_thread *thread);

/* thread->round_end_ns in ticks. */
uint64_t engine_round_end(const struct engine_thread *thread);

/* A handler of the storm records at `level`: one event, or many. */
void engine_storm(struct engine_thread *thread, unsigned int level);

/* ---- between the engine's own files ---- */

/* Sub-buffers of 512 bytes to 64 KiB, two of them or as many as fit; a mode; all at random. */
struct ring_config engine_geometry(const struct engine_config *config, unsigned int pu,
				   uint64_t *state);

/* Events of a round: rarely more than the ring holds, so that both full and lapped rings occur. */
uint64_t engine_round_events(const struct engine_config *config, const struct ring *ring,
			     uint64_t *state);

/* The payload of `writer`'s events. */
void engine_choices(const struct engine_config *config, uint64_t *state, struct writer *writer);

/* Memory for any geometry, opened by a thread on `pu`. An exit code; the engine closes it. */
int engine_ring_open(struct engine_thread *thread, struct engine_ring *ring, unsigned int pu);

/* An empty ring of that geometry, with a check for it. An exit code. */
int engine_ring_reset(struct engine_thread *thread, struct engine_ring *ring,
		      const struct ring_config *geometry);

/*
 * Adds `check` to what is void, with the objections of the oracles in the mask `excused`; its other
 * objections go to what counts.
 */
void engine_merge_excused(struct engine_result *result, const struct check *check,
			  uint32_t excused);

/*
 * Adds a judged stretch of the run to `result`: to what was judged, or, if a need that was not met
 * excuses some of its objections, to what is void. All other objections count either way.
 */
void engine_book(struct engine_result *result, const struct check *check,
		 const struct judgement *judgement);

/* Adds the losses of `ring` and its writers, with their reasons, to `result`; at an epoch's end. */
void engine_book_losses(struct engine_result *result, const struct ring *ring,
			const struct loss_counts *losses);

/* All of a thread's result into the run's; `threads` of them are merged. */
void engine_merge(struct engine_result *sum, const struct engine_result *one, unsigned int threads);

/*
 * Keeps the text of the earliest violation of `ring` by an oracle that is not in the mask
 * `excused`, and its neighbours, in the thread's result, if that has none.
 */
void engine_show(struct engine_thread *thread, struct engine_ring *ring, uint32_t excused);

/* Differences with a driver of the timed build (timed.c). */
struct ring_config engine_timed_geometry(const struct engine_config *config, uint64_t *state);
uint64_t engine_timed_round(const struct ring *ring, uint64_t *state);
/* A round is drained; an epoch is over, all of it drained, which may excuse what it found. */
void engine_timed_drained(struct engine_thread *thread, struct check *check);
bool engine_timed_excuses(const struct engine_thread *thread);
void engine_timed_judge(struct engine_thread *thread, struct check *check);
