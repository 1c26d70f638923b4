/* SPDX-License-Identifier: MIT */
/* The files of a trace: a folder for each chunk, and in it metadata and a file for each ring. */
#pragma once

/* `value` in `digits`, or in as many as it takes. */
static inline const char *trace_name(char name[24], uint64_t value, int digits)
{
	char *at = name + 23;

	for (*at = 0; value || digits > 0; value /= 10, digits--)
		*--at = (char)('0' + value % 10);
	return at;
}

static inline mode_t trace_mode(const struct tracing *all, bool folder)
{
	const mode_t mode = all->options.mode ? all->options.mode : 0600;

	return folder ? mode | (mode >> 2 & 0111) : mode;
}

/* Never 0, which means none; never through a link, and never waiting for the other end of one. */
static inline int trace_file(const struct tracing *all, int in, const char *name, int flags)
{
	int file = openat(in, name, flags | O_CLOEXEC | O_NONBLOCK, trace_mode(all, false)), other;

	if (file)
		return file;
	other = fcntl(file, F_DUPFD_CLOEXEC, 3);
	(close)(file);
	return other;
}

#define TRACE_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
#define TRACE_NEW (O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)

/* The folder of all, which may be there, or -1. */
static inline int trace_root(const struct tracing *all, const char *folder)
{
	if (mkdir(folder, trace_mode(all, true)) && errno != EEXIST)
		return -1;
	return trace_file(all, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
}

/* A new folder, or -1: there is one already. */
static inline int trace_folder(const struct tracing *all, int in, const char *name)
{
	if (mkdirat(in, name, trace_mode(all, true)))
		return -1;
	return trace_file(all, in, name, TRACE_FOLDER);
}

/* True: all is written; else the file is as long as before. */
static inline bool trace_put(int file, const void *bytes, uint64_t size, uint64_t at)
{
	uint64_t done = 0;
	ssize_t wrote;
	int error;

	while (done < size) {
		wrote = pwrite(file, (const uint8_t *)bytes + done, size - done,
			       (off_t)(at + done));
		if (wrote > 0) {
			done += (uint64_t)wrote;
		} else if (!wrote || errno != EINTR) {
			error = wrote ? errno : ENOSPC;
			if (ftruncate(file, (off_t)at))
				error = errno;
			errno = error;
			return false;
		}
	}
	return true;
}

/* Makes a trace of a folder: its metadata is there whole, or not at all. */
static inline bool trace_describe(const struct tracing *all, int folder)
{
	int text = trace_file(all, folder, ".metadata", TRACE_NEW);
	bool good = text >= 0 && trace_put(text, all->text, all->text_bytes, 0);

	return text >= 0 && !(close)(text) && good &&
	       !renameat(folder, ".metadata", folder, "metadata");
}

/* Handlers may call it. What goes first makes a trace of the folder; others' files stay. */
static inline void trace_remove(const struct tracing *all, int in, const char *name)
{
	int folder = trace_file(all, in, name, TRACE_FOLDER), i;
	char file[24];

	if (folder < 0)
		return;
	unlinkat(folder, "metadata", 0);
	unlinkat(folder, ".metadata", 0);
	for (i = 0; i < THREADS; i++)
		unlinkat(folder, trace_name(file, (uint64_t)i, 1), 0);
	(close)(folder);
	unlinkat(in, name, AT_REMOVEDIR);
}

/* Behind all chunks that are in the folder. */
static inline uint64_t trace_first_number(const char *folder)
{
	uint64_t first = 0, number;
	DIR *names = opendir(folder);
	struct dirent *one;
	char *end;

	while (names && (one = readdir(names))) {
		number = strtoull(one->d_name, &end, 10);
		if (!*end && end - one->d_name < 19 && number >= first)
			first = number + 1;
	}
	if (names)
		closedir(names);
	return first;
}

/* So many more events, or fewer, are in the slot's file, and in the chunk. */
static inline void trace_written(struct tracing *all, struct trace_slot *slot, uint64_t events)
{
	const uint64_t made = all->counts.chunks;

	slot->in_file += events;
	trace_add(&all->counts.events, events);
	if (all->options.chunks)
		all->kept[(made - 1) % all->options.chunks].events += events;
}

/* Has somebody removed it? */
static inline bool trace_is_gone(const struct trace_slot *slot)
{
	struct stat file;

	return slot->file > 0 && !fstat(slot->file, &file) && !file.st_nlink;
}

static inline void trace_file_end(struct tracing *all, struct trace_slot *slot)
{
	if (trace_is_gone(slot)) {
		trace_failed(all, ENOENT);
		trace_add(&all->counts.unwritten, slot->in_file);
		trace_written(all, slot, -slot->in_file);
	}
	if (slot->file > 0)
		(close)(slot->file);
	slot->file = 0;
	slot->at = slot->in_file = 0;
}

static inline void trace_chunk_end(struct tracing *all)
{
	struct trace_slot *slot;

	TRACE_EACH(all, slot)
		trace_file_end(all, slot);
	if (all->chunk > 0)
		(close)(all->chunk);
	all->chunk = 0;
	all->chunk_bytes = 0;
}

/* Remembers a chunk of options.chunks that are kept, and removes the one before them. */
static inline bool trace_keep(struct tracing *all, uint64_t number)
{
	const uint64_t made = all->counts.chunks, most = all->options.chunks;
	struct trace_chunk *kept = all->kept;
	char name[24];

	if (!most)
		return true;
	if (made < most) {
		kept = (struct trace_chunk *)realloc(kept, (made + 1) * sizeof(*kept));
		if (!kept)
			return false;
		all->kept = kept;
	}
	kept += made % most;
	if (made >= most) {
		trace_remove(all, all->folder, trace_name(name, kept->number, 6));
		trace_add(&all->counts.removed, kept->events);
	}
	kept->number = number;
	kept->events = 0;
	return true;
}

/* A folder that another process makes, or has made, is its own. */
static inline bool trace_chunk_begin(struct tracing *all)
{
	char name[24];
	const char *number;
	int chunk;

	do {
		number = trace_name(name, all->chunk_number++, 6);
		chunk = trace_folder(all, all->folder, number);
	} while (chunk < 0 && errno == EEXIST);
	if (chunk >= 0 && trace_describe(all, chunk) && trace_keep(all, all->chunk_number - 1)) {
		trace_add(&all->counts.chunks, 1);
		all->chunk = chunk;
		all->chunk_since = clock_steady();
		return true;
	}
	trace_failed(all, errno);
	if (chunk >= 0) {
		(close)(chunk);
		trace_remove(all, all->folder, number);
	}
	errno = all->counts.error;
	all->chunk_number--;
	return false;
}

static inline bool trace_file_begin(struct tracing *all, struct trace_slot *slot)
{
	char name[24];
	const char *number = trace_name(name, (uint64_t)(slot - all->slots), 1);
	int tries;

	/* A chunk that somebody has removed ends. */
	for (tries = 0; tries < 2 && (all->chunk || trace_chunk_begin(all)); tries++) {
		slot->file = trace_file(all, all->chunk, number, TRACE_NEW);
		if (slot->file > 0)
			return true;
		trace_failed(all, errno);
		slot->file = 0;
		if (errno != ENOENT)
			break;
		trace_chunk_end(all);
	}
	return false;
}
