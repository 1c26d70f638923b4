// SPDX-License-Identifier: MIT
/* Tests of claims that take more than measures of a source: a search for the worst, or the record.
 */
#include <math.h>
#include <string.h>

#include "extras/claims/statement.h"
#include "judge/driver.h"

/* ---- arithmetic ---- */

void cut_low(struct trial *trial)
{
	int printed = __builtin_ctz(800) - 1;
	unsigned int meant = bits_last_set(800) - 1;

	claim_say(trial,
		  printed == 9 ? CLAIM_HOLDS :
		  meant == 9   ? CLAIM_CONDITION :
				 CLAIM_REFUTED,
		  "%d as printed, %u with the highest set bit for the first", printed, meant);
}

void printed_shift(struct trial *trial)
{
	uint64_t last = 1ull << 20, now, wraps;

	for (wraps = 1; wraps < 1 << 20; wraps++) {
		now = last + (wraps << 27);
		if ((uint32_t)(now >> (64 - 27)) - (uint32_t)(last >> (64 - 27)))
			break;
	}
	claim_say(trial, claim_judge(wraps == 1),
		  "%" PRIu64 " wraps go by unseen, %.1f s at 4 GHz; >> 27 is meant", wraps - 1,
		  (double)(wraps - 1) * 0x1p27 / 4e9);
}

void ids_of_5_bits(struct trial *trial)
{
	const struct driver *row = driver_find(drivers_counting, "extended_header");
	const struct driver *fourth = driver_find(drivers_counting, "three_read");
	int ids = (1 << 5) - 3;

	if (row && fourth)
		claim_say(trial, claim_judge(ids == 29 && row->compact_ids == 29),
			  "%u in the code that writes extended_header's headers, %d by arithmetic; "
			  "%u "
			  "in three_read's, whose stamp event is a fourth escape",
			  row->compact_ids, ids, fourth->compact_ids);
}

void ids_with_an_event(struct trial *trial)
{
	int with_flag = 1 << 4, with_event = (1 << 5) - 1;

	claim_say(trial, claim_judge(with_event == 31 && with_flag == 16), "%d and %d", with_event,
		  with_flag);
}

void ids_reserved(struct trial *trial)
{
	int highest = (1 << 4) - 1;

	claim_say(trial, claim_judge(highest >= 16), "4 bits end at %d: #%d and #%d are meant",
		  highest, highest, highest - 1);
}

/* ---- the virtual clock ---- */

void beat_bytes(struct trial *trial)
{
	struct scene scene = {
		.row = "heartbeat", .events = 1, .gap = 100u * 100000, .beat_every = 100000
	};
	struct played whole, compact;
	double bytes[2];

	if (!lab_play(&scene, &whole))
		return;
	scene.row = "heartbeat_compact";
	if (!lab_play(&scene, &compact) || !whole.beats || !compact.beats)
		return;
	/* 8 bytes of payload, as a timed event has. */
	bytes[0] = (double)whole.check.header_bytes / (double)whole.check.events + 8;
	bytes[1] = (double)compact.check.header_bytes / (double)compact.check.events + 8;
	claim_say(trial, claim_judge(100 * bytes[0] <= 3200),
		  "%.1f kB/s with events of %.0f bytes here, %.1f kB/s with compact ones of %.0f; "
		  "3.2 "
		  "with 32",
		  bytes[0] / 10, bytes[0], bytes[1] / 10, bytes[1]);
}

void three_jiffies(struct trial *trial)
{
	struct scene scene = { .row = "heartbeat_compact", .events = 400 };
	struct played played;
	double delay_ms;

	for (delay_ms = 0; delay_ms <= 10; delay_ms += 0.5) {
		scene.beat_every = (uint64_t)((30 + delay_ms) * 4e6);
		scene.gap = scene.beat_every + 1;
		if (!lab_play(&scene, &played))
			return;
		if (played_wrong(&played))
			break;
	}
	claim_say(trial, claim_judge(delay_ms <= 10),
		  "a delay of %.1f ms is the first that loses "
		  "wraps (%" PRIu64 " of %" PRIu64 " stamps); %.2f ms are left by the arithmetic",
		  delay_ms, played_wrong(&played), played.check.events,
		  1e3 * claim_wrap_seconds(4e9, 27) - 30);
}

