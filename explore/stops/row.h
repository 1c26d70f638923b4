/* SPDX-License-Identifier: MIT */
/*
 * What the explorer and a row that it explores know of each other.
 *
 * An explored row is a shared object of its own, so that a patched tree (tests/mutants) and a
 * scheme of 2006 (schemes/history) are explored by the same engine. It holds
 *
 *   - the writers (row.c), compiled to assembly and put through stops.py: each function three
 *     times, with a stop before every instruction, with a stop before every instruction that may
 *     touch what writers share, and plain;
 *   - the reader (judge/reader.c) and the rest of the driver (judge/driver.c, counting build);
 *   - the reader of another CPU (handover.c), which stops at labelled points.
 *
 * Geometry and widths are constants of the object, as in the timed build, and make its "shape".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/driver.h"
#include "schemes/core/points.h"

/* Where writers can be interrupted: the copies of their code. */
enum explore_stops {
	STOPS_ALL, /* before every instruction */
	STOPS_SHARED, /* before those that may touch shared memory */
	STOPS_NONE, /* the plain copy */
	STOPS_POINTS, /* at the labelled points of core/point.h; needs an object of its own */
};

/* A stop: one instruction of the writers. */
struct explore_site {
	uint64_t stop[2]; /* return address of the call in the copies ALL and SHARED; 0: no stop */
	uint64_t plain; /* the instruction in the plain copy */
	const char *instruction;
	const char *file; /* of the source line that it comes from */
	uint64_t line;
	uint64_t abort[3]; /* where a restartable section resumes, by copy; 0: not in a section */
	uint64_t round; /* 1: between two rounds of a string instruction */
};

struct source; /* one event on its way: row.c's, filled by explore_enter() */

struct explored_row {
	uint64_t layout; /* EXPLORED_LAYOUT when the object was compiled */
	const char *row;
	const char *shape;
	const struct driver *driver; /* the reader; its run() is not used */
	struct ring_config config; /* geometry and widths that the writers are compiled for */
	struct virtual_clock *clock;
	struct {
		uint64_t *clock_step;
		uint8_t **base;
		struct subbuf **subbufs;
		uint32_t *header_bytes;
		enum ring_mode *mode;
	} constants; /* while writers run: copies of what the clock and the ring hold */
	uint64_t *blocked; /* not 0: interrupts are blocked */
	bool timed; /* the payload is the stamp alone, stored by the row's own code */
	bool foreign; /* no row: a tracer behind a shim (foreign.h) */
	bool points; /* compiled with stops at labelled points */
	bool defers; /* a nested writer may have to wait */
	bool discards; /* can take an event back that is not committed */

	/* By enum explore_stops. */
	void (*event[3])(void *scheme, unsigned int context, uint32_t extra);
	void (*interrupt[3])(void *scheme, unsigned int context, uint32_t extra);
	void (*beat[3])(void *scheme);
	void (*discard[3])(void *scheme, unsigned int context);
	/* Hands over what is complete, by a ring of the same geometry; stops by points->hook. */
	void (*read)(void *scheme, void *spare);
	struct points *at_points;

	const struct explore_site *sites;
	uint64_t site_count;
	/* Foreign: its static variables, and where behind `scheme` they are while no writer runs.
	 */
	uint8_t *statics;
	uint64_t statics_bytes;
	uint64_t statics_at;
};

#define EXPLORED_LAYOUT \
	((uint64_t)sizeof(struct explored_row) << 32 | sizeof(struct explore_site) << 16 | \
	 sizeof(struct driver))

/* The one symbol that the object shows. */
#define EXPLORED_ROW_SYMBOL "explored_row"

struct explore_source {
	uint32_t index; /* in the engine's log of events */
};

/* What the row calls in the engine, on the writer's stack and never interrupted. */
/* `extra`: bytes of filler, a multiple of 4. */
void explore_enter(struct explore_source *src, unsigned int context, uint32_t id, uint32_t extra);
/* The payload, to be copied; behind its place already what is filler. */
void explore_fill(struct check_payload *image, uint8_t *payload, uint64_t stamp, bool inexact,
		  const struct explore_source *src, uint32_t len);
/* prepare: fills all but the stamp; published: called once the record is visible. */
void explore_prepare(const struct explore_source *src, uint32_t len, struct check_payload *image);
void explore_published(const struct explore_source *src, const struct check_payload *image);
/* Timed shapes: the stamp that is being stored is declared inexact. */
void explore_inexact(const struct explore_source *src);
void explore_leave(const struct explore_source *src, bool recorded);
void explore_discarded(const struct explore_source *src);
void explore_deferred(unsigned int context);
void explore_undeferred(unsigned int context);
/* The reader of another CPU takes what is complete in `from`: the ring, or its own copies. */
void explore_take(void *from);

/* A foreign tracer reads the clock; and its reader finds an event. */
void explore_clock_read(uint64_t now);
void explore_found(uint64_t value, uint64_t time, bool inexact);
/* Which CPU runs; and what came out in the end, as hexadecimal digits that --outcomes prints. */
unsigned int explore_cpu(void);
void explore_outcome(uint64_t digits);
/* Where explore_found() takes it from now on. */
void explore_judge_found(struct check *check);
void explore_hand_found(void (*each)(void *arg, const struct event *event), void *arg);

void explored_read(void *scheme, void *spare); /* handover.c */

/* The stop itself (switch.c); saves every register and hands over to the engine. */
void explore_stop(void);
