// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a file of the format whose importer is IMPORTER, judged and printed. Of
 * CTF as a folder: how long the metadata is, in two bytes, then the metadata and a stream. Of
 * ftrace (FTRACE) the first byte chooses the size of a sub-buffer and the width of time_delta.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/lint_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef IN_FOLDER
static void put(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		__builtin_trap();
}

static void import(struct lint *lint, const uint8_t *data, size_t size, struct trace_fault *fault)
{
	size_t text = size < 2 ? 0 : (data[0] | data[1] << 8) % (size - 1);
	char folder[] = "/tmp/stampede-fuzz-XXXXXX", metadata[64], stream[64];

	if (size < 2)
		return;
	if (!mkdtemp(folder))
		__builtin_trap();
	snprintf(metadata, sizeof(metadata), "%s/metadata", folder);
	snprintf(stream, sizeof(stream), "%s/stream", folder);
	put(metadata, data + 2, text);
	put(stream, data + 2 + text, size - 2 - text);
	lint_ctf(lint, folder);
	*fault = lint->fault;
	unlink(metadata);
	unlink(stream);
	rmdir(folder);
}
#elif defined(FTRACE)
static void import(struct lint *lint, const uint8_t *data, size_t size, struct trace_fault *fault)
{
	struct ftrace_format format;
	int file = memfd_create("f", 0);
	char path[32];

	if (file < 0 || (size && write(file, data + 1, size - 1) != (ssize_t)size - 1))
		__builtin_trap();
	format.subbuf_bytes = 64u << (size ? *data & 7 : 0) % 5;
	format.stamp_bits = !size || *data & 8 ? 27 : 1 + (*data >> 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	lint_ftrace(lint, path, &format);
	*fault = lint->fault;
	close(file);
}
#else
static void import(struct lint *lint, const uint8_t *data, size_t size, struct trace_fault *fault)
{
	struct trace_file file = { .path = "f", .size = size };
	/* On the heap with nothing behind it: one that reads on is caught. */
	uint8_t *bytes = malloc(size);

	if (!size || !bytes) {
		free(bytes);
		return;
	}
	file.bytes = memcpy(bytes, data, size);
	IMPORTER(lint, &file, fault);
	free(bytes);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lint lint = { .unit = "ns", .hz = 1000000000, .place_name = "offset" };
	struct trace_fault fault = { .set = false };
	static FILE *out;

	if (!out)
		out = fopen("/dev/null", "w");
	if (!out)
		return 0;
	import(&lint, data, size, &fault);
	lint.fault = fault;
	lint_finish(&lint);
	if (lint_print(&lint, out, "f") != (lint_sums(&lint).found > 0))
		__builtin_trap();
	json_decref(lint_json(&lint, "f"));
	lint_free(&lint);
	return 0;
}
