// SPDX-License-Identifier: MIT
/* What only the whole trace shows: spans that overlap, streams far from others, chance or fault. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/lint.h"

/* Of gaps longer than the range, one in so many is near a multiple of it by chance. */
#define BY_CHANCE (1u << (LINT_NEAR_BITS - 1))
#define SURE 100 /* times more of them than by chance */
/* Streams are apart by so many times the length of the longest, and a minute; short ones may idle.
 */
#define APART 8
#define APART_SECONDS 60
#define APART_EVENTS 16

static int by_begin(const void *a, const void *b)
{
	const struct lint_span *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Each span begins in the one that is open, and then ends in it. */
static void find_overlaps(struct lint *lint)
{
	struct lint_spans open = { .count = 0 };
	const struct lint_span *span, *top;
	size_t i;

	if (lint->spans.count)
		qsort(lint->spans.at, lint->spans.count, sizeof(*span), by_begin);
	for (i = 0; i < lint->spans.count; i++) {
		struct lint_event event;

		span = &lint->spans.at[i];
		for (; open.count; open.count--) {
			top = &open.at[open.count - 1];
			if (top->stream == span->stream && top->end > span->begin + lint->tolerance)
				break;
		}
		if (!open.count || (!span->packet && span->end <= top->end + lint->tolerance)) {
			lint_keep(lint, &open, span);
			continue;
		}
		event = (struct lint_event){ .stream = span->stream,
					     .time = span->begin,
					     .place = span->place };
		lint->streams[span->stream].before = top->begin;
		lint_add(lint, LINT_OVERLAP, &event,
			 "%s begins %" PRIu64 " %s before the end of one that it is not part of",
			 span->packet ? "packet" : "span", lint_distance(top->end, span->begin),
			 lint->unit);
	}
	free(open.at);
}

/* ---- streams whose clocks disagree ---- */

struct lint_cluster {
	int64_t first, last;
	uint64_t events;
};

static int by_first(const void *a, const void *b)
{
	const struct lint_stream *const *x = a, *const *y = b;

	return ((*x)->first > (*y)->first) - ((*x)->first < (*y)->first);
}

/* Is one 1000 times the other, or 1000000 or 1000000000 times? */
static bool by_1000(int64_t a, int64_t b)
{
	double ratio = a > b ? (double)a / (double)b : (double)b / (double)a, unit;

	for (unit = 1e3; unit < 1e10; unit *= 1e3)
		if (ratio > unit * 0.95 && ratio < unit * 1.05)
			return true;
	return false;
}

/* The stream is not of the cluster that has most events. */
static void add_apart(struct lint *lint, const struct lint_stream *stream,
		      const struct lint_cluster *most)
{
	bool later = stream->first > most->last;
	struct lint_event event = { .stream = (uint32_t)(stream - lint->streams),
				    .time = stream->first };

	if (stream->first >= most->first && !later)
		return;
	lint->streams[event.stream].before = later ? most->last : most->first;
	lint_add(lint, by_1000(stream->first, most->first) ? LINT_UNIT : LINT_CLOCK, &event,
		 "all its times are %s those of the other streams, by %" PRIu64 " %s",
		 later ? "after" : "before",
		 later ? lint_distance(stream->first, most->last) :
			 lint_distance(stream->last, most->first),
		 lint->unit);
}

static void find_apart(struct lint *lint)
{
	struct lint_stream **order = calloc(lint->count + 1, sizeof(struct lint_stream *));
	struct lint_cluster now = { .events = 0 }, most = { .events = 0 };
	uint64_t longest = 0, least = APART_SECONDS * lint->hz;
	uint32_t count = 0, i;

	lint->no_memory |= !order;
	for (i = 0; order && i < lint->count; i++) {
		const struct lint_stream *stream = &lint->streams[i];

		if (!stream->any || stream->events < APART_EVENTS)
			continue;
		order[count++] = &lint->streams[i];
		if (lint_distance(stream->last, stream->first) > longest)
			longest = lint_distance(stream->last, stream->first);
	}
	if (count)
		qsort(order, count, sizeof(*order), by_first);
	for (i = 0; i < count; i++) {
		if (!i || (order[i]->first > now.last &&
			   lint_distance(order[i]->first, now.last) > least &&
			   lint_distance(order[i]->first, now.last) / APART > longest))
			now = (struct lint_cluster){ order[i]->first, order[i]->last, 0 };
		now.events += order[i]->events;
		if (order[i]->last > now.last)
			now.last = order[i]->last;
		if (now.events > most.events)
			most = now;
	}
	for (i = 0; i < count; i++)
		add_apart(lint, order[i], &most);
	free(order);
}

/* ---- the end ---- */

static void keep(struct lint *lint, enum lint_kind maybe, enum lint_kind kind)
{
	uint64_t i;

	for (i = 0; i < LINT_SHOWN && i < lint->found[maybe]; i++)
		if (lint->found[kind] + i < LINT_SHOWN)
			lint->shown[kind][lint->found[kind] + i] = lint->shown[maybe][i];
	lint->found[kind] += lint->found[maybe];
}

void lint_finish(struct lint *lint)
{
	int64_t first = INT64_MAX, last = 0;
	uint32_t i;

	for (i = 0; i < lint->count; i++) {
		lint_settle(lint, i, 0);
		if (lint->streams[i].any && lint->streams[i].first < first)
			first = lint->streams[i].first;
		if (lint->streams[i].any && lint->streams[i].last > last)
			last = lint->streams[i].last;
	}
	find_overlaps(lint);
	find_apart(lint);
	/* A stream that is apart has been said to be. */
	if (!lint->found[LINT_CLOCK] && !lint->found[LINT_UNIT])
		keep(lint, LINT_MAYBE_CLOCK, LINT_CLOCK);
	if (lint->found[LINT_MAYBE_WRAP] * BY_CHANCE >= SURE * lint->long_gaps)
		keep(lint, LINT_MAYBE_WRAP, LINT_WRAP);
	if (lint_far_from_zero(first, last))
		keep(lint, LINT_MAYBE_ZERO, LINT_ZERO);
}

static const char *const kind_names[LINT_KINDS] = {
	[LINT_BACK] = "back",	    [LINT_PACKET] = "packet", [LINT_PARENT] = "parent",
	[LINT_OVERLAP] = "overlap", [LINT_WRAP] = "wrap",     [LINT_LOSS] = "loss",
	[LINT_CLOCK] = "clock",	    [LINT_ZERO] = "zero",     [LINT_UNIT] = "unit",
};

static void print_finding(const struct lint *lint, FILE *out, enum lint_kind kind,
			  const struct lint_finding *finding)
{
	fprintf(out, "%s: %s %" PRIu64 ": %s: %s; time %" PRId64,
		lint->streams[finding->stream].name, lint->place_name, finding->place,
		kind_names[kind], finding->text, finding->time);
	if (finding->has_before)
		fprintf(out, ", before it %" PRId64, finding->before);
	if (finding->has_after)
		fprintf(out, ", after it %" PRId64, finding->after);
	fputc('\n', out);
}

json_t *lint_json(const struct lint *lint, const char *path, bool damaged)
{
	const struct lint_finding *finding;
	json_t *findings = json_array(), *one;
	uint64_t events = 0, i;
	unsigned int kind;

	for (i = 0; i < lint->count; i++)
		events += lint->streams[i].events;
	for (kind = 0; kind < LINT_KINDS; kind++)
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++) {
			finding = &lint->shown[kind][i];
			one = json_pack("{s:s, s:s, s:I, s:s, s:I}", "kind", kind_names[kind],
					"file", lint->streams[finding->stream].name,
					lint->place_name, (json_int_t)finding->place, "message",
					finding->text, "time", (json_int_t)finding->time);
			json_array_append_new(findings, one);
		}
	return json_pack("{s:s, s:b, s:I, s:o}", "trace", path, "damaged", damaged, "events",
			 (json_int_t)events, "findings", findings);
}

