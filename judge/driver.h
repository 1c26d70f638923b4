/* SPDX-License-Identifier: MIT */
/*
 * One driver per row and build: driver.c compiled with the row's scheme inlined. Hot code is
 * inside; these pointers are called once per batch, per signal or per drain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/check.h"
#include "schemes/core/scheme.h"

/* The counts and choices of one ring's writers, apart from the scheme. */
struct writer {
	local_word written[CONTEXTS]; /* also the next sequence; each context touches its own */
	uint64_t failed[CONTEXTS];
	uint64_t entered[CONTEXTS]; /* writers that ran, whether they recorded or not */
	struct loss_counts losses; /* of `failed`, by the reason that the ring showed */
	bool concurrent; /* writers of other CPUs record too */
	local_word deferred; /* nested writers that a soft mask put off */
	uint64_t deferred_since[CONTEXTS]; /* clock when the first of those waiting came; 0: none */
	uint64_t deferred_worst_ticks;
	uint64_t beaten; /* clock before the last beat that has ended; of rows that age */
	uint32_t extra_bytes; /* filler behind the check payload */
	bool random_extra; /* anything from 0 to extra_bytes */
	uint32_t high_every; /* one event in so many has an id too large for 5 bits; 0: none */
	unsigned int first_context; /* of the tags, where several writers share a ring */
	uint64_t random; /* state of the filler's size, xorshift */
	local_word inside; /* writers that are at work now, one in the other */
};

#define FENCED_BLOCK 256

/* The samples of run_fenced(), which fills one block at a time. */
struct fenced_block {
	const volatile uint64_t *interrupted; /* moves with every signal the thread takes */
	uint32_t ticks[FENCED_BLOCK];
	bool hit[FENCED_BLOCK]; /* interrupted moved meanwhile */
};

/* Names, in place of a row's, for the loops that run_empty and run_clock time. */
#define CELL_EMPTY "loop"
#define CELL_CLOCK "clock"

struct driver {
	const char *row;
	const struct scheme_desc *desc;
	uint32_t stamp_bits; /* the row's own width, if the run sets none */
	uint32_t counter_bits;
	size_t scheme_bytes; /* of the scheme's ring structure; its first member is struct ring */
	uint32_t payload_bytes; /* least payload of this build */
	uint32_t claim_bits; /* SCHEME_CLAIM_BITS */
	struct scheme_format format;
	uint32_t compact_ids; /* ids that fit the compact header of format/format_ctf.h */
	bool publishes; /* the tail's store publishes a record: there is no commit */
	bool timed; /* of the timed build: the stamp is the payload */
	bool taken; /* cut out of the suite, and back as a row (extras/take/) */
	bool variant; /* of another row: it runs only by name, by prefix or in full runs */
	bool defers; /* a nested writer waits for the one that it interrupts (soft mask) */
	bool blocks; /* nobody can interrupt a writer (signals are blocked) */

	/* Why the row cannot run on this machine, in words; NULL: it can. */
	const char *(*unsupported)(void);
	/* All others take the scheme's structure as `scheme`. */
	void (*init)(void *scheme, const struct ring_config *config, uint8_t *base,
		     struct subbuf *subbufs, struct writer *writer);
	/* `events` events as fast as they go, from the task's context. */
	void (*run)(void *scheme, struct writer *writer, uint64_t events);
	/*
	 * At most FENCED_BLOCK events, each between two fenced clock reads. Timed build only,
	 * NULL in the others.
	 */
	void (*run_fenced)(void *scheme, struct writer *writer, uint64_t events,
			   struct fenced_block *block);
	/* The same loop around nothing: what the harness itself costs. */
	void (*run_empty)(void *scheme, struct writer *writer, uint64_t events);
	/* Around one read of the row's clock: what no row that stamps can be cheaper than. */
	void (*run_clock)(void *scheme, struct writer *writer, uint64_t events);
	/* A nested writer of `context`: one event, at once or when the scheme lets it. */
	void (*interrupt)(void *scheme, struct writer *writer, unsigned int context);
	/* The beat: the scheme's own work, then a beat event. */
	void (*beat)(void *scheme, struct writer *writer);
	/*
	 * Threads that record into `scheme` go to by_cpu[n], of this row too, when they find
	 * themselves on CPU n; NULL there: no thread may. NULL: the row's threads must not move.
	 */
	void (*join)(void *scheme, void *const *by_cpu);
	/* How many writers found themselves on another CPU than the ring's; NULL: as above. */
	uint64_t (*moves)(const void *scheme);
	/* Is a writer at work that turns away whoever comes into it? */
	bool (*busy)(const void *scheme);
	/* Sections that were made to start over; NULL: the row has none. */
	uint64_t (*restarts)(const void *scheme);
	/* Closes the open sub-buffer. */
	void (*flush)(void *scheme);
	/*
	 * Decodes and judges all complete sub-buffers, and releases them if `consume`. Returns the
	 * number behind the last of them. Their format headers are complete afterwards.
	 */
	uint64_t (*drain)(void *scheme, struct check *check, bool consume);
	/* As a reader that comes while writers are interrupted: takes only what is complete. */
	void (*take)(void *scheme, struct check *check);
	/*
	 * Hands the events of sub-buffers to `each`, in order, up to the first that is not
	 * complete, and releases them.
	 */
	void (*walk)(void *scheme, void (*each)(void *arg, const struct event *event), void *arg);
	/* Prints the record of `violation` with up to `around` decoded ones on either side. */
	void (*show)(FILE *text, void *scheme, const struct violation *violation,
		     unsigned int around);
};

