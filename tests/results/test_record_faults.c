// SPDX-License-Identifier: MIT
/*
 * The record of a run under what goes wrong around it: a second run, kills, a full disk, missing
 * rights. After each, earlier results must be as they were, byte for byte.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/support/record_fixture.h"

#define KILLS 200

/* As fork(), but the child does not outlive a test that fails. */
static pid_t fork_bound(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void __attribute__((noreturn)) sleep_until_killed(void)
{
	alarm(60);
	for (;;)
		pause();
}

/* A process that has created a record, and sleeps until it is killed. */
static pid_t start_holder(const struct fixture *f)
{
	int ready[2];
	pid_t pid;
	char said;

	assert_int_equal(pipe(ready), 0);
	pid = fork_bound();
	if (!pid) {
		struct record *rec;

		if (record_create(f->root, ALIAS, &rec) || write(ready[1], "", 1) != 1)
			_exit(1);
		sleep_until_killed();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &said, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_process(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static int next_descriptor(void)
{
	const int next = dup(0);

	close(next);
	return next;
}

static mode_t mode_of(const char *path)
{
	struct stat its;

	assert_int_equal(stat(path, &its), 0);
	return its.st_mode & 07777;
}

static void second_run_is_refused_before_it_touches(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	const int next = next_descriptor();
	pid_t holder = start_holder(f);
	int before = entry_count(f->root), file, kept;
	struct record *rec;

	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE,
		     "results/.lock shows its pid");
	assert_null(rec);
	assert_int_equal(entry_count(f->root), before);
	end_process(holder);
	/* The kernel dropped the lock with its holder: nothing to clean up by hand. */
	for (int again = 0; again < 2; again++) {
		assert_works(record_create(f->root, ALIAS, &rec));
		assert_fails(record_create(f->root, ALIAS, &(struct record *){ NULL }),
			     EXIT_RESOURCE, "in use by another run");
		/* No program that is started has its folders, lock or rows. */
		for (file = next, kept = 0; file < next + 9; file++)
			kept += fcntl(file, F_GETFD) == FD_CLOEXEC;
		assert_int_equal(kept, 4);
		assert_int_equal(mode_of(f->root), 0755);
		assert_int_equal(mode_of(record_dir(rec)), 0755);
		assert_int_equal(mode_of(path_in(record_dir(rec), "rows.jsonl")), 0644);
		record_abort(rec);
		assert_int_equal(next_descriptor(), next);
	}
	assert_earlier_intact(f, &e);
}

/* What a run that will be killed says it has done; at most PIPE_BUF, so never cut. */
struct report {
	char name[64];
	int rows;
	bool finished;
};

/* Runs of three rows, one after the other, until killed. */
static void run_until_killed(const struct fixture *f, int reports)
{
	for (;;) {
		struct report report = { .rows = 0 };
		struct record *rec;

		if (record_create(f->root, ALIAS, &rec) || set_context(rec))
			_exit(1);
		snprintf(report.name, sizeof(report.name), "%s", strrchr(record_dir(rec), '/') + 1);
		while (report.rows < 3) {
			if (add_row(rec, report.rows++) ||
			    write(reports, &report, sizeof(report)) != sizeof(report))
				_exit(1);
		}
		report.finished = true;
		if (record_finish(rec) || write(reports, &report, sizeof(report)) != sizeof(report))
			_exit(1);
	}
}

static void check_report(const struct fixture *f, const struct report *report)
{
	const char *bench = path_in(f->root, "%s/bench.json", report->name);
	json_t *json = load(f, report->name, report->finished || exists(bench), 0);

	assert_true((int)json_array_size(json_object_get(json, "benchmarks")) >= report->rows);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "context"), "host_name")),
		ALIAS);
	json_decref(json);
}

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void kills_lose_no_row_and_break_no_run(void **state)
{
	struct fixture *f = *state;
	long start_us = now_us();
	struct earlier e = make_earlier(f);
	/* Some runs' time, as this disk flushes: kills should meet every stage of a run. */
	int range_us = 5000 + 4 * (int)(now_us() - start_us);
	/* Of a busy machine at most: 200 waits are 6 s. */
	range_us = range_us > 60000 ? 60000 : range_us;
	unsigned int seed = 1;
	int finished = 0;
	int rows = 0;

	for (int i = 0; i < KILLS; i++) {
		long wait_us = rand_r(&seed) % range_us;
		struct timespec wait = { wait_us / 1000000, wait_us % 1000000 * 1000 };
		struct report report;
		int reports[2];
		pid_t pid;

		assert_int_equal(pipe(reports), 0);
		pid = fork_bound();
		if (!pid)
			run_until_killed(f, reports[1]);
		close(reports[1]);
		nanosleep(&wait, NULL);
		end_process(pid);
		while (read(reports[0], &report, sizeof(report)) == sizeof(report)) {
			check_report(f, &report);
			rows += !report.finished;
			finished += report.finished;
		}
		close(reports[0]);
		assert_int_equal(loaded_rows(f, "latest", true, 0), 3);
	}
	/* The kills hit runs at work, and not only their first instructions. */
	assert_true(rows > KILLS / 2 && finished > KILLS / 10);
	print_message("%d kills: %d rows and %d ends reported, all read back\n", KILLS, rows,
		      finished);
	assert_int_equal(loaded_rows(f, e.name, true, 0), 3);
	free(e.bench);
	/* A killed run may leave its temporary link, and the next one sweeps it away. */
	assert_true(exists(path_in(f->root, ".latest.tmp")) ||
		    !symlink("gone", path_in(f->root, ".latest.tmp")));
	e = make_earlier(f);
	assert_earlier_intact(f, &e);
}

