/* SPDX-License-Identifier: MIT */
/*
 * Writes what rings hold as traces for readers of other people: CTF 1.8 or CTF 2 for rows that
 * store absolute stamps (metadata and a file cpu<N> each; the streams are the same), raw ftrace
 * sub-buffers for rows that store deltas (cpu<N>.raw, and header_page and header_event as tracefs
 * has them).
 *
 * With export_date(), the metadata of CTF gives the clock's rate and offset, which turn stamps into
 * CLOCK_REALTIME. Raw sub-buffers have no place for that.
 *
 * A trace is a directory, written as <dir>.partial and renamed when it is whole; if it cannot be
 * made whole, nothing stays.
 */
#pragma once

#include "base/wall.h"
#include "judge/buffer.h"

/* The words of --ctf, in their order. */
enum export_ctf { EXPORT_CTF_1_8, EXPORT_CTF_2 };
extern const char *const export_ctf_words[];

struct export_file {
	uint32_t cpu;
	FILE *out;
};

struct export
{
	char *dir;
	char *partial;
	int dirfd;
	const struct driver *driver;
	struct ring_config config; /* of the first ring; others have the same widths */
	struct export_file *files;
	unsigned int count;
	uint64_t hz; /* 0: not dated */
	struct clock_pair pair;
	bool ctf2; /* in place of 1.8 */
	uint64_t bytes; /* written */
	int error; /* negative errno: nothing more is written */
};

/*
 * Can this row's records be a trace? Not without stamps, or in a format of its own; and fields of a
 * variable length are not in CTF 1.8.
 */
bool export_possible(const struct driver *driver, bool ctf2);

/* The other way round, and then with a line on stderr. */
bool export_refused(const struct driver *driver, bool ctf2);

/*
 * Begins a trace in `dir`, which must not exist yet, of rings like `buffer`'s. An exit code, after
 * a line on stderr.
 */
int export_begin(struct export *export, const char *dir, const struct buffer *buffer);

/* CTF is CTF 2, and not 1.8. At any moment before the end. */
void export_as_ctf2(struct export *export);

/*
 * The stamps are of the real clock, which has `hz` ticks per second and said pair->ticks at those
 * times. At any moment before the end; not of a trace by the virtual clock, whose times are none.
 */
void export_date(struct export *export, const struct clock_pair *pair, uint64_t hz);

/*
 * Adds the sub-buffers [first, last) of a ring that were just drained and are not released. Each
 * CPU has a file; of ftrace rows all rings have sub-buffers of one size. An exit code, after a line
 * on stderr the first time.
 */
int export_subbufs(struct export *export, const struct buffer *buffer, uint64_t first,
		   uint64_t last);

/*
 * The trace is whole; if something failed before, nothing of it is kept. An exit code; frees
 * `export`.
 */
int export_end(struct export *export);
