// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"

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
	/* ferror(): a writer need not test each of its fprintf(). */
	if (writer(out, arg) || fflush(out) || ferror(out) || fsync(fileno(out)))
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

static int put(int dir_fd, const char *path, file_writer writer, void *arg, bool fresh)
{
	const char *slash = strrchr(path, '/');
	int before = slash ? (int)(slash + 1 - path) : 0, error = 0, fd;
	char *temp;

	if (asprintf(&temp, "%.*s.%s.tmp.%ld", before, path, path + before, (long)getpid()) < 0)
		return ENOMEM;
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		error = errno;
	else
		error = fill(fd, writer, arg);
	if (!error)
		error = take_name(dir_fd, temp, path, fresh);
	if ((error || fresh) && fd >= 0)
		unlinkat(dir_fd, temp, 0);
	free(temp);
	return error;
}

int file_put(int dir_fd, const char *path, file_writer writer, void *arg)
{
	return put(dir_fd, path, writer, arg, false);
}

int file_put_new(int dir_fd, const char *path, file_writer writer, void *arg)
{
	return put(dir_fd, path, writer, arg, true);
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
