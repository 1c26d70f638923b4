// SPDX-License-Identifier: MIT
/* read-trace: our decoders on real traces. */
#include "traces/read_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/ftrace_trace.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"

struct read_arguments {
	struct read_options read;
	const char *gaps, *json;
};

/* What does not go together; NULL: all does. */
static const char *contradiction(const struct read_arguments *arguments, uint64_t subbuf_bytes,
				 bool named)
{
	const struct read_options *read = &arguments->read;

	return read->lint && (read->csv || arguments->gaps) ?
		       "--lint and --loss print neither --csv nor --gaps" :
	       arguments->json && !read->lint ? "--json goes with --lint or --loss" :
	       read->dates && !read->csv      ? "--dates goes with --csv" :
	       subbuf_bytes % 8		      ? "--subbuf takes a multiple of 8" :
	       !named			      ? "which trace? (--help lists the kinds)" :
						NULL;
}

static bool parse(int argc, char **argv, struct read_arguments *arguments, int *status)
{
	uint64_t subbuf_bytes = 0, bits = 0;
	const char *wrong;
	const struct option_entry entries[] = {
		{ "csv", NULL,
		  "print every event: for ftrace subbuffer,offset_bytes,payload_bytes,\n"
		  "stamp_ns; for CTF cpu,stamp_ns and the payload's integer fields",
		  OPTION_FLAG, .into = &arguments->read.csv },
		{ "dates", NULL,
		  "with --csv: add a column `date` (UTC) after the stamp, for CTF traces\n"
		  "whose clock has an offset",
		  OPTION_FLAG, .into = &arguments->read.dates },
		{ "lint", NULL,
		  "print only times that cannot be right, a line each, and a summary per\n"
		  "PATH; reads also Chrome's JSON, perf.data and LLVM XRay's logs (FDR)",
		  OPTION_FLAG, .into = &arguments->read.lint },
		{ "loss", NULL,
		  "print only how many events each trace says that it lost, 0 if it is\n"
		  "complete; exit code 2 if any are",
		  OPTION_FLAG, .into = &arguments->read.loss },
		{ "json", "FILE", "with --lint or --loss: also write the findings as JSON",
		  OPTION_OUT, .into = &arguments->json },
		{ "gaps", "FILE", "write the gaps between each CPU's events, for run-stress",
		  OPTION_OUT, .into = &arguments->gaps },
		{ "subbuf", "BYTES", "size of a sub-buffer (default: from header_page, or 4096)",
		  OPTION_NUMBER, .into = &subbuf_bytes, .least = FTRACE_SUBBUF_LEAST,
		  .most = FTRACE_SUBBUF_MOST },
		{ "bits", "N",
		  "width of time_delta (default: from header_event, or 27); with --lint,\n"
		  "of the narrowest stamp in a CTF trace (default: from CTF 1.8 metadata)",
		  OPTION_NUMBER, .into = &bits, .least = 1, .most = 27 },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: read-trace [options] PATH...\n"
		"PATH is a directory with a CTF trace (a file `metadata`, one file per stream), "
		"with\nsuch directories or with cpu<N>.raw files, or a file of raw ftrace "
		"sub-buffers, such as\ntrace_pipe_raw. Sub-buffers of big-endian machines and "
		"32-bit kernels are refused.\n",
		entries,
		"exit: 0 all read, 1 usage, or damage (printed with its offset), 2 --lint found "
		"something\n      (and perhaps damage, too), 3 no resource\n"
		"examples:\n  read-trace ~/lttng-traces/auto/ust/uid/1000/64-bit\n"
		"  read-trace --csv cpu0.raw cpu1.raw\n"
		"  read-trace --gaps gaps.csv tests/data/lttng\n"
		"  read-trace --lint perf.data trace.json\n",
		"PATH...",
	};

	if (!options_parse(&program, argc, argv, status))
		return false;
	arguments->read.subbuf_bytes = (uint32_t)subbuf_bytes;
	arguments->read.stamp_bits = (uint32_t)bits;
	arguments->read.lint |= arguments->read.loss;
	wrong = contradiction(arguments, subbuf_bytes, optind < argc);
	if (wrong)
		*status = fail_with(EXIT_USAGE, "%s", wrong);
	return !*status;
}

#define BELOW_MOST 5 /* a session of LTTng: archives/chunk/ust/uid/0/64-bit */

static bool is_ctf(const char *path)
{
	char metadata[PATH_MAX];

	return snprintf(metadata, sizeof(metadata), "%s/metadata", path) < PATH_MAX &&
	       !access(metadata, F_OK);
}

static int read_ctf_directory(const struct read_options *options, const char *path,
			      struct read_sum *sum)
{
	return options->lint ? read_lint(options, path, NULL, 0, sum) :
			       read_ctf(options, path, sum);
}

static int worst(int one, int other)
{
	return one > other ? one : other;
}

