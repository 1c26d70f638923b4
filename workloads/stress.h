/* SPDX-License-Identifier: MIT */
/*
 * Runs a row in the checked or the timed build for some time: rounds of record, flush, drain, judge, in epochs
 * of changing ring geometry, on pinned threads, with or without a signal storm.
 */
#ifndef STAMPEDE_WORKLOADS_STRESS_H
#define STAMPEDE_WORKLOADS_STRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/buffer.h"
#include "judge/check.h"
#include "workloads/gaps.h"
#include "workloads/interrupts.h"
#include "judge/judge.h"
#include "place/place.h"

#define STRESS_THREADS_MAX 256

/* Periods of the storm's levels: 1 and 2 by a sender, 3 by a timer; or all by timers. */
#define STORM_LEVEL_1_NS 12000u
#define STORM_LEVEL_2_NS 18000u
#define STORM_LEVEL_3_NS 60000u
#define STORM_TIMER_ONLY_NS 90000u
#define STORM_STRETCH 1.0 /* of all of these, at first */

/* Events of a level's `turn`th handler: one to four, now and then many, for others to nest in. */
static inline uint64_t storm_events(uint64_t turn)
{
	return turn % 8 ? 1 + turn % 4 : 64;
}
#define LATE_BEAT_STEPS 12

enum workload {
#define X(name, text) WORKLOAD_##name,
#include "workloads/workloads.def"
#undef X
	WORKLOADS
};

const char *workload_name(enum workload workload);
const char *workload_text(enum workload workload);

/* Names of all workloads, NULL-ended, for option_unknown(). */
extern const char *const workload_names[];

struct stress_export;

struct stress_config {
	const struct driver *driver; /* of the checked build; or of the timed one: stress_may_time() */
	enum workload workload;
	double seconds;
	unsigned int levels; /* of the storm, 1..3 */
	unsigned int threads;
	uint32_t bits; /* width of the short field; 0: the row's own */
	uint32_t extra_bytes; /* filler behind the check payload */
	bool random_extra;
	uint64_t seed;
	const struct place *place;
	const unsigned int *pu; /* one per thread, then one for the sender if there is one */
	bool has_sender;
	unsigned int cpus; /* of the migrate workload: that the threads move between */
	bool shared; /* all threads write into one ring; CHECK_WRITERS_MAX at most */
	const struct gaps *gaps; /* of the replay workload */
	double rare_seconds; /* of the idle workload, at its end: one event per second */
	struct stress_export *export; /* gets what is recorded; NULL: nobody does */
};

/* One lateness of the beat, and what the row made of it. */
struct late_beat_step {
	double asked_wraps; /* from an event to the beat behind it */
	uint64_t gap_ticks; /* measured, in the repetition with the median gap */
	uint64_t wraps_lost; /* by the event after that gap */
	uint64_t error_ticks; /* worst of all repetitions */
	uint64_t repetitions;
	uint64_t wrong; /* repetitions in which that event was wrong */
	uint64_t unexplained; /* of these, with an error that is not the wraps in its gap */
};

/* What a quiet machine has to do for a row: idle's phases, without events and with rare ones. */
#define IDLE_PHASES 2
struct idle_phase {
	double seconds;
	uint64_t events; /* the beats' own not counted */
	uint64_t beats;
	uint64_t wakeups; /* voluntary context switches but for the writer's own alarms */
	uint64_t cpu_ns; /* user and system */
	uint64_t bytes; /* of records, their headers included */
};

/* Causes on one CPU and their effects on another, merged by decoded time. */
struct handoff_result {
	uint64_t pairs;
	uint64_t early; /* effects decoded before their cause, both by stamps promised exact */
	uint64_t early_inexact; /* the same, one of them declared inexact */
	uint64_t unpaired; /* one of the two was lost or overwritten */
	uint64_t least_ticks; /* from a cause's stamp to its effect's, as decoded */
	uint64_t most_early_ticks;
};

