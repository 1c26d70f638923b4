// SPDX-License-Identifier: MIT
#include "plots/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_fail(int status, const char *format, ...)
{
	char line[2048];
	va_list args;
	char *c;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* Names from files may hold control characters: one line stays one line. */
	for (c = line; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	fprintf(stderr, "stampede: %s\n", line);
	return status;
}

int output_fail_memory(void)
{
	return output_fail(PLOTS_RESOURCE, "out of memory; free some, nothing was overwritten");
}

static const char *remedy(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return "free some space; earlier results are intact";
	case EACCES:
	case EPERM:
		return "make the directory writable, or copy the run to one that is";
	case EROFS:
		return "the file system is read-only: copy the run elsewhere";
	case ENOTDIR:
	case EEXIST:
		return "move away what is there instead of a directory";
	default:
		return "earlier results are intact";
	}
}

static int fail_path(const char *what, const char *dir, const char *name, int error)
{
	return output_fail(PLOTS_RESOURCE, "cannot %s %s%s%s: %s; %s", what, dir, *name ? "/" : "",
			   name, strerror(error), remedy(error));
}

int output_directory(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0777))
		return PLOTS_FINE;
	if (errno != EEXIST)
		return fail_path("create", path, "", errno);
	if (stat(path, &st))
		return fail_path("open", path, "", errno);
	return S_ISDIR(st.st_mode) ? PLOTS_FINE : fail_path("create", path, "", EEXIST);
}

/* Returns 0, or an errno. */
static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? errno : ENOSPC;
		data += written;
		size -= (size_t)written;
	}
	/* Before the rename: else a crash may leave the new name with nothing behind it. */
	return fsync(fd) ? errno : 0;
}

int output_put(const char *dir, const char *name, const char *data, size_t size)
{
	char *temporary, *path;
	int error = 0, fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return output_fail_memory();
	/* The pid: two of us may draw the same run. */
	if (asprintf(&temporary, "%s/.%s.tmp.%ld", dir, name, (long)getpid()) < 0) {
		free(path);
		return output_fail_memory();
	}
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = errno;
	} else {
		error = write_all(fd, data, size);
		if (close(fd) && !error)
			error = errno;
		if (!error && rename(temporary, path))
			error = errno;
		if (error)
			unlink(temporary);
	}
	free(temporary);
	free(path);
	return error ? fail_path("write", dir, name, error) : PLOTS_FINE;
}

int page_begin(struct page *page)
{
	page->text = NULL;
	page->size = 0;
	page->out = open_memstream(&page->text, &page->size);
	return page->out ? PLOTS_FINE : output_fail_memory();
}

int page_end(struct page *page, int status, const char *dir, const char *name)
{
	int lost = ferror(page->out);

	lost |= fclose(page->out);
	if (!status)
		status = lost ? output_fail_memory() :
				output_put(dir, name, page->text, page->size);
	free(page->text);
	return status;
}
