// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "base/fail.h"
#include "base/wall.h"
#include "traces/read_trace.h"

void read_report(struct read_sum *sum, const char *path, const struct trace_fault *fault,
		 const struct trace_fault *backward, uint64_t events, uint64_t packets,
		 const char *packets_name)
{
	if (backward->set) {
		fail_line("%s: offset %" PRIu64 ": %s", path, backward->offset, backward->text);
		sum->faulty = true;
	}
	if (fault->set) {
		fail_line("%s: offset %" PRIu64 ": %s; read before it: %" PRIu64
			  " events in %" PRIu64 " %s",
			  path, fault->offset, fault->text, events, packets, packets_name);
		sum->faulty = true;
	}
}

void read_dates_add(struct read_dates *dates, uint64_t realtime_ns)
{
	if (!dates->any || realtime_ns < dates->first_ns)
		dates->first_ns = realtime_ns;
	if (!dates->any || realtime_ns > dates->last_ns)
		dates->last_ns = realtime_ns;
	dates->any = true;
}

void read_dates_print(FILE *out, const struct read_dates *dates)
{
	char first[WALL_DATE_BYTES], last[WALL_DATE_BYTES];

	if (dates->any)
		fprintf(out, "  from %s to %s\n", wall_date(dates->first_ns, first),
			wall_date(dates->last_ns, last));
}

void gap_histogram_merge(struct gap_histogram *sum, const struct gap_histogram *one)
{
	unsigned int i;

	for (i = 0; i < GAP_HISTOGRAM_BUCKETS; i++)
		sum->bucket[i] += one->bucket[i];
}

void gap_histogram_print(FILE *text, const struct gap_histogram *gaps)
{
	unsigned int i;

	fputs("log2_bucket,lo_ns,hi_ns,count\n", text);
	for (i = 0; i < GAP_HISTOGRAM_BUCKETS; i++)
		if (gaps->bucket[i])
			fprintf(text, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i,
				i ? UINT64_C(1) << (i - 1) : 0, bits_mask(i), gaps->bucket[i]);
}
