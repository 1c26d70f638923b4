/* SPDX-License-Identifier: MIT */
/*
 * The engine of all checked runs: threads, rings, signals, epochs and pinning. A workload says what
 * a round records and what an interrupt does; geometry, beats, draining, judging and merging are
 * the engine's.
 *
 * A run is epochs, each with a ring of another geometry; an epoch is rounds of recording, with a
 * drain after each; what was drained in an epoch is judged at its end. Threads that share rings,
 * or have to meet, are a group: its rounds are in step. The spread says how threads and rings go
 * together.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/buffer.h"
#include "judge/check.h"
#include "judge/judge.h"
#include "judge/verdict.h"
#include "runner/place/place.h"
#include "workloads/engine/interrupts.h"
#include "workloads/workload.h"

#define ENGINE_THREADS_MAX 256
#define ENGINE_OWN_BYTES 1024

struct engine_export;
struct engine_group;
struct engine_thread;

enum engine_spread {
	SPREAD_APART, /* a ring for each thread, and each goes at its own pace */
	SPREAD_TOGETHER, /* a ring for each thread, rounds in step */
	SPREAD_SHARED, /* one ring for all */
	SPREAD_MOVING, /* a ring for each CPU, and threads that move between them */
};

enum engine_signals {
	SIGNALS_NONE, /* of the engine's; beats come all the same */
	SIGNALS_TIMED, /* by timers of each thread */
	SIGNALS_SENT, /* the first two levels by a sender, if a CPU is left for it */
};

#define ENGINE_SKEW_MOST (UINT64_C(1) << 40) /* ticks from CPU to CPU */
/* Reads behind which an event that does not end is let go: then nothing is recorded by them. */
#define ENGINE_READS_MOST 100
#define ENGINE_TRACED_LEVEL 3 /* the storm's level that a traced clock's events take */

/* The clock that writers read: the machine's, or one that misbehaves (clock.h). */
struct engine_clock {
	uint64_t skew_ticks; /* 0: none */
	bool traced;
};

/* Counts of a traced clock. */
struct engine_traced {
	uint64_t events; /* recorded by its reads, or lost */
	uint64_t most; /* by the reads of one event */
	uint64_t let_go; /* events that would not have ended */
};

struct engine_config {
	const struct workload *workload;
	const struct driver *driver; /* of the checked build; of the timed one where `timeable` */
	double seconds;
	unsigned int levels; /* of the storm, 1..3 */
	unsigned int threads;
	uint32_t bits; /* width of the short field; 0: the workload's, or the row's own */
	uint32_t extra_bytes; /* filler behind the check payload */
	bool random_extra;
	uint64_t seed;
	const struct place *place;
	/* One per thread, then one for the sender if there is one, or for a reader. */
	const unsigned int *pu;
	bool has_sender;
	unsigned int cpus; /* in `pu`; threads of SPREAD_MOVING move between all of them */
	bool shared; /* SPREAD_SHARED; CHECK_WRITERS_MAX threads at most */
	struct engine_clock clock; /* of the checked build */
	const char *option; /* what the user gave for the workload's own; NULL: nothing */
	struct engine_export *export; /* gets what is recorded; NULL: nobody does */
};

struct engine_result {
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
	uint64_t deferred;
	uint64_t deferred_worst_ticks;
	uint64_t pauses; /* rounds that went on without a storm, as the writer starved */
	uint64_t beat_worst_ticks;
	struct engine_traced traced;
	uint64_t epochs;
	uint64_t void_epochs;
	double seconds; /* of wall time, the longest thread */
	double recording_seconds; /* of which recording, the mean of all threads */
	double writer_share; /* of its CPU time, left to the interrupted writer; least thread */
	uint32_t bits;
	uint32_t unmet; /* enum scheme_need, in the void epochs */
	uint32_t unmet_by_plan; /* needs that the workload leaves unmet: NEED_* */
	bool interrupted;
	struct scheme_desc desc; /* the row's, with what it promises in this spread */
	char shown[4096]; /* the first violation with its neighbours, as text; "" if none */
	uint64_t own[ENGINE_OWN_BYTES / sizeof(uint64_t)]; /* what the workload counts */
};

