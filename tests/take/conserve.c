// SPDX-License-Identifier: MIT
/*
 * usage: conserve FOLDER SEED   A random program, drawn by SEED, with the consumer of a taken row
 * (taken.h): processes, sessions, chunks, threads that come, go and stay, handlers, forks, kills, a
 * disk without room, files that somebody removes; where rings are of CPUs, threads that move
 * between them at any instruction. What was recorded is read, lost, unwritten or a stray: exactly,
 * each event once, and those of a thread in their order.
 */
#define _GNU_SOURCE 1
#include "tests/take/taken.h"

#include <dirent.h>
#include <ftw.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#ifndef PAD /* a long time in a section */
#define PAD 1
#endif
#define WORK(F) F(u32, who) F(u32, number) F(u64, before) F(text, pad, PAD)
E(EVENT)(work, 1, WORK);
#define WORDS(F) F(u32, who) F(u32, number) F(u64, before) F(string, words)
E(EVENT)(words, 40, WORDS);

enum { MOST_WHO = 1024, MOST_NUMBER = 8192, PROCESSES = 8, LIVE = 3 };
#define PACKET_BYTES ((uint64_t)1 << E(SUBBUF_SHIFT))

/* Of a process, also when it is killed. */
struct tally {
	uint64_t recorded, full, nulls; /* calls */
	uint64_t events, lost, unwritten, strays, removed; /* what trace_count() says */
	uint64_t floor; /* events that were on the disk at some time */
};

static struct share {
	uint32_t serial; /* of those who record */
	struct tally tallies[PROCESSES];
} * share;
static struct tally *tally;
static struct T(event_type) types[2];
static const char *top;
static uint64_t state;
static int stopping;
static __thread uint32_t self, number, handler, handled;

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static void add(uint64_t *to, uint64_t more)
{
	__atomic_fetch_add(to, more, __ATOMIC_RELAXED);
}

static pid_t moving[8];

