// SPDX-License-Identifier: MIT
#include "explore/family/tiers.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/table.h"
#include "explore/engine/faults.h"

#define BUDGET(m, nb, d, ...) \
	{ \
		.events = m, .nested = nb, .depth = d, __VA_ARGS__ \
	}

const struct family families[] = {
	{ TIER_QUICK, "page", STOPS_ALL, BUDGET(2, 3, 3), .before = 1, .sections = SECTIONS_LATER,
	  .what = "every instruction" },
	{ TIER_QUICK, "page", STOPS_ALL, BUDGET(2, 2, 2), .before = 1, .sections = SECTIONS_ALONE,
	  .what = "every instruction, sections" },
	{ TIER_QUICK, "page", STOPS_SHARED, BUDGET(3, 2, 2),
	  .what = "shared accesses, empty ring" },
	{ TIER_QUICK, "page", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1), .before = 1,
	  .clock = START_COARSE, .sections = SECTIONS_LATER, .what = "coarse clock" },
	{ TIER_QUICK, "page", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 1), .before = 1,
	  .clock = START_COARSE, .sections = SECTIONS_ALONE, .what = "coarse clock, sections" },
	{ TIER_QUICK, "wrap3", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 1, .beats = 1), .before = 1,
	  .what = "all jumps, T=3" },
	{ TIER_QUICK, "wrap4", STOPS_SHARED, BUDGET(2, 0, 0, .jumps = 1, .beats = 1), .before = 1,
	  .phases = RANGE_ALL, .what = "all jumps and phases, T=4" },
	{ TIER_QUICK, "wrap4", STOPS_SHARED, BUDGET(2, 1, 1, .backs = 1), .before = 1,
	  .what = "the clock goes back, T=4" },
	{ TIER_QUICK, "page", STOPS_SHARED, BUDGET(1, 1, 1, .traced = 3), .before = 1,
	  .what = "reads of the clock record events" },
	{ TIER_QUICK, "wrap4", STOPS_SHARED, BUDGET(2, 1, 1), .before = 1, .clock = START_SLOW,
	  .what = "each clock read takes a wrap" },
	{ TIER_QUICK, "ends2", STOPS_SHARED, BUDGET(2, 2, 2), .offsets = RANGE_ALL,
	  .sections = SECTIONS_LATER, .what = "two sub-buffers, every offset" },
	{ TIER_QUICK, "ends2", STOPS_SHARED, BUDGET(2, 1, 1), .offsets = RANGE_ALL,
	  .sections = SECTIONS_ALONE, .what = "two sub-buffers, every offset, sections" },
	{ TIER_QUICK, "ends2", STOPS_SHARED, BUDGET(3, 1, 1), .large = 1, .offsets = RANGE_ALL,
	  .what = "two sub-buffers, large interrupts" },
	{ TIER_QUICK, "ends4", STOPS_SHARED, BUDGET(3, 1, 1, .reads = 1), .mode = RING_DISCARD,
	  .full = 3, .offsets = RANGE_ALL, .sections = SECTIONS_LATER,
	  .what = "four sub-buffers, discard, reader" },
	{ TIER_QUICK, "ends4", STOPS_SHARED, BUDGET(2, 1, 1, .reads = 1), .mode = RING_DISCARD,
	  .full = 3, .offsets = RANGE_ALL, .sections = SECTIONS_ALONE,
	  .what = "four sub-buffers, discard, reader, sections" },
	{ TIER_QUICK, "ends4", STOPS_SHARED, BUDGET(8, 0, 0, .live = 1, .preemptions = 2),
	  .full = 3, .what = "four sub-buffers, a reader on another CPU" },
	{ TIER_QUICK, "ends4", STOPS_SHARED, BUDGET(16, 0, 0, .live = 1, .preemptions = 2),
	  .mode = RING_DISCARD, .what = "four sub-buffers, discard, a reader on another CPU" },
	{ TIER_QUICK, "ends4", STOPS_SHARED,
	  BUDGET(3, 0, 0, .flushes = 1, .live = 1, .preemptions = 1), .full = 1,
	  .what = "four sub-buffers, a reader and a flush" },
	{ TIER_QUICK, "wrap3", STOPS_SHARED, BUDGET(1, 0, 1, .jumps = 1, .beats = 2), .before = 1,
	  .what = "all jumps and two beats, T=3" },
	{ TIER_QUICK, "wrap4", STOPS_SHARED, BUDGET(1, 1, 1, .beats = 2), .phases = RANGE_ALL,
	  .what = "a sub-buffer's begin and two beats, all phases, T=4" },
	{ TIER_QUICK, "timed", STOPS_ALL, BUDGET(2, 2, 2), .before = 1,
	  .what = "timed payload, every instruction" },
	{ TIER_QUICK, "timed", STOPS_SHARED, BUDGET(3, 1, 1), .offsets = RANGE_ALL,
	  .what = "timed payload, every offset" },
	{ TIER_QUICK, "timed", STOPS_SHARED, BUDGET(2, 0, 0, .reads = 1), .offsets = RANGE_ALL,
	  .what = "timed payload, reader at every offset" },
	{ TIER_QUICK, "timed", STOPS_SHARED, BUDGET(2, 0, 0, .jumps = 1, .beats = 1), .before = 1,
	  .what = "timed payload, jumps around a wrap" },

	{ TIER_LONG, "page", STOPS_ALL, BUDGET(2, 4, 4), .before = 1, .main_rows = true,
	  .what = "every instruction" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 5, 5), .before = 1, .main_rows = true,
	  .what = "shared accesses" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 3, 3, .jumps = 1), .before = 1,
	  .clock = START_COARSE, .what = "coarse clock" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 2), .before = 1,
	  .main_rows = true, .what = "jumps around a wrap, own width" },
	{ TIER_LONG, "wrap3", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1), .before = 1,
	  .what = "all jumps, T=3" },
	{ TIER_LONG, "wrap4", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1), .before = 1,
	  .what = "all jumps, T=4" },
	{ TIER_LONG, "wrap4", STOPS_ALL, BUDGET(2, 1, 1, .jumps = 1, .beats = 1), .before = 1,
	  .what = "all jumps, every instruction, T=4" },
	{ TIER_LONG, "wrap3", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 2), .before = 1,
	  .main_rows = true, .what = "two jumps, T=3" },
	{ TIER_LONG, "ends2", STOPS_SHARED, BUDGET(4, 3, 3), .offsets = RANGE_ALL,
	  .what = "two sub-buffers, every offset" },
	{ TIER_LONG, "ends4", STOPS_SHARED, BUDGET(4, 3, 3), .offsets = RANGE_ALL,
	  .what = "four sub-buffers, every offset" },
	{ TIER_LONG, "ends4", STOPS_SHARED, BUDGET(3, 3, 3), .large = 1, .offsets = RANGE_ALL,
	  .what = "four sub-buffers, large interrupts" },
	{ TIER_LONG, "ends2", STOPS_SHARED, BUDGET(3, 2, 2, .reads = 1), .mode = RING_DISCARD,
	  .full = 1, .offsets = RANGE_ALL, .what = "two sub-buffers, discard, reader" },
	{ TIER_LONG, "ends4", STOPS_SHARED, BUDGET(8, 0, 0, .live = 1, .preemptions = 3), .full = 3,
	  .what = "four sub-buffers, a reader on another CPU" },
	{ TIER_LONG, "ends4", STOPS_SHARED, BUDGET(6, 1, 1, .live = 1, .preemptions = 1), .full = 3,
	  .main_rows = true, .what = "four sub-buffers, a reader on another CPU, one interrupt" },
	{ TIER_LONG, "ends4", STOPS_SHARED, BUDGET(8, 0, 0, .live = 2, .preemptions = 2),
	  .mode = RING_DISCARD, .full = 2, .what = "four sub-buffers, discard, a reader twice" },
	{ TIER_LONG, "ends2", STOPS_SHARED,
	  BUDGET(8, 0, 0, .flushes = 1, .live = 1, .preemptions = 2), .mode = RING_DISCARD,
	  .what = "two sub-buffers, a reader and a flush" },
	{ TIER_LONG, "wrapends", STOPS_SHARED, BUDGET(3, 1, 1, .jumps = 1), .offsets = RANGE_ALL,
	  .what = "sub-buffer ends and jumps, T=4" },
	{ TIER_LONG, "wrap4", STOPS_SHARED, BUDGET(2, 2, 2, .backs = 1), .before = 1,
	  .what = "the clock goes back, T=4" },
	{ TIER_LONG, "wrap3", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 1, .backs = 1), .before = 1,
	  .main_rows = true, .what = "the clock goes ahead and back, T=3" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 2, 2, .backs = 1), .before = 1,
	  .main_rows = true, .what = "the clock goes back, own width" },
	{ TIER_LONG, "wrapends", STOPS_SHARED, BUDGET(3, 1, 1, .backs = 1), .offsets = RANGE_ALL,
	  .main_rows = true, .what = "sub-buffer ends and a clock that goes back, T=4" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 1, 1, .traced = 4), .before = 1,
	  .what = "reads of the clock record events" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 0, 0, .writers = 2, .preemptions = 3),
	  .before = 1, .skew = 5, .what = "two CPUs, clocks 5 ticks apart" },
	{ TIER_LONG, "wrap3", STOPS_SHARED, BUDGET(2, 0, 0, .writers = 2, .preemptions = 2),
	  .before = 1, .skew = 3, .what = "two CPUs, clocks 3 ticks apart, T=3" },
	{ TIER_LONG, "wrapends", STOPS_SHARED, BUDGET(3, 0, 1, .jumps = 1, .beats = 1),
	  .offsets = RANGE_ALL, .what = "sub-buffer ends, jumps and beats, T=4" },
	{ TIER_LONG, "wrapends", STOPS_SHARED, BUDGET(2, 0, 1, .jumps = 1, .beats = 2),
	  .offsets = RANGE_ALL, .what = "sub-buffer ends, jumps and two beats, T=4" },
	{ TIER_LONG, "wrap4", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 1, .beats = 2), .before = 1,
	  .what = "all jumps and two beats, T=4" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(2, 0, 0, .writers = 2, .preemptions = 4),
	  .before = 1, .what = "two CPUs in one ring" },
	{ TIER_LONG, "page", STOPS_SHARED, BUDGET(1, 1, 1, .writers = 3, .preemptions = 3),
	  .before = 1, .what = "three CPUs in one ring, one interrupt" },
	{ TIER_LONG, "ends2", STOPS_SHARED, BUDGET(3, 0, 0, .writers = 2, .preemptions = 2),
	  .offsets = RANGE_ALL, .what = "two CPUs, sub-buffer ends" },
	{ TIER_LONG, "wrap3", STOPS_SHARED,
	  BUDGET(2, 0, 0, .jumps = 1, .writers = 2, .preemptions = 2), .before = 1,
	  .what = "two CPUs, all jumps, T=3" },
	{ TIER_LONG, "timed", STOPS_ALL, BUDGET(2, 3, 3), .before = 1,
	  .what = "timed payload, every instruction" },
	{ TIER_LONG, "timed", STOPS_SHARED, BUDGET(3, 2, 2), .offsets = RANGE_ALL,
	  .what = "timed payload, every offset" },
	{ TIER_LONG, "timed", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1), .before = 1,
	  .what = "timed payload, jumps around a wrap" },
	{ TIER_LONG, "timed", STOPS_SHARED, BUDGET(4, 1, 1, .reads = 1), .mode = RING_DISCARD,
	  .offsets = RANGE_ALL, .what = "timed payload, discard, reader" },

	{ TIER_EXHAUSTIVE, "page", STOPS_ALL, BUDGET(2, 4, 4), .before = 1,
	  .what = "every instruction" },
	{ TIER_EXHAUSTIVE, "page", STOPS_ALL, BUDGET(2, 5, 5), .before = 1, .main_rows = true,
	  .what = "every instruction" },
	{ TIER_EXHAUSTIVE, "page", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 2), .before = 1,
	  .what = "jumps around a wrap, own width" },
	{ TIER_EXHAUSTIVE, "wrap3", STOPS_SHARED, BUDGET(2, 1, 1, .jumps = 2), .before = 1,
	  .what = "two jumps, T=3" },
	{ TIER_EXHAUSTIVE, "ends2", STOPS_SHARED, BUDGET(4, 2, 2, .reads = 1), .mode = RING_DISCARD,
	  .full = 1, .offsets = RANGE_ALL, .what = "two sub-buffers, discard, reader" },
	{ TIER_EXHAUSTIVE, "wrap3", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1, .beats = 1),
	  .before = 1, .what = "all jumps, T=3" },
	{ TIER_EXHAUSTIVE, "wrap3", STOPS_SHARED, BUDGET(2, 2, 2, .jumps = 1, .beats = 2),
	  .before = 1, .what = "all jumps and two beats, T=3" },
	{ TIER_EXHAUSTIVE, "page", STOPS_SHARED, BUDGET(3, 5, 5), .before = 1,
	  .what = "shared accesses" },
	{ TIER_EXHAUSTIVE, "wrapends", STOPS_SHARED, BUDGET(3, 2, 2, .jumps = 1, .beats = 1),
	  .offsets = RANGE_ALL, .what = "sub-buffer ends and jumps, T=4" },
	{ TIER_EXHAUSTIVE, "ends2", STOPS_SHARED, BUDGET(3, 0, 0, .writers = 2, .preemptions = 3),
	  .offsets = RANGE_ALL, .what = "two CPUs, sub-buffer ends" },
	{ TIER_EXHAUSTIVE, "ends2", STOPS_SHARED, BUDGET(4, 4, 4), .offsets = RANGE_ALL,
	  .what = "two sub-buffers, every offset" },
	{ TIER_EXHAUSTIVE, "ends4", STOPS_SHARED, BUDGET(8, 1, 1, .live = 1, .preemptions = 2),
	  .full = 3, .what = "four sub-buffers, a reader on another CPU, one interrupt" },
	{ TIER_EXHAUSTIVE, "ends4", STOPS_SHARED, BUDGET(8, 0, 0, .live = 2, .preemptions = 3),
	  .mode = RING_DISCARD, .full = 2, .what = "four sub-buffers, discard, a reader twice" },
	{ .shape = NULL },
};