/* A reader that looks all the time finds a whole run behind latest, whatever the writer does. */
static void latest_flips_atomically(void **state)
{
	struct fixture *f = *state;
	const char *bench = path_in(f->root, "latest/bench.json");
	const char *latest = path_in(f->root, "latest");
	char name[NAME_MAX];
	int status;
	pid_t reader;

	finish_run(f, 1, name);
	assert_latest(f, name);
	reader = fork_bound();
	if (!reader) {
		char target[64];

		for (;;) {
			int fd = open(bench, O_RDONLY);

			if (fd < 0 || readlink(latest, target, sizeof(target)) < 1)
				_exit(1);
			close(fd);
		}
	}
	for (int i = 0; i < 100; i++) {
		finish_run(f, 1, name);
		assert_latest(f, name);
	}
	assert_int_equal(kill(reader, SIGTERM), 0);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void directory_in_place_of_latest_is_left_alone(void **state)
{
	static const char *const said[][2] = {
		{ "replace by our link %s/latest: Is a directory", "latest/mine" },
		{ "create %s/.latest.tmp: Is a directory", ".latest.tmp/mine" }
	};
	struct fixture *f = *state;
	char name[NAME_MAX];
	struct record *rec;
	int i;

	for (i = 0; i < 2; i++) {
		rec = begin_run(f, 2, name);
		scratch_put(f->root, said[i][1], "x", 1);
		assert_fails(record_finish(rec), EXIT_RESOURCE,
			     path_in("", said[i][0], f->root) + 1);
		assert_true(exists(path_in(f->root, "%s", said[i][1])));
		assert_int_equal(exists(path_in(f->root, ".latest.tmp")), i);
		assert_int_equal(loaded_rows(f, name, true, 0), 2);
	}
}

/* No file becomes shorter. */
static bool stays;

int ftruncate(int file, off_t bytes)
{
	errno = EIO;
	return stays ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}

/* Writes that fail in the middle: a full disk for those without root. */
static void write_errors_leave_whole_rows(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	char name[NAME_MAX];
	struct record *rec = begin_run(f, 1, name);
	struct rlimit limit, small;
	int rows = 1, status;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 3000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	while (!(status = CAPTURED(add_row(rec, rows))) && rows < 100)
		rows++;
	assert_int_equal(status, EXIT_RESOURCE);
	assert_one_line(scratch_stderr, "rows.jsonl: File too large");
	assert_true(rows > 5);
	assert_int_equal(record_row_count(rec), rows);
	/* With room again, the next row comes right after the last whole one. */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_works(add_row(rec, rows++));
	assert_int_equal(loaded_rows(f, name, false, 0), rows);
	small.rlim_cur = 2000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	stays = true;
	assert_int_equal(CAPTURED(add_row(rec, rows)), EXIT_RESOURCE);
	stays = false;
	assert_non_null(strstr(scratch_stderr, path_in("", "cannot shorten %s/", f->root) + 1));
	assert_fails(record_finish(rec), EXIT_RESOURCE, "bench.json: File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(entry_count(path_in(f->root, "%s", name)), 2); /* rows, context */
	assert_earlier_intact(f, &e);
}

/* Rights missing: as root, those of nobody. */
static void unwritable_root_is_refused(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	struct record *rec;
	int before = entry_count(f->root);
	int status;

	assert_int_equal(chmod(f->root, 0555), 0);
	assert_int_equal(chmod(path_in(f->root, ".lock"), 0444), 0);
	if (!geteuid() && seteuid(65534)) {
		chmod(f->root, 0755);
		print_message("skipped: a namespace of users with one user\n");
		skip();
	}
	status = CAPTURED(record_create(f->root, ALIAS, &rec));
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(f->root, 0755), 0);
	assert_one_line(scratch_stderr, "make the directory writable");
	assert_int_equal(status, EXIT_RESOURCE);
	assert_null(rec);
	assert_int_equal(entry_count(f->root), before);
	assert_earlier_intact(f, &e);
}

static int create_with(const struct fixture *f, unsigned int descriptors)
{
	int status, next = next_descriptor();
	struct rlimit limit, few;
	struct record *rec;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = (rlim_t)next + descriptors;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	status = record_create(f->root, ALIAS, &rec);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_null(rec);
	return status;
}

/* The files that a record opens, each where no descriptor is left for it. */
static void a_file_that_cannot_be_opened_is_named(void **state)
{
	static const char *const named[] = { "open %s/results: ", "open %s/results/.lock: ",
					     "-" ALIAS ": ", "-" ALIAS "/rows.jsonl: " };
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < COUNT(named); i++)
		assert_fails(create_with(f, i), EXIT_RESOURCE, path_in("", named[i], f->dir) + 1);
	assert_int_equal(entry_count(f->root), 1); /* .lock */
}

/* In a mount namespace of this process, so that nothing stays mounted. */
static void a_full_disk_is_told_before_the_run(void **state)
{
	struct fixture *f = *state;
	struct record *rec;

	assert_int_equal(mkdir(f->root, 0755), 0);
	SKIP_IF(unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			mount("tmpfs", f->root, "tmpfs", 0, "size=40k"),
		"mounting needs root: %s", strerror(errno));
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE,
		     "-" ALIAS "/rows.jsonl: No space left on device; the disk is full");
	assert_int_equal(entry_count(f->root), 1); /* .lock */
	umount2(f->root, MNT_DETACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORD_TEST(a_file_that_cannot_be_opened_is_named),
		RECORD_TEST(second_run_is_refused_before_it_touches),
		RECORD_TEST(kills_lose_no_row_and_break_no_run),
		RECORD_TEST(latest_flips_atomically),
		RECORD_TEST(directory_in_place_of_latest_is_left_alone),
		RECORD_TEST(write_errors_leave_whole_rows),
		RECORD_TEST(unwritable_root_is_refused),
		RECORD_TEST(a_full_disk_is_told_before_the_run),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
