// SPDX-License-Identifier: MIT
/*
 * read-trace --lint: what a file is, which importer takes it, and what is said of it. Each trace is
 * read in a child: one that ends its reader does not end the verdict on others.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/json.h"
#include "traces/lint_formats.h"
#include "traces/read_trace.h"

/* The exit code of the child of a trace that was read, and what was seen. */
enum { DONE = 64, DONE_DAMAGED = 1, DONE_FOUND = 2 };

/* What a file begins with, and what it is; then an importer, or what unpacks it. */
struct lint_form {
	const char *magic;
	uint8_t bytes;
	const char *name;
	lint_importer *importer;
	const char *unpack;
};

/* What no other kind of file begins with. */
static const struct lint_form certain[] = {
	{ "PERFILE2", 8, "perf.data", lint_perf, NULL },
	{ "\x1f\x8b\x08", 3, "packed (gunzip)", NULL, "gzip" },
	{ "\x28\xb5\x2f\xfd", 4, "packed (unzstd)", NULL, "zstd" },
	{ "\xfd\x37zXZ", 5, "packed (unxz)", NULL, "xz" },
	{ "PK\3\4", 4, "a ZIP archive: unzip it", NULL, NULL },
	{ "\x7f\x45LF", 4, "a program (ELF): name its trace", NULL, NULL },
	{ "PERFFILE", 8, "perf.data of a perf before 2009: perf inject -i FILE -o NEW", NULL,
	  NULL },
	{ "\x17\x08\x44tracing", 10,
	  "trace.dat of trace-cmd (trace-cmd dump shows its parts): save "
	  "trace_pipe_raw of each CPU as cpu<N>.raw",
	  NULL, NULL },
	{ "Ftrace!", 7, "a file of uftrace: uftrace dump --chrome >trace.json", NULL, NULL },
	{ "\x10\0\4FxT\x16", 8, "Fuchsia's trace: traceconv json FILE trace.json", NULL, NULL },
	{ "SQLite format", 13, "a database: export it as Chrome's JSON", NULL, NULL },
	{ "FLR", 4, "a recording of Java's Flight Recorder: convert it to JSON", NULL, NULL },
	{ "Nettrace", 8, "dotnet's: dotnet-trace convert --format Chromium", NULL, NULL },
};

#define READ_HERE "CTF, ftrace, perf.data, Chrome's JSON and XRay's logs are read"

/* What may also be the first bytes of a stamp; then what other bytes say. */
static const struct lint_form others[] = {
	{ "", 0, "no trace that is known here: " READ_HERE, NULL, NULL },
	{ "", 0, "text, and no JSON: " READ_HERE, NULL, NULL },
	{ "", 0, "Perfetto's trace: traceconv json FILE trace.json", NULL, NULL },
	{ "", 0, "XRay's log", lint_xray, NULL },
	{ "", 0, "Chrome's JSON", lint_chrome, NULL },
	{ "\xef\xbb\xbf", 3, "Chrome's JSON", lint_chrome, NULL },
	{ "\xff\xfe", 2, "UTF-16: iconv -f UTF-16 -t UTF-8", NULL, NULL },
	{ "\xfe\xff", 2, "UTF-16: iconv -f UTF-16 -t UTF-8", NULL, NULL },
	{ "//", 2, "JSON with comments: take them out", NULL, NULL },
	{ "/*", 2, "JSON with comments: take them out", NULL, NULL },
	{ "# tracer:", 9,
	  "text of ftrace, without ns: save trace_pipe_raw of each CPU as cpu<N>.raw", NULL, NULL },
	{ "<", 1, "HTML or XML, such as systrace's: traceconv json FILE trace.json", NULL, NULL },
};
enum { UNKNOWN, TEXT, PERFETTO, XRAY, CHROME, OTHERS };

static const struct lint_form *find(const struct lint_form *forms, size_t count,
				    const struct trace_file *file)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (forms[i].bytes && file->size >= forms[i].bytes &&
		    !memcmp(file->bytes, forms[i].magic, forms[i].bytes))
			return &forms[i];
	return NULL;
}

