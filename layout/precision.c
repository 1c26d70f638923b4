// SPDX-License-Identifier: MIT
#include "layout/precision.h"

#include <string.h>

#include "judge/buffer.h"
#include "base/options.h"

#define BATCH_EVENTS 10000

void precision_add(struct precision *precision, uint64_t previous, uint64_t stamp)
{
	unsigned int cut;

	precision->pairs++;
	for (cut = 0; cut < PRECISION_CUTS; cut++)
		precision->ties[cut] += stamp >> cut == previous >> cut;
}

double precision_ties_per_million(const struct precision *precision, unsigned int cut_bits)
{
	if (!precision->pairs)
		return 0;
	return 1e6 * (double)precision->ties[cut_bits] / (double)precision->pairs;
}

void precision_recorded(const struct gaps *gaps, double hz, uint64_t events, uint64_t seed,
			struct precision *precision)
{
	uint64_t i, stamp = 0, next;
	double at = 0;

	*precision = (struct precision){ .pairs = 0 };
	for (i = 0; i < events; i++) {
		/* Parts of ticks add up: 2^53 ticks are weeks. */
		at += gaps_sample_ns(gaps, &seed) * hz / 1e9;
		next = (uint64_t)at;
		precision_add(precision, stamp, next);
		stamp = next;
	}
}

struct walked {
	struct precision *precision;
	uint64_t previous;
	bool any;
};

static void each(void *arg, const struct event *event)
{
	struct walked *walked = arg;

	if (walked->any)
		precision_add(walked->precision, walked->previous, event->time);
	walked->previous = event->time;
	walked->any = true;
}

int precision_back_to_back(const struct driver *driver, uint64_t events,
			   struct precision *precision)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct walked walked = { .precision = precision };
	struct buffer buffer;

	*precision = (struct precision){ .pairs = 0 };
	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	while (precision->pairs < events) {
		driver->run(buffer.scheme, &buffer.writer, BATCH_EVENTS);
		driver->flush(buffer.scheme);
		/* Nothing was recorded while the batch before was read. */
		walked.any = false;
		driver->walk(buffer.scheme, each, &walked);
	}
	buffer_close(&buffer);
	return 0;
}

json_t *precision_json(const char *gaps, double hz, const struct precision *precision)
{
	json_t *ties = json_array();
	unsigned int cut;

	for (cut = 0; cut < PRECISION_CUTS; cut++)
		json_array_append_new(ties, json_real(precision_ties_per_million(precision, cut)));
	return json_pack("{s:s, s:f, s:I, s:o}", "gaps", gaps, "tsc_hz", hz, "pairs",
			 (json_int_t)precision->pairs, "ties_per_million", ties);
}
