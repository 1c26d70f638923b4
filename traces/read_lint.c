// SPDX-License-Identifier: MIT
/* read-trace --lint: which importer takes a trace, and what is said of it. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "traces/lint_formats.h"
#include "traces/read_trace.h"

static lint_importer *importer_of(const struct trace_file *file)
{
	static const uint8_t xray[] = { 1, 0 };
	uint64_t at = 0;

	if (file->size >= 8 && !memcmp(file->bytes, "PERFILE2", 8))
		return lint_perf;
	/* version, and type 1: flight data recorder; the two flags */
	if (file->size >= 8 && file->bytes[0] >= 3 && file->bytes[0] <= 5 && !file->bytes[1] &&
	    !memcmp(file->bytes + 2, xray, 2) && file->bytes[4] <= 3 && !file->bytes[5])
		return lint_xray;
	while (at < file->size && strchr(" \t\r\n", file->bytes[at]))
		at++;
	return at < file->size && strchr("[{", file->bytes[at]) ? lint_chrome : NULL;
}

/* A file that is read by its first bytes; `*taken`: that was one. */
static int lint_file(struct lint *lint, const char *path, bool *taken, bool *damaged)
{
	struct trace_fault fault = { .set = false };
	lint_importer *importer;
	struct trace_file file;
	struct stat stat_now;
	int error;

	/* What is no file can be read once only. */
	if (stat(path, &stat_now) || !S_ISREG(stat_now.st_mode) || !stat_now.st_size)
		return 0;
	error = trace_file_open(&file, path);
	if (error)
		return error;
	importer = importer_of(&file);
	*taken = importer;
	if (importer)
		importer(lint, &file, &fault);
	trace_file_close(&file);
	*damaged = fault.set;
	if (fault.set)
		fail_line("%s: %s %" PRIu64 ": %s", path, lint->place_name, fault.offset,
			  fault.text);
	return 0;
}

int read_lint(const struct read_options *options, const char *path, char **paths,
	      unsigned int count, struct read_sum *sum)
{
	struct lint lint = {
		.unit = "ns", .hz = 1000000000, .place_name = "offset", .bits = options->stamp_bits
	};
	struct ftrace_format format;
	bool damaged = false, taken = false;
	unsigned int i;
	int error;

	error = count ? 0 : lint_ctf(&lint, path, &damaged);
	if (count == 1)
		error = lint_file(&lint, path, &taken, &damaged);
	for (i = 0; i < count && !taken && !error; i++) {
		error = read_ftrace_format(options, paths[i], &format);
		if (!error)
			error = lint_ftrace(&lint, paths[i], &format, &damaged);
	}
	if (!error && lint.no_memory)
		error = fail_memory("the times of a trace");
	if (!error) {
		lint_finish(&lint);
		sum->found |= lint_print(&lint, options->out, path, damaged);
		if (options->json)
			json_array_append_new(options->json, lint_json(&lint, path, damaged));
		sum->faulty |= damaged;
	}
	lint_free(&lint);
	return error;
}
