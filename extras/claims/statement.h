/* SPDX-License-Identifier: MIT */
/*
 * An entry of claims.def. Most claims are tested by measure: by_measure() plays, explores or
 * computes up to three sources, looks whether their measures are as claimed, and prints some of
 * them. A claim that needs more names a function of its own (tests.c).
 */
#ifndef STAMPEDE_EXTRAS_CLAIMS_STATEMENT_H
#define STAMPEDE_EXTRAS_CLAIMS_STATEMENT_H

#include <math.h>

#include "extras/claims/claims.h"

/* 2^bits / f: 2^27 at 4 GHz is 33.55 ms, which are 29.8 wraps per second, not 32. */
static inline double claim_wrap_seconds(double clock_hz, unsigned int bits)
{
	return ldexp(1.0, (int)bits) / clock_hz;
}

#define SOURCES_MAX 3
#define EXPECTED_MAX 5
#define SHOWN_MAX 8

/* One of these kinds. */
struct claim_source {
	struct scene scene; /* a row on the virtual clock */
	const char *explored; /* a row or a case of schemes/history, in the explorer */
	const char *budget; /* of the explorer; NULL: the case's own */
	unsigned int field_bits, cut_bits; /* a stamp of a clock of 4 GHz, by arithmetic */
};

/* What a source is asked for; not all kinds of sources know all of them. */
enum measure {
	MEASURE_END, /* of a list */
	/* Stamps of a scene, or broken schedules of an exploration, that an oracle objects to. */
	WRONG, /* exact */
	BACK, /* monotonic */
	OUTSIDE, /* window */
	TORN, /* structure */
	/* Of an exploration. */
	SCHEDULES,
	BROKEN,
	/* Of a scene. */
	EVENTS_DECODED,
	WRITERS_NESTED,
	REPEATED, /* stamps declared inexact */
	REPEATED_PER_NESTED,
	WORST_TICKS,
	WRAPS_LOST,
	EXTENDED_NEEDED,
	EXTENDED_BEYOND, /* those needed */
	EVENTS_STUCK,
	READS_MOST, /* of one event */
	READS_EACH,
	HEADER_EACH, /* bytes */
	CMPXCHG_EACH,
	CMPXCHG_PER_SWITCH,
	SWITCHES, /* sub-buffers */
	CUT_BITS,
	GRANULE_NS, /* of the cut bits at 4 GHz */
	/* Of a field: how often it wraps. */
	WRAP_SECONDS,
	WRAP_MS,
	WRAP_YEARS,
	WRAPS_PER_SECOND,
};

/* A measure of a source that has to lie between these, or else the verdict is `otherwise`. */
struct expected {
	unsigned int source;
	enum measure measure;
	double least, most;
	enum claim_verdict otherwise; /* CLAIM_UNTESTED: the test takes it for granted */
};

struct shown {
	unsigned int source;
	enum measure measure;
};

typedef void claim_test(struct trial *trial);

struct claim_statement {
	const char *name; /* <date>_<words> */
	const char *where;
	const char *text; /* in a few words of its author, where possible */
	const char *how;
	claim_test *test;
	/* For by_measure(): the first expectation that fails gives the verdict; else it holds. */
	struct claim_source source[SOURCES_MAX];
	struct expected expected[EXPECTED_MAX];
	const char *figure; /* a format of so many doubles as are shown */
	struct shown shown[SHOWN_MAX];
};

/* Each entry names its test. */
#define CLAIM(name, where, text, how, test, ...) claim_test test;
#include "extras/claims/claims.def"
#undef CLAIM

#endif
