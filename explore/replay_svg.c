// SPDX-License-Identifier: MIT
/* The timeline of replay.c as a picture: time downwards, a lane for each open event. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explore/replay.h"

enum {
	ROW = 30, /* pixels of a step */
	TOP = 96,
	CLOCK_X = 92,
	LANES_X = 116,
	LANE = 74,
	BAR = 30,
	AXIS_ROW = 34, /* of a record below */
	AXIS_X = 250,
	AXIS_WIDTH = 630,
	WIDTH = 1060,
	VALUES_MAX = 4 * WORLD_EVENTS_MAX,
};

static const char style[] =
	"text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px;fill:#222}"
	".title{font-size:19px;font-weight:bold}.sub{fill:#666;font-size:12px}"
	".code{font-family:'DejaVu Sans Mono',monospace;font-size:11px;fill:#555}"
	".label{font-weight:bold}.clock{text-anchor:end;fill:#666}.name{text-anchor:middle;"
	"font-weight:bold;fill:#fff}.tick{text-anchor:middle;font-size:11px;fill:#666}"
	".wrong{fill:#c0182b;font-weight:bold}.right{fill:#222}"
	".cut{stroke:#c0182b;stroke-width:2}.rule{stroke:#e4e4e4}.arrow{stroke:#444;stroke-width:1.6;"
	"marker-end:url(#head)}.wait{stroke-width:3;stroke-dasharray:3 4}";

static const char *const colours[] = { "#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b7791f",
				       "#0e7490" };

struct picture {
	FILE *svg;
	const struct replay *replay;
	unsigned int lane[WORLD_EVENTS_MAX];
	unsigned int lanes;
	double y; /* where the next part begins */
};

static void put_text(FILE *svg, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", svg);
		else if (*text == '<')
			fputs("&lt;", svg);
		else if (*text == '>')
			fputs("&gt;", svg);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, svg);
	}
}

static void text_at(FILE *svg, double x, double y, const char *class, const char *text)
{
	fprintf(svg, "<text x=\"%.0f\" y=\"%.0f\" class=\"%s\">", x, y, class);
	put_text(svg, text);
	fputs("</text>\n", svg);
}

static const char *colour(unsigned int lane)
{
	return colours[lane % (sizeof(colours) / sizeof(colours[0]))];
}

static double lane_x(unsigned int lane)
{
	return LANES_X + LANE * lane + BAR / 2.0;
}

static double step_y(unsigned int step)
{
	return TOP + ROW * (step + 0.5);
}

/* An event's lane is the lowest that no open event has: its depth, where there is one CPU. */
static void find_lanes(struct picture *picture)
{
	const struct replay *replay = picture->replay;
	bool taken[WORLD_EVENTS_MAX] = { false };
	unsigned int lane, i;

	for (i = 0; i < replay->steps; i++) {
		unsigned int event = replay->step[i].event;

		if (replay->step[i].kind == STEP_LEAVE)
			taken[picture->lane[event]] = false;
		if (replay->step[i].kind != STEP_ENTER)
			continue;
		for (lane = 0; lane + 1 < WORLD_EVENTS_MAX && taken[lane]; lane++)
			continue;
		taken[lane] = true;
		picture->lane[event] = lane;
		if (lane >= picture->lanes)
			picture->lanes = lane + 1;
	}
}

/* From step `from` to `to`, the event in its lane runs, or waits. */
static void span(const struct picture *picture, unsigned int event, unsigned int from,
		 unsigned int to, bool waits)
{
	unsigned int lane = picture->lane[event];
	double x = lane_x(lane), y = step_y(from), end = step_y(to);

	if (waits)
		fprintf(picture->svg, "<line class=\"wait\" stroke=\"%s\" x1=\"%.0f\" y1=\"%.0f\" "
			"x2=\"%.0f\" y2=\"%.0f\"/>\n", colour(lane), x, y - 12, x, end + 12);
	else
		fprintf(picture->svg, "<rect fill=\"%s\" rx=\"5\" x=\"%.0f\" y=\"%.0f\" "
			"width=\"%d\" height=\"%.0f\"/>\n", colour(lane), x - BAR / 2.0, y - 11,
			BAR, end - y + 22);
}

