// SPDX-License-Identifier: MIT
#include "extras/tracers/verdict.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

const char *const tracer_promise_words[TRACER_PROMISES] = { "order",  "window",	   "whole",
							    "losses", "contained", "causal" };

/* A stream's event before, in the order of the reader. */
struct before {
	uint64_t stream, time, seq;
	uint64_t lost; /* counted of it, by now */
	bool has_time, has_seq;
};

struct round {
	struct tracer_judged *judged;
	struct truths truths;
	const struct tracer_measure *measure;
	uint64_t lost_anywhere; /* counted of no one stream */
	void *before; /* tree of struct before, by stream */
};

static int by_stream(const void *a, const void *b)
{
	const struct before *one = a, *other = b;

	return (one->stream > other->stream) - (one->stream < other->stream);
}

static struct before *before_of(struct round *round, uint64_t stream)
{
	struct before **found, *fresh = calloc(1, sizeof(*fresh));

	if (fresh)
		fresh->stream = stream;
	found = fresh ? tsearch(fresh, &round->before, by_stream) : NULL;
	if (!found)
		end_memory("the streams of a tracer");
	if (*found != fresh)
		free(fresh);
	return *found;
}

static void breach(struct tracer_judged *judged, enum tracer_promise promise, uint64_t by,
		   uint64_t stream, uint64_t seq, const char *what)
{
	struct breaches *its = &judged->promise[promise];

	if (!its->seen++ || by > its->worst) {
		its->worst = by;
		its->stream = stream;
		its->seq = seq;
		snprintf(its->what, sizeof(its->what), "%s", what);
	}
}

static void in_order(struct round *round, const struct decoded_line *decoded)
{
	struct breaches *its = &round->judged->promise[PROMISE_OF_ORDER];
	struct before *before;

	if (decoded->kind == DECODED_SPAN)
		return;
	if (round->measure->sequence && decoded->kind == DECODED_EVENT) {
		before = before_of(round, decoded->stream);
		its->tried += before->has_seq;
		if (before->has_seq && decoded->seq < before->seq)
			breach(round->judged, PROMISE_OF_ORDER, 0, decoded->stream, decoded->seq,
			       "behind an event of the stream that was recorded later");
		before->has_seq = true;
		before->seq = decoded->seq;
	}
	before = before_of(round, round->measure->one_order ? 0 : decoded->stream);
	if (before->has_time) {
		its->tried++;
		if (decoded->start < before->time)
			breach(round->judged, PROMISE_OF_ORDER, before->time - decoded->start,
			       decoded->stream, decoded->seq, "earlier than the event before it");
		round->judged->equal += decoded->start == before->time;
	}
	before->time = decoded->start;
	before->has_time = true;
}

/* Losses that are counted wrong, each of which is a breach. */
static void miscounted(struct tracer_judged *judged, uint64_t by, uint64_t stream, uint64_t seq,
		       const char *what)
{
	breach(judged, PROMISE_OF_LOSSES, by, stream, seq, what);
	judged->promise[PROMISE_OF_LOSSES].seen += by - 1;
}

static void counted(struct round *round, uint64_t stream, uint64_t count)
{
	round->judged->lost_counted += count;
	if (stream == NO_PARENT)
		round->lost_anywhere += count;
	else if (truths_has(&round->truths, stream))
		before_of(round, stream)->lost += count;
	else if (count)
		miscounted(round->judged, count, stream, 0, "counted as lost, and never recorded");
}

static void within(struct round *round, const struct window *window, uint64_t time,
		   const struct happened *happened)
{
	struct tracer_judged *judged = round->judged;
	uint64_t resolution = round->measure->resolution;
	uint64_t early = time + resolution < window->entry ? window->entry - time : 0;
	uint64_t late = time > window->exit + resolution ? time - window->exit : 0;

	if (!window->entry && !window->exit)
		return;
	judged->promise[PROMISE_OF_WINDOW].tried++;
	if (!early && !late)
		return;
	judged->early += early > 0;
	judged->late += late > 0;
	histogram_add(&judged->outside, early + late);
	breach(judged, PROMISE_OF_WINDOW, early + late, happened->stream, happened->seq,
	       early ? "earlier than its call" : "later than its call");
}

static void take(const struct decoded_line *decoded, void *arg)
{
	struct round *round = arg;
	struct tracer_judged *judged = round->judged;
	struct happened *happened;

	if (decoded->kind == DECODED_LOST) {
		counted(round, decoded->stream, decoded->start);
		return;
	}
	if (decoded->kind == DECODED_OTHER) {
		in_order(round, decoded);
		return;
	}
	judged->promise[PROMISE_OF_WHOLENESS].tried++;
	if (decoded->kind == DECODED_TORN) {
		breach(judged, PROMISE_OF_WHOLENESS, 0, decoded->stream, 0, decoded->words);
		return;
	}
	judged->decoded++;
	in_order(round, decoded);
	happened = truths_find(&round->truths, decoded->stream, decoded->seq);
	if (!happened || happened->span != (decoded->kind == DECODED_SPAN)) {
		breach(judged, PROMISE_OF_WHOLENESS, 0, decoded->stream, decoded->seq,
		       "decoded, and never recorded");
		return;
	}
	if (happened->seen++) {
		breach(judged, PROMISE_OF_WHOLENESS, 0, decoded->stream, decoded->seq,
		       "decoded twice");
		return;
	}
	happened->decoded_start = decoded->start;
	happened->decoded_end = decoded->end;
	within(round, &happened->start, decoded->start, happened);
	if (happened->span)
		within(round, &happened->end, decoded->end, happened);
}

