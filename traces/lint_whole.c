// SPDX-License-Identifier: MIT
/* What only the whole trace shows: spans that overlap, streams far from others, chance or fault. */
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "traces/lint.h"

/* Of gaps longer than the range, one in so many is near a multiple of it by chance. */
#define BY_CHANCE (1u << (LINT_NEAR_BITS - 1))
#define SURE 100 /* times more of them than by chance */
/* Streams are apart by so many times the length of the longest, and a minute; short ones may idle.
 */
#define APART 8
#define APART_SECONDS 60
#define APART_EVENTS 16
/* Of spans of another resolution so many are of round times by chance, one in so many. */
#define ROUND_BY_CHANCE 16
#define RATE_LEAST 0.001 /* by which clocks of one trace may differ */
#define RATE_OFF 0.02 /* of the time between two spans; and of that of loops */
#define RATE_OFF_OF_LOOPS 0.0001
#define SPREAD_LEAST 0.1 /* of times that are no loop's */
#define BUSY 0.9 /* of its time */
#define UPTIME_MOST 100000000 /* seconds since the boot; what is more is a date */

static int by_begin(const void *a, const void *b)
{
	const struct lint_span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/*
 * How much the ends of a span may be off: the resolution of its times, or of its stream's, if
 * only few of that have times so round; and what a double loses.
 */
static int64_t tolerance(const struct lint_stream *stream, const struct lint_span *span)
{
	static const int64_t ns[LINT_STEPS] = { 0, 10, 100, 1000 };
	unsigned int step = span->step;

	while (step && stream->steps[step] * ROUND_BY_CHANCE < stream->spans.count)
		step--;
	return ns[step] > stream->blur ? ns[step] : stream->blur;
}

/* The span, and the one that it begins in and is no part of. */
static void add_overlap(struct lint *lint, uint32_t index, const struct lint_span *span,
			const struct lint_span *top)
{
	struct lint_event event = { .stream = index, .time = span->begin, .place = span->place };
	uint64_t within = lint_distance(top->end, span->begin);
	uint64_t over = span->end > top->end ? lint_distance(span->end, top->end) : 0;

	lint->streams[index].before = top->begin;
	if (lint->streams[index].packets)
		lint_add(lint, LINT_OVERLAP, &event,
			 "packet begins %" PRIu64
			 " %s before the end of one that it is not part of",
			 within, lint->unit);
	else if (within > over) /* most of a child lies in its parent */
		lint_add(lint, LINT_PARENT, &event,
			 "span ends %" PRIu64 " %s after the one that it begins in", over,
			 lint->unit);
	else
		lint_add(lint, LINT_OVERLAP, &event,
			 "span begins %" PRIu64 " %s before the end of one that it is not part of, "
			 "and ends %" PRIu64 " %s after it",
			 within, lint->unit, over, lint->unit);
}

/* Each span begins in the one that is open, and then ends in it. */
static void find_overlaps(struct lint *lint, uint32_t index)
{
	const struct lint_stream *stream = &lint->streams[index];
	struct lint_spans open = { .count = 0 };
	const struct lint_span *span, *top;
	int64_t own, more;
	size_t i;

	if (stream->spans.count)
		qsort(stream->spans.at, stream->spans.count, sizeof(*span), by_begin);
	for (i = 0; i < stream->spans.count; i++) {
		span = &stream->spans.at[i];
		if (i && !stream->packets && span->begin == span[-1].begin &&
		    span->end == span[-1].end && span->name == span[-1].name &&
		    span->end > span->begin)
			lint->twice++;
		own = tolerance(stream, span);
		more = 0;
		for (; open.count; open.count--) {
			top = &open.at[open.count - 1];
			more = tolerance(stream, top);
			more = more > own ? more : own;
			if (lint_distance(top->end, span->begin) > (uint64_t)more &&
			    top->end > span->begin)
				break;
		}
		if (!open.count ||
		    (!stream->packets && (span->end <= top->end ||
					  lint_distance(span->end, top->end) <= (uint64_t)more)))
			lint_keep(&open, span);
		else
			add_overlap(lint, index, span, top);
	}
	free(open.at);
}

/* ---- streams whose clocks run at another rate ---- */

/*
 * Are the times between the spans of `b` those of `a`, each by the factor? Two loops of their own
 * periods differ by a factor, too: if each is nearly constant, they have to be so exactly. And one
 * that is busy all the time may only be slower.
 */
static bool keeps_rate(const struct lint_spans *a, const struct lint_spans *b, double factor,
		       bool may_be_busy)
{
	double mean =
		((double)a->at[a->count - 1].begin - (double)a->at->begin) / (double)(a->count - 1);
	double spread = 0, off = 0, busy[2] = { 0 }, x, y;
	size_t i;

	for (i = 1; i < a->count; i++) {
		x = (double)a->at[i].begin - (double)a->at[i - 1].begin;
		y = (double)b->at[i].begin - (double)b->at[i - 1].begin;
		spread = fmax(spread, fabs(x / mean - 1));
		off = fmax(off, fabs(y - x * factor) / fmax(x * factor, 1));
		busy[0] += fmin(x, (double)a->at[i - 1].end - (double)a->at[i - 1].begin);
		busy[1] += fmin(y, (double)b->at[i - 1].end - (double)b->at[i - 1].begin);
	}
	mean *= (double)(a->count - 1) * BUSY;
	return off <= (spread > SPREAD_LEAST ? RATE_OFF : RATE_OFF_OF_LOOPS) &&
	       (may_be_busy || (busy[0] < mean && busy[1] < mean * factor));
}

/* Is it 1000, 1000000 or 1000000000, or a fraction so small? */
static bool is_1000(double ratio, double off)
{
	double unit;

	for (unit = 1e3; unit < 1e10; unit *= 1e3)
		if (fabs(fmax(ratio, 1 / ratio) / unit - 1) < off)
			return true;
	return false;
}

/*
 * Two streams with as many spans, one after the other and each at the same factor of time: one is
 * of the other's doing, by a clock of another rate.
 */
static void find_rate(struct lint *lint, const struct lint_stream *a, const struct lint_stream *b)
{
	struct lint_event event = { .stream = (uint32_t)(b - lint->streams),
				    .place = b->spans.at->place,
				    .time = b->spans.at->begin };
	size_t last = a->spans.count - 1;
	double slope = ((double)b->spans.at[last].begin - (double)b->spans.at->begin) /
		       ((double)a->spans.at[last].begin - (double)a->spans.at->begin);
	bool unit = is_1000(slope, RATE_LEAST);

	if (!(fmax(slope, 1 / slope) > 1 + RATE_LEAST && fmax(slope, 1 / slope) < 1e12) ||
	    !keeps_rate(&a->spans, &b->spans, slope, unit))
		return;
	lint->streams[event.stream].before = event.time;
	lint_add(lint, unit ? LINT_UNIT : LINT_RATE, &event,
		 unit ? "all its times are %.6g times those of %s" :
			"its clock runs %.6g times as fast as that of %s",
		 slope, a->name);
}

static void find_rates(struct lint *lint)
{
	const struct lint_stream *its = lint->streams;
	uint32_t i, j;

	for (i = 0; i < lint->count; i++)
		for (j = i + 1; j < lint->count && its[i].spans.count >= APART_EVENTS; j++)
			if (its[j].spans.count == its[i].spans.count && !its[i].packets) {
				find_rate(lint, &its[i], &its[j]);
				break;
			}
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

/* The stream is not of the cluster that has most events. */
static void add_apart(struct lint *lint, const struct lint_stream *stream,
		      const struct lint_cluster *most)
{
	bool later = stream->first > most->last,
	     unit = is_1000((double)stream->first / (double)most->first, 0.05);
	struct lint_event event = { .stream = (uint32_t)(stream - lint->streams),
				    .time = stream->first };
	const double date = UPTIME_MOST * (double)lint->hz, a = (double)stream->last,
		     b = (double)most->last;
	const char *which =
		unit || lint->hz < 1000000 ? "" :
		a < date && b < date ? " (BOOTTIME against MONOTONIC, by the time suspended?)" :
		a < date || b < date ? " (a date against a time since the boot?)" :
				       "";

	if (stream->first >= most->first && !later)
		return;
	lint->streams[event.stream].before = later ? most->last : most->first;
	lint_add(lint, unit ? LINT_UNIT : LINT_CLOCK, &event,
		 "all its times are %s those of the other streams, by %" PRIu64 " %s%s",
		 later ? "after" : "before",
		 later ? lint_distance(stream->first, most->last) :
			 lint_distance(stream->last, most->first),
		 lint->unit, which);
}

static void find_apart(struct lint *lint)
{
	struct lint_stream **order = calloc(lint->count + 1, sizeof(struct lint_stream *));
	struct lint_cluster now = { .events = 0 }, most = { .events = 0 };
	uint64_t longest = 0, least = APART_SECONDS * lint->hz;
	uint32_t count = 0, i;

	if (!order)
		end_memory("the streams of a trace");
	for (i = 0; i < lint->count; i++) {
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

/* Are the times apart from zero as streams are apart from each other? */
static bool far_from_zero(const struct lint *lint, int64_t first, int64_t last)
{
	return first > 0 && (uint64_t)first > APART_SECONDS * lint->hz &&
	       (uint64_t)first / APART > lint_distance(last, first);
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
		find_overlaps(lint, i);
		lint->not_ended += lint->streams[i].open.count;
	}
	find_rates(lint);
	find_apart(lint);
	/* A stream that is apart has been said to be. */
	if (!lint->found[LINT_CLOCK] && !lint->found[LINT_UNIT])
		keep(lint, LINT_MAYBE_CLOCK, LINT_CLOCK);
	if (lint->found[LINT_MAYBE_WRAP] * BY_CHANCE >= SURE * lint->long_gaps)
		keep(lint, LINT_MAYBE_WRAP, LINT_WRAP);
	if (last && far_from_zero(lint, first, last))
		keep(lint, LINT_MAYBE_ZERO, LINT_ZERO);
}

static const char *const kind_names[LINT_KINDS] = {
#define X(kind, name) [LINT_##kind] = #name,
	LINT_KINDS_OF(X)
#undef X
};

static void print_finding(const struct lint *lint, FILE *out, enum lint_kind kind,
			  const struct lint_finding *finding)
{
	fprintf(out, "%s: %s %" PRIu64 ": %s: %s", lint->streams[finding->stream].name,
		lint->place_name, finding->place, kind_names[kind], finding->text);
	if (kind != LINT_FORM)
		fprintf(out, "; time %" PRId64, finding->time);
	if (finding->has_before)
		fprintf(out, ", before it %" PRId64, finding->before);
	if (finding->has_after)
		fprintf(out, ", after it %" PRId64, finding->after);
	fputc('\n', out);
}

struct lint_sums lint_sums(const struct lint *lint)
{
	struct lint_sums sums = { .lost = lint->lost };
	uint32_t i;

	for (i = 0; i < lint->count; i++) {
		sums.events += lint->streams[i].events;
		sums.lost += lint->streams[i].lost;
		sums.repeats += lint->streams[i].repeats;
	}
	for (i = 0; i < LINT_KINDS; i++)
		sums.found += lint->found[i];
	return sums;
}

static json_t *finding_json(const struct lint *lint, unsigned int kind,
			    const struct lint_finding *finding)
{
	json_t *one = json_pack("{s:s, s:o, s:I, s:o}", "kind", kind_names[kind], "file",
				json_safe(lint->streams[finding->stream].name), lint->place_name,
				(json_int_t)finding->place, "message", json_safe(finding->text));

	if (kind != LINT_FORM)
		json_object_set_new(one, "time", json_integer(finding->time));
	if (finding->has_before)
		json_object_set_new(one, "before", json_integer(finding->before));
	if (finding->has_after)
		json_object_set_new(one, "after", json_integer(finding->after));
	return one;
}

json_t *lint_json(const struct lint *lint, const char *path)
{
	json_t *findings = json_array(), *found = json_object(), *document;
	const struct lint_sums sums = lint_sums(lint);
	unsigned int kind;
	uint64_t i;

	for (kind = 0; kind < LINT_KINDS; kind++) {
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++)
			json_array_append_new(findings,
					      finding_json(lint, kind, &lint->shown[kind][i]));
		if (lint->found[kind])
			json_object_set_new(found, kind_names[kind],
					    json_integer((json_int_t)lint->found[kind]));
	}
	document = json_pack("{s:o, s:b, s:I, s:I, s:o, s:o}", "trace", json_safe(path), "damaged",
			     lint->fault.set, "events", (json_int_t)sums.events, "lost",
			     (json_int_t)sums.lost, "found", found, "findings", findings);
	if (lint->fault.set)
		json_object_set_new(document, "why", json_safe(lint->fault.text));
	if (lint->fault.set && lint->fault.offset != TRACE_NOWHERE)
		json_object_set_new(document, "offset",
				    json_integer((json_int_t)lint->fault.offset));
	return document;
}

bool lint_print_loss(const struct lint *lint, FILE *out, const char *path)
{
	const uint64_t lost = lint_sums(lint).lost,
		       wrong = lint->found[LINT_LOSS] - lint->uncounted_found;

	fprintf(out, "%s: %" PRIu64 " lost%s", path, lost,
		lint->fault.set ? " before the damage" : "");
	if (lint->uncounted)
		fprintf(out, ", and more in %" PRIu64 " places that nothing counts",
			lint->uncounted);
	if (wrong)
		fprintf(out, "; %" PRIu64 " counts of losses are wrong: see --lint", wrong);
	putc('\n', out);
	return lost || lint->uncounted || wrong;
}

/* What there is to say of a trace without findings; NULL: "nothing found". */
static const char *unchecked(const struct lint *lint)
{
	uint64_t with = 0;
	uint32_t i;

	for (i = 0; i < lint->count; i++)
		with += lint->streams[i].any || lint->streams[i].packets;
	return with || !lint->count	      ? NULL :
	       lint->clockless == lint->count ? "no clock: nothing to check" :
						"no time but 0: nothing to check";
}

static void print_counts(const struct lint *lint, FILE *out, const char *path)
{
	const struct {
		uint64_t count;
		const char *words;
	} more[] = {
		{ lint->clockless, "streams without a clock" },
		{ lint->not_ended, "spans not ended" },
		{ lint->not_begun, "spans not begun" },
		{ lint->twice, "spans twice" },
		{ lint->cut, "event cut off" },
		{ lint->uncounted, "losses without a count" },
	};
	const struct lint_sums sums = lint_sums(lint);
	size_t i;

	fprintf(out,
		"%s: %" PRIu64 " events in %" PRIu32 " streams, %" PRIu64
		" at the time of their predecessor, ",
		path, sums.events, lint->count, sums.repeats);
	for (i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (more[i].count)
			fprintf(out, "%" PRIu64 " %s, ", more[i].count, more[i].words);
	fprintf(out, "%" PRIu64 " lost; ", sums.lost);
}

bool lint_print(const struct lint *lint, FILE *out, const char *path)
{
	const char *before = "found ", *instead = unchecked(lint);
	const uint64_t events = lint_sums(lint).events;
	unsigned int kind;
	uint64_t i;

	for (kind = 0; kind < LINT_KINDS; kind++) {
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++)
			print_finding(lint, out, kind, &lint->shown[kind][i]);
		if (lint->found[kind] > LINT_SHOWN)
			fprintf(out, "%s: %s: %" PRIu64 " more\n", path, kind_names[kind],
				lint->found[kind] - LINT_SHOWN);
	}
	print_counts(lint, out, path);
	for (kind = 0; kind < LINT_KINDS; kind++) {
		if (!lint->found[kind])
			continue;
		fprintf(out, "%s%s %" PRIu64, before, kind_names[kind], lint->found[kind]);
		before = ", ";
	}
	if (*before == 'f')
		fputs(lint->fault.set && !events ? "nothing was read" :
		      instead			 ? instead :
						   "nothing found",
		      out);
	fprintf(out, "%s\n", lint->fault.set && events ? " before the damage" : "");
	return *before == ',';
}

void lint_free(struct lint *lint)
{
	while (lint->count) {
		lint->count--;
		free(lint->streams[lint->count].name);
		free(lint->streams[lint->count].open.at);
		free(lint->streams[lint->count].spans.at);
	}
	free(lint->streams);
	tdestroy(lint->keys, free);
}