/* Most interrupts at every instruction: of the quick tier, and of variants in the others. */
#define ALL_NESTED_QUICK 3
#define ALL_NESTED 4

unsigned int families_count(void)
{
	return sizeof(families) / sizeof(families[0]) - 1;
}

bool family_too_large(const struct family *family, int tier)
{
	if (!world_has_sections() || tier != TIER_QUICK) {
		if (family->sections == SECTIONS_ALONE)
			return true;
	} else if (family->sections == SECTIONS_LATER) {
		return true;
	}
	return world_has_sections() && family->stops == STOPS_SHARED &&
	       family->budget.nested > (tier == TIER_QUICK ? ALL_NESTED_QUICK : ALL_NESTED);
}

/*
 * Records what comes before the search. The signal that ended it, SIGALRM if a writer does not end:
 * a broken row may pad sub-buffers for ever, looking for room that none has. Else 0, and whether
 * the event before the first, of so much filler, fits.
 */
static int begin(const struct search *search, bool *fits)
{
	static const uint64_t still; /* no progress but the end */
	int signal;

	faults_catch(&still);
	signal = sigsetjmp(faults_escape, 0);
	faults_arm(!signal);
	if (!signal) {
		world_begin(&search->start, &search->budget);
		*fits = !search->start.extra || !world->book.failed;
	}
	faults_end();
	return signal;
}