static void arrow(const struct picture *picture, unsigned int from_lane, unsigned int to_lane,
		  double y)
{
	double side = to_lane > from_lane ? BAR / 2.0 + 2 : -BAR / 2.0 - 2;

	fprintf(picture->svg, "<line class=\"arrow\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" "
		"y2=\"%.0f\"/>\n", lane_x(from_lane) + side, y, lane_x(to_lane) - side, y);
}

/* Who ran when: an event runs from its enter to its leave but for the events inside. */
static void draw_event(const struct picture *picture, unsigned int first)
{
	const struct replay *replay = picture->replay;
	unsigned int event = replay->step[first].event, lane = picture->lane[event];
	unsigned int i, from = first;
	char name[16];

	for (i = first + 1; i < replay->steps; i++) {
		const struct step *step = &replay->step[i];

		if (step->kind == STEP_ENTER && picture->lane[step->event] == lane + 1) {
			span(picture, event, from, i - 1, false);
			arrow(picture, lane, lane + 1, (step_y(i - 1) + step_y(i)) / 2);
			from = i;
		} else if (step->kind == STEP_LEAVE && picture->lane[step->event] == lane + 1) {
			span(picture, event, from, i, true);
			arrow(picture, lane + 1, lane, step_y(i) + ROW / 2.0);
			from = i + 1;
		} else if (step->kind == STEP_LEAVE && step->event == event) {
			break;
		}
	}
	if (i == replay->steps)
		i--;
	span(picture, event, from < i ? from : i, i, false);
	snprintf(name, sizeof(name), "E%u", event);
	text_at(picture->svg, lane_x(lane), step_y(first) + 5, "name", name);
}

static void describe_step(const struct picture *picture, unsigned int i, double x)
{
	const struct step *step = &picture->replay->step[i];
	const struct logged *log = &picture->replay->log[step->event];
	double y = step_y(i) + 5;
	char text[500], place[400];

	switch (step->kind) {
	case STEP_ENTER:
		snprintf(text, sizeof(text), "E%u enters%s", step->event,
			 log->context == CONTEXT_BEAT ? " (the beat)" : "");
		text_at(picture->svg, x, y, "", text);
		break;
	case STEP_LEAVE:
		snprintf(text, sizeof(text), "E%u leaves, %s %" PRIu64 "%s", step->event,
			 log->left == 2 ? "lost, clock" : "stamp",
			 log->left == 2 ? log->exit : log->stamp,
			 log->inexact ? " (declared inexact)" : "");
		text_at(picture->svg, x, y, "", text);
		break;
	case STEP_STOP:
		snprintf(text, sizeof(text), "E%u is interrupted before", step->event);
		text_at(picture->svg, x, y - 7, "label", text);
		replay_place(step, place, sizeof(place));
		place[110] = 0;
		text_at(picture->svg, x, y + 7, "code", place);
		break;
	case STEP_JUMP:
		snprintf(text, sizeof(text), "%" PRIu64 " ticks pass", step->jump);
		text_at(picture->svg, x, y, "label", text);
		break;
	case STEP_READ:
		text_at(picture->svg, x, y, "label", "a reader takes what is complete");
		break;
	case STEP_FLUSH:
		text_at(picture->svg, x, y, "label", "the open sub-buffer is closed");
		break;
	case STEP_DEFERRED:
		text_at(picture->svg, x, y, "label", "the interrupt has to wait");
		break;
	case STEP_SWITCH:
		snprintf(text, sizeof(text), "CPU %" PRIu64 " goes on", step->jump);
		text_at(picture->svg, x, y, "label", text);
		break;
	}
}