void sync_bytes(struct trial *trial)
{
	struct scene scene = { .row = "delta_sync_soft", .events = 300 };
	double worst = 0, rate = 0, seconds, extra;
	struct played played;
	uint64_t us;

	for (us = 1000; us <= 1000000; us += us < 40000 ? 500 : 20000) {
		scene.gap = us * 4000;
		if (!lab_play(&scene, &played))
			return;
		seconds = (double)us * 1e-6 * (double)scene.events;
		extra = (double)played.check.header_bytes - 4.0 * (double)played.check.events;
		if (extra / seconds > worst) {
			worst = extra / seconds;
			rate = 1e6 / (double)us;
		}
	}
	claim_say(trial, claim_judge(worst > 0 && worst <= 240),
		  "%.0f bytes per second at the worst "
		  "rate, %.1f events per second",
		  worst, rate);
}

void four_bytes_saved(struct trial *trial)
{
	static const char *const rows[] = { "heartbeat", "delta_sync_soft", "heartbeat",
					    "extended_header_aligned" };
	struct scene scene = { .row = NULL };
	struct played played;
	double bytes[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		scene.row = rows[i];
		if (!lab_play(&scene, &played))
			return;
		bytes[i] = (double)(played.check.header_bytes + played.check.alignment_bytes) /
			   (double)played.check.events;
	}
	claim_say(
		trial,
		bytes[0] - bytes[1] < 3.99 ? CLAIM_REFUTED :
		bytes[2] - bytes[3] < 3.99 ? CLAIM_CONDITION :
					     CLAIM_HOLDS,
		"packed: %.1f of %.1f bytes saved; with payloads aligned to 8 bytes: %.1f of %.1f",
		bytes[0] - bytes[1], bytes[0], bytes[2] - bytes[3], bytes[2]);
}

void eight_bytes_more(struct trial *trial)
{
	struct scene scene = { .row = "delta_sync_soft", .events = 1000 };
	struct played calm, apart;
	double more;

	if (!lab_play(&scene, &calm))
		return;
	scene.gap = 1ull << 28;
	if (!lab_play(&scene, &apart) || !apart.check.extended)
		return;
	more = ((double)apart.check.header_bytes - (double)calm.check.header_bytes) /
	       (double)apart.check.extended;
	claim_say(trial, claim_judge(fabs(more - 8) < 0.01), "%.2f bytes per gap, %" PRIu64 " gaps",
		  more, apart.check.extended);
}

void no_heartbeat(struct trial *trial)
{
	struct scene scene = { .row = "extended_header", .events = 200 };
	uint64_t wrong = 0, events = 0, wraps;
	struct played played;

	for (wraps = 0; wraps <= 40; wraps++) {
		scene.gap = (wraps << 27) + (9ull << 27) / 10;
		if (!lab_play(&scene, &played))
			return;
		wrong += played_wrong(&played);
		events += played.check.events;
	}
	claim_say(trial, claim_judge(!wrong), "%" PRIu64 " of %" PRIu64 " stamps wrong", wrong,
		  events);
}

void eighteen_years(struct trial *trial)
{
	const struct scene scene = { .row = "nested_stamps_absolute",
				     .now = (1ull << 59) - 2000,
				     .events = 2000 };
	double years = 0x1p59 / 1e9 / (365.25 * 86400);
	struct played played;

	if (lab_play(&scene, &played))
		claim_say(trial,
			  fabs(years - 18) > 0.5 ? CLAIM_REFUTED :
			  played_wrong(&played)	 ? CLAIM_HOLDS :
						   CLAIM_CONDITION,
			  "%.2f years in ns, %.1f in ticks of 4 GHz; %" PRIu64 " of %" PRIu64
			  " stamps wrong across it where the reader takes the rest from the page",
			  years, years / 4, played_wrong(&played), played.check.events);
}

/* ---- the record of a run ---- */

#define EMPTY_LOOP "loop" /* as a row in it: the harness alone */

void eight_seconds(struct trial *trial)
{
	const json_t *rates = json_object_get(trial->lab->record, "bytes_by_rate");
	double hz = json_number_value(json_object_get(json_array_get(rates, 0), "tsc_hz"));

	if (hz > 0)
		claim_say(trial, claim_wrap_seconds(hz, 32) > 6 ? CLAIM_HOLDS : CLAIM_CONDITION,
			  "%.2f s with this clock of %.3f GHz; 8 s take one of %.0f MHz",
			  claim_wrap_seconds(hz, 32), hz / 1e9, ldexp(1, 32) / 8 / 1e6);
}

void two_hundred_ns(struct trial *trial)
{
	double ns = lab_median(trial->lab, "full_tsc", "ns");
	double ticks = lab_median(trial->lab, "full_tsc", "ticks");

	if (ns > 0)
		claim_say(trial, claim_judge(fabs(ns - 200) < 50),
			  "%.1f ns, %.0f ticks, with an "
			  "inlined probe of 8 bytes on this machine",
			  ns, ticks);
}

