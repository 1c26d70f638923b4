// SPDX-License-Identifier: MIT
#include "layout/ambiguous.h"

#include <math.h>

#include "base/exit.h"
#include "base/json.h"

#define BESIDE_NS 1000.0 /* a clock that an NTP daemon keeps well */

/* E[max(gap - window, 0)] of gaps that are log-uniform in [lo, hi). */
static double left_of(double lo, double hi, double window)
{
	double from = window > lo ? window : lo;

	if (from >= hi)
		return 0;
	return ((hi - from) - window * log(hi / from)) / log(hi / lo);
}

double ambiguous_share(const struct gaps *gaps, double bound_ns)
{
	double all = 0, left = 0, count, lo, hi;
	unsigned int i;

	for (i = 0; i < gaps->buckets; i++) {
		count = (double)(gaps->until[i] - (i ? gaps->until[i - 1] : 0));
		lo = (double)gaps->lo_ns[i];
		hi = (double)gaps->hi_ns[i] + 1;
		if (!gaps->lo_ns[i])
			continue; /* a gap of 0 takes no time */
		all += count * left_of(lo, hi, 0);
		left += count * left_of(lo, hi, 2 * bound_ns);
	}
	return all > 0 ? 1 - left / all : 1;
}

struct ambiguous {
	double bound_ns;
	json_t *all;
};

static int one(void *arg, const struct gaps *gaps)
{
	const struct ambiguous *ambiguous = arg;

	json_array_append_new(ambiguous->all,
			      json_pack("{s:s, s:f, s:f, s:f, s:f}", "gaps", gaps->name, "bound_ns",
					ambiguous->bound_ns, "share",
					ambiguous_share(gaps, ambiguous->bound_ns), "beside_ns",
					BESIDE_NS, "beside_share",
					ambiguous_share(gaps, BESIDE_NS)));
	return 0;
}

int ambiguous_gaps(const char *directory, double bound_ns, json_t *all)
{
	struct ambiguous ambiguous = { bound_ns, all };

	return gaps_each(directory, one, &ambiguous) ? EXIT_USAGE : 0;
}

void ambiguous_print(FILE *out, const json_t *all)
{
	const json_t *line;
	size_t index;

	if (!json_array_size(all))
		return;
	line = json_array_get(all, 0);
	fprintf(out,
		"\nof two CPUs' events merged by time, those whose order such a bound leaves open\n"
		"%-24s %10.1f ns %10.0f ns\n",
		"gaps", json_number(line, "bound_ns"), json_number(line, "beside_ns"));
	json_array_foreach(all, index, line)
		fprintf(out, "%-24s %11.4f %% %11.4f %%\n", json_text(line, "gaps"),
			100 * json_number(line, "share"), 100 * json_number(line, "beside_share"));
}
