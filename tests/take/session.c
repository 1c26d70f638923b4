// SPDX-License-Identifier: MIT
/*
 * usage: session WHAT FOLDER...   What a user's program does with the consumer of a taken row
 * (taken.h), once each. Prints a line "FOLDER EVENTS" for each trace that it leaves: so many events
 * of `work` are in it. Exit code 1: a count is wrong.
 */
#define _GNU_SOURCE 1
#include "tests/take/session.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

/* Thirty traces of one thread, some in one folder. */
static void again(void)
{
	int i;

	for (i = 0; i < 30; i++) {
		CHECK(!begin(numbered(i < 20 ? i : 20)));
		some(1, 100);
		end(100);
		options.folder = folder;
	}
}

static pthread_barrier_t barrier;

static void *ends_later(void *arg)
{
	some(1, 50);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return arg;
}

/* A thread that ends between two traces leaves nothing to the second. */
static void late(void)
{
	pthread_t one;

	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(!begin(numbered(0)) && !pthread_create(&one, NULL, ends_later, NULL));
	pthread_barrier_wait(&barrier);
	end(50);
	pthread_barrier_wait(&barrier);
	pthread_join(one, NULL);
	CHECK(!begin(numbered(1)));
	some(2, 10);
	end(10);
}

/* What is lost in one trace is not lost in the next; what is off in one is on in the next. */
static void lost(void)
{
	uint64_t full = 0, i;

	CHECK(!begin(numbered(0)));
	for (i = 0; i < 3000000 && full < 1000; i++)
		full += work_write(T(here)(), i, 1) == E(FULL);
	CHECK(!T(trace_enable)(1, false) && work_write(T(here)(), 0, 1) == E(OFF) &&
	      !T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(full && counts.lost == full);
	CHECK(!begin(numbered(1)));
	some(2, 100);
	end(100);
}

static void *tells(void *good)
{
	const uint32_t tid = (uint32_t)syscall(SYS_gettid);
	uint64_t i;

	for (i = 0; i < 300 && (i % 40 || !usleep(500)); i++)
		__atomic_fetch_add((uint64_t *)good, !work_write(T(here)(), i, tid), 0);
	return NULL;
}

/* In four rings that are too small each event is behind the one that tells its thread. */
static void tiny(void)
{
	pthread_t four[4];
	uint64_t good = 0;
	int i;

	options.period_ms = 1;
	options.chunk_bytes = getenv("CHUNKS") ? 4096 : 0;
	CHECK(!begin(numbered(0)));
	for (i = 0; i < 404; i++)
		CHECK((i < 4 || !pthread_join(four[i % 4], NULL)) &&
		      (i >= 400 || !pthread_create(&four[i % 4], NULL, tells, &good)));
	CHECK(!T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(counts.events == good && counts.lost + counts.strays == 400 * 300 - good);
	printf("%s %" PRIu64 " %" PRIu64 "\n", options.folder, good, counts.lost);
}

/* Four threads at a time, or a hundred; a thousand one after the other, in rings that overwrite. */
static void shorts(void)
{
	int i;

	CHECK(!begin(numbered(0)));
	for (i = 0; i < 500; i++)
		threads(4, 20);
	end(500 * 4 * 20);
	CHECK(!begin(numbered(1)));
	for (i = 0; i < 10; i++)
		threads(100, 20);
	end(10 * 100 * 20);
}

static void recorder(void)
{
	int i;

	options.overwrite = true;
	CHECK(!begin(NULL));
	for (i = 0; i < 1000; i++)
		threads(1, 10);
	T(trace_count)(&counts);
	CHECK(!counts.strays);
	CHECK(!T(trace_snapshot)(numbered(0), 64 << 20) && !T(trace_stop)());
	CHECK(!begin(NULL));
	threads(5, 10);
	CHECK(!T(trace_snapshot)(numbered(0), 64 << 20)); /* in the place of the first */
	printf("%s 50\n", numbered(0));
	CHECK(!T(trace_stop)());
}

/* No room for a thread, or no right to make a folder: nothing is left of it. */
static void fails(void)
{
	struct rlimit none, before;
	int file, i;

	CHECK(!begin(numbered(0)) && !T(trace_stop)());
	file = dup(0);
	(close)(file);
	getrlimit(RLIMIT_NPROC, &before);
	none = before;
	none.rlim_cur = 0;
	for (i = 0; i < 5; i++) {
		setrlimit(RLIMIT_NPROC, &none);
		if (begin(numbered(1)) != E(NO_MEMORY)) { /* root may start it all the same */
			T(trace_stop)();
			break;
		}
		CHECK(access(numbered(1), F_OK));
	}
	setrlimit(RLIMIT_NPROC, &before);
	CHECK(begin("/proc/none/trace") == E(NOT_WRITTEN) && errno == ENOENT);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = before;
	none.rlim_cur = 100; /* as a disk that is full within the metadata */
	setrlimit(RLIMIT_FSIZE, &none);
	CHECK(begin(numbered(3)) == E(NOT_WRITTEN) && errno == EFBIG && access(numbered(3), F_OK));
	setrlimit(RLIMIT_FSIZE, &before);
	i = dup(0);
	CHECK(i == file);
	(close)(i);
	CHECK(!begin(numbered(2)));
	some(1, 3);
	end(3);
}

/* ---- handlers ---- */

static uint64_t handled;
static int number_of_child;

/* All calls that a handler may make, one after the other. */
static void on_signal(int number)
{
	const int before = errno;

	(void)number;
	switch (handled++ % 5) {
	case 0:
		T(trace_count)(&counts);
		break;
	case 1:
		T(trace_enable)(1, true);
		break;
	case 2:
		work_write(T(here)(), 0, 9);
		break;
	case 3:
		if (handled % 50 == 4)
			T(trace_snapshot)(numbered(1), 1 << 16);
		break;
	case 4:
		T(trace_on_crash)(numbered(2), 1 << 16);
		break;
	}
	errno = before;
}

/* They interrupt every call of the header, and forks. */
static void handlers(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval often = { { 0, 250 }, { 0, 250 } };
	struct T(trace_counts) mine;
	int i, status;
	pid_t pid;

	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 8; i++) {
		CHECK(!begin(numbered(0)));
		for (status = 0; status < 20000; status++) {
			work_write(T(here)(), 0, 1);
			T(trace_count)(&mine);
			CHECK(!T(trace_enable)(1, true));
		}
		CHECK(!T(trace_on_crash)(numbered(2), 1 << 16));
		status = T(trace_snapshot)(numbered(1), 1 << 16);
		CHECK(!status || status == E(BUSY));
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		for (status = 0; status < 60; status++) {
			pid = fork();
			if (!pid)
				_exit(T(here)() != NULL);
			while (waitpid(pid, &number_of_child, 0) < 0)
				;
			CHECK(!number_of_child);
		}
		CHECK(!T(trace_stop)());
	}
	CHECK(handled > 100);
}

/* ---- other people's files ---- */

/* Links, FIFOs and files that lie where a crash writes: none is opened. */
static void hostile(void)
{
	struct stat file;
	char name[5000];
	FILE *victim;
	int status;
	pid_t pid;

	mkdir(numbered(0), 0700);
	snprintf(name, sizeof(name), "%s/metadata", folder);
	victim = fopen(name, "w");
	fputs("old", victim);
	fclose(victim);
	snprintf(name, sizeof(name), "%s/snapshot0", numbered(0));
	CHECK(!symlink("..", name));
	pid = fork();
	if (!pid) {
		alarm(20);
		umask(0);
		CHECK(!begin(numbered(1)) && !T(trace_on_crash)(numbered(4), 1 << 20));
		some(1, 10);
		CHECK(!T(trace_stop)() && !begin(numbered(2)) &&
		      !T(trace_on_crash)(numbered(0), 1 << 20));
		some(1, 5);
		abort();
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGABRT);
	snprintf(name, sizeof(name), "%s/metadata", folder);
	CHECK(!stat(name, &file) && file.st_size == 3);
	snprintf(name, sizeof(name), "%s/000000/metadata", numbered(1));
	CHECK(!stat(name, &file) && (file.st_mode & 0777) == 0600);
	printf("%s/snapshot1 5\n%s 10\n", numbered(0), numbered(1));
	options.mode = 0644;
	CHECK(!begin(numbered(3)));
	some(1, 1);
	end(1);
	snprintf(name, sizeof(name), "%s/000000/metadata", numbered(3));
	CHECK(!stat(name, &file) && (file.st_mode & 0777 & ~umask(022)) == (0644 & ~umask(022)));
}

/* Six processes, one folder, small chunks. */
static void together(void)
{
	int i, one, status;

	for (i = 0; i < 6; i++)
		if (!fork()) {
			options.chunk_bytes = 2 << E(SUBBUF_SHIFT);
			CHECK(!begin(numbered(0)));
			for (one = 0; one < 40; one++) {
				some((uint32_t)i, 100);
				usleep(500);
			}
			CHECK(!T(trace_stop)());
			T(trace_count)(&counts);
			CHECK(counts.events == 4000 && !counts.error);
			_exit(wrong != 0);
		}
	for (i = 0; i < 6; i++)
		CHECK(wait(&status) > 0 && !status);
	printf("%s %d\n", numbered(0), 6 * 4000);
}

/* So many chunks of a run are kept, and all of the run before. */
static void kept(void)
{
	struct dirent *one;
	int last, highest = 0;
	DIR *chunks;
	int run, i;

	options.chunk_bytes = 1 << E(SUBBUF_SHIFT);
	options.chunks = 3;
	options.period_ms = 1;
	for (run = 0; run < 3; run++) {
		CHECK(!begin(numbered(0)));
		for (i = 0; i < 8; i++) {
			threads(1, 300);
			usleep(3000);
		}
		CHECK(!T(trace_stop)());
		T(trace_count)(&counts);
		CHECK(counts.chunks > 3 && counts.removed && counts.events == 8 * 300);
		chunks = opendir(numbered(0));
		for (last = highest; (one = readdir(chunks));)
			if (atoi(one->d_name) > highest)
				highest = atoi(one->d_name);
		closedir(chunks);
		CHECK(run == 0 || highest >= last + 4); /* numbers go on behind the highest */
	}
	chunks = opendir(numbered(0));
	for (i = 0; (one = readdir(chunks));)
		i += one->d_name[0] != '.';
	CHECK(i == 9); /* of each run three */
	closedir(chunks);
}

/* A snapshot has as many packets as fit, and stays until another one is whole. */
static void snapshots(void)
{
	const off_t packet = 1 << E(SUBBUF_SHIFT);
	const struct rlimit tiny = { 100, RLIM_INFINITY };
	struct stat file;
	char ring[5000];
	int i;

	signal(SIGXFSZ, SIG_IGN);
	options.overwrite = true;
	CHECK(!begin(NULL));
	some(1, 20000);
	for (i = 0; i < 3; i++) { /* the first has room for less than a packet: one it gets */
		snprintf(ring, sizeof(ring), "%s/snapshot0/0", numbered(!i));
		CHECK(T(trace_snapshot)(numbered(!i), i ? 2ull << E(SUBBUF_SHIFT) : 100) ==
		      (i == 2 ? E(NOT_WRITTEN) : E(OK)));
		CHECK(!stat(ring, &file) && file.st_size - 1 < (i ? 2 : 1) * packet &&
		      file.st_size > (i ? packet : 0) && (!i || !setrlimit(RLIMIT_FSIZE, &tiny)));
	}
	_exit(wrong != 0);
}

/* A child begins with nothing. Where a chunk was removed, another takes what comes next. */
static void gone(void)
{
	char remove[5000];
	clock_t used;
	int status;
	pid_t pid;

	options.period_ms = 1200;
	CHECK(!begin(numbered(1)));
	some(1, 10);
	for (counts.events = 0; counts.events != 10; usleep(1000))
		T(trace_count)(&counts);
	used = clock();
	sleep(1);
	CHECK(clock() - used < CLOCKS_PER_SEC / 10); /* a consumer takes none while it waits */
	if (!(pid = fork())) {
		T(trace_count)(&counts);
		_exit(counts.events || counts.chunks || counts.packets);
	}
	snprintf(remove, sizeof(remove), "rm -r %s/000000", numbered(1));
	CHECK(waitpid(pid, &status, 0) == pid && !status && !system(remove));
	threads(1, 10);
	CHECK(!T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(counts.events == 10 && counts.unwritten == 10);
	printf("%s 10\n", numbered(1));
}

/* An idle program makes no chunk and removes none. */
static void idle(void)
{
	options.chunk_seconds = 1;
	options.chunks = 2;
	CHECK(!begin(numbered(0)));
	some(1, 1000);
	sleep(4);
	T(trace_count)(&counts);
	CHECK(counts.chunks == 1);
	end(1000);
}

/* For stops.c: quiet and busy threads, chunks, two traces in one folder; what is written stays. */
static void stops(void)
{
	pthread_t quiet;
	int run, i;

	pthread_barrier_init(&barrier, NULL, 2);
	options.chunk_bytes = 4 << E(SUBBUF_SHIFT);
	options.period_ms = 1;
	for (run = 0; run < 2; run++) {
		CHECK(!begin(folder) && !pthread_create(&quiet, NULL, ends_later, NULL));
		pthread_barrier_wait(&barrier);
		for (i = 0; i < 12; i++) {
			some(2, 150);
			usleep(4000);
			threads(1, i % 3 ? 20 : 300);
		}
		pthread_barrier_wait(&barrier);
		pthread_join(quiet, NULL);
		CHECK(!T(trace_stop)());
	}
}

static pthread_t second;

static void *crashes(void *arg)
{
	raise(SIGSEGV);
	return arg;
}

/* A crash of two threads at once leaves the newest events of rings that overwrite. */
static void crash(void)
{
	int i, status;
	pid_t pid = fork();

	if (!pid) {
		options.overwrite = true;
		CHECK(!begin(NULL) && T(trace_snapshot)("/proc/none", 1 << 20) == E(NOT_WRITTEN));
		for (i = 0; i < 300000; i++)
			CHECK(!fill_write(T(here)(), (uint64_t)i, 1));
		some(1, 100);
		CHECK(!T(trace_on_crash)(numbered(0), 64 << 10) && !wrong);
		CHECK(!pthread_create(&second, NULL, crashes, NULL));
		if (!wrong)
			crashes(NULL);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGSEGV);
	printf("%s 100\n", numbered(0));
}

/* exec is like a kill; the program that comes after has no file of the trace, and its own trace. */
static void replaced(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		CHECK(!begin(numbered(0)));
		threads(3, 500);
		do
			T(trace_count)(&counts);
		while (counts.events < 1500);
		execl("/proc/self/exe", "session", "after", folder, (char *)NULL);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	printf("%s 1510\n", numbered(0));
}

static void after(void)
{
	char name[32], to[4096];
	ssize_t size;
	int file;

	for (file = 3; file < 64; file++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
		size = readlink(name, to, sizeof(to) - 1);
		to[size > 0 ? size : 0] = 0;
		CHECK(!strstr(to, folder));
	}
	CHECK(!begin(numbered(0)));
	some(1, 10);
	CHECK(!T(trace_stop)());
}

/* The trace ends within a record. */
static void held(void)
{
#ifndef SECTIONS
	struct T(reservation) rsv;

	CHECK(!begin(numbered(0)) && T(begin)(T(here)(), 1, 12, &rsv));
	CHECK(!T(trace_stop)() && !T(end)(T(here)(), &rsv));
	T(trace_count)(&counts);
	CHECK(counts.error == EBUSY);
#endif
	CHECK(!begin(numbered(1))); /* what is not written by now is a stray of this one */
	some(1, 10);
	CHECK(!T(trace_stop)());
	T(trace_count)(&counts);
	CHECK(counts.events == 10 && !counts.error);
	printf("%s 10\n", numbered(1));
}

/* X(what is wrong, the call, its error) */
#define MISUSES \
	X("stop: nothing is started", T(trace_stop)(), NOT_OPEN) \
	X("enable: nothing is started", T(trace_enable)(1, true), NOT_OPEN) \
	X("snapshot: nothing is started", T(trace_snapshot)(folder, 1 << 20), NOT_OPEN) \
	X("on_crash: nothing is started", T(trace_on_crash)(folder, 1 << 20), NOT_OPEN) \
	X("write: nothing is started", work_write(T(here)(), 0, 0), NO_POINTER) \
	X("start: no options", T(trace_start)(NULL), NO_POINTER) \
	X("start: no folder", starts(NULL, types, 2), NO_POINTER) \
	X("start: no types", starts(folder, NULL, 2), NO_POINTER) \
	X("start: a folder in none", starts("/proc/none/trace", types, 2), NOT_WRITTEN) \
	X("start: a folder that is a file", starts("/etc/passwd", types, 2), NOT_WRITTEN) \
	X("start: an id twice", starts(folder, twice, 2), TWICE) \
	X("start: the id of threads", starts(folder, &taken, 1), TWICE) \
	X("start: an id of 600", starts(folder, &high, 1), BAD_ID) \
	X("start: 600 types", starts(folder, types, 600), BAD_ID) \
	X("start: a name with a space", starts(folder, &spaced, 1), BAD_NAME) \
	X("start", starts(numbered(0), types, 2), OK) \
	X("start twice", starts(folder, types, 2), TWICE) \
	X("enable: an id of 600", T(trace_enable)(600, true), BAD_ID) \
	X("write: an id of 600", T(try_write)(T(here)(), 600, "", 1), BAD_ID) \
	X("write: an undeclared id", T(try_write)(T(here)(), 3, "", 1), UNDECLARED) \
	X("write: a wrong size", T(try_write)(T(here)(), 1, "", 1), BAD_SIZE) \
	X("attach beside the consumer", T(attach)(T(here)()), BUSY) \
	X("open a thread's ring", T(open)(T(here)(), &one), TWICE) \
	X("close a thread's ring", T(close)(T(here)()), BUSY) \
	X("snapshot: no folder", T(trace_snapshot)(NULL, 1 << 20), NO_POINTER) \
	X("on_crash: no folder", T(trace_on_crash)(NULL, 1 << 20), NO_POINTER) \
	X("stop", T(trace_stop)(), OK) \
	X("stop twice", T(trace_stop)(), NOT_OPEN) \
	X("write: stopped", work_write(T(here)(), 0, 0), OFF) \
	X("start again: other types", starts(folder, types, 1), NOT_ZERO)

static int starts(const char *into, const struct T(event_type) * its, uint32_t count)
{
	struct T(trace_options) its_own = { .folder = into, .types = its, .type_count = count };

	return T(trace_start)(&its_own);
}

/* Each has its error, and no event between them is lost. */
static void misused(void)
{
	const struct T(event_type) twice[] = { work_type, work_type }, taken = { "a", "", 599, 0 },
				   high = { "a", "", 600, 0 }, spaced = { "a b", "", 1, 0 };
	struct T(options) one = { types, 2, 0, false, NULL };
	int good = 0, got;

	types[0] = work_type;
	types[1] = fill_type;
#define X(what, call, error) \
	got = call; \
	if (got != E(error)) \
		fprintf(stderr, "%s: %d, not %d\n", what, got, E(error)); \
	wrong += got != E(error); \
	good += !work_write(T(here)(), (uint64_t)good, 1);
	MISUSES
#undef X
	T(trace_count)(&counts);
	CHECK(good == 11 && counts.events == 11);
	printf("%s %d\n", numbered(0), good);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = { { "again", again },	      { "late", late },		 { "tiny", tiny },
		    { "lost", lost },	      { "shorts", shorts },	 { "recorder", recorder },
		    { "fails", fails },	      { "handlers", handlers },	 { "hostile", hostile },
		    { "together", together }, { "kept", kept },		 { "idle", idle },
		    { "crash", crash },	      { "after", after },	 { "held", held },
		    { "misused", misused },   { "stops", stops },	 { "exec", replaced },
		    { "gone", gone },	      { "snapshots", snapshots } };
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, argv[1])) {
			folder = argv[2];
			all[i].run();
			return wrong != 0;
		}
	return fprintf(stderr, "session: WHAT FOLDER\n"), 2;
}