static void contained(struct round *round)
{
	const struct happened *one, *parent;
	struct tracer_judged *judged = round->judged;
	size_t i;

	for (i = 0; i < round->truths.count; i++) {
		one = &round->truths.one[i];
		if (!one->span || !one->seen)
			continue;
		judged->promise[PROMISE_OF_CONTAINMENT].tried++;
		parent = one->parent == NO_PARENT ?
				 NULL :
				 truths_find(&round->truths, one->stream, one->parent);
		if (one->decoded_end < one->decoded_start)
			breach(judged, PROMISE_OF_CONTAINMENT,
			       one->decoded_start - one->decoded_end, one->stream, one->seq,
			       "ends before it starts");
		else if (parent && parent->seen && one->decoded_start < parent->decoded_start)
			breach(judged, PROMISE_OF_CONTAINMENT,
			       parent->decoded_start - one->decoded_start, one->stream, one->seq,
			       "starts before its parent");
		else if (parent && parent->seen && one->decoded_end > parent->decoded_end)
			breach(judged, PROMISE_OF_CONTAINMENT,
			       one->decoded_end - parent->decoded_end, one->stream, one->seq,
			       "ends after its parent");
	}
}

static void causal(struct round *round)
{
	const struct happened *cause, *effect;
	struct tracer_judged *judged = round->judged;
	const struct pair *pair;
	size_t i;

	for (i = 0; i < round->truths.afters; i++) {
		pair = &round->truths.after[i];
		cause = truths_find(&round->truths, pair->stream[0], pair->seq[0]);
		effect = truths_find(&round->truths, pair->stream[1], pair->seq[1]);
		if (!cause || !effect || !cause->seen || !effect->seen)
			continue;
		judged->promise[PROMISE_OF_CAUSALITY].tried++;
		if (effect->decoded_start >= cause->decoded_start)
			continue;
		breach(judged, PROMISE_OF_CAUSALITY, cause->decoded_start - effect->decoded_start,
		       effect->stream, effect->seq, "earlier than its cause");
		if (cause->decoded_start - effect->decoded_start > judged->tolerance)
			judged->tolerance = cause->decoded_start - effect->decoded_start;
	}
}

/* Of the stream whose first event is at `from`, how many are lost and not counted; the first one
 * that is lost is in `first`. Moves `from` on to the next stream. */
static uint64_t lost_of_stream(struct round *round, size_t *from, const struct happened **first)
{
	const struct truths *truths = &round->truths;
	const uint64_t stream = truths->one[*from].stream;
	const uint64_t count = before_of(round, stream)->lost;
	const size_t begin = *from;
	uint64_t missing = 0;

	for (*first = NULL; *from < truths->count && truths->one[*from].stream == stream; ++*from)
		if (!truths->one[*from].seen)
			*first = missing++ ? *first : &truths->one[*from];
	if (count > missing)
		miscounted(round->judged, count - missing, stream, *first ? (*first)->seq : 0,
			   count > *from - begin ? "counted as lost, and never recorded" :
						   "counted as lost, and decoded");
	return missing > count ? missing - count : 0;
}

/* An event that is neither decoded nor counted as lost, in its stream or in what is counted of no
 * one stream; a count that is too high is wrong as well. */
static void lost(struct round *round)
{
	const struct happened *first = NULL, *in_stream;
	struct tracer_judged *judged = round->judged;
	uint64_t missing = 0, more, counted = round->lost_anywhere;
	size_t from = 0;

	judged->events += round->truths.count;
	judged->promise[PROMISE_OF_LOSSES].tried += round->truths.count;
	while (from < round->truths.count) {
		more = lost_of_stream(round, &from, &in_stream);
		first = missing || !more ? first : in_stream;
		missing += more;
	}
	if (missing > counted)
		miscounted(judged, missing - counted, first->stream, first->seq,
			   "lost, and not counted");
	else if (counted > missing)
		miscounted(judged, counted - missing, first ? first->stream : 0,
			   first ? first->seq : 0,
			   counted > round->truths.count ? "counted as lost, and never recorded" :
							   "counted as lost, and decoded");
}

int tracer_judge(struct tracer_judged *judged, const char *truth, const char *decoded,
		 const struct tracer_measure *measure)
{
	struct round *round = calloc(1, sizeof(*round));
	int error;

	if (!round)
		return fail_memory("a round of a tracer");
	round->judged = judged;
	round->measure = measure;
	error = truths_read(&round->truths, truth);
	if (!error)
		error = decoded_read(decoded, take, round);
	if (!error) {
		contained(round);
		causal(round);
		lost(round);
	}
	truths_free(&round->truths);
	tdestroy(round->before, free);
	free(round);
	return error;
}
