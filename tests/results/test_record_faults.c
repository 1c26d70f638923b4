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

/*
 * A process that has created a record, and sleeps until it is killed. child: NULL, or gets the pid
 * of a child of its own that does nothing either.
 */
static pid_t start_holder(const struct fixture *f, pid_t *child)
{
	pid_t said = 0;
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork_bound();
	if (!pid) {
		struct record *rec;

		if (record_create(f->root, ALIAS, &rec))
			_exit(1);
		if (child) {
			said = fork();
			if (!said)
				sleep_until_killed();
		}
		if (write(ready[1], &said, sizeof(said)) != sizeof(said))
			_exit(1);
		sleep_until_killed();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &said, sizeof(said)), sizeof(said));
	close(ready[0]);
	if (child)
		*child = said;
	return pid;
}

static void end_process(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void second_run_is_refused_before_it_touches(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	pid_t holder = start_holder(f, NULL);
	/* Longer than a tick of the file system's clock. */
	const struct timespec tick = { .tv_nsec = 20 * 1000 * 1000 };
	struct stat before, after;
	struct record *rec;
	char pid[32];

	nanosleep(&tick, NULL);
	assert_int_equal(stat(f->root, &before), 0);
	snprintf(pid, sizeof(pid), "(pid %ld)", (long)holder);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE, pid);
	assert_null(rec);
	/* Not even made and removed again. */
	assert_int_equal(stat(f->root, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	end_process(holder);
	/* The kernel dropped the lock with its holder: nothing to clean up by hand. */
	assert_works(record_create(f->root, ALIAS, &rec));
	assert_fails(record_create(f->root, ALIAS, &(struct record *){ NULL }), EXIT_RESOURCE,
		     "in use by another run");
	record_abort(rec);
	assert_works(record_create(f->root, ALIAS, &rec));
	record_abort(rec);
	assert_earlier_intact(f, &e);
}

/* Waits for the end of file on go, tries, says how it went, and keeps it until hold ends. */
static void try_to_run(const struct fixture *f, int go, int said, int hold)
{
	struct record *rec;
	char status;
	char byte;

	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	if (read(go, &byte, 1))
		_exit(1);
	status = (char)record_create(f->root, ALIAS, &rec);
	_exit(write(said, &status, 1) != 1 || read(hold, &byte, 1));
}

static void one_of_many_runs_gets_the_lock(void **state)
{
	struct fixture *f = *state;
	enum { RUNS = 8 };
	int go[2], said[2], hold[2];
	pid_t pids[RUNS];
	int winners = 0;
	char byte;

	assert_int_equal(pipe(go) | pipe(said) | pipe(hold), 0);
	for (int i = 0; i < RUNS; i++) {
		pids[i] = fork_bound();
		if (pids[i])
			continue;
		close(go[1]);
		close(hold[1]);
		try_to_run(f, go[0], said[1], hold[0]);
	}
	close(go[1]);
	for (int i = 0; i < RUNS; i++) {
		assert_int_equal(read(said[0], &byte, 1), 1);
		assert_true(byte == EXIT_FINE || byte == EXIT_RESOURCE);
		winners += byte == EXIT_FINE;
	}
	close(hold[1]);
	for (int i = 0; i < RUNS; i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	close(go[0]);
	close(hold[0]);
	close(said[0]);
	close(said[1]);
	assert_int_equal(winners, 1);
	assert_int_equal(entry_count(f->root), 2); /* its run, and .lock */
}

static void forked_children_hold_no_lock_of_an_ended_run(void **state)
{
	struct fixture *f = *state;
	char name[NAME_MAX];
	struct record *rec = begin_run(f, 1, name);
	pid_t child = fork_bound();

	if (!child)
		sleep_until_killed();
	assert_works(record_finish(rec));
	assert_works(record_create(f->root, ALIAS, &rec));
	record_abort(rec);
	end_process(child);
}

/* Here the run could not unlock: its child is to blame, and the message must not name a ghost. */
static void child_of_a_killed_run_is_told_apart(void **state)
{
	struct fixture *f = *state;
	pid_t child;
	pid_t holder = start_holder(f, &child);
	struct record *rec;
	char text[64];

	assert_true(child > 0);
	end_process(holder);
	snprintf(text, sizeof(text), "pid %ld (now gone); end that child", (long)holder);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE, text);
	assert_int_equal(kill(child, SIGKILL), 0);
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
	struct record_loaded loaded;

	assert_works(record_load(f->root, report->name, &loaded));
	assert_true((int)json_array_size(json_object_get(loaded.json, "benchmarks")) >=
		    report->rows);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(loaded.json, "context"), "host_name")),
			    ALIAS);
	if (report->finished)
		assert_true(loaded.complete);
	record_unload(&loaded);
}

/* Each directory in root: whole, or rows only, or killed before its first row. Returns how many. */
static int check_every_run(const struct fixture *f)
{
	struct record_loaded loaded;
	DIR *root = opendir(f->root);
	struct dirent *entry;
	int runs = 0;

	assert_non_null(root);
	while ((entry = readdir(root))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "latest"))
			continue;
		runs++;
		if (!CAPTURED(record_load(f->root, entry->d_name, &loaded))) {
			assert_int_equal(loaded.complete,
					 exists(path_in(f->root, "%s/bench.json", entry->d_name)));
			record_unload(&loaded);
			continue;
		}
		assert_false(exists(path_in(f->root, "%s/bench.json", entry->d_name)));
		if (exists(path_in(f->root, "%s/rows.jsonl", entry->d_name)))
			assert_one_line(scratch_stderr, "no whole row");
	}
	closedir(root);
	return runs;
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
	print_message("%d kills: %d runs, %d rows and %d ends reported, all read back\n", KILLS,
		      check_every_run(f), rows, finished);
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
	struct fixture *f = *state;
	char name[NAME_MAX];
	struct record *rec = begin_run(f, 2, name);

	scratch_put(f->root, "latest/mine", "x", 1);
	assert_fails(record_finish(rec), EXIT_RESOURCE, "latest is a directory");
	assert_true(exists(path_in(f->root, "latest/mine")));
	assert_false(exists(path_in(f->root, ".latest.tmp")));
	assert_int_equal(loaded_rows(f, name, true, 0), 2);
}

