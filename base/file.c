// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/table.h"

#define TRIES 100 /* names that others may have left */

/* Lets `writer` fill `fd`, flushes it to the disk and closes it. 0, or an errno. */
static int fill(int fd, file_writer writer, void *arg)
{
	FILE *out = fdopen(fd, "w");
	int error = 0;

	if (!out) {
		error = errno;
		close(fd);
		return error;
	}
	errno = 0;
	/* ferror(): a writer need not test each of its fprintf(). A pipe or a device has no disk.
	 */
	if (writer(out, arg) || fflush(out) || ferror(out) ||
	    (fsync(fileno(out)) && errno != EINVAL && errno != EROFS && errno != ENOTSUP))
		error = errno ? errno : EIO;
	if (fclose(out) && !error)
		error = errno;
	return error;
}

/* Gives the file `temp` the name `path`, in place of what has it or (linkat) of nothing. */
static int take_name(int dir_fd, const char *temp, const char *path, bool fresh)
{
	if (fresh ? linkat(dir_fd, temp, dir_fd, path, 0) : renameat(dir_fd, temp, dir_fd, path))
		return errno;
	return 0;
}

/* A hidden file of ours beside `path`, new and no link; its name in *temp, to be freed. An fd, or
 * -1. */
static int open_temporary(int dir_fd, const char *path, char **temp)
{
	const char *slash = strrchr(path, '/');
	int before = slash ? (int)(slash + 1 - path) : 0, fd;
	unsigned int n;

	for (n = 0; n < TRIES; n++) {
		errno = ENOMEM;
		if (asprintf(temp, "%.*s.%s.tmp.%ld.%u", before, path, path + before,
			     (long)getpid(), n) < 0)
			break;
		fd = openat(dir_fd, *temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0666);
		if (fd >= 0)
			return fd;
		free(*temp);
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* Makes the file, or replaces it: `was` is what is there, or NULL. */
static int replace(int dir_fd, const char *path, const struct stat *was, file_writer writer,
		   void *arg, bool fresh)
{
	char *temp;
	int error, fd = open_temporary(dir_fd, path, &temp);

	if (fd < 0)
		return errno;
	/* Another's file in a folder of ours becomes ours. A change of owner resets the mode's
	 * bits. */
	if (was && (fchown(fd, was->st_uid, was->st_gid), fchmod(fd, was->st_mode & 07777)))
		fail_line("%s: its mode is not kept: %s", path, strerror(errno));
	error = fill(fd, writer, arg);
	if (!error)
		error = take_name(dir_fd, temp, path, fresh);
	if (error || fresh)
		unlinkat(dir_fd, temp, 0);
	free(temp);
	return error;
}

/* A descriptor of ours that has this file open as its output, as /dev/stdout is; -1: none has. */
static int standard_output(const struct stat *file)
{
	struct stat ours;
	int fd;

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &ours) && ours.st_dev == file->st_dev && ours.st_ino == file->st_ino)
			return fd;
	return -1;
}

/* An open file to write in place, for what cannot be replaced; -1: `path` is to be replaced. */
static int in_place(int dir_fd, const char *path, const struct stat *there)
{
	struct stat link;

	if (!there)
		return fstatat(dir_fd, path, &link, AT_SYMLINK_NOFOLLOW) ?
			       -1 : /* a link to nothing: its file is made */
			       openat(dir_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (standard_output(there) >= 0)
		return fcntl(standard_output(there), F_DUPFD_CLOEXEC, 0);
	return S_ISREG(there->st_mode) ? -1 : openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
}

int file_put(int dir_fd, const char *path, file_writer writer, void *arg)
{
	struct stat was;
	bool there = !fstatat(dir_fd, path, &was, 0);
	char *target;
	int fd, error;

	errno = 0;
	fd = in_place(dir_fd, path, there ? &was : NULL);
	if (fd >= 0)
		return fill(fd, writer, arg);
	if (there && !S_ISREG(was.st_mode))
		return errno;
	target = there && dir_fd == AT_FDCWD ? realpath(path, NULL) : NULL;
	error = replace(dir_fd, target ? target : path, there ? &was : NULL, writer, arg, false);
	free(target);
	return error;
}

int file_put_new(int dir_fd, const char *path, file_writer writer, void *arg)
{
	return replace(dir_fd, path, NULL, writer, arg, true);
}

int file_refuses(const char *path)
{
	char folder[PATH_MAX], *slash;
	struct stat was;

	if (!stat(path, &was) && !S_ISREG(was.st_mode))
		return S_ISDIR(was.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	if (!realpath(path, folder) &&
	    (errno == ENAMETOOLONG || snprintf(folder, sizeof(folder), "%s", path) >= PATH_MAX))
		return ENAMETOOLONG;
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	return access(slash ? folder : ".", W_OK | X_OK) ? errno : 0;
}

const char *file_data(const char *relative, char *path)
{
	static const char *const beside[] = { "", "share/stampede/", "tree/" };
	char folder[PATH_MAX] = "";
	size_t i;

	if (!realpath("/proc/self/exe", folder))
		*folder = '\0';
	while (strrchr(folder, '/')) {
		*strrchr(folder, '/') = '\0';
		for (i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
			if (snprintf(path, PATH_MAX, "%s/%s%s", folder, beside[i], relative) <
				    PATH_MAX &&
			    !access(path, F_OK))
				return path;
	}
	return strcpy(path, relative);
}

int file_hash(const char *path, char text[FILE_HASH_BYTES])
{
	FILE *in = fopen(path, "rbe");
	unsigned char part[65536];
	uint64_t hash = 0;
	size_t size;
	int error;

	if (!in)
		return errno;
	while ((size = fread(part, 1, sizeof(part), in)) > 0)
		hash = table_hash(part, size, hash);
	error = ferror(in) ? EIO : 0;
	fclose(in);
	snprintf(text, FILE_HASH_BYTES, "%016" PRIx64, hash);
	return error;
}
