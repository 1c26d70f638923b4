// SPDX-License-Identifier: MIT
/* The sentences of the plots of the whole matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/words.h"

static void say(const struct markup *to, const char *text)
{
	to->text(to->out, text);
}

static void say_figure(const struct markup *to, const char *before, double value, const char *after)
{
	char number[TEXT_FIGURE_BYTES];

	say(to, before);
	say(to, text_figure(number, value));
	say(to, after);
}

static void plot_injected(const struct run *run, const struct markup *to)
{
	const struct injected_cell *dearest = NULL;
	size_t i;

	say(to, "Each row is compared with the floor under the same wraps or the same "
		"interruptions, so what is seen is the scheme's own answer to them; a level line "
		"means that it takes them at no further cost.");
	for (i = 0; i < run->injected_count; i++) {
		const struct injected_cell *cell = &run->injected[i];

		if (cell->ratio > 0 && (!dearest || cell->ratio > dearest->ratio))
			dearest = cell;
	}
	if (!dearest)
		return;
	say(to, " The dearest cell is ");
	to->code(to->out, dearest->row);
	say(to, " under ");
	to->code(to->out, dearest->workload);
	say_figure(to, ": ", dearest->ratio, " times the floor.");
}

static void plot_layouts(const struct run *run, const struct markup *to)
{
	const struct rate_point *least = NULL, *most = NULL;
	size_t i;

	say(to, "At many events per second only the width of the header counts; at few, the beats "
		"that a narrow field needs, or the extension that each event then carries. The "
		"narrower the field and the finer its ticks, the sooner it wraps and the further "
		"right its curve bends.");
	for (i = 0; i < run->rate_count; i++) {
		const struct rate_point *point = &run->rates[i];

		if (strncmp(point->row, "layout_", strlen("layout_")) ||
		    !(point->header_bytes_per_second > 0))
			continue;
		if (!least || point->events_per_second < least->events_per_second ||
		    (point->events_per_second == least->events_per_second &&
		     point->header_bytes_per_second < least->header_bytes_per_second))
			least = point;
		if (!most || point->events_per_second < most->events_per_second ||
		    (point->events_per_second == most->events_per_second &&
		     point->header_bytes_per_second > most->header_bytes_per_second))
			most = point;
	}
	if (!least || least == most)
		return;
	say_figure(to, " At ", least->events_per_second, " events per second, ");
	to->code(to->out, most->row);
	say_figure(to, " writes ", most->header_bytes_per_second, " header bytes per second and ");
	to->code(to->out, least->row);
	say_figure(to, " ", least->header_bytes_per_second, ".");
}

static void plot_threads(const struct markup *to)
{
	say(to, "Every thread is pinned and has a ring of its own, so nothing is shared but the "
		"caches and what CPUs share of a core: a row that costs more with more threads "
		"would share something that it should not. At the orange line all threads "
		"together record as many times the events of one as there are threads.");
}

static void plot_replay(const struct run *run, const struct markup *to)
{
	const struct replay_cell *least = NULL, *most = NULL;
	size_t i;

	say(to, "Gaps between events as a kernel recorded them, replayed on a virtual clock, with "
		"8 bytes of payload in each event: what a compact header saves where events come "
		"in bursts and not at an even rate.");
	for (i = 0; i < run->replay_count; i++) {
		const struct replay_cell *cell = &run->replay[i];

		if (!(cell->bytes > 0))
			continue;
		if (!least || cell->bytes < least->bytes)
			least = cell;
		if (!most || cell->bytes > most->bytes)
			most = cell;
	}
	if (!least)
		return;
	say_figure(to, " An event takes ", least->bytes, " to ");
	say_figure(to, "", most->bytes, " bytes, the most of ");
	to->code(to->out, most->row);
	say(to, " under ");
	to->code(to->out, most->gaps);
	say(to, ".");
}

static void plot_idle(const struct run *run, const struct markup *to)
{
	bool first = true;
	size_t i;

	say(to, "A row that must wake up to count wraps does so on a machine where nothing "
		"happens; one that puts the whole stamp into the first event after a gap sleeps.");
	for (i = 0; i < run->idle_count; i++) {
		if (!(run->idle[i].none[IDLE_BEATS] > 0))
			continue;
		say(to, first ? " Here beat, per second: " : ", ");
		first = false;
		to->code(to->out, run->idle[i].row);
		say_figure(to, " ", run->idle[i].none[IDLE_BEATS], "");
	}
	say(to, first ? " Here no row beats." : ".");
}

/* Of the calm cells: least and most of the 99.9th percentile. */
static void plot_tails(const struct run *run, const struct markup *to)
{
	const struct tails_cell *least = NULL, *most = NULL;
	double hits = 0, samples = 0;
	size_t i;

	say(to, "Each event stands between two fenced clock reads, whose own cost is the dotted "
		"line. One line is one row, variants below: the median, what 99, 99.9 and 99.99 % "
		"of the events stay at or below (where ten or more are above), and the longest. "
		"Further left is quicker; what is far to the right the machine did, which stops the "
		"writer, not the scheme.");
	for (i = 0; i < run->tails_count; i++) {
		const struct tails_cell *cell = &run->tails[i];

		if (run_verdict_is(cell->regime, "storm") && cell->samples > 0) {
			hits += cell->hits;
			samples += cell->samples;
		}
		if (!run_verdict_is(cell->regime, "calm") || !(cell->p999 > 0))
			continue;
		if (!least || cell->p999 < least->p999)
			least = cell;
		if (!most || cell->p999 > most->p999)
			most = cell;
	}
	if (least && least != most) {
		say_figure(to, " Calm, one event in 1,000 takes longer than ", least->p999,
			   " ticks with ");
		to->code(to->out, least->row);
		say_figure(to, " and longer than ", most->p999, " with ");
		to->code(to->out, most->row);
		say(to, ".");
	}
	if (samples > 0)
		say_figure(to, " Under the storm a signal hit ", 100 * hits / samples,
			   " % of the samples, which are counted apart.");
}

