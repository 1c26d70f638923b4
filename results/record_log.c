// SPDX-License-Identifier: MIT
/* The growing files of a record. */
#define _GNU_SOURCE
#include "results/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/record_internal.h"

/* Taken from the disk when a run begins, so that a full disk shows before minutes of measuring. */
#define RESERVE_BYTES (64 * 1024)

int record_log_create(struct record *rec, struct record_log *log, const char *name)
{
	log->fd =
		openat(rec->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (log->fd < 0)
		return record_fail_file("create", rec->dir, name, errno);
	/* Not every file system can reserve; there, a full disk shows at the line that meets it. */
	if (fallocate(log->fd, FALLOC_FL_KEEP_SIZE, 0, RESERVE_BYTES) && errno != EOPNOTSUPP &&
	    errno != ENOSYS && errno != EINTR)
		return record_fail_file("reserve room for", rec->dir, name, errno);
	return EXIT_FINE;
}

/* Returns 0, or an errno. */
static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t written = write(fd, data, size);

		if (written < 0) {
			if (errno == EINTR)
				continue;
			return errno;
		}
		if (written == 0)
			return ENOSPC;
		data += written;
		size -= (size_t)written;
	}
	return 0;
}

/*
 * The page cache outlives the process, so what write() took survives a SIGKILL. The newline goes
 * last: a reader knows a line by it, and leaves out what has none.
 */
int record_log_append(struct record *rec, struct record_log *log, const json_t *value)
{
	const char *name = log == &rec->rows_log ? RECORD_ROWS : RECORD_PARTS;
	size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT);
	char *line = size ? malloc(size + 1) : NULL;
	int error;

	if (!line || json_dumpb(value, line, size, JSON_COMPACT) != size) {
		free(line);
		return fail_memory("the record");
	}
	line[size++] = '\n';
	error = write_all(log->fd, line, size);
	free(line);
	if (error) {
		/* If this fails too, the half line stays, and readers leave it out as torn. */
		if (ftruncate(log->fd, log->bytes))
			record_fail_file("shorten", rec->dir, name, errno);
		return record_fail_file("write", rec->dir, name, error);
	}
	log->bytes += (off_t)size;
	return EXIT_FINE;
}

int record_add_part(struct record *rec, const char *key, json_t *value)
{
	json_t *line = value ? json_pack("{s:s, s:O}", "part", key, "value", value) : NULL;
	int status =
		line ? record_log_append(rec, &rec->parts_log, line) : fail_memory("the record");

	json_decref(line);
	return status;
}