/* May it be a sub-buffer: by its header, of any byte order and word size, or by its name? */
static bool is_subbuf(const struct trace_file *file)
{
	const char *name = strrchr(file->path, '/');
	uint64_t commit, most = FTRACE_SUBBUF_MOST;
	unsigned int cpu;
	int end = 0;

	name = name ? name + 1 : file->path;
	if (sscanf(name, "cpu%u.raw%n", &cpu, &end) == 1 && end && !name[end])
		return true;
	if (file->size < FTRACE_HEADER_BYTES)
		return false;
	commit = ftrace_commit(file->bytes);
	if (!file->bytes[0] && !commit)
		return true; /* zeros, which its reader names */
	return (commit & ~(FTRACE_COMMIT_LOST | FTRACE_COMMIT_COUNT)) - 1 < most ||
	       __builtin_bswap64(commit) - 1 < most || ftrace_is_narrow(commit);
}

static bool is_text(const struct trace_file *file)
{
	uint64_t i;

	for (i = 0; i < file->size && i < 64; i++)
		if (!strchr("\t\r\n", file->bytes[i]) && file->bytes[i] < ' ')
			return false;
	return true;
}

/* NULL: sub-buffers of ftrace. */
static const struct lint_form *form_of(const struct trace_file *file)
{
	const uint8_t *bytes = file->bytes;
	const struct lint_form *form = find(certain, sizeof(certain) / sizeof(*certain), file);
	uint64_t at = 0;

	if (form)
		return form;
	/* version, and type 1: flight data recorder; the two flags */
	if (file->size >= 8 && bytes[0] >= 3 && bytes[0] <= 5 && !bytes[1] && bytes[2] == 1 &&
	    !bytes[3] && bytes[4] <= 3 && !bytes[5])
		return &others[XRAY];
	if (is_subbuf(file))
		return NULL;
	form = find(others, sizeof(others) / sizeof(*others), file);
	while (at < file->size && bytes[at] && strchr(" \t\r\n", bytes[at]))
		at++;
	if (!form && at < file->size && (bytes[at] == '[' || bytes[at] == '{'))
		return &others[CHROME];
	return form		? form :
	       is_text(file)	? &others[TEXT] :
	       bytes[0] == '\n' ? &others[PERFETTO] :
				  &others[UNKNOWN];
}

static bool is_file(const char *path)
{
	struct stat stat_now;

	return !stat(path, &stat_now) && S_ISREG(stat_now.st_mode) && stat_now.st_size;
}

/* The form of a file; UNKNOWN if the file cannot be read. */
static const struct lint_form *form_at(const char *path)
{
	const struct lint_form *form = &others[UNKNOWN];
	struct trace_file file;

	if (!is_file(path) || trace_file_open(&file, path))
		return form;
	form = form_of(&file);
	trace_file_close(&file);
	return form;
}

bool read_lint_takes(const char *path)
{
	const struct lint_form *form = form_at(path);

	return form && (form->importer || (form->unpack && strstr(path, ".json.")));
}

bool read_lint_only(const char *path)
{
	const struct lint_form *form = form_at(path);

	if (!form || form == &others[UNKNOWN] || form == &others[TEXT])
		return false;
	fail_line("%s is %s%s", path, form->name,
		  form->importer || form->unpack ? ": add --lint" : "");
	return true;
}

static void to_file(void *file)
{
	dup2(fileno(file), STDOUT_FILENO);
}

/* What another program makes of the file, in its place. An exit code, after a line on stderr. */
static int unpack(struct trace_file *file, const char *name, struct trace_fault *fault)
{
	const char *const argv[] = { name, "-dc", "--", file->path, NULL };
	FILE *to = tmpfile();
	const struct child_program program = {
		.argv = argv, .errors = "/dev/null", .quiet = true, .prepare = to_file, .arg = to
	};
	char *path = file->path;
	int code;

	if (!to)
		return fail_with(EXIT_RESOURCE, "%s: no temporary file to unpack it into", path);
	code = child_run(&program, NULL);
	if (code < 0) {
		fclose(to);
		return fail_with(EXIT_RESOURCE,
				 "%s is packed, and there is no program %s: install it", path,
				 name);
	}
	file->path = NULL;
	trace_file_close(file);
	if (trace_file_map(file, fileno(to), path))
		code = EXIT_RESOURCE;
	else if (code)
		trace_fault(fault, file->size, "%s ends early there: it is cut, or damaged", name);
	fclose(to);
	free(path);
	return code == EXIT_RESOURCE ? EXIT_RESOURCE : 0;
}

