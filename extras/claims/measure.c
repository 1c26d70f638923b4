// SPDX-License-Identifier: MIT
/* The test of most claims: measures of up to three sources (statement.h). */
#include "extras/claims/statement.h"

#define CLOCK_HZ 4e9 /* what the texts compute with */
#define YEAR_SECONDS (365.25 * 86400)

struct measured {
	const struct claim_source *source;
	struct played played;
	struct explored explored;
};

static bool find_out(struct trial *trial, const struct claim_source *source,
		     struct measured *measured)
{
	measured->source = source;
	if (source->explored)
		return lab_explore(trial, source->explored, source->budget, &measured->explored);
	return !source->scene.row || lab_play(&source->scene, &measured->played);
}

static double objections(const struct measured *measured, enum oracle oracle)
{
	return (double)(measured->source->explored ? measured->explored.objections[oracle] :
						     measured->played.check.violations[oracle]);
}

static double of_field(const struct claim_source *source, enum measure measure)
{
	double seconds = claim_wrap_seconds(CLOCK_HZ, source->field_bits + source->cut_bits);

	return measure == WRAP_SECONDS ? seconds :
	       measure == WRAP_MS      ? 1e3 * seconds :
	       measure == WRAP_YEARS   ? seconds / YEAR_SECONDS :
					 1 / seconds;
}

static double of_scene(const struct played *played, enum measure measure)
{
	const struct check *check = &played->check;
	double events = (double)check->events;

	switch (measure) {
	case EVENTS_DECODED:
		return events;
	case WRITERS_NESTED:
		return (double)played->nested;
	case REPEATED:
		return (double)check->inexact;
	case REPEATED_PER_NESTED:
		return (double)check->inexact / (double)played->nested;
	case WORST_TICKS:
		return (double)check->worst_error;
	case WRAPS_LOST:
		return (double)check->wraps_lost;
	case EXTENDED_NEEDED:
		return (double)check->needed;
	case EXTENDED_BEYOND:
		return (double)check->extended - (double)check->needed;
	case EVENTS_STUCK:
		return (double)played->stuck;
	case READS_MOST:
		return (double)played->most_reads;
	case READS_EACH:
		return (double)played->clock_reads / events;
	case HEADER_EACH:
		return (double)check->header_bytes / events;
	case CMPXCHG_EACH:
		return (double)played->cmpxchgs / events;
	case CMPXCHG_PER_SWITCH:
		return (double)played->cmpxchgs / (double)check->subbufs;
	case SWITCHES:
		return (double)check->subbufs;
	case CUT_BITS:
		return check->desc->cut_bits;
	case GRANULE_NS:
		return 1e9 * claim_wrap_seconds(CLOCK_HZ, check->desc->cut_bits);
	default:
		return NAN;
	}
}

static double value_of(const struct measured *measured, enum measure measure)
{
	switch (measure) {
	case WRONG:
		return objections(measured, ORACLE_EXACT);
	case BACK:
		return objections(measured, ORACLE_MONOTONIC);
	case OUTSIDE:
		return objections(measured, ORACLE_WINDOW);
	case TORN:
		return objections(measured, ORACLE_STRUCTURE);
	case SCHEDULES:
		return (double)measured->explored.schedules;
	case BROKEN:
		return (double)measured->explored.broken;
	case WRAP_SECONDS ... WRAPS_PER_SECOND:
		return of_field(measured->source, measure);
	default:
		return of_scene(&measured->played, measure);
	}
}

static enum claim_verdict compare(const struct claim_statement *statement,
				  const struct measured *measured)
{
	const struct expected *one;
	double value;

	for (one = statement->expected; one < &statement->expected[EXPECTED_MAX] && one->measure;
	     one++) {
		value = value_of(&measured[one->source], one->measure);
		/* What cannot be computed is not as expected. */
		if (!(value >= one->least && value <= one->most))
			return one->otherwise;
	}
	return CLAIM_HOLDS;
}

void by_measure(struct trial *trial)
{
	const struct claim_statement *statement = trial->statement;
	static struct measured measured[SOURCES_MAX];
	double value[SHOWN_MAX] = { 0 };
	enum claim_verdict verdict;
	unsigned int i;

	for (i = 0; i < SOURCES_MAX; i++)
		if (!find_out(trial, &statement->source[i], &measured[i]))
			return;
	verdict = compare(statement, measured);
	if (verdict == CLAIM_UNTESTED)
		return;
	for (i = 0; i < SHOWN_MAX && statement->shown[i].measure; i++)
		value[i] = value_of(&measured[statement->shown[i].source],
				    statement->shown[i].measure);
	claim_say(trial, verdict, statement->figure, value[0], value[1], value[2], value[3],
		  value[4], value[5], value[6], value[7]);
}