static void move(pid_t thread, uint32_t to)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(to % (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	CHECK(!sched_setaffinity(thread, sizeof(cpus), &cpus) || errno == ESRCH);
}

static void record(uint32_t who, uint32_t *next)
{
	const int runs = __atomic_load_n(&T(trace_all).running, __ATOMIC_RELAXED);
	struct T(tracer) * ring;
	int said;

	if (*next == MOST_NUMBER)
		return;
	ring = T(here)();
	if (E(PER_CPU) && *next % 64 == 63)
		move(0, who + *next / 64); /* into a ring of another CPU */
	said = *next % 7 ? work_write(ring, who, *next, E(CLOCK)(), "") :
			   words_write(ring, who, *next, E(CLOCK)(), "some words");
	*next += !said;
	add(&tally->recorded, !said);
	add(&tally->full, said == E(FULL));
	add(&tally->nulls, runs && said == E(NO_POINTER));
	if (said && said != E(FULL) && said != E(NO_POINTER) && said != E(OFF))
		fprintf(stderr, "a write said %d\n", said), abort();
}

static void on_signal(int signal)
{
	const int before = errno;

	(void)signal;
	if (self)
		record(handler, &handled);
	errno = before;
}

static void begin(void)
{
	number = handled = 0;
	handler = __atomic_add_fetch(&share->serial, 2, __ATOMIC_RELAXED);
	if (handler >= MOST_WHO)
		abort();
	__atomic_store_n(&self, handler + 1, __ATOMIC_RELEASE);
}

static void record_some(uint32_t many)
{
	uint32_t i;

	for (i = 0; i < many; i++) {
		record(self, &number);
		if (i % 97 == 50)
			raise(SIGUSR1);
		if (i % 200 == 199)
			usleep(300);
	}
}

/* Not itself interrupted when it has ended, and counted. */
static void *short_thread(void *many)
{
	pid_t *me = &moving[(uintptr_t)many % 8];

	begin();
	__atomic_store_n(me, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	record_some((uint32_t)((uintptr_t)many / 8));
	__atomic_store_n(me, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&self, 0, __ATOMIC_RELEASE);
	return NULL;
}

/* From session to session, also while one ends. */
static void *live_thread(void *at_rest)
{
	begin();
	record(self, &number);
	__atomic_store_n((int *)at_rest, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
		record(self, &number);
		if (number % 32 == 0)
			usleep(500);
	}
	__atomic_store_n(&self, 0, __ATOMIC_RELEASE);
	return NULL;
}

static int remove_one(const char *path, const struct stat *file, int type, struct FTW *at)
{
	(void)file, (void)type, (void)at;
	return remove(path), 0;
}

static void remove_all(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- what is there ---- */

static uint64_t when[MOST_WHO][MOST_NUMBER];
static uint64_t found; /* with those that tell of threads */
static struct T(tracer) sizes;

static void read_file(const char *path)
{
	static uint8_t bytes[4096 + (1 << E(SUBBUF_SHIFT))];
	struct T(ctf_packet_header) header;
	struct T(packet) packet;
	struct T(event) event;
	uint64_t before;
	uint32_t who, at;
	FILE *file = fopen(path, "r");

	while (file && fread(&header, sizeof(header), 1, file) == 1) {
		if (header.packet_size / 8 > sizeof(bytes) ||
		    header.content_size > header.packet_size ||
		    fread(bytes + sizeof(header), 1, header.packet_size / 8 - sizeof(header),
			  file) != header.packet_size / 8 - sizeof(header))
			break;
		memset(&packet, 0, sizeof(packet));
		packet.bytes = packet.cursor.at = bytes;
		packet.cursor.at += sizeof(header);
		packet.cursor.end = bytes + header.content_size / 8;
		packet.cursor.time = header.timestamp_begin;
		packet.cursor.stamp_bits = T(ring_stamp_bits)(&sizes.scheme.ring);
		packet.cursor.payloads = sizes.sizes;
		while (T(next)(&packet, &event)) {
			if (event.id == 599)
				continue;
			found++;
			memcpy(&who, event.payload, 4);
			memcpy(&at, event.payload + 4, 4);
			memcpy(&before, event.payload + 8, 8);
			CHECK(event.time >= before && event.time <= E(CLOCK)());
			if (who >= MOST_WHO || at >= MOST_NUMBER || when[who][at])
				wrong++ ? 0 :
					  fprintf(stderr, "%s: %u of %u is twice, or is none\n",
						  path, at, who);
			else
				when[who][at] = event.time;
			CHECK(event.time >= header.timestamp_begin &&
			      event.time <= header.timestamp_end);
		}
		CHECK(packet.cursor.at == packet.cursor.end);
	}
	CHECK(file && feof(file) && !ferror(file));
	if (file)
		fclose(file);
}

static int read_one(const char *path, const struct stat *file, int type, struct FTW *at)
{
	(void)file;
	if (type == FTW_F && path[at->base] >= '0' && path[at->base] <= '9')
		read_file(path);
	return 0;
}

static uint64_t read_all(const char *folder)
{
	const uint64_t *one;

	found = 0;
	memset(when, 0, (__atomic_load_n(&share->serial, __ATOMIC_RELAXED) + 2) * sizeof(*when));
	nftw(folder, read_one, 16, FTW_PHYS);
	for (one = when[0] + 1; one < when[share->serial + 2]; one++)
		CHECK(!*one || one[-1] <= *one || (one - when[0]) % MOST_NUMBER == 0);
	return found;
}

/* ---- a program ---- */

static void room(bool there, uint32_t packets)
{
	struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY };

	if (!there)
		most.rlim_cur = packets * PACKET_BYTES;
	setrlimit(RLIMIT_FSIZE, &most);
}

static void burst(void)
{
	pthread_t threads[6];
	uint32_t many = 1 + draw(6), i, round = 0, left;
	pid_t one;

	for (i = 0; i < many; i++)
		pthread_create(&threads[i], NULL, short_thread,
			       (void *)(uintptr_t)(draw(E(PER_CPU) ? 4000 : 900) * 8 + i));
	for (left = E(PER_CPU); left; usleep(200))
		for (i = left = 0; i < many; i++) {
			one = __atomic_load_n(&moving[i], __ATOMIC_ACQUIRE);
			left += one != 0;
			if (one)
				move(one, round++ / 3);
		}
	for (i = 0; i < many; i++)
		pthread_join(threads[i], NULL);
}

static void program(const char *folder, int me, bool dies);

/* A child with a trace of its own, which the parent may kill; the parent's goes on meanwhile. */
static void child(int me)
{
	const bool dies = draw(2);
	char name[4096];
	pid_t pid;

	snprintf(name, sizeof(name), "%.3000s/%d", top, me);
	pid = fork();
	if (!pid) {
		state += (uint64_t)me;
		tally = &share->tallies[me];
		__atomic_store_n(&self, 0, __ATOMIC_RELEASE);
		program(name, me, dies);
		_exit(wrong != 0);
	}
	record_some(draw(500));
	if (dies) {
		usleep(60000 + draw(60000));
		kill(pid, SIGKILL);
	}
}

static void act(const char *folder, bool whole, int *children, int me)
{
	char other[4096];
	int said;

	snprintf(other, sizeof(other), "%.3000s/%d.snapshot", top, me);
	switch (draw(whole ? 9 : 5)) {
	case 0:
	case 1:
		burst();
		break;
	case 2:
		record_some(draw(700));
		break;
	case 3:
		usleep(draw(9000));
		break;
	case 4:
		said = T(trace_snapshot)(other, PACKET_BYTES * (1 + draw(20)));
		CHECK(!said || (said == E(NOT_WRITTEN) && errno == EFBIG));
		break;
	case 5:
		usleep(draw(2) * 15000); /* also over what is there of a packet that is open */
		room(false, draw(draw(2) ? 12 : 2));
		record_some(draw(40));
		usleep(draw(2) * 15000);
		record_some(draw(500));
		room(draw(2), 6);
		break;
	case 6:
		if (me == 0 && *children < PROCESSES - 1)
			child(++*children);
		break;
	case 7:
		CHECK(!T(trace_enable)(40, draw(2)));
		break;
	case 8: /* as a whole: what is finished is no loss that anything sees */
		remove_all(folder);
		record_some(draw(300));
		break;
	}
}

static void count(bool dies, bool last)
{
	struct T(trace_counts) counts;

	T(trace_count)(&counts);
	if (dies && counts.events)
		tally->floor = tally->events + counts.events;
	if (!last)
		return;
	tally->events += counts.events;
	tally->lost += counts.lost;
	tally->unwritten += counts.unwritten;
	tally->strays += counts.strays;
	tally->removed += counts.removed;
}

static void session(const char *folder, int sessions, bool dies, int *children, int me)
{
	static const uint64_t sizes_drawn[] = { 0, 0, 2, 5, 16, 60 };
	struct T(trace_options) options = { .folder = folder, .types = types, .type_count = 2 };
	const bool whole = !dies;
	const bool own = draw(3); /* else that of other sessions, too */
	char name[4096];
	uint32_t i, acts = 1 + draw(5);

	snprintf(name, sizeof(name), "%.3000s/%d", folder, own ? sessions : 0);
	mkdir(folder, 0700);
	options.folder = name;
	options.chunk_bytes = sizes_drawn[draw(6)] * PACKET_BYTES;
	options.chunk_seconds = draw(4) == 0;
	options.chunks = options.chunk_bytes && whole && draw(3) == 0 ? 1 + draw(4) : 0;
	options.period_ms = 1 + draw(3) * 4;
	CHECK(!T(trace_start)(&options));
	for (i = 0; i < acts; i++) {
		/* Chunks that are finished, and removed by others, are no loss that anything sees.
		 */
		act(name,
		    whole && own && !options.chunk_bytes && !options.chunk_seconds &&
			    !options.chunks,
		    children, me);
		if (whole && options.chunk_bytes && draw(6) == 0) {
			room(false, 1 + draw(12));
			record_some(draw(500));
		}
		count(dies, false);
	}
	room(true, 0);
	CHECK(!T(trace_stop)());
	count(dies, true);
}

static void program(const char *folder, int me, bool dies)
{
	const int sessions = 1 + (int)draw(3);
	struct T(trace_options) options = { .folder = folder, .types = types, .type_count = 2 };
	pthread_t threads[LIVE];
	int i, at_rest[LIVE], children = 0, live = 0;
	uint64_t there;

	stopping = 0;
	begin();
	for (i = 0; i < sessions; i++) {
		session(folder, i + 1, dies, &children, me);
		if (i == 0 && sessions > 1 &&
		    draw(2)) { /* some come to stay: they begin in a session */
			CHECK(!T(trace_start)(&options));
			for (; live < (int)(1 + draw(LIVE)) && live < LIVE; live++) {
				at_rest[live] = 0;
				pthread_create(&threads[live], NULL, live_thread, &at_rest[live]);
				while (!__atomic_load_n(&at_rest[live], __ATOMIC_ACQUIRE))
					usleep(100);
			}
			CHECK(!T(trace_stop)());
			count(dies, true);
		}
	}
	__atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
	while (live--)
		pthread_join(threads[live], NULL);
	if (sessions > 1) { /* those that an end has overtaken are counted in the next trace */
		CHECK(!T(trace_start)(&options) && !T(trace_stop)());
		count(dies, true);
	}
	for (i = 0; i < children; i++) {
		int status;
		CHECK(wait(&status) > 0 && (status == 0 || WTERMSIG(status) == SIGKILL));
	}
	there = read_all(folder);
	if (tally->recorded + tally->full + tally->nulls !=
		    tally->events + tally->lost + tally->unwritten + tally->strays ||
	    there + tally->removed != tally->events)
		fprintf(stderr,
			"process %d: recorded %" PRIu64 " full %" PRIu64 " nulls %" PRIu64
			" events %" PRIu64 " lost %" PRIu64 " unwritten %" PRIu64 " strays %" PRIu64
			" removed %" PRIu64 " read %" PRIu64 "\n",
			me, tally->recorded, tally->full, tally->nulls, tally->events, tally->lost,
			tally->unwritten, tally->strays, tally->removed, there),
			wrong++;
}

int main(int argc, char **argv)
{
	struct T(options) plain = { types, 2, 0, false, NULL };
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval often = { { 0, 700 }, { 0, 700 } };
	uint64_t total = 0;
	char name[4096];
	int i;

	if (argc != 3)
		return fprintf(stderr, "conserve: FOLDER SEED\n"), 2;
	top = argv[1];
	state = strtoull(argv[2], NULL, 10) * 977 + 5;
	types[0] = work_type, types[1] = words_type;
	share = mmap(NULL, sizeof(*share), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	tally = &share->tallies[0];
	signal(SIGXFSZ, SIG_IGN);
	sigfillset(&action.sa_mask);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (draw(3) == 0)
		setitimer(ITIMER_REAL, &often, NULL);
	CHECK(!T(open)(&sizes, &plain));
	sizes.sizes[599] = T(trace_thread_type).bytes + 1;
	snprintf(name, sizeof(name), "%.3000s/0", top);
	program(name, 0, false);
	for (i = 1; i < PROCESSES; i++) { /* killed or not: what was there once is there */
		uint64_t there;

		if (!share->tallies[i].recorded)
			continue;
		snprintf(name, sizeof(name), "%.3000s/%d", top, i);
		there = read_all(name);
		total += there;
		if (there + share->tallies[i].removed < share->tallies[i].floor)
			fprintf(stderr,
				"process %d: %" PRIu64 " are there of %" PRIu64 " that were\n", i,
				there, share->tallies[i].floor),
				wrong++;
	}
	printf("recorded %" PRIu64 " read %" PRIu64 " lost %" PRIu64 " unwritten %" PRIu64
	       " strays %" PRIu64 " removed %" PRIu64 " in children %" PRIu64 "\n",
	       tally->recorded + tally->full + tally->nulls, tally->events - tally->removed,
	       tally->lost, tally->unwritten, tally->strays, tally->removed, total);
	return wrong != 0;
}
