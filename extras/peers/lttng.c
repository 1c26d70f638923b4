// SPDX-License-Identifier: MIT
/*
 * LTTng-UST: a session daemon of our own in a private home, a snapshot session with a flight
 * recorder of per-CPU buffers, and a worker that loads the provider when the session runs. Root
 * would meet the system's daemon, so root runs all of it as nobody.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "traces/ctf_trace.h"
#include "extras/peers/peer.h"
#include "runner/place/ticks.h"

#define EVENTS 100000
#define DAEMONS_MAX 2
#define START_TRIES 100

static struct daemon {
	char name[PEER_NAME_BYTES];
	char home[64];
	bool own_clock;
	pid_t pid;
} daemons[DAEMONS_MAX];
static unsigned int daemon_count;

static void (*record)(uint64_t events);
static struct daemon *ours; /* the worker's */

/* ---- processes as the user that has the home ---- */

static void become(void *arg)
{
	const struct daemon *daemon = arg;
	struct passwd *nobody = geteuid() ? NULL : getpwnam("nobody");
	char hz[32], plugin[128];

	if (nobody && (setgid(nobody->pw_gid) || setuid(nobody->pw_uid)))
		_exit(127);
	setenv("LTTNG_HOME", daemon->home, 1);
	setenv("HOME", daemon->home, 1);
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "5000", 1);
	unsetenv("LTTNG_UST_CLOCK_PLUGIN");
	if (daemon->own_clock) {
		snprintf(hz, sizeof(hz), "%.0f", ticks_hz());
		snprintf(plugin, sizeof(plugin), "%s/lttng_clock.so", daemon->home);
		setenv("STAMPEDE_CLOCK_HZ", hz, 1);
		setenv("LTTNG_UST_CLOCK_PLUGIN", plugin, 1);
	}
}

static pid_t start(struct daemon *daemon, const char *const argv[])
{
	char log[128];
	const struct child_program program = {
		.argv = argv, .log = log, .quiet = true, .prepare = become, .arg = daemon
	};

	snprintf(log, sizeof(log), "%s/log", daemon->home);
	return child_start(&program);
}

/* "lttng ..." to its end; true if it succeeded. */
static bool client(struct daemon *daemon, const char *const argv[])
{
	pid_t pid = start(daemon, argv);

	return pid > 0 && !child_wait(pid);
}

#define CLIENT(daemon, ...) client(daemon, (const char *[]){ "lttng", __VA_ARGS__, NULL })

/* ---- the daemon, in the parent ---- */

static bool copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
	bool good = out;
	char block[65536];
	size_t got;

	while (good && (got = fread(block, 1, sizeof(block), in)) > 0)
		good = fwrite(block, 1, got, out) == got;
	if (in)
		fclose(in);
	if (out)
		good = !fclose(out) && good;
	return good && !chmod(to, 0755);
}

/* Where ours are, the user nobody may not look: what the worker loads is copied to its home. */
static bool copy_object(const struct daemon *daemon, const char *name)
{
	char self[512], from[640], to[128];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return false;
	self[length] = 0;
	*strrchr(self, '/') = 0;
	snprintf(from, sizeof(from), "%s/peers-lttng/%s", self, name);
	snprintf(to, sizeof(to), "%s/%s", daemon->home, name);
	return copy_file(from, to);
}

static bool make_home(struct daemon *daemon)
{
	struct passwd *nobody = geteuid() ? NULL : getpwnam("nobody");

	snprintf(daemon->home, sizeof(daemon->home), "/tmp/stampede-peers-XXXXXX");
	if (!mkdtemp(daemon->home))
		return false;
	return !nobody || !chown(daemon->home, nobody->pw_uid, nobody->pw_gid);
}