/* The drivers of a build in the order of schemes.def, NULL at the end. */
extern const struct driver *const drivers_timed[];
extern const struct driver *const drivers_cheap[]; /* timed, with a clock in memory */
extern const struct driver *const drivers_injected[]; /* timed, with wraps and nesting by plan */
extern const struct driver *const drivers_checked[];
extern const struct driver *const drivers_counting[];

/* Ticks between beats of a row that needs them, with a short field of `stamp_bits`. */
static inline double driver_beat_ticks(const struct driver *driver, uint32_t stamp_bits, double hz)
{
	if (driver->desc->beat_ns)
		return driver->desc->beat_ns * hz / 1e9;
	return (stamp_bits < 64 ? (double)(UINT64_C(1) << stamp_bits) : 0x1p64) /
	       driver->desc->beats_per_wrap;
}

static inline double driver_beat_ns(const struct driver *driver, uint32_t stamp_bits, double hz)
{
	return driver_beat_ticks(driver, stamp_bits, hz) * 1e9 / hz;
}

/*
 * The floor under a row: the baseline that publishes and writes its records in the same form
 * (schemes/floor.h); NULL for a row that takes no stamp.
 */
const char *driver_floor(const struct driver *driver);

/* Is it such a baseline? */
bool driver_is_floor(const struct driver *driver);

/*
 * Bytes of an event id that the row's headers do not have: records of ftrace sub-buffers have
 * theirs in the payload, in two bytes, and the payloads here have none.
 */
static inline double driver_id_bytes_lacking(const struct driver *driver)
{
	return driver->format.kind == FORMAT_FTRACE ? 2 : 0;
}

/* The width that `bits` of the command line means for `driver`: some rows store whole stamps. */
uint32_t driver_bits(const struct driver *driver, uint32_t bits);

/* A driver by its row, or NULL. */
const struct driver *driver_find(const struct driver *const *drivers, const char *row);

/*
 * The rows that `list` names, separated by spaces or commas: a whole name (also "=name") is that
 * row; "nested_stamps*", and what is no whole name ("nested"), all that begin with these words;
 * "all" is every row, variants too, and NULL or "" all that driver_omit_variants() leaves. Fills
 * `chosen` (room for `max`) in the order of schemes.def. Returns how many, or -1 after a line on
 * stderr that names the unknown row and, if one is near, a known one.
 */
int driver_select(const struct driver *const *drivers, const char *list,
		  const struct driver **chosen, int max);

/* Leaves out the variants of the `count` rows if `list` names none; how many stay. */
int driver_omit_variants(const char *list, const struct driver **chosen, int count);

/*
 * Leaves out those of the `count` rows that cannot run on this machine, each with a line on stderr;
 * how many stay.
 */
int driver_omit_unsupported(const struct driver **chosen, int count);

/* One line of --list. */
void driver_list(FILE *text, const struct driver *driver);

/* Most rows there can be; a build with more fails. */
#define DRIVERS_MAX 128