/*
 * CTF traces below a folder: chunks, or what a session of LTTng has in ust/uid/...; for --lint its
 * files of other formats, too. -1: none.
 */
static int read_below(const struct read_options *options, const char *path, unsigned int depth,
		      struct read_sum *sum)
{
	char below[PATH_MAX];
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort), status = -1, i;
	int bytes = (int)strlen(path);

	while (bytes > 1 && path[bytes - 1] == '/')
		bytes--;
	for (i = 0; i < count; i++) {
		if ((status <= 0 || options->lint) && names[i]->d_name[0] != '.' &&
		    snprintf(below, sizeof(below), "%.*s/%s", bytes, path, names[i]->d_name) <
			    PATH_MAX)
			status = worst(status, is_ctf(below) ?
						       read_ctf_directory(options, below, sum) :
					       options->lint && read_lint_takes(below) ?
						       read_lint(options, below,
								 (char *[]){ below }, 1, sum) :
					       depth ? read_below(options, below, depth - 1, sum) :
						       -1);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return status;
}

static int read_directory(const struct read_options *options, const char *path,
			  struct read_sum *sum)
{
	char **paths;
	unsigned int count = 0;
	int error;

	if (is_ctf(path))
		return read_ctf_directory(options, path, sum);
	paths = ftrace_list_files(path);
	while (paths && paths[count])
		count++;
	error = !count	      ? read_below(options, path, BELOW_MOST, sum) :
		options->lint ? read_lint(options, path, paths, count, sum) :
				read_ftrace(options, paths, count, sum);
	ftrace_free_files(paths);
	if (error < 0)
		return fail_with(EXIT_USAGE,
				 "%s has neither a file `metadata` nor cpu<N>.raw files, and no "
				 "folder in it has",
				 path);
	return error;
}

static int read_path(const struct read_options *options, char *path, struct read_sum *sum)
{
	struct stat stat_now;

	if (stat(path, &stat_now)) {
		return fail_with(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	}
	if (S_ISDIR(stat_now.st_mode))
		return read_directory(options, path, sum);
	if (S_ISREG(stat_now.st_mode) && stat_now.st_size && read_is_ctf_stream(path)) {
		return fail_with(EXIT_USAGE,
				 "%s is a stream of a CTF trace: name its directory, where the "
				 "metadata is",
				 path);
	}
	if (options->lint)
		return read_lint(options, path, &path, 1, sum);
	return read_lint_only(path) ? EXIT_USAGE : read_ftrace(options, &path, 1, sum);
}

/* A path that cannot be read does not end the verdicts on others. */
static int read_paths(const struct read_options *options, char **paths, int count,
		      struct read_sum *sum)
{
	size_t known;
	int status = EXIT_FINE, one, i;

	for (i = 0; i < count && (!status || options->lint); i++) {
		known = json_array_size(options->json);
		one = read_path(options, paths[i], sum);
		if (one && options->json && json_array_size(options->json) == known)
			read_lint_json(options, NULL, paths[i]);
		status = worst(status, one);
	}
	return status;
}

static int print_gaps(FILE *file, void *gaps)
{
	gap_histogram_print(file, gaps);
	return 0;
}

static int write_gaps(const char *path, struct gap_histogram *gaps)
{
	int error = file_put(AT_FDCWD, path, print_gaps, gaps);

	if (!error)
		return EXIT_FINE;
	return fail_with(error == EACCES || error == ENOENT ? EXIT_USAGE : EXIT_RESOURCE,
			 "cannot write %s: %s", path, strerror(error));
}

int main(int argc, char **argv)
{
	struct read_arguments arguments = { .read.out = stdout };
	struct read_sum sum = { .events = 0 };
	int status = EXIT_FINE;

	if (!parse(argc, argv, &arguments, &status))
		return status;
	json_own_stdout(arguments.json);
	if (arguments.json)
		arguments.read.json = json_array();
	trace_file_catch_truncation();
	status = read_paths(&arguments.read, argv + optind, argc - optind, &sum);
	if (!status && !arguments.read.csv && !arguments.read.lint && sum.events)
		gap_histogram_print(stdout, &sum.gaps);
	if (arguments.read.loss && sum.traces > 1)
		fprintf(arguments.read.out, "total: %" PRIu64 " lost\n", sum.lost);
	if (!status && arguments.gaps)
		status = write_gaps(arguments.gaps, &sum.gaps);
	if (arguments.json)
		status = worst(status, json_out(arguments.json, arguments.read.json));
	json_decref(arguments.read.json);
	if (fflush(stdout) || ferror(stdout)) {
		return fail_with(EXIT_RESOURCE, "cannot write to standard output: %s",
				 strerror(errno));
	}
	if (!status && sum.faulty)
		status = EXIT_USAGE;
	if (sum.found)
		status = worst(status, EXIT_BROKEN);
	if (sum.stopped)
		end_now(status);
	return status;
}