/* Which share of header bytes a channel for compact events saves, and what the merge inverts. */
static void say_channels(const struct run *run, const struct markup *to)
{
	const struct channels_cell *best = NULL, *worst = NULL;
	size_t i;

	for (i = 0; i < run->channels_count; i++) {
		const struct channels_cell *cell = &run->channels[i];

		if (isfinite(cell->saved_share) && (!best || cell->saved_share > best->saved_share))
			best = cell;
		if (cell->events > 0 && isfinite(cell->inversions) &&
		    (!worst || cell->inversions / cell->events > worst->inversions / worst->events))
			worst = cell;
	}
	if (!best || !worst)
		return;
	say_figure(to, " A channel of its own for compact events saves at most ",
		   100 * best->saved_share, " % of the header bytes (");
	to->code(to->out, best->compact);
	say_figure(to, ", ", 100 * best->share, " % of the events compact)");
	if (!(worst->inversions > 0)) {
		say(to, ", and the merge by time keeps the order everywhere.");
		return;
	}
	say_figure(to, "; merged by time, at most ", 1e6 * worst->inversions / worst->events,
		   " events per million come before an earlier one (");
	to->code(to->out, worst->compact);
	say(to, " at the gaps of ");
	to->code(to->out, worst->gaps);
	say(to, ").");
}

static void plot_ties(const struct run *run, const struct markup *to)
{
	char number[TEXT_FIGURE_BYTES];
	bool first = true;
	size_t i, cut;

	say(to, "Events of one CPU that share a time can be told apart only by their place in the "
		"buffer; across CPUs their order is lost. Dashed marks are the layouts that cut as "
		"much.");
	for (i = 0; i < run->ties_count; i++) {
		const struct ties_line *line = &run->ties[i];

		for (cut = 0; cut < RUN_CUTS && !(line->ties[cut] > line->ties[0]); cut++)
			;
		if (cut == RUN_CUTS || isnan(line->ties[0]))
			continue;
		say(to, first ? " The first bit that adds ties: " : ", ");
		first = false;
		say(to, text_count(number, (double)cut));
		say(to, " for ");
		to->code(to->out, line->gaps);
	}
	say(to, first ? " No cut adds a tie here." : ".");
	say_channels(run, to);
}

static void plot_seek(const struct run *run, const struct markup *to)
{
	const struct seek_cell *largest = NULL;
	size_t i;

	say(to, "The 64-bit begin stamps of sub-buffers find a time in a number of probes that "
		"grows with the logarithm of the trace; the short stamps alone would have to be "
		"read from the start.");
	for (i = 0; i < run->seek_count; i++)
		if (!largest || run->seek[i].mib > largest->mib)
			largest = &run->seek[i];
	if (!largest)
		return;
	say_figure(to, " In ", largest->mib, " MiB of ");
	to->code(to->out, largest->row);
	say_figure(to, " a seek takes at most ", largest->probes_most, " probes and");
	say_figure(to, " ", largest->seek_ns / 1e3, " us on average.");
}

void words_matrix(const struct run *run, enum plot plot, const struct markup *to)
{
	switch (plot) {
	case PLOT_INJECTED:
		plot_injected(run, to);
		break;
	case PLOT_LAYOUTS:
		plot_layouts(run, to);
		break;
	case PLOT_THREADS:
		plot_threads(to);
		break;
	case PLOT_REPLAY:
		plot_replay(run, to);
		break;
	case PLOT_IDLE:
		plot_idle(run, to);
		break;
	case PLOT_TAILS:
		plot_tails(run, to);
		break;
	case PLOT_TIES:
		plot_ties(run, to);
		break;
	case PLOT_SEEK:
		plot_seek(run, to);
		break;
	default:
		break;
	}
}
