// SPDX-License-Identifier: MIT
#include "extras/peers/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/stats.h"
#include "runner/timing/counters.h"
#include "runner/place/place.h"
#include "runner/place/ticks.h"

#define START_SECONDS 30
#define TURN_SECONDS 60
#define SLICES 20

struct opened {
	int status;
	char why[PEER_WHY_BYTES];
};

/* All `bytes` from `fd` within `seconds`. */
static bool receive(int fd, void *to, size_t bytes, int seconds)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	uint8_t *at = to;
	ssize_t got;

	while (bytes) {
		if (poll(&poll_fd, 1, seconds * 1000) <= 0)
			return false;
		got = read(fd, at, bytes);
		if (got <= 0)
			return false;
		at += got;
		bytes -= (size_t)got;
	}
	return true;
}

static bool pass(int fd, const void *from, size_t bytes)
{
	return write(fd, from, bytes) == (ssize_t)bytes;
}

/* ---- in the worker ---- */

static struct counters counters;

static int timed(int (*run)(uint64_t events), uint64_t events, struct peer_sample *sample)
{
	struct counters_values values;
	uint64_t begin;

	counters_start(&counters);
	begin = cpu_time_ns();
	if (run(events))
		return -1;
	sample->ns = (double)(cpu_time_ns() - begin) / (double)events;
	counters_stop(&counters, &values);
	sample->cycles = values.state == COUNTERS_NO ? -1 : (double)values.cycles / (double)events;
	sample->events = events;
	return 0;
}

/* What one slice of recording takes more than one of not recording that follows it. */
static int one_slice(const struct peer_kind *kind, double *ns, double *cycles)
{
	struct peer_sample sample, idle;

	if (timed(kind->run, kind->events / SLICES, &sample) ||
	    timed(kind->idle, kind->events / SLICES, &idle))
		return -1;
	*ns = sample.ns - idle.ns;
	*cycles = sample.cycles < 0 ? -1 : sample.cycles - idle.cycles;
	return 0;
}

/*
 * A difference is small beside its two halves: a neighbour who comes into one of two long ones
 * makes it less than nothing. The median of short ones that alternate is left alone by him.
 */
static int sliced(const struct peer_kind *kind, struct peer_sample *sample)
{
	double ns[SLICES], cycles[SLICES];
	unsigned int i;

	for (i = 0; i < SLICES; i++)
		if (one_slice(kind, &ns[i], &cycles[i]))
			return -1;
	stats_sort(ns, SLICES);
	stats_sort(cycles, SLICES);
	sample->events = kind->events;
	sample->ns = stats_median(ns, SLICES).middle;
	sample->cycles = stats_median(cycles, SLICES).middle;
	return 0;
}

static void one_turn(const struct peer_kind *kind, struct peer_sample *sample)
{
	*sample = (struct peer_sample){ .events = 0 };
	if (kind->idle ? sliced(kind, sample) : timed(kind->run, kind->events, sample))
		sample->events = 0;
}

static void work(const struct peer *peer, unsigned int pu, int in, int out)
{
	struct opened opened = { .status = 0 };
	struct peer_sample sample;
	struct place place;
	double bytes;
	char order;

	opened.status = place_open(&place) || place_bind_self(&place, pu);
	if (opened.status)
		snprintf(opened.why, sizeof(opened.why), "cannot be pinned to CPU %u", pu);
	else
		opened.status = peer->kind->open(peer->name, opened.why);
	counters_open(&counters, peer->kind->idle ? COUNTERS_USER_KERNEL : COUNTERS_USER);
	if (!pass(out, &opened, sizeof(opened)) || opened.status)
		_exit(0);
	while (read(in, &order, 1) == 1 && order == 't') {
		one_turn(peer->kind, &sample);
		if (!pass(out, &sample, sizeof(sample)))
			break;
	}
	bytes = peer->kind->bytes();
	peer->kind->close();
	pass(out, &bytes, sizeof(bytes));
	_exit(0);
}

/* ---- in the parent ---- */

bool peer_start(struct peer *peer, unsigned int pu)
{
	int to[2], from[2];
	struct opened opened;

	if (peer->why[0])
		return false;
	if (pipe(to) || pipe(from)) {
		snprintf(peer->why, sizeof(peer->why), "no pipe: %s", strerror(errno));
		return false;
	}
	peer->pid = child_fork(SIGTERM);
	if (peer->pid < 0) {
		snprintf(peer->why, sizeof(peer->why), "no process could be started");
		peer->pid = 0;
		return false;
	}
	if (!peer->pid) {
		close(to[1]);
		close(from[0]);
		work(peer, pu, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	peer->to = to[1];
	peer->from = from[0];
	if (!receive(peer->from, &opened, sizeof(opened), START_SECONDS)) {
		snprintf(peer->why, sizeof(peer->why), "its process did not start within %d s",
			 START_SECONDS);
		kill(peer->pid, SIGKILL);
	} else if (opened.status) {
		memcpy(peer->why, opened.why, sizeof(peer->why));
	} else {
		return true;
	}
	child_wait(peer->pid);
	peer->pid = 0;
	return false;
}

bool peer_turn(struct peer *peer, struct peer_sample *sample)
{
	if (!pass(peer->to, "t", 1) ||
	    !receive(peer->from, sample, sizeof(*sample), TURN_SECONDS) || !sample->events) {
		snprintf(peer->why, sizeof(peer->why), "its process failed in the middle");
		return false;
	}
	return true;
}

void peer_stop(struct peer *peer)
{
	if (!peer->pid)
		return;
	peer->bytes = -1;
	if (!pass(peer->to, "q", 1) ||
	    !receive(peer->from, &peer->bytes, sizeof(peer->bytes), TURN_SECONDS))
		kill(peer->pid, SIGKILL);
	close(peer->to);
	close(peer->from);
	child_wait(peer->pid);
	peer->pid = 0;
}
