// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "base/fail.h"
#include "traces/lint_formats.h"

#define LOST_MOST (UINT64_C(1) << 40)

struct lint_subbufs {
	struct lint *lint;
	uint32_t stream;
	uint64_t subbufs; /* that have begun */
};

/* Why what a sub-buffer says of lost events cannot be right; NULL: it can. */
static const char *wrong_loss(uint64_t commit, uint64_t lost, bool has_room)
{
	if (!(commit & FTRACE_COMMIT_COUNT))
		return NULL;
	if (!(commit & FTRACE_COMMIT_LOST))
		return "a count of lost events, though none are said to be lost";
	if (!has_room)
		return "a count of lost events, though there is no room for one";
	return !lost || lost > LOST_MOST ? "lost events cannot be as many as" : NULL;
}

static void begin_subbuf(struct lint_subbufs *to, const struct ftrace_reader *reader)
{
	uint64_t commit = ftrace_commit(reader->subbuf), lost = 0;
	uint64_t used = FTRACE_HEADER_BYTES + (commit & FTRACE_COMMIT_MASK);
	bool has_room = used + sizeof(lost) <= reader->subbuf_bytes;

	if (commit & FTRACE_COMMIT_COUNT && has_room)
		memcpy(&lost, reader->subbuf + used, sizeof(lost));
	to->lint->uncounted += commit & FTRACE_COMMIT_LOST && !(commit & FTRACE_COMMIT_COUNT);
	lint_packet_begin(to->lint, to->stream, reader->offset, true,
			  (int64_t)get_u64(reader->subbuf)); /* the begin stamp */
	lint_loss(to->lint, to->stream, reader->offset, lost, wrong_loss(commit, lost, has_room));
	to->subbufs = reader->counts.subbufs;
}

static void take_events(void *arg, const struct ftrace_reader *reader,
			const struct trace_event *batch, uint32_t count)
{
	struct lint_subbufs *to = arg;
	uint32_t i;

	if (to->subbufs != reader->counts.subbufs)
		begin_subbuf(to, reader);
	for (i = 0; i < count; i++) {
		const struct lint_event event = {
			.stream = to->stream,
			.time = (int64_t)batch[i].time,
			.place = reader->offset + (uint64_t)(batch[i].payload - reader->subbuf) -
				 batch[i].header_bytes,
		};

		lint_event(to->lint, &event);
	}
}

int lint_ftrace(struct lint *lint, const char *path, const struct ftrace_format *format)
{
	struct lint_subbufs to = { .lint = lint };
	const struct ftrace_visitor visitor = { .events = take_events, .arg = &to };
	struct ftrace_reader reader;
	int error;

	lint->bits = format->stamp_bits;
	to.stream = lint_stream(lint, lint->count, "%s", path);
	error = ftrace_read_file(path, format, &reader, &visitor);
	if (!error)
		lint_damage(lint, path, &reader.fault);
	return error;
}