/*
 * The workload's own counts, in a struct of its own with 64-bit members; the result of several
 * threads has their sums.
 */
#define engine_own(type, result) \
	({ \
		_Static_assert(sizeof(type) <= ENGINE_OWN_BYTES, \
			       "more than a result has room for"); \
		(type *)(void *)(uintptr_t)(result)->own; \
	})

/* An option of run-stress that one workload has. */
struct engine_option {
	const char *name; /* "gaps"; NULL: there is none */
	const char *argument; /* "FILE" */
	const char *text; /* for --help */
	/* the line if it must be given and is not; NULL: it need not be */
	const char *missing;
};

struct workload_engine {
	enum engine_signals signals;
	enum engine_spread spread;
	bool adapt; /* the storm's pace, so that the writer keeps its share */
	bool overwrites; /* always in overwrite mode */
	/*
	 * A CPU more is for one that reads while it is written (live.h); in SPREAD_SHARED it
	 * may be the last writer's.
	 */
	bool reader;
	bool sharable; /* also with all threads in one ring */
	bool timeable; /* also on the timed build */
	uint32_t bits; /* width of the short field unless the user asks for another; 0: the row's */
	uint32_t beaten_bits; /* the same for rows that need beats, which must not be overtaken */
	/* 0: any number; threads: if fewer were asked for */
	unsigned int threads_least, threads_most, threads;
	bool two_cpus; /* not to be run on one */
	const char *no_export; /* why it cannot be exported; NULL: it can */
	struct engine_option option;
	bool (*takes)(const struct driver *driver); /* NULL: every row; else the row is left out: */
	const char *left_out; /* of which this is said, with %s for its name */
	double (*stretch)(const struct engine_config *config); /* of the storm's periods; NULL: 1 */

	size_t state_bytes; /* of engine_group.state, zero at first */

	/* Instead of all that follows: the whole run, on the calling thread. */
	int (*run)(const struct engine_config *config, struct engine_result *result);
	/* Before the threads start, and after they have ended; may be NULL. open: an exit code. */
	int (*open)(struct engine_group *group);
	void (*close)(struct engine_group *group);
	/*
	 * Records up to `events` events until thread->round_end_ns; beside a reader as many as it
	 * likes.
	 */
	void (*record)(struct engine_thread *thread, uint64_t events);
	/* A signal of level 1..3 came; NULL: the storm's own handler. */
	void (*interrupt)(struct engine_thread *thread, unsigned int level);

	/* All may be NULL. A promise, beside the oracles' objections: */
	bool (*broken)(const struct engine_result *result);
	/* Why the run says nothing, as text; NULL: it does. */
	const char *(*in_vain)(const struct engine_config *config,
			       const struct engine_result *result);
	void (*print)(FILE *out, const struct engine_result *result);
	void (*json)(json_t *into, const struct engine_config *config,
		     const struct engine_result *result);
};

/*
 * Runs `config` and fills `result`. 0, or an exit code after a line on stderr. Interrupt handlers
 * must be installed.
 */
int engine_run(const struct engine_config *config, struct engine_result *result);

/* The evidence of the run and of its row's trial; valid as long as `result` is. */
struct evidence engine_evidence(const struct engine_config *config,
				const struct engine_result *result);

/* Of each promise the word on it and how often it was tried: "promises" and "tries". */
void engine_evidence_json(json_t *into, const struct evidence *evidence);

/* The verdict on all of it. */
enum verdict engine_verdict(const struct engine_config *config, const struct engine_result *result);

/* The width of the short field that `config` runs its driver with. */
uint32_t engine_width(const struct engine_config *config);

/* run-stress prints these: before the rows, and of each. */
void engine_print_head(const struct engine_config *config);
void engine_print(const struct engine_config *config, const struct engine_result *result);

/* The same as JSON; every field of results/SCHEMA.md's "stress". */
json_t *engine_json(const struct engine_config *config, const struct engine_result *result);

/* Does it print and record what signals did? */
static inline bool engine_has_storm(const struct workload *workload)
{
	return workload->engine && workload->engine->signals == SIGNALS_SENT;
}
