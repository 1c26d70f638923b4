// SPDX-License-Identifier: MIT
#include "traces/ftrace_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/options.h"

/* ---- what tracefs says of the format ---- */

/* The text of dir/name in `text`; false if there is none. */
static bool small_text(const char *dir, const char *name, char *text, size_t room)
{
	char path[PATH_MAX];
	size_t bytes;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return false;
	file = fopen(path, "r");
	if (!file)
		return false;
	bytes = fread(text, 1, room - 1, file);
	text[bytes] = '\0';
	fclose(file);
	return true;
}

static int refuse(const char *dir, const char *name, const char *why)
{
	return fail_with(EXIT_USAGE, "%s/%s: %s", dir, name, why);
}

/* The field `name` of header_page: its offset and size. */
static bool page_field(const char *text, const char *name, uint32_t *offset, uint32_t *size)
{
	const char *at = strstr(text, name);

	return at &&
	       sscanf(at + strlen(name), "; offset:%" SCNu32 "; size:%" SCNu32, offset, size) == 2;
}

int ftrace_format_read(const char *dir, struct ftrace_format *format)
{
	uint32_t offset, size, bits;
	char text[4096];
	const char *at;

	if (small_text(dir, "header_page", text, sizeof(text))) {
		if (!page_field(text, " commit", &offset, &size) || offset != 8 || size != 8)
			return refuse(dir, "header_page",
				      "commit is not 8 bytes at offset 8: only sub-buffers of "
				      "64-bit kernels are read");
		if (!page_field(text, " data", &offset, &size) || offset != FTRACE_HEADER_BYTES ||
		    size > FTRACE_SUBBUF_MOST - FTRACE_HEADER_BYTES ||
		    size < FTRACE_SUBBUF_LEAST - FTRACE_HEADER_BYTES || size % 8)
			return refuse(dir, "header_page",
				      "no data field of 48 bytes to 1 MiB at 16");
		format->subbuf_bytes = offset + size;
	}
	if (small_text(dir, "header_event", text, sizeof(text))) {
		at = strstr(text, "time_delta");
		if (!at || sscanf(at, "time_delta : %" SCNu32 " bits", &bits) != 1 || bits < 1 ||
		    bits > 27)
			return refuse(dir, "header_event", "no time_delta of 1 to 27 bits");
		format->stamp_bits = bits;
	}
	return 0;
}

static int put_text(FILE *out, void *text)
{
	return fputs(text, out) == EOF;
}

int ftrace_format_write(int dirfd, const struct ftrace_format *format)
{
	char text[1024];
	int error;

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: char data;\toffset:16;\tsize:%" PRIu32 ";\tsigned:0;\n",
		 format->subbuf_bytes - FTRACE_HEADER_BYTES);
	error = -file_put_new(dirfd, "header_page", put_text, text);
	if (error)
		return error;
	snprintf(text, sizeof(text),
		 "# compressed entry header\n\ttype_len    :    5 bits\n"
		 "\ttime_delta  :   %" PRIu32 " bits\n\tarray       :   32 bits\n\n"
		 "\tpadding     : type == 29\n\ttime_extend : type == 30\n"
		 "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n",
		 format->stamp_bits);
	return -file_put_new(dirfd, "header_event", put_text, text);
}

/* ---- reading ---- */

/* All events of one sub-buffer. False: a fault. */
static bool read_subbuf(struct ftrace_reader *reader, const uint8_t *subbuf, uint64_t offset,
			const struct ftrace_visitor *visitor)
{
	struct trace_event batch[TRACE_BATCH];
	uint32_t count, i;

	if (!ftrace_subbuf_open(reader, subbuf, offset))
		return false;
	while ((count = ftrace_batch(reader, batch))) {
		for (i = 0; i < count; i++)
			reader->counts.payload_bytes += batch[i].payload_bytes;
		if (visitor->events)
			visitor->events(visitor->arg, reader, batch, count);
	}
	return !reader->fault.set;
}

int ftrace_read_file(const char *path, const struct ftrace_format *format,
		     struct ftrace_reader *reader, const struct ftrace_visitor *visitor)
{
	struct stat stat_now;
	/* Files of tracefs are regular, have no bytes, and would wait for more for ever. */
	bool wait = stat(path, &stat_now) || !S_ISREG(stat_now.st_mode) || stat_now.st_size;
	int fd = open(path, O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK)), error = 0;
	uint64_t offset = 0, size = format->subbuf_bytes, have = 0;
	uint8_t *subbuf = malloc(size);
	ssize_t got = 0;

	ftrace_reader_init(reader, format->subbuf_bytes, format->stamp_bits);
	if (fd < 0 || !subbuf)
		error = errno ? errno : ENOMEM;
	while (!error && (got = read(fd, subbuf + have, size - have)) > 0) {
		have += (uint64_t)got;
		if (have < size)
			continue;
		if (!read_subbuf(reader, subbuf, offset, visitor))
			break;
		offset += size;
		have = 0;
	}
	if (!error && got < 0 && errno != EAGAIN)
		error = errno;
	if (!error && have && !reader->fault.set)
		trace_fault(&reader->fault, offset,
			    "truncated: %" PRIu64 " of the %" PRIu32 " bytes of a sub-buffer", have,
			    reader->subbuf_bytes);
	if (error)
		fail_line("cannot read %s: %s", path, strerror(error));
	free(subbuf);
	if (fd >= 0)
		close(fd);
	return error ? EXIT_USAGE : 0;
}

/* ---- a directory ---- */

static int is_cpu(const struct dirent *entry)
{
	unsigned int cpu;
	int end = 0;

	return sscanf(entry->d_name, "cpu%u.raw%n", &cpu, &end) == 1 && end && !entry->d_name[end];
}

char **ftrace_list_files(const char *dir)
{
	struct dirent **entries = NULL;
	int count = scandir(dir, &entries, is_cpu, versionsort), i;
	char **paths = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof(*paths));

	for (i = 0; i < count; i++) {
		if (!paths || asprintf(&paths[i], "%s/%s", dir, entries[i]->d_name) < 0)
			end_memory("the files of a trace");
		free(entries[i]);
	}
	free(entries);
	return paths;
}

void ftrace_free_files(char **paths)
{
	char **path;

	for (path = paths; path && *path; path++)
		free(*path);
	free(paths);
}