void never_one_cycle(struct trial *trial)
{
	double least = INFINITY;
	const json_t *one;
	const char *row;
	size_t i;

	json_array_foreach(json_object_get(trial->lab->record, "benchmarks"), i, one) {
		row = json_string_value(json_object_get(one, "row"));
		if (row && strcmp(row, EMPTY_LOOP) && json_is_number(json_object_get(one, "ticks")))
			least = fmin(least, json_number_value(json_object_get(one, "ticks")));
	}
	if (isfinite(least))
		claim_say(trial, claim_judge(least > 1), "%.1f ticks, with no stamp at all", least);
}

/* Are whole stamps beyond the needed ones rare in the storm of this run? */
static void race_is_rare(struct trial *trial, const char *row)
{
	double events = lab_line(trial->lab, "stress", row, "storm", "events");
	double extended = lab_line(trial->lab, "stress", row, "storm", "extended");
	double needed = lab_line(trial->lab, "stress", row, "storm", "needed");

	if (events > 0)
		claim_say(trial, claim_judge((extended - needed) / events < 1e-3),
			  "%.1f per million of %.0f events under signals on three levels",
			  1e6 * (extended - needed) / events, events);
}

void unlikely_race(struct trial *trial)
{
	race_is_rare(trial, "extended_header");
}

void low_bits_race(struct trial *trial)
{
	race_is_rare(trial, "low_bits_2024");
}

void fewer_instructions(struct trial *trial)
{
	double before = lab_line(trial->lab, "table", "nested_stamps", "steady", "instructions");
	double after = lab_line(trial->lab, "table", "low_bits_2024", "steady", "instructions");

	if (before > 0 && after > 0)
		claim_say(trial, claim_judge(after < before),
			  "%.1f instructions per event in place of %.1f, slow paths included",
			  after, before);
}

#define TRACY_NS 2.25 /* of a zone, which is two events */

void zone_of_tracy(struct trial *trial)
{
	double clock = lab_median(trial->lab, CELL_CLOCK, "ns");

	if (clock > 0)
		claim_say(trial, claim_judge(2 * clock <= TRACY_NS),
			  "two clock reads alone take %.2f ns on this machine", 2 * clock);
}

/* More than this is detrimental. */
#define SLOWER 1.02

static enum claim_verdict slower(const struct stats_interval *ratio)
{
	return ratio->low > SLOWER  ? CLAIM_HOLDS :
	       ratio->high < SLOWER ? CLAIM_REFUTED :
				      CLAIM_NOISY;
}

/* "Not slower" is claimed by the one that holds where the other is refuted. */
static enum claim_verdict opposite(enum claim_verdict verdict)
{
	return verdict == CLAIM_HOLDS	? CLAIM_REFUTED :
	       verdict == CLAIM_REFUTED ? CLAIM_HOLDS :
					  verdict;
}

/* By this machine's clock, and by one that costs next to nothing: is `row` slower than `base`? */
static void row_is_slower(struct trial *trial, const char *row, const char *base, bool claimed)
{
	struct stats_interval ratio = lab_ratio(trial->lab, row, base);
	struct stats_interval cheap = lab_cheap_ratio(trial->lab, row, base);
	enum claim_verdict by_real, by_cheap;

	if (!isfinite(ratio.low))
		return;
	by_real = by_cheap = claimed ? slower(&ratio) : opposite(slower(&ratio));
	if (isfinite(cheap.low))
		by_cheap = claimed ? slower(&cheap) : opposite(slower(&cheap));
	claim_say(trial, by_real == by_cheap ? by_real : CLAIM_CONDITION,
		  "%.3f times the time (95 %%: %.3f to %.3f) on this machine, in user space; ",
		  ratio.middle, ratio.low, ratio.high);
	if (isfinite(cheap.low))
		claim_add(trial, "with a clock that hides nothing %.3f (%.3f to %.3f)%s",
			  cheap.middle, cheap.low, cheap.high,
			  by_real == by_cheap	  ? "" :
			  by_cheap == CLAIM_HOLDS ? ": it holds where the clock is cheap" :
						    ": one of the two disagrees");
	else
		claim_add(trial, "not timed with a cheap clock in this run");
}

void cmpxchg_is_slow(struct trial *trial)
{
	row_is_slower(trial, "nested_stamps_cmpxchg", "nested_stamps", true);
}

void retry_is_not_slow(struct trial *trial)
{
	row_is_slower(trial, "nested_retry", "nested_stamps", false);
}
