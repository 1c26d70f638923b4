// SPDX-License-Identifier: MIT
/* Writing a run's record; plots/record.py reads it back. record.h says what is promised. */
#define _GNU_SOURCE
#include "results/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

#define LOCK_FILE ".lock"
#define LATEST_LINK "latest"
#define LATEST_TEMP ".latest.tmp"
#define NAME_BYTES_MAX 64
/* Taken from the disk when a run begins, so that a full disk shows before minutes of measuring. */
#define RESERVE_BYTES (64 * 1024)

struct record {
	char *root;
	char *name; /* of the directory, inside root */
	char *dir; /* root/name */
	int root_fd;
	int lock_fd;
	int dir_fd;
	int rows_fd;
	off_t rows_bytes; /* of rows.jsonl, up to the end of its last whole line */
	json_t *rows;
	json_t *sections;
};

/* True if name is 1 to NAME_BYTES_MAX of [A-Za-z0-9._-], and neither hidden nor like an option. */
static bool plain_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_BYTES_MAX && name[0] != '.' && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       len;
}

/* As fail_file(), with errno. */
static int fail_at(const char *what, const char *dir, const char *name)
{
	int error = errno;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fail_file(what, path, error);
}

/*
 * flock() and not a pid file: the kernel drops it with the process, so a killed run blocks nobody.
 * Closed on exec, so a cell that outlives the run does not hold it either.
 */
static int lock_root(struct record *rec)
{
	if (mkdir(rec->root, 0777) && errno == ENOENT)
		return fail_with(EXIT_RESOURCE,
				 "cannot create %s: %s; create its parent directory first",
				 rec->root, strerror(errno));
	rec->root_fd = open(rec->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rec->root_fd < 0)
		return errno == ENOTDIR ?
			       fail_with(EXIT_RESOURCE,
					 "%s is a file; move it away, or give a directory",
					 rec->root) :
			       fail_file("open", rec->root, errno);
	rec->lock_fd = openat(rec->root_fd, LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (rec->lock_fd < 0)
		return fail_at("open", rec->root, LOCK_FILE);
	if (!flock(rec->lock_fd, LOCK_EX | LOCK_NB))
		return EXIT_FINE;
	if (errno != EWOULDBLOCK)
		return fail_at("lock", rec->root, LOCK_FILE);
	close(rec->lock_fd);
	rec->lock_fd = -1;
	return fail_with(EXIT_RESOURCE,
			 "%s is in use by another run; wait for its end, or stop it (fuser "
			 "%s/" LOCK_FILE " shows its pid)",
			 rec->root, rec->root);
}

/* The lock keeps other runs away, so a taken name is an earlier run of the same second. */
static int make_dir(struct record *rec, const char *alias)
{
	time_t now_s = time(NULL);
	struct tm utc;
	char stamp[32], name[128];
	int made = -1;

	if (!gmtime_r(&now_s, &utc) || !strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc))
		return fail_with(EXIT_RESOURCE, "the system's clock gives no date; set it");
	for (unsigned int n = 1; made; n++) {
		snprintf(name, sizeof(name), n == 1 ? "%s-%s" : "%s-%s-%u", stamp, alias, n);
		made = mkdirat(rec->root_fd, name, 0777);
		if (made && errno != EEXIST)
			return fail_at("create", rec->root, name);
	}
	rec->name = strdup(name);
	if (!rec->name || asprintf(&rec->dir, "%s/%s", rec->root, name) < 0) {
		rec->dir = NULL;
		return fail_memory("the record");
	}
	rec->dir_fd = openat(rec->root_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return rec->dir_fd < 0 ? fail_file("open", rec->dir, errno) : EXIT_FINE;
}

static int open_rows(struct record *rec)
{
	rec->rows_fd = openat(rec->dir_fd, RECORD_ROWS,
			      O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (rec->rows_fd < 0)
		return fail_at("create", rec->dir, RECORD_ROWS);
	/* Not every file system can reserve; there, a full disk shows at the row that meets it. */
	if (fallocate(rec->rows_fd, FALLOC_FL_KEEP_SIZE, 0, RESERVE_BYTES) && errno != EOPNOTSUPP &&
	    errno != ENOSYS && errno != EINTR)
		return fail_at("reserve room for", rec->dir, RECORD_ROWS);
	return EXIT_FINE;
}

/* Only what this run wrote is in there: plain files, no directories. */
static void remove_dir(const struct record *rec)
{
	DIR *dir = opendir(rec->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0); /* not . and .. */
	if (dir)
		closedir(dir);
	if (unlinkat(rec->root_fd, rec->name, AT_REMOVEDIR))
		fail_at("remove", rec->root, rec->name);
}

/* Ends a record in every state that record_create() can leave it in. */
static void release(struct record *rec)
{
	const int files[] = { rec->rows_fd, rec->dir_fd, rec->lock_fd, rec->root_fd };

	if (rec->dir && !json_array_size(rec->rows))
		remove_dir(rec);
	/* By name: a child that was forked and still lives would keep a lock that is only closed.
	 */
	if (rec->lock_fd >= 0)
		flock(rec->lock_fd, LOCK_UN);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] >= 0)
			close(files[i]);
	json_decref(rec->rows);
	json_decref(rec->sections);
	free(rec->dir);
	free(rec->name);
	free(rec->root);
	free(rec);
}

