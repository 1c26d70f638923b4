/* SPDX-License-Identifier: MIT */
/*
 * The tails: what single events cost, each between two fenced clock reads, in the timed build.
 *
 *   calm   events back to back, interrupted only by the row's own beat
 *   storm  the signals of run-stress's storm, whose handlers record as well
 *   replay each event comes a recorded gap after the one before, waited for on the real clock
 *
 * A sample during which the thread took a signal is a hit and counted apart. The ring is judged
 * afterwards: no figures for a row that broke a promise.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/driver.h"
#include "workloads/gaps.h"
#include "base/histogram.h"
#include "runner/place/place.h"

enum tails_regime {
	TAILS_CALM,
	TAILS_STORM,
	TAILS_REPLAY,
	TAILS_REGIMES,
};

const char *tails_regime_name(enum tails_regime regime);

struct tails_config {
	const struct driver *driver; /* of the timed build */
	enum tails_regime regime;
	uint64_t samples; /* at most; whole blocks of FENCED_BLOCK */
	double seconds; /* at most, but for one block */
	const struct place *place;
	const unsigned int *pu; /* of the writer, then of the sender if there is one */
	bool has_sender;
	const struct gaps *gaps; /* of TAILS_REPLAY */
	uint64_t seed; /* of its gaps */
};

struct tails_result {
	struct histogram clear; /* not interrupted, ticks */
	struct histogram hit; /* a signal came meanwhile */
	struct histogram fence; /* the two clock reads around nothing */
	uint64_t delivered; /* signals, all levels and the beat */
	double seconds;
	uint32_t unmet; /* enum scheme_need */
	char violation[96]; /* what an oracle objected to; "" */
};

/* 0, or an exit code after a line on stderr. Interrupt handlers must be installed. */
int tails_run(const struct tails_config *config, struct tails_result *result);

/* An element of the record's section "tails", see results/SCHEMA.md. */
json_t *tails_json(const struct tails_config *config, const struct tails_result *result);
