// SPDX-License-Identifier: MIT
/*
 * The running kernel's ring buffer, by write(2) to trace_marker_raw of an instance of our own: what
 * the machine's tracing does otherwise is left alone. The same writes with tracing off are taken
 * out, so that the system call is not in the figure.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extras/peers/peer.h"

#define EVENTS 20000
#define TRACEFS "/sys/kernel/tracing"
#define INSTANCE TRACEFS "/instances/stampede_peers"

static int marker = -1, switch_fd = -1;
static bool mounted;

static bool put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Removes what a worker made, if it could not. */
static void end_all(void)
{
	if (geteuid())
		return;
	if (marker >= 0)
		close(marker);
	if (switch_fd >= 0)
		close(switch_fd);
	marker = switch_fd = -1;
	rmdir(INSTANCE);
	if (mounted)
		umount(TRACEFS);
	mounted = false;
}

static int kernel_open(const char *name, char why[PEER_WHY_BYTES])
{
	(void)name;
	if (geteuid()) {
		snprintf(why, PEER_WHY_BYTES, "needs root (tracefs)");
		return -1;
	}
	if (access(TRACEFS "/instances", F_OK)) {
		if (mount("stampede", TRACEFS, "tracefs", 0, NULL)) {
			snprintf(why, PEER_WHY_BYTES, "no tracefs: mount: %s", strerror(errno));
			return -1;
		}
		mounted = true;
	}
	if (mkdir(INSTANCE, 0700) && errno != EEXIST) {
		snprintf(why, PEER_WHY_BYTES, "no instance of its own: %s", strerror(errno));
		end_all();
		return -1;
	}
	marker = open(INSTANCE "/trace_marker_raw", O_WRONLY);
	switch_fd = open(INSTANCE "/tracing_on", O_WRONLY);
	if (marker < 0 || switch_fd < 0) {
		snprintf(why, PEER_WHY_BYTES, "trace_marker_raw: %s", strerror(errno));
		end_all();
		return -1;
	}
	/* A flight recorder, as ours. */
	put(INSTANCE "/options/overwrite", "1");
	put(INSTANCE "/buffer_size_kb", "1024");
	return 0;
}

static int write_markers(uint64_t events)
{
	uint32_t payload[2] = { 1, 0 }; /* an id, then what is ours: 8 bytes in all */
	uint64_t i;

	for (i = 0; i < events; i++) {
		payload[1] = (uint32_t)i;
		if (write(marker, payload, sizeof(payload)) < 0 && errno != EBADF)
			return -1;
	}
	return 0;
}

static int kernel_run(uint64_t events)
{
	if (pwrite(switch_fd, "1", 1, 0) != 1)
		return -1;
	return write_markers(events);
}

static int kernel_idle(uint64_t events)
{
	if (pwrite(switch_fd, "0", 1, 0) != 1)
		return -1;
	return write_markers(events);
}

/* "bytes: N" and "entries: N" of the CPUs that recorded. */
static double kernel_bytes(void)
{
	double bytes = 0, entries = 0, value;
	char path[256], line[128];
	unsigned int cpu;
	FILE *stats;

	for (cpu = 0; cpu < 1024; cpu++) {
		snprintf(path, sizeof(path), INSTANCE "/per_cpu/cpu%u/stats", cpu);
		stats = fopen(path, "r");
		if (!stats)
			break;
		while (fgets(line, sizeof(line), stats)) {
			if (sscanf(line, "bytes: %lf", &value) == 1)
				bytes += value;
			if (sscanf(line, "entries: %lf", &value) == 1)
				entries += value;
		}
		fclose(stats);
	}
	return entries > 0 ? bytes / entries : -1;
}

const struct peer_kind peer_kernel = {
	.end = end_all,
	.open = kernel_open,
	.run = kernel_run,
	.idle = kernel_idle,
	.bytes = kernel_bytes,
	.close = end_all,
	.events = EVENTS,
};
