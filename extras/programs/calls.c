// SPDX-License-Identifier: MIT
/* Preloaded: an event after each call of the C library's wrappers of system calls, with its first
 * argument and its result. What the C library calls inside of itself (stdio) passes by. */
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include "extras/programs/preload.h"

#define UNPACK(...) __VA_ARGS__
#define CALL(number, type, name, parameters, arguments, first) \
	PRELOAD_EXPORT type name parameters \
	{ \
		static type(*next) parameters; \
		type result; \
\
		if (!next) \
			*(void **)&next = dlsym(RTLD_NEXT, #name); \
		result = next arguments; \
		event(number, (uint64_t)(uintptr_t)(first), (uint64_t)result); \
		return result; \
	}
/* The mode is there only if a file may be made; as the C library itself does, it is passed on. */
#define OPENS(number, name, parameters, arguments, first, last) \
	PRELOAD_EXPORT int name(UNPACK parameters, ...) \
	{ \
		static int (*next)(UNPACK parameters, ...); \
		va_list more; \
		mode_t mode = 0; \
		int result; \
\
		if (last & (O_CREAT | __O_TMPFILE)) { \
			va_start(more, last); \
			mode = va_arg(more, mode_t); \
			va_end(more); \
		} \
		if (!next) \
			*(void **)&next = dlsym(RTLD_NEXT, #name); \
		result = next(UNPACK arguments, mode); \
		event(number, (uint64_t)(uintptr_t)(first), (uint64_t)result); \
		return result; \
	}

CALL(1, ssize_t, read, (int file, void *to, size_t size), (file, to, size), file)
CALL(2, ssize_t, write, (int file, const void *from, size_t size), (file, from, size), file)
CALL(3, ssize_t, pread, (int file, void *to, size_t size, off_t at), (file, to, size, at), file)
CALL(3, ssize_t, pread64, (int file, void *to, size_t size, off64_t at), (file, to, size, at), file)
CALL(4, ssize_t, pwrite, (int file, const void *from, size_t size, off_t at),
     (file, from, size, at), file)
CALL(4, ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t at),
     (file, from, size, at), file)
CALL(5, int, close, (int file), (file), file)
CALL(6, int, poll, (struct pollfd * files, nfds_t count, int ms), (files, count, ms), files)
CALL(7, int, epoll_wait, (int file, struct epoll_event *events, int most, int ms),
     (file, events, most, ms), file)
CALL(8, off_t, lseek, (int file, off_t by, int from), (file, by, from), file)
CALL(8, off64_t, lseek64, (int file, off64_t by, int from), (file, by, from), file)
CALL(9, int, fsync, (int file), (file), file)
CALL(10, int, fdatasync, (int file), (file), file)
OPENS(11, open, (const char *path, int flags), (path, flags), path, flags)
OPENS(11, open64, (const char *path, int flags), (path, flags), path, flags)
OPENS(12, openat, (int folder, const char *path, int flags), (folder, path, flags), folder, flags)
OPENS(12, openat64, (int folder, const char *path, int flags), (folder, path, flags), folder, flags)
