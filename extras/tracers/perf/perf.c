// SPDX-License-Identifier: MIT
/*
 * The kernel's perf ring without a PMU: each event is a page fault of one thread, whose address is
 * its number, and a timer's samples come into the same ring by interrupts. So the ring is written
 * by nested writers. A timer's sample has no number: only its place in the order is judged.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"

#define PAGE 4096
#define RING_PAGES 1024
#define TIMER_NS 20000

static int open_event(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.sample_period = period,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static struct perf_event_mmap_page *ring;
static uint64_t fault_id, tail;
static uint8_t *memory;

static void copy(void *to, uint64_t at, size_t bytes)
{
	const uint8_t *data = (const uint8_t *)ring + PAGE;
	size_t i;

	for (i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = data[(at + i) % (RING_PAGES * PAGE)];
}

/* The ring's records in its order, as lines. */
static void drain(FILE *decoded, uint64_t base)
{
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), body[3];
	struct perf_event_header header;

	for (; tail < head; tail += header.size) {
		copy(&header, tail, sizeof(header));
		copy(body, tail + sizeof(header),
		     sizeof(body)); /* time, address, id; or id, lost */
		if (header.type == PERF_RECORD_LOST)
			fprintf(decoded, "lost - %" PRIu64 "\n", body[1]);
		else if (header.type == PERF_RECORD_SAMPLE && body[2] == fault_id &&
			 body[1] >= (uint64_t)memory && body[1] < (uint64_t)memory + (64ull << 20))
			fprintf(decoded, "event 0 %" PRIu64 " %" PRIu64 "\n",
				base + (body[1] - (uint64_t)memory) / PAGE, body[0]);
		else if (header.type == PERF_RECORD_SAMPLE && body[2] != fault_id) {
			fprintf(decoded, "other 0 %" PRIu64 "\n", body[0]);
		}
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	uint64_t events = argc == 5 ? strtoull(argv[3], NULL, 10) : 0, every, seq, base = 0, entry;
	int fault, clock;
	char path[512];
	FILE *truth, *decoded;

	if (argc != 5 || chdir(argv[1]))
		return 1;
	every = strtoull(argv[4], NULL, 10);
	fault = open_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1);
	clock = open_event(PERF_COUNT_SW_CPU_CLOCK, TIMER_NS);
	if (fault < 0 || clock < 0) {
		fprintf(stderr,
			"stampede: perf is not judged: no event: %s; as root, or with a lower "
			"kernel.perf_event_paranoid\n",
			strerror(errno));
		return 4;
	}
	ring = mmap(NULL, PAGE * (RING_PAGES + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fault, 0);
	memory = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "truth");
	truth = fopen(path, "w");
	decoded = fopen("decoded", "w");
	if (ring == MAP_FAILED || memory == MAP_FAILED || !truth || !decoded ||
	    ioctl(clock, PERF_EVENT_IOC_SET_OUTPUT, fault) ||
	    ioctl(fault, PERF_EVENT_IOC_ID, &fault_id))
		return 3;
	madvise(memory, 64 << 20, MADV_NOHUGEPAGE);
	ioctl(fault, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(clock, PERF_EVENT_IOC_ENABLE, 0);
	/* The clock is not read by the tracer's own call, so entry and exit are around the touch.
	 */
	for (seq = 0; seq < events; seq++) {
		uint64_t at = seq - base;
		static struct window {
			uint64_t entry, exit;
		} windows[16384];

		entry = seq % every ? 0 : time_ns();
		memory[at * PAGE] = 1;
		windows[at] = (struct window){ entry, seq % every ? 0 : time_ns() };
		if (at + 1 == 16384 || seq + 1 == events) {
			uint64_t i;

			for (i = 0; i <= at; i++)
				fprintf(truth, "event 0 %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
					base + i, windows[i].entry, windows[i].exit);
			drain(decoded, base);
			madvise(memory, 64 << 20, MADV_DONTNEED);
			base = seq + 1;
		}
	}
	return fclose(truth) || fclose(decoded) ? 3 : 0;
}