/* A file that is read by its first bytes; `*taken`: that was one. */
static int lint_file(struct lint *lint, const char *path, bool *taken)
{
	struct trace_fault fault = { .set = false }, packed = { .set = false };
	const struct lint_form *form;
	struct trace_file file;
	int error;

	/* What is no file can be read once only. */
	if (!is_file(path))
		return 0;
	error = trace_file_open(&file, path);
	if (error)
		return error;
	form = form_of(&file);
	if (form && form->unpack) {
		error = unpack(&file, form->unpack, &packed);
		form = error || !file.size ? &others[UNKNOWN] : form_of(&file);
		if (!form || form->unpack)
			form = &others[UNKNOWN];
	}
	if (!error && form && form->importer)
		form->importer(lint, &file, &fault);
	else if (!error && form && !packed.set)
		trace_fault(&fault, TRACE_NOWHERE, "this is %s", form->name);
	*taken = form;
	lint_damage(lint, path, &packed);
	lint_damage(lint, path, &fault);
	trace_file_close(&file);
	return error;
}

/* The trace, in this process. An exit code if nothing can be said of it. */
static int lint_trace(const struct read_options *options, struct lint *lint, const char *path,
		      char **paths, unsigned int count)
{
	struct trace_fault none = { .set = false };
	struct ftrace_format format;
	bool taken = false;
	unsigned int i;
	int error;

	error = count ? 0 : lint_ctf(lint, path);
	if (count == 1)
		error = lint_file(lint, path, &taken);
	for (i = 0; i < count && !taken && !error; i++) {
		error = read_ftrace_format(options, paths[i], &format);
		if (!error)
			error = lint_ftrace(lint, paths[i], &format);
	}
	if (error)
		return error;
	lint_finish(lint);
	if (!lint_sums(lint).events && !lint_sums(lint).found && !lint->fault.set) {
		trace_fault(&none, TRACE_NOWHERE, "no event was read%s", lint->skipped);
		lint_damage(lint, path, &none);
	}
	return 0;
}

/* In the child; its exit code. */
static int lint_and_say(const struct read_options *options, const char *path, char **paths,
			unsigned int count, FILE *to)
{
	struct lint lint = {
		.unit = "ns", .hz = 1000000000, .place_name = "offset", .bits = options->stamp_bits
	};
	int code = lint_trace(options, &lint, path, paths, count);
	bool stopped = lint.stopped;
	json_t *one;

	if (!code) {
		code = DONE | (lint.fault.set ? DONE_DAMAGED : 0);
		if (options->loss ? lint_print_loss(&lint, options->out, path) :
				    lint_print(&lint, options->out, path))
			code |= DONE_FOUND;
		one = lint_json(&lint, path);
		if (to && json_dumpf(one, to, 0))
			code = EXIT_RESOURCE;
		json_decref(one);
	}
	lint_free(&lint);
	if (fflush(NULL))
		code = fail_with(EXIT_RESOURCE, "cannot write to standard output");
	/* What the library holds is lost where it was stopped. */
	if (stopped)
		end_now(code);
	return code;
}

uint64_t read_lint_json(const struct read_options *options, FILE *from, const char *path)
{
	json_t *one = NULL;
	uint64_t lost;

	if (from) {
		rewind(from);
		one = json_loadf(from, 0, NULL);
		fclose(from);
	}
	if (!one && options->json)
		one = json_pack("{s:o, s:b, s:s, s:i, s:i, s:{}, s:[]}", "trace", json_safe(path),
				"damaged", true, "why", "it could not be read", "events", 0, "lost",
				0, "found", "findings");
	lost = (uint64_t)json_integer_value(json_object_get(one, "lost"));
	if (options->json)
		json_array_append_new(options->json, one);
	else
		json_decref(one);
	return lost;
}

int read_lint(const struct read_options *options, const char *path, char **paths,
	      unsigned int count, struct read_sum *sum)
{
	const bool keeps = options->json || options->loss;
	FILE *to = keeps ? tmpfile() : NULL;
	pid_t pid;
	int code;

	if (keeps && !to)
		return fail_with(EXIT_RESOURCE, "no temporary file for the findings of %s", path);
	pid = child_fork(SIGKILL);
	if (!pid)
		exit(lint_and_say(options, path, paths, count, to));
	code = pid < 0 ? EXIT_RESOURCE : child_wait(pid);
	sum->lost += read_lint_json(options, to, path);
	sum->traces++;
	if ((code & ~(DONE_DAMAGED | DONE_FOUND)) != DONE) {
		if (code > EXIT_NOISY)
			child_ended_early(path, code);
		return code > EXIT_NOISY ? EXIT_USAGE : code;
	}
	sum->faulty |= code & DONE_DAMAGED;
	sum->found |= code & DONE_FOUND;
	return 0;
}