static bool daemon_ready(struct daemon *daemon)
{
	struct timespec pause = { .tv_nsec = 100000000 };
	int tries;

	for (tries = 0; tries < START_TRIES; tries++) {
		if (waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid)
			return false;
		if (CLIENT(daemon, "list"))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* A flight recorder: per-CPU buffers that overwrite, taken as a snapshot at the end. */
static bool make_session(struct daemon *daemon)
{
	char output[128];

	snprintf(output, sizeof(output), "--output=%s/trace", daemon->home);
	return CLIENT(daemon, "create", "stampede", "--snapshot", output) &&
	       CLIENT(daemon, "enable-channel", "--userspace", "--overwrite", "--subbuf-size=256k",
		      "--num-subbuf=4", "peers") &&
	       CLIENT(daemon, "enable-event", "--userspace", "--channel=peers", "stampede:event") &&
	       CLIENT(daemon, "start", "stampede");
}

/* The session daemon that a peer of this name needs, in a private home. */
static bool begin(struct peer *peer)
{
	struct daemon *daemon = &daemons[daemon_count];

	if (daemon_count == DAEMONS_MAX)
		return false;
	*daemon = (struct daemon){ .own_clock = strstr(peer->name, "ticks") };
	snprintf(daemon->name, sizeof(daemon->name), "%s", peer->name);
	if (!make_home(daemon)) {
		snprintf(peer->why, sizeof(peer->why), "no private home in /tmp: %s",
			 strerror(errno));
		return false;
	}
	daemon_count++;
	if (!copy_object(daemon, "lttng_provider.so") || !copy_object(daemon, "lttng_clock.so")) {
		snprintf(peer->why, sizeof(peer->why),
			 "not built, since liblttng-ust-dev was missing (make peers installs it)");
		return false;
	}
	daemon->pid = start(daemon, (const char *[]){ "lttng-sessiond", "--no-kernel", NULL });
	if (daemon->pid < 0 || !daemon_ready(daemon)) {
		snprintf(peer->why, sizeof(peer->why),
			 "its session daemon does not start (package lttng-tools)");
		return false;
	}
	if (!make_session(daemon)) {
		snprintf(peer->why, sizeof(peer->why), "its session cannot be created");
		return false;
	}
	return true;
}

static void remove_tree(const char *path)
{
	const char *argv[] = { "rm", "-rf", "--", path, NULL };

	child_run(&(struct child_program){ .argv = argv }, NULL);
}

static void end_all(void)
{
	struct timespec pause = { .tv_nsec = 100000000 };
	int tries;

	while (daemon_count) {
		struct daemon *daemon = &daemons[--daemon_count];

		if (daemon->pid > 0) {
			CLIENT(daemon, "destroy", "--all");
			kill(daemon->pid, SIGTERM);
			for (tries = 0; tries < START_TRIES; tries++) {
				if (waitpid(daemon->pid, NULL, WNOHANG))
					break;
				nanosleep(&pause, NULL);
			}
			if (tries == START_TRIES) {
				kill(daemon->pid, SIGKILL);
				child_wait(daemon->pid);
			}
		}
		remove_tree(daemon->home);
	}
}

/* ---- the worker ---- */

static int peer_open(const char *name, char why[PEER_WHY_BYTES])
{
	unsigned int i;
	char path[128];
	void *provider, *symbol;

	for (i = 0; i < daemon_count; i++)
		if (!strcmp(daemons[i].name, name))
			ours = &daemons[i];
	if (!ours)
		return -1;
	become(ours);
	snprintf(path, sizeof(path), "%s/lttng_provider.so", ours->home);
	/* Its constructor waits until the session daemon has registered us. */
	provider = dlopen(path, RTLD_NOW);
	symbol = provider ? dlsym(provider, "peer_lttng_record") : NULL;
	if (!symbol) {
		snprintf(why, PEER_WHY_BYTES, "%s", dlerror());
		return -1;
	}
	memcpy(&record, &symbol, sizeof(record));
	return 0;
}

static int peer_run(uint64_t events)
{
	record(events);
	return 0;
}

static char snapshot_dir[512]; /* with the metadata; "": not found */

static int find_metadata(const char *path, const struct stat *stat_now, int type, struct FTW *walk)
{
	(void)stat_now;
	if (type != FTW_F || strcmp(path + walk->base, "metadata") != 0)
		return 0;
	snprintf(snapshot_dir, sizeof(snapshot_dir), "%.*s", walk->base - 1, path);
	return 1;
}

/* Bits of content that the packets of an LTTng stream say they have, from its file's bytes. */
static double content_bits(const char *path)
{
	uint8_t header[64];
	uint64_t at = 0, content, packet;
	double bits = 0;
	FILE *file = fopen(path, "rb");

	/* Behind magic, UUID, stream and instance, begin and end: two words of bits. */
	while (file && !fseeko(file, (off_t)at, SEEK_SET) &&
	       fread(header, sizeof(header), 1, file) == 1) {
		memcpy(&content, header + 48, sizeof(content));
		memcpy(&packet, header + 56, sizeof(packet));
		if (!packet || content > packet)
			break;
		bits += (double)content;
		at += packet / 8;
	}
	if (file)
		fclose(file);
	return bits;
}

/* Bytes of content, packet headers included, per event of the trace below `dir`; -1: not known. */
static double counted_bytes(const char *dir)
{
	double events = 0, bits = 0, bytes = -1;
	struct ctf_trace trace;
	unsigned int i;

	snapshot_dir[0] = '\0';
	if (nftw(dir, find_metadata, 16, FTW_PHYS) != 1)
		return -1;
	if (!ctf_trace_read(&trace, snapshot_dir, BT_LOGGING_LEVEL_NONE, NULL, NULL) &&
	    !trace.damaged) {
		for (i = 0; i < trace.count; i++) {
			events += (double)trace.streams[i].events;
			bits += content_bits(trace.streams[i].path);
		}
		bytes = events > 0 ? bits / 8 / events : -1;
	}
	ctf_trace_free(&trace);
	return bytes;
}

static double peer_bytes(void)
{
	char trace[128];

	if (!CLIENT(ours, "snapshot", "record", "--session=stampede"))
		return -1;
	snprintf(trace, sizeof(trace), "%s/trace", ours->home);
	return counted_bytes(trace);
}

static void peer_close(void)
{
}

const struct peer_kind peer_lttng = {
	.begin = begin,
	.end = end_all,
	.open = peer_open,
	.run = peer_run,
	.bytes = peer_bytes,
	.close = peer_close,
	.events = EVENTS,
};