struct stress_result {
	struct check check; /* all threads and epochs; first violations of the earliest */
	struct check voided; /* of epochs in which a need was not met and an oracle objected */
	uint64_t delivered[INTERRUPT_SOURCES];
	uint64_t hits;
	uint64_t at_depth[INTERRUPT_SOURCES + 1];
	struct loss_counts losses; /* by the reason that the rings showed */
	uint64_t lost;
	uint64_t refused;
	uint64_t stuck;
	uint64_t restarts; /* sections that were made to start over */
	uint64_t moves; /* writers that found themselves on another CPU than their ring's */
	uint64_t hops; /* moves of threads to other CPUs that were asked for */
	uint64_t deferred;
	uint64_t deferred_worst_ticks;
	uint64_t beat_worst_ticks;
	uint64_t epochs;
	uint64_t void_epochs;
	double seconds; /* of wall time, the longest thread */
	double recording_seconds; /* of which recording, the mean of all threads */
	double writer_share; /* of its CPU time, left to the interrupted writer; least thread */
	uint32_t bits;
	uint32_t unmet; /* enum scheme_need, in the void epochs */
	bool interrupted;
	uint64_t stalls; /* reserves that a nested writer kept waiting for more than two wraps */
	uint64_t waits; /* gaps waited for, by replay and wraps */
	uint64_t waits_late; /* of these, over before the writer was ready */
	struct idle_phase idle[IDLE_PHASES];
	struct handoff_result handoff;
	struct late_beat_step late[LATE_BEAT_STEPS];
	unsigned int late_steps;
	uint32_t late_bits; /* one wrap of the gaps is 2^late_bits ticks */
	struct scheme_desc shared_desc; /* shared: the row's, with its shared_promises */
	char shown[4096]; /* the first violation with its neighbours, as text; "" if none */
};

/* Do signals storm in it, and is a CPU for their sender wanted? */
bool stress_has_storm(enum workload workload);

/* Does it run with the timed build too? Others choose payloads, widths or ends of their own. */
bool stress_may_time(enum workload workload);

/* Set by SIGINT: every run ends its round and reports. */
extern volatile sig_atomic_t stress_stop;

/*
 * Runs `config` and fills `result`. 0, or an exit code after a line on stderr. Interrupt handlers
 * must be installed.
 */
int stress_run(const struct stress_config *config, struct stress_result *result);

/* What stress_run() does for the late_beat workload, on the calling thread. */
int stress_late_beat(const struct stress_config *config, struct stress_result *result);

/* What it does with config->shared; the row has shared_promises. */
int stress_shared(const struct stress_config *config, struct stress_result *result);

/* What it does for the migrate workload; the driver can join(). */
int stress_migrate(const struct stress_config *config, struct stress_result *result);

/* Sub-buffers of 512 bytes to 64 KiB, two of them or as many as fit; a mode; all at random. */
struct ring_config stress_geometry(const struct stress_config *config, unsigned int pu,
				   uint64_t *state);

/* Events of a round: rarely more than the ring holds; both full and lapped rings shall occur. */
uint64_t stress_round_events(const struct stress_config *config, const struct ring *ring,
			     uint64_t *state);

/* What the events of `writer` carry. */
void stress_choices(const struct stress_config *config, uint64_t *state, struct writer *writer);

/* Opens `buffer` with memory for any geometry. An exit code; the caller closes it. */
int stress_buffer(const struct stress_config *config, unsigned int pu, uint64_t *state,
		  struct buffer *buffer);

/* Makes signals count as hits that come inside a reserve. */
void stress_section(struct interrupts *interrupts);

/* Events of `check` that a nested writer recorded. */
uint64_t stress_nested(const struct check *check);

/* The verdict on all of it. */
enum verdict stress_verdict(const struct stress_result *result);

/* Adds the counts of `one` to `sum`; keeps the earliest first violation of each oracle. */
void stress_merge_check(struct check *sum, const struct check *one);

/*
 * Adds `check` to what is void, with the objections of the oracles in the mask `excused`; its other
 * objections go to what counts.
 */
void stress_merge_excused(struct stress_result *result, const struct check *check,
			  uint32_t excused);

/*
 * Adds a judged stretch of the run to `result`: to what was judged, or, if a need that was not met
 * excuses some of its objections, to what is void. All other objections count either way.
 */
void stress_book(struct stress_result *result, const struct check *check,
		 const struct judgement *judgement);

/*
 * Keeps the text of the earliest violation of `check` by an oracle that is not in the mask `excused`,
 * and its neighbours, in `shown`.
 */
void stress_show(struct buffer *buffer, const struct check *check, uint32_t excused, char *shown,
		 size_t bytes);

/* The width that `bits` of the command line means for `driver`: some rows store whole stamps. */
uint32_t stress_bits(const struct driver *driver, uint32_t bits);

#endif
