/* SPDX-License-Identifier: MIT */
/*
 * The contract: all that the rest of the program may know of a workload. A workload is a file,
 * workloads/<name>.c, that defines `const struct workload workload_<name>`, and its line in
 * workloads.def; lists, options, records and what is printed follow from these.
 *
 * It may be any of four things:
 *   checked rounds  `engine`: threads record, every stamp is judged. run-stress runs it, and a
 *                   bench as often as `forms` says
 *   timed cells     `cells`: what a bench times, round by round
 *   a section       `measure`: figures of its own in the record
 *   its companions  workloads without a text, which the user does not name: they run `with` another
 */
#pragma once

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/driver.h"
#include "runner/place/place.h"

/* Set by the handler of SIGINT: every run ends its round and reports. */
extern volatile sig_atomic_t workload_stop;
void workload_interrupt(int signal);

/* How large a bench is. */
enum workload_size {
	SIZE_QUICK,
	SIZE_STANDARD,
	SIZE_FULL,
	SIZES, /* as the least size: in none, unless asked for */
};

#define WORKLOAD_FORMS 3 /* at most */

/* One checked run of every row in a bench. */
struct workload_form {
	const char *section; /* of the record, that it goes to; NULL: the end of the forms */
	double seconds[SIZES]; /* per row; 0: left out */
	const char *on_timed; /* runs on the timed build, and is called so; NULL: the checked one */
	/* Width of the short field, and that of rows with a beat; 0: the row's own */
	uint32_t bits;
	uint32_t beaten_bits;
	bool worst_error; /* the row's worst error in the table is that of this form */
};

/* A cell of the timed part. */
struct workload_cell {
	const char *row; /* or CELL_EMPTY, CELL_CLOCK */
	const char *workload; /* the cell's name in the record: the workload's, or another */
	const char *base; /* the cell of the same row that it is compared with; NULL: none */
	bool cheap; /* of the build with the cheap clock (core/clock.h) */
	unsigned int threads;
	unsigned int rounds; /* slots that are planned */
	unsigned int pairs; /* of batches in each; 0: as usual (runner/timing/cell.h) */
	/* Wraps and nested writers by plan: of the injected build (core/inject.h). */
	struct cell_injection {
		bool on;
		uint64_t wrap_every; /* one event in so many; 0: none */
		uint64_t nest_every;
		uint64_t nest_depth;
	} injected;
};

#define CELL_THREADS_MAX 64

/*
 * Cells that stand beside others: with the cheap clock; the same once more, which shows the noise.
 */
#define CELLS_CHEAP "cheap"
#define CELLS_AGAIN "again"

/* One in `every`, or none, as a share. */
static inline double cell_share(uint64_t every)
{
	return every ? 1.0 / (double)every : 0;
}

/* What cells are planned for. */
struct workload_cells {
	const struct driver *const *rows;
	int count;
	unsigned int cpus;
	enum workload_size size;
	unsigned int rounds; /* of the steady part */
	void (*add)(void *arg, const struct workload_cell *cell);
	void *arg;
};

/* What a bench is, to a workload that measures a section of its own. */
struct workload_bench {
	const struct driver *const *rows; /* of the checked build */
	int count;
	const struct place *place;
	const unsigned int *pu; /* of a writer, then of a sender */
	unsigned int cpus;
	uint64_t seed;
	enum workload_size size;
	const bool *chosen; /* by workload_index() */

	void *arg;
	/* `what` (of `section`) is about to run. */
	void (*step)(void *arg, const char *section, const char *what);
	/* Something that was expected to take `seconds` is done. */
	void (*done)(void *arg, double seconds);
	/* The row broke a promise, by what `why` says. */
	void (*broke)(void *arg, int row, const char *why);
};

struct workload_engine;

struct workload {
	const char *name;
	const char *text; /* for --list; NULL: the user does not name it */
	enum workload_size least; /* size of a bench that runs it unasked */
	bool always; /* each bench checks it in every row, whatever was asked for */
	const struct workload *with; /* of one without a text: runs when this does; NULL: always */
	const char *plot; /* plots/<plot>.gp; NULL: none */

	const struct workload_engine *engine; /* workloads/engine/engine.h; NULL: `instead` */
	const char *instead; /* where it is run, for who asks run-stress for it */
	struct workload_form forms[WORKLOAD_FORMS + 1]; /* the last has no section */
	/*
	 * Appends to `into`, the section of the record with the workload's name. An exit code,
	 * after a line on stderr. NULL: it has none.
	 */
	int (*measure)(const struct workload_bench *bench, json_t *into);
	double (*seconds)(const struct workload_bench *bench); /* of it; NULL: too few to count */

	void (*cells)(const struct workload_cells *plan); /* NULL: nothing to time */
	bool in_table; /* its cells are lines of the table */
	bool beats; /* beside its cells stands what a beat costs */
	bool gaps; /* it takes recorded gaps: beside it stands what those do to other layouts */
};

#define X(name) extern const struct workload workload_##name;
#include "workloads/workloads.def"
#undef X

/* All of them, in the order in which they are listed and run; NULL at the end. */
extern const struct workload *const workloads[];
#define WORKLOADS_MAX 64

unsigned int workload_index(const struct workload *workload);

/*
 * One that the user can name. NULL, after a line on stderr with the nearest name. `length` bytes.
 */
const struct workload *workload_find(const char *name, size_t length);

/*
 * Those of `list` (names, spaces or commas between them), with what goes with them; NULL or empty:
 * those that a bench of `size` runs unasked. False after a line on stderr.
 */
bool workload_choose(const char *list, enum workload_size size, bool chosen[WORKLOADS_MAX]);

/* A line for each that the user can name, behind an empty one: rows may stand before. */
void workload_list(FILE *out);

/* Whether a bench can do anything with it. */
static inline bool workload_benched(const struct workload *workload)
{
	return workload->forms->section || workload->measure || workload->cells;
}