bool lint_print(const struct lint *lint, FILE *out, const char *path, bool damaged)
{
	uint64_t events = 0, repeats = 0, lost = 0, i;
	const char *before = "found ";
	unsigned int kind;

	for (kind = 0; kind < LINT_KINDS; kind++) {
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++)
			print_finding(lint, out, kind, &lint->shown[kind][i]);
		if (lint->found[kind] > LINT_SHOWN)
			fprintf(out, "%s: %s: %" PRIu64 " more\n", path, kind_names[kind],
				lint->found[kind] - LINT_SHOWN);
	}
	for (i = 0; i < lint->count; i++) {
		events += lint->streams[i].events;
		repeats += lint->streams[i].repeats;
		lost += lint->streams[i].lost;
	}
	fprintf(out,
		"%s: %" PRIu64 " events in %" PRIu32 " streams, %" PRIu64
		" at the time of their predecessor, %" PRIu64 " lost; ",
		path, events, lint->count, repeats, lost);
	for (kind = 0; kind < LINT_KINDS; kind++) {
		if (!lint->found[kind])
			continue;
		fprintf(out, "%s%s %" PRIu64, before, kind_names[kind], lint->found[kind]);
		before = ", ";
	}
	fprintf(out, "%s%s\n", *before == 'f' ? "nothing found" : "",
		damaged ? " before the damage" : "");
	return *before == ',';
}

void lint_free(struct lint *lint)
{
	while (lint->count) {
		lint->count--;
		free(lint->streams[lint->count].name);
		free(lint->streams[lint->count].open.at);
	}
	free(lint->streams);
	free(lint->spans.at);
}
