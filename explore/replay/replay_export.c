// SPDX-License-Identifier: MIT
#include "explore/replay/replay_export.h"

#include <stdio.h>

#include "base/fail.h"
#include "judge/export.h"
#include "base/options.h"
#include "explore/replay/replay.h"

struct recording {
	struct buffer buffer; /* the world's ring, as exports want it */
	struct export export;
	int status;
};

/* Sub-buffers that were just read and not yet written again. */
static void record_read(void *arg, uint64_t first, uint64_t last)
{
	struct recording *recording = arg;

	if (!recording->status)
		recording->status =
			export_subbufs(&recording->export, &recording->buffer, first, last);
}

int replay_export(const char *dir, bool ctf2, const struct search *search,
		  const struct action *action, unsigned int actions)
{
	static struct replay replay;
	struct recording recording = {
		.buffer = {
			.driver = world_row.driver,
			.scheme = world_ring(),
			.config = world_row.config,
		},
	};
	const struct replay_tap tap = { .read = record_read, .arg = &recording };
	bool ftrace = world_row.driver->format.kind == FORMAT_FTRACE;

	recording.status = export_begin(&recording.export, dir, &recording.buffer);
	if (recording.status)
		return recording.status;
	if (!replay_run(search, action, actions, &replay, &tap)) {
		export_abort(&recording.export);
		fail_line("--export: this schedule does not fit");
		return EXIT_USAGE;
	}
	if (ctf2)
		export_as_ctf2(&recording.export);
	recording.status = export_end(&recording.export);
	if (recording.status)
		return recording.status;
	printf("  exported to %s: %s\n", dir,
	       ftrace ? "ftrace sub-buffers" :
	       ctf2   ? "CTF 2" :
			"CTF 1.8");
	if (ftrace && world_row.config.stamp_bits != 27)
		printf("  its deltas have %u bits, which only read-trace reads: others want 27\n",
		       world_row.config.stamp_bits);
	return EXIT_FINE;
}

int replay_export_omit(const struct driver **rows, int count, bool ctf2)
{
	int kept = 0, i;

	for (i = 0; i < count; i++)
		if (!export_refused(rows[i], ctf2))
			rows[kept++] = rows[i];
	return kept;
}
