/* SPDX-License-Identifier: MIT */
/*
 * A tracer beside ours: a worker process of its own, pinned like all others, that records so many
 * events when it is told to and says what they cost. Workers take turns, so that a noisy machine
 * is as noisy to all.
 */
#ifndef STAMPEDE_EXTRAS_PEERS_PEER_H
#define STAMPEDE_EXTRAS_PEERS_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PEER_NAME_BYTES 48
#define PEER_WHY_BYTES 256

/* What one turn took. */
struct peer_sample {
	uint64_t events; /* 0: the worker failed */
	double ns; /* CPU time of the thread, per event */
	double cycles; /* core cycles per event; negative: not available */
};

struct peer;

/* A tracer. */
struct peer_kind {
	/* Before its worker starts, and when all have ended; NULL: nothing. False: peer->why. */
	bool (*begin)(struct peer *peer);
	void (*end)(void);

	/* In the worker's process. */
	/* 0, or -1 with the reason in `why`. */
	int (*open)(const char *name, char why[PEER_WHY_BYTES]);
	/* Records `events`. Negative if that failed. */
	int (*run)(uint64_t events);
	/* Bytes in the buffer per event; negative: not available. Called once, at the end. */
	double (*bytes)(void);
	void (*close)(void);
	/* Cost without recording, taken out of what run() takes; NULL: nothing. */
	int (*idle)(uint64_t events);
	uint64_t events; /* per turn */
};

struct peer {
	char name[PEER_NAME_BYTES];
	const char *words; /* what it does beyond stamping */
	const char *carries; /* what its records tell beside the payload: bytes are of that */
	const struct peer_kind *kind;
	char why[PEER_WHY_BYTES]; /* it is not available; empty: it is */
	pid_t pid;
	int to, from; /* pipes */
	double bytes;
	bool ours;
};

extern const struct peer_kind peer_ours;
#define PEER(name, kind, carries, words) extern const struct peer_kind kind;
#include "extras/peers/tracers.def"
#undef PEER

/* Starts the worker on CPU `pu` and waits until it is open. False: peer->why says why not. */
bool peer_start(struct peer *peer, unsigned int pu);

/* One turn. False: the worker died. */
bool peer_turn(struct peer *peer, struct peer_sample *sample);

/* Asks for the bytes and ends the worker. */
void peer_stop(struct peer *peer);

#endif