static void draw_steps(struct picture *picture)
{
	const struct replay *replay = picture->replay;
	double text_x = LANES_X + LANE * picture->lanes + 14;
	unsigned int i;
	char clock[24];

	text_at(picture->svg, CLOCK_X, TOP - 8, "clock", "clock");
	for (i = 0; i < replay->steps; i++) {
		fprintf(picture->svg, "<line class=\"rule\" x1=\"20\" x2=\"%d\" y1=\"%.0f\" "
			"y2=\"%.0f\"/>\n", WIDTH - 20, step_y(i) + ROW / 2.0,
			step_y(i) + ROW / 2.0);
		snprintf(clock, sizeof(clock), "%" PRIu64, replay->step[i].clock);
		text_at(picture->svg, CLOCK_X, step_y(i) + 5, "clock", clock);
		describe_step(picture, i, text_x);
	}
	for (i = 0; i < replay->steps; i++)
		if (replay->step[i].kind == STEP_ENTER)
			draw_event(picture, i);
	picture->y = step_y(replay->steps) + 24;
}

/* ---- the records below: an axis with each time that matters, in order, evenly spaced ---- */

struct axis {
	uint64_t value[VALUES_MAX];
	unsigned int count;
};

static int by_value(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

static bool known(const struct seen *seen)
{
	return seen->event < WORLD_EVENTS_MAX;
}

static bool wrong(const struct replay *replay, const struct seen *seen)
{
	const struct logged *log = &replay->log[seen->event];

	if (!known(seen))
		return true;
	if (log->inexact)
		return seen->time < log->entry || seen->time > log->exit;
	return seen->time != log->stamp;
}

static void find_axis(const struct replay *replay, struct axis *axis)
{
	unsigned int i, kept = 0;

	axis->count = 0;
	for (i = 0; i < replay->seen_count; i++) {
		const struct seen *seen = &replay->seen[i];

		axis->value[axis->count++] = seen->time;
		if (!known(seen))
			continue;
		axis->value[axis->count++] = replay->log[seen->event].stamp;
		axis->value[axis->count++] = replay->log[seen->event].entry;
		axis->value[axis->count++] = replay->log[seen->event].exit;
	}
	qsort(axis->value, axis->count, sizeof(axis->value[0]), by_value);
	for (i = 0; i < axis->count; i++)
		if (!kept || axis->value[i] != axis->value[kept - 1])
			axis->value[kept++] = axis->value[i];
	axis->count = kept;
}

static double axis_x(const struct axis *axis, uint64_t value)
{
	unsigned int i;

	for (i = 0; i + 1 < axis->count && axis->value[i] < value; i++)
		continue;
	return AXIS_X + (axis->count > 1 ? AXIS_WIDTH * (double)i / (axis->count - 1) : 0);
}

static void draw_record(const struct picture *picture, const struct axis *axis,
			const struct seen *seen, double y)
{
	const struct logged *log = &picture->replay->log[seen->event];
	bool bad = wrong(picture->replay, seen);
	double x = axis_x(axis, seen->time);
	char text[100];

	if (known(seen)) {
		snprintf(text, sizeof(text), "E%u", seen->event);
		fprintf(picture->svg, "<rect fill=\"%s\" fill-opacity=\"0.22\" rx=\"4\" x=\"%.0f\" "
			"y=\"%.0f\" width=\"%.0f\" height=\"18\"/>\n",
			colour(picture->lane[seen->event]), axis_x(axis, log->entry) - 4, y - 9,
			axis_x(axis, log->exit) - axis_x(axis, log->entry) + 8);
		fprintf(picture->svg, "<circle fill=\"%s\" r=\"6\" cx=\"%.0f\" cy=\"%.0f\"/>\n",
			colour(picture->lane[seen->event]), axis_x(axis, log->stamp), y);
	} else {
		snprintf(text, sizeof(text), "?");
	}
	text_at(picture->svg, 34, y + 5, bad ? "wrong" : "label", text);
	snprintf(text, sizeof(text), "decoded %" PRIu64, seen->time);
	text_at(picture->svg, 70, y + 5, bad ? "wrong" : "right", text);
	if (bad)
		fprintf(picture->svg, "<path class=\"cut\" d=\"M%.0f %.0fl12 12m0 -12l-12 12\"/>\n",
			x - 6, y - 6);
	else
		fprintf(picture->svg, "<circle fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\" "
			"r=\"9\" cx=\"%.0f\" cy=\"%.0f\"/>\n", x, y);
	snprintf(text, sizeof(text), "header %u%s%s", seen->header_bytes,
		 seen->flags & EVENT_EXTENDED ? ", extended" : "",
		 known(seen) && log->inexact ? ", inexact" : "");
	text_at(picture->svg, AXIS_X + AXIS_WIDTH + 24, y + 4, "sub", text);
}

static void draw_records(struct picture *picture)
{
	const struct replay *replay = picture->replay;
	struct axis axis;
	unsigned int i;
	double bottom;
	char text[24];

	find_axis(replay, &axis);
	text_at(picture->svg, 20, picture->y, "label", "In the buffer, as a reader decodes it");
	text_at(picture->svg, 320, picture->y, "sub", "bar: window from entry to exit   dot: stamp "
		"taken   ring: decoded   cross: decoded wrong   (axis not to scale)");
	picture->y += 26;
	bottom = picture->y + AXIS_ROW * replay->seen_count - 8;
	for (i = 0; i < axis.count; i++) {
		double x = axis_x(&axis, axis.value[i]);

		fprintf(picture->svg, "<line class=\"rule\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" "
			"y2=\"%.0f\"/>\n", x, x, picture->y - 14, bottom);
		snprintf(text, sizeof(text), "%" PRIu64, axis.value[i]);
		/* Labels of many ticks are in three tiers. */
		text_at(picture->svg, x, bottom + 14 + 13 * (axis.count > 12 ? i % 3 : 0), "tick",
			text);
	}
	for (i = 0; i < replay->seen_count; i++)
		draw_record(picture, &axis, &replay->seen[i], picture->y + AXIS_ROW * i);
	picture->y = bottom + (axis.count > 12 ? 66 : 40);
}

static unsigned int objections(const struct replay *replay)
{
	unsigned int oracle, count = 0;

	for (oracle = 0; oracle < ORACLES; oracle++)
		count += replay->check.violations[oracle] != 0;
	return count;
}

static void draw_oracles(struct picture *picture)
{
	const struct check *check = &picture->replay->check;
	unsigned int oracle;
	char text[400];

	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (!check->violations[oracle])
			continue;
		snprintf(text, sizeof(text), "%s: %s", check_oracle_name((enum oracle)oracle),
			 check->first[oracle].text);
		text_at(picture->svg, 20, picture->y, "wrong", text);
		picture->y += 20;
	}
}

void replay_svg(FILE *svg, const struct replay *replay, const char *title, const char *schedule)
{
	struct picture picture = { .svg = svg, .replay = replay };
	double height = TOP + ROW * (replay->steps + 1.0) + 24 + 66 +
			AXIS_ROW * replay->seen_count + 20 * (objections(replay) + 1.0);

	find_lanes(&picture);
	fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\">\n<style>%s</style>\n", WIDTH, height, WIDTH, height,
		style);
	fputs("<defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
	      "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" "
	      "fill=\"#444\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" "
	      "fill=\"#fff\"/>\n", svg);
	text_at(svg, 20, 34, "title", title);
	fprintf(svg, "<text x=\"%d\" y=\"34\" text-anchor=\"end\" class=\"%s\">%s</text>\n",
		WIDTH - 20, replay->verdict == VERDICT_BROKEN ? "wrong" : "label",
		check_verdict_name(replay->verdict));
	text_at(svg, 20, 56, "code", schedule);
	draw_steps(&picture);
	draw_records(&picture);
	draw_oracles(&picture);
	fputs("</svg>\n", svg);
}
