/* SPDX-License-Identifier: MIT */
/* What readers of all formats share: a file in memory, decoded events, faults with their offset. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Events decoded at a time. */
#define TRACE_BATCH 256

struct trace_event {
	uint64_t time; /* ticks of the trace's clock */
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t header_bytes; /* directly before the payload; times and padding before it apart */
	uint32_t id; /* 0 in ftrace sub-buffers: the payload says what it is */
};

#define TRACE_NOWHERE UINT64_MAX

/* The first thing that is wrong with what was read. */
struct trace_fault {
	bool set;
	uint64_t offset; /* bytes from the file's beginning; or TRACE_NOWHERE */
	char text[400];
};

/* Keeps the fault if it is the first; always false. */
bool trace_fault(struct trace_fault *fault, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A whole file, mapped. What was read is given back to the kernel, so that memory stays bounded. */
struct trace_file {
	char *path;
	const uint8_t *bytes;
	uint64_t size;
	uint64_t released; /* bytes below are no longer needed */
};

/* An exit code, after a line on stderr. An empty file has no bytes, and is no error here. */
int trace_file_open(struct trace_file *file, const char *path);

/* The same of an open file, which stays open; `path` is its name. */
int trace_file_map(struct trace_file *file, int fd, const char *path);

void trace_file_close(struct trace_file *file);

/* Everything below `offset` has been read. */
void trace_file_release(struct trace_file *file, uint64_t offset);

/*
 * A file that becomes shorter while it is mapped kills its reader with SIGBUS: makes that one line
 * on stderr and exit code 1.
 */
void trace_file_catch_truncation(void);