int record_create(const char *root, const char *alias, struct record **out)
{
	struct record *rec;
	int status;

	*out = NULL;
	if (!plain_name(alias))
		return fail_with(EXIT_USAGE,
				 "host alias '%s' is no file name; use 1 to %d of A-Za-z0-9._-",
				 alias, NAME_BYTES_MAX);
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return fail_memory("the record");
	rec->root_fd = rec->lock_fd = rec->dir_fd = rec->rows_fd = -1;
	rec->root = strdup(root);
	rec->rows = json_array();
	rec->sections = json_object();
	status = rec->root && rec->rows && rec->sections ? lock_root(rec) :
							   fail_memory("the record");
	if (!status)
		status = make_dir(rec, alias);
	if (!status)
		status = open_rows(rec);
	if (status)
		release(rec);
	else
		*out = rec;
	return status;
}

const char *record_dir(const struct record *rec)
{
	return rec->dir;
}

size_t record_row_count(const struct record *rec)
{
	return json_array_size(rec->rows);
}

/*
 * The page cache outlives the process, so what was written survives a SIGKILL. The newline goes
 * last: a reader knows a line by it, and leaves out what has none.
 */
static int append_row(struct record *rec, const json_t *row)
{
	char *line = json_dumps(row, JSON_COMPACT);
	int status = EXIT_FINE;

	if (!line)
		return fail_memory("the record");
	if (dprintf(rec->rows_fd, "%s\n", line) < 0) {
		status = fail_at("write", rec->dir, RECORD_ROWS);
		/* If this fails too, the half line stays, and readers leave it out as torn. */
		if (ftruncate(rec->rows_fd, rec->rows_bytes))
			fail_at("shorten", rec->dir, RECORD_ROWS);
	} else {
		rec->rows_bytes += (off_t)strlen(line) + 1;
	}
	free(line);
	return status;
}

int record_add_row(struct record *rec, json_t *row)
{
	int status;

	/* A copy: the caller may reuse its object for the next repetition. */
	if (json_array_append_new(rec->rows, json_deep_copy(row)))
		return fail_memory("the record");
	status = append_row(rec, row);
	if (status)
		json_array_remove(rec->rows, json_array_size(rec->rows) - 1);
	return status;
}

static int put_file(struct record *rec, const char *name, file_writer writer, void *arg)
{
	errno = file_put(rec->dir_fd, name, writer, arg);
	return errno ? fail_at("write", rec->dir, name) : EXIT_FINE;
}

static int write_json(FILE *out, void *json)
{
	return json_dumpf(json, out, JSON_INDENT(2)) || fputc('\n', out) == EOF;
}

int record_set(struct record *rec, const char *key, json_t *value)
{
	if (json_object_set_new(rec->sections, key, json_deep_copy(value)))
		return fail_memory("the record");
	return strcmp(key, "context") ? EXIT_FINE :
					put_file(rec, RECORD_CONTEXT, write_json, value);
}

static int write_bench(struct record *rec)
{
	json_t *document = json_object();
	int status;

	/* Set first to come first in the file; the update does not move them. */
	if (json_object_set(document, "context", json_object_get(rec->sections, "context")))
		status = fail_with(EXIT_USAGE, "%s has no context; use where_context()", rec->dir);
	else if (json_object_set(document, "benchmarks", rec->rows) ||
		 json_object_update(document, rec->sections))
		status = fail_memory("the record");
	else if (!record_row_count(rec))
		status = fail_with(EXIT_USAGE, "%s has no row", rec->dir);
	else
		status = put_file(rec, RECORD_BENCH, write_json, document);
	json_decref(document);
	return status;
}

/* Everything that latest will name is on the disk before it does. */
static int flip_latest(struct record *rec)
{
	/* To the length it has: gives back what open_rows() reserved and no row used. */
	if (ftruncate(rec->rows_fd, rec->rows_bytes) || fsync(rec->rows_fd) || fsync(rec->dir_fd) ||
	    fsync(rec->root_fd))
		return fail_at("flush", rec->dir, RECORD_ROWS);
	/* A killed run may have left one; the target is relative, so that results/ can be moved. */
	if ((unlinkat(rec->root_fd, LATEST_TEMP, 0) && errno != ENOENT) ||
	    symlinkat(rec->name, rec->root_fd, LATEST_TEMP))
		return fail_at("create", rec->root, LATEST_TEMP);
	if (renameat(rec->root_fd, LATEST_TEMP, rec->root_fd, LATEST_LINK)) {
		int status = fail_at("replace by our link", rec->root, LATEST_LINK);

		unlinkat(rec->root_fd, LATEST_TEMP, 0);
		return status;
	}
	return EXIT_FINE;
}

int record_finish(struct record *rec)
{
	int status = write_bench(rec);

	if (!status)
		status = flip_latest(rec);
	/* bench.json has it now. A run that has it twice is not finished. */
	if (!status)
		unlinkat(rec->dir_fd, RECORD_CONTEXT, 0);
	release(rec);
	return status;
}

void record_abort(struct record *rec)
{
	if (rec)
		release(rec);
}
