/* SPDX-License-Identifier: MIT */
/*
 * usage: naps TICKS COUNT   The CPU sleeps so long, so often, while a task is suspended, at each
 * instruction of write() and at every 41st of the reader: in packets that have room, are full, or
 * are read. Prints how many events are at a wrong time, or not there, and headers with more than
 * they should have. For the host, x86-64.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static volatile unsigned long long now;
#define PACKED_WORD32_CLOCK() ((uint32_t)now)
#define PACKED_WORD32_SUBBUF_SHIFT 8
#include "packed_word32_reader.h"

#define TRAP(how) __asm__ volatile("pushfq; " how ", (%%rsp); popfq" : : : "memory", "cc")
enum { EVENTS = 99, FULL = (256 - 64) / 8 };
static const uint32_t words[] = { 1 }, fills[] = { FULL - 1, FULL, 2 };
static struct packed_word32_recorder ring;
static uint64_t before[EVENTS], after[EVENTS], ticks, end;
static uint32_t next, steps, came_at, count, state;
static int wrong;

static void step(void)
{
	uint32_t mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);

	before[mine] = __atomic_add_fetch(&now, 7, __ATOMIC_RELAXED);
	packed_word32_write(&ring, 0, &mine, 1);
	after[mine] = now;
}

static void nap(int number, siginfo_t *info, void *context)
{
	uint32_t i;

	(void)info;
	if (number && steps++ != came_at)
		return;
	if (number) { /* once */
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
		steps = UINT32_MAX;
	}
	for (i = 0; i < count; i++) {
		now += ticks;
		packed_word32_sleep(&ring, ticks);
	}
	if (state & 1)
		step();
}

static void drain(void)
{
	struct packed_word32_filled packet;
	uint64_t header[8], time;
	uint32_t at, word, mine;

	for (; packed_word32_read(&ring, &packet); packed_word32_release(&ring, &packet)) {
		memcpy(header, packet.bytes, sizeof(header));
		wrong += (time = header[1]) < end || header[2] > now || header[7] >> 32;
		end = header[2];
		for (at = 64; at < header[3] / 8; at += 8, wrong--) {
			memcpy(&word, packet.bytes + at, 4);
			time += (word / 32 - time) % (1 << 27);
			if (word % 32 == 31)
				memcpy(&time, packet.bytes + at + 4, 8), at += 8;
			memcpy(&mine, packet.bytes + at + 4, 4);
			wrong += time < before[mine] || time > after[mine];
		}
		wrong += time > end;
	}
}

int main(int argc, char **argv)
{
	struct sigaction trap = { .sa_sigaction = nap, .sa_flags = SA_SIGINFO };

	ticks = strtoull(argv[argc - 2], NULL, 0), count = (uint32_t)atoi(argv[argc - 1]);
	sigaction(SIGTRAP, &trap, NULL);
	for (state = 0; state < 2 * 2 * 3; state++) {
		for (came_at = steps = 0; steps >= came_at; came_at += state & 2 ? 41 : 1) {
			memset(&ring, 0, sizeof(ring));
			memset(ring.memory, 0x5a, sizeof(ring.memory));
			packed_word32_open(&ring, words, 1);
			now = 100, next = steps = end = 0;
			while (next < fills[state / 4])
				step();
			if (state / 4 == 2) {
				packed_word32_flush_open(&ring);
				drain();
			}
			TRAP("orq $0x100");
			state & 2 ? drain() : step();
			TRAP("andq $~0x100");
			nap(0, NULL, NULL);
			step();
			packed_word32_flush_open(&ring);
			drain();
			wrong += (int)(next - packed_word32_lost(&ring));
		}
	}
	printf("%d\n", wrong);
	return 0;
}
