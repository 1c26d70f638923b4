// SPDX-License-Identifier: MIT
/* The growing files of a record, and how a killed run's are taken up again. */
#define _GNU_SOURCE
#include "results/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static int take_lines(struct record *rec, struct record_log *log, const char *name, FILE *in,
		      record_taker take)
{
	char *line = NULL, why[256];
	size_t room = 0, number = 0;
	ssize_t size;
	int status = EXIT_FINE;

	while (!status && (size = getline(&line, &room, in)) > 0 && line[size - 1] == '\n') {
		json_t *value = json_loadb(line, (size_t)size, JSON_REJECT_DUPLICATES, NULL);

		number++;
		snprintf(why, sizeof(why), "not JSON");
		if (!value || !take(rec, value, why, sizeof(why)))
			status = fail_with(EXIT_USAGE,
					   "%s/%s: line %zu: %s; remove that run, or start anew",
					   rec->dir, name, number, why);
		json_decref(value);
		log->bytes += size;
	}
	free(line);
	return status;
}

int record_log_reopen(struct record *rec, struct record_log *log, const char *name,
		      record_taker take)
{
	int copy, status;
	FILE *in;

	log->fd = openat(rec->dir_fd, name, O_RDWR | O_APPEND | O_CLOEXEC);
	if (log->fd < 0)
		return record_fail_file("open", rec->dir, name, errno);
	copy = fcntl(log->fd, F_DUPFD_CLOEXEC, 0);
	in = copy < 0 ? NULL : fdopen(copy, "r");
	if (!in) {
		status = record_fail_file("read", rec->dir, name, errno);
		if (copy >= 0)
			close(copy);
		return status;
	}
	status = take_lines(rec, log, name, in, take);
	fclose(in);
	if (!status && ftruncate(log->fd, log->bytes))
		return record_fail_file("shorten", rec->dir, name, errno);
	return status;
}

bool record_take_row(struct record *rec, json_t *line, char *why, size_t size)
{
	if (!record_check_row(line, why, size))
		return false;
	snprintf(why, size, "out of memory");
	return !json_array_append(rec->rows, line);
}

bool record_take_part(struct record *rec, json_t *line, char *why, size_t size)
{
	const char *key = json_string_value(json_object_get(line, "part"));
	json_t *value = json_object_get(line, "value");

	snprintf(why, size, "a part must have a name and a value");
	return key && value && !json_object_set(rec->parts, key, value);
}

int record_add_part(struct record *rec, const char *key, json_t *value)
{
	json_t *copy = value ? json_deep_copy(value) : NULL;
	json_t *line = copy ? json_pack("{s:s, s:O}", "part", key, "value", copy) : NULL;
	int status =
		line ? record_log_append(rec, &rec->parts_log, line) : fail_memory("the record");

	if (!status && json_object_set(rec->parts, key, copy))
		status = fail_memory("the record");
	json_decref(line);
	json_decref(copy);
	return status;
}

const json_t *record_part(const struct record *rec, const char *key)
{
	return json_object_get(rec->parts, key);
}

/* Is it a run's directory with parts in it? The link latest names a finished one. */
static bool is_unfinished(const struct record *rec, const char *name)
{
	char path[NAME_MAX + sizeof(RECORD_PARTS) + 1];
	struct stat st;

	if (name[0] == '.' || fstatat(rec->root_fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "%s/" RECORD_PARTS, name);
	/* Killed right behind its beginning, it has none yet, and another one is just as good. */
	return !fstatat(rec->root_fd, path, &st, AT_SYMLINK_NOFOLLOW) && st.st_size > 0;
}

int record_find_unfinished(struct record *rec)
{
	int fd = fcntl(rec->root_fd, F_DUPFD_CLOEXEC, 0);
	DIR *root = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char *newest = NULL;

	if (!root)
		return record_fail_file("read", rec->root, ".", errno);
	rewinddir(root);
	/* Names begin with the date: the greatest is the newest, of one second's by number. */
	while ((entry = readdir(root)))
		if (is_unfinished(rec, entry->d_name) &&
		    (!newest || strverscmp(entry->d_name, newest) > 0)) {
			free(newest);
			newest = strdup(entry->d_name);
		}
	closedir(root);
	if (!newest)
		return fail_with(EXIT_USAGE, "no unfinished run in %s; start one without --resume",
				 rec->root);
	rec->name = newest;
	return EXIT_FINE;
}