/* Rows and bench.json that outgrow what a file may hold: a full disk for those without root. */
static void write_errors_leave_whole_rows(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	char name[NAME_MAX];
	struct record *rec = begin_run(f, 1, name);
	struct rlimit limit, small;
	char *first;
	int rows = 1;
	int status;

	assert_works(record_write_file(rec, "topology.xml", file_write_text, (char *)"first"));
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
	assert_int_equal(loaded_rows(f, name, false, 0), rows);

	small.rlim_cur = 2000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	first = calloc(1, 8193);
	memset(first, 'x', 8192);
	assert_fails(record_write_file(rec, "topology.xml", file_write_text, (char *)first),
		     EXIT_RESOURCE, "topology.xml: File too large");
	free(first);
	first = file_text(path_in(f->root, "%s/topology.xml", name), NULL);
	assert_string_equal(first, "first");
	free(first);
	assert_fails(record_finish(rec), EXIT_RESOURCE, "bench.json: File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(loaded_rows(f, name, false, 0), rows);
	/* rows, parts, context, topology */
	assert_int_equal(entry_count(path_in(f->root, "%s", name)), 4);
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

/*
 * A file system of its own at the fixture's root, in a mount namespace of this process so that
 * nothing stays mounted whatever happens. Skips the test where that is not allowed.
 */
static void mount_or_skip(const struct fixture *f, const char *options)
{
	static bool private;

	if (!private &&
	    (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))) {
		print_message("skipped: mounting needs root: %s\n", strerror(errno));
		skip();
	}
	private = true;
	assert_int_equal(mkdir(f->root, 0755), 0);
	if (mount("tmpfs", f->root, "tmpfs", 0, options)) {
		print_message("skipped: no tmpfs to fill: %s\n", strerror(errno));
		skip();
	}
}

static int mounted_teardown(void **state)
{
	struct fixture *f = *state;

	umount2(f->root, MNT_DETACH);
	return fixture_teardown(state);
}

/* Fills the fixture's root until only spare_bytes are left. */
static void fill_disk(const struct fixture *f, off_t spare_bytes)
{
	char page[4096] = "";
	int fd = open(path_in(f->root, "filler"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	off_t size = 0;
	ssize_t got;

	assert_true(fd >= 0);
	while ((got = write(fd, page, sizeof(page))) > 0)
		size += got;
	assert_int_equal(errno, ENOSPC);
	assert_true(size > spare_bytes);
	assert_int_equal(ftruncate(fd, size - spare_bytes), 0);
	close(fd);
}

static void full_disk_shows_before_the_run(void **state)
{
	struct fixture *f = *state;
	struct earlier e;
	struct record *rec;
	int before;

	mount_or_skip(f, "size=256k");
	e = make_earlier(f);
	fill_disk(f, 0);
	before = entry_count(f->root);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE, "disk is full");
	assert_int_equal(entry_count(f->root), before);
	/* Room for a directory and a pid, and still none for rows. */
	fill_disk(f, 16384);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE,
		     "rows.jsonl: No space left on device; the disk is full");
	assert_int_equal(entry_count(f->root), before);
	assert_earlier_intact(f, &e);
}

/* The last thing of all fails: bench.json is written, and latest cannot be. */
static void no_room_for_latest_leaves_it(void **state)
{
	struct fixture *f = *state;
	struct earlier e;
	struct record *rec;
	char name[NAME_MAX];
	int fd = 0;

	mount_or_skip(f, "size=1m,nr_inodes=60");
	e = make_earlier(f);
	rec = begin_run(f, 2, name);
	for (int i = 0; fd >= 0; i++) {
		fd = open(path_in(f->root, "filler%d", i), O_WRONLY | O_CREAT, 0644);
		if (fd >= 0)
			close(fd);
	}
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(unlink(path_in(f->root, "filler0")), 0);
	assert_fails(record_finish(rec), EXIT_RESOURCE, ".latest.tmp: No space left");
	assert_int_equal(loaded_rows(f, name, true, 0), 2);
	assert_earlier_intact(f, &e);
}

static void read_only_file_system_is_refused(void **state)
{
	struct fixture *f = *state;
	struct earlier e;
	struct record *rec;

	mount_or_skip(f, "size=256k");
	e = make_earlier(f);
	assert_int_equal(mount(NULL, f->root, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE, "is read-only");
	assert_null(rec);
	assert_earlier_intact(f, &e);
}

#define MOUNTED_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, mounted_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORD_TEST(second_run_is_refused_before_it_touches),
		RECORD_TEST(one_of_many_runs_gets_the_lock),
		RECORD_TEST(forked_children_hold_no_lock_of_an_ended_run),
		RECORD_TEST(child_of_a_killed_run_is_told_apart),
		RECORD_TEST(kills_lose_no_row_and_break_no_run),
		RECORD_TEST(latest_flips_atomically),
		RECORD_TEST(directory_in_place_of_latest_is_left_alone),
		RECORD_TEST(write_errors_leave_whole_rows),
		RECORD_TEST(unwritable_root_is_refused),
		MOUNTED_TEST(full_disk_shows_before_the_run),
		MOUNTED_TEST(no_room_for_latest_leaves_it),
		MOUNTED_TEST(read_only_file_system_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
