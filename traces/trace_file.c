// SPDX-License-Identifier: MIT
#include "traces/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/options.h"

#define RELEASE_BYTES (UINT64_C(16) << 20) /* at a time; a multiple of any page size */

bool trace_fault(struct trace_fault *fault, uint64_t offset, const char *format, ...)
{
	va_list values;

	if (fault->set)
		return false;
	fault->set = true;
	fault->offset = offset;
	va_start(values, format);
	vsnprintf(fault->text, sizeof(fault->text), format, values);
	va_end(values);
	return false;
}

static int refuse(const char *path, const char *why)
{
	return fail_with(EXIT_USAGE, "cannot read %s: %s", path, why);
}

int trace_file_map(struct trace_file *file, int fd, const char *path)
{
	struct stat stat;
	void *bytes;

	*file = (struct trace_file){ .path = NULL };
	if (fstat(fd, &stat))
		return refuse(path, strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return refuse(path, "not a regular file");
	file->size = (uint64_t)stat.st_size;
	if (file->size) {
		bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
		if (bytes == MAP_FAILED)
			return refuse(path, strerror(errno));
		madvise(bytes, file->size, MADV_SEQUENTIAL);
		file->bytes = bytes;
	}
	file->path = strdup(path);
	if (file->path)
		return 0;
	trace_file_close(file);
	return refuse(path, "no memory");
}

int trace_file_open(struct trace_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;

	*file = (struct trace_file){ .path = NULL };
	if (fd < 0)
		return refuse(path, strerror(errno));
	error = trace_file_map(file, fd, path);
	close(fd);
	return error;
}

void trace_file_close(struct trace_file *file)
{
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	free(file->path);
	*file = (struct trace_file){ .path = NULL };
}

void trace_file_release(struct trace_file *file, uint64_t offset)
{
	uint64_t bytes;

	if (offset < file->released + RELEASE_BYTES)
		return;
	bytes = (offset - file->released) / RELEASE_BYTES * RELEASE_BYTES;
	madvise((void *)(uintptr_t)(file->bytes + file->released), bytes, MADV_DONTNEED);
	file->released += bytes;
}

static void on_bus_error(int signal)
{
	static const char text[] = "stampede: a trace file became shorter while it was read; "
				   "read a copy of it\n";

	(void)signal;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	end_now(EXIT_USAGE);
}

void trace_file_catch_truncation(void)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigaction(SIGBUS, &action, NULL);
}
