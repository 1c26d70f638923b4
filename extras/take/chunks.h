/* SPDX-License-Identifier: MIT */
/* The files of a trace: a folder for each chunk, and in it metadata and a file for each ring. */
#ifndef STAMPEDE_EXTRAS_TAKE_CHUNKS_H
#define STAMPEDE_EXTRAS_TAKE_CHUNKS_H

/* `value` in `digits`, or in as many as it takes. */
static inline const char *trace_name(char name[24], uint64_t value, int digits)
{
	char *at = name + 23;

	for (*at = 0; value || digits > 0; value /= 10, digits--)
		*--at = (char)('0' + value % 10);
	return at;
}

/* Never 0, which means none. */
static inline int trace_file(int in, const char *name, int flags)
{
	int file = openat(in, name, flags | O_CLOEXEC, 0666), other;

	if (file)
		return file;
	other = fcntl(file, F_DUPFD_CLOEXEC, 3);
	(close)(file);
	return other;
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

/* Makes folder `name` and its metadata, all of it or none; the folder, or -1. */
static inline int trace_folder(const struct tracing *all, int in, const char *name)
{
	int folder, text = -1;
	bool good = false;

	if (mkdirat(in, name, 0777) && errno != EEXIST)
		return -1;
	folder = trace_file(in, name, O_RDONLY | O_DIRECTORY);
	if (folder >= 0)
		text = trace_file(folder, ".metadata", O_WRONLY | O_CREAT | O_TRUNC);
	if (text >= 0) {
		good = trace_put(text, all->text, all->text_bytes, 0);
		good = !(close)(text) && good && !renameat(folder, ".metadata", folder, "metadata");
	}
	if (good)
		return folder;
	if (folder >= 0) {
		unlinkat(folder, ".metadata", 0);
		(close)(folder);
	}
	return -1;
}

static inline void trace_remove(const struct tracing *all, uint64_t number)
{
	char name[24], file[24];
	const char *of = trace_name(name, number, 6);
	int i, folder = trace_file(all->folder, of, O_RDONLY | O_DIRECTORY);

	if (folder < 0)
		return;
	for (i = 0; i < THREADS; i++)
		unlinkat(folder, trace_name(file, (uint64_t)i, 1), 0);
	unlinkat(folder, "metadata", 0);
	(close)(folder);
	unlinkat(all->folder, of, AT_REMOVEDIR);
}

/* Ends the chunk: what is written early belongs to the next one, where it will be whole. */
static inline void trace_chunk_end(struct tracing *all, bool early)
{
	struct trace_slot *slot;
	int i;

	for (i = 0; i < THREADS; i++) {
		slot = &all->slots[i];
		if (slot->file > 0 && !early && slot->early &&
		    ftruncate(slot->file, (off_t)slot->at))
			all->counts.error = errno;
		if (slot->file > 0)
			(close)(slot->file);
		slot->file = 0;
		slot->at = slot->early = 0;
	}
	if (all->chunk > 0)
		(close)(all->chunk);
	all->chunk = 0;
	all->chunk_bytes = 0;
}

static inline bool trace_chunk_begin(struct tracing *all)
{
	const struct trace_options *options = &all->options;
	char name[24];
	const char *number;

	do { /* a folder of an earlier run has its chunks already */
		number = trace_name(name, ++all->chunk_number - 1, 6);
	} while (!faccessat(all->folder, number, F_OK, 0));
	all->chunk = trace_folder(all, all->folder, number);
	if (all->chunk < 0) {
		all->counts.error = errno;
		all->chunk = 0;
		unlinkat(all->folder, number, AT_REMOVEDIR);
		all->chunk_number--;
		return false;
	}
	if (!all->counts.chunks++)
		all->chunk_first = all->chunk_number;
	all->chunk_since = clock_steady();
	if (options->chunks && all->chunk_number >= all->chunk_first + options->chunks)
		trace_remove(all, all->chunk_number - 1 - options->chunks);
	return true;
}

/* A packet at the end of its ring's file. `early`: it will come again, and takes its place. */
static inline bool trace_append(struct tracing *all, struct trace_slot *slot,
				const struct packet *packet, bool early)
{
	const uint64_t page = 4096, most = all->options.chunk_bytes;
	char name[24];
	bool good;

	if (all->chunk && most && all->chunk_bytes && all->chunk_bytes + packet->size > most)
		trace_chunk_end(all, false);
	if (!all->chunk && !trace_chunk_begin(all))
		return false;
	if (!slot->file)
		slot->file =
			trace_file(all->chunk, trace_name(name, (uint64_t)(slot - all->slots), 1),
				   O_WRONLY | O_CREAT);
	if (slot->file < 0) {
		all->counts.error = errno;
		slot->file = 0;
		return false;
	}
	/* Over one that is there already its first page comes last: with it all is valid at once.
	 */
	good = slot->early && packet->size > page ?
		       trace_put(slot->file, packet->bytes + page, packet->size - page,
				 slot->at + page) &&
			       trace_put(slot->file, packet->bytes, page, slot->at) :
		       trace_put(slot->file, packet->bytes, packet->size, slot->at);
	if (!good) {
		all->counts.error = errno;
		slot->early = 0;
		if (ftruncate(slot->file, (off_t)slot->at))
			all->counts.error = errno;
		return false;
	}
	slot->early = early ? packet->events : 0;
	if (early)
		return true;
	slot->at += packet->size;
	all->chunk_bytes += packet->size;
	all->counts.packets++;
	all->counts.events += packet->events;
	all->counts.back += packet->back;
	all->counts.bytes += packet->size;
	return true;
}

#endif
