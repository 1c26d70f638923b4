// SPDX-License-Identifier: MIT
/* Writing a run's record; record_read.c reads it back. record.h says what is promised. */
#define _GNU_SOURCE
#include "results/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/record_internal.h"

#define LOCK_FILE ".lock"
#define LATEST_LINK "latest"
#define LATEST_TEMP ".latest.tmp"
#define ALIAS_BYTES_MAX 64

/* True if name is 1..max of [A-Za-z0-9._-], and neither hidden nor like an option. */
static bool plain_name(const char *name, size_t max)
{
	size_t len = strlen(name);

	return len > 0 && len <= max && name[0] != '.' && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       len;
}

static int open_root(struct record *rec)
{
	if (mkdir(rec->root, 0777) && errno != EEXIST)
		return fail_with(
			EXIT_RESOURCE, "cannot create %s: %s; %s", rec->root, strerror(errno),
			errno == ENOENT ? "create its parent directory first" : fail_remedy(errno));
	rec->root_fd = open(rec->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rec->root_fd < 0)
		return fail_with(EXIT_RESOURCE, "cannot open %s: %s; %s", rec->root,
				 strerror(errno),
				 errno == ENOTDIR ? "move that file away, or give a directory" :
						    fail_remedy(errno));
	return EXIT_FINE;
}

