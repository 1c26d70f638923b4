// SPDX-License-Identifier: MIT
#include "judge/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/ctf_metadata.h"
#include "traces/ftrace_trace.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/options.h"

const char *const export_ctf_words[] = { "1.8", "2", NULL };

bool export_possible(const struct driver *driver, bool ctf2)
{
	return !driver->desc->untimed && driver->format.kind != FORMAT_OWN &&
	       (ctf2 || driver->format.kind != FORMAT_VARINT);
}

bool export_refused(const struct driver *driver, bool ctf2)
{
	if (export_possible(driver, ctf2))
		return false;
	if (export_possible(driver, true))
		fail_line("%s has stamps of a variable length: --ctf 2 exports it", driver->row);
	else
		fail_line("%s has no stamps, or a format of its own: not exported", driver->row);
	return true;
}

static bool is_ftrace(const struct export *export)
{
	return export->driver->format.kind == FORMAT_FTRACE;
}

/* Says once what failed; `error` is a negative errno. */
static int failed(struct export *export, int error)
{
	if (!export->error && error == -EEXIST)
		fail_line("cannot export to %s: it or %s is there already; remove "
			  "it, or name another place",
			  export->dir, export->partial);
	else if (!export->error)
		fail_line("cannot export to %s: %s; nothing of it is kept%s", export->dir,
			  strerror(-error),
			  error == -ENOSPC || error == -EDQUOT ?
				  "; make room or name another place" :
				  "");
	export->error = error;
	if (error == -ENOSPC || error == -EDQUOT || error == -ENOMEM || error == -EMFILE)
		return EXIT_RESOURCE;
	return EXIT_USAGE;
}

/* ---- what describes the trace ---- */

static int put_metadata(FILE *text, void *description)
{
	return ctf_metadata_write(text, description);
}

static int write_metadata(const struct export *export)
{
	const struct driver *driver = export->driver;
	struct ctf_description description = {
		.format = driver->format,
		.stamp_bits = export->config.stamp_bits,
		.cut_bits = scheme_cut_bits(driver->desc, export->config.stamp_bits),
		.align_bytes = driver->desc->alignment,
		.timed = driver->timed,
		.filler_bytes = export->config.fixed_bytes - driver->payload_bytes,
		.hz = export->hz,
		.pair = export->pair,
		.ctf2 = export->ctf2,
	};

	return -file_put_new(export->dirfd, "metadata", put_metadata, &description);
}

static int write_description(const struct export *export)
{
	const struct ftrace_format format = {
		.subbuf_bytes = 1u << export->config.subbuf_shift,
		.stamp_bits = export->config.stamp_bits,
	};

	if (is_ftrace(export))
		return ftrace_format_write(export->dirfd, &format);
	return write_metadata(export);
}

/* A field of n bytes has 7 n bits to other readers, however few of them a narrow field uses. */
static int check_width(const struct driver *driver, const struct ring_config *config)
{
	uint32_t bits = 7u * driver->format.stamp_bytes;

	if (driver->format.kind != FORMAT_VARINT || config->stamp_bits == bits)
		return 0;
	return fail_with(EXIT_USAGE,
			 "%s is exported with the %u bits of its fields, not %u: "
			 "leave the width as it is",
			 driver->row, bits, config->stamp_bits);
}

int export_begin(struct export *export, const char *dir, const struct buffer *buffer)
{
	int error = 0;

	*export = (struct export){ .driver = buffer->driver, .config = buffer->config };
	export->dirfd = -1;
	error = check_width(buffer->driver, &buffer->config);
	if (error)
		return error;
	export->dir = strdup(dir);
	if (!export->dir || asprintf(&export->partial, "%s.partial", dir) < 0) {
		fail_line("no memory to export to %s", dir);
		free(export->dir);
		export->dir = NULL;
		return EXIT_RESOURCE;
	}
	if (!access(dir, F_OK))
		error = -EEXIST;
	else if (mkdir(export->partial, 0777))
		error = -errno;
	else
		export->dirfd = open(export->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!error && export->dirfd >= 0)
		return 0;
	if (!error) {
		error = -errno;
		rmdir(export->partial);
	}
	failed(export, error);
	return export_end(export);
}

void export_as_ctf2(struct export *export)
{
	export->ctf2 = true;
}

void export_date(struct export *export, const struct clock_pair *pair, uint64_t hz)
{
	export->pair = *pair;
	export->hz = hz;
}

/* ---- sub-buffers ---- */

/* The file of `cpu`; NULL, with errno set. */
static FILE *file_of(struct export *export, uint32_t cpu)
{
	struct export_file *more;
	char name[32];
	unsigned int i;
	FILE *out;
	int fd;

	for (i = 0; i < export->count; i++)
		if (export->files[i].cpu == cpu)
			return export->files[i].out;
	more = realloc(export->files, (export->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	export->files = more;
	snprintf(name, sizeof(name), is_ftrace(export) ? "cpu%" PRIu32 ".raw" : "cpu%" PRIu32, cpu);
	fd = openat(export->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out)
		more[export->count++] = (struct export_file){ .cpu = cpu, .out = out };
	else if (fd >= 0)
		close(fd);
	return out;
}

static void write_subbuf(struct export *export, FILE *out, const struct ring *ring, uint64_t number)
{
	uint64_t content = ring_content(ring, number), i;

	if (!content)
		return;
	fwrite(ring_subbuf_base(ring, number), 1, content, out);
	/* Bytes after the records are of an earlier round. */
	for (i = content; i < ring_subbuf_bytes(ring); i++)
		putc(0, out);
	export->bytes += ring_subbuf_bytes(ring);
}

int export_subbufs(struct export *export, const struct buffer *buffer, uint64_t first,
		   uint64_t last)
{
	const struct ring *ring = buffer_ring(buffer);
	uint64_t number;
	FILE *out;

	if (export->error)
		return EXIT_RESOURCE;
	if (is_ftrace(export) && ring->subbuf_shift != export->config.subbuf_shift)
		return failed(export, -EINVAL);
	out = file_of(export, ring->cpu);
	for (number = first; number < last && out && !ferror(out); number++)
		write_subbuf(export, out, ring, number);
	return out && !ferror(out) ? 0 : failed(export, -errno);
}

/* ---- the end ---- */

static void close_files(struct export *export)
{
	unsigned int i;

	for (i = 0; i < export->count; i++)
		if (fclose(export->files[i].out) && !export->error)
			failed(export, -errno);
	free(export->files);
	export->files = NULL;
	export->count = 0;
}

static void remove_partial(const struct export *export)
{
	DIR *stream = opendir(export->partial);
	const struct dirent *entry;

	/* A trace is flat. */
	while (stream && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(export->dirfd, entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(export->partial);
}

static void free_all(struct export *export)
{
	if (export->dirfd >= 0)
		close(export->dirfd);
	free(export->dir);
	free(export->partial);
	*export = (struct export){ .dirfd = -1 };
}

int export_end(struct export *export)
{
	int error = export->error ? 0 : write_description(export);

	if (error)
		error = failed(export, error);
	close_files(export);
	if (!export->error && rename(export->partial, export->dir))
		error = failed(export, -errno);
	else if (export->error)
		error = failed(export, export->error);
	if (error && export->dirfd >= 0)
		remove_partial(export);
	free_all(export);
	return error;
}