static uint64_t phase_count(const struct family *family)
{
	uint32_t bits = world_row.config.stamp_bits;

	if (family->phases == RANGE_ONE || bits >= 63)
		return 1;
	return bits <= 6 ? UINT64_C(1) << bits : 8;
}

/* Small fields: every value; wide ones: the last before a wrap. */
static uint64_t phase_at(uint64_t index)
{
	uint32_t bits = world_row.config.stamp_bits;

	if (!index || bits <= 6)
		return index;
	return (UINT64_C(1) << bits) - index;
}

/* Room for the clock to go back, in wraps of any width that is smaller. */
static uint64_t room_back(const struct family *family, const struct search *search)
{
	uint64_t most = search->budget.backs ? search->jump[search->jumps - 1] : 0, room = 1;

	most = most * search->budget.backs + family->skew * WORLD_WRITERS_MAX;
	if (!most)
		return 0;
	while (room <= most)
		room <<= 1;
	return room > UINT64_C(1) << (world_row.config.stamp_bits & 63) ?
		       room :
		       UINT64_C(1) << (world_row.config.stamp_bits & 63);
}

void family_search(const struct family *family, struct search *search)
{
	search->stops = family->stops;
	search->budget = family->budget;
	/* To all other rows a beat is an interrupt like any. */
	if (!(world_row.driver->desc->needs & NEED_BEAT))
		search->budget.beats = 0;
	search->start = (struct world_start){
		.asked = family->start,
		.step = family->clock == START_SLOW ?
				UINT64_C(1) << (world_row.config.stamp_bits & 31) :
				family->clock == START_STRICT,
	};
	search_jumps(search, family->clock == START_COARSE);
	search->start.most = ((uint64_t)search->budget.jumps + search->budget.backs) *
			     (search->jumps ? search->jump[search->jumps - 1] : 0);
	search->start.room = room_back(family, search);
}