/* The holder writes its pid just after it got the lock: give it a moment. 0: not to be found. */
static long lock_holder(int lock_fd)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	char text[32];

	for (int try = 0; try < 10; try++) {
		ssize_t len = pread(lock_fd, text, sizeof(text) - 1, 0);

		if (len > 0) {
			text[len] = '\0';
			return atol(text);
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int fail_locked(const struct record *rec)
{
	long pid = lock_holder(rec->lock_fd);

	if (pid <= 0)
		return fail_with(EXIT_RESOURCE,
				 "%s is in use by another run (pid unknown); wait for its end",
				 rec->root);
	/* A run that was killed may leave a forked child behind, which still holds the lock. */
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return fail_with(EXIT_RESOURCE,
				 "%s is in use by a child of pid %ld (now gone); end that child",
				 rec->root, pid);
	return fail_with(EXIT_RESOURCE,
			 "%s is in use by another run (pid %ld); wait for its end, or stop it",
			 rec->root, pid);
}

/*
 * flock() and not a pid file: the kernel drops it with the process, so a killed run blocks nobody.
 * Closed on exec, so a cell that outlives the run does not hold it either.
 */
static int lock_root(struct record *rec)
{
	char pid[32];
	int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());

	rec->lock_fd = openat(rec->root_fd, LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (rec->lock_fd < 0)
		return record_fail_file("open", rec->root, LOCK_FILE, errno);
	if (flock(rec->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			return fail_locked(rec);
		return record_fail_file("lock", rec->root, LOCK_FILE, errno);
	}
	rec->locked = true;
	if (ftruncate(rec->lock_fd, 0))
		return record_fail_file("write", rec->root, LOCK_FILE, errno);
	errno = 0;
	if (pwrite(rec->lock_fd, pid, len, 0) != len)
		return record_fail_file("write", rec->root, LOCK_FILE, errno ? errno : ENOSPC);
	return EXIT_FINE;
}

/* root/name, which exists. */
static int open_dir(struct record *rec)
{
	if (asprintf(&rec->dir, "%s/%s", rec->root, rec->name) < 0) {
		rec->dir = NULL;
		return fail_memory("the record");
	}
	rec->dir_fd = openat(rec->root_fd, rec->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return rec->dir_fd < 0 ? record_fail_file("open", rec->root, rec->name, errno) : EXIT_FINE;
}

/* The lock keeps other runs away, so a taken name is an earlier run of the same second. */
static int make_dir(struct record *rec, const char *alias)
{
	time_t now_s = time(NULL);
	struct tm utc;
	char stamp[32];

	if (!gmtime_r(&now_s, &utc) || !strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc))
		return fail_with(EXIT_RESOURCE, "the system's clock gives no date; set it");
	for (unsigned int n = 1; !rec->name; n++) {
		char *name;

		if ((n == 1 ? asprintf(&name, "%s-%s", stamp, alias) :
			      asprintf(&name, "%s-%s-%u", stamp, alias, n)) < 0)
			return fail_memory("the record");
		if (!mkdirat(rec->root_fd, name, 0777)) {
			rec->name = name;
		} else if (errno == EEXIST) {
			free(name);
		} else {
			int status = record_fail_file("create", rec->root, name, errno);

			free(name);
			return status;
		}
	}
	return open_dir(rec);
}

static int open_logs(struct record *rec)
{
	int status = record_log_create(rec, &rec->rows_log, RECORD_ROWS);

	return status ? status : record_log_create(rec, &rec->parts_log, RECORD_PARTS);
}

/* Only what this run wrote is in there: plain files, no directories. */
static void remove_dir(struct record *rec)
{
	int fd = rec->dir_fd < 0 ? -1 : fcntl(rec->dir_fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (dir) {
		rewinddir(dir);
		while ((entry = readdir(dir)))
			if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
				unlinkat(rec->dir_fd, entry->d_name, 0);
		closedir(dir);
	} else if (fd >= 0) {
		close(fd);
	}
	if (unlinkat(rec->root_fd, rec->name, AT_REMOVEDIR))
		record_fail_file("remove", rec->root, rec->name, errno);
}

/*
 * Unlocked by name, since a child that was forked and still lives would keep a lock that is only
 * closed; emptied before, so that nobody reads the pid of a run that has ended.
 */
static void unlock_root(struct record *rec)
{
	if (rec->locked && (ftruncate(rec->lock_fd, 0) || flock(rec->lock_fd, LOCK_UN)))
		record_fail_file("unlock", rec->root, LOCK_FILE, errno);
	if (rec->lock_fd >= 0)
		close(rec->lock_fd);
}

/* Ends a record in every state that record_create() can leave it in. */
static void release(struct record *rec)
{
	if (rec->name && !json_array_size(rec->rows) && !rec->parts_log.bytes)
		remove_dir(rec);
	if (rec->rows_log.fd >= 0)
		close(rec->rows_log.fd);
	if (rec->parts_log.fd >= 0)
		close(rec->parts_log.fd);
	if (rec->dir_fd >= 0)
		close(rec->dir_fd);
	unlock_root(rec);
	if (rec->root_fd >= 0)
		close(rec->root_fd);
	json_decref(rec->rows);
	json_decref(rec->sections);
	free(rec->dir);
	free(rec->name);
	free(rec->root);
	free(rec);
}

/* A record that holds the lock of root, and nothing else yet. */
static int begin(const char *root, struct record **out)
{
	struct record *rec = calloc(1, sizeof(*rec));
	int status;

	*out = NULL;
	if (!rec)
		return fail_memory("the record");
	rec->root_fd = rec->lock_fd = rec->dir_fd = rec->rows_log.fd = rec->parts_log.fd = -1;
	rec->root = strdup(root);
	rec->rows = json_array();
	rec->sections = json_object();
	status = rec->root && rec->rows && rec->sections ? EXIT_FINE : fail_memory("the record");
	if (!status)
		status = open_root(rec);
	if (!status)
		status = lock_root(rec);
	*out = rec;
	return status;
}

/* Hands the record over, or ends it after a failure. */
static int hand_over(struct record *rec, int status, struct record **out)
{
	if (status && rec)
		release(rec);
	*out = status ? NULL : rec;
	return status;
}

int record_create(const char *root, const char *alias, struct record **out)
{
	struct record *rec;
	int status;

	*out = NULL;
	if (!plain_name(alias, ALIAS_BYTES_MAX))
		return fail_with(EXIT_USAGE,
				 "host alias '%s' is no file name; use 1 to %d of A-Za-z0-9._-",
				 alias, ALIAS_BYTES_MAX);
	status = begin(root, &rec);
	if (!status)
		status = make_dir(rec, alias);
	if (!status)
		status = open_logs(rec);
	return hand_over(rec, status, out);
}

const char *record_dir(const struct record *rec)
{
	return rec->dir;
}

size_t record_row_count(const struct record *rec)
{
	return json_array_size(rec->rows);
}

int record_add_row(struct record *rec, json_t *row)
{
	char why[256];
	int status;

	if (!record_check_row(row, why, sizeof(why)))
		return fail_with(EXIT_USAGE, "row %zu of %s: %s; report it", record_row_count(rec),
				 rec->dir, why);
	/* A copy: the caller may reuse its object for the next repetition. */
	if (json_array_append_new(rec->rows, json_deep_copy(row)))
		return fail_memory("the record");
	status = record_log_append(rec, &rec->rows_log, row);
	if (status)
		json_array_remove(rec->rows, json_array_size(rec->rows) - 1);
	return status;
}

static int put_file(struct record *rec, const char *name, file_writer writer, void *arg)
{
	int error = file_put(rec->dir_fd, name, writer, arg);

	return error ? record_fail_file("write", rec->dir, name, error) : EXIT_FINE;
}

static int write_json(FILE *out, void *json)
{
	return json_dumpf(json, out, JSON_INDENT(2)) || fputc('\n', out) == EOF;
}

int record_set(struct record *rec, const char *key, json_t *value)
{
	bool context = !strcmp(key, "context");
	char why[256];

	if (!strcmp(key, "benchmarks"))
		return fail_with(EXIT_USAGE,
				 "section 'benchmarks' is the rows; use record_add_row()");
	if (!value)
		return fail_with(EXIT_USAGE, "section '%s' of %s has no value; report it", key,
				 rec->dir);
	if (context && !record_check_context(value, why, sizeof(why)))
		return fail_with(EXIT_USAGE, "%s: %s; use metadata_context()", rec->dir, why);
	if (json_object_set_new(rec->sections, key, json_deep_copy(value)))
		return fail_memory("the record");
	return context ? put_file(rec, RECORD_CONTEXT, write_json, value) : EXIT_FINE;
}

int record_write_file(struct record *rec, const char *name, file_writer writer, void *arg)
{
	if (!plain_name(name, 200) || !strcmp(name, RECORD_ROWS) || !strcmp(name, RECORD_BENCH) ||
	    !strcmp(name, RECORD_CONTEXT) || !strcmp(name, RECORD_PARTS))
		return fail_with(EXIT_USAGE,
				 "'%s' cannot be a further file of a run; choose a plain name",
				 name);
	return put_file(rec, name, writer, arg);
}

/* NULL: out of memory. */
static json_t *make_document(struct record *rec)
{
	json_t *document = json_object();
	/* Set first to come first in the file; the update below does not move them. */
	bool failed =
		json_object_set(document, "context", json_object_get(rec->sections, "context")) ||
		json_object_set(document, "benchmarks", rec->rows) ||
		json_object_update(document, rec->sections);

	if (failed) {
		json_decref(document);
		return NULL;
	}
	return document;
}

static int write_bench(struct record *rec)
{
	json_t *document;
	char why[256];
	int status;

	if (!json_array_size(rec->rows))
		return fail_with(EXIT_USAGE, "no row was recorded, so %s is removed", rec->dir);
	if (!json_object_get(rec->sections, "context"))
		return fail_with(EXIT_USAGE, "%s has no context; use metadata_context()", rec->dir);
	document = make_document(rec);
	if (!document)
		return fail_memory("the record");
	if (record_check(document, why, sizeof(why)))
		status = put_file(rec, RECORD_BENCH, write_json, document);
	else
		status = fail_with(EXIT_USAGE, "%s: %s; mend what wrote it", rec->dir, why);
	json_decref(document);
	return status;
}

/* Everything that latest will name must be on the disk before it does. */
static int sync_all(struct record *rec)
{
	/* To the length it has: gives back what open_rows() reserved and no row used. */
	if (ftruncate(rec->rows_log.fd, rec->rows_log.bytes) || fsync(rec->rows_log.fd))
		return record_fail_file("flush", rec->dir, RECORD_ROWS, errno);
	if (fsync(rec->dir_fd) || fsync(rec->root_fd))
		return record_fail_file("flush", rec->root, rec->name, errno);
	return EXIT_FINE;
}

/* The target is relative, so that results/ can be moved. */
static int flip_latest(struct record *rec)
{
	int error = 0;

	/* A killed run may have left one behind; the lock says that nobody uses it now. */
	if (unlinkat(rec->root_fd, LATEST_TEMP, 0) && errno != ENOENT)
		return record_fail_file("remove", rec->root, LATEST_TEMP, errno);
	if (symlinkat(rec->name, rec->root_fd, LATEST_TEMP))
		return record_fail_file("create", rec->root, LATEST_TEMP, errno);
	if (renameat(rec->root_fd, LATEST_TEMP, rec->root_fd, LATEST_LINK)) {
		error = errno;
		unlinkat(rec->root_fd, LATEST_TEMP, 0);
	}
	if (error == EISDIR)
		return fail_with(EXIT_RESOURCE,
				 "%s/%s is a directory, not our link to %s; move it away",
				 rec->root, LATEST_LINK, rec->name);
	return error ? record_fail_file("replace", rec->root, LATEST_LINK, error) : EXIT_FINE;
}

int record_finish(struct record *rec)
{
	int status = write_bench(rec);

	if (!status)
		status = sync_all(rec);
	if (!status)
		status = flip_latest(rec);
	/* bench.json has it all now. The parts go last: a run that has them is not finished. */
	if (!status) {
		unlinkat(rec->dir_fd, RECORD_CONTEXT, 0);
		unlinkat(rec->dir_fd, RECORD_PARTS, 0);
	}
	release(rec);
	return status;
}

void record_abort(struct record *rec)
{
	if (rec)
		release(rec);
}
