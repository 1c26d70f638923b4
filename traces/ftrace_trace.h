/* SPDX-License-Identifier: MIT */
/*
 * A set of raw ftrace sub-buffers: a saved capture, an export of ours, or a tracefs at work.
 *
 * A directory holds one file per CPU, cpu<N>.raw, and what a kernel says of their format in tracefs
 * below events/: header_page (bytes of a sub-buffer) and header_event (bits of time_delta). Single
 * files are cpu<N>.raw, any other file of sub-buffers, or a trace_pipe_raw, which is read until it
 * has no more for now; their format is looked for beside them and where tracefs has it.
 */
#pragma once

#include "traces/ftrace_read.h"

struct ftrace_format {
	uint32_t subbuf_bytes;
	uint32_t stamp_bits;
};

#define FTRACE_FORMAT_KERNEL ((struct ftrace_format){ .subbuf_bytes = 4096, .stamp_bits = 27 })

/* Who looks at decoded events. */
struct ftrace_visitor {
	/* `count` events of the sub-buffer on which `reader` stands; may be NULL. */
	void (*events)(void *arg, const struct ftrace_reader *reader,
		       const struct trace_event *batch, uint32_t count);
	void *arg;
};

/*
 * Fills `format` from header_page and header_event in `dir`, as far as they are there. An exit
 * code, after a line on stderr, if they are there and say something that is not read here.
 */
int ftrace_format_read(const char *dir, struct ftrace_format *format);

/* Writes them, as tracefs would. Negative errno. */
int ftrace_format_write(int dirfd, const struct ftrace_format *format);

/*
 * Reads all of `path`, a file. `reader` has its counts and perhaps a fault afterwards. An exit
 * code, after a line on stderr, if the file cannot be read at all.
 */
int ftrace_read_file(const char *path, const struct ftrace_format *format,
		     struct ftrace_reader *reader, const struct ftrace_visitor *visitor);

/* Paths of cpu<N>.raw in `dir` by N; NULL-ended, to be freed with ftrace_free_files(). */
char **ftrace_list_files(const char *dir);
void ftrace_free_files(char **paths);