/* The family's starts one after the other. */
struct start_walk {
	const struct family *family;
	struct search search;
	uint64_t phase, phases, first_phase;
	uint32_t offset, offsets, first_offset;
	int signal; /* that this start ended with; 0: it can be searched from */
};

static void walk_begin(struct start_walk *walk, const struct family *family,
		       const struct search *options)
{
	uint32_t bytes = 1u << world_row.config.subbuf_shift;

	*walk = (struct start_walk){
		.family = family,
		.search = *options,
		.phases = phase_count(family),
		.first_phase = options->start.phase,
		.offset = options->start.extra,
		.first_offset = options->start.extra,
		.offsets = family->offsets == RANGE_ONE ? options->start.extra + 1 :
							  options->start.extra + bytes,
	};
	if (walk->offsets > bytes)
		walk->offsets = bytes;
	family_search(family, &walk->search);
}

/* The next start; false: there is none. */
static bool walk_next(struct start_walk *walk)
{
	bool fits = false;

	for (; walk->phase < walk->phases; walk->phase++, walk->offset = walk->first_offset) {
		walk->search.start.phase = walk->first_phase + phase_at(walk->phase);
		walk->search.start.extra = walk->offset;
		walk->signal = 0;
		if (walk->offset < walk->offsets)
			walk->signal = begin(&walk->search, &fits);
		/* From no larger offset, either: a broken row may take what no sub-buffer holds. */
		if (!walk->signal && !fits)
			continue;
		walk->offset = walk->signal ? walk->offsets : walk->offset + 4;
		return true;
	}
	return false;
}

