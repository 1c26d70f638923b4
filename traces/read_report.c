// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "base/fail.h"
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