/* 0, or a negative errno. */
static int run_from(const struct start_walk *walk, unsigned int processes, struct findings *one)
{
	*one = (struct findings){ .schedules = 0 };
	if (!walk->signal)
		return search_parallel(&walk->search, processes, one);
	if (!walk->search.part)
		findings_fault(one, NULL, 0, walk->signal, 1);
	return 0;
}

/*
 * Which part of a family's next search is this one's: the first part of a search has the most, so
 * that each part is the first one of some.
 */
static uint32_t turned(const struct family *family, const struct search *options, int searches)
{
	uint64_t turn = table_hash(&family->budget, sizeof(family->budget), 0) + (uint64_t)searches;

	return options->parts ? (uint32_t)((options->part + turn) % options->parts) : 0;
}

int family_run(const struct family *family, const struct search *options, unsigned int processes,
	       struct findings *findings, struct search *first)
{
	struct start_walk walk;
	struct findings one;
	struct failure was;
	int searches = 0, error;

	walk_begin(&walk, family, options);
	while (walk_next(&walk)) {
		walk.search.part = turned(family, options, searches);
		error = run_from(&walk, processes, &one);
		if (error)
			return error;
		searches++;
		was = findings->first;
		findings_add(findings, &one);
		if (memcmp(&was, &findings->first, sizeof(was)))
			*first = walk.search;
	}
	return searches;
}

void family_format(const struct family *family, char *text, size_t bytes)
{
	const struct start_part *of;
	FILE *said = fmemopen(text, bytes, "w");
	unsigned int part;
	uint64_t value;

	if (!said)
		end_memory("the name of a search");
	fprintf(said, "%-8s %-6s", family->shape, stops_words[family->stops]);
	for (part = 0; part < BUDGET_PARTS; part++)
		if (budget_parts[part].always || budget_of(&family->budget, part))
			fprintf(said, " %s=%u", budget_parts[part].shown,
				budget_of(&family->budget, part));
	for (of = start_parts; of->option; of++) {
		value = start_of(&family->start, of);
		if (value && of->shown && of->words)
			fprintf(said, " %s", of->words[value]);
		else if (value && of->shown)
			fprintf(said, " %s=%" PRIu64, of->shown, value);
	}
	fclose(said);
}

void family_words(const struct family *family, char *text, size_t bytes)
{
	char *from, *to = text;

	family_format(family, text, bytes);
	for (from = text; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
}
